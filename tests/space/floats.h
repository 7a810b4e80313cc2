/* Doubles that are rounded to floats, and what must come of them. */
#ifndef TESTS_SPACE_FLOATS_H
#define TESTS_SPACE_FLOATS_H

#include <stdint.h>

/* Values halfway between two floats and beside that, NaN, infinities, zeros of both signs, what
 * overflows or becomes subnormal; and random ones over all exponents of a float. */
void floats_doubles(int64_t n, double *x, uint64_t *state);

/* Fail the test unless y are these, rounded to nearest, ties to even. */
void floats_expect(int64_t n, const double *x, const float *y);

#endif
