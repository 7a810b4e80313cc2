/* Rows of very different lengths, by a mean, a standard deviation and a longest row: circuits,
 * economies, webs.
 *
 * The length of a row is b + e. b is floor(base) or the whole number above it, with the mean
 * `base`. e is 0, but with the chance p an excess with a heavy tail: with q = tail,
 *
 *     d = 0;  while (2^d <= c and the next number is below q) d++;
 *         e = min(c, 2^d + a number below 2^d)
 *
 * so that P(e >= 2^d) = q^d up to the largest, c: a power law with the exponent log2 q (Pareto's;
 * q = 1/2 is P(e >= x) ~ 1/x). c = longest - ceil(mean). With M1 and M2, the mean of e and of e^2
 * under that rule, which are finite sums, p and base follow from the mean and the deviation that
 * are asked for:
 *
 *     p M2 - p^2 M1^2 = deviation^2 - 1/6,   base = mean - p M1
 *
 * (1/6: the mean variance of b), p = 0 where the right side is negative. The numbers of row i are
 * random_share and random_below of splitmix64(seed, 2 i + 2): number 0 rounds base, 1 is compared
 * with p, 2 lies below 2^d, 3 + d is compared with q, 63 with `empty`; 64 + k places entry k.
 *
 * kind = general: the row's l entries lie in a window of max(l, floor(span n)) columns around the
 * diagonal, moved inwards at the ends, one at random in each of l equal pieces of it: ascending,
 * distinct, and nothing to sort. `empty` is the share of the rows that have no entry, and `dense`
 * rows, floor((2 t + 1) n / (2 dense)) for t = 0, 1, ..., have all n; mean and deviation are those
 * of the others.
 *
 * kind = symmetric: that rule gives the columns j > i, in the window i < j <= i + span n / 2, and
 * what is mirrored from above comes on top: on average u = (mean - 1) / 2 a row, of which no two
 * rows have the same number. So lengths are drawn with the mean u, the largest
 * longest - 1 - ceil(u), and the deviation^2 reduced by u + 7/12 u^2 span, which is about what the
 * mirrored entries bring. So mean and deviation are met within some per cent, but the deviation
 * cannot be below that. The longest row is met about: its own part is at most
 * longest - 1 - ceil(u), and what is mirrored on top is a random number, with the mean u, but in
 * the last span n / 2 rows, to which fewer and fewer columns are left, a larger one, up to about u
 * ln(span n / 2). */
#ifndef PROBLEM_POWER_LAW_H
#define PROBLEM_POWER_LAW_H

#include "problem/pattern.h"

struct power_law {
    int64_t n;              /* 1 to INT32_MAX */
    double mean, deviation; /* of the entries a row, the lower triangle and the diagonal included */
    int64_t longest;        /* at least 1; n where it is more */
    double tail;            /* 0.01 to 0.99 */
    double span;            /* above 0, up to 1 */
    double empty;           /* 0 to 1; general only */
    int64_t dense;          /* 0 to n; general only */
};

/* Why there is no such matrix, or NULL; static. */
const char *power_law_complaint(const struct power_law *law, const struct pattern_options *options);

/* The caller owns A. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status power_law_create(const struct power_law *law, const struct pattern_options *options,
                             struct csr *A, struct error *error);

#endif
