/* The vectors that a run writes: the names of their files, what is in them, and that an earlier
 * study's go. */
#include "program/record/vector_files.h"

#include "io/market/matrix_market.h"
#include "io/text_file.h"
#include "main/program.h"
#include "problem/rhs.h"
#include "program/record/results.h"
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(names_tell_labels_apart)
{
    static const char *const labels[][2] = {
        {"cpu_csr", "eigenvectors-cpu_csr-7.npy"},
        {"a threads=2", "eigenvectors-a%20threads=2-7.npy"},
        {"a/../b", "eigenvectors-a%2F..%2Fb-7.npy"},
        {"50%", "eigenvectors-50%25-7.npy"},
        {"\xc3\xa4", "eigenvectors-%C3%A4-7.npy"},
    };
    char name[VECTOR_FILE_NAME], other[VECTOR_FILE_NAME], label[152], slashes[900];
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++)
        ck_assert_str_eq(vector_file_name(name, "eigenvectors", labels[k][0], 7, "npy"),
                         labels[k][1]);
    ck_assert_str_eq(vector_file_name(name, "solution", "a b", 12, "mtx"), "solution-a%20b-12.mtx");
    memset(label, 'a', 151);
    label[150] = '\0';
    vector_file_name(name, "eigenvectors", label, INT64_MAX, "npy");
    ck_assert(strstr(name, label) != NULL && vector_file_is_named(name));
    label[150] = 'a';
    label[151] = '\0';
    ck_assert_uint_eq(strlen(vector_file_name(name, "solution", label, 7, "txt")),
                      strlen("solution--7.txt") + 16);
    label[0] = 'b';
    ck_assert_str_ne(name, vector_file_name(other, "solution", label, 7, "txt"));
    memset(slashes, '/', sizeof slashes);
    slashes[sizeof slashes - 1] = '\0';
    ck_assert_uint_eq(strlen(vector_file_name(name, "solution", slashes, 7, "txt")),
                      strlen("solution--7.txt") + 16);
}
END_TEST

static enum status write_run(void *context, struct error *error)
{
    static const double vectors[2][3] = {{1, 2, 3}, {-4, 5, 0x1p-1074}};
    struct npy_file file = {0};
    enum status status = STATUS_OK;
    for (int k = 0; k < 2 && !status; k++) {
        struct event vector = {
            .kind = EVENT_EIGENVECTOR, .label = "a b", .run = 2, .place = k, .values = vectors[k]};
        status = eigenvector_file_take(&file, context, &vector, 3, error);
    }
    if (!status)
        return npy_finish(&file, error);
    npy_abandon(&file);
    return status;
}

/* The head of an array and the numbers behind it, wanted[count]. */
static void expect_array(const char *path, const char *head, const double *wanted, size_t count)
{
    char bytes[512];
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(bytes, 1, sizeof bytes, file), 128 + count * sizeof *wanted);
    fclose(file);
    ck_assert_mem_eq(bytes + 10, head, strlen(head));
    ck_assert_mem_eq(bytes + 128, wanted, count * sizeof *wanted);
}

START_TEST(a_matrix_is_written)
{
    struct error error;
    char directory[200], path[300];
    static const char head[] = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }";
    static const double wanted[] = {1, 2, 3, -4, 5, 0x1p-1074};
    snprintf(directory, sizeof directory, "%s", temporary_path("vectors"));
    expect_ok(directory_make(directory, &error), &error);
    walk_allocation_failures(write_run, directory);
    snprintf(path, sizeof path, "%s/eigenvectors-a%%20b-2.npy", directory);
    expect_array(path, head, wanted, sizeof wanted / sizeof *wanted);
    ck_assert(results_include(directory, path));
    strcat(path, ".partial");
    ck_assert(results_include(directory, path));
    ck_assert(!results_include(directory, "/tmp/eigenvectors-a-1.npy"));
}
END_TEST

static const double numbers[] = {1,         -2.5,    1.0 / 3,        -0.0,       0.1 + 0.2,
                                 0x1p-1074, DBL_MAX, -0x1.fffp-1040, 1e22 + 1e6, 123456789};
enum { COUNT = sizeof numbers / sizeof *numbers };

struct written {
    const char *directory;
    enum solution_format format;
    const double *x;
    int64_t n, columns, piece;
};

static enum status write_solution(void *context, struct error *error)
{
    const struct written *written = context;
    struct solution_file file = {0};
    enum status status = STATUS_OK;
    int64_t n = written->n, most = written->piece;
    for (int64_t first = 0; first < n && !status; first += most) {
        struct event piece = {.kind = EVENT_SOLUTION,
                              .label = "k",
                              .run = 3,
                              .first = first,
                              .count = n - first < most ? n - first : most,
                              .values = written->x + first};
        status = solution_file_take(&file, written->directory, written->format, &piece, n,
                                    written->columns, error);
    }
    return status;
}

/* Write X[columns][n], and where it stands then. */
static const char *solutions_of(enum solution_format format, const double *x, int64_t n,
                                int64_t columns)
{
    static char directory[200], path[300];
    struct error error;
    snprintf(directory, sizeof directory, "%s", temporary_path("solutions"));
    expect_ok(directory_make(directory, &error), &error);
    struct written written = {directory, format, x, n, columns, columns > 1 ? n : 3};
    walk_allocation_failures(write_solution, &written);
    snprintf(path, sizeof path, "%s/solution-k-3.%s", directory, solution_formats[format]);
    ck_assert(results_include(directory, path));
    ck_assert_int_eq(memory_live(), 0);
    return path;
}

static const char *solution_of(enum solution_format format, const double *x, int64_t n)
{
    return solutions_of(format, x, n, 1);
}

