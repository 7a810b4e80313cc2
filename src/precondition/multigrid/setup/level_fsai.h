/* The smoother of a level by a factorised sparse approximate inverse (fsai_rows.h): G'G in the
 * place of D^-1. G is that of the level's matrix A, and its pattern grows as by the default keys of
 * the preconditioner fsai. The Chebyshev iteration of cycle.h is then that for G'G A, whose
 * spectrum is that of G A G'. lmax is 1.1 times the estimate of precondition/spectrum.h for that
 * matrix, as in bound.h.
 *
 * The cycle keeps r, b and A d of a smoothing multiplied by G'G. So its steps are those of
 * D^-1, with 1 for each a_ii. */
#ifndef PRECONDITION_MULTIGRID_SETUP_LEVEL_FSAI_H
#define PRECONDITION_MULTIGRID_SETUP_LEVEL_FSAI_H

#include "base/status.h"
#include "precondition/row_chains.h"

#include <stdbool.h>

struct level;

struct level_fsai {
    struct row_chains G, transposed; /* nnz = 0: there is none */
    double lmax;
    /* In the space, [n], of the precision of the cycle: G x of an apply, and G'G b of a smoothing.
     */
    void *t, *b;
};

/* level->fsai of the level's matrix, in doubles, and level->inverse becomes 1. The level has its
 * product and its vectors; number: as spectrum_estimate takes it; the name is that of the
 * preconditioner. Errors: those of fsai_make_both and of spectrum_estimate. */
enum status level_fsai_make(const char *name, const struct csr *A, const int32_t *number,
                            struct level *level, struct error *error);

/* For a cycle in single precision with 2^-exponent A in the place of A, also level->inverse, which
 * is of singles then. Errors: STATUS_CONFIG (a value leaves the range), STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status level_fsai_to_float(const char *name, int exponent, struct level *level,
                                struct error *error);

/* y = G'G x of vectors, or of multivectors of 2^shift columns; x and y may be the same. Errors:
 * STATUS_DEVICE. */
enum status level_fsai_apply(const struct level *level, bool singles, int shift, const void *x,
                             void *y, struct error *error);

/* What that moves: the rows, and for each column; and what is held. */
int64_t level_fsai_bytes(const struct level *level);
int64_t level_fsai_bytes_per_column(const struct level *level, int64_t element);

void level_fsai_free(struct level *level); /* accepts one without */

#endif
