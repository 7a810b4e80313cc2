/* X and Y of a bench on the host: how X is drawn, that every element of Y counts and nothing else,
 * and that references that are kept say the same as those made again. */
#include "study/product_columns.h"

#include "support.h"

#include "base/random.h"
#include "base/threads.h"
#include "general.h"

#include <math.h>

enum { N = 30, WIDTH = 40 };

static struct threads *team;

static void begin(void)
{
    struct error error;
    expect_ok(threads_create(2, &team, &error), &error);
}

static void end(void)
{
    threads_destroy(team);
}

static struct product_columns created(const struct csr *A, int64_t seed, int64_t count)
{
    struct error error;
    struct product_columns made;
    expect_ok(product_columns_create(team, A, seed, count, 0, &made, &error), &error);
    return made;
}

/* Element i of column j of a multivector of n rows. */
static double *at(double *v, int64_t n, int64_t count, int64_t i, int64_t j)
{
    int64_t first = j / 32 * 32, stride = 1;
    while (stride < count - first && stride < 32)
        stride *= 2;
    return v + first * n + i * stride + j - first;
}

/* Y = A X, and every time something else elsewhere. */
static void multiply(struct product_columns *of)
{
    static double times;
    double x[WIDTH], y[N];
    times++;
    for (int64_t k = 0; k < of->y_elements; k++)
        of->Y[k] = k % 2 ? NAN : times;
    for (int64_t j = 0; j < of->count; j++) {
        random_vector((int64_t)((uint64_t)of->seed + (uint64_t)j), WIDTH, x);
        csr_multiply(of->A, x, y);
        for (int64_t i = 0; i < N; i++)
            *at(of->Y, N, of->count, i, j) = y[i];
        for (int64_t i = 0; i < WIDTH; i++)
            ck_assert(*at(of->X, WIDTH, of->count, i, j) == x[i]);
    }
}

static struct product_error judged(struct product_columns *of, enum precision precision)
{
    struct error error;
    struct product_error found[2];
    int64_t unjudged;
    for (int keeps = 0; keeps < 2; keeps++) {
        of->keeps = keeps;
        expect_ok(product_columns_judge(of, precision, &found[keeps], &unjudged, &error), &error);
        ck_assert_int_eq(unjudged, 0);
        ck_assert_int_eq(of->references[precision]->negative != NULL, keeps);
    }
    ck_assert(found[0].worst == found[1].worst && found[0].row == found[1].row &&
              found[0].column == found[1].column);
    for (int64_t j = 0; j < of->count; j++)
        product_reference_free(&of->references[precision][j]);
    return found[0];
}

START_TEST(each_element_counts)
{
    uint64_t state = test_seed();
    struct csr A;
    general_random(N, WIDTH, 0.5, &state, &A);
    begin();
    for (int64_t count = 1; count <= 70; count++) {
        int64_t seed = test_random_below(&state, 2) ? INT64_MAX : (int64_t)(state >> 1);
        struct product_columns of = created(&A, seed, count);
        ck_assert(of.keeps);
        ck_assert_int_eq(product_columns_bytes(&A, count), 8 * (of.x_elements + of.y_elements));
        multiply(&of);
        uint64_t hash = product_columns_hash(&of);
        multiply(&of);
        ck_assert_uint_eq(product_columns_hash(&of), hash);
        ck_assert(judged(&of, PRECISION_DOUBLE).worst <= 1);
        ck_assert(judged(&of, PRECISION_FLOAT).worst <= 1);
        int64_t i = test_random_below(&state, N), j = test_random_below(&state, count);
        double *element = at(of.Y, N, count, i, j), right = *element;
        *element = nextafter(right, 2 * (i % 2) - 1);
        ck_assert_uint_ne(product_columns_hash(&of), hash);
        *element = right + 1e-6;
        struct product_error found = judged(&of, PRECISION_DOUBLE);
        ck_assert_msg(found.worst > 1 && found.row == i && found.column == j,
                      "%g in row %d of column %d", found.worst, (int)found.row, (int)found.column);
        *element = NAN;
        found = judged(&of, PRECISION_DOUBLE);
        ck_assert(isinf(found.worst) && found.row == i && found.column == j);
        product_columns_free(&of);
    }
    end();
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The most of a column, not of all of them. */
START_TEST(rows_that_are_not_judged)
{
    struct csr A;
    struct error error;
    struct product_error found;
    int64_t unjudged;
    const double dense[] = {1, NAN, 1e308, 1e308, NAN, NAN};
    general_from_dense(3, 2, dense, &A);
    begin();
    struct product_columns of = created(&A, 1, 3);
    for (int64_t k = 0; k < of.x_elements; k++)
        of.X[k] = k % 4 < 2 ? 2 : 0.25; /* columns 0 and 1 overflow in row 1 */
    for (int64_t k = 0; k < of.y_elements; k++)
        of.Y[k] = 0;
    expect_ok(product_columns_judge(&of, PRECISION_DOUBLE, &found, &unjudged, &error), &error);
    ck_assert_int_eq(unjudged, 1);
    ck_assert(found.worst > 1);
    product_columns_free(&of);
    end();
    csr_free(&A);
}
END_TEST

static enum status attempt(void *A, struct error *error)
{
    struct product_columns made;
    struct product_error found;
    int64_t unjudged;
    enum status status = product_columns_create(team, A, 1, 5, 0, &made, error);
    if (!status) {
        multiply(&made);
        status = product_columns_judge(&made, PRECISION_FLOAT, &found, &unjudged, error);
    }
    product_columns_free(&made);
    return status;
}

START_TEST(failing_allocations)
{
    uint64_t state = test_seed();
    struct csr A;
    general_random(N, WIDTH, 0.5, &state, &A);
    begin();
    walk_allocation_failures(attempt, &A);
    end();
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {each_element_counts, rows_that_are_not_judged, failing_allocations,
                            NULL};
    return suite_of("study/product_columns", tests);
}
