/* Compares a residual history with a reference: the first difference and its size; and the
 * histories of several runs with each other.
 *
 * The residuals that both have, the common prefix, are compared iteration by iteration, each by the
 * same measure:
 *
 *     bitwise     the bits are equal
 *     ulps        at most `ulps` doubles lie from one to the other
 *     relative    |history - reference| / |reference| <= relative, as doubles
 *
 * Equal bits pass by every measure, and so do two NaN, whatever their bits. A NaN beside a number,
 * and an infinity beside one, are infinitely far apart. The numbers of residuals may differ by
 * `iterations`. */
#ifndef STUDY_COMPARISON_H
#define STUDY_COMPARISON_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum comparison_mode { COMPARISON_BITWISE, COMPARISON_ULPS, COMPARISON_RELATIVE };

struct comparison_rule {
    enum comparison_mode mode;
    int64_t ulps;       /* for COMPARISON_ULPS: >= 0 */
    double relative;    /* for COMPARISON_RELATIVE: >= 0 and finite */
    int64_t iterations; /* by which the counts may differ: >= 0 */
};

/* Two residuals of one iteration; iteration -1: there is none. */
struct residual_pair {
    int64_t iteration;
    double history, reference;
};

struct comparison {
    int64_t history, reference;      /* iterations done: the number of the last row, -1 for none */
    struct residual_pair first;      /* the first that fails the rule */
    struct residual_pair first_bits; /* the first whose bits differ */
    struct residual_pair
        farthest;     /* the pair that lies farthest apart, relatively; the first of equals */
    int64_t failures; /* pairs that fail the rule */
    bool counts_pass;
};

/* Without residuals yet; the reference has `count` >= 1. */
struct comparison comparison_begin(int64_t count);

/* The next residual, in iteration comparison->history + 1. reference[comparison->reference + 1]:
 * ||r_k|| for k = 0, 1, ...; neither is below zero. */
void comparison_take(const struct comparison_rule *rule, double history, const double *reference,
                     struct comparison *comparison);

/* Whether the histories are the same by the rule, when all residuals are taken. */
bool comparison_passes(const struct comparison *comparison);

/* The distance of a and b in doubles, both at least 0: 0 if equal, 1 for neighbours; infinity
 * follows the largest double. INT64_MAX if only one is NaN. */
int64_t difference_ulps(double a, double b);

/* |history - reference| / |reference|; 0 for equal values and two NaN; infinite if only the
 * reference is 0, or only one value is not finite. */
double difference_relative(double history, double reference);

/* ---- the residuals of several runs ----------------------------------------------------------- */

/* An envelope is the range of the residuals of several runs, iteration by iteration. It grows
 * during the runs, in memory independent of their number. A residual that is not a number lies
 * above every number; two of them are the same. */

/* One iteration, over the runs that reached it. */
struct envelope_row {
    int64_t runs;
    double lowest, highest; /* ||r_k||_2 */
};

struct envelope {
    struct envelope_row *rows; /* [count]: row k is iteration k */
    int64_t count, capacity;
};

/* Add a residual. A run gives its iterations 0, 1, 2, ... in order. Errors: STATUS_MEMORY. */
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
