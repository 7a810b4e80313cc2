/* The judge of products: right ones pass in every order, and the smallest wrong ones do not. */
#include "study/product_reference.h"

#include "support.h"

#include "general.h"
#include "matrices.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double *random_x(int64_t n, uint64_t *state)
{
    struct error error;
    double *x = memory_array(n, sizeof *x, "x", &error);
    ck_assert_ptr_nonnull(x);
    for (int64_t j = 0; j < n; j++)
        x[j] = 2 * test_random(state) - 1;
    return x;
}

static struct product_reference reference_of(const struct csr *A, const double *x,
                                             enum precision precision)
{
    struct product_reference reference;
    struct error error;
    struct threads *threads;
    expect_ok(threads_create(3, &threads, &error), &error);
    expect_ok(product_reference_create(threads, A, x, precision, SUMS_PLAIN, &reference, &error),
              &error);
    threads_destroy(threads);
    ck_assert_int_eq(reference.n, A->n);
    return reference;
}

/* y by a plain loop, in the order of a permutation, as a kernel of that precision would. */
static void multiply(const struct csr *full, const double *x, enum precision precision,
                     uint64_t *state, double *y)
{
    for (int64_t i = 0; i < full->n; i++) {
        int64_t begin = full->offsets[i], length = full->offsets[i + 1] - begin;
        int32_t *order = test_random_numbering(length, state);
        double sum = 0;
        float single = 0;
        for (int64_t k = 0; k < length; k++) {
            double a = full->values[begin + order[k]], b = x[full->columns[begin + order[k]]];
            single += (float)a * (float)b;
            sum += (precision == PRECISION_DOUBLE ? a : (double)(float)a) * b;
        }
        y[i] = precision == PRECISION_FLOAT ? (double)single : sum;
        memory_free(order);
    }
}

static const enum precision precisions[] = {PRECISION_DOUBLE, PRECISION_FLOAT,
                                            PRECISION_FLOAT_DOUBLE};

/* In every precision, the right product passes and that of another precision does not where it is
 * coarser. */
static void expect_judged(const struct csr *A, uint64_t *state)
{
    struct error error;
    struct csr full;
    expect_ok(csr_expand(A, &full, &error), &error);
    double *x = random_x(A->width, state), *y = random_x(A->n, state);
    for (int p = 0; p < 3; p++) {
        struct product_reference reference = reference_of(A, x, precisions[p]);
        ck_assert_int_eq(reference.unjudged, 0);
        multiply(&full, x, precisions[p], state, y);
        struct product_error found = product_reference_judge(&reference, y, 1);
        ck_assert_msg(found.worst <= 1, "precision %d: row %d is off by %g bounds", p,
                      (int)found.row, found.worst);
        int64_t i = test_random_below(state, A->n);
        double kept = y[i], step = reference.bound[i] > 0 ? reference.bound[i] : 0x1p-1074;
        y[i] = -(reference.negative[i].sum + reference.negative[i].error) + 2.5 * step;
        found = product_reference_judge(&reference, y, 1);
        ck_assert_msg(found.worst > 1 && found.row == i, "row %d: %g", (int)found.row, found.worst);
        static const double wrong[] = {NAN, INFINITY, -INFINITY};
        for (int w = 0; w < 3; w++) {
            y[i] = wrong[w];
            found = product_reference_judge(&reference, y, 1);
            ck_assert(isinf(found.worst) && found.row == i);
        }
        y[i] = kept;
        ck_assert(product_reference_judge(&reference, y, 1).worst <= 1);
        product_reference_free(&reference);
    }
    memory_free(x);
    memory_free(y);
    csr_free(&full);
}

