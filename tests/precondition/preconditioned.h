/* What the suites of preconditioners share. */
#ifndef TESTS_PRECONDITION_PRECONDITIONED_H
#define TESTS_PRECONDITION_PRECONDITIONED_H

#include "rows.h"
#include "solver/solver.h"
#include "spmv/preconditioner.h"

enum { PRECONDITIONED_ROWS = 4096 };

/* A solve by conjugate gradients with a preconditioner, or without. */
struct preconditioned {
    const char *kernel;
    int64_t parameter; /* the kernel's first one; 0: its default */
    enum reductions reductions;
    double tolerance;
    int threads;            /* 0: all */
    struct options options; /* of a preconditioner; borrowed; zeroed: none */
};

/* Its history. It is large: make it static. */
struct preconditioned_history {
    int64_t count;
    struct kept_row rows[PRECONDITIONED_ROWS];
    struct solver_result result;
};

/* Space, kernel, preconditioner, solve, and everything freed again. x[n] is filled with NaN
 * before. */
enum status try_preconditioned(const struct preconditioned *choice, const struct csr *A,
                               const double *b, struct preconditioned_history *history, double *x,
                               struct error *error);

/* The same, which must succeed. */
void solve_preconditioned(const struct preconditioned *choice, const struct csr *A, const double *b,
                          struct preconditioned_history *history, double *x);

/* A solve with what there is; M = NULL: without. */
enum status solve_with(double tolerance, struct linear_operator *spmv, struct linear_operator *M,
                       const struct csr *A, const double *b, struct preconditioned_history *history,
                       double *x, struct error *error);

/* Fail the test unless the two have the same bits in every row. */
void expect_same_history(const struct preconditioned_history *one,
                         const struct preconditioned_history *two, const char *what);

/* z = M^-1 r and *dot by an apply in the CPU's space with kernel cpu_csr on so many threads; z and
 * *dot are NaN before. */
void apply_once(const struct options *options, int threads, const struct csr *A, const double *r,
                double *z, double *dot);

/* Options that all preconditioners are tried with; 0: of none. The caller calls options_free. */
enum {
    PRECONDITIONERS_TRIED = 19,
    PRECONDITIONERS_IN_DOUBLE = 15,
    PRECONDITIONERS_OF_ONE_LEVEL = 7
};
struct options preconditioner_tried(int k);

/* Whether the kernel multiplies what number k needs: the last ones are in single precision. */
bool preconditioner_suits(int k, const char *kernel);

/* Fail the test unless number k holds in the trials of study/preconditioner_trials.h with that
 * kernel, for each of their matrices, and takes columns together where it is in double precision
 * and the kernel does. */
void expect_preconditioner(int k, const char *kernel, uint64_t seed);

/* Those of "chebyshev"; 0 leaves a bound out. */
struct options chebyshev_options(int64_t degree, double low, double high);

/* The matrix in long double, dense[n n]. The caller calls memory_free. */
long double *dense_of(const struct csr *A);

#endif
