/* Vectors of NumPy's files, in both orders and all versions of the format, and what is refused. */
#include "io/vectors.h"

#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 3, COLUMNS = 2 };

static const double by_rows[N][COLUMNS] = {{1, -2.5}, {0x1p-1074, 0.1}, {-0.0, 1e300}};
static const double by_columns[COLUMNS][N] = {{1, 0x1p-1074, -0.0}, {-2.5, 0.1, 1e300}};

/* A file of that version with the dictionary and the elements. */
static const char *array_file(int version, const char *dictionary, const void *elements,
                              size_t bytes)
{
    static unsigned char data[1 << 16];
    size_t before = version == 1 ? 10 : 12, length = strlen(dictionary) + 1;
    memset(data, 0, before);
    memcpy(data, "\x93NUMPY", 6);
    data[6] = (unsigned char)version;
    data[8] = (unsigned char)(length & 255);
    data[9] = (unsigned char)(length >> 8);
    memcpy(data + before, dictionary, length - 1);
    data[before + length - 1] = '\n';
    memcpy(data + before + length, elements, bytes);
    return temporary_file("b.npy", data, (int64_t)(before + length + bytes));
}

static void expect_columns(const char *path, int64_t n, int64_t columns, const void *wanted)
{
    struct error error;
    double read[N * COLUMNS];
    int64_t found;
    bool is_npy;
    expect_ok(npy_vectors.begins(path, &is_npy, &error), &error);
    ck_assert(is_npy);
    expect_ok(npy_vectors.columns(path, n, &found, &error), &error);
    ck_assert_int_eq(found, columns);
    expect_ok(npy_vectors.read(path, n, columns, 0, n, read, &error), &error);
    ck_assert_mem_eq(read, wanted, (size_t)(n * columns) * sizeof *read);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(both_orders_are_read)
{
    for (int version = 1; version <= 3; version++) {
        expect_columns(array_file(version,
                                  "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }",
                                  by_rows, sizeof by_rows),
                       N, COLUMNS, by_columns);
        expect_columns(array_file(version,
                                  "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }  ",
                                  by_columns, sizeof by_columns),
                       N, COLUMNS, by_columns);
    }
    /* a reader must not depend on the order of the keys, nor on blanks */
    expect_columns(array_file(1, "{ 'shape':(3,2),'fortran_order': False ,'descr':'<f8'}", by_rows,
                              sizeof by_rows),
                   N, COLUMNS, by_columns);
}
END_TEST

START_TEST(a_vector_is_a_column)
{
    static const char *const dictionaries[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (6, ), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (6,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (6, 1), }"};
    for (size_t k = 0; k < sizeof dictionaries / sizeof *dictionaries; k++)
        expect_columns(array_file(1, dictionaries[k], by_rows, sizeof by_rows), 6, 1, by_rows);
}
END_TEST

/* One row: it is the vector where n is its length. */
START_TEST(a_row_is_a_vector)
{
    expect_columns(array_file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 6), }",
                              by_rows, sizeof by_rows),
                   6, 1, by_rows);
    expect_columns(array_file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 6), }",
                              by_rows, sizeof by_rows),
                   1, 6, by_rows);
}
END_TEST

