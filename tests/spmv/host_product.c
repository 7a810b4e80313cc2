#include "spmv/host_product.h"

#include "support.h"

#include <math.h>
#include <string.h>

double *host_vector(int64_t n)
{
    struct error error;
    double *v = memory_array(n, sizeof *v, "a test vector", &error);
    ck_assert_ptr_nonnull(v);
    return v;
}

void host_randomise(double *v, int64_t n, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = (2 * test_random(state) - 1) * (i % 5 == 2 ? 1e6 : 1);
}

void host_product(struct spmv *spmv, const double *x, double *y, double *dot)
{
    struct error error;
    int64_t n = spmv->n;
    struct space *space = spmv->space;
    const struct space_operations *space_do = space->operations;
    double *x_there, *y_there, *dot_there, *back = host_vector(n);
    expect_ok(space_do->allocate(space, n, "x", &x_there, &error), &error);
    expect_ok(space_do->allocate(space, n, "y", &y_there, &error), &error);
    expect_ok(space_do->allocate(space, 1, "x . y", &dot_there, &error), &error);
    expect_ok(space_do->upload(space, n, x, x_there, &error), &error);
    expect_ok(space_do->fill(space, n, NAN, y_there, &error), &error);
    if (dot) {
        expect_ok(spmv_apply_dot(spmv, x_there, y_there, dot_there, &error), &error);
        expect_ok(space_do->download(space, 1, dot_there, dot, &error), &error);
    } else {
        expect_ok(spmv_apply(spmv, x_there, y_there, &error), &error);
    }
    expect_ok(space_do->download(space, n, x_there, back, &error), &error);
    ck_assert_msg(memcmp(x, back, (size_t)n * sizeof *x) == 0, "%s changed x", spmv->kernel->name);
    expect_ok(space_do->download(space, n, y_there, y, &error), &error);
    space_do->release(space, x_there);
    space_do->release(space, y_there);
    space_do->release(space, dot_there);
    memory_free(back);
}

void expect_same_bits(const char *kernel, const char *matrix, int threads, int64_t n,
                      const double *wanted, const double *y)
{
    for (int64_t i = 0; i < n; i++)
        ck_assert_msg(memcmp(&wanted[i], &y[i], sizeof *y) == 0,
                      "%s on %s with %d threads: row %d: %a instead of %a", kernel, matrix, threads,
                      (int)i, y[i], wanted[i]);
}
