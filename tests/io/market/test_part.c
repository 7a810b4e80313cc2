/* A part of a Matrix Market file: the rows of a rank, what crosses into them, and nothing else. */
#include "support.h"

#include "base/memory.h"
#include "io/market/matrix_market.h"
#include "matrix/kept_rows.h"
#include "matrix/store.h"

#include <stdio.h>
#include <string.h>

enum { N = 60, PARTS = 5, TEXT = 1 << 17 };

struct text {
    char bytes[TEXT];
    int length;
    int entries;
};

static void add(struct text *text, int i, int j, double value)
{
    text->length += snprintf(text->bytes + text->length, TEXT - (size_t)text->length,
                             "%d %d %.17g\n", i + 1, j + 1, value);
    text->entries++;
}

/* A file of that symmetry, some of whose entries are repeated; of a general one that is symmetric
 * or skew-symmetric but for 1e-9. */
static const char *write_file(const char *symmetry, enum csr_kind kind, uint64_t *state)
{
    static struct text text;
    static char whole[TEXT + 100];
    bool general = strcmp(symmetry, "general") == 0, skew = kind == CSR_SKEW;
    text.length = text.entries = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            bool there = i == j ? !skew : test_random_below(state, 6) == 0;
            double value = test_random(state) - 0.5, other = skew ? -value : value;
            if (!there)
                continue;
            add(&text, i, j, value);
            if (general && i != j)
                add(&text, j, i,
                    !skew && test_random_below(state, 4) == 0 ? other * (1 + 1e-9) : other);
            if (!general && test_random_below(state, 20) == 0)
                add(&text, i, j, value);
        }
    int length =
        snprintf(whole, sizeof whole, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n",
                 symmetry, N, N, text.entries);
    memcpy(whole + length, text.bytes, (size_t)text.length);
    return temporary_file("part.mtx", whole, length + text.length);
}

/* The same as an array. */
static const char *write_array(uint64_t *state)
{
    static char whole[TEXT];
    int length = snprintf(whole, sizeof whole,
                          "%%%%MatrixMarket matrix array real symmetric\n%d %d\n", N, N);
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++)
            length += snprintf(whole + length, sizeof whole - (size_t)length, "%.17g\n",
                               test_random(state) - 0.5);
    return temporary_file("array.mtx", whole, length);
}

static void expect_row(const struct csr *all, const struct csr *some, int64_t i,
                       const struct matrix_market_part *part)
{
    int64_t k = some->offsets[i], end = some->offsets[i + 1];
    bool kept = i >= part->first && i < part->end;
    for (int64_t l = all->offsets[i]; l < all->offsets[i + 1]; l++) {
        int32_t j = all->columns[l];
        if (!kept && j != i && (j < part->first || j >= part->last))
            continue;
        ck_assert(k < end && some->columns[k] == j);
        double wanted = kept || j != i ? all->values[l] : 0;
        ck_assert(memcmp(&some->values[k], &wanted, sizeof wanted) == 0);
        k++;
    }
    ck_assert(k == end);
}

/* Rows of ranks, some of them none, and a few behind each. */
static void expect_parts(const char *path, enum csr_kind kind, uint64_t *state)
{
    struct csr all;
    struct matrix_market_report whole, met;
    struct error error;
    int64_t duplicates = 0, pairs = 0, first = 0;
    uint64_t text_hash = 0;
    double asymmetry = 0;
    expect_ok(kind == CSR_SKEW ? matrix_market_read_skew(path, &all, &whole, &error)
                               : matrix_market_read(path, 1e-6, &all, &whole, &error),
              &error);
    for (int r = 0; r < PARTS; r++) {
        struct csr some;
        int64_t last = r + 1 == PARTS ? N : first + test_random_below(state, N - first + 1);
        struct matrix_market_part part = {first, last,
                                          last + test_random_below(state, N - last + 1)};
        expect_ok(matrix_market_read_part(path, kind, 1e-6, &part, &some, &met, &error), &error);
        ck_assert_int_eq(some.kind, all.kind);
        ck_assert_int_eq(some.n, N);
        for (int64_t i = 0; i < N; i++)
            expect_row(&all, &some, i, &part);
        ck_assert(r == 0 || met.text_hash == text_hash);
        ck_assert_int_eq(met.entries, whole.entries);
        text_hash = met.text_hash;
        duplicates += met.duplicates;
        pairs += met.averaged_pairs;
        asymmetry = met.asymmetry > asymmetry ? met.asymmetry : asymmetry;
        csr_free(&some);
        first = last;
    }
    ck_assert_int_eq(duplicates, whole.duplicates);
    ck_assert_int_eq(pairs, whole.averaged_pairs);
    ck_assert(asymmetry == whole.asymmetry);
    csr_free(&all);
}

