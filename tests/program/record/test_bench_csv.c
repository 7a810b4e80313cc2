/* The bench's rows: written, read again, gone on with. */
#include "program/record/bench_csv.h"

#include "support.h"

#include "io/csv.h"
#include "program/command/run_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct csr_statistics statistics = {.n = 3, .width = 4, .entries = 5, .rcm_bandwidth = -1};

static enum status add(struct bench_csv *csv, const char *matrix, const char *kernel,
                       const char *parameters, enum product_verdict verdict, struct error *error)
{
    struct bench_matrix given = {matrix, "general", &statistics};
    struct product_result result = {
        .verdict = verdict, .median_seconds = 0.25, .mean_seconds = 1, .copy_rate = 1, .flops = 1};
    if (verdict == PRODUCT_SKIPPED)
        snprintf(result.reason, sizeof result.reason, "%s", "too \"large\", by 1");
    return bench_csv_result(csv, &given, kernel, parameters, &result, error);
}

static struct bench_csv opened(const char *path, uint64_t run)
{
    struct bench_csv csv;
    struct error error;
    expect_ok(bench_csv_open(path, run, &csv, &error), &error);
    return csv;
}

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot read %s", path);
    char *text = calloc(1, 1 << 16);
    ck_assert_uint_gt(fread(text, 1, (1 << 16) - 1, file), 0);
    fclose(file);
    return text;
}

/* Every row has as many fields as the head, and quotes where they are needed. */
static void expect_fields(const char *text)
{
    int wanted = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        char field[600];
        const char *at = line, *end = line + strcspn(line, "\n");
        int count = 0;
        while (csv_take(&at, end, field, sizeof field))
            count++;
        wanted = wanted ? wanted : count;
        ck_assert_int_eq(count, wanted);
        ck_assert(at == end + 1);
    }
    ck_assert_int_eq(wanted, 37);
}