/* The bytes of the values in each type and order, as numpy writes them. */
START_TEST(other_numbers_become_doubles)
{
    static const float singles[] = {1.5f, -0.0f, 0x1p-149f, 3.25f, -0x1.fffffep127f, 0.1f};
    static const int8_t bytes[] = {0, -1, -128, 127, 5, -5};
    static const uint16_t shorts[] = {0, 1, 65535, 32768, 7, 9};
    static const int32_t integers[] = {0, -1, INT32_MIN, INT32_MAX, 12345678, -3};
    static const int64_t longs[] = {0, -1, INT64_MIN, INT64_C(1) << 53, -(INT64_C(1) << 62), 3};
    static const uint64_t most[] = {0, 1, UINT64_C(1) << 63, UINT64_C(1) << 53, 5, 6};
    static const struct {
        const char *type;
        const void *elements;
        size_t size;
    } cases[] = {{"f4", singles, 4}, {"i1", bytes, 1}, {"u2", shorts, 2}, {"i4", integers, 4},
                 {"i8", longs, 8},   {"u8", most, 8},  {"f8", by_rows, 8}};
    for (size_t k = 0; k < 2 * (sizeof cases / sizeof *cases); k++) {
        bool turned = k % 2;
        size_t size = cases[k / 2].size;
        const char *type = cases[k / 2].type;
        const unsigned char *from = cases[k / 2].elements;
        unsigned char elements[48];
        char dictionary[80];
        for (size_t b = 0; b < 6 * size; b++)
            elements[b] = from[turned ? b / size * size + size - 1 - b % size : b];
        double wanted[6];
        for (int i = 0; i < 6; i++)
            wanted[i] = k / 2 == 0   ? singles[i]
                        : k / 2 == 1 ? bytes[i]
                        : k / 2 == 2 ? shorts[i]
                        : k / 2 == 3 ? integers[i]
                        : k / 2 == 4 ? (double)longs[i]
                        : k / 2 == 5 ? (double)most[i]
                                     : by_rows[i / 2][i % 2];
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '%c%s', 'fortran_order': True, 'shape': (3, 2), }", turned ? '>' : '<',
                 type);
        expect_columns(array_file(1, dictionary, elements, 6 * size), N, COLUMNS, wanted);
        dictionary[11] = size == 1 ? '|' : dictionary[11];
        expect_columns(array_file(1, dictionary, elements, 6 * size), N, COLUMNS, wanted);
    }
    static const int64_t odd[] = {1, (INT64_C(1) << 53) + 1, 2}, end[] = {1, 2, INT64_MAX};
    struct error error;
    double read[N];
    const char one[] = "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }";
    expect_error(npy_vectors.read(array_file(1, one, odd, sizeof odd), N, 1, 0, N, read, &error),
                 STATUS_INPUT, &error, "element 1, counted from 0, is an integer that no double",
                 NULL);
    expect_error(npy_vectors.read(array_file(1, one, end, sizeof end), N, 1, 0, N, read, &error),
                 STATUS_INPUT, &error, "element 2, counted from 0, is an integer that no double",
                 NULL);
}
END_TEST

/* More rows than a piece of the transposition holds. */
START_TEST(many_rows_are_transposed)
{
    enum { MANY = 50000, WIDE = 3 };
    struct error error;
    double *rows = memory_array(MANY * WIDE, sizeof *rows, "a test", NULL);
    double *read = memory_array(MANY * WIDE, sizeof *read, "a test", NULL);
    char header[129];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    int length =
        snprintf(header + 10, 118, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                 MANY, WIDE);
    header[10 + length] = ' ';
    header[127] = '\n';
    for (int64_t k = 0; k < MANY * WIDE; k++)
        rows[k] = (double)k;
    const char *path = temporary_path("many.npy");
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(header, 1, 128, file), 128);
    ck_assert_uint_eq(fwrite(rows, sizeof *rows, MANY * WIDE, file), MANY * WIDE);
    fclose(file);
    expect_ok(npy_vectors.read(path, MANY, WIDE, 0, MANY, read, &error), &error);
    for (int64_t k = 0; k < MANY * WIDE; k++)
        ck_assert(read[k % WIDE * MANY + k / WIDE] == (double)k);
    memory_free(rows);
    memory_free(read);
}
END_TEST

static const char good[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }";

