/* The cycle of multigrid: M^-1 r = one symmetric V-cycle over the levels of hierarchy.h, from
 * x = 0:
 *
 *     on each level but the last:   x = S(0, b);  b' = P'(b - A x);  x' = the cycle for b' on the
 *                                   level below;  x = x + P x';  x = S(x, b)
 *     on the last one:              x = A^-1 b, or S several times
 *
 * S is the Chebyshev iteration of the fourth kind for D^-1 A, D the diagonal of A (Lottes, Numer.
 * Linear Algebra Appl. 30, 2023; Phillips and Fischer, SIAM J. Sci. Comput. 44, 2022), of degree m:
 *
 *     r = b - A x,  d = 4 / (3 lmax) D^-1 r,  x = x + beta_1 d,  and for k = 1 .. m-1
 *         r = r - A d,  d = (2k-1)/(2k+3) d + (8k+4)/((2k+3) lmax) D^-1 r,  x = x + beta_{k+1} d
 *
 * with Lottes' optimal beta for the degrees 2 and 4, else 1. The same polynomial before and behind
 * the correction makes M symmetric. The matrices of the levels below are scaled (rescale.h), for a
 * piecewise constant correction of smooth errors is too short. */
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
    double *squared; /* in the space, of a cycle in single precision: r . r where none is given */
    struct level *columns[CYCLE_STRIDES]; /* the levels for 2, 4, ... columns (cycle_columns.h) */
};

/* Finds the fused smoothing of the levels that have one; once, when the hierarchy is built. Errors:
 * over ranks STATUS_MEMORY, STATUS_RANK. */
enum status cycle_find_smoothing(struct multigrid *m, struct error *error);

/* z = M^-1 r: the operands x and y, with r . r where it is known, and r . z. Errors: STATUS_DEVICE,
 * STATUS_RANK. */
enum status cycle_apply(const struct multigrid *m, const struct operands *operands,
                        struct error *error);

/* --- what the passes of a cycle work on ------------------------------------------------------- */

/* One on its way, with a vector or a multivector. In double precision the vectors of level 0 are
 * the caller's, in single precision the level has its own, and the cycle begins and ends as
 * float_scaling.h says. */
struct cycle {
    const struct multigrid *m;
    const struct level *levels; /* the hierarchy's, or those for columns */
    int shift;                  /* for 2^shift columns */
    struct float_scaling float_scaling;
};

/* Step k of a smoothing, as cycle_kind says, with the dot product if it is the last one. */
struct smooth cycle_step(const struct cycle *cycle, const struct level *level, int64_t k,
                         bool from_zero, bool leaves);

/* From the level to the next one, with the residual b - q, and back. */
struct restriction cycle_restriction(const struct cycle *cycle, const struct level *level);
struct prolongation cycle_prolongation(const struct cycle *cycle, const struct level *level);

/* The solve of the last level in single and in double precision. alone: there is no other. */
struct direct cycle_direct(const struct cycle *cycle, const struct level *last);
struct blocks_work cycle_block(const struct cycle *cycle, const struct level *last, bool alone);

/* --- for who counts what it moves ------------------------------------------------------------- */

bool cycle_is_float(const struct multigrid *m);

/* Whether b and x of the level are the caller's r and z. */
bool cycle_is_callers(const struct multigrid *m, const struct level *level);

/* Step k of a smoothing from x = 0, or from x. leaves: it is the last step of the cycle. */
enum smooth_kind cycle_kind(const struct multigrid *m, const struct level *level, int64_t k,
                            bool from_zero, bool leaves);

const struct pass *cycle_pass(const struct multigrid *m, enum smooth_kind kind);

/* Whether the step waits until its product is done: it writes the d that that reads. */
bool cycle_waits(enum smooth_kind kind);

/* Whether the step is part of its product's sweep, or done by the thread that has made its row. */
bool cycle_is_one_sweep(const struct multigrid *m, const struct level *level,
                        enum smooth_kind kind);

#endif
