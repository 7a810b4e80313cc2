/* Text in pieces: packed text that is cut off or damaged, and lines across the windows, seen
 * through the reader of Matrix Market files; lines that are too long; files that change while they
 * are read. */
#include "io/text_source.h"

#include "io/market/matrix_market.h"
#include "io/packed_file.h"
#include "io/unpack.h"
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct error error;

#define SYMMETRIC(rest) "%%MatrixMarket matrix coordinate real symmetric\n" rest

static void expect_refusal(const char *path, const char *line, const char *says)
{
    struct csr A;
    char place[300];
    snprintf(place, sizeof place, "%s%s", path, line);
    enum status status = matrix_market_read(path, CSR_SYMMETRIC, 0, NULL, &A, NULL, &error);
    expect_error(status, STATUS_INPUT, &error, place, says, NULL);
    ck_assert(A.offsets == NULL && A.columns == NULL && A.values == NULL);
    ck_assert_int_eq(memory_live(), 0);
}

/* Of form number k of this build; NULL: its library is not here. */
static const char *packed(int k, const char *name, const char *text, size_t bytes)
{
    const char *path = packed_file(unpack_forms[k]->name, name, text, bytes);
    if (!path)
        printf("%s is not here\n", unpack_forms[k]->name);
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

static const char identity[] = SYMMETRIC("3 3 3\n1 1 1\n2 2 2\n3 3 3\n");

START_TEST(test_cut_anywhere)
{
    char bytes[1000], says[60];
    for (int k = 0; unpack_forms[k]; k++) {
        const char *path = packed(k, "whole", identity, strlen(identity));
        int64_t count = path ? load(path, bytes, sizeof bytes) : 0;
        for (int64_t cut = (int64_t)unpack_forms[k]->mark_length; cut < count; cut++)
            expect_refusal(temporary_file("cut", bytes, cut), ":", "truncated");
        bytes[count] = 'x';
        snprintf(says, sizeof says, "other bytes follow the %s data", unpack_forms[k]->name);
        if (path)
            expect_refusal(temporary_file("more", bytes, count + 1), ":6: ", says);
    }
}
END_TEST

/* The process may open the file, and then no library, which no other test has loaded. */
START_TEST(test_a_library_that_is_missing)
{
    static const char *const says[][2] = {
        {"bzip2", "need libbz2, which is not here: bunzip2 unpacks the file"},
        {"xz", "need liblzma, which is not here: unxz unpacks the file"}};
    for (int k = 1; unpack_forms[k]; k++) {
        const char *path = temporary_file("packed", unpack_forms[k]->mark, -1);
        struct rlimit before, set;
        int next = dup(STDIN_FILENO);
        ck_assert_int_eq(close(next), 0);
        ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
        set = (struct rlimit){(rlim_t)next + 1, before.rlim_max};
        ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &set), 0);
        for (int form = 0; form < 2; form++)
            if (strcmp(unpack_forms[k]->name, says[form][0]) == 0)
                expect_refusal(path, ":1: the ", says[form][1]);
        ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    }
}
END_TEST

