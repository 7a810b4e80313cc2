/* Every fault of a Matrix Market file is refused by a message with file, line and what is wrong. */
#include "io/market/matrix_market.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static struct error error;

#define COORDINATE(rest) "%%MatrixMarket matrix coordinate " rest
#define SYMMETRIC(rest) COORDINATE("real symmetric\n") rest

static const struct fault {
    const char *text;    /* of the file */
    const char *line;    /* of the fault, as ":3: " behind the file's name */
    const char *says[2]; /* further parts of the message */
} FAULTS[] = {
    /* the banner */
    {"", ":1: ", {"empty"}},
    {"\n", ":1: ", {"empty"}},
    {"\xef\xbb\xbf\n \n", ":1: ", {"empty"}},
    {"\n \n3 3 1\n1 1 1\n", ":3: ", {"\"3 3 1\""}},
    {"\n% c\n" SYMMETRIC("1 1 0\n"), ":2: ", {"\"% c\""}},
    {"\n" SYMMETRIC("1 1 2\n1 1 x\n"), ":4: ", {"\"x\" is not a number"}},
    {"\n" SYMMETRIC("1 1 2\n1 1 1\n"), ":4: ", {"ends after 1 of the 2", "size line (3)"}},
    {"\n" COORDINATE("pattern symmetric\n2 2 1\n1 1 1\n"), ":4: ", {"the banner says pattern"}},
    {"BZh91AY&SY", ":1: ", {"bzip2"}},
    {"\xfd"
     "7zXZ",
     ":1: ",
     {"xz"}},
    {"\x1f\x8b\x08\n", ":1: ", {"gzip"}},
    {"\x28\xb5\x2f\xfd", ":1: ", {"compressed by zstd"}},
    {"\x89HDF\r\n", ":1: ", {"HDF5"}},
    {"\xff\xfe%", ":1: ", {"UTF-16"}},
    {"3 3 1\n1 1 1\n", ":1: ", {"\"3 3 1\""}},
    {"%%Matrix Market matrix coordinate real general\n", ":1: ", {"%%MatrixMarket"}},
    {"%%MatrixMarket vector coordinate real general\n", ":1: ", {"object \"vector\""}},
    {"%%MatrixMarket matrix dense real general\n", ":1: ", {"format \"dense\""}},
    {COORDINATE("quad general\n"), ":1: ", {"field \"quad\""}},
    {COORDINATE("real hankel\n"), ":1: ", {"symmetry \"hankel\""}},
    {COORDINATE("real\n"), ":1: ", {"4 words"}},
    {COORDINATE("real symmetric 0-base\n"), ":1: ", {"6 words"}},
    {COORDINATE("complex symmetric\n1 1 0\n"), ":1: ", {"complex"}},
    {COORDINATE("complex Hermitian\n1 1 0\n"), ":1: ", {"complex"}},
    {COORDINATE("pattern skew-symmetric\n1 1 0\n"), ":1: ", {"pattern"}},
    {"%%MatrixMarket matrix array pattern general\n1 1\n", ":1: ", {"pattern"}},
    /* the size line */
    {SYMMETRIC("% nothing\n\n"), ":3: ", {"size line"}},
    {SYMMETRIC("% c\n3 3\n"), ":3: ", {"2 fields instead of 3"}},
    {SYMMETRIC("3 3 1 1\n"), ":2: ", {"4 fields instead of 3"}},
    {SYMMETRIC("3\n"), ":2: ", {"1 field instead of 3"}},
    {SYMMETRIC("3 x 1\n"), ":2: ", {"\"x\" is no number of columns"}},
    {SYMMETRIC("3 3 1.0\n"), ":2: ", {"\"1.0\" is no number of entries"}},
    {SYMMETRIC("3 3 -1\n"), ":2: ", {"\"-1\" is no number of entries"}},
    {SYMMETRIC("2147483648 2147483648 1\n"), ":2: ", {"\"2147483648\" rows", "2147483647"}},
    {SYMMETRIC("3 99999999999999999999999 1\n"), ":2: ", {"columns are too many"}},
    {SYMMETRIC("3 3 9223372036854775808\n"), ":2: ", {"entries are too many"}},
    {SYMMETRIC("3 4 0\n"), ":2: ", {"rectangular, 3 x 4"}},
    {SYMMETRIC("0 0 0\n"), ":2: ", {"empty, 0 x 0"}},
    {"%%MatrixMarket matrix array real general\n3 3 9\n", ":2: ", {"3 fields instead of 2"}},
    /* too few and too many entries */
    {SYMMETRIC("3 3 3\n1 1 1\n2 2 2\n"), ":4: ", {"ends after 2 of the 3", "size line (2)"}},
    {SYMMETRIC("3 3 3\n1 1 1\n2 2 2\n\n% end\n"), ":6: ", {"ends after 2 of the 3"}},
    {SYMMETRIC("3 3 1\n"), ":2: ", {"ends after 0 of the 1"}},
    {SYMMETRIC("3 3 9223372036854775807\n1 1 1\n"), ":3: ", {"ends after 1 of the 9223372036854"}},
    {SYMMETRIC("3 3 1\n1 1 1\n\n2 2 2\n3 3 3\n"), ":5: ", {"more entries than the 1"}},
    {SYMMETRIC("3 3 0\n1 1 x\n"), ":3: ", {"\"x\" is not a number"}},
    {"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n", ":4: ", {"after 2 of the 3"}},
    {"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n4\n", ":6: ", {"more entries"}},
    {"%%MatrixMarket matrix array real general\n2147483647 2147483647\n1\n",
     ":3: ",
     {"after 1 of the 4611686014132420609"}},
    /* fields */
    {SYMMETRIC("3 3 2\n1 1 1\n2 2\n"), ":4: ", {"2 fields instead of 3"}},
    {SYMMETRIC("3 3 2\n1 1 1\n2\n"), ":4: ", {"1 field instead of 3"}},
    {SYMMETRIC("3 3 2\n1 1 1 0\n2 2 1\n"), ":3: ", {"4 fields instead of 3"}},
    {SYMMETRIC("3 3 2\n1 1 1 % one\n2 2 1\n"), ":3: ", {"5 fields instead of 3"}},
    {SYMMETRIC("3 3 2\n1 1 1 2 2 1\n"), ":3: ", {"6 fields instead of 3"}},
    {COORDINATE("pattern symmetric\n2 2 1\n1 1 1\n"),
     ":3: ",
     {"3 fields instead of 2", "the banner says pattern, so an entry has no value"}},
    {COORDINATE("pattern symmetric\n2 2 1\n1\n"), ":3: ", {"1 field instead of 2"}},
    {"%%MatrixMarket matrix array real symmetric\n1 1\n1 2\n", ":3: ", {"2 fields instead of 1"}},
    /* indices */
    {SYMMETRIC("3 3 1\n0 1 1\n"), ":3: ", {"row \"0\" lies outside 1 to 3"}},
    {SYMMETRIC("3 3 1\n1 4 1\n"), ":3: ", {"column \"4\" lies outside 1 to 3"}},
    {SYMMETRIC("3 3 1\n-1 1 1\n"), ":3: ", {"row \"-1\" lies outside"}},
    {SYMMETRIC("3 3 1\n18446744073709551617 1 1\n"), ":3: ", {"row \"18446744073709551617\" lies"}},
    {SYMMETRIC("3 3 1\n4294967297 1 1\n"), ":3: ", {"row \"4294967297\" lies outside"}},
    {SYMMETRIC("3 3 1\n1 1.0 1\n"), ":3: ", {"column \"1.0\" is not a whole number"}},
    {SYMMETRIC("3 3 1\na 1 1\n"), ":3: ", {"row \"a\" is not a whole number"}},
    {SYMMETRIC("3 3 1\n+1 1 1\n"), ":3: ", {"row \"+1\" is not a whole number"}},
    /* values */
    {SYMMETRIC("3 3 1\n1 1 abc\n"), ":3: ", {"\"abc\" is not a number"}},
    {SYMMETRIC("3 3 1\n1 1 1.0.0\n"), ":3: ", {"\"1.0.0\" is not a number"}},
    {SYMMETRIC("3 3 1\n1 1 1,5\n"), ":3: ", {"\"1,5\" is not a number"}},
    {SYMMETRIC("3 3 1\n1 1 0x10\n"), ":3: ", {"\"0x10\" is not a number"}},
    {SYMMETRIC("3 3 1\n1 1 1e\n"), ":3: ", {"\"1e\" is not a number"}},
    {SYMMETRIC("3 3 1\n1 1 +-1\n"), ":3: ", {"\"+-1\" is not a number"}},
    {SYMMETRIC("3 3 1\n1 1 -\n"), ":3: ", {"\"-\" is not a number"}},
    {SYMMETRIC("3 3 1\n1 1 nan\n"), ":3: ", {"\"nan\" is not finite"}},
    {SYMMETRIC("3 3 1\n1 1 -Inf\n"), ":3: ", {"\"-Inf\" is not finite"}},
    {SYMMETRIC("3 3 1\n1 1 +infinity\n"), ":3: ", {"\"+infinity\" is not finite"}},
    {SYMMETRIC("3 3 1\n1 1 1e309\n"), ":3: ", {"\"1e309\" is beyond the range of double"}},
    {SYMMETRIC("3 3 1\n1 1 -1.7976931348623159e308\n"), ":3: ", {"beyond the range of double"}},
    {SYMMETRIC("3 3 2\n1 1 0e-400\n1 2 1e-400\n"), ":4: ", {"\"1e-400\" is too small for a doub"}},
    {SYMMETRIC("3 3 1\n1 1 -2.4703282292062327e-324\n"), ":3: ", {"is too small for a double"}},
    {SYMMETRIC("3 3 1\n1 1 0.01e-99999999999999999999\n"), ":3: ", {"is too small for a double"}},
    {SYMMETRIC("3 3 1\n1 1 1.5D+\n"), ":3: ", {"\"1.5D+\" is not a number"}},
    {SYMMETRIC("3 3 1\n1 1 1e5D3\n"), ":3: ", {"\"1e5D3\" is not a number"}},
    {SYMMETRIC("3 3 1\n1 1 1d3x\n"), ":3: ", {"\"1d3x\" is not a number"}},
    {SYMMETRIC("3 3 1\n1 1 1d309\n"), ":3: ", {"\"1d309\" is beyond the range of double"}},
    {SYMMETRIC("3 3 1\n1 1 1D-400\n"), ":3: ", {"\"1D-400\" is too small for a double"}},
    {COORDINATE("integer symmetric\n3 3 1\n1 1 1d2\n"), ":3: ", {"is not a whole number"}},
    {SYMMETRIC("3 3 1\n1 1 1\vx\n"), ":3: ", {"\"1?x\" is not a number"}},
    {COORDINATE("integer symmetric\n3 3 1\n1 1 1.5\n"), ":3: ", {"\"1.5\" is not a whole number"}},
    {COORDINATE("integer symmetric\n3 3 1\n1 1 1e2\n"), ":3: ", {"\"1e2\" is not a whole number"}},
    {COORDINATE("integer symmetric\n3 3 1\n1 1 x\n"), ":3: ", {"\"x\" is not a number"}},
    /* what only all entries together show */
    {SYMMETRIC("3 3 4\n1 1 1\n3 2 5\n1 2 1\n2 3 5\n"),
     ":6: ",
     {"(2, 3) and on line 4 its", "(3, 2)"}},
    {COORDINATE("real skew-symmetric\n3 3 3\n1 2 1\n2 1 -1\n1 2 1\n"), ":4: ", {"on line 3"}},
    {COORDINATE("real skew-symmetric\n3 3 1\n2 2 1\n"), ":3: ", {"diagonal"}},
    {SYMMETRIC("3 3 2\n2 1 1e308\n2 1 1e308\n"),
     ":3: ",
     {"(1, 2) is repeated", "beyond the range"}},
    {COORDINATE("real general\n3 3 2\n2 1 1e308\n2 1 1e308\n"), ":3: ", {"(2, 1) is repeated"}},
    {COORDINATE("real general\n3 3 2\n2 1 1\n1 3 0\n"),
     "",
     {"a(1,2) is not in", "a(2,1) = 1 (line 3)"}},
    {COORDINATE("real general\n3 3 3\n2 1 1\n1 2 1.0000000000000002\n1 3 0\n"), "", {"asymmetry"}},
    {COORDINATE("real general\n2 2 2\n2 1 1e308\n1 2 -1e308\n"),
     "",
     {"asymmetry of 2, and 0 is allowed (asymmetry)",
      "skew-symmetric, as the method \"skew\" wants"}},
    {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n",
     "",
     {"a(1,2) = 3 (line 5)", "a(2,1) = 2 (line 4)"}},
};

