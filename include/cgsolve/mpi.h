/* Ranks of MPI for cgsolve/cgsolve.h:
 *
 *     struct cgs_exchange exchange;
 *     struct cgs_context_options options = {.size = sizeof options, .exchange = &exchange};
 *     if (cgs_mpi_create(MPI_COMM_WORLD, &exchange) == MPI_SUCCESS &&
 *         cgs_context_create(&options, &context, &error) == CGS_OK)
 *         ...
 *     cgs_context_destroy(context);
 *     cgs_mpi_destroy(&exchange);
 *
 * The program compiles this header for its own MPI. The library knows no MPI. MPI only moves bytes;
 * it adds nothing. */
#ifndef CGSOLVE_MPI_H
#define CGSOLVE_MPI_H

#include "cgsolve/cgsolve.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The `user` of the exchange. */
struct cgs_mpi {
    MPI_Comm comm; /* a duplicate: the messages are apart from the program's own */
    int rank, count;
    int *counts, *places;  /* [count] */
    MPI_Request *requests; /* [2 count] */
};

enum { CGS_MPI_AT_ONCE = 1 << 30 }; /* most bytes of one call of MPI */

static inline int cgs_mpi_told(int code, struct cgs_error *why)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (code != MPI_SUCCESS && MPI_Error_string(code, text, &length) == MPI_SUCCESS)
        snprintf(why->text, sizeof why->text, "MPI: %.*s", length, text);
    return code;
}

/* The bytes of the next call, of `left` bytes. */
static inline int cgs_mpi_bytes(int64_t left)
{
    return left <= 0 ? 0 : left < CGS_MPI_AT_ONCE ? (int)left : (int)CGS_MPI_AT_ONCE;
}

/* A gather of long arrays: rank by rank, in pieces. */
static inline int cgs_mpi_broadcast(const struct cgs_mpi *mpi, const int64_t *begin, char *all)
{
    int code = MPI_SUCCESS;
    for (int r = 0; r < mpi->count; r++)
        for (int64_t at = begin[r]; at < begin[r + 1] && code == MPI_SUCCESS; at += CGS_MPI_AT_ONCE)
            code = MPI_Bcast(all + at, cgs_mpi_bytes(begin[r + 1] - at), MPI_BYTE, r, mpi->comm);
    return code;
}

static inline int cgs_mpi_gather(void *user, const void *own, const int64_t *begin, void *all,
                                 struct cgs_error *why)
{
    struct cgs_mpi *mpi = (struct cgs_mpi *)user;
    char *place = (char *)all + begin[mpi->rank];
    if (place != own && begin[mpi->rank + 1] > begin[mpi->rank])
        memcpy(place, own, (size_t)(begin[mpi->rank + 1] - begin[mpi->rank]));
    if (begin[mpi->count] > CGS_MPI_AT_ONCE)
        return cgs_mpi_told(cgs_mpi_broadcast(mpi, begin, (char *)all), why);
    for (int r = 0; r < mpi->count; r++) {
        mpi->counts[r] = (int)(begin[r + 1] - begin[r]);
        mpi->places[r] = (int)begin[r];
    }
    return cgs_mpi_told(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, mpi->counts, mpi->places,
                                       MPI_BYTE, mpi->comm),
                        why);
}

/* Moves at most CGS_MPI_AT_ONCE bytes of each piece, from byte `at` on. *more: a piece may have
 * more bytes. */
static inline int cgs_mpi_swap_from(struct cgs_mpi *mpi, int64_t at, const struct cgs_piece *send,
                                    const struct cgs_piece *receive, int *more)
{
    int count = 0, code = MPI_SUCCESS;
    for (int r = 0; r < mpi->count && code == MPI_SUCCESS; r++)
        if (receive[r].bytes > at)
            code = MPI_Irecv((char *)receive[r].memory + at, cgs_mpi_bytes(receive[r].bytes - at),
                             MPI_BYTE, r, 0, mpi->comm, &mpi->requests[count++]);
    for (int r = 0; r < mpi->count && code == MPI_SUCCESS; r++)
        if (send[r].bytes > at)
            code = MPI_Isend((char *)send[r].memory + at, cgs_mpi_bytes(send[r].bytes - at),
                             MPI_BYTE, r, 0, mpi->comm, &mpi->requests[count++]);
    *more = count > 0;
    return code == MPI_SUCCESS ? MPI_Waitall(count, mpi->requests, MPI_STATUSES_IGNORE) : code;
}

