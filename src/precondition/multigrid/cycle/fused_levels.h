/* The small levels of a cycle on a GPU in one launch: from b of the first of them to its x. Work on
 * a small level takes less time than a launch. The bits are those of the passes and products one by
 * one.
 *
 * One block of threads does it, or a cluster of blocks if the device has clusters, by a list of
 * steps that set-up makes (struct fused_levels_step). In each step a thread takes rows; all threads
 * meet between two steps. So a row reads what its own thread or an earlier step has written. The
 * matrix row of a thread's next step is on its way while they meet. The first block alone does a
 * step over few rows, because its threads meet sooner than those of a cluster. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_FUSED_LEVELS_H
#define PRECONDITION_MULTIGRID_CYCLE_FUSED_LEVELS_H

#include "precondition/multigrid/cycle/fused_rows.h"
#include "precondition/multigrid/cycle/smooth.h"
#include "precondition/multigrid/cycle/transfer.h"
#include "precondition/multigrid/setup/hierarchy.h"

#include <stdbool.h>
#include <stdint.h>

enum { FUSED_LEVELS_THREADS = 512 };

/* x = B b by a dense symmetric B, in the order of direct.h, which is that of a block of
 * precondition/blocks.h too. */
struct dense_solve {
    int64_t n;
    const void *values; /* NULL: none */
    const void *b;
    void *x;
};

/* Of each row, in this order, what there is of these. */
struct fused_levels_step {
    int64_t n;                        /* rows */
    bool alone;                       /* the first block makes all of them */
    bool meets;                       /* behind it all blocks meet, not the threads of each alone */
    struct restriction restriction;   /* coarse = NULL: none */
    struct prolongation prolongation; /* x = NULL: none */
    struct fused_rows A;
    const void *multiplied; /* NULL: no product */
    void *product;          /* where it is kept; NULL: it is the step's q */
    bool smooths;
    struct smooth smooth;     /* never one of the ends, and without a sum */
    struct dense_solve solve; /* which a step does alone */
};

struct fused_levels {
    int first;                       /* level */
    int blocks;                      /* of the cluster, or 1 */
    int64_t count;                   /* of steps; 0: no level is fused */
    struct fused_levels_step *steps; /* in the space */
};

/* The most rows and entries (of both triangles) of the first fused level; zeroes: no level is
 * fused. */
struct fused_levels_limits {
    int64_t rows, entries;
};

struct multigrid;

#ifdef __cplusplus
extern "C" {
#endif

/* Of all levels behind that of spmv: by its kernel, and by sizes that the device has. coarsest: the
 * most rows that are solved directly. */
struct fused_levels_limits fused_levels_limits(const struct linear_operator *spmv,
                                               const struct multigrid_options *options,
                                               int64_t coarsest);

/* Whether A is within them. */
bool fused_levels_takes(const struct fused_levels_limits *limits, const struct csr *A);

/* m->fused_levels, of the last levels that fused_rows.h keeps. Call it once, after all levels are
 * made; m must not move. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status fused_levels_create(struct multigrid *m, struct error *error);
void fused_levels_free(struct space *space,
                       struct fused_levels *fused_levels); /* accepts a zeroed one */

/* In the CUDA part (base/cuda_part.h): how many blocks work together on the space's device. */
int fused_levels_blocks_cuda(struct space *space);

/* The same: x of level fused_levels->first from its b. */
enum status fused_levels_run_cuda(struct space *space, const struct fused_levels *fused_levels,
                                  bool single, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
