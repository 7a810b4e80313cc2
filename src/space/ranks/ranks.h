/* The space of a rank: vectors of n elements, of which it holds its own rows
 * (space/ranks/partition.h). A method sees a space of vectors of n elements. Code that reads or
 * writes vectors on the host takes the own rows alone, and so does the set-up of a preconditioner.
 *
 * Under it is a space of this rank alone, the real one, which runs a pass over the own rows. Its
 * sums are those of all ranks (struct space's `partition`), with the bits that one rank would
 * find, so all ranks take the same way. Scalars are in each of them, the same.
 *
 * `upload` takes the own rows of a vector on the host, at their places in the whole one
 * (space/ranks/rank_vector.h); `download` leaves the whole vector with every rank. */
#ifndef SPACE_RANKS_RANKS_H
#define SPACE_RANKS_RANKS_H

#include "space/ranks/partition.h"
#include "space/space.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory for vectors. */
struct ranks_block {
    char *memory, *own; /* as allocated, and where the own rows begin */
    int64_t bytes;      /* from `own` on */
    size_t size;        /* of an element */
    int columns;        /* 1: a vector; more: a multivector; 0: several vectors together */
};

struct found;

struct ranks {
    struct space base; /* first */
    struct space_operations operations;
    struct space *real;
    struct ranks *whose; /* real is another one's, as `ended` is; NULL: its own */
    struct partition partition;
    /* Rows that a vector or a multivector has room for before and behind the own ones: those of
     * other ranks that a product reads (spmv/distributed/rank_operator.h). */
    int64_t before, after;
    struct ranks_block *blocks;
    int64_t blocks_count, blocks_capacity;
};

/* The space of this rank of options->exchange, for vectors of options->rows elements. All ranks
 * call it. Errors: STATUS_MEMORY; with a GPU those of space_cuda_join. */
enum status space_ranks_create(enum space_kind kind, const struct space_options *options,
                               struct space **made, struct error *error);

/* Another space over the real one of `ranks`, for vectors that *partition divides; on a GPU without
 * sums but those of ranks_lend_sums. It takes *partition over, also on failure. `ranks` outlives
 * it; the caller calls its operations->destroy. Errors: STATUS_MEMORY. */
enum status ranks_subspace(struct ranks *ranks, struct partition *partition, struct ranks **made,
                           struct error *error);

/* On a GPU, sums over vectors of a subspace, and over no others, between these two calls; each rank
 * has rows of it. The second one comes also if the first one fails, and hands the status on. In
 * other spaces there is nothing to do. All ranks call them. Errors: those of space_cuda_join;
 * STATUS_MEMORY, STATUS_RANK. */
enum status ranks_lend_sums(struct ranks *subspace, struct error *error);
enum status ranks_return_sums(struct ranks *subspace, enum status status, struct error *error);

/* Sums of a CUDA space can be those of all ranks from here on (space/ranks/cuda_allreduce.cuh):
 * while space->partition is set, which is `of` then. space_cuda_leave ends the last of several
 * ones, but not the first, which ends with the space. All ranks call it. Errors: those of
 * peer_memory_create; STATUS_CONFIG where the reductions promise no bits, or a rank has no rows.
 * In the CUDA part (base/cuda_part.h), as the next ones. */
enum status space_cuda_join(struct space *space, const struct partition *of, struct error *error);
void space_cuda_leave(struct space *space);

/* Whether each rank sends the same work, as often, as NCCL wants it (space/ranks/nccl.h). */
bool space_cuda_sends_alike(const struct space *space);

/* The ranks that share the space's vectors, also of a column of several (solver/column_space.h).
 * NULL: the space is of one rank alone. */
struct ranks *ranks_of(const struct space *space);

/* How the space's vectors are divided; NULL: the space is of one rank alone. */
struct partition *ranks_partition(const struct space *space);

/* The first of the rows that a rank has, and how many of n it has; in another space 0 and n. */
int64_t ranks_first_row(const struct space *space);
int64_t ranks_rows(const struct space *space, int64_t n);

/* The same of a space of ranks, and false of any other. */
bool ranks_need_matching_launches(const struct space *space);

/* A multivector (spmv/operator.h) of n rows and 1, 2, 4, 8, 16 or 32 columns, of elements of that
 * size, in any space. In that of a rank, of n rows, it has memory for the own ones and the room
 * around them. The caller calls space_release. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status ranks_multivector(struct space *space, int64_t n, int columns, size_t size,
                              const char *what, void **made, struct error *error);

/* Room of so many rows around the own ones, in all vectors and multivectors from here on. */
void ranks_make_room(struct ranks *ranks, int64_t before, int64_t after);

/* Whether the vector, or the multivector, has room for so many rows of so many columns, as each has
 * that was made for these since ranks_make_room was called with them. */
bool ranks_has_room(const struct ranks *ranks, const void *vector, int columns, int64_t before,
                    int64_t after);

/* Some calls of a device's driver wait for its kernels. Those of several ranks may share a device,
 * and wait for each other: so all ranks are behind such a call before one of them goes on. Hands
 * the status on where that is an error; else STATUS_MEMORY, STATUS_RANK. */
enum status ranks_barrier(struct ranks *ranks, enum status status, struct error *error);

/* The real space, for work of the turn that goes on: with the same *ended. */
struct space *ranks_enter(struct ranks *ranks);

/* The same, and its sums are those of all ranks until ranks_end_sums: over vectors that begin with
 * so many rows of other ranks, whole tiles. */
struct space *ranks_begin_sums(struct ranks *ranks, int64_t before);
enum status ranks_end_sums(struct ranks *ranks, enum status status); /* hands the status on */

/* As space_download, but of several ranks each gets its own rows alone, at their places in
 * host[n]; of a column all rows. */
enum status ranks_download_own(struct space *space, int64_t n, const double *v, double *host,
                               struct error *error);

/* own[rows] of all ranks as whole[n], of elements of that size; on the host. Errors: STATUS_MEMORY,
 * STATUS_RANK. */
enum status ranks_gather(struct ranks *ranks, const void *own, size_t size, void *whole,
                         struct error *error);

/* How long this rank has sent, received and waited so far; 0 in a space of one rank, and with a
 * GPU, which does so by itself. */
double ranks_exchange_seconds(const struct space *space);

/* values[k] = the sum of those of all ranks. Errors: STATUS_MEMORY, STATUS_RANK. */
enum status ranks_sum(struct ranks *ranks, int count, int64_t *values, struct error *error);

/* *found by all ranks; of NULL there is nothing to do. Errors: STATUS_MEMORY, STATUS_RANK. */
enum status ranks_join_found(struct ranks *ranks, struct found *found, struct error *error);

/* *value = the largest that a rank has: for what each finds by its own clock. In another space
 * there is nothing to do. Errors: STATUS_MEMORY, STATUS_RANK. */
enum status ranks_max(struct space *space, int64_t *value, struct error *error);

/* *value = the largest, or the least, of numbers that are not negative; likewise. */
enum status ranks_largest(struct space *space, double *value, struct error *error);
enum status ranks_least(struct space *space, double *value, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
