/* Gzipped text: cut off, damaged, and lines across the windows that it is inflated into; seen
 * through the reader of Matrix Market files. */
#include "io/matrix_market.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static struct error error;

#define SYMMETRIC(rest) "%%MatrixMarket matrix coordinate real symmetric\n" rest

static void expect_refusal(const char *path, const char *line, const char *says)
{
    struct csr A;
    char place[300];
    snprintf(place, sizeof place, "%s%s", path, line);
    enum status status = matrix_market_read(path, 0, &A, NULL, &error);
    expect_error(status, STATUS_INPUT, &error, place, says, NULL);
    ck_assert(A.offsets == NULL && A.columns == NULL && A.values == NULL);
    ck_assert_int_eq(memory_live(), 0);
}

static const char *gzip_file(const char *name, const char *text, const char *mode)
{
    const char *path = temporary_path(name);
    gzFile file = gzopen(path, mode);
    ck_assert(file != NULL);
    ck_assert_int_eq(gzwrite(file, text, (unsigned)strlen(text)), (int)strlen(text));
    ck_assert_int_eq(gzclose(file), Z_OK);
    return path;
}

static int64_t load(const char *path, char *bytes, int64_t room)
{
    FILE *file = fopen(path, "rb");
    ck_assert(file != NULL);
    int64_t count = (int64_t)fread(bytes, 1, (size_t)room, file);
    fclose(file);
    return count;
}

START_TEST(test_gzip_cut_anywhere)
{
    char bytes[1000];
    const char *path = gzip_file("whole.gz", SYMMETRIC("3 3 3\n1 1 1\n2 2 2\n3 3 3\n"), "wb");
    int64_t count = load(path, bytes, sizeof bytes);
    for (int64_t cut = 3; cut < count; cut++)
        expect_refusal(temporary_file("cut.gz", bytes, cut), ":", "truncated");
    bytes[count] = 'x';
    expect_refusal(temporary_file("more.gz", bytes, count + 1), ":6: ", "behind the gzip data");
}
END_TEST

/* A few bits mean nothing (flags, padding): then the matrix must be the right one. */
static void expect_refusal_or_identity(const char *path)
{
    struct csr A;
    enum status status = matrix_market_read(path, 0, &A, NULL, &error);
    if (status)
        expect_error(status, STATUS_INPUT, &error, path, NULL);
    else
        ck_assert(A.n == 3 && A.nnz == 3 && A.values[0] == 1 && A.values[1] == 2 &&
                  A.values[2] == 3);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(test_gzip_damaged)
{
    char bytes[1000];
    const char *path = gzip_file("whole.gz", SYMMETRIC("3 3 3\n1 1 1\n2 2 2\n3 3 3\n"), "wb");
    int64_t count = load(path, bytes, sizeof bytes);
    bytes[count - 5] ^= 1; /* the check sum */
    expect_refusal(temporary_file("sum.gz", bytes, count), ":", "damaged");
    bytes[count - 5] ^= 1;
    for (int64_t k = 2; k < count; k++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[k] ^= (char)(1 << bit);
            expect_refusal_or_identity(temporary_file("flip.gz", bytes, count));
            bytes[k] ^= (char)(1 << bit);
        }
}
END_TEST

/* The line at which a long gzipped file is cut off is named, and a fault before it goes first. */
START_TEST(test_gzip_cut_late)
{
    enum { LINES = 1200000 };
    char *text = malloc(LINES * 24);
    ck_assert(text != NULL);
    for (int faulty = 0; faulty < 2; faulty++) {
        size_t length = (size_t)sprintf(text, "%s%d %d %d\n", SYMMETRIC(""), LINES, LINES, LINES);
        uint64_t state = 1;
        for (int k = 1; k <= LINES; k++)
            length += (size_t)sprintf(text + length, "%d %d %s%.3f\n", k, k,
                                      faulty && k == LINES / 2 ? "?" : "", test_random(&state));
        const char *path = gzip_file("long.gz", text, "wb1");
        struct stat about;
        ck_assert_int_eq(stat(path, &about), 0);
        ck_assert_int_eq(truncate(path, about.st_size - 1000), 0);
        if (faulty)
            expect_refusal(path, ":600002: ", "\"?");
        else
            expect_refusal(path, ":119", "truncated");
    }
    free(text);
}
END_TEST

/* A CR LF that a window of inflated text cuts in two is one end of a line all the same. */
START_TEST(test_gzip_window_between_cr_and_lf)
{
    enum { LINES = 2300000 };
    char *text = malloc((size_t)LINES * 8 + 200);
    ck_assert(text != NULL);
    for (int padding = 0; padding < 8; padding++) {
        size_t length =
            (size_t)sprintf(text, "%s%%%.*s\n9 9 %d\n", SYMMETRIC(""), padding, "12345678", LINES);
        for (int k = 0; k < LINES; k++, length += 8)
            memcpy(text + length, k < LINES - 1 ? "1 1 25\r\n" : "1 1 x5\r\n", 9);
        expect_refusal(gzip_file("window.gz", text, "wb1"), ":2300003: ", "\"x5\"");
    }
    free(text);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {test_gzip_cut_anywhere, test_gzip_damaged, test_gzip_cut_late,
                                  test_gzip_window_between_cr_and_lf, NULL};
    return suite_of("text_source", tests);
}
