/* The space of a rank: it holds its own rows of vectors of n elements (space/ranks/partition.h). A
 * method sees a space of vectors of n elements. Code that reads or writes vectors on the host, and
 * the set-up of a preconditioner, use only the own rows.
 *
 * It is a layer over a space of this rank, the real space, which runs a pass over the own rows.
 * Sums are over all ranks (struct space's `partition`), with the bits of one rank. Scalars are
 * replicated, so all ranks take the same decisions.
 *
 * `upload` takes the own rows of a distributed vector on the host (space/ranks/rank_vector.h);
 * `download` gives every rank the complete vector. */
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
    char *memory, *own; /* the allocated memory, and the first own row */
    int64_t bytes;      /* from `own` on */
    size_t size;        /* of an element */
    int columns;        /* 1: a vector; more: a multivector; 0: several vectors together */
};

struct found;

struct ranks {
    struct space base; /* first */
    struct space_operations operations;
    struct space *real;
    struct ranks *whose; /* the owner of `real` and `ended`; NULL: this space */
    struct partition partition;
    /* Room of a vector or a multivector for ghost rows before and after the own rows: rows of other
     * ranks that a product reads (spmv/distributed/rank_operator.h). */
    int64_t before, after;
    struct ranks_block *blocks;
    int64_t blocks_count, blocks_capacity;
};

/* The space of this rank of options->exchange, for vectors of options->rows elements. All ranks
 * call it. Errors: STATUS_MEMORY; with a GPU those of space_cuda_join. */
enum status space_ranks_create(enum space_kind kind, const struct space_options *options,
                               struct space **made, struct error *error);

/* Another space over the real space of `ranks`, for vectors distributed by *partition; on a GPU its
 * only sums are those of ranks_lend_sums. It takes ownership of *partition, also on failure.
 * `ranks` outlives it; the caller calls its operations->destroy. Errors: STATUS_MEMORY. */
enum status ranks_subspace(struct ranks *ranks, struct partition *partition, struct ranks **made,
                           struct error *error);

/* Between these two calls, sums on a GPU are over vectors of a subspace, and over no other vectors;
 * each rank has rows of it. Call the second also if the first fails: it passes the status on. In
 * other spaces they do nothing. All ranks call them. Errors: those of space_cuda_join;
 * STATUS_MEMORY, STATUS_RANK. */
enum status ranks_lend_sums(struct ranks *subspace, struct error *error);
enum status ranks_return_sums(struct ranks *subspace, enum status status, struct error *error);

/* From here on, sums of a CUDA space can be over all ranks (space/ranks/cuda_allreduce.cuh): while
 * space->partition is set, to `of`. space_cuda_leave undoes the last of several calls, but not the
 * first, which lasts as long as the space. All ranks call it. Errors: those of peer_memory_create;
 * STATUS_CONFIG if the reductions promise no bits, or a rank has no rows. This and the next
 * functions are in the CUDA part (base/cuda_part.h). */
enum status space_cuda_join(struct space *space, const struct partition *of, struct error *error);
void space_cuda_leave(struct space *space);

/* Whether all ranks must launch the same work, equally often, for NCCL (space/ranks/nccl.h). */
bool space_cuda_sends_alike(const struct space *space);

/* The ranks of the space's vectors, also in a column's space (solver/column_space.h). NULL: one
 * rank. */
struct ranks *ranks_of(const struct space *space);

/* The distribution of the space's vectors; NULL: one rank. */
struct partition *ranks_partition(const struct space *space);

/* The first row of this rank, and its number of the n rows; in another space 0 and n. */
int64_t ranks_first_row(const struct space *space);
int64_t ranks_rows(const struct space *space, int64_t n);

/* The same for a space of ranks; false for another space. */
bool ranks_need_matching_launches(const struct space *space);

/* A multivector (spmv/operator.h) of n rows and 1, 2, 4, 8, 16 or 32 columns, of elements of `size`
 * bytes, in any space. In the space of a rank, of n rows, it has memory for the own rows and their
 * ghost rows. The caller calls space_release. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status ranks_multivector(struct space *space, int64_t n, int columns, size_t size,
                              const char *what, void **made, struct error *error);

/* From here on, all vectors and multivectors have room for that number of ghost rows before and
 * after the own rows. */
void ranks_make_room(struct ranks *ranks, int64_t before, int64_t after);

/* Whether the vector or multivector has room for that number of ghost rows of `columns` columns:
 * true if it was allocated for them after ranks_make_room. */
bool ranks_has_room(const struct ranks *ranks, const void *vector, int columns, int64_t before,
                    int64_t after);

/* Some calls of a device's driver wait for its kernels. The kernels of several ranks may share a
 * device, and wait for each other. So this barrier holds all ranks until each has made such a call.
 * Passes an error status on; else STATUS_MEMORY, STATUS_RANK. */
enum status ranks_barrier(struct ranks *ranks, enum status status, struct error *error);

/* The real space, for work of the current turn, with the same *ended. */
struct space *ranks_enter(struct ranks *ranks);

/* The same, with sums over all ranks until ranks_end_sums, for vectors that begin with `before`
 * rows of other ranks, in complete tiles. */
struct space *ranks_begin_sums(struct ranks *ranks, int64_t before);
enum status ranks_end_sums(struct ranks *ranks, enum status status); /* passes the status on */

/* As space_download, but each of several ranks gets only its own rows, at their places in host[n];
 * for a column all rows. */
enum status ranks_download_own(struct space *space, int64_t n, const double *v, double *host,
                               struct error *error);

/* All-gather on the host: all[n] = own[rows] of all ranks, in elements of that size. Errors:
 * STATUS_MEMORY, STATUS_RANK. */
enum status ranks_gather(struct ranks *ranks, const void *own, size_t size, void *all,
                         struct error *error);

/* The seconds in which this rank has sent, received and waited; 0 in a space of one rank, and with
 * a GPU, which communicates by itself. */
double ranks_exchange_seconds(const struct space *space);

/* values[k] = the sum of values[k] over all ranks. Errors: STATUS_MEMORY, STATUS_RANK. */
enum status ranks_sum(struct ranks *ranks, int count, int64_t *values, struct error *error);

/* Join *found over all ranks; with ranks = NULL does nothing. Errors: STATUS_MEMORY,
 * STATUS_RANK. */
enum status ranks_join_found(struct ranks *ranks, struct found *found, struct error *error);

/* *value = the maximum over the ranks, for times by each rank's clock. In another space does
 * nothing. Errors: STATUS_MEMORY, STATUS_RANK. */
enum status ranks_max(struct space *space, int64_t *value, struct error *error);

/* *value = the maximum, or the minimum, over the ranks of numbers that are not negative;
 * likewise. */
enum status ranks_largest(struct space *space, double *value, struct error *error);
enum status ranks_least(struct space *space, double *value, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
