/* What Matrix Market files are read as. Their faults: test_faults.c; many entries and many threads:
 * test_large.c. */
#include "csr_check.h"
#include "io/market/matrix_market.h"
#include "io/packed_file.h"
#include "io/unpack.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct error error;
static struct matrix_market_report report;

/* Read a file of this text and expect n rows, and the upper triangle as "row column value" texts.
 */
static void expect_matrix(const char *text, double asymmetry, enum csr_kind kind, int64_t n,
                          int64_t nnz, const double entries[][3])
{
    struct csr A;
    report = (struct matrix_market_report){0};
    expect_ok(matrix_market_read(temporary_file("a.mtx", text, -1), CSR_SYMMETRIC, asymmetry, NULL,
                                 &A, &report, &error),
              &error);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(A.kind, kind);
    ck_assert_int_eq(A.n, n);
    ck_assert_int_eq(A.nnz, nnz);
    for (int64_t i = 0, e = 0; i < n; i++)
        for (int64_t k = A.offsets[i]; k < A.offsets[i + 1]; k++, e++) {
            ck_assert_int_eq(i + 1, (int64_t)entries[e][0]);
            ck_assert_int_eq(A.columns[k] + 1, (int64_t)entries[e][1]);
            ck_assert_msg(memcmp(&A.values[k], &entries[e][2], sizeof(double)) == 0,
                          "(%d,%d): %.17g instead of %.17g", (int)i + 1, A.columns[k] + 1,
                          A.values[k], entries[e][2]);
        }
    csr_free(&A);
}

static const double SMALL[][3] = {{1, 1, 4}, {1, 3, -1.5}, {2, 2, 5}, {2, 3, 0.25}, {3, 3, 6}};

START_TEST(test_lower)
{
    expect_matrix("%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 5\n"
                  "1 1 4\n3 1 -1.5\n2 2 5\n3 2 .25\n3 3 6.\n",
                  0, CSR_SYMMETRIC, 3, 5, SMALL);
    ck_assert_int_eq(report.entries, 5);
    ck_assert_int_eq(report.duplicates, 0);
    ck_assert_str_eq(report.symmetry, "symmetric");
    ck_assert_str_eq(report.field, "real");
}
END_TEST

/* Where the values are real, hermitian is another word for symmetric. */
START_TEST(test_hermitian)
{
    expect_matrix("%%MatrixMarket matrix coordinate real Hermitian\n3 3 5\n"
                  "1 1 4\n3 1 -1.5\n2 2 5\n3 2 .25\n3 3 6.\n",
                  0, CSR_SYMMETRIC, 3, 5, SMALL);
    ck_assert_str_eq(report.symmetry, "symmetric");
}
END_TEST

START_TEST(test_upper)
{
    expect_matrix("%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n"
                  "1 1 4\n1 3 -1.5\n2 2 5\n2 3 .25\n3 3 6.\n",
                  0, CSR_SYMMETRIC, 3, 5, SMALL);
}
END_TEST

START_TEST(test_mixed_triangles)
{
    expect_matrix("%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n"
                  "3 3 6\n1 3 -1.5e0\n2 2 +5\n3 2 25E-2\n1 1 0.4e+1\n",
                  0, CSR_SYMMETRIC, 3, 5, SMALL);
}
END_TEST

START_TEST(test_white_space_and_case)
{
    expect_matrix("%%matrixMARKET\tMatrix  COORDINATE Real\tSymmetric \n%\n\n  \t\n % indented\n"
                  " 3\t3  5 \n\n1 1 4\t\n\t3  1\t\t-1.5\n% between\n   % two\n2 2 5  \n\n\n"
                  "3 2 .25\n3 3 6",
                  0, CSR_SYMMETRIC, 3, 5, SMALL);
}
END_TEST

/* Fortran's. */
START_TEST(test_exponent_letters)
{
    expect_matrix("%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n"
                  "1 1 4.0D+00\n3 1 -15d-1\n2 2 .5Q1\n3 2 2.5q-01\n3 3 0.06D2\n",
                  0, CSR_SYMMETRIC, 3, 5, SMALL);
}
END_TEST

START_TEST(test_before_the_banner)
{
    static const char *const before[] = {"\n", " ", "\xef\xbb\xbf", "\xef\xbb\xbf \r\n\t\n  "};
    for (int k = 0; k < 4; k++) {
        char text[200];
        snprintf(text, sizeof text,
                 "%s%%%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n"
                 "1 1 4\n3 1 -1.5\n2 2 5\n3 2 .25\n3 3 6.\n",
                 before[k]);
        expect_matrix(text, 0, CSR_SYMMETRIC, 3, 5, SMALL);
    }
}
END_TEST

