/* Matrix Market files with many entries: random ones come back as they were written, to the last
 * bit, whatever the threads, plain and gzipped; and allocations that fail. */
#include "csr_check.h"
#include "io/market/matrix_market.h"
#include "io/text_source.h"
#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct error error;

/* A text that grows. */
struct text {
    char *bytes;
    size_t length, room;
};

static void append(struct text *text, const char *format, ...)
{
    if (text->room - text->length < 256) {
        text->room = 2 * text->room + 1024;
        text->bytes = realloc(text->bytes, text->room);
        ck_assert(text->bytes != NULL);
    }
    va_list arguments;
    va_start(arguments, format);
    text->length += (size_t)vsnprintf(text->bytes + text->length, 256, format, arguments);
    va_end(arguments);
}

static const char *write_text(const struct text *text, int zipped, int64_t member)
{
    if (!zipped)
        return temporary_file("large.mtx", text->bytes, (int64_t)text->length);
    const char *path = temporary_path("large");
    remove(path);
    for (size_t at = 0; at < text->length; at += (size_t)member) {
        size_t count = text->length - at < (size_t)member ? text->length - at : (size_t)member;
        gzFile file = gzopen(path, "ab1");
        ck_assert(file != NULL);
        ck_assert_int_eq(gzwrite(file, text->bytes + at, (unsigned)count), (int)count);
        ck_assert_int_eq(gzclose(file), Z_OK);
    }
    return path;
}

/* Any finite double. */
static double random_double(uint64_t *state)
{
    uint64_t bits;
    double value;
    do {
        bits =
            (uint64_t)(test_random(state) * 0x1p32) << 32 | (uint64_t)(test_random(state) * 0x1p32);
        memcpy(&value, &bits, sizeof value);
    } while (value - value != 0);
    return value;
}

static const char *random_space(uint64_t *state)
{
    static const char *const spaces[] = {" ", " ", "\t", "   ", " \t "};
    return spaces[test_random_below(state, 5)];
}

static const char *random_line_end(uint64_t *state)
{
    static const char *const ends[] = {"\n",        "\n", "\r\n", "\r", " \n", "\n\n% comment\n",
                                       "\t\r\n\r\n"};
    return ends[test_random_below(state, 7)];
}

/* A random upper triangle, diagonal stored. */
static void random_matrix(struct csr *A, enum csr_kind kind, int64_t n, double density,
                          uint64_t *state)
{
    expect_ok(csr_create(A, kind, n, n * (n + 1) / 2, &error), &error);
    A->nnz = 0;
    for (int64_t i = 0; i < n; i++) {
        A->offsets[i] = A->nnz;
        for (int64_t j = i; j < n; j++)
            if (j == i || test_random(state) < density) {
                A->columns[A->nnz] = (int32_t)j;
                A->values[A->nnz++] = j == i && kind == CSR_SKEW ? 0 : random_double(state);
            }
    }
    A->offsets[n] = A->nnz;
}

/* The entries in random order, each in a random triangle (or, of a general file, in both). */
static void write_matrix(struct text *text, const struct csr *A, int general, uint64_t *state)
{
    int64_t count = 0, most = 2 * A->nnz;
    int32_t *rows = malloc((size_t)most * sizeof *rows),
            *columns = malloc((size_t)most * sizeof *rows);
    double *values = malloc((size_t)most * sizeof *values);
    ck_assert(rows && columns && values);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int32_t j = A->columns[k];
            int mirrored = test_random(state) < 0.5;
            for (int copy = 0; copy < (general && j != i ? 2 : 1); copy++, mirrored = !mirrored) {
                int64_t place = test_random_below(state, count + 1);
                rows[count] = rows[place];
                columns[count] = columns[place];
                values[count++] = values[place];
                rows[place] = mirrored ? j : (int32_t)i;
                columns[place] = mirrored ? (int32_t)i : j;
                values[place] =
                    mirrored && A->kind == CSR_SKEW && j != i ? -A->values[k] : A->values[k];
            }
        }
    append(text, "%%%%MatrixMarket matrix coordinate real %s%s",
           general               ? "general"
           : A->kind == CSR_SKEW ? "skew-symmetric"
                                 : "symmetric",
           random_line_end(state));
    append(text, "%d %d %d%s", (int)A->n, (int)A->n, (int)count, random_line_end(state));
    for (int64_t k = 0; k < count; k++)
        append(text, "%d%s%d%s%.17g%s", rows[k] + 1, random_space(state), columns[k] + 1,
               random_space(state), values[k], random_line_end(state));
    free(rows);
    free(columns);
    free(values);
}