static void expect_refusal(const char *path, const char *line, const char *says, const char *more)
{
    struct csr A;
    char place[300];
    snprintf(place, sizeof place, "%s%s", path, line);
    enum status status = matrix_market_read(path, CSR_SYMMETRIC, 0, NULL, &A, NULL, &error);
    expect_error(status, STATUS_INPUT, &error, place, says, more, NULL);
    ck_assert(A.offsets == NULL && A.columns == NULL && A.values == NULL);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(test_faults)
{
    for (size_t f = 0; f < sizeof FAULTS / sizeof FAULTS[0]; f++)
        expect_refusal(temporary_file("bad.mtx", FAULTS[f].text, -1), FAULTS[f].line,
                       FAULTS[f].says[0], FAULTS[f].says[1]);
}
END_TEST

static const char *gzip_file(const char *name, const char *text, const char *mode)
{
    const char *path = temporary_path(name);
    gzFile file = gzopen(path, mode);
    ck_assert(file != NULL);
    ck_assert_int_eq(gzwrite(file, text, (unsigned)strlen(text)), (int)strlen(text));
    ck_assert_int_eq(gzclose(file), Z_OK);
    return path;
}

START_TEST(test_faults_gzipped)
{
    for (size_t f = 0; f < sizeof FAULTS / sizeof FAULTS[0]; f++)
        expect_refusal(gzip_file("bad.mtx.gz", FAULTS[f].text, "wb"), FAULTS[f].line,
                       FAULTS[f].says[0], FAULTS[f].says[1]);
}
END_TEST

START_TEST(test_fault_behind_cr)
{
    expect_refusal(temporary_file("cr.mtx", SYMMETRIC("% c\r\r3 3 2\r1 1 1\r\n2 2 x\r"), -1),
                   ":6: ", "\"x\"", NULL);
    expect_refusal(temporary_file("crlf.mtx", SYMMETRIC("% c\r\n3 3 2\r\n1 1 1\r\n9 2 1\r\n"), -1),
                   ":5: ", "\"9\"", NULL);
}
END_TEST

START_TEST(test_nul)
{
    static const char in_entry[] = SYMMETRIC("1 1 1\n1 1 1\0\n");
    static const char in_comment[] = SYMMETRIC("%\0\n1 1 1\n1 1 1\n");
    static const char between[] = SYMMETRIC("1 1 1\n%\0\n1 1 1\n");
    static const char alone[] = SYMMETRIC("1 1 1\n1 1 1\n\0");
    expect_refusal(temporary_file("nul", in_entry, sizeof in_entry - 1), ":3: ", "NUL", NULL);
    expect_refusal(temporary_file("nul", in_comment, sizeof in_comment - 1), ":2: ", "NUL", NULL);
    expect_refusal(temporary_file("nul", between, sizeof between - 1), ":3: ", "NUL", NULL);
    expect_refusal(temporary_file("nul", alone, sizeof alone - 1), ":4: ", "NUL", NULL);
    expect_refusal(temporary_file("nul", "\0", 1), ":1: ", "\"?\"", NULL);
}
END_TEST

START_TEST(test_no_file)
{
    expect_refusal(temporary_path("absent.mtx"), ": ", "No such file", NULL);
    expect_refusal("/tmp", ": ", "directory", NULL);
    expect_refusal("/dev/null", ": ", "no regular file", NULL);
}
END_TEST

START_TEST(test_no_permission)
{
    const char *path = temporary_file("secret.mtx", SYMMETRIC("1 1 0\n"), -1);
    ck_assert_int_eq(chmod(path, 0), 0);
    if (geteuid() != 0) /* root may read everything */
        expect_refusal(path, ": ", "Permission denied", NULL);
}
END_TEST

/* With any number of threads the first of several faults is told. */
START_TEST(test_first_fault_of_many)
{
    enum { LINES = 100000 };
    char *text = malloc(LINES * 20), line[20];
    ck_assert(text != NULL);
    for (int first = 3; first < LINES; first += 9973) {
        size_t length = (size_t)sprintf(text, "%s9 9 %d\n", SYMMETRIC(""), LINES - 2);
        for (int k = 3; k <= LINES; k++)
            length += (size_t)sprintf(text + length, "1 1 %s%d\n",
                                      k == first || (k % 7 == 0 && k > first) ? "x" : "", k);
        const char *path = temporary_file("many.mtx", text, -1);
        snprintf(line, sizeof line, ":%d: ", first);
        for (int threads = 1; threads <= 7; threads += 2) {
            test_threads(threads);
            expect_refusal(path, line, "is not a number", NULL);
        }
    }
    free(text);
}
END_TEST

START_TEST(test_first_extra_line)
{
    enum { LINES = 100000 };
    char *text = malloc(LINES * 20), line[20];
    ck_assert(text != NULL);
    for (int last = 3; last < LINES; last += 19937) {
        size_t length = (size_t)sprintf(text, "%s9 9 %d\n", SYMMETRIC(""), last - 2);
        for (int k = 3; k <= LINES; k++)
            length += (size_t)sprintf(text + length, "1 1 %s%d\n", k == LINES ? "x" : "", k);
        snprintf(line, sizeof line, ":%d: ", last + 1);
        test_threads(last % 5 + 1);
        expect_refusal(temporary_file("extra.mtx", text, -1), line, "more entries", NULL);
    }
    free(text);
}
END_TEST

/* Faults of the whole matrix: of equals the first in row order is told, whatever the threads. */
START_TEST(test_first_of_equals)
{
    enum { N = 3000 };
    char *text = malloc(N * 50);
    ck_assert(text != NULL);
    for (int twice = 0; twice < 2; twice++) {
        size_t length = (size_t)sprintf(text, "%s%d %d %d\n", COORDINATE("real general\n"), N, N,
                                        (1 + twice) * (N - 1));
        for (int k = N - 1; k > 0; k--)
            for (int copy = 0; copy <= twice; copy++)
                length += (size_t)sprintf(text + length, "%d %d 1e308\n", k, k + 1);
        const char *path = temporary_file("equals.mtx", text, -1);
        for (int run = 0; run < 40; run++) {
            test_threads(1 + run % 7);
            expect_refusal(path, "", twice ? "(1, 2) is repeated" : "a(1,2) = 1", NULL);
        }
    }
    free(text);
}
END_TEST

START_TEST(test_rows_beyond_memory)
{
    struct csr A;
    expect_error(matrix_market_read(
                     temporary_file("rows.mtx", SYMMETRIC("2147483647 2147483647 1\n7 1 1\n"), -1),
                     CSR_SYMMETRIC, 0, NULL, &A, NULL, &error),
                 STATUS_MEMORY, &error, "out of memory", NULL);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(test_not_a_number_as_tolerance)
{
    struct csr A;
    const char *path = temporary_file("a.mtx", COORDINATE("real general\n2 2 1\n1 2 1\n"), -1);
    expect_error(matrix_market_read(path, CSR_SYMMETRIC, NAN, NULL, &A, NULL, &error), STATUS_INPUT,
                 &error, "asymmetry", NULL);
}
END_TEST

START_TEST(test_vector_faults)
{
    static const struct fault faults[] = {
        {"%%MatrixMarket matrix array real general\n2 1\n1\n2\n",
         ":2: ",
         {"2 x 1", "must have 3 rows"}},
        {"%%MatrixMarket matrix array real general\n3 3\n1\n", ":2: ", {"3 x 3"}},
        {"%%MatrixMarket matrix array real symmetric\n1 1\n1\n", ":1: ", {"symmetric"}},
        {"%%MatrixMarket matrix array real general\n3 1\n1\n2\n", ":4: ", {"after 2 of the 3"}},
        {"%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n4\n", ":6: ", {"more entries"}},
        {COORDINATE("real general\n3 1 1\n1 2 1\n"), ":3: ", {"column \"2\" lies outside 1 to 1"}},
        {COORDINATE("real general\n3 1 2\n2 1 1e308\n2 1 1e308\n"), ":3: ", {"(2, 1) is repeated"}},
        {"%%MatrixMarket matrix array complex general\n3 1\n", ":1: ", {"complex"}},
        {"%%MatrixMarket matrix array real general\n3 1\n0\n1e-400\n1\n", ":4: ", {"too small"}},
    };
    double b[3];
    for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
        const char *path = temporary_file("bad", faults[f].text, -1);
        expect_error(market_vectors.read(path, 3, 1, 0, 3, b, &error), STATUS_INPUT, &error, path,
                     faults[f].line, faults[f].says[0], faults[f].says[1], NULL);
        ck_assert_int_eq(memory_live(), 0);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {test_faults,
                                  test_faults_gzipped,
                                  test_fault_behind_cr,
                                  test_nul,
                                  test_no_file,
                                  test_no_permission,
                                  test_first_fault_of_many,
                                  test_first_extra_line,
                                  test_first_of_equals,
                                  test_rows_beyond_memory,
                                  test_not_a_number_as_tolerance,
                                  test_vector_faults,
                                  NULL};
    return suite_of("io/market/faults", tests);
}
