#include "solver/lapack.h"

#include "support.h"

#include <string.h>

/* LAPACK's, as Fortran compilers name them: every argument by its address, lengths of texts at the end. */
void dstev_(const char *job, const int *n, double *d, double *e, double *z, const int *z_rows,
            double *work, int *info, size_t job_length);
void dsyev_(const char *job, const char *triangle, const int *n, double *A, const int *A_rows,
            double *values, double *work, const int *work_count, int *info, size_t job_length,
            size_t triangle_length);

static double *copy(int64_t count, const double *of)
{
    struct error error;
    double *made = memory_array(count, sizeof *made, "a copy", &error);
    ck_assert_ptr_nonnull(made);
    if (count > 0)
        memcpy(made, of, (size_t)count * sizeof *made);
    return made;
}

void lapack_tridiagonal(int64_t m, const double *d, const double *e, double *values)
{
    double *destroyed = copy(m - 1, e), unused[1];
    int n = (int)m, rows = 1, info;
    memcpy(values, d, (size_t)m * sizeof *values);
    dstev_("N", &n, values, destroyed, unused, &rows, unused, &info, 1);
    ck_assert_int_eq(info, 0);
    memory_free(destroyed);
}

void lapack_symmetric(int64_t n, const double *A, double *values)
{
    struct error error;
    double *destroyed = copy(n * n, A), *work = memory_array(4 * n, sizeof *work, "work", &error);
    int rows = (int)n, count = 4 * rows, info;
    ck_assert_ptr_nonnull(work);
    dsyev_("N", "U", &rows, destroyed, &rows, values, work, &count, &info, 1, 1);
    ck_assert_int_eq(info, 0);
    memory_free(destroyed);
    memory_free(work);
}
