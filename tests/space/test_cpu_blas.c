/* The BLAS library of the reductions "blas": found at the first need, or said to be missing. */
#include "support.h"

#include "space/cpu/cpu_blas.h"

START_TEST(the_first_library_that_has_it)
{
    static const char *const others[] = {"libnobody.so.7", "libm.so.6"};
    struct error error;
    struct blas blas;
    double x[] = {1, 2, 3}, y[] = {4, 5, 6};
    expect_ok(blas_open(blas_names, &blas, &error), &error);
    const char *name = blas.name;
    ck_assert(blas.dot(3, x, 1, y, 1) == 32);
    expect_ok(blas_open((const char *const[]){others[0], others[1], name, NULL}, &blas, &error),
              &error);
    ck_assert_str_eq(blas.name, name);
    ck_assert(blas.dot(3, x, 1, y, 1) == 32);
}
END_TEST

/* None of the names; a library without the function; more names than a sentence has room for. */
START_TEST(no_library_has_it)
{
    const char *const names[] = {"libnobody.so.7", "libm.so.6", NULL};
    const char *many[99];
    struct error error;
    struct blas blas;
    expect_error(blas_open(names, &blas, &error), STATUS_UNAVAILABLE, &error,
                 "\"blas\": no BLAS library", "looked for libnobody.so.7, libm.so.6", NULL);
    ck_assert(!blas.name && !blas.dot);
    for (int k = 0; k < 98; k++)
        many[k] = names[0];
    many[98] = NULL;
    expect_error(blas_open(many, &blas, &error), STATUS_UNAVAILABLE, &error, "libnobody", NULL);
    ck_assert(!blas.name && !blas.dot);
}
END_TEST

static int openmp = 5, openmp_in_sum; /* threads */

static int threads_now(void)
{
    return openmp;
}

static void use_threads(int threads)
{
    openmp = threads;
}

static double note_threads(int n, const double *x, int x_step, const double *y, int y_step)
{
    openmp_in_sum = openmp;
    return n * x[0] * x_step * y[0] * y_step;
}

/* The number of its OpenMP is as before afterwards: the caller's own program may have set it. */
START_TEST(a_library_with_openmp_has_the_threads_of_the_space)
{
    struct blas blas = {"fake", note_threads, threads_now, use_threads};
    const double x = 3, y = 7;
    ck_assert(blas_sum(&blas, 2, 11, &x, &y) == 231);
    ck_assert_int_eq(openmp_in_sum, 2);
    ck_assert_int_eq(openmp, 5);
    blas.threads = NULL;
    blas.use_threads = NULL;
    ck_assert(blas_sum(&blas, 2, 11, &x, &y) == 231);
    ck_assert_int_eq(openmp_in_sum, 5);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {the_first_library_that_has_it, no_library_has_it,
                                  a_library_with_openmp_has_the_threads_of_the_space, NULL};
    return suite_of("space/cpu_blas", tests);
}