START_TEST(parts_are_those_of_the_whole)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 20; trial++) {
        expect_parts(write_file("symmetric", CSR_SYMMETRIC, &state), CSR_SYMMETRIC, &state);
        expect_parts(write_file("general", CSR_SYMMETRIC, &state), CSR_SYMMETRIC, &state);
        expect_parts(write_file("skew-symmetric", CSR_SKEW, &state), CSR_SKEW, &state);
        expect_parts(write_file("general", CSR_SKEW, &state), CSR_SKEW, &state);
        expect_parts(write_array(&state), CSR_SYMMETRIC, &state);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A fault in rows that a rank does not keep is told as of the whole file. */
START_TEST(faults_are_those_of_the_whole)
{
    static const char *const texts[] = {
        "%%MatrixMarket matrix coordinate real symmetric\n9 9 2\n1 1 1\n9 x 1\n",
        "%%MatrixMarket matrix coordinate real general\n9 9 4\n1 2 1\n2 1 2\n9 8 1\n8 9 3\n",
        "%%MatrixMarket matrix coordinate real symmetric\n9 9 2\n8 9 1\n9 8 1\n"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        const char *path = temporary_file("fault.mtx", texts[t], -1);
        struct csr A;
        struct error whole, error;
        ck_assert_int_eq(matrix_market_read(path, 0, &A, NULL, &whole), STATUS_INPUT);
        struct matrix_market_part part = {7, 9, 9};
        ck_assert_int_eq(matrix_market_read_part(path, CSR_SYMMETRIC, 0, &part, &A, NULL, &error),
                         STATUS_INPUT);
        ck_assert_str_eq(error.text, whole.text);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Its rows are made, and it is not stored. */
START_TEST(kept_rows_are_made)
{
    uint64_t state = test_seed();
    const char *path = write_file("symmetric", CSR_SYMMETRIC, &state);
    struct matrix_market_part part = {20, 40, 50};
    struct csr all, A, rows;
    struct kept_rows kept;
    struct error error;
    expect_ok(matrix_market_read(path, 0, &all, NULL, &error), &error);
    expect_ok(matrix_market_read_part(path, CSR_SYMMETRIC, 0, &part, &A, NULL, &error), &error);
    kept_rows_create(&A, &kept);
    expect_error(csr_store(&A, &error), STATUS_UNAVAILABLE, &error, "its own rows alone", NULL);
    expect_ok(csr_make_rows(&A, 20, 50, &rows, &error), &error);
    ck_assert_int_eq(rows.nnz, all.offsets[50] - all.offsets[20]);
    for (int64_t k = 0; k < rows.nnz; k++) {
        ck_assert_int_eq(rows.columns[k] + 20, all.columns[all.offsets[20] + k]);
        ck_assert(rows.values[k] == all.values[all.offsets[20] + k]);
    }
    csr_free(&rows);
    csr_free(&A);
    csr_free(&all);
    kept_rows_free(&kept);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

struct attempt {
    const char *path;
    struct matrix_market_part part;
};

static enum status attempt(void *context, struct error *error)
{
    const struct attempt *attempt = context;
    struct csr A;
    enum status status = matrix_market_read_part(attempt->path, CSR_SYMMETRIC, 1e-6, &attempt->part,
                                                 &A, NULL, error);
    csr_free(&A);
    return status;
}

START_TEST(allocations_may_fail)
{
    uint64_t state = test_seed();
    struct attempt given = {write_file("general", CSR_SYMMETRIC, &state), {10, 30, 40}};
    walk_allocation_failures(attempt, &given);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {parts_are_those_of_the_whole, faults_are_those_of_the_whole,
                            kept_rows_are_made, allocations_may_fail, NULL};
    return suite_of("io/market/part", tests);
}
