/* The BLAS library of the reductions "blas": found at the first need, or said to be missing. */
#include "support.h"

#include "space/cpu_blas.h"

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

Suite *suite(void)
{
    const TTest *const tests[] = {the_first_library_that_has_it, no_library_has_it, NULL};
    return suite_of("space/cpu_blas", tests);
}
