#include "solver/poisson_eigenvalues.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static long double along(const struct poisson3d *poisson, int axis, int64_t k)
{
    static const long double pi = 3.14159265358979323846264338327950288L;
    long double sine = sinl(pi * (long double)(k + 1) / (long double)(2 * (poisson->n[axis] + 1)));
    return 4 * (long double)poisson->weights[axis] * sine * sine;
}

double *poisson_eigenvalues(const struct poisson3d *poisson)
{
    struct error error;
    const int64_t *n = poisson->n;
    double *values = memory_array(n[0] * n[1] * n[2], sizeof *values, "eigenvalues", &error);
    ck_assert_ptr_nonnull(values);
    ck_assert(poisson->jump == 1);
    int64_t count = 0;
    for (int64_t k = 0; k < n[2]; k++)
        for (int64_t j = 0; j < n[1]; j++)
            for (int64_t i = 0; i < n[0]; i++)
                values[count++] =
                    (double)(along(poisson, 0, i) + along(poisson, 1, j) + along(poisson, 2, k));
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values;
}
