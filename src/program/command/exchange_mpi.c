/* Ranks that are processes, by MPI: mpirun -n 4 cgsolve config.cfg. MPI moves bytes alone; it adds
 * nothing. */
#include "program/command/ranks.h"

#include <stdlib.h>

/* What Open MPI, MPICH and their kin, and Slurm's srun, tell a process that they start. srun comes
 * last, because mpirun may start its helpers by srun. *from: the variable that tells it. */
static int processes_started(const char **from)
{
    static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
                                         "SLURM_STEP_NUM_TASKS"};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        const char *value = getenv(counts[k]);
        *from = counts[k];
        if (value)
            return atoi(value);
    }
    return 1;
}

#ifdef CGSOLVE_MPI

#include "base/clock.h"
#include "base/memory.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { AT_ONCE = 1 << 30 }; /* bytes that one call of MPI moves, at the most */

struct exchange_mpi {
    struct exchange base;  /* first */
    int *counts, *places;  /* [count] */
    MPI_Request *requests; /* [2 count] */
};

static struct exchange_mpi own;

static enum status told(int code, struct error *error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS)
        return STATUS_OK;
    MPI_Error_string(code, text, &length);
    return error_set(error, STATUS_RANK, "MPI: %s", text);
}

/* A long array in pieces, from one rank after the other. */
static int broadcast_all(const int64_t *begin, char *all, int ranks)
{
    int code = MPI_SUCCESS;
    for (int r = 0; r < ranks; r++)
        for (int64_t at = begin[r]; at < begin[r + 1] && code == MPI_SUCCESS; at += AT_ONCE) {
            int64_t left = begin[r + 1] - at;
            code = MPI_Bcast(all + at, left < AT_ONCE ? (int)left : AT_ONCE, MPI_BYTE, r,
                             MPI_COMM_WORLD);
        }
    return code;
}

static int gather_all(struct exchange_mpi *mpi, const int64_t *begin, void *all)
{
    int ranks = mpi->base.count;
    if (begin[ranks] > AT_ONCE)
        return broadcast_all(begin, all, ranks);
    for (int r = 0; r < ranks; r++) {
        mpi->counts[r] = (int)(begin[r + 1] - begin[r]);
        mpi->places[r] = (int)begin[r];
    }
    return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, mpi->counts, mpi->places, MPI_BYTE,
                          MPI_COMM_WORLD);
}

static enum status gather(struct exchange *exchange, const void *piece, const int64_t *begin,
                          void *all, struct error *error)
{
    int rank = exchange->rank;
    char *place = (char *)all + begin[rank];
    double called = clock_seconds();
    if (place != piece)
        memcpy(place, piece, (size_t)(begin[rank + 1] - begin[rank]));
    int code = gather_all((struct exchange_mpi *)exchange, begin, all);
    exchange->seconds += clock_seconds() - called;
    return told(code, error);
}

/* Of a piece, the bytes from `at` on that one call moves. */
static int bytes_from(const struct exchange_piece *piece, int64_t at)
{
    int64_t left = piece->bytes - at;
    return left <= 0 ? 0 : left < AT_ONCE ? (int)left : AT_ONCE;
}

/* From byte `at` of each piece on, what one call moves; *more: there was something. */
static int swap_from(struct exchange_mpi *mpi, int64_t at, const struct exchange_piece *send,
                     const struct exchange_piece *receive, bool *more)
{
    int ranks = mpi->base.count, count = 0, code = MPI_SUCCESS;
    for (int r = 0; r < ranks && code == MPI_SUCCESS; r++)
        if (bytes_from(&receive[r], at) > 0)
            code = MPI_Irecv((char *)receive[r].memory + at, bytes_from(&receive[r], at), MPI_BYTE,
                             r, 0, MPI_COMM_WORLD, &mpi->requests[count++]);
    for (int r = 0; r < ranks && code == MPI_SUCCESS; r++)
        if (bytes_from(&send[r], at) > 0)
            code = MPI_Isend((char *)send[r].memory + at, bytes_from(&send[r], at), MPI_BYTE, r, 0,
                             MPI_COMM_WORLD, &mpi->requests[count++]);
    *more = count > 0;
    return code == MPI_SUCCESS ? MPI_Waitall(count, mpi->requests, MPI_STATUSES_IGNORE) : code;
}

static enum status swap(struct exchange *exchange, const struct exchange_piece *send,
                        const struct exchange_piece *receive, struct error *error)
{
    bool more = true;
    int code = MPI_SUCCESS;
    double called = clock_seconds();
    for (int64_t at = 0; more && code == MPI_SUCCESS; at += AT_ONCE)
        code = swap_from((struct exchange_mpi *)exchange, at, send, receive, &more);
    exchange->seconds += clock_seconds() - called;
    return told(code, error);
}

static void abandon(struct exchange *exchange, int exit_status, const char *why)
{
    (void)exchange, (void)why;
    MPI_Abort(MPI_COMM_WORLD, exit_status);
}

static const struct exchange_operations operations = {
    .gather = gather, .swap = swap, .abandon = abandon};

enum status exchange_mpi_begin(struct exchange **made, struct error *error)
{
    const char *from;
    int provided = MPI_THREAD_SINGLE, count = 1, started = processes_started(&from);
    *made = NULL;
    if (started < 2)
        return STATUS_OK;
    /* the thread that began does what MPI is asked for */
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return error_set(error, STATUS_RANK, "MPI does not start");
    if (provided < MPI_THREAD_FUNNELED)
        return error_set(error, STATUS_UNAVAILABLE, "this MPI allows no threads");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (count != started)
        return error_set(
            error, STATUS_UNAVAILABLE,
            "%d processes were started (%s), and MPI knows of %d: is mpirun, or srun --mpi=, for "
            "the MPI of this build?",
            started, from, count);
    own.base = (struct exchange){.operations = &operations, .count = count};
    MPI_Comm_rank(MPI_COMM_WORLD, &own.base.rank);
    MPI_Comm host;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host) !=
        MPI_SUCCESS)
        return error_set(error, STATUS_RANK, "MPI does not tell which ranks share a host");
    MPI_Comm_rank(host, &own.base.on_host);
    MPI_Comm_free(&host);
    own.counts = memory_array(count, sizeof *own.counts, "the ranks", error);
    own.places = memory_array(count, sizeof *own.places, "the ranks", error);
    own.requests = memory_array(2 * (int64_t)count, sizeof *own.requests, "the ranks", error);
    own.base.begins = memory_array(count + 1, sizeof *own.base.begins, "the ranks", error);
    *made = &own.base;
    return own.counts && own.places && own.requests && own.base.begins ? STATUS_OK : STATUS_MEMORY;
}

void exchange_mpi_end(void)
{
    int begun = 0;
    MPI_Initialized(&begun);
    if (!begun)
        return;
    memory_free(own.counts);
    memory_free(own.places);
    memory_free(own.requests);
    memory_free(own.base.begins);
    MPI_Finalize();
}

#else

enum status exchange_mpi_begin(struct exchange **made, struct error *error)
{
    const char *from;
    *made = NULL;
    if (processes_started(&from) < 2)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE,
                     "several processes were started (%s), but this build has no MPI: all would do "
                     "the same (make MPI=1)",
                     from);
}

void exchange_mpi_end(void)
{
}

#endif