static inline int cgs_mpi_swap(void *user, const struct cgs_piece *send,
                               const struct cgs_piece *receive, struct cgs_error *why)
{
    int more = 1, code = MPI_SUCCESS;
    for (int64_t at = 0; more && code == MPI_SUCCESS; at += CGS_MPI_AT_ONCE)
        code = cgs_mpi_swap_from((struct cgs_mpi *)user, at, send, receive, &more);
    return cgs_mpi_told(code, why);
}

/* Ends all processes. */
static inline void cgs_mpi_abandon(void *user, const char *why)
{
    const struct cgs_mpi *mpi = (const struct cgs_mpi *)user;
    fprintf(stderr, "cgsolve: rank %d of %d: %s\n", mpi->rank, mpi->count, why);
    MPI_Abort(mpi->comm, 1);
}

static inline void cgs_mpi_free(struct cgs_mpi *mpi)
{
    if (!mpi)
        return;
    free(mpi->counts);
    free(mpi->places);
    free(mpi->requests);
    free(mpi);
}

static inline struct cgs_mpi *cgs_mpi_allocate(int count)
{
    struct cgs_mpi *mpi = (struct cgs_mpi *)calloc(1, sizeof *mpi);
    if (!mpi)
        return NULL;
    mpi->count = count;
    mpi->counts = (int *)malloc((size_t)count * sizeof *mpi->counts);
    mpi->places = (int *)malloc((size_t)count * sizeof *mpi->places);
    mpi->requests = (MPI_Request *)malloc(2 * (size_t)count * sizeof *mpi->requests);
    if (mpi->counts && mpi->places && mpi->requests)
        return mpi;
    cgs_mpi_free(mpi);
    return NULL;
}

/* *exchange = the ranks of a duplicate of the communicator. All ranks call this function after
 * MPI_Init. Gives back MPI_SUCCESS; or an error code of MPI, and then *exchange needs no
 * cgs_mpi_destroy. If one rank has no memory, all get MPI_ERR_NO_MEM. On the duplicate MPI returns
 * codes of errors (MPI_ERRORS_RETURN), and the library turns them into a sentence. A context calls
 * MPI on the thread that calls the library: MPI_THREAD_FUNNELED suffices if this is the main
 * thread. */
static inline int cgs_mpi_create(MPI_Comm comm, struct cgs_exchange *exchange)
{
    struct cgs_mpi *mpi;
    int rank = 0, count = 1, has_memory, all_have = 0;
    memset(exchange, 0, sizeof *exchange);
    int code = MPI_Comm_size(comm, &count);
    if (code != MPI_SUCCESS || (code = MPI_Comm_rank(comm, &rank)) != MPI_SUCCESS)
        return code;
    mpi = cgs_mpi_allocate(count);
    has_memory = mpi != NULL;
    code = MPI_Allreduce(&has_memory, &all_have, 1, MPI_INT, MPI_MIN, comm);
    if (code == MPI_SUCCESS)
        code = all_have ? MPI_Comm_dup(comm, &mpi->comm) : MPI_ERR_NO_MEM;
    if (code != MPI_SUCCESS) {
        cgs_mpi_free(mpi);
        return code;
    }
    MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
    mpi->rank = rank;
    exchange->size = sizeof *exchange;
    exchange->rank = rank;
    exchange->count = count;
    exchange->user = mpi;
    exchange->gather = cgs_mpi_gather;
    exchange->swap = cgs_mpi_swap;
    exchange->abandon = cgs_mpi_abandon;
    return MPI_SUCCESS;
}

/* All ranks call this function, after cgs_context_destroy of its contexts and before MPI_Finalize.
 * Accepts a zeroed exchange. */
static inline void cgs_mpi_destroy(struct cgs_exchange *exchange)
{
    struct cgs_mpi *mpi = (struct cgs_mpi *)exchange->user;
    if (mpi)
        MPI_Comm_free(&mpi->comm);
    cgs_mpi_free(mpi);
    memset(exchange, 0, sizeof *exchange);
}

#ifdef __cplusplus
}
#endif
#endif
