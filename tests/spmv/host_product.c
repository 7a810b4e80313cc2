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

static double *there(struct space *space, int64_t n, const char *what)
{
    struct error error;
    double *v;
    expect_ok(space_vector(space, n, what, &v, &error), &error);
    return v;
}

void host_product(struct linear_operator *spmv, const double *x, double *y, double *dot)
{
    struct error error;
    int64_t n = spmv->n, width = spmv->width;
    struct space *space = spmv->space;
    double *x_there = there(space, width, "x"), *y_there = there(space, n, "y");
    double *dot_there = there(space, 1, "x . y"), *back = host_vector(width);
    expect_ok(space_upload(space, width, x, x_there, &error), &error);
    expect_ok(space_fill(space, n, NAN, y_there, &error), &error);
    if (dot) {
        expect_ok(operator_apply_dot(spmv, x_there, y_there, dot_there, &error), &error);
        expect_ok(space_download(space, 1, dot_there, dot, &error), &error);
    } else {
        expect_ok(operator_apply(spmv, x_there, y_there, &error), &error);
    }
    expect_ok(space_download(space, width, x_there, back, &error), &error);
    ck_assert_msg(memcmp(x, back, (size_t)width * sizeof *x) == 0, "%s changed x", spmv->name);
    expect_ok(space_download(space, n, y_there, y, &error), &error);
    space_release(space, x_there);
    space_release(space, y_there);
    space_release(space, dot_there);
    memory_free(back);
}

static float *host_floats(int64_t n)
{
    struct error error;
    float *v = memory_array(n, sizeof *v, "a test vector", &error);
    ck_assert_ptr_nonnull(v);
    return v;
}

static float *floats_there(struct space *space, int64_t n, const char *what)
{
    struct error error;
    float *v;
    expect_ok(space_vector_float(space, n, what, &v, &error), &error);
    return v;
}

void host_product_float(struct linear_operator *spmv, const double *x, double *y)
{
    struct error error;
    int64_t n = spmv->n, width = spmv->width;
    struct space *space = spmv->space;
    float *x_there = floats_there(space, width, "x"), *y_there = floats_there(space, n + 1, "y");
    float *x_single = host_floats(width), *back = host_floats(width),
          *y_single = host_floats(n + 1);
    for (int64_t j = 0; j < width; j++)
        x_single[j] = (float)x[j];
    for (int64_t i = 0; i <= n; i++)
        y_single[i] = NAN;
    expect_ok(space_upload_float(space, width, x_single, x_there, &error), &error);
    expect_ok(space_upload_float(space, n + 1, y_single, y_there, &error), &error);
    expect_ok(operator_apply_float(spmv, x_there, y_there, &error), &error);
    expect_ok(space_download_float(space, width, x_there, back, &error), &error);
    ck_assert_msg(memcmp(x_single, back, (size_t)width * sizeof *back) == 0, "%s changed x",
                  spmv->name);
    expect_ok(space_download_float(space, n + 1, y_there, y_single, &error), &error);
    ck_assert_msg(isnan(y_single[n]), "%s writes behind y", spmv->name);
    for (int64_t i = 0; i < n; i++)
        y[i] = y_single[i];
    space_release(space, x_there);
    space_release(space, y_there);
    memory_free(x_single);
    memory_free(y_single);
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
