/* A x in three times the working precision, and how far from it a product computed in double may
 * lie. The bounds hold for every order and grouping of the additions, as long as nothing overflows
 * or underflows and rows are shorter than 2^25.
 *
 * Row i has L entries and S_i = sum_j |a_ij| |x_j|; u = 2^-53, gamma_m = m u / (1 - m u) (Higham
 * 2002, section 3.1). Adding to a zero rounds nothing, so k numbers make k - 1 rounded additions,
 * and each of them passes through at most those. Every bound counts a few roundings more than there
 * are: that is more than the reference and the bound lose in their own arithmetic. */
#ifndef TESTS_SPMV_REFERENCE_H
#define TESTS_SPMV_REFERENCE_H

#include "cgsolve/csr.h"

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
    struct reference_row *rows; /* [n] */
};

/* The reference for A of any kind and x[n]; A's name is borrowed. The caller frees it. */
void reference_create(const struct csr *A, const char *name, const double *x,
                      struct reference *reference);
void reference_free(struct reference *reference);

/* gamma_m. */
double reference_gamma(int64_t m);

/* y - (A x)_i, rounded. */
double reference_distance(const struct reference_row *row, double y);

/* How far y may lie from (A x)_i. */
typedef double reference_bound(const struct reference_row *row, double y);

/* Plain sums of the L products, in any order, an fma here or there: gamma_L S_i (Higham 2002,
 * section 3.1). One more is counted. */
double bound_of_sums(const struct reference_row *row, double y);

/* The same where the diagonal comes in two halves, L + 1 products. */
double bound_of_halves(const struct reference_row *row, double y);

/* Compensated sums: every product is split, p_k + pi_k = a_ik x_k; each addition of products or of
 * their sums has its error sigma taken down; all pi and sigma are added in plain double, in any
 * order, to c; and y = fl(s + c), where s is what the additions made. Then
 *
 *     (A x)_i = s + E,  E = sum pi + sum sigma,    |y - (A x)_i| <= u |y| + |c - E|
 *
 * |pi_k| <= u |a_ik x_k|. There are L - 1 sigmas that are not zero, and what is rounded there is a
 * sum of products that passed through at most L - 1 roundings, so |sigma| <= u (1 + u)^(L-1) S_i,
 * all of them together at most gamma_{L-1} S_i, and sum |pi| + sum |sigma| <= gamma_L S_i. c has
 * 2 L - 1 terms, hence |c - E| <= gamma_{2L-2} gamma_L S_i. (It is the bound of Dot2 in Ogita, Rump,
 * Oishi 2005, proposition 5.5, u |x'y| + gamma_n^2 |x|'|y|, with twice the second term, because the
 * errors arrive in any order and not as one chain with the sum.) Two more are counted:
 *
 *     |y - (A x)_i| <= u |y| + gamma_{2L} gamma_L S_i */
double bound_of_compensated(const struct reference_row *row, double y);

/* Fail the test unless every y[i] is within the bound. NaN is not. */
void expect_within(const struct reference *reference, const char *kernel, reference_bound *bound,
                   const double *y);

/* A compensated y is fl(z) with |z - (A x)_i| <= gamma_{2L} gamma_L S_i. Where all such z round to
 * one double, y has no choice, whatever the order: fail the test unless it is that double. Returns
 * the number of those rows. */
int64_t expect_rounded(const struct reference *reference, const char *kernel, const double *y);

#endif