START_TEST(triangles)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++)
        for (int skew = 0; skew < 2; skew++) {
            struct csr A;
            test_matrix_build(&test_matrices[m], skew ? CSR_SKEW : CSR_SYMMETRIC, &state, &A);
            expect_judged(&A, &state);
            csr_free(&A);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(general_and_rectangular)
{
    uint64_t state = test_seed();
    for (int repeat = 0; repeat < 30; repeat++) {
        struct csr A;
        general_random(1 + test_random_below(&state, 200), 1 + test_random_below(&state, 200),
                       test_random(&state), &state, &A);
        expect_judged(&A, &state);
        csr_free(&A);
    }
}
END_TEST

/* A product in single precision is no product in double, and a value left out or a sign is seen. */
START_TEST(coarser_products_fail)
{
    uint64_t state = test_seed();
    struct csr A;
    general_random(100, 100, 0.3, &state, &A);
    double *x = random_x(100, &state), *y = random_x(100, &state);
    static const struct {
        enum precision reference, product;
        bool passes;
    } cases[] = {{PRECISION_DOUBLE, PRECISION_FLOAT, false},
                 {PRECISION_DOUBLE, PRECISION_FLOAT_DOUBLE, false},
                 {PRECISION_FLOAT_DOUBLE, PRECISION_DOUBLE, false},
                 {PRECISION_FLOAT_DOUBLE, PRECISION_FLOAT, false},
                 {PRECISION_FLOAT_DOUBLE, PRECISION_FLOAT_DOUBLE, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct product_reference reference = reference_of(&A, x, cases[k].reference);
        multiply(&A, x, cases[k].product, &state, y);
        ck_assert_int_eq(product_reference_judge(&reference, y, 1).worst <= 1, cases[k].passes);
        product_reference_free(&reference);
    }
    memory_free(x);
    memory_free(y);
    csr_free(&A);
}
END_TEST

/* Of rows whose errors are kept: the nearest double passes, a plain sum does not. */
START_TEST(compensated_sums_are_told_from_plain_ones)
{
    uint64_t state = test_seed();
    struct csr A;
    struct error error;
    general_random(100, 100, 0.3, &state, &A);
    double *x = random_x(100, &state), *y = random_x(100, &state);
    struct product_reference plain = reference_of(&A, x, PRECISION_DOUBLE), reference;
    expect_ok(product_reference_create(NULL, &A, x, PRECISION_DOUBLE, SUMS_COMPENSATED, &reference,
                                       &error),
              &error);
    multiply(&A, x, PRECISION_DOUBLE, &state, y);
    ck_assert(product_reference_judge(&reference, y, 1).worst > 1);
    for (int64_t i = 0; i < A.n; i++) {
        struct compensated sum = {0, 0};
        for (int64_t k = A.offsets[i + 1] - 1; k >= A.offsets[i]; k--)
            sum = compensated_add_product(sum, A.values[k], x[A.columns[k]]);
        y[i] = sum.sum + sum.error;
        ck_assert(reference.bound[i] <= 1e-13 * plain.bound[i]);
    }
    ck_assert(product_reference_judge(&reference, y, 1).worst <= 1);
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (int w = 0; w < 3; w++) {
        y[7] = wrong[w];
        struct product_error found = product_reference_judge(&reference, y, 1);
        ck_assert(isinf(found.worst) && found.row == 7);
    }
    product_reference_free(&plain);
    product_reference_free(&reference);
    memory_free(x);
    memory_free(y);
    csr_free(&A);
}
END_TEST

/* The bound itself, of rows whose sums are known. */
START_TEST(bounds_are_what_is_written)
{
    double x = NAN, u = DBL_EPSILON / 2;
    struct csr A;
    general_from_dense(3, 3, (double[]){3, -5, x, x, x, x, x, x, 0x1p-1070}, &A);
    struct product_reference reference = reference_of(&A, (double[]){2, 0.5, 1}, PRECISION_DOUBLE);
    double wanted = 5 * u / (1 - 5 * u) * 8.5;
    ck_assert(fabs(reference.bound[0] - wanted) <= 1e-12 * wanted);
    ck_assert(reference.bound[1] == 0);
    ck_assert(reference.bound[2] == 2 * 0x1p-1074);
    ck_assert(product_reference_judge(&reference, (double[]){3.5, -0.0, 0x1p-1070}, 1).worst == 0);
    product_reference_free(&reference);
    reference = reference_of(&A, (double[]){2, 0.5, 1}, PRECISION_FLOAT);
    ck_assert(reference.bound[2] == 2 * 0x1p-149);
    product_reference_free(&reference);
    csr_free(&A);
}
END_TEST

START_TEST(what_overflows_is_not_judged)
{
    struct csr A;
    general_from_dense(3, 1, (double[]){1e308, 1e39, 1}, &A);
    double x = 1.5;
    struct product_reference reference = reference_of(&A, &x, PRECISION_DOUBLE);
    ck_assert_int_eq(reference.unjudged, 1);
    ck_assert(product_reference_judge(&reference, (double[]){NAN, 1.5e39, 1.5}, 1).worst <= 1);
    ck_assert(product_reference_judge(&reference, (double[]){NAN, 1.5e39, 1.6}, 1).row == 2);
    product_reference_free(&reference);
    reference = reference_of(&A, &x, PRECISION_FLOAT);
    ck_assert_int_eq(reference.unjudged, 2);
    product_reference_free(&reference);
    csr_free(&A);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    static const double x[40] = {1};
    struct product_reference reference = {0};
    struct threads *threads;
    enum status status = threads_create(3, &threads, error);
    if (!status)
        status = product_reference_create(threads, context, x, PRECISION_FLOAT, SUMS_PLAIN,
                                          &reference, error);
    product_reference_free(&reference);
    threads_destroy(threads);
    return status;
}

START_TEST(failing_allocations)
{
    uint64_t state = test_seed();
    struct csr A;
    general_random(30, 40, 0.2, &state, &A);
    walk_allocation_failures(attempt, &A);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {triangles,
                            general_and_rectangular,
                            coarser_products_fail,
                            compensated_sums_are_told_from_plain_ones,
                            bounds_are_what_is_written,
                            what_overflows_is_not_judged,
                            failing_allocations,
                            NULL};
    return suite_of("study/product_reference", tests);
}
