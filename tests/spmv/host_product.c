#include "spmv/host_product.h"

#include "support.h"

#include <math.h>
#include <stdio.h>
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
    double *x_device = there(space, width, "x"), *y_local = there(space, n, "y");
    double *dot_there = there(space, 1, "x . y"), *back = host_vector(width);
    expect_ok(space_upload(space, width, x, x_device, &error), &error);
    expect_ok(space_fill(space, n, NAN, y_local, &error), &error);
    if (dot) {
        expect_ok(operator_apply_dot(spmv, x_device, y_local, dot_there, &error), &error);
        expect_ok(space_download(space, 1, dot_there, dot, &error), &error);
    } else {
        expect_ok(operator_apply(spmv, x_device, y_local, &error), &error);
    }
    expect_ok(space_download(space, width, x_device, back, &error), &error);
    ck_assert_msg(memcmp(x, back, (size_t)width * sizeof *x) == 0, "%s changed x", spmv->name);
    expect_ok(space_download(space, n, y_local, y, &error), &error);
    space_release(space, x_device);
    space_release(space, y_local);
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
    float *x_device = floats_there(space, width, "x"), *y_local = floats_there(space, n + 1, "y");
    float *x_single = host_floats(width), *back = host_floats(width),
          *y_single = host_floats(n + 1);
    for (int64_t j = 0; j < width; j++)
        x_single[j] = (float)x[j];
    for (int64_t i = 0; i <= n; i++)
        y_single[i] = NAN;
    expect_ok(space_upload_float(space, width, x_single, x_device, &error), &error);
    expect_ok(space_upload_float(space, n + 1, y_single, y_local, &error), &error);
    expect_ok(operator_apply_to(
                  spmv, &(struct operands){.x = x_device, .y = y_local, .singles = true}, &error),
              &error);
    expect_ok(space_download_float(space, width, x_device, back, &error), &error);
    ck_assert_msg(memcmp(x_single, back, (size_t)width * sizeof *back) == 0, "%s changed x",
                  spmv->name);
    expect_ok(space_download_float(space, n + 1, y_local, y_single, &error), &error);
    ck_assert_msg(isnan(y_single[n]), "%s writes behind y", spmv->name);
    for (int64_t i = 0; i < n; i++)
        y[i] = y_single[i];
    space_release(space, x_device);
    space_release(space, y_local);
    memory_free(x_single);
    memory_free(y_single);
    memory_free(back);
}

/* Where element i of column j is in a multivector of n rows. */
static int64_t place_of(int64_t n, int64_t columns, int64_t i, int64_t j)
{
    int64_t group = j / COLUMNS_AT_ONCE * COLUMNS_AT_ONCE, left = columns - group;
    return group * n + i * columns_stride(left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE) + j -
           group;
}

void host_product_columns(struct linear_operator *spmv, int64_t columns, const double *x, double *y)
{
    struct error error;
    struct space *space = spmv->space;
    int64_t n = spmv->n, width = spmv->width;
    int64_t x_size = columns_elements(width, columns), y_size = columns_elements(n, columns) + 1;
    double *X = host_vector(x_size), *Y = host_vector(y_size), *back = host_vector(x_size);
    double *X_there = there(space, x_size, "X"), *Y_there = there(space, y_size, "Y");
    for (int64_t k = 0; k < x_size; k++)
        X[k] = NAN;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < width; i++)
            X[place_of(width, columns, i, j)] = x[j * width + i];
    expect_ok(space_upload(space, x_size, X, X_there, &error), &error);
    expect_ok(space_fill(space, y_size, NAN, Y_there, &error), &error);
    struct operator_columns product;
    expect_ok(operator_columns_create(spmv, columns, &product, &error), &error);
    expect_ok(operator_columns_apply(&product, X_there, Y_there, &error), &error);
    operator_columns_destroy(&product);
    expect_ok(space_download(space, x_size, X_there, back, &error), &error);
    ck_assert_msg(memcmp(X, back, (size_t)x_size * sizeof *X) == 0, "%s changed X", spmv->name);
    expect_ok(space_download(space, y_size, Y_there, Y, &error), &error);
    ck_assert_msg(isnan(Y[y_size - 1]), "%s writes behind Y", spmv->name);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < n; i++)
            y[j * n + i] = Y[place_of(n, columns, i, j)];
    space_release(space, X_there);
    space_release(space, Y_there);
    memory_free(X);
    memory_free(Y);
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

void expect_column(const char *kernel, const char *matrix, struct linear_operator *spmv,
                   uint64_t *state, const double *x, const double *wanted)
{
    int64_t n = spmv->n, width = spmv->width, above = INT64_C(1) << test_random_below(state, 5);
    int64_t columns = above + 1 + test_random_below(state, above);
    int64_t column = test_random_below(state, columns);
    double *all = host_vector(columns * width), *y = host_vector(columns * n);
    char what[128];
    snprintf(what, sizeof what, "%s, column %d of %d", matrix, (int)column, (int)columns);
    host_randomise(all, columns * width, state);
    memcpy(all + column * width, x, (size_t)width * sizeof *x);
    for (int repeat = 0; repeat < 2; repeat++) { /* the slots are empty again */
        host_product_columns(spmv, columns, all, y);
        expect_same_bits(kernel, what, 1, n, wanted, y + column * n);
    }
    memory_free(all);
    memory_free(y);
}
