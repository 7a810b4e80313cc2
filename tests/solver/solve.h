/* What the suites of the methods share: a solve with everything that it leaves, and the textbook's
 * loop of conjugate gradients to hold it against. */
#ifndef TESTS_SOLVER_SOLVE_H
#define TESTS_SOLVER_SOLVE_H

#include "rows.h"
#include "solver/cg/cg.h"
#include "solver/minres/minres.h"

enum { SOLVE_ROWS = 4096, SOLVE_N = 16384 };

/* One solve. It is large: make it static. */
struct outcome {
    struct solver_result result;
    const struct method *method;
    int64_t count; /* rows */
    struct kept_row rows[SOLVE_ROWS];
    double moved[SOLVE_ROWS]; /* by textbook only: |alpha| ||p|| of the step that made x_k, */
    double size[SOLVE_ROWS];  /* and ||x_k|| */
    double x[SOLVE_N];
};

struct choice {
    const char *kernel;
    enum reductions reductions;
    double tolerance;
    int64_t max_iterations;
    const struct method *method;
    double shift; /* of &method_skew */
    int threads;  /* 0: all */
    double absolute_tolerance;
    /* A preconditioner, or NULL: one by its name, with its defaults, and of which matrix, NULL: A.
     * Or M^-1 itself, by the same kernel. */
    const char *preconditioner;
    const struct csr *near, *inverse;
    bool there; /* b and x are in the memory of the space (struct solver_options) */
};

/* cpu_sym, reproducible, 1e-10, conjugate gradients, as many iterations as an outcome holds. */
extern const struct choice standard;

/* The kernel's space, the kernel over A, M, solver_solve, and everything freed again. */
enum status try_solve(struct choice choice, const struct csr *A, const double *b,
                      const struct observer *observer, double *x, struct solver_result *result,
                      struct error *error);

/* The same, which must succeed; checks what holds of every outcome. */
void solve(struct choice choice, const struct csr *A, const double *b, struct outcome *made);

/* ||b - (shift I + A) x||_2 by residual_norm, with so many threads. */
double true_residual(int threads, const struct csr *A, double shift, const double *b,
                     const double *x);

/* Fail the test unless the solve ended for that reason. */
void expect_reason(enum reason wanted, const struct outcome *made);

/* `iterations` steps of the textbook, one operation a line, by csr_multiply and the given dot. */
typedef double sum_of(int64_t n, const double *x, const double *y);
void textbook(const struct csr *A, const double *b, int64_t iterations, sum_of *dot,
              struct outcome *made);

/* A sum from left to right, and the reproducible one of the CPU's space. */
double plain_dot(int64_t n, const double *x, const double *y);
double ordered_dot(int64_t n, const double *x, const double *y);

/* What an operator with a direction does to the n elements of the vectors, besides the product. */
void make_direction(int64_t n, const struct direction *direction);

/* cpu_csr, whose operators make the direction too; how often they did, and x with it. */
extern const struct kernel directing;
extern _Atomic int64_t directions_made, directions_with_x;

/* A diagonal matrix, and a cube of side^3 cells with unit weights. */
void diagonal(int64_t n, const double *values, struct csr *A);
void grid(int64_t side, double jump, struct csr *A);

/* Row `soft` is joined to no other, with 1e-13 on the diagonal: its x is longer than all else, and
 * a solve is restarted. */
void cut_off(struct csr *A, int64_t soft);

#endif
