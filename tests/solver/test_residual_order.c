/* The true residual bit for bit: each row's terms in their written order, whatever the number of
 * threads, and by the function that a thread of a device makes a row with. */
#include "csr_check.h"
#include "support.h"

#include "base/threads.h"
#include "matrices.h"
#include "solver/residual.h"
#include "solver/residual_row.h"
#include "space/rows.h"
#include "space/vector_norm.h"
#include "spmv/device_csr.h"
#include "spmv/symmetric/diagonals/sym_diagonals.h"

#include <math.h>
#include <string.h>

static const int counts[] = {1, 2, 3, 7};
enum { COUNTS = 4 };

/* What is random, of very different sizes, and here and there a zero of either sign. */
static double number(uint64_t *state)
{
    int64_t kind = test_random_below(state, 9);
    double value = 2 * test_random(state) - 1;
    return kind == 0 ? 0 : kind == 1 ? -0.0 : kind == 2 ? value * 1e12 : value;
}

static double *numbers(int64_t n, uint64_t *state)
{
    struct error error;
    double *v = memory_array(n, sizeof *v, "a vector", &error);
    ck_assert(v);
    for (int64_t i = 0; i < n; i++)
        v[i] = number(state);
    return v;
}

/* Entries at some of a few distances, or anywhere up to a reach. */
static void build(int64_t n, enum csr_kind kind, bool diagonals, uint64_t *state, struct csr *A)
{
    enum { MOST = 6 };
    struct error error;
    int64_t reach = 1 + test_random_below(state, n), distances[MOST], nnz = 0;
    for (int p = 0; p < MOST; p++)
        distances[p] = 1 + test_random_below(state, reach);
    expect_ok(csr_create(A, kind, n, n * (1 + MOST), &error), &error);
    for (int64_t i = 0; i < n; i++) {
        int64_t row[1 + MOST] = {i}, count = 1;
        for (int p = 0; p < MOST; p++) {
            int64_t j = i + (diagonals ? distances[p] : 1 + test_random_below(state, reach));
            int64_t at = count;
            bool wanted = j < n && test_random_below(state, 4) > 0;
            for (int64_t k = 0; k < count; k++)
                wanted = wanted && row[k] != j;
            if (!wanted)
                continue;
            for (; row[at - 1] > j; at--)
                row[at] = row[at - 1];
            row[at] = j;
            count++;
        }
        A->offsets[i] = nnz;
        for (int64_t k = 0; k < count; k++) {
            A->columns[nnz] = (int32_t)row[k];
            A->values[nnz++] = k == 0 && kind == CSR_SKEW ? 0 : number(state);
        }
    }
    A->offsets[n] = A->nnz = nnz;
    expect_ok(csr_check(A, &error), &error);
}

/* Row by row over both triangles: r_i = b_i - shift x_i - sum_j a_ij x_j. */
static void walk(const struct csr *full, double shift, const double *b, const double *x,
                 struct compensated *r)
{
    for (int64_t i = 0; i < full->n; i++) {
        struct compensated sum = {b ? b[i] : 0, 0};
        if (shift != 0)
            sum = compensated_add_product(sum, -shift, x[i]);
        for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++)
            sum = compensated_add_product(sum, -full->values[k], x[full->columns[k]]);
        r[i] = sum;
    }
}

/* The norm of what r comes to, one chain after the other. */
static double norm_of(int64_t n, const struct compensated *r)
{
    double largest = 0;
    struct compensated squares = {0, 0};
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(r[i].sum + r[i].error));
    if (largest == 0)
        return 0;
    int exponent;
    frexp(largest, &exponent);
    for (int part = 0; part < 256; part++) {
        struct compensated sum = {0, 0};
        for (int64_t i = n * part / 256; i < n * (part + 1) / 256; i++) {
            double scaled = ldexp(r[i].sum + r[i].error, -exponent);
            sum = compensated_add_product(sum, scaled, scaled);
        }
        squares = compensated_add(squares, sum.sum, sum.error);
    }
    return ldexp(sqrt(squares.sum + squares.error), exponent);
}

static void expect_rows(int64_t n, const struct compensated *wanted, const struct compensated *made,
                        const char *name)
{
    for (int64_t i = 0; i < n; i++)
        ck_assert_msg(!memcmp(&wanted[i], &made[i], sizeof *made), "%s: row %d of %d", name, (int)i,
                      (int)n);
}

/* The rows of *A as a device makes them. */
static void compare_by_distances(const struct csr *A, double shift, const double *b,
                                 const double *x, const struct compensated *wanted,
                                 struct compensated *made, const char *name)
{
    struct error error;
    int32_t *distances;
    int64_t count;
    expect_ok(sym_diagonals_find(A, A->n, &distances, &count, &error), &error);
    if (count <= CSR_DISTANCES_MAX) {
        for (int64_t i = 0; i < A->n; i++)
            made[i] =
                residual_row(residual_row_begin(b, shift, x, i), A, distances, (int)count, x, i);
        expect_rows(A->n, wanted, made, name);
    }
    memory_free(distances);
}

