/* Arrays in the format of NumPy: the bytes, read back, and what is refused. */
#include "io/npy_file.h"

#include "io/text_file.h"
#include "main/program.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double rows[3][2] = {{1, -2.5}, {0x1p-1074, INFINITY}, {-0.0, 1e300}};

/* The header as the format wants it: magic, version 1.0, its length, a dictionary, blanks, LF at byte 128. */
static void expect_bytes(const char *path, int count, bool transposed)
{
    FILE *file = fopen(path, "rb");
    char bytes[256], wanted[256];
    ck_assert_ptr_nonnull(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ck_assert_uint_eq(length, 128 + (size_t)count * sizeof rows[0]);
    memset(wanted, ' ', sizeof wanted);
    memcpy(wanted, "\x93NUMPY\x01\x00\x76\x00", 10);
    char dictionary[100];
    int text = snprintf(dictionary, sizeof dictionary,
                        transposed ? "{'descr': '<f8', 'fortran_order': True, 'shape': (2, %d), }"
                                   : "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 2), }",
                        count);
    memcpy(wanted + 10, dictionary, (size_t)text);
    wanted[127] = '\n';
    ck_assert_mem_eq(bytes, wanted, 128);
    ck_assert_mem_eq(bytes + 128, rows, length - 128);
}

/* What is appended is a column: the same bytes, and another shape. */
START_TEST(written_in_the_order_of_fortran)
{
    struct error error;
    struct npy_file file;
    char path[300];
    const char *directory = temporary_path("npy");
    snprintf(path, sizeof path, "%s/columns.npy", directory);
    expect_ok(directory_make(directory, &error), &error);
    expect_ok(npy_begin(directory, "columns.npy", 2, true, &file, &error), &error);
    for (int k = 0; k < 3; k++)
        expect_ok(npy_append(&file, rows[k], &error), &error);
    expect_ok(npy_finish(&file, &error), &error);
    expect_bytes(path, 3, true);
    expect_error(npy_open(path, &file, &error), STATUS_INPUT, &error, "is not an array of a trace",
                 NULL);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(written_and_read)
{
    struct error error;
    struct npy_file file;
    char path[300], partial[310];
    const char *directory = temporary_path("npy");
    snprintf(path, sizeof path, "%s/a.npy", directory);
    snprintf(partial, sizeof partial, "%s.partial", path);
    expect_ok(directory_make(directory, &error), &error);
    expect_ok(npy_begin(directory, "a.npy", 2, false, &file, &error), &error);
    expect_bytes(partial, 0, false);
    for (int k = 0; k < 3; k++) {
        expect_ok(npy_append(&file, rows[k], &error), &error);
        expect_bytes(partial, k + 1, false); /* whole after every row */
    }
    expect_ok(npy_finish(&file, &error), &error);
    expect_bytes(path, 3, false);

    double row[2];
    expect_ok(npy_open(path, &file, &error), &error);
    ck_assert(file.rows == 3 && file.columns == 2);
    for (int k = 2; k >= 0; k--) {
        expect_ok(npy_read(&file, k, row, &error), &error);
        ck_assert_mem_eq(row, rows[k], sizeof row);
    }
    expect_error(npy_read(&file, 3, row, &error), STATUS_INPUT, &error, path, "row 3 is missing",
                 NULL);
    npy_abandon(&file);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A header may promise more rows than a file can have, and a trace.csv name one of them. */
START_TEST(rows_beyond_every_file)
{
    static const int64_t shapes[][3] = {/* rows, columns, the row */
                                        {INT64_MAX, 3, INT64_C(1) << 61},
                                        {INT64_MAX, 1, INT64_MAX / 8},
                                        {INT64_MAX, 1 << 20, INT64_MAX - 1},
                                        {INT64_MAX, 2, INT64_C(1) << 60}};
    for (int k = 0; k < 4; k++) {
        struct error error;
        struct npy_file file;
        char bytes[128 + 64];
        static double row[1 << 20];
        memset(bytes, ' ', sizeof bytes);
        memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
        int length = sprintf(bytes + 10,
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (%" PRId64
                             ", %" PRId64 "), }",
                             shapes[k][0], shapes[k][1]);
        bytes[10 + length] = ' ';
        bytes[127] = '\n';
        expect_ok(npy_open(temporary_file("long.npy", bytes, sizeof bytes), &file, &error), &error);
        expect_error(npy_read(&file, shapes[k][2], row, &error), STATUS_INPUT, &error,
                     " is missing", NULL);
        npy_abandon(&file);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(others_are_refused)
{
    struct error error;
    struct npy_file file;
    static const char *const wrong[] = {
        "",
        "kernel,run\n",
        "\x93NUMPY\x01\x00\x76",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 0), }",
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char bytes[128];
        memset(bytes, ' ', sizeof bytes);
        memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
        memcpy(bytes + (k < 3 ? 0 : 10), wrong[k], strlen(wrong[k]));
        const char *path = temporary_file("wrong.npy", bytes, k == 0 ? 0 : 128);
        expect_error(npy_open(path, &file, &error), STATUS_INPUT, &error, path,
                     "is not an array of a trace", NULL);
    }
    expect_error(npy_open("/no/such.npy", &file, &error), STATUS_INPUT, &error, "/no/such.npy",
                 NULL);
    expect_error(npy_begin("/no/such", "a.npy", 2, false, &file, &error), STATUS_OUTPUT, &error,
                 "/no/such/a.npy.partial", NULL);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {written_in_the_order_of_fortran, written_and_read,
                            rows_beyond_every_file, others_are_refused, NULL};
    return suite_of("io/npy_file", tests);
}