START_TEST(rows_come_back)
{
    struct error error;
    char path[256], partial[300];
    snprintf(path, sizeof path, "%s", temporary_path("a.csv"));
    snprintf(partial, sizeof partial, "%s.partial", path);
    struct bench_csv csv = opened(path, 1);
    expect_ok(add(&csv, "a, \"b\".mtx", "one", "k x=1", PRODUCT_PASS, &error), &error);
    expect_ok(add(&csv, "a, \"b\".mtx", "two", "k", PRODUCT_FAIL, &error), &error);
    expect_ok(add(&csv, "c.mtx", "one", "k x=1", PRODUCT_SKIPPED, &error), &error);
    expect_ok(bench_csv_matrix(&csv, "d.mtx", BENCH_ERROR, "d.mtx:1: \"odd\", is it", &error),
              &error);
    ck_assert_int_eq(access(path, F_OK), -1);
    ck_assert_int_eq(access(partial, F_OK), 0);
    expect_ok(bench_csv_finish(&csv, &error), &error);
    ck_assert_int_eq(access(path, F_OK), 0);
    ck_assert_int_eq(access(partial, F_OK), -1);
    char *text = text_of(path);
    expect_fields(text);

    csv = opened(path, 1);
    ck_assert_int_eq(csv.resumed, 4);
    const struct bench_row *row = bench_csv_find(&csv, "a, \"b\".mtx", "one", "k x=1");
    ck_assert(row && row->status == BENCH_PASS && row->median_seconds == 0.25);
    ck_assert_int_eq(bench_csv_find(&csv, "a, \"b\".mtx", "two", "k")->status, BENCH_FAIL);
    ck_assert_ptr_null(bench_csv_find(&csv, "a, \"b\".mtx", "one", "k x=2"));
    ck_assert_ptr_null(bench_csv_find(&csv, "a", "one", "k x=1"));
    row = bench_csv_find(&csv, "c.mtx", "one", "k x=1");
    ck_assert(row && row->status == BENCH_SKIPPED && isnan(row->median_seconds));
    row = bench_csv_find(&csv, "d.mtx", "anything", "at all");
    ck_assert(row && row->status == BENCH_ERROR);
    bench_csv_abandon(&csv);

    csv = opened(path, 2); /* rows of another run stay, but do not count */
    ck_assert_int_eq(csv.resumed, 0);
    expect_ok(add(&csv, "a", "one", "", PRODUCT_PASS, &error), &error);
    expect_ok(bench_csv_finish(&csv, &error), &error);
    char *longer = text_of(path);
    ck_assert_int_eq(strncmp(longer, text, strlen(text)), 0);
    expect_fields(longer);
    csv = opened(path, 1);
    ck_assert_int_eq(csv.resumed, 4);
    bench_csv_abandon(&csv);
    free(text);
    free(longer);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Wherever the file was cut, the whole lines before are kept and the rest is written anew. */
START_TEST(a_torn_file_is_gone_on_with)
{
    struct error error;
    char path[256], partial[300];
    snprintf(path, sizeof path, "%s", temporary_path("whole.csv"));
    struct bench_csv csv = opened(path, 1);
    expect_ok(add(&csv, "a", "one", "k", PRODUCT_PASS, &error), &error);
    expect_ok(add(&csv, "b", "one", "k", PRODUCT_PASS, &error), &error);
    expect_ok(bench_csv_finish(&csv, &error), &error);
    char *whole = text_of(path);
    int64_t length = (int64_t)strlen(whole);
    snprintf(path, sizeof path, "%s", temporary_path("torn.csv"));
    for (int64_t cut = 0; cut <= length; cut++) {
        snprintf(partial, sizeof partial, "%s", temporary_file("torn.csv.partial", whole, cut));
        int64_t lines = 0;
        for (int64_t k = 0; k < cut; k++)
            lines += whole[k] == '\n';
        csv = opened(path, 1);
        ck_assert_int_eq(csv.rows_count, lines > 0 ? lines - 1 : 0);
        static const char *const names[] = {"a", "b"};
        for (int64_t k = csv.rows_count; k < 2; k++)
            expect_ok(add(&csv, names[k], "one", "k", PRODUCT_PASS, &error), &error);
        expect_ok(bench_csv_finish(&csv, &error), &error);
        char *again = text_of(path);
        ck_assert_str_eq(again, whole);
        free(again);
        unlink(path);
    }
    free(whole);
}
END_TEST

START_TEST(what_is_no_bench_is_left_alone)
{
    struct bench_csv csv;
    struct error error;
    const char *path = temporary_file("other.csv", "a,b\n1,2\n", -1);
    expect_error(bench_csv_open(path, 1, &csv, &error), STATUS_INPUT, &error, "no file of a bench",
                 NULL);
    char *text = text_of(path); /* and it has its name again */
    ck_assert_str_eq(text, "a,b\n1,2\n");
    free(text);
    path = temporary_file("other.csv", /* as an earlier version wrote it */
                          "run,matrix,kernel,parameters,status,median_seconds,reason\n"
                          "0000000000000001,a,one,k,pass,1,\n",
                          -1);
    expect_error(bench_csv_open(path, 1, &csv, &error), STATUS_INPUT, &error, path,
                 ":1: ", "another version of cgsolve", "begin a new file", NULL);
    text = text_of(path);
    ck_assert_ptr_nonnull(strstr(text, "status,median_seconds,reason\n"));
    free(text);
    temporary_file("other.csv.partial", "", 0);
    expect_error(bench_csv_open(path, 1, &csv, &error), STATUS_INPUT, &error, "must not continue",
                 NULL);
    expect_error(bench_csv_open("/no/such/file.csv", 1, &csv, &error), STATUS_OUTPUT, &error,
                 "/no/such/file.csv", NULL);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Two at work on one file would tear it. */
START_TEST(another_is_at_work)
{
    struct bench_csv other;
    struct error error;
    char path[256];
    snprintf(path, sizeof path, "%s", temporary_path("contested.csv"));
    for (int64_t turn = 0; turn < 3; turn++) { /* a new file, and one with rows */
        struct bench_csv csv = opened(path, 1);
        ck_assert_int_eq(csv.resumed, turn);
        for (int k = 0; k < 2; k++) {
            expect_error(bench_csv_open(path, 1, &other, &error), STATUS_OUTPUT, &error, path,
                         ": another bench is at work on it", NULL);
            expect_ok(k ? STATUS_OK : add(&csv, "a", "one", "k", PRODUCT_PASS, &error), &error);
        }
        expect_ok(bench_csv_finish(&csv, &error), &error);
    }
    char *text = text_of(path);
    expect_fields(text);
    free(text);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(what_is_no_file_is_left_alone)
{
    static const char *const ends[] = {"", ".partial"};
    struct bench_csv csv;
    struct error error;
    char path[256], odd[300], precious[256];
    struct stat info;
    snprintf(path, sizeof path, "%s", temporary_path("odd.csv"));
    snprintf(precious, sizeof precious, "%s", temporary_file("precious", "", 0));
    for (int end = 0; end < 2; end++)
        for (int kind = 0; kind < 2; kind++) {
            snprintf(odd, sizeof odd, "%s%s", path, ends[end]);
            ck_assert_int_eq(kind ? symlink(precious, odd) : mkfifo(odd, 0666), 0);
            expect_error(bench_csv_open(path, 1, &csv, &error), kind ? STATUS_OUTPUT : STATUS_INPUT,
                         &error, odd, kind ? "it is a symbolic link" : "is not a file", NULL);
            ck_assert(lstat(odd, &info) == 0 &&
                      (kind ? S_ISLNK(info.st_mode) : S_ISFIFO(info.st_mode)));
            ck_assert_int_eq(unlink(odd), 0);
        }
    ck_assert(stat(precious, &info) == 0 && info.st_size == 0);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Somebody takes the file away: what would get the name is not what was measured. */
START_TEST(taken_away_meanwhile)
{
    struct error error;
    char path[256], partial[300];
    snprintf(path, sizeof path, "%s", temporary_path("away.csv"));
    snprintf(partial, sizeof partial, "%s.partial", path);
    struct bench_csv csv = opened(path, 1);
    ck_assert_int_eq(unlink(partial), 0);
    temporary_file("away.csv.partial", "theirs", -1);
    expect_error(bench_csv_finish(&csv, &error), STATUS_OUTPUT, &error, partial, "replaced", NULL);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(fields)
{
    static const char *const texts[][2] = {
        {"", ""}, {"a b", "a b"}, {"a,b", "\"a,b\""}, {"\"", "\"\"\"\""}, {"x\ny\t", "x?y?"}};
    char field[64], taken[64];
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        ck_assert_str_eq(csv_quote(texts[k][0], field, sizeof field), texts[k][1]);
        const char *at = field;
        ck_assert(csv_take(&at, field + strlen(field), taken, sizeof taken));
        if (k < 4)
            ck_assert_str_eq(taken, texts[k][0]);
    }
    for (int size = 4; size < 12; size++) { /* cut, but whole: it can be taken back */
        csv_quote("\"\",\"\"\"\"\"\"\"\"", field, size);
        ck_assert_int_lt((int)strlen(field), size);
        const char *at = field;
        ck_assert(csv_take(&at, field + strlen(field), taken, sizeof taken));
    }
    const char *open = "\"abc", *at = open;
    ck_assert(!csv_take(&at, open + 4, taken, sizeof taken));
    open = at = "\"a\"b,c";
    ck_assert(!csv_take(&at, open + 6, taken, sizeof taken));
}
END_TEST

static enum status attempt(void *path, struct error *error)
{
    struct bench_csv csv;
    unlink(temporary_path("walk.csv.partial"));
    enum status status = bench_csv_open(path, 1, &csv, error);
    if (!status)
        status = add(&csv, "a", "one", "k", PRODUCT_PASS, error);
    bench_csv_abandon(&csv);
    return status;
}

START_TEST(failing_allocations)
{
    char path[256];
    snprintf(path, sizeof path, "%s", temporary_path("walk.csv"));
    walk_allocation_failures(attempt, path);
}
END_TEST

static void expect_values(const struct parameter *parameter, int64_t now, int count,
                          const int64_t *wanted)
{
    int64_t values[TUNE_VALUES_MAX];
    ck_assert_int_eq(tune_values(parameter, now, values), count);
    for (int k = 0; k < count; k++)
        ck_assert_int_eq(values[k], wanted[k]);
}

START_TEST(values_to_try)
{
    static const char *const choices[] = {"a", "b", "c", NULL};
    struct parameter whole = {.least = 1, .most = 32}, odd = {.most = 100},
                     one = {.least = 4, .most = 4}, any = {.least = INT64_MIN, .most = INT64_MAX},
                     choice = {.choices = choices};
    expect_values(&whole, 4, 6, (int64_t[]){1, 2, 4, 8, 16, 32});
    expect_values(&whole, 5, 7, (int64_t[]){1, 2, 4, 5, 8, 16, 32});
    expect_values(&odd, 0, 9, (int64_t[]){0, 1, 2, 4, 8, 16, 32, 64, 100});
    expect_values(&one, 4, 1, (int64_t[]){4});
    expect_values(&choice, 1, 3, (int64_t[]){0, 1, 2});
    int64_t values[TUNE_VALUES_MAX];
    ck_assert_int_eq(tune_values(&any, 3, values), 2 + 63 + 1);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {rows_come_back,
                            a_torn_file_is_gone_on_with,
                            what_is_no_bench_is_left_alone,
                            another_is_at_work,
                            what_is_no_file_is_left_alone,
                            taken_away_meanwhile,
                            fields,
                            failing_allocations,
                            values_to_try,
                            NULL};
    return suite_of("program/record/bench_csv", tests);
}
