/* Arrays in the format of NumPy: the bytes, read back, and what is refused. */
#include "io/npy_file.h"

#include "io/text_file.h"
#include "main/program.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double rows[3][2] = {{1, -2.5}, {0x1p-1074, INFINITY}, {-0.0, 1e300}};

/* The header as the format wants it: magic, version 1.0, its length, a dictionary, blanks, LF at
 * byte 128. */
static void expect_bytes(const char *path, int count, enum npy_shape shape)
{
    FILE *file = fopen(path, "rb");
    char bytes[256], wanted[256];
    ck_assert_ptr_nonnull(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ck_assert_uint_eq(length, 128 + (size_t)count * sizeof rows[0]);
    memset(wanted, ' ', sizeof wanted);
    memcpy(wanted, "\x93NUMPY\x01\x00\x76\x00", 10);
    static const char *const dictionaries[] = {
        [NPY_ROWS] = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 2), }",
        [NPY_COLUMNS] = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, %d), }",
        [NPY_VECTOR] = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }"};
    char dictionary[100];
    int text = snprintf(dictionary, sizeof dictionary, dictionaries[shape],
                        shape == NPY_VECTOR ? 2 * count : count);
    memcpy(wanted + 10, dictionary, (size_t)text);
    wanted[127] = '\n';
    ck_assert_mem_eq(bytes, wanted, 128);
    ck_assert_mem_eq(bytes + 128, rows, length - 128);
}

/* What is appended is a column, or a piece of one vector: the same bytes, and another shape. */
START_TEST(written_in_other_shapes)
{
    static const enum npy_shape shapes[] = {NPY_COLUMNS, NPY_VECTOR};
    struct error error;
    struct npy_file file;
    char path[300];
    const char *directory = temporary_path("npy");
    snprintf(path, sizeof path, "%s/other.npy", directory);
    expect_ok(directory_make(directory, &error), &error);
    for (int s = 0; s < 2; s++) {
        expect_ok(npy_begin(directory, "other.npy", 2, shapes[s], &file, &error), &error);
        for (int k = 0; k < 3; k++)
            expect_ok(npy_append(&file, rows[k], &error), &error);
        expect_ok(npy_finish(&file, &error), &error);
        expect_bytes(path, 3, shapes[s]);
        expect_error(npy_open(path, &file, &error), STATUS_INPUT, &error,
                     "is not an array of rows of doubles", NULL);
    }
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
    expect_ok(npy_begin(directory, "a.npy", 2, NPY_ROWS, &file, &error), &error);
    expect_bytes(partial, 0, NPY_ROWS);
    for (int k = 0; k < 3; k++) {
        expect_ok(npy_append(&file, rows[k], &error), &error);
        expect_bytes(partial, k + 1, NPY_ROWS); /* whole after every row */
    }
    expect_ok(npy_finish(&file, &error), &error);
    expect_bytes(path, 3, NPY_ROWS);

    double row[2];
    expect_ok(npy_open(path, &file, &error), &error);
    ck_assert(file.rows == 3 && file.columns == 2);
    for (int k = 2; k >= 0; k--) {
        expect_ok(npy_read(&file, k, row, &error), &error);
        ck_assert_mem_eq(row, rows[k], sizeof row);
    }
    expect_error(npy_read(&file, 3, row, &error), STATUS_INPUT, &error, path, "row 3 is missing",
                 NULL);
    ck_assert_int_eq(truncate(path, 128 + 8), 0);
    expect_error(npy_read(&file, 2, row, &error), STATUS_INPUT, &error, path,
                 "the file changed while it was read", NULL);
    npy_abandon(&file);
    expect_error(npy_open(path, &file, &error), STATUS_INPUT, &error, path,
                 "is not an array of rows of doubles", NULL); /* it tells of more than there is */
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
        /* more rows than a file can have: their places would overflow */
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 3), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 1), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 1048576), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 9223372036854775807), }",
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char bytes[128];
        memset(bytes, ' ', sizeof bytes);
        memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
        memcpy(bytes + (k < 3 ? 0 : 10), wrong[k], strlen(wrong[k]));
        const char *path = temporary_file("wrong.npy", bytes, k == 0 ? 0 : 128);
        expect_error(npy_open(path, &file, &error), STATUS_INPUT, &error, path,
                     "is not an array of rows of doubles", NULL);
    }
    const char *pipe = temporary_path("pipe.npy");
    ck_assert_int_eq(mkfifo(pipe, 0666), 0);
    expect_error(npy_open(pipe, &file, &error), STATUS_INPUT, &error, pipe, "no regular file",
                 NULL);
    expect_error(npy_open("/no/such.npy", &file, &error), STATUS_INPUT, &error, "/no/such.npy",
                 NULL);
    expect_error(npy_begin("/no/such", "a.npy", 2, NPY_ROWS, &file, &error), STATUS_OUTPUT, &error,
                 "/no/such/a.npy: cannot write", NULL);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {written_in_other_shapes, written_and_read, others_are_refused, NULL};
    return suite_of("io/npy_file", tests);
}
