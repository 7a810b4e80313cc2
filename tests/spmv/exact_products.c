#include "spmv/exact_products.h"

#include "support.h"

#include "matrices.h"
#include "space/exact.h"
#include "spmv/host_product.h"
#include "spmv/rounded.h"

#include <math.h>
#include <string.h>

const int products_kinds[] = {
    EXACT_UNIFORM,  EXACT_MODERATE,      EXACT_WIDE,  EXACT_VERY_WIDE, EXACT_FULL,
    EXACT_TINY,     EXACT_SPARSE,        EXACT_NOISE, PRODUCTS_TIES,   PRODUCTS_CANCELLING,
    PRODUCTS_CASES, PRODUCTS_NOT_FINITE, -1};

/* Two tiles and a part of one, not a multiple of what a vector instruction takes. */
enum { N = 1003 };

static double tie(uint64_t *state)
{
    static const int exponents[] = {0, 1, 2, 52, 53, 54, 105, 106, 107};
    int exponent = exponents[test_random_below(state, 9)];
    return ldexp(test_random_below(state, 2) ? 1 : -1, exponent);
}

/* A banded pattern with far entries, a full row and a full column. */
static bool has_entry(int64_t i, int64_t j, uint64_t *state)
{
    return i == j || i == N / 3 || j == N - 2 || test_random(state) < (j - i < 20 ? 0.3 : 0.005);
}

static void make_pattern(enum csr_kind kind, uint64_t *state, struct csr *A)
{
    struct error error;
    int64_t capacity = 0, nnz = 0;
    void *columns = NULL;
    static int64_t offsets[N + 1];
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = i; j < N; j++)
            if (has_entry(i, j, state)) {
                expect_ok(
                    memory_grow(&columns, &capacity, nnz + 1, sizeof(int32_t), "columns", &error),
                    &error);
                ((int32_t *)columns)[nnz++] = (int32_t)j;
                offsets[i + 1] = nnz;
            }
    expect_ok(csr_create(A, kind, N, nnz, &error), &error);
    memcpy(A->offsets, offsets, sizeof offsets);
    memcpy(A->columns, columns, (size_t)nnz * sizeof(int32_t));
    memory_free(columns);
}

static void fill_random(int kind, uint64_t *state, struct csr *A, double *x)
{
    double *unused = host_vector(A->nnz);
    if (kind < EXACT_KINDS) {
        exact_vectors((enum exact_kind)kind, A->nnz, A->values, unused, state);
        exact_vectors((enum exact_kind)kind, A->n, x, unused, state);
    } else {
        for (int64_t p = 0; p < A->nnz; p++)
            A->values[p] = kind == PRODUCTS_TIES ? tie(state) : 2 * test_random(state) - 1;
        for (int64_t i = 0; i < A->n; i++)
            x[i] = kind == PRODUCTS_TIES ? ldexp(tie(state), -53) : 2 * test_random(state) - 1;
    }
    for (int64_t i = 0; i < A->n && A->kind == CSR_SKEW; i++)
        A->values[A->offsets[i]] = 0;
    memory_free(unused);
}

static void spoil(uint64_t *state, struct csr *A, double *x)
{
    static const double what[] = {INFINITY, -INFINITY, NAN};
    for (int k = 0; k < 12; k++) {
        x[test_random_below(state, A->n)] = what[k % 5 == 4 ? 2 : k % 2];
        A->values[test_random_below(state, A->nnz)] = 0;
    }
}

/* Blocks of 2 x 2 that are [a -a; -a a], one in four a last bit off, and x in equal pairs. A
 * skew-symmetric one has zeros in its diagonal blocks. */
static void create_cancelling(enum csr_kind kind, uint64_t *state, struct csr *A, double *x)
{
    enum { PAIRS = 40, SIDE = 2 * PAIRS };
    static double upper[SIDE * (SIDE + 1) / 2], dense[SIDE][SIDE];
    for (int k = 0; k < PAIRS; k++)
        for (int l = k; l < PAIRS; l++) {
            double a = kind == CSR_SKEW && k == l ? 0 : ldexp(2 * test_random(state) - 1, k - l);
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 2; c++) {
                    double value = r == c ? a : -a;
                    bool is_off = test_random(state) < 0.25 && l > k;
                    dense[2 * k + r][2 * l + c] = is_off ? nextafter(value, 0) : value;
                }
        }
    for (int i = 0, p = 0; i < SIDE; i++) {
        x[i] = i % 2 ? x[i - 1] : 2 * test_random(state) - 1;
        for (int j = i; j < SIDE; j++)
            upper[p++] = dense[i][j];
    }
    test_matrix_from_dense(SIDE, upper, kind, A);
}

