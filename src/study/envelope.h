/* How far the residuals of several runs lie apart, iteration by iteration. It is made while the
 * runs go by, in memory that does not depend on how many there are.
 *
 * A residual that is not a number lies above every number; two of them are the same. */
#ifndef STUDY_ENVELOPE_H
#define STUDY_ENVELOPE_H

#include "base/status.h"

#include <stdint.h>

/* One iteration, over the runs that came to it. */
struct envelope_row {
    int64_t runs;
    double lowest, highest; /* ||r_k||_2 */
};

struct envelope {
    struct envelope_row *rows; /* [count]: row k is iteration k */
    int64_t count, capacity;
};

/* Take one residual more. A run gives its iterations 0, 1, 2, ... one after the other. Errors:
 * STATUS_MEMORY. */
enum status envelope_take(struct envelope *envelope, int64_t iteration, double residual,
                          struct error *error);

/* The first iteration at which two of `runs` runs have different bits, or one has ended and another
 * has not; -1 if there is none. */
int64_t envelope_first_difference(const struct envelope *envelope, int64_t runs);

/* The first iteration at which (highest - lowest) / lowest >= `relative`, among the runs that came
 * to it; -1 if there is none. */
int64_t envelope_first_apart(const struct envelope *envelope, double relative);

void envelope_free(struct envelope *envelope); /* accepts a zeroed one */

#endif