/* The same, read by scanf, which rounds correctly, behind `skip` lines. */
static void expect_lines(const char *path, int skip)
{
    FILE *file = fopen(path, "r");
    char line[64], rest;
    ck_assert_ptr_nonnull(file);
    for (int k = 0; k < skip; k++)
        ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    for (int i = 0; i < COUNT; i++) {
        double value;
        ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
        ck_assert_int_eq(sscanf(line, "%lf%c", &value, &rest), 2);
        ck_assert_int_eq(rest, '\n');
        ck_assert_mem_eq(&value, &numbers[i], sizeof value);
    }
    ck_assert_int_eq(fgetc(file), EOF);
    fclose(file);
}

START_TEST(solutions_keep_every_bit)
{
    struct error error;
    expect_array(solution_of(SOLUTION_NPY, numbers, COUNT),
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (10,), } ", numbers, COUNT);
    expect_lines(solution_of(SOLUTION_TXT, numbers, COUNT), 0);
    const char *path = solution_of(SOLUTION_MTX, numbers, COUNT);
    static const char banner[] = "%%MatrixMarket matrix array real general\n10 1\n1\n-2.5\n";
    ck_assert_mem_eq(file_text(path), banner, strlen(banner));
    expect_lines(path, 2);
    double read[COUNT];
    expect_ok(market_vectors.read(path, COUNT, 1, 0, COUNT, read, &error), &error);
    ck_assert_mem_eq(read, numbers, sizeof numbers);
}
END_TEST

/* Whatever bits come out of a solve: those of random words, in which every exponent comes up. */
START_TEST(random_bits_come_back)
{
    enum { MANY = 3000 };
    static double x[MANY], read[MANY];
    uint64_t state = test_seed();
    struct error error;
    for (int i = 0; i < MANY; i++)
        do {
            uint64_t word = 0;
            for (int part = 0; part < 4; part++)
                word = word << 16 | (uint64_t)test_random_below(&state, 1 << 16);
            memcpy(&x[i], &word, sizeof word);
        } while (!isfinite(x[i]));
    const char *path = solution_of(SOLUTION_MTX, x, MANY);
    expect_ok(market_vectors.read(path, MANY, 1, 0, MANY, read, &error), &error);
    ck_assert_mem_eq(read, x, sizeof x);
}
END_TEST

/* What a solve that went wrong leaves is written too; as a right-hand side it is refused. */
START_TEST(solutions_that_are_not_finite_are_written)
{
    static const double x[] = {1, NAN, INFINITY, -INFINITY};
    double minus = copysign(NAN, -1), read[4];
    struct error error;
    expect_array(solution_of(SOLUTION_NPY, x, 4),
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), } ", x, 4);
    ck_assert_str_eq(file_text(solution_of(SOLUTION_TXT, x, 4)), "1\nnan\ninf\n-inf\n");
    ck_assert_str_eq(file_text(solution_of(SOLUTION_TXT, &minus, 1)), "nan\n");
    const char *path = solution_of(SOLUTION_MTX, x, 4);
    expect_text(file_text(path), "\n4 1\n1\nnan\ninf\n-inf\n");
    expect_error(market_vectors.read(path, 4, 1, 0, 4, read, &error), STATUS_INPUT, &error, path,
                 ":4:", "nan", NULL);
}
END_TEST

/* What is written is read again as the right-hand sides of another solve, or as text. */
START_TEST(solutions_of_several_columns_come_back)
{
    static const double X[2][3] = {{1, -2.5, 1e-300}, {0.1, 0, 4}};
    static const enum solution_format read_again[] = {SOLUTION_NPY, SOLUTION_MTX};
    struct error error;
    for (int k = 0; k < 2; k++) {
        const char *path = solutions_of(read_again[k], X[0], 3, 2);
        double read[2][3];
        int64_t columns;
        expect_ok(vector_file_columns(path, 3, &columns, &error), &error);
        ck_assert_int_eq(columns, 2);
        expect_ok(vector_file_read(path, 3, &(struct rhs_part){2, 0, 3}, read[0], &error), &error);
        ck_assert_mem_eq(read, X, sizeof X);
    }
    ck_assert_str_eq(file_text(solutions_of(SOLUTION_TXT, X[0], 3, 2)),
                     "1 0.10000000000000001\n-2.5 0\n1e-300 4\n");
}
END_TEST

/* A line longer than a part of it may be. */
START_TEST(a_long_row_of_text_is_one_line)
{
    enum { MANY = 300 };
    double X[MANY];
    for (int k = 0; k < MANY; k++)
        X[k] = 1.0 / 3 + k;
    const char *at = file_text(solutions_of(SOLUTION_TXT, X, 1, MANY));
    char *end;
    for (int k = 0; k < MANY; k++, at = end)
        ck_assert_double_eq(strtod(at, &end), X[k]);
    ck_assert_str_eq(at, "\n");
}
END_TEST

START_TEST(a_directory_that_is_not_there_is_named)
{
    struct error error;
    struct event solution = {.label = "k", .run = 3, .count = COUNT, .values = numbers};
    for (int format = SOLUTION_NPY; solution_formats[format]; format++) {
        struct solution_file file = {0};
        expect_error(solution_file_take(&file, "/no/such", (enum solution_format)format, &solution,
                                        COUNT, 1, &error),
                     STATUS_OUTPUT, &error, "/no/such/solution-k-3.", NULL);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {names_tell_labels_apart,
                            a_matrix_is_written,
                            solutions_keep_every_bit,
                            random_bits_come_back,
                            solutions_that_are_not_finite_are_written,
                            solutions_of_several_columns_come_back,
                            a_long_row_of_text_is_one_line,
                            a_directory_that_is_not_there_is_named,
                            NULL};
    return suite_of("program/record/vector_files", tests);
}
