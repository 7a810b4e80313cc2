/* What the suites of the exact sums share: a slow sum of another make to hold them against, and
 * vectors that take every way through them. */
#ifndef TESTS_SPACE_EXACT_H
#define TESTS_SPACE_EXACT_H

#include <stdint.h>

/* The exact x . y rounded to nearest even, bit by bit: every set bit of x_i meets every set bit of
 * y_i and is counted at its place; then the counts are carried, and the number is read off. Factors
 * are taken apart by frexp, none may be infinite or NaN. About a thousand operations a product. */
double exact_reference(int64_t n, const double *x, const double *y);

/* Ties, cancellation, overflow and underflow: pairs, and the sum of their products, from rational
 * arithmetic (Python's fractions, rounded once by its division). */
extern const struct exact_case {
    const char *what;
    int pairs;
    double xy[14];
    double sum;
} exact_cases[];
extern const int exact_cases_count;

/* Kinds of vectors x and y. */
enum exact_kind {
    EXACT_UNIFORM,    /* in [-1, 1) */
    EXACT_MODERATE,   /* over 80 binades a product: the window of few levels */
    EXACT_WIDE,       /* over 200: that of most levels */
    EXACT_VERY_WIDE,  /* over 1600: no window */
    EXACT_FULL,       /* every finite bit pattern; all that is above 2^1000 cancels */
    EXACT_TINY,       /* products around the least doubles, whose heads vanish */
    EXACT_SPARSE,     /* zeros of both signs, and a number here and there */
    EXACT_NOISE,      /* one large element in 100, the others 1e-17 of it */
    EXACT_CANCELLING, /* all cancels but the last element */
    EXACT_KINDS
};

void exact_vectors(enum exact_kind kind, int64_t n, double *x, double *y, uint64_t *state);

/* The pairs in another order. */
void exact_shuffle(int64_t n, double *x, double *y, uint64_t *state);

#endif
