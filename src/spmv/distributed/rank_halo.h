/* A halo brings x of the rows of other ranks that this one reads (spmv/distributed/ghost_rows.h),
 * in the memory of one kind of space. */
#ifndef SPMV_DISTRIBUTED_RANK_HALO_H
#define SPMV_DISTRIBUTED_RANK_HALO_H

#include "space/ranks/ranks.h"
#include "spmv/distributed/ghost_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rank_halo;
struct rank_halo_table {
    /* x of the rows of other ranks, around the own ones, and 0 in rows that are empty: of a vector,
     * or a multivector of so many columns, of doubles, or of singles. x is where the local rows
     * begin. All ranks call it. Errors: STATUS_RANK, STATUS_DEVICE. */
    enum status (*bring)(struct rank_halo *halo, int columns, bool singles, void *x,
                         struct error *error);

    /* Before `bring` with several columns; the second time there is nothing to do. NULL: it brings
     * vectors alone. Errors: STATUS_MEMORY. */
    enum status (*prepare)(struct rank_halo *halo, int columns, struct error *error);

    void (*destroy)(struct rank_halo *halo); /* accepts NULL */
};

/* Every halo begins with this; both are borrowed. */
struct rank_halo {
    const struct rank_halo_table *table;
    struct ranks *ranks;
    const struct ghost_rows *reach;
};

/* Of vectors of ranks->real; both are borrowed. All ranks call it. On GPUs, a barrier (such as a
 * sum) must come between two exchanges, unless the communication pattern is symmetric. Errors:
 * STATUS_MEMORY; with GPUs those of peer_memory_create (space/ranks/peer_memory.h); *made is then
 * NULL. */
enum status rank_halo_create(struct ranks *ranks, const struct ghost_rows *reach,
                             struct rank_halo **made, struct error *error);

/* Its half for GPUs, in the CUDA part (base/cuda_part.h). */
enum status rank_halo_cuda_create(struct ranks *ranks, const struct ghost_rows *reach,
                                  struct rank_halo **made, struct error *error);

#ifdef __cplusplus
}
#endif

#endif
