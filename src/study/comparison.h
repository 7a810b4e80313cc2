/* A residual history held against a reference: where they differ first, and by how much. And the
 * histories of several runs, held against each other.
 *
 * The residuals that both have, the common prefix, are compared iteration by iteration, each by the
 * same measure:
 *
 *     bitwise     the bits are equal
 *     ulps        at most `ulps` doubles lie from one to the other
 *     relative    |here - reference| / |reference| <= relative, as doubles
 *
 * Equal bits pass by every measure, and so do two NaN, whatever their bits. A NaN beside a number,
 * and an infinity beside one, are infinitely far apart. What only one of the two has is a matter of
 * counts: they may differ by `iterations`. */
#ifndef STUDY_COMPARISON_H
#define STUDY_COMPARISON_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum comparison_mode {
    COMPARISON_BITWISE,
    COMPARISON_ULPS,
    COMPARISON_RELATIVE,
};

struct comparison_rule {
    enum comparison_mode mode;
    int64_t ulps;       /* for COMPARISON_ULPS: >= 0 */
    double relative;    /* for COMPARISON_RELATIVE: >= 0 and finite */
    int64_t iterations; /* by which the counts may differ: >= 0 */
};

/* Two residuals of one iteration; iteration -1: there is none. */
struct residual_pair {
    int64_t iteration;
    double here, reference;
};

struct comparison {
    int64_t here, reference;         /* iterations done: the number of the last row, -1 for none */
    struct residual_pair first;      /* the first that the rule does not let pass */
    struct residual_pair first_bits; /* the first whose bits differ */
    struct residual_pair
        farthest;     /* the pair that lies farthest apart, relatively; the first of equals */
    int64_t failures; /* pairs that the rule does not let pass */
    bool counts_pass;
};

/* Of no residual yet; the reference has `count` >= 1. */
struct comparison comparison_begin(int64_t count);

/* The next residual, in iteration comparison->here + 1. reference[comparison->reference + 1]:
 * ||r_k|| for k = 0, 1, ...; neither is below zero. */
void comparison_take(const struct comparison_rule *rule, double here, const double *reference,
                     struct comparison *comparison);

/* Whether the histories are the same by the rule, when all residuals are taken. */
bool comparison_passes(const struct comparison *comparison);

/* How many doubles b lies from a, both at least 0: 0 for equal ones, 1 for neighbours; infinity
 * follows on the largest double. INT64_MAX when one of them alone is NaN. */
int64_t difference_ulps(double a, double b);

/* |here - reference| / |reference|; 0 for equal ones and two NaN, infinite when the reference alone
 * is 0 and when one of them alone is not finite. */
double difference_relative(double here, double reference);

/* ---- the residuals of several runs ----------------------------------------------------------- */

/* An envelope says how far the residuals of several runs lie apart, iteration by iteration. It is
 * made while the runs go by, in memory that does not depend on how many there are. A residual that
 * is not a number lies above every number; two of them are the same. */

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
