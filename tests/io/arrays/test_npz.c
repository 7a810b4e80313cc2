/* .npz files of scipy.sparse.save_npz. */
#include "archive.h"
#include "io/arrays/damage.h"
#include "io/market/matrix_market.h"
#include "support.h"

#include <math.h>

static struct error error;

/* 4 x 4, general, the entries of row 2 in no order, (1, 2) twice, as csr. */
static const char wanted[] = "%%MatrixMarket matrix coordinate real general\n"
                             "4 4 7\n1 1 4\n1 2 0.5\n1 2 0.25\n3 4 -1\n3 1 2\n4 4 8\n4 2 1e3\n";
static const double values[] = {4, 0.5, 0.25, -1, 2, 8, 1000};
static const int64_t rows[] = {0, 0, 0, 2, 2, 3, 3}, columns[] = {0, 1, 1, 3, 0, 3, 1},
                     pointers[] = {0, 3, 3, 5, 7}, shape[] = {4, 4};
enum { ENTRIES = 7, ROWS = 4 };

static const int64_t csc_rows[] = {0, 2, 0, 0, 3, 2, 3}, csc_pointers[] = {0, 2, 5, 5, 7};
static const double csc_values[] = {4, 2, 0.5, 0.25, 1000, -1, 8};

/* Numbers in that type of NumPy; gives back the bytes. */
static size_t convert(const char *type, const int64_t *whole, const double *real, int count,
                      unsigned char *bytes)
{
    int size = type[2] - '0';
    for (int k = 0; k < count; k++) {
        int64_t integer = real ? (int64_t)real[k] : whole[k];
        double value = real ? real[k] : (double)whole[k];
        float single = (float)value;
        unsigned char number[8] = {0};
        if (type[1] != 'f')
            memcpy(number, &integer, sizeof integer);
        else if (size == 4)
            memcpy(number, &single, sizeof single);
        else
            memcpy(number, &value, sizeof value);
        for (int b = 0; b < size; b++)
            bytes[k * size + b] = number[type[0] == '>' ? size - 1 - b : b];
    }
    return (size_t)(count * size);
}

static void add(struct archive *archive, const char *name, const char *type, const int64_t *whole,
                const double *real, int count, bool deflated)
{
    unsigned char bytes[512];
    char extent[16];
    snprintf(extent, sizeof extent, "%d,", count);
    archive_add_npy(archive, name, type, extent, bytes, convert(type, whole, real, count, bytes),
                    deflated);
}

/* What a file has; a test changes some of it. */
struct content {
    const char *format, *index, *value; /* types of NumPy */
    const int64_t *shape, *major, *minor;
    const double *values;
    int majors, minors;
    bool deflated;
    const char *left_out;
    const int64_t *whole; /* values, in place of the others, or NULL */
};

static struct content csr_content(void)
{
    return (struct content){"csr",  "<i4",    "<f8",   shape, pointers, columns,
                            values, ROWS + 1, ENTRIES, false, NULL,     NULL};
}

static struct archive made;

static const struct archive *make(const struct content *content)
{
    bool coo = strcmp(content->format, "coo") == 0, deflated = content->deflated;
    const char *left_out = content->left_out ? content->left_out : "";
    made = (struct archive){.length = 0};
    if (strcmp(left_out, "format") != 0)
        archive_add_npy(&made, "format.npy", "|S3", "", content->format, 3, deflated);
    add(&made, "shape.npy", "<i8", content->shape, NULL, 2, deflated);
    add(&made, coo ? "row.npy" : "indptr.npy", content->index, content->major, NULL,
        content->majors, deflated);
    add(&made, coo ? "col.npy" : "indices.npy", content->index, content->minor, NULL,
        content->minors, deflated);
    if (strcmp(left_out, "data") != 0)
        add(&made, "data.npy", content->value, content->whole,
            content->whole ? NULL : content->values, ENTRIES, deflated);
    archive_end(&made);
    return &made;
}

