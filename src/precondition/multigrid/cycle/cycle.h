/* The cycle of multigrid: M^-1 r = one symmetric V-cycle over the levels of hierarchy.h, from
 * x = 0:
 *
 *     on each level but the last:   x = S(0, b);  b_c = P^T (b - A x);  x_c = the cycle for b_c on
 *                                   the next coarser level;  x = x + P x_c;  x = S(x, b)
 *     on the last one:              x = A^-1 b, or S several times
 *
 * P copies the value of an aggregate to its rows, or is that of setup/smoothed.h. Set-up makes the
 * levels: setup/hierarchy.h has a level, setup/builder.h the files. distributed/ has their ranks.
 *
 * S is the Chebyshev iteration of the fourth kind for D^-1 A, D the diagonal of A (Lottes, Numer.
 * Linear Algebra Appl. 30, 2023; Phillips and Fischer, SIAM J. Sci. Comput. 44, 2022), of degree m:
 *
 *     r = b - A x,  d = 4 / (3 lmax) D^-1 r,  x = x + beta_1 d,  and for k = 1 .. m-1
 *         r = r - A d,  d = (2k-1)/(2k+3) d + (8k+4)/((2k+3) lmax) D^-1 r,  x = x + beta_{k+1} d
 *
 * with Lottes' optimal beta for the degrees 2 and 4, else 1. lmax bounds the eigenvalues of D^-1 A
 * (bound.h). With smoother = "fsai", G'G takes the place of D^-1, here and in lmax (level_fsai.h).
 * smooth.h has the schedule: a step adds the d of the step before to x. The same polynomial before
 * and after the correction makes M symmetric. Where P is piecewise constant, rescale.h divides the
 * couplings of each coarser matrix: without that, the correction of a smooth error is too short.
 *
 * With a bitwise kernel and reproducible reductions z has the same bits on every device, for every
 * number of threads and ranks. smooth.h and transfer.h have the order of each sum, and setup/ that
 * of each value of a level. Fused launches keep these bits. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_CYCLE_H
#define PRECONDITION_MULTIGRID_CYCLE_CYCLE_H

#include "precondition/multigrid/cycle/fused_levels.h"
#include "precondition/multigrid/cycle/smooth.h"
#include "precondition/multigrid/setup/hierarchy.h"
#include "spmv/operator.h"

#include <stdbool.h>
#include <stdint.h>

enum { DEGREE_MAX = 16, LAST_SMOOTHINGS = 4, CYCLE_STRIDES = 5 };

struct multigrid {
    struct hierarchy hierarchy;
    int64_t degree;
    double betas[DEGREE_MAX];
    struct fused_levels fused_levels;
    double *squared; /* in the space, of a cycle in single precision: r . r for its scale, if the
                        caller gives none; [COLUMNS_AT_ONCE], then the scales of the columns */
    struct level *columns[CYCLE_STRIDES]; /* the levels for 2, 4, ... columns (cycle_columns.h) */
};

/* Sets the fused smoothing and the legs of the levels that have them (fused_smoothing.h, legs.h).
 * legs: as of struct multigrid_options. Call it after each set-up and renewal of the hierarchy.
 * Errors: STATUS_MEMORY, STATUS_DEVICE, over ranks STATUS_RANK. */
enum status cycle_find_smoothing(struct multigrid *m, enum legs_choice legs, struct error *error);

/* z = M^-1 r: the operands x and y, with r . r where it is known, and r . z. Errors: STATUS_DEVICE,
 * STATUS_RANK. */
enum status cycle_apply(const struct multigrid *m, const struct operands *operands,
                        struct error *error);

/* --- what the passes of a cycle work on ------------------------------------------------------- */

/* A cycle in progress, with a vector or a multivector. In double precision the vectors of level 0
 * are the caller's, in single precision the level has its own, and the cycle begins and ends as
 * float_scaling.h says. */
struct cycle {
    const struct multigrid *m;
    const struct level *levels; /* the hierarchy's, or those for columns */
    int shift;                  /* for 2^shift columns */
    struct float_scaling float_scaling;
};

/* Step k of a smoothing, as cycle_kind says, with the dot product if it is the last one. */
struct smooth cycle_step(const struct cycle *cycle, const struct level *level, int64_t k,
                         bool from_zero, bool is_last);

/* From the level to the next one, with the residual b - q, and back. */
struct restriction cycle_restriction(const struct cycle *cycle, const struct level *level);
struct prolongation cycle_prolongation(const struct cycle *cycle, const struct level *level);

/* --- for who counts what it moves ------------------------------------------------------------- */

bool cycle_is_float(const struct multigrid *m);

/* Whether b and x of the level are the caller's r and z. */
bool cycle_is_callers(const struct multigrid *m, const struct level *level);

/* Step k of a smoothing from x = 0, or from x. is_last: the cycle ends with this step. */
enum smooth_kind cycle_kind(const struct multigrid *m, const struct level *level, int64_t k,
                            bool from_zero, bool is_last);

/* Whether G'G smooths the level (level_fsai.h), and not D^-1. */
bool cycle_by_fsai(const struct level *level);

const struct pass *cycle_pass(const struct multigrid *m, enum smooth_kind kind);

/* Whether the step waits until its product is done: it overwrites d, which the product reads. */
bool cycle_waits(enum smooth_kind kind);

/* Whether the step needs no sweep of its own: on a CPU it is part of its product's sweep, on a GPU
 * the thread that has made a row of the product does it. */
bool cycle_is_one_sweep(const struct multigrid *m, const struct level *level,
                        enum smooth_kind kind);

#endif
