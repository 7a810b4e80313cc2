/* What the suites of renewed levels share, on the CPU and on a GPU. */
#ifndef TESTS_PRECONDITION_MULTIGRID_RENEWED_H
#define TESTS_PRECONDITION_MULTIGRID_RENEWED_H

#include "precondition/multigrid/setup/hierarchy.h"

/* A hierarchy, and what it is over. */
struct renewing {
    const struct csr *A;
    const struct kernel *kernel;
    struct multigrid_options options;
    struct space *space;
    struct linear_operator spmv;
    struct hierarchy hierarchy;
};

void renewing_begin(const struct csr *A, const struct multigrid_options *options,
                    const char *kernel, int threads, struct renewing *made);
void renewing_build(struct renewing *made); /* levels where there are none */
void renewing_again(struct renewing *made); /* with the values that A has now */
void renewing_end(struct renewing *made);

/* What the levels are told by. */
struct renewed {
    bool stalled;
    int on_grid, count, exponent;
    int64_t n[OPERATOR_LEVELS], nnz[OPERATOR_LEVELS], members[OPERATOR_LEVELS];
    double lmax[OPERATOR_LEVELS];
    uint64_t inverse[OPERATOR_LEVELS + 1]; /* of the diagonals and of the last matrix */
    uint64_t hash;
};

struct renewed renewed_print(const struct renewing *made);

/* Fail the test unless both are the same. */
void renewed_expect(const struct renewed *one, const struct renewed *other, const char *what);

/* The values of A; the caller calls memory_free. And other ones: every coupling times 1/8 to 8, and
 * a diagonal that is still greater than those of its row. */
double *values_copy(const struct csr *A);
void values_set(struct csr *A, const double *values);
void values_change(struct csr *A, uint64_t *state);

void csr_times(struct csr *A, int exponent); /* 2^exponent A */

/* Couplings of rows that lie so far apart, times `weak`. */
void make_weak(struct csr *A, int64_t apart, double weak);

#endif
