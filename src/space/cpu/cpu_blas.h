/* The BLAS library of the machine, for the reductions "blas". It is loaded on demand, so other
 * reductions need no BLAS library. */
#ifndef SPACE_CPU_CPU_BLAS_H
#define SPACE_CPU_CPU_BLAS_H

#include "base/status.h"

/* cblas_ddot: the sum of x_i y_i, 0 <= i < n, with the steps between the elements. */
typedef double blas_dot(int n, const double *x, int x_step, const double *y, int y_step);

struct blas {
    const char *name; /* of the library, one of the names */
    blas_dot *dot;
    /* Get and set the number of its OpenMP threads, for the calling thread; both NULL: the library
     * does not use OpenMP. */
    int (*threads)(void);
    void (*use_threads)(int threads);
};

/* The names to look for, and a NULL. */
extern const char *const blas_names[];

/* The first installed library of the list, which ends with NULL, that has cblas_ddot. It stays
 * open. Errors: STATUS_UNAVAILABLE, and *blas is zeroed. */
enum status blas_open(const char *const *names, struct blas *blas, struct error *error);

/* x . y of n elements, with that number of OpenMP threads if the library uses OpenMP. */
double blas_sum(const struct blas *blas, int threads, int n, const double *x, const double *y);

#endif
