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
#include "spmv/symmetric/diagonals/sym_stencils.h"

#include <stdbool.h>
#include <stdint.h>

/* The points that a block makes of a plane, along x and y. Smaller planes leave threads idle. */
enum { LEGS_X = 60, LEGS_Y = 28 };

/* The rows of a rank, first <= i < last, and the planes that its legs go through, an even number of
 * them. These have rows of other ranks too, which are made once more, so that a leg needs one
 * exchange before it: down makes x where up reads it, and own rows of b_c. One rank has all. */
struct legs_share {
    int64_t rows[2], coarse[2]; /* of this level and of the next one */
    int64_t coarse_base; /* the row of the next level that struct leg's `coarse` begins with */
    int64_t down[2], up[2];
    int64_t window[2]; /* the planes that they read */
};

/* The stencils of all rows. */
enum { LEGS_NUMBERS = 8 };
struct legs_table {
    int count;
    double of[SYM_STENCILS_MAX][LEGS_NUMBERS]; /* the entries -z -y -x 0 +x +y +z, and 1 / a_ii; 0s:
                                                  no row of this rank has it */
};

/* What set-up makes for a level. */
struct legs {
    struct space *space;
    int64_t n[3]; /* of the grid, along x, y, z */
    struct legs_share share;
    /* In the space. */
    void *table;          /* of the cycle's precision; NULL: there are no legs */
    uint8_t *marks;       /* of each plane of the window and region, how its rows are read (enum
                              legs_way) */
    const uint8_t *codes; /* of the rows that the legs read, from row codes_base on */
    int64_t codes_base;
    uint8_t *own_codes; /* the codes, where they are not the operator's; else NULL */
    int stencils;
    double first[LEGS_NUMBERS]; /* of the table */
    int64_t bytes;
    int planes[2]; /* that a block marches through down and up, an even number */
};

/* Which levels have legs, of those that can. */
enum legs_choice {
    /* Those that gain by it: of at least LEGS_ROWS rows, in planes that fill half of their blocks,
     * and LEGS_PLANES for each rank. */
    LEGS_AUTO,
    LEGS_NEVER,
    LEGS_ALWAYS, /* all */
};
enum { LEGS_ROWS = 1000000, LEGS_PLANES = 16 };

struct level;
struct linear_operator;

#ifdef __cplusplus
extern "C" {
#endif

/* Makes level->legs of a level that has fused smoothing. A level without legs has zeroed ones. Of a
 * level that ranks share, all call it. Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK. */
enum status legs_create(struct level *level, bool in_single, enum legs_choice choice,
                        struct error *error);
void legs_free(struct legs *legs); /* accepts a zeroed one */

/* Its halves for a GPU, in the CUDA part (base/cuda_part.h): the stencils of the own rows, which
 * `local` has from row `first` on; and the legs by the stencils of all rows. *suits: whether the
 * level has legs. The caller calls legs_free, unless it has. */
enum status legs_look_cuda(struct level *level, const struct linear_operator *local, int64_t first,
                           bool in_single, struct legs_table *table, bool *suits,
                           struct error *error);
enum status legs_create_cuda(struct level *level, bool in_single, const struct legs_table *table,
                             bool *suits, struct error *error);

/* The two legs, in the CUDA part. Their steps are those of fused_smoothing.h: down SMOOTH_FIRST and
 * SMOOTH_SECOND_LAST, up SMOOTH_FIRST_LATER and SMOOTH_LAST. at_end: the first step down enters,
 * the last one up leaves, as float_scaling.h says. x and coarse are of the cycle's precision.
 * Vectors of a rank begin with its own rows, and have those of the window around them. */
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
