/* The legs of a level's cycle on a GPU, each in one kernel. In the notation of cycle.h
 *
 *     down    x = S(0, b),  b_c = P^T (b - A x)
 *     up      x = S(x + P x_c, b)
 *
 * with the bits of the passes of smooth.h and transfer.h and the products between them. A block of
 * threads has a region of a plane of the grid and marches through the planes. It keeps all vectors
 * between in registers, and makes two planes and two points beside its region once more. So the
 * legs move 2 and 3 vectors of n elements, and the coarse level's; fused_smoothing.h moves 18.
 *
 * A level has legs where each row is one of a few stencils of 7 points on a grid of even sizes
 * (spmv/symmetric/diagonals/sym_stencils.h), the aggregates are the 2 x 2 x 2 cells of that grid,
 * and fused_smoothing.h smooths it. Regions where all rows have the first stencil, but for
 * neighbours that are not there, take it from the launch's constants. All others read the codes.
 * (The coarser levels of Poisson's matrix have another a_ii at the boundary.) */
#ifndef PRECONDITION_MULTIGRID_CYCLE_LEGS_H
#define PRECONDITION_MULTIGRID_CYCLE_LEGS_H

#include "base/status.h"
#include "precondition/multigrid/cycle/smooth.h"

#include <stdbool.h>
#include <stdint.h>

/* The points that a block makes of a plane, along x and y. Smaller planes leave threads idle. */
enum { LEGS_X = 60, LEGS_Y = 28 };

/* What set-up makes for a level. */
struct legs {
    struct space *space;
    int64_t n[3];   /* of the grid, along x, y, z */
    void *table;    /* in the space, of the cycle's precision, 8 numbers a stencil: the entries
                             of a row, and 1 / a_ii; NULL: there are no legs */
    uint8_t *marks; /* in the space: of each region and plane, how its rows are read
                       (enum legs_way) */
    const uint8_t *codes; /* of the operator */
    int stencils;
    double first[8]; /* of the table */
    int64_t bytes;   /* of the table and the marks */
    int planes[2];   /* that a block marches through down and up, an even number */
};

/* Which levels have legs, of those that can. */
enum legs_choice {
    LEGS_AUTO, /* those that gain by it: of at least LEGS_ROWS rows, in planes that fill half of
                  their blocks */
    LEGS_NEVER,
    LEGS_ALWAYS, /* all */
};
enum { LEGS_ROWS = 1000000 };

struct level;

#ifdef __cplusplus
extern "C" {
#endif

/* Makes level->legs of a level that has fused smoothing. A level without legs has zeroed ones.
 * Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status legs_create(struct level *level, bool in_single, enum legs_choice choice,
                        struct error *error);
void legs_free(struct legs *legs); /* accepts a zeroed one */

/* The same for a level in a GPU's space, in the CUDA part (base/cuda_part.h). *suits: whether the
 * level has them. The caller calls legs_free, unless it has. */
enum status legs_create_cuda(struct level *level, bool in_single, bool *suits, struct error *error);

/* The two legs, there too. Their steps are those of fused_smoothing.h: down SMOOTH_FIRST and
 * SMOOTH_SECOND_LAST, up SMOOTH_FIRST_LATER and SMOOTH_LAST. at_end: the first step down enters,
 * the last one up leaves, as float_scaling.h says. x and coarse are of the cycle's precision. */
struct leg {
    struct smooth first, second;
    bool at_end;
    void *x;      /* [n]: down makes it, up reads it; not first.b or second.made_x */
    void *coarse; /* [n / 8]: b_c down, x_c up */
};
enum status legs_down_cuda(const struct legs *legs, bool in_single, const struct leg *leg,
                           struct error *error);
enum status legs_up_cuda(const struct legs *legs, bool in_single, const struct leg *leg,
                         struct error *error);

#ifdef __cplusplus
}
#endif
#endif