static void expect_equal(const struct csr *A, const struct csr *B)
{
    ck_assert_int_eq(A->kind, B->kind);
    ck_assert_int_eq(A->n, B->n);
    ck_assert_int_eq(A->nnz, B->nnz);
    ck_assert_mem_eq(A->offsets, B->offsets, (size_t)(A->n + 1) * sizeof *A->offsets);
    ck_assert_mem_eq(A->columns, B->columns, (size_t)A->nnz * sizeof *A->columns);
    ck_assert_mem_eq(A->values, B->values, (size_t)A->nnz * sizeof *A->values);
}

static void round_trip(enum csr_kind kind, int general, int64_t n, double density, uint64_t *state)
{
    struct csr A, B;
    struct text text = {0};
    struct matrix_market_report report;
    random_matrix(&A, kind, n, density, state);
    write_matrix(&text, &A, general, state);
    int zipped = test_random(state) < 0.5;
    const char *path =
        write_text(&text, zipped, 1 + test_random_below(state, 2 * (int64_t)text.length));
    test_threads(1 + (int)test_random_below(state, 4));
    expect_ok(matrix_market_read(path, CSR_SYMMETRIC, 0, NULL, &B, &report, &error), &error);
    expect_equal(&A, &B);
    ck_assert_int_eq(report.entries, general ? 2 * A.nnz - n : A.nnz);
    ck_assert(report.asymmetry == 0 && report.duplicates == 0);
    csr_free(&A);
    csr_free(&B);
    free(text.bytes);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(test_round_trips)
{
    uint64_t state = 7;
    for (int trial = 0; trial < 60; trial++) {
        int64_t n = 1 + test_random_below(&state, trial < 40 ? 12 : 120);
        double density = test_random(&state);
        round_trip(CSR_SYMMETRIC, 0, n, density, &state);
        round_trip(CSR_SKEW, 0, n, density, &state);
        round_trip(CSR_SYMMETRIC, 1, n, density, &state);
    }
    round_trip(CSR_SYMMETRIC, 0, 700, 0.5, &state);
    round_trip(CSR_SYMMETRIC, 1, 500, 0.5, &state);
    round_trip(CSR_SKEW, 0, 500, 0.9, &state);
}
END_TEST

/* Entries with many duplicates, and one row longer than any scratch of a thread. */
static void write_duplicates(struct text *text, const char *symmetry, int entries)
{
    enum { N = 6000 };
    uint64_t state = 11;
    int mirror = strcmp(symmetry, "general") == 0;
    append(text, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n", symmetry, N, N,
           mirror ? 2 * entries : entries);
    for (int k = 0; k < entries; k++) {
        int i = test_random(&state) < 0.5 ? 1 : 1 + (int)test_random_below(&state, 40);
        int j = 1 + (int)test_random_below(&state, i == 1 ? N : 60);
        int low = i < j ? i : j, high = i < j ? j : i;
        double value = test_random(&state) - 0.5;
        append(text, "%d %d %.17g\n", low, high, value);
        if (mirror)
            append(text, "%d %d %.17g\n", high, low, value);
    }
}

/* The same, in the simplest way: a dense table, entry after entry. */
static void expect_sums(const struct csr *A, const struct text *text)
{
    enum { N = 6000, TABLE = 100 };
    static double table[TABLE][N + 1];
    static char met[TABLE][N + 1];
    int64_t positions = 0;
    memset(met, 0, sizeof met);
    const char *line = strchr(strchr(text->bytes, '\n') + 1, '\n') + 1;
    while (line < text->bytes + text->length) {
        char *next;
        int i = (int)strtol(line, &next, 10), j = (int)strtol(next, &next, 10);
        double value = strtod(next, &next);
        line = next + 1;
        if (i > j)
            continue;
        ck_assert_int_lt(i, TABLE);
        table[i][j] = met[i][j] ? table[i][j] + value : value;
        met[i][j] = 1;
    }
    for (int i = 1; i <= N; i++)
        for (int j = i; j <= N; j++)
            positions += i == j || (i < TABLE && met[i][j]);
    ck_assert_int_eq(A->nnz, positions);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            ck_assert(A->values[k] == (i + 1 < TABLE ? table[i + 1][A->columns[k] + 1] : 0));
}

static void expect_same_for_all_threads(const struct text *text, int check_sums)
{
    static const int counts[] = {1, 2, 3, 7};
    struct csr first = {0}, A;
    struct matrix_market_report met, report;
    for (int run = 0; run < 8; run++) {
        test_threads(counts[run % 4]);
        const char *path = write_text(text, run >= 4, 3000000);
        expect_ok(matrix_market_read(path, CSR_SYMMETRIC, 0, NULL, &A, &report, &error), &error);
        expect_ok(csr_check(&A, &error), &error);
        if (run == 0) {
            first = A;
            met = report;
            if (check_sums)
                expect_sums(&A, text);
            continue;
        }
        expect_equal(&first, &A);
        ck_assert_int_eq(report.duplicates, met.duplicates);
        csr_free(&A);
    }
    csr_free(&first);
}

START_TEST(test_threads_duplicates)
{
    struct text text = {0};
    write_duplicates(&text, "symmetric", 200000);
    expect_same_for_all_threads(&text, 1);
    free(text.bytes);
}
END_TEST

START_TEST(test_threads_general_duplicates)
{
    struct text text = {0};
    write_duplicates(&text, "general", 100000);
    expect_same_for_all_threads(&text, 1);
    free(text.bytes);
}
END_TEST

START_TEST(test_threads_sparse)
{
    enum { N = 150000 };
    struct text text = {0};
    uint64_t state = 3;
    append(&text, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", N, N, 2 * N - 1);
    for (int k = N; k > 0; k--) {
        append(&text, "%d %d %.17g\n", k, k, random_double(&state));
        if (k > 1)
            append(&text, "%d %d %.17g\n", k, k - 1, random_double(&state));
    }
    expect_same_for_all_threads(&text, 0);
    free(text.bytes);
}
END_TEST

/* Chunks, windows and lines do not fit: lines longer than many chunks, and more of them than a
 * window holds. */
START_TEST(test_long_lines)
{
    enum { LONG = TEXT_LINE_MOST - 6, COMMENTS = 40, BYTES = (COMMENTS + 2) * (LONG + 8) };
    struct text text = {0};
    struct csr A;
    append(&text, "%%%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 ");
    text.bytes = realloc(text.bytes, BYTES);
    text.room = BYTES;
    ck_assert(text.bytes != NULL);
    memset(text.bytes + text.length, '0', LONG);
    text.length += LONG;
    append(&text, "5\n");
    for (int k = 0; k < COMMENTS; k++) {
        append(&text, "%%");
        memset(text.bytes + text.length, '-', LONG);
        text.length += LONG;
        append(&text, k % 2 ? "\r\n" : "\r");
    }
    append(&text, "2 2 7");
    for (int zipped = 0; zipped < 2; zipped++) {
        expect_ok(matrix_market_read(write_text(&text, zipped, BYTES / 4), CSR_SYMMETRIC, 0, NULL,
                                     &A, NULL, &error),
                  &error);
        ck_assert(A.n == 2 && A.nnz == 2 && A.values[0] == 5 && A.values[1] == 7);
        csr_free(&A);
    }
    free(text.bytes);
}
END_TEST

START_TEST(test_array_over_many_chunks)
{
    enum { N = 300 };
    struct text text = {0};
    append(&text, "%%%%MatrixMarket matrix array real general\n%d %d\n", N, N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            append(&text, "%d\n", i * j + (i + j) % 7);
    struct csr A;
    for (int threads = 1; threads <= 3; threads++) {
        test_threads(threads);
        expect_ok(matrix_market_read(write_text(&text, threads == 2, 50000), CSR_SYMMETRIC, 0, NULL,
                                     &A, NULL, &error),
                  &error);
        ck_assert_int_eq(A.nnz, N * (N + 1) / 2);
        for (int64_t i = 0; i < N; i++)
            for (int64_t k = A.offsets[i]; k < A.offsets[i + 1]; k++)
                ck_assert(A.values[k] == (double)(i * A.columns[k] + (i + A.columns[k]) % 7));
        csr_free(&A);
    }
    free(text.bytes);
}
END_TEST

static enum status read_and_free(void *path, struct error *met)
{
    struct csr A;
    enum status status = matrix_market_read(path, CSR_SYMMETRIC, 1, NULL, &A, NULL, met);
    csr_free(&A);
    return status;
}

static enum status read_vector(void *path, struct error *met)
{
    double b[3];
    return market_vectors.read(path, 3, 1, 0, 3, b, met);
}

START_TEST(test_allocation_failures)
{
    struct text text = {0};
    write_duplicates(&text, "symmetric", 30000);
    char path[300];
    snprintf(path, sizeof path, "%s", write_text(&text, 0, 0));
    walk_allocation_failures(read_and_free, path);
    snprintf(path, sizeof path, "%s", write_text(&text, 1, 400000));
    walk_allocation_failures(read_and_free, path);
    free(text.bytes);
    snprintf(path, sizeof path, "%s",
             temporary_file("general.mtx",
                            "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 2\n",
                            -1));
    walk_allocation_failures(read_and_free, path);
    snprintf(path, sizeof path, "%s",
             temporary_file("vector.mtx",
                            "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n", -1));
    walk_allocation_failures(read_vector, path);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {test_round_trips,
                                  test_threads_duplicates,
                                  test_threads_general_duplicates,
                                  test_threads_sparse,
                                  test_long_lines,
                                  test_array_over_many_chunks,
                                  test_allocation_failures,
                                  NULL};
    return suite_of("io/market/large", tests);
}