/* Two parts are one text, also where they meet within a line. */
START_TEST(test_parts_of_a_file)
{
    enum { HALF = 40 };
    char bytes[2000];
    for (int k = 0; unpack_forms[k]; k++) {
        const char *path = packed(k, "first", identity, HALF);
        int64_t count = path ? load(path, bytes, sizeof bytes) : 0;
        struct csr A;
        if (!path)
            continue;
        path = packed(k, "second", identity + HALF, strlen(identity) - HALF);
        count += load(path, bytes + count, (int64_t)sizeof bytes - count);
        expect_ok(matrix_market_read(temporary_file("both", bytes, count), CSR_SYMMETRIC, 0, NULL,
                                     &A, NULL, &error),
                  &error);
        ck_assert(A.n == 3 && A.nnz == 3 && A.values[0] == 1 && A.values[2] == 3);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A few bits mean nothing (flags, padding): then the matrix must be the right one. */
static void expect_refusal_or_identity(const char *path)
{
    struct csr A;
    enum status status = matrix_market_read(path, CSR_SYMMETRIC, 0, NULL, &A, NULL, &error);
    if (status)
        expect_error(status, STATUS_INPUT, &error, path, NULL);
    else
        ck_assert(A.n == 3 && A.nnz == 3 && A.values[0] == 1 && A.values[1] == 2 &&
                  A.values[2] == 3);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(test_damaged)
{
    char bytes[1000];
    for (int f = 0; unpack_forms[f]; f++) {
        const char *path = packed(f, "whole", identity, strlen(identity));
        int64_t count = path ? load(path, bytes, sizeof bytes) : 0;
        if (!path)
            continue;
        bytes[count - 3] ^= 1; /* of a check, or of the length */
        expect_refusal(temporary_file("check", bytes, count), ":", "damaged");
        bytes[count - 3] ^= 1;
        for (int64_t k = (int64_t)unpack_forms[f]->mark_length; k < count; k++)
            for (int bit = 0; bit < 8; bit++) {
                if (!test_case_runs(8 * k + bit, 5))
                    continue;
                bytes[k] ^= (char)(1 << bit);
                expect_refusal_or_identity(temporary_file("flip", bytes, count));
                bytes[k] ^= (char)(1 << bit);
            }
    }
}
END_TEST

/* The line at which a long file is cut off is named, and a fault before it goes first. */
START_TEST(test_cut_late)
{
    enum { LINES = 300000 };
    char *text = malloc(LINES * 24);
    ck_assert(text != NULL);
    for (int faulty = 0; faulty < 2; faulty++) {
        size_t length = (size_t)sprintf(text, "%s%d %d %d\n", SYMMETRIC(""), LINES, LINES, LINES);
        uint64_t state = 1;
        for (int k = 1; k <= LINES; k++)
            length += (size_t)sprintf(text + length, "%d %d %s%.3f\n", k, k,
                                      faulty && k == LINES / 2 ? "?" : "", test_random(&state));
        for (int f = 0; unpack_forms[f] && f < (faulty ? 1 : 9); f++) {
            const char *path = packed(f, "long", text, length);
            struct stat about;
            if (!path)
                continue;
            ck_assert_int_eq(stat(path, &about), 0);
            ck_assert_int_eq(truncate(path, about.st_size - 1000), 0);
            if (faulty)
                expect_refusal(path, ":150002: ", "\"?");
            else
                expect_refusal(path, ":29", "truncated");
        }
    }
    free(text);
}
END_TEST

/* A CR LF that a window of unpacked text cuts in two is one end of a line all the same. */
START_TEST(test_window_between_cr_and_lf)
{
    enum { LINES = 2300000 };
    char *text = malloc((size_t)LINES * 8 + 200);
    ck_assert(text != NULL);
    for (int padding = 0; padding < 8; padding++) {
        if (!test_case_runs(padding, 2))
            continue;
        size_t length =
            (size_t)sprintf(text, "%s%%%.*s\n9 9 %d\n", SYMMETRIC(""), padding, "12345678", LINES);
        for (int k = 0; k < LINES; k++, length += 8)
            memcpy(text + length, k < LINES - 1 ? "1 1 25\r\n" : "1 1 x5\r\n", 9);
        expect_refusal(packed_file("gzip", "window.gz", text, length), ":2300003: ", "\"x5\"");
    }
    free(text);
}
END_TEST

/* Lines of some bytes with each end in turn; returns the bytes. */
static char *lines_of(int64_t length, int lines, size_t *bytes)
{
    static const char *const ends[] = {"\n", "\r", "\r\n"};
    char *text = malloc((size_t)(length + 2) * (size_t)lines);
    ck_assert(text != NULL);
    *bytes = 0;
    for (int k = 0; k < lines; k++) {
        memset(text + *bytes, 'a' + k % 26, (size_t)length);
        *bytes += (size_t)length;
        memcpy(text + *bytes, ends[k % 3], strlen(ends[k % 3]));
        *bytes += strlen(ends[k % 3]);
    }
    return text;
}

static const char *text_at(const char *name, const char *text, size_t bytes, bool zipped)
{
    return zipped ? packed_file("gzip", name, text, bytes)
                  : temporary_file(name, text, (int64_t)bytes);
}

/* How many lines come, and what comes behind them. */
static int64_t count_lines(const char *path, int64_t window, int64_t length, enum status *status)
{
    struct text_source *source;
    const char *begin, *end;
    expect_ok(text_source_open(path, window, &source, &error), &error);
    struct text_reader reader = text_reader_start(source);
    while (!(*status = text_reader_next(&reader, &begin, &end, &error)) && begin) {
        ck_assert_int_eq(end - begin, length);
        ck_assert(begin[0] == 'a' + (reader.line - 1) % 26 && end[-1] == begin[0]);
    }
    text_source_close(source);
    ck_assert_int_eq(memory_live(), 0);
    return reader.line;
}

/* A line of the largest length is one like others wherever it lies in a window, and a byte more is
 * too much. */
START_TEST(test_longest_lines)
{
    enum { LINES = 20 };
    size_t bytes;
    enum status status;
    for (int zipped = 0; zipped < 2; zipped++) {
        char *text = lines_of(TEXT_LINE_MOST, LINES, &bytes);
        const char *path = text_at("longest", text, bytes, zipped);
        for (int64_t window = 1; window < 8 << 20; window = 7 * window + 1) {
            ck_assert_int_eq(count_lines(path, window, TEXT_LINE_MOST, &status), LINES);
            expect_ok(status, &error);
        }
        int step = test_is_slow() ? 9 : 3;
        for (int at = 0; at < LINES; at += step) { /* the LF becomes one byte more: a CR comes */
            char *end = text + (size_t)(at + 1) * TEXT_LINE_MOST + (size_t)(at / 3 * 4);
            ck_assert_int_eq(*end, '\n');
            *end = 'x';
            path = text_at("longest", text, bytes, zipped);
            char says[300];
            snprintf(says, sizeof says, "%s:%d: the line is longer than 1048576 bytes", path,
                     at + 1);
            for (int64_t window = 1; window < 32 << 20; window = 40 * window + 1) {
                ck_assert_int_eq(count_lines(path, window, TEXT_LINE_MOST, &status), at);
                expect_error(status, STATUS_INPUT, &error, says, NULL);
            }
            *end = '\n';
        }
        free(text);
    }
}
END_TEST

/* Random digits, so that the gzipped file is long too. */
static char *digits(size_t bytes)
{
    uint64_t state = 1;
    char *text = malloc(bytes);
    ck_assert(text != NULL);
    for (size_t k = 0; k < bytes; k++)
        text[k] = k % 50 == 49 ? '\n' : (char)('0' + test_random_below(&state, 10));
    return text;
}

/* What happens to a file whose first span was read. */
static void change_file(const char *path, int how)
{
    struct stat about;
    ck_assert_int_eq(stat(path, &about), 0);
    if (how == 0) {
        ck_assert_int_eq(truncate(path, 0), 0);
    } else if (how == 1) {
        ck_assert_int_eq(truncate(path, about.st_size - 1), 0);
    } else if (how == 2) {
        ck_assert_int_eq(truncate(path, about.st_size + 1), 0);
    } else { /* as many bytes, written later */
        struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, about.st_mtim};
        times[1].tv_sec++;
        ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    }
}

START_TEST(test_changed_while_read)
{
    enum { BYTES = 8 << 20 };
    char *text = digits(BYTES);
    for (int zipped = 0; zipped < 2; zipped++)
        for (int how = 0; how < 4; how++) {
            struct text_source *source;
            struct text_span span;
            const char *path = text_at("changed", text, BYTES, zipped);
            char says[300];
            snprintf(says, sizeof says, "%s: the file changed while it was read", path);
            expect_ok(text_source_open(path, 1 << 16, &source, &error), &error);
            expect_ok(text_source_next(source, &span, &error), &error);
            ck_assert(span.begin < span.end && span.end - span.begin < BYTES / 2);
            change_file(path, how);
            enum status status;
            int spans = 0;
            while (!(status = text_source_next(source, &span, &error)))
                ck_assert(span.begin < span.end && spans++ < BYTES >> 16);
            expect_error(status, STATUS_INPUT, &error, says, NULL);
            text_source_close(source);
            ck_assert_int_eq(memory_live(), 0);
        }
    free(text);
}
END_TEST

/* Lines of many lengths, with every kind of end, some of them empty. */
static char *make_lines(int64_t bytes, uint64_t *state)
{
    static const char *const ends[] = {"\n", "\r", "\r\n"};
    char *text = malloc((size_t)bytes + 1);
    int64_t count = 0;
    ck_assert(text);
    while (count < bytes) {
        const char *end = ends[test_random_below(state, 3)];
        int64_t most = test_random_below(state, 50) == 0 ? 20000 : 40;
        int64_t length = test_random_below(state, most);
        for (int64_t k = 0; k < length && count < bytes; k++)
            text[count++] = (char)('0' + test_random_below(state, 10));
        for (const char *p = end; *p && count < bytes; p++)
            text[count++] = *p;
    }
    text[count] = '\0';
    return text;
}

/* The spans of all parts, one after the other, are the text behind a line. */
static void expect_all_parts(const char *path, const char *text, int64_t from, int parts)
{
    int64_t reached = from, length = (int64_t)strlen(text);
    for (int p = 0; p < parts; p++) {
        struct text_source *source;
        struct text_span span;
        expect_ok(text_source_open(path, 1 << 10, &source, &error), &error);
        expect_ok(text_source_next(source, &span, &error), &error);
        expect_ok(text_source_part(source, from, p, parts, &error), &error);
        for (;;) {
            expect_ok(text_source_next(source, &span, &error), &error);
            if (span.begin == span.end)
                break;
            ck_assert(span.offset == reached);
            ck_assert(reached + (span.end - span.begin) <= length);
            ck_assert(memcmp(text + reached, span.begin, (size_t)(span.end - span.begin)) == 0);
            reached += span.end - span.begin;
            ck_assert(reached == length || text[reached - 1] == '\n' || text[reached - 1] == '\r');
            ck_assert(!(text[reached - 1] == '\r' && text[reached] == '\n'));
        }
        text_source_close(source);
    }
    ck_assert_int_eq(reached, length);
}

START_TEST(test_parts)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 6; trial++) {
        int64_t bytes = 1 + test_random_below(&state, trial < 4 ? 100 : 3 << 20), from = 0;
        char *text = make_lines(bytes, &state);
        if (trial % 2)
            from =
                text_line_start(text, text + test_random_below(&state, bytes), text + bytes) - text;
        char plain[300];
        snprintf(plain, sizeof plain, "%s", temporary_file("parts", text, (int)bytes));
        for (int parts = 1; parts <= 9; parts += 2)
            expect_all_parts(plain, text, from, parts);
        for (int f = 0; unpack_forms[f]; f++) {
            const char *path = packed(f, "packed parts", text, strlen(text));
            if (path)
                expect_all_parts(path, text, from, 1 + 2 * ((trial + f) % 5));
        }
        free(text);
        ck_assert_int_eq(memory_live(), 0);
    }
}
END_TEST

Suite *suite(void)
{
    /* The first one, for a library stays where it was loaded. */
    const TTest *const tests[] = {test_a_library_that_is_missing,
                                  test_cut_anywhere,
                                  test_parts_of_a_file,
                                  test_damaged,
                                  test_cut_late,
                                  test_window_between_cr_and_lf,
                                  test_longest_lines,
                                  test_changed_while_read,
                                  test_parts,
                                  NULL};
    return suite_of("io/text_source", tests);
}