/* A file of 1 KiB with these bytes is refused with the hint; gzipped where it would be unpacked. */
static void expect_hint(size_t at, const char *mark, size_t length, const char *hint)
{
    struct csr A;
    char file[1024] = "tiny/tiny.mtx";
    memcpy(file + at, mark, length);
    const char *path = unpack_form_of((const unsigned char *)file, sizeof file) || *mark == 'P'
                           ? packed_file("gzip", "a.tar", file, sizeof file)
                           : temporary_file("a.tar", file, sizeof file);
    expect_error(matrix_market_read(path, CSR_SYMMETRIC, 0, NULL, &A, &report, &error),
                 STATUS_INPUT, &error, "a.tar:1: ", hint, NULL);
}

/* What has the matrix within it, as SuiteSparse (tar) and MATLAB 7.3 hand them out; a zip archive
 * that is gzipped. */
START_TEST(test_archive)
{
#define MARK(text) text, sizeof text - 1
    static const struct {
        size_t at;
        const char *mark;
        size_t length;
        const char *hint;
    } marks[] = {
        {257, MARK("ustar"), "it is a tar archive: tar xf takes"},
        {0, MARK("PK\3\4"), "it is a zip archive, as .npz is: unzip takes"},
        {0, MARK("BZh9"), "it is compressed by bzip2: bunzip2 unpacks it"},
        {0,
         MARK("\xfd"
              "7zXZ\0"),
         "it is compressed by xz: unxz unpacks it"},
        {0, MARK("\x28\xb5\x2f\xfd"), "it is compressed by zstd: unzstd unpacks it"},
        {0, MARK("7z\xbc\xaf\x27\x1c"), "it is a 7z archive: 7z x takes"},
        {0, MARK("\x1f\x8b\x08"), "it is gzipped twice: gunzip unpacks it once"},
        {0, MARK("\x89HDF\r\n\x1a\n"), "it is an HDF5 file, as .mat of MATLAB 7.3 is"},
        {0, MARK("\xff\xfe%\0"), "it is text in UTF-16: iconv -f UTF-16 -t UTF-8 turns it"},
        {0, MARK("\xfe\xff\0%"), "it is text in UTF-16: iconv -f UTF-16 -t UTF-8 turns it"},
    };
#undef MARK
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        expect_hint(marks[k].at, marks[k].mark, marks[k].length, marks[k].hint);
}
END_TEST

START_TEST(test_line_ends)
{
    expect_matrix("%%MatrixMarket matrix coordinate real symmetric\r\n%c\r\n3 3 5\r\n1 1 4\r\n"
                  "3 1 -1.5\r\n\r\n2 2 5\r\n3 2 .25\r\n3 3 6\r\n",
                  0, CSR_SYMMETRIC, 3, 5, SMALL);
    expect_matrix("%%MatrixMarket matrix coordinate real symmetric\r%c\r3 3 5\r1 1 4\r"
                  "3 1 -1.5\r\r2 2 5\r3 2 .25\r3 3 6\r",
                  0, CSR_SYMMETRIC, 3, 5, SMALL);
    expect_matrix("%%MatrixMarket matrix coordinate real symmetric\r\n%c\r3 3 5\n1 1 4\r"
                  "3 1 -1.5\n2 2 5\r\n3 2 .25\n\r3 3 6",
                  0, CSR_SYMMETRIC, 3, 5, SMALL);
}
END_TEST

START_TEST(test_numbers)
{
    static const double wanted[][3] = {{1, 1, 0.1},   {1, 2, 0x1.921fb54442d18p+1},
                                       {1, 3, 1e308}, {2, 2, 0x1p-1074}, /* above half of it */
                                       {2, 3, -0.0},  {3, 3, 0}};
    expect_matrix(
        "%%MatrixMarket matrix coordinate double symmetric\n3 3 6\n"
        "1 1 000.1000000000000000055511151231257827021181583404541015624999999999999999\n"
        "00000000000000000000000000000002 1 3.14159265358979323846264338327950288419716\n"
        "3 1 +1e+308\n2 2 2.4703282292062328e-324\n3 2 -0\n3 3 .0e-99999999999999999999\n",
        0, CSR_SYMMETRIC, 3, 6, wanted);
}
END_TEST