static void compare_by_columns(const struct csr *A, double shift, const double *b, const double *x,
                               const struct compensated *wanted, struct compensated *made,
                               const char *name)
{
    struct error error;
    uint32_t *begins = memory_array(A->n + 2, sizeof *begins, "columns", &error);
    uint32_t *entries = memory_array(A->nnz, sizeof *entries, "columns", &error);
    int32_t *rows = memory_array(A->nnz, sizeof *rows, "columns", &error);
    ck_assert(begins && entries && rows);
    expect_ok(rows_number(NULL, A->n, A->offsets, rows, &error), &error);
    expect_ok(rows_sort(NULL, A->nnz, A->columns, A->n, entries, begins, &error), &error);
    const struct residual_columns columns = {begins, entries, rows};
    for (int64_t i = 0; i < A->n; i++)
        made[i] = residual_row_by_columns(residual_row_begin(b, shift, x, i), A, &columns, x, i);
    expect_rows(A->n, wanted, made, name);
    memory_free(begins);
    memory_free(entries);
    memory_free(rows);
}

static void compare(const struct csr *A, uint64_t *state, const char *name)
{
    struct error error;
    struct csr full;
    double *x = numbers(A->n, state), *b = numbers(A->n, state);
    double shift = test_random_below(state, 2) ? number(state) : 0;
    const double *given = test_random_below(state, 8) ? b : NULL;
    size_t bytes = (size_t)A->n * sizeof(struct compensated);
    struct compensated *wanted = memory_array(A->n, sizeof *wanted, "a residual", &error);
    struct compensated *made = memory_array(A->n, sizeof *made, "a residual", &error);
    ck_assert(wanted && made);
    expect_ok(csr_expand(A, &full, &error), &error);
    walk(&full, shift, given, x, wanted);
    double norm = norm_of(A->n, wanted);
    for (int t = 0; t < COUNTS; t++) {
        struct threads *threads;
        double found = NAN;
        expect_ok(threads_create(counts[t], &threads, &error), &error);
        for (int64_t i = 0; i < A->n; i++)
            made[i] = residual_row_begin(given, shift, x, i);
        residual_subtract_product(threads, A, x, made);
        expect_rows(A->n, wanted, made, name);
        expect_ok(residual_norm(threads, A, shift, given, x, &found, &error), &error);
        ck_assert_msg(!memcmp(&found, &norm, sizeof norm), "%s: %a instead of %a", name, found,
                      norm);
        expect_ok(residual_norm(threads, &full, shift, given, x, &found, &error), &error);
        ck_assert_msg(!memcmp(&found, &norm, sizeof norm), "%s, full: %a instead of %a", name,
                      found, norm);
        threads_destroy(threads);
    }
    memset(made, 0xff, bytes);
    compare_by_distances(A, shift, given, x, wanted, made, name);
    memset(made, 0xff, bytes);
    compare_by_columns(A, shift, given, x, wanted, made, name);
    csr_free(&full);
    memory_free(x);
    memory_free(b);
    memory_free(wanted);
    memory_free(made);
}

START_TEST(of_every_shape)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
            struct csr A;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            compare(&A, &state, test_matrices[m].name);
            csr_free(&A);
        }
}
END_TEST

/* So many rows that a thread begins behind several tiles of them. */
START_TEST(of_many_rows)
{
    uint64_t state = test_seed();
    for (int diagonals = 0; diagonals < 2; diagonals++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
            struct csr A;
            build(1 + test_random_below(&state, 12000), kind, diagonals, &state, &A);
            compare(&A, &state, diagonals ? "diagonals" : "anywhere");
            csr_free(&A);
        }
}
END_TEST

/* A norm of what lies apart is that of the same side by side. */
START_TEST(norms_of_what_lies_apart)
{
    uint64_t state = test_seed();
    for (int t = 0; t < COUNTS; t++) {
        struct error error;
        struct threads *threads;
        int64_t n = 1 + test_random_below(&state, 3000), stride = 1 + test_random_below(&state, 4);
        double *apart = numbers(n * stride, &state), *v = numbers(n, &state);
        for (int64_t i = 0; i < n; i++)
            v[i] = apart[i * stride];
        expect_ok(threads_create(counts[t], &threads, &error), &error);
        double one = vector_norm(threads, n, v);
        double other = vector_norm_apart(threads, n, stride, apart);
        ck_assert(!memcmp(&one, &other, sizeof one));
        int64_t bad = test_random_below(&state, n);
        apart[bad * stride] = test_random_below(&state, 2) ? -INFINITY : -NAN;
        ck_assert(isnan(vector_norm_apart(threads, n, stride, apart)));
        threads_destroy(threads);
        memory_free(apart);
        memory_free(v);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {of_every_shape, of_many_rows, norms_of_what_lies_apart, NULL};
    return suite_of("solver/residual_order", tests);
}
