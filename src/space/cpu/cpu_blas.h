/* The BLAS library of the machine, of which the reductions "blas" need one function. It is looked
 * for at the first need, so nobody else needs a BLAS library. */
#ifndef SPACE_CPU_CPU_BLAS_H
#define SPACE_CPU_CPU_BLAS_H

#include "base/status.h"

/* cblas_ddot: the sum of x_i y_i, 0 <= i < n, with the steps between the elements. */
typedef double blas_dot(int n, const double *x, int x_step, const double *y, int y_step);

struct blas {
    const char *name; /* of the library, one of the names */
    blas_dot *dot;
    /* How many threads its OpenMP has, and that many from here on, for the calling thread; both
     * NULL: it is not with OpenMP. */
    int (*threads)(void);
    void (*use_threads)(int threads);
};

/* The libraries that are looked for, and a NULL. */
extern const char *const blas_names[];

/* The first of the libraries, a list that ends with NULL, that is here and has cblas_ddot. It stays
 * open. Errors: STATUS_UNAVAILABLE, and *blas is zeroed. */
enum status blas_open(const char *const *names, struct blas *blas, struct error *error);

/* x . y of n elements, by that many threads of OpenMP where the library has it. */
double blas_sum(const struct blas *blas, int threads, int n, const double *x, const double *y);

#endif
