/* Eigenvectors: the names of their files, the matrix in them, and that an earlier study's go. */
#include "io/eigenvector_files.h"

#include "io/results.h"
#include "io/text_file.h"
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

START_TEST(names_tell_labels_apart)
{
    static const char *const labels[][2] = {
        {"cpu_csr", "eigenvectors-cpu_csr-7.npy"},
        {"a threads=2", "eigenvectors-a%20threads=2-7.npy"},
        {"a/../b", "eigenvectors-a%2F..%2Fb-7.npy"},
        {"50%", "eigenvectors-50%25-7.npy"},
        {"\xc3\xa4", "eigenvectors-%C3%A4-7.npy"},
    };
    char name[EIGENVECTOR_NAME], other[EIGENVECTOR_NAME], label[152], slashes[900];
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++)
        ck_assert_str_eq(eigenvector_file_name(name, labels[k][0], 7), labels[k][1]);
    memset(label, 'a', 151);
    label[150] = '\0';
    ck_assert(strstr(eigenvector_file_name(name, label, INT64_MAX), label) != NULL);
    label[150] = 'a';
    label[151] = '\0';
    ck_assert_uint_eq(strlen(eigenvector_file_name(name, label, 7)),
                      strlen("eigenvectors--7.npy") + 16);
    label[0] = 'b';
    ck_assert_str_ne(name, eigenvector_file_name(other, label, 7));
    memset(slashes, '/', sizeof slashes);
    slashes[sizeof slashes - 1] = '\0';
    ck_assert_uint_eq(strlen(eigenvector_file_name(name, slashes, 7)),
                      strlen("eigenvectors--7.npy") + 16);
}
END_TEST

static enum status write_run(void *context, struct error *error)
{
    static const double vectors[2][3] = {{1, 2, 3}, {-4, 5, 0x1p-1074}};
    struct npy_file file = {0};
    enum status status = STATUS_OK;
    for (int k = 0; k < 2 && !status; k++)
        status = eigenvector_file_take(&file, context, "a b", 2, k, vectors[k], 3, error);
    if (!status)
        return npy_finish(&file, error);
    npy_abandon(&file);
    return status;
}

START_TEST(a_matrix_is_written)
{
    struct error error;
    char directory[200], path[300], bytes[512];
    static const char head[] = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }";
    static const double wanted[] = {1, 2, 3, -4, 5, 0x1p-1074};
    snprintf(directory, sizeof directory, "%s", temporary_path("vectors"));
    expect_ok(directory_make(directory, &error), &error);
    walk_allocation_failures(write_run, directory);
    snprintf(path, sizeof path, "%s/eigenvectors-a%%20b-2.npy", directory);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(bytes, 1, sizeof bytes, file), 128 + sizeof wanted);
    fclose(file);
    ck_assert_mem_eq(bytes + 10, head, strlen(head));
    ck_assert_mem_eq(bytes + 128, wanted, sizeof wanted);
    ck_assert(results_include(directory, path));
    strcat(path, ".partial");
    ck_assert(results_include(directory, path));
    ck_assert(!results_include(directory, "/tmp/eigenvectors-a-1.npy"));
}
END_TEST

/* Those of an earlier study go when another begins, and nothing else does. */
START_TEST(earlier_ones_are_removed)
{
    static const char *const names[] = {"eigenvectors-a-1.npy", "eigenvectors-b%20-12.npy.partial",
                                        "eigenvectors.npy", "my-eigenvectors-a-1.npy",
                                        "eigenvectors-a-1.npz"};
    struct error error;
    char directory[200], path[300];
    snprintf(directory, sizeof directory, "%s", temporary_path("earlier"));
    expect_ok(directory_make(directory, &error), &error);
    for (int k = 0; k < 5; k++)
        expect_ok(text_file_whole(directory, names[k], "x", 1, &error), &error);
    expect_ok(eigenvector_files_remove(directory, &error), &error);
    for (int k = 0; k < 5; k++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[k]);
        ck_assert_int_eq(access(path, F_OK) == 0, k >= 2);
    }
    expect_error(eigenvector_files_remove("/no/such", &error), STATUS_OUTPUT, &error, "/no/such",
                 NULL);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {names_tell_labels_apart, a_matrix_is_written, earlier_ones_are_removed,
                            NULL};
    return suite_of("io/eigenvector_files", tests);
}