START_TEST(formats_are_the_same_matrix)
{
    static const char *const types[] = {"<i4", "<i8", ">i4", ">i8", "<u4", "<i2"};
    uint64_t hash = hash_of_text(wanted);
    for (int k = 0; k < 6; k++)
        for (int deflated = 0; deflated < 2; deflated++) {
            struct content csr = csr_content(), csc = csr, coo = csr;
            csr.index = csc.index = coo.index = types[k];
            csr.deflated = csc.deflated = coo.deflated = deflated;
            csr.value = coo.value = k % 2 ? ">f8" : "<f4";
            csc.format = "csc";
            csc.major = csc_pointers;
            csc.minor = csc_rows;
            csc.values = csc_values;
            coo.format = "coo";
            coo.major = rows;
            coo.majors = ENTRIES;
            const struct content *const all[] = {&csr, &csc, &coo};
            for (int f = 0; f < 3; f++) {
                make(all[f]);
                ck_assert_uint_eq(hash_of_content(made.bytes, (int64_t)made.length), hash);
            }
        }
}
END_TEST

START_TEST(integers_are_values)
{
    static const double integers[] = {4, -7, 1, -1, 2, 8, 100};
    struct content content = csr_content();
    content.values = integers;
    make(&content);
    uint64_t hash = hash_of_content(made.bytes, (int64_t)made.length);
    ck_assert_uint_ne(hash, 0);
    content.value = "<i1";
    make(&content);
    ck_assert_uint_eq(hash_of_content(made.bytes, (int64_t)made.length), hash);
    struct csr A;
    struct matrix_market_report report;
    expect_ok(matrix_market_read(temporary_file("a.npz", made.bytes, (int64_t)made.length),
                                 CSR_GENERAL, 0, NULL, &A, &report, &error),
              &error);
    csr_free(&A);
    ck_assert_str_eq(report.field, "integer");
    ck_assert_str_eq(report.symmetry, "general");
    ck_assert_int_eq(report.entries, ENTRIES);
    ck_assert_int_eq(report.duplicates, 1);
}
END_TEST

static void expect_refused(const struct content *content, const char *says, const char *also)
{
    struct csr A;
    make(content);
    const char *path = temporary_file("a.npz", made.bytes, (int64_t)made.length);
    expect_error(matrix_market_read(path, CSR_GENERAL, 0, NULL, &A, NULL, &error), STATUS_INPUT,
                 &error, path, says, also, NULL);
    ck_assert_int_eq(memory_live(), 0);
}

#define WITH(member, ...) (content = csr_content(), content.member = (__VA_ARGS__), &content)

START_TEST(faults_are_told)
{
    struct content content;
    static const int64_t wide[] = {0, 1, 1, 4, 0, 3, 1}, low[] = {0, 1, 1, 3, 0, -1, 1},
                         late[] = {1, 3, 3, 5, 7}, back[] = {0, 3, 2, 5, 7},
                         few[] = {0, 3, 3, 5, 6}, many[] = {0, 3, 3, 5, 8}, empty[] = {0, 4},
                         huge[] = {4, INT64_C(1) << 31};
    static const int64_t large[] = {4, (INT64_C(1) << 53) + 1, 1, 1, 2, 8, 9};
    static const double odd[] = {4, 0.5, 0.25, NAN, 2, 8, 1000};
    expect_refused(WITH(minor, wide), "byte 140 of indices.npy: entry 4: the column 4 lies outside",
                   "0 to 3");
    expect_refused(WITH(minor, low), "entry 6: the column -1 lies outside 0 to 3", "indices.npy");
    expect_refused(WITH(major, late), "the first row begins at 1, not 0", "indptr.npy");
    expect_refused(WITH(major, back), "row 2 ends at 2, after 3 of 7 entries", "indptr.npy");
    expect_refused(WITH(major, few), "the last row ends after 6 of 7 entries",
                   "byte 144 of indptr");
    expect_refused(WITH(major, many), "row 4 ends at 8, after 5 of 7 entries",
                   "byte 144 of indptr");
    expect_refused(WITH(values, odd), "a(3,4) = nan is not finite", "byte 152 of data.npy");
    expect_refused(WITH(shape, empty), "the lengths of indptr.npy (5)", "do not fit");
    expect_refused(WITH(shape, huge), "4 x 2147483648", "1 to 2147483647");
    expect_refused(WITH(minors, ENTRIES - 1), "indices.npy (6) and data.npy (7)", "do not fit");
    expect_refused(WITH(format, "bsr"), "\"bsr\"", "csr, csc or coo");
    expect_refused(WITH(left_out, "format"), "without format.npy", "unzip");
    expect_refused(WITH(left_out, "data"), "without data.npy", "save_npz");
    expect_refused(WITH(index, "<f8"), "indptr.npy: indices are integers", "");
    expect_refused(WITH(value, "<c8"), "data.npy: is not an array of numbers", "");
    content = csr_content();
    content.index = "<u8";
    content.minor = low;
    expect_refused(&content, "byte 168 of indices.npy: an integer too large", "");
    content = csr_content();
    content.value = "<i8";
    content.whole = large;
    expect_refused(&content, "byte 136 of data.npy: an integer that no double is", "");
}
END_TEST

