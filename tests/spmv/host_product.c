#include "spmv/host_product.h"

#include "support.h"

#include "study/trial_products.h"

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
    trial_vector(v, n, state);
}

static void multiply(const struct linear_operator *spmv, struct trial_product product, double *dot)
{
    struct error error;
    expect_ok(trial_multiply(spmv, &product, &error), &error);
    ck_assert_msg(!product.wrong, "%s: %s", spmv->name, product.wrong);
    if (dot)
        *dot = product.with;
}

void host_product(struct linear_operator *spmv, const double *x, double *y, double *dot)
{
    multiply(spmv, (struct trial_product){.dot = dot, .x = x, .y = y}, dot);
}

void host_product_float(struct linear_operator *spmv, const double *x, double *y)
{
    multiply(spmv, (struct trial_product){.singles = true, .x = x, .y = y}, NULL);
}

void host_product_columns(struct linear_operator *spmv, int64_t columns, const double *x, double *y)
{
    multiply(spmv, (struct trial_product){.columns = columns, .x = x, .y = y}, NULL);
}

void host_reference(const struct csr *A, const double *x, enum precision precision,
                    enum product_sums sums, struct product_reference *reference)
{
    struct error error;
    expect_ok(product_reference_create(NULL, A, x, precision, sums, reference, &error), &error);
    ck_assert_int_eq(reference->unjudged, 0);
}

void expect_product(const struct product_reference *reference, const char *kernel,
                    const char *matrix, const double *y)
{
    struct product_error found = product_reference_judge(reference, y, 1);
    ck_assert_msg(found.worst <= 1, "%s on %s: row %d: %.17g is off by %.3g bounds", kernel, matrix,
                  (int)found.row, y[found.row < 0 ? 0 : found.row], found.worst);
}

int64_t expect_rounded(const struct product_reference *reference, const char *kernel,
                       const char *matrix, const double *y)
{
    int64_t decided = 0;
    for (int64_t i = 0; i < reference->n; i++) {
        double sum = 0 - reference->negative[i].sum, error = 0 - reference->negative[i].error;
        double lowest = sum + (error - reference->bound[i]);
        double highest = sum + (error + reference->bound[i]);
        if (lowest != highest)
            continue;
        decided++;
        ck_assert_msg(memcmp(&y[i], &lowest, sizeof lowest) == 0,
                      "%s on %s: row %d: %a, but the product rounds to %a", kernel, matrix, (int)i,
                      y[i], lowest);
    }
    return decided;
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
