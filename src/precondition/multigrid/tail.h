/* The tail of a cycle on a GPU: its small levels, from where the first one has b to where it has x,
 * in one launch, for work on them is shorter than launches are. The bits are those of the passes
 * and products one by one.
 *
 * One block of threads does it, or a cluster of blocks where the device has them, by a list of
 * steps that set-up makes (struct tail_step). In each step a thread takes rows; all threads meet
 * between two steps. So what a row of a step reads, but for its own thread's, an earlier step has
 * written. Steps over few rows are those of the first block alone, whose threads meet sooner than
 * those of a cluster do. */
#ifndef PRECONDITION_MULTIGRID_TAIL_H
#define PRECONDITION_MULTIGRID_TAIL_H

#include "precondition/blocks.h"
#include "precondition/multigrid/direct.h"
#include "precondition/multigrid/hierarchy.h"
#include "precondition/multigrid/smooth.h"
#include "precondition/multigrid/tail_rows.h"
#include "precondition/multigrid/transfer.h"

#include <stdbool.h>
#include <stdint.h>

enum { TAIL_THREADS = 512 };

/* Of each row, in this order, what there is of these. */
struct tail_step {
    int64_t n;                        /* rows */
    bool alone;                       /* the first block makes all of them */
    bool meets;                       /* behind it all blocks meet, not the threads of each alone */
    struct restriction restriction;   /* coarse = NULL: none */
    struct prolongation prolongation; /* x = NULL: none */
    struct tail_rows A;
    const void *multiplied; /* NULL: no product */
    void *product;          /* where it is kept; NULL: it is the step's q */
    bool smooths;
    struct smooth smooth; /* never one of the ends, and without a sum */
    /* In double and in single precision; values = NULL: none. */
    struct blocks_work solve;
    struct direct solve_float;
};

struct tail {
    int first;               /* level */
    int blocks;              /* of the cluster, or 1 */
    int64_t count;           /* of steps; 0: there is no tail */
    struct tail_step *steps; /* in the space */
};

/* What the first level of a tail has at the most, with both triangles of its matrix; zeroes: there
 * is no tail. */
struct tail_limits {
    int64_t rows, entries;
};

struct multigrid;

#ifdef __cplusplus
extern "C" {
#endif

/* Of all levels behind that of spmv: by its kernel, and by sizes that the device has. */
struct tail_limits tail_limits(const struct linear_operator *spmv,
                               const struct multigrid_options *options);

/* Whether A is within them. */
bool tail_takes(const struct tail_limits *limits, const struct csr *A);

/* m->tail, of the last levels that are kept by tail_rows.h. Once, when all levels are there; m
 * stays where it is. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status tail_create(struct multigrid *m, struct error *error);
void tail_free(struct space *space, struct tail *tail); /* accepts a zeroed one */

/* How many blocks work together on the space's device. */
int tail_blocks_cuda(struct space *space);

/* x of level tail->first from its b. */
enum status tail_run_cuda(struct space *space, const struct tail *tail, bool single,
                          struct error *error);

#ifdef __cplusplus
}
#endif
#endif