START_TEST(test_integer)
{
    static const double wanted[][3] = {
        {1, 1, 9007199254740992.}, {1, 2, -7}, {2, 2, 123456789012345678901234567890.}};
    expect_matrix("%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n"
                  "1 1 9007199254740993\n2 1 -007\n2 2 +123456789012345678901234567890\n",
                  0, CSR_SYMMETRIC, 2, 3, wanted);
    ck_assert_str_eq(report.field, "integer");
    static const double zeros[][3] = {{1, 1, 0}, {1, 2, 0}, {2, 2, 3}};
    expect_matrix("%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n"
                  "1 1 -0\n2 1 -00000000000000000000000\n2 2 3\n",
                  0, CSR_SYMMETRIC, 2, 3, zeros);
}
END_TEST

START_TEST(test_pattern)
{
    static const double wanted[][3] = {{1, 1, 1}, {1, 3, 1}, {2, 2, 0}, {3, 3, 2}};
    expect_matrix("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 4\n"
                  "1 1\n3 1\n3 3\n3 3\n",
                  0, CSR_SYMMETRIC, 3, 4, wanted);
    ck_assert_str_eq(report.field, "pattern");
    ck_assert_int_eq(report.duplicates, 1);
}
END_TEST

START_TEST(test_missing_diagonal)
{
    static const double wanted[][3] = {{1, 1, 0}, {1, 2, 7}, {2, 2, 0}, {3, 3, 0}};
    expect_matrix("%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n2 1 7\n", 0,
                  CSR_SYMMETRIC, 3, 4, wanted);
    static const double nothing[][3] = {{1, 1, 0}};
    expect_matrix("%%MatrixMarket matrix coordinate real symmetric\n1 1 0\n", 0, CSR_SYMMETRIC, 1,
                  1, nothing);
    expect_matrix("%%MatrixMarket matrix coordinate real general\n1 1 0", 0, CSR_SYMMETRIC, 1, 1,
                  nothing);
}
END_TEST

/* 1e16 + 1 + 1 - 1e16 depends on the order: in file order it is 0, in others 2. */
START_TEST(test_duplicates)
{
    static const double wanted[][3] = {{1, 1, 3}, {1, 2, 0}, {2, 2, -0.0}};
    expect_matrix("%%MatrixMarket matrix coordinate real symmetric\n2 2 7\n"
                  "2 1 1e16\n1 1 1\n2 1 1\n2 1 1\n1 1 2\n2 1 -1e16\n2 2 -0\n",
                  0, CSR_SYMMETRIC, 2, 3, wanted);
    ck_assert_int_eq(report.entries, 7);
    ck_assert_int_eq(report.duplicates, 4);
    expect_matrix("%%MatrixMarket matrix coordinate real general\n2 2 8\n"
                  "1 2 0\n2 1 1e16\n1 1 1\n2 1 1\n2 1 1\n1 1 2\n2 1 -1e16\n2 2 -0\n",
                  0, CSR_SYMMETRIC, 2, 3, wanted);
    ck_assert_int_eq(report.duplicates, 4);
}
END_TEST

START_TEST(test_skew)
{
    static const double wanted[][3] = {{1, 1, 0}, {1, 2, 3}, {1, 3, 4}, {2, 2, 0}, {3, 3, 0}};
    expect_matrix("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 -3\n1 3 4\n", 0,
                  CSR_SKEW, 3, 5, wanted);
    ck_assert_str_eq(report.symmetry, "skew-symmetric");
    expect_matrix("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 3\n2 1 -3\n1 3 4\n"
                  "2 2 0\n",
                  0, CSR_SKEW, 3, 5, wanted);
}
END_TEST

START_TEST(test_general)
{
    expect_matrix(
        "%%MatrixMarket matrix coordinate real general\n3 3 7\n1 1 4\n3 1 -1.5\n1 3 -1.5\n"
        "2 2 5\n3 2 .25\n3 3 6\n2 3 25e-2\n",
        0, CSR_SYMMETRIC, 3, 5, SMALL);
    ck_assert_str_eq(report.symmetry, "general");
    ck_assert(report.asymmetry == 0 && report.averaged_pairs == 0);
}
END_TEST

