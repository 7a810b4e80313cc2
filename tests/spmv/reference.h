/* A x in three times the precision of double, and how far from it a product computed in double or
 * in single precision may lie. The bounds hold for every order and grouping of the additions, as
 * long as nothing overflows and rows are shorter than 2^25, or 2^21 in single precision.
 *
 * Row i has L entries and S_i = sum_j |a_ij| |x_j|; u = 2^-53, or 2^-24 in single precision, and
 * gamma_m = m u / (1 - m u) (Higham 2002, section 3.1). Adding to a zero rounds nothing, so k
 * numbers make k - 1 rounded additions, and each of them passes through at most those. Every bound
 * counts a few roundings more than there are: that is more than the reference and the bound lose in
 * their own arithmetic. Where a product underflows, it is off by at most half the smallest
 * subnormal number, v = 2^-1074 or 2^-149 (Higham 2002, section 2.1); sums do not underflow.
 *
 * What a precision rounds before it computes, the values of A and perhaps x, the reference rounds
 * too: it is then the exact product of what the kernel multiplies. */
#ifndef TESTS_SPMV_REFERENCE_H
#define TESTS_SPMV_REFERENCE_H

#include "spmv/kernel.h"

#include <stdint.h>

/* (A x)_i = sum + error + rest within about gamma_4L^3 S_i: Dot3, that is DotK with K = 3 (Ogita,
 * Rump, Oishi 2005, algorithm 5.10), the three parts not rounded to one. */
struct reference_row {
    double sum, error, rest;
    double magnitude; /* S_i */
    int64_t length;   /* L */
};

struct reference {
    const char *matrix; /* for messages */
    int64_t n;
    double u, v;                /* of the arithmetic that the bounds are for */
    struct reference_row *rows; /* [n] */
};

/* The reference for A of any kind and x[width] in that precision; A's name is borrowed. The caller
 * frees it. */
void reference_create(const struct csr *A, const char *name, enum precision precision,
                      const double *x, struct reference *reference);
void reference_free(struct reference *reference);

/* v as that precision rounds it: a value of A, an element of x. */
double reference_value(enum precision precision, double v);
double reference_x(enum precision precision, double v);

/* u of the sums. */
double reference_unit(enum precision precision);

/* gamma_m. */
double reference_gamma(int64_t m, double u);

/* y - (A x)_i, rounded. */
double reference_distance(const struct reference_row *row, double y);

/* How far y may lie from (A x)_i. */
typedef double reference_bound(const struct reference *reference, const struct reference_row *row,
                               double y);

/* Plain sums of the L products, in any order, an fma here or there: gamma_L S_i + L v (Higham 2002,
 * section 3.1). One more is counted. */
reference_bound bound_of_sums;

/* The same where the diagonal comes in two halves, L + 1 products. */
reference_bound bound_of_halves;

/* Compensated sums: every product is split, p_k + pi_k = a_ik x_k; each addition of products or of
 * their sums has its error sigma taken down; all pi and sigma are added in plain double, in any
 * order, to c; and y = fl(s + c), where s is what the additions made. Then
 *
 *     (A x)_i = s + E,  E = sum pi + sum sigma,    |y - (A x)_i| <= u |y| + |c - E|
 *
 * |pi_k| <= u |a_ik x_k|. There are L - 1 sigmas that are not zero, and what is rounded there is a
 * sum of products that passed through at most L - 1 roundings, so |sigma| <= u (1 + u)^(L-1) S_i,
 * all of them together at most gamma_{L-1} S_i, and sum |pi| + sum |sigma| <= gamma_L S_i. c has 2
 * L - 1 terms, hence |c - E| <= gamma_{2L-2} gamma_L S_i. (It is the bound of Dot2 in Ogita, Rump,
 * Oishi 2005, proposition 5.5, u |x'y| + gamma_n^2 |x|'|y|, with twice the second term, because the
 * errors arrive in any order and not as one chain with the sum.) Two more are counted:
 *
 *     |y - (A x)_i| <= u |y| + gamma_{2L} gamma_L S_i
 *
 * The error of a product that underflows is not a floating-point number: this bound leaves v out,
 * and is for double. */
reference_bound bound_of_compensated;

/* Fail the test unless every y[i] is within the bound. NaN is not. */
void expect_within(const struct reference *reference, const char *kernel, reference_bound *bound,
                   const double *y);

/* A compensated y is fl(z) with |z - (A x)_i| <= gamma_{2L} gamma_L S_i. Where all such z round to
 * one double, y has no choice, whatever the order: fail the test unless it is that double. Returns
 * the number of those rows. */
int64_t expect_rounded(const struct reference *reference, const char *kernel, const double *y);

#endif