START_TEST(other_files_are_refused)
{
    static const struct {
        const char *dictionary, *fault;
    } cases[] = {
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (3,), }", "not an array of numbers"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (3, 2), }", "not an array of numbers"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (3, 2), }", "not an array of numbers"},
        {"{'descr': '<i3', 'fortran_order': False, 'shape': (3, 2), }", "not an array of numbers"},
        {"{'descr': '<i0', 'fortran_order': False, 'shape': (3, 2), }", "not an array of numbers"},
        {"{'descr': '|S8', 'fortran_order': False, 'shape': (3, 2), }", "not an array of numbers"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }", "not an array of"},
        {"{'fortran_order': False, 'shape': (3, 2), }", "not an array of numbers"},
        {"{'descr': '<f8', 'shape': (3, 2), }", "neither of one dimension nor of two"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (3, 2), }", "neither of one dimension"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "neither of one dimension"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1, 2), }", "neither of one"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0), }", "has no columns"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 2), }", "neither of one"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }", "shorter than its header"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 2), }",
         "shorter than its header"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
         "of 2 rows, but must have 3"},
        {"", "not an array of numbers"},
    };
    struct error error;
    int64_t columns;
    double read[N * COLUMNS];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *path = array_file(1, cases[k].dictionary, by_rows, sizeof by_rows);
        expect_error(npy_vectors.columns(path, N, &columns, &error), STATUS_INPUT, &error, path,
                     cases[k].fault, NULL);
        expect_error(npy_vectors.read(path, N, COLUMNS, 0, N, read, &error), STATUS_INPUT, &error,
                     path, cases[k].fault, NULL);
    }
    const char *path = array_file(4, good, by_rows, sizeof by_rows);
    expect_error(npy_vectors.columns(path, N, &columns, &error), STATUS_INPUT, &error, path,
                 "version 1, 2 or 3", NULL);
    path = array_file(1, good, by_rows, sizeof by_rows);
    expect_error(npy_vectors.read(path, N, 1, 0, N, read, &error), STATUS_INPUT, &error,
                 "2 columns, but must have 1", NULL);
    expect_error(npy_vectors.columns("/no/such.npy", N, &columns, &error), STATUS_INPUT, &error,
                 "/no/such.npy", NULL);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Cut behind each of its bytes. */
START_TEST(a_file_that_is_cut_is_refused)
{
    struct error error;
    char bytes[256];
    int64_t columns;
    FILE *file = fopen(array_file(1, good, by_rows, sizeof by_rows), "rb");
    ck_assert_ptr_nonnull(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t cut = 0; cut < length; cut++) {
        const char *path = temporary_file("cut.npy", bytes, (int64_t)cut);
        bool is_npy;
        expect_ok(npy_vectors.begins(path, &is_npy, &error), &error);
        ck_assert(is_npy == (cut >= 6));
        expect_error(npy_vectors.columns(path, N, &columns, &error), STATUS_INPUT, &error, path,
                     NULL);
    }
}
END_TEST

START_TEST(an_element_must_be_finite)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    struct error error;
    double read[N * COLUMNS], rows[N][COLUMNS];
    for (int k = 0; k < 3; k++) {
        memcpy(rows, by_rows, sizeof rows);
        rows[2][1] = wrong[k];
        expect_error(npy_vectors.read(array_file(1, good, rows, sizeof rows), N, COLUMNS, 0, N,
                                      read, &error),
                     STATUS_INPUT, &error, "element (2, 1)", NULL);
    }
}
END_TEST

static enum status attempt(void *path, struct error *error)
{
    double read[N * COLUMNS];
    return npy_vectors.read(path, N, COLUMNS, 0, N, read, error);
}

START_TEST(failures)
{
    char path[300];
    snprintf(path, sizeof path, "%s", array_file(1, good, by_rows, sizeof by_rows));
    walk_allocation_failures(attempt, path);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {both_orders_are_read,
                            a_vector_is_a_column,
                            a_row_is_a_vector,
                            other_numbers_become_doubles,
                            many_rows_are_transposed,
                            other_files_are_refused,
                            a_file_that_is_cut_is_refused,
                            an_element_must_be_finite,
                            failures,
                            NULL};
    return suite_of("io/npy_vectors", tests);
}