START_TEST(test_general_within_tolerance)
{
    static const double wanted[][3] = {{1, 1, 4}, {1, 2, 9}, {1, 3, 0.5}, {2, 2, 5}, {3, 3, 6}};
    const char *text =
        "%%MatrixMarket matrix coordinate real general\n3 3 6\n1 1 4\n2 1 8\n1 2 10\n"
        "2 2 5\n3 3 6\n3 1 1\n";
    expect_matrix(text, 1, CSR_SYMMETRIC, 3, 5, wanted);
    ck_assert(report.asymmetry == 0.2); /* 2 of 10; 1 of 6 is less */
    ck_assert_int_eq(report.averaged_pairs, 2);
    static const double huge[][3] = {{1, 1, 0}, {1, 2, 0x1.4p1023}, {2, 2, 0}};
    expect_matrix("%%MatrixMarket matrix coordinate real general\n2 2 2\n"
                  "1 2 8.9884656743115795e+307\n2 1 1.3482698511467369e+308\n",
                  0.5, CSR_SYMMETRIC, 2, 3, huge);
}
END_TEST

START_TEST(test_zero_without_partner)
{
    static const double wanted[][3] = {{1, 1, 1}, {1, 2, 0}, {2, 2, 1}, {2, 3, 0}, {3, 3, 1}};
    expect_matrix("%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n2 2 1\n3 3 1\n"
                  "1 2 0\n3 2 0\n",
                  0, CSR_SYMMETRIC, 3, 5, wanted);
}
END_TEST

START_TEST(test_array)
{
    static const double wanted[][3] = {{1, 1, 1}, {1, 2, 2}, {1, 3, 3},
                                       {2, 2, 4}, {2, 3, 5}, {3, 3, 6}};
    expect_matrix("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 0,
                  CSR_SYMMETRIC, 3, 6, wanted);
    expect_matrix(
        "%%MatrixMarket matrix array integer general\n3 3\n1\n2\n3\n\n2\n4\n%\n5\n3\n5\n6", 0,
        CSR_SYMMETRIC, 3, 6, wanted);
    static const double skew[][3] = {{1, 1, 0}, {1, 2, -2}, {1, 3, -3},
                                     {2, 2, 0}, {2, 3, -5}, {3, 3, 0}};
    expect_matrix("%%MatrixMarket matrix array real skew-symmetric\n3 3\n2\n3\n5\n", 0, CSR_SKEW, 3,
                  6, skew);
    static const double one[][3] = {{1, 1, 0}};
    expect_matrix("%%MatrixMarket matrix array real skew-symmetric\n1 1\n", 0, CSR_SKEW, 1, 1, one);
}
END_TEST

START_TEST(test_vector)
{
    double b[3];
    const double wanted[3] = {1.5, -0.0, 3};
    expect_ok(
        market_vectors.read(
            temporary_file("b", "%%MatrixMarket matrix array real general\n3 1\n1.5\n-0\n3\n", -1),
            3, 1, 0, 3, b, &error),
        &error);
    ck_assert_mem_eq(b, wanted, sizeof b);
    expect_ok(
        market_vectors.read(
            temporary_file("b", "%%MatrixMarket matrix array integer general\n1 3\n1\n2\n3", -1), 3,
            1, 0, 3, b, &error),
        &error);
    ck_assert(b[0] == 1 && b[1] == 2 && b[2] == 3);
    b[1] = NAN;
    expect_ok(
        market_vectors.read(
            temporary_file("b",
                           "%%MatrixMarket matrix coordinate real general\n3 1 3\n3 1 2\n1 1 5\n"
                           "3 1 1\n",
                           -1),
            3, 1, 0, 3, b, &error),
        &error);
    ck_assert(b[0] == 5 && b[1] == 0 && b[2] == 3);
    expect_ok(market_vectors.read(
                  temporary_file(
                      "b", "%%MatrixMarket matrix coordinate pattern general\n1 3 1\n1 2\n", -1),
                  3, 1, 0, 3, b, &error),
              &error);
    ck_assert(b[0] == 0 && b[1] == 1 && b[2] == 0);
}
END_TEST

START_TEST(test_without_report)
{
    struct csr A;
    const char *path = temporary_file(
        "a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 2\n", -1);
    expect_ok(matrix_market_read(path, CSR_SYMMETRIC, 0, NULL, &A, NULL, NULL), &error);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {test_lower,
                                  test_hermitian,
                                  test_upper,
                                  test_mixed_triangles,
                                  test_white_space_and_case,
                                  test_exponent_letters,
                                  test_before_the_banner,
                                  test_archive,
                                  test_line_ends,
                                  test_numbers,
                                  test_integer,
                                  test_pattern,
                                  test_missing_diagonal,
                                  test_duplicates,
                                  test_skew,
                                  test_general,
                                  test_general_within_tolerance,
                                  test_zero_without_partner,
                                  test_array,
                                  test_vector,
                                  test_without_report,
                                  NULL};
    return suite_of("io/market/matrix_market", tests);
}