/* A full file, and two triangles that differ: the messages of a general Matrix Market file. */
START_TEST(a_solver_wants_it_symmetric)
{
    struct csr A;
    struct content content = csr_content();
    make(&content);
    const char *path = temporary_file("a.npz", made.bytes, (int64_t)made.length);
    expect_error(matrix_market_read(path, CSR_SYMMETRIC, 0.5, NULL, &A, NULL, &error), STATUS_INPUT,
                 &error, path, "the matrix is not symmetric", "a(1,3) is not in the file",
                 "a(3,1) = 2 (byte 160 of data.npy)", NULL);
}
END_TEST

START_TEST(damage_is_found)
{
    for (int deflated = 0; deflated < 2; deflated++) {
        struct content content = csr_content();
        content.deflated = deflated;
        make(&content);
        expect_damage_found(made.bytes, (int64_t)made.length, 1, true);
    }
}
END_TEST

START_TEST(archives_of_others_are_refused)
{
    made = (struct archive){.length = 0};
    archive_add(&made, "a.mtx", wanted, sizeof wanted - 1, false);
    archive_end(&made);
    struct csr A;
    const char *path = temporary_file("a.zip", made.bytes, (int64_t)made.length);
    expect_error(matrix_market_read(path, CSR_GENERAL, 0, NULL, &A, NULL, &error), STATUS_INPUT,
                 &error, "a zip archive without format.npy", "unzip", NULL);
    struct content content = csr_content();
    make(&content);
    size_t at =
        (size_t)((unsigned char *)memmem(made.bytes, made.length, "PK\1\2", 4) - made.bytes);
    made.bytes[at + 10] = 12;
    path = temporary_file("a.npz", made.bytes, (int64_t)made.length);
    expect_error(matrix_market_read(path, CSR_GENERAL, 0, NULL, &A, NULL, &error), STATUS_INPUT,
                 &error, "packed by method 12", NULL);
    made.bytes[at + 8] = 1;
    path = temporary_file("a.npz", made.bytes, (int64_t)made.length);
    expect_error(matrix_market_read(path, CSR_GENERAL, 0, NULL, &A, NULL, &error), STATUS_INPUT,
                 &error, "encrypted", NULL);
}
END_TEST

START_TEST(memory_may_be_short)
{
    struct content content = csr_content();
    content.deflated = true;
    make(&content);
    expect_memory_may_be_short(temporary_file("a.npz", made.bytes, (int64_t)made.length));
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {formats_are_the_same_matrix,
                                  integers_are_values,
                                  faults_are_told,
                                  a_solver_wants_it_symmetric,
                                  damage_is_found,
                                  archives_of_others_are_refused,
                                  memory_may_be_short,
                                  NULL};
    return suite_of("io/arrays/npz", tests);
}
