/* What the suites of Lanczos' method share: a solve with everything that it leaves, held against
 * what is true of every solve, and spectra to compare with. */
#ifndef TESTS_SOLVER_EIGEN_H
#define TESTS_SOLVER_EIGEN_H

#include "rows.h"
#include "solver/lanczos/lanczos.h"

enum { EIGEN_ROWS = 8192, EIGEN_MOST = 256, EIGEN_N = 4096, EIGEN_PLACES = 1 << 18 };

struct eigen_choice {
    const char *kernel;
    enum reductions reductions;
    int64_t max_iterations;
    struct eigen_options eigen;
    int threads; /* 0: all */
};

/* cpu_sym, reproducible; the smallest one to 1e-10, full reorthogonalization. */
extern const struct eigen_choice eigen_standard;

/* One solve. It is large: make it static. */
struct eigen_outcome {
    struct solver_result result; /* its arrays are those below */
    int64_t count;               /* rows */
    struct kept_row rows[EIGEN_ROWS];
    double norm; /* the largest |Ritz value| of them */
    double values[EIGEN_MOST], residuals[EIGEN_MOST];
    enum eigen_met met[EIGEN_MOST];
    int64_t n, vectors_count;
    double vectors[EIGEN_PLACES]; /* [vectors_count][n] */
};

/* The kernel over A, lanczos_solve, and everything freed but *result. */
enum status eigen_try(struct eigen_choice choice, const struct csr *A, const double *b,
                      const struct observer *observer, double *values, struct solver_result *result,
                      struct error *error);

/* The same with b = random_vector(seed), or b itself where it is not NULL; it must succeed. What
 * holds of every outcome is checked: the rows; the eigenvalues and their order; the eigenvectors'
 * norms, and their residuals against those in long double; what the reason promises. */
void eigen_find(struct eigen_choice choice, const struct csr *A, const double *b, int64_t seed,
                struct eigen_outcome *made);

void eigen_expect_reason(enum reason wanted, const struct eigen_outcome *made);

/* The largest |v_i . v_j - (i == j)| of the eigenvectors. */
double eigen_orthogonality(const struct eigen_outcome *made);

/* Every eigenvalue that was found is one of spectrum[n], ascending and good to `off` each: as near
 * as its residual says (Weyl), and not more often. From the ends that were asked for, each distinct
 * one up to the last that was found is among them. */
void eigen_expect_spectrum(const struct eigen_choice *choice, const struct eigen_outcome *made,
                           const double *spectrum, double off);

/* The eigenvalues of A by LAPACK, n <= 500. The caller calls memory_free. */
double *eigen_spectrum(const struct csr *A);

#endif