/* Case k takes pairs + 1 rows, one of them its own, and the others have one of its pairs each. */
static void create_cases(enum csr_kind kind, uint64_t *state, struct csr *A, double *x)
{
    struct error error;
    int64_t n = 0, nnz = 0;
    for (int k = 0; k < exact_cases_count; k++) {
        n += exact_cases[k].pairs + 1;
        nnz += 2 * exact_cases[k].pairs + 1;
    }
    expect_ok(csr_create(A, kind, n, nnz, &error), &error);
    int64_t row = 0, p = 0;
    A->offsets[0] = 0;
    for (int k = 0; k < exact_cases_count; k++) {
        const struct exact_case *c = &exact_cases[k];
        int64_t base = row, own = base + test_random_below(state, c->pairs + 1);
        for (int64_t pair = 0; row <= base + c->pairs; row++) {
            A->columns[p] = (int32_t)row;
            A->values[p++] = 0;
            x[row] = row == own ? 1 : c->xy[2 * pair + 1];
            if (row < own) {
                A->columns[p] = (int32_t)own;
                A->values[p++] = kind == CSR_SKEW ? -c->xy[2 * pair] : c->xy[2 * pair];
            }
            for (int64_t j = row + 1; row == own && j <= base + c->pairs; j++) {
                A->columns[p] = (int32_t)j;
                A->values[p++] = c->xy[2 * (j - base - 1)];
            }
            pair += row != own;
            A->offsets[row + 1] = p;
        }
    }
    A->nnz = p;
}

/* Those of infinities and NaN are what IEEE arithmetic says of them alone. */
static double row_of(int64_t count, double *a, double *x)
{
    double special = 0;
    bool any = false;
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(a[k]) || !isfinite(x[k])) {
            special += a[k] * x[k];
            any = true;
        }
    return any ? special : exact_reference(count, a, x);
}

/* Values too large for single precision come into its range, and those that would vanish there. */
static void bring_into_range(struct csr *A)
{
    for (int64_t p = 0; p < A->nnz; p++) {
        int exponent;
        double fraction = frexp(A->values[p], &exponent);
        A->values[p] = ldexp(fraction, exponent % 126);
    }
}

static void multiply(struct exact_product *product)
{
    struct error error;
    struct csr full;
    const double *x = product->x;
    double *y = product->y;
    expect_ok(csr_expand(&product->A, &full, &error), &error);
    for (int64_t p = 0; p < full.nnz; p++)
        full.values[p] = rounded_value(product->precision, full.values[p]);
    double *gathered = host_vector(full.n);
    for (int64_t i = 0; i < full.n; i++) {
        int64_t begin = full.offsets[i], count = full.offsets[i + 1] - begin;
        for (int64_t k = 0; k < count; k++)
            gathered[k] = x[full.columns[begin + k]];
        y[i] = row_of(count, full.values + begin, gathered);
    }
    memory_free(gathered);
    csr_free(&full);
}

void exact_product_create(int kind, enum csr_kind csr_kind, enum precision precision,
                          uint64_t *state, struct exact_product *product)
{
    product->precision = precision;
    product->x = host_vector(N);
    product->y = host_vector(N);
    if (kind == PRODUCTS_CASES) {
        create_cases(csr_kind, state, &product->A, product->x);
    } else if (kind == PRODUCTS_CANCELLING) {
        create_cancelling(csr_kind, state, &product->A, product->x);
    } else {
        make_pattern(csr_kind, state, &product->A);
        fill_random(kind, state, &product->A, product->x);
        if (kind == PRODUCTS_NOT_FINITE)
            spoil(state, &product->A, product->x);
    }
    ck_assert_int_le(product->A.n, N);
    if (precision != PRECISION_DOUBLE)
        bring_into_range(&product->A);
    multiply(product);
}

void exact_product_free(struct exact_product *product)
{
    csr_free(&product->A);
    memory_free(product->x);
    memory_free(product->y);
}

void expect_exact(const struct exact_product *product, const char *what, int kind, const double *y)
{
    for (int64_t i = 0; i < product->A.n; i++) {
        double wanted = product->y[i];
        bool same = isnan(wanted) ? isnan(y[i]) : memcmp(&wanted, &y[i], sizeof wanted) == 0;
        ck_assert_msg(same, "%s, kind %d: row %d: %a instead of %a", what, kind, (int)i, y[i],
                      wanted);
    }
}
