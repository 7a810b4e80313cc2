/* The columns of history.csv are those of the method's table, wherever the residual stands. */
#include "program/record/results.h"

#include "base/memory.h"
#include "main/program.h"
#include "rows.h"
#include "support.h"

#include <string.h>

/* In another order than those of the program's own methods. */
static const struct series series[] = {{"gain", "made up", SERIES_WHERE_KNOWN},
                                       {"step", "made up", SERIES_FROM_ROW_1},
                                       {"residual", "made up", SERIES_IN_ALL_ROWS},
                                       {"count", "made up", SERIES_IN_ALL_ROWS},
                                       {NULL}};
static const struct method method = {.series = series};

static const double rows[][4] = {{1, 2, 8, 0}, {NAN, NAN, NAN, 1}, {-0x1p-1074, 0.1, 0x1.8p-4, 2}};
enum { ROWS = sizeof rows / sizeof *rows };

static const char wanted[] = "kernel,run,iteration,gain,step,residual,residual_hex,count\n"
                             "a b,1,0,1,,8,0x1p+3,0\n"
                             "a b,1,1,,nan,nan,nan,1\n"
                             "a b,1,2,-4.9406564584124654e-324,0.10000000000000001,0.09375,"
                             "0x1.8p-4,2\n";
static const char wanted_envelope[] = "kernel,iteration,runs,min,median,max,ulps\n"
                                      "a b,0,1,8,8,8,0\n"
                                      "a b,1,1,nan,nan,nan,\n"
                                      "a b,2,1,0.09375,0.09375,0.09375,0\n";

static void write_rows(struct history_csv *history, struct study_kernel *kernel)
{
    struct error error;
    for (int64_t k = 0; k < ROWS; k++) {
        struct event row = {.label = "a b", .run = 1, .iteration = k, .values = rows[k]};
        expect_ok(history_csv_row(history, &row, &error), &error);
        expect_ok(envelope_take(&kernel->envelope, k, rows[k][2], &error), &error);
    }
}

START_TEST(columns_are_the_method_s)
{
    struct error error;
    struct history_csv history;
    struct text_file envelope;
    struct study_run run = {.run = 1, .result.iterations = ROWS - 1};
    struct study_kernel kernel = {.label = "a b", .runs_count = 1, .runs = &run};
    char path[300];
    const char *directory = temporary_path("made");
    expect_ok(directory_make(directory, &error), &error);
    expect_ok(history_csv_begin(directory, &method, false, 1, &history, &error), &error);
    expect_ok(envelope_csv_begin(directory, 1, &envelope, &error), &error);
    write_rows(&history, &kernel);
    expect_ok(envelope_csv_kernel(&envelope, &history, &kernel, &error), &error);
    expect_ok(history_csv_finish(&history, &error), &error);
    expect_ok(text_file_finish(&envelope, &error), &error);
    snprintf(path, sizeof path, "%s/history.csv", directory);
    ck_assert_str_eq(file_text(path), wanted);
    snprintf(path, sizeof path, "%s/envelope.csv", directory);
    ck_assert_str_eq(file_text(path), wanted_envelope);
    envelope_free(&kernel.envelope);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The longest label, the most series and the longest numbers: a line of the file holds them, and is
 * read again. */
START_TEST(the_longest_row_has_room)
{
    static struct series most[SERIES_MOST + 1] = {{"residual", "made up", SERIES_IN_ALL_ROWS}};
    static char names[SERIES_MOST][4], label[512];
    const struct method longest = {.series = most};
    struct study_run run = {.run = 1, .result.iterations = 0};
    struct study_kernel kernel = {.label = label, .runs_count = 1, .runs = &run};
    double values[SERIES_MOST];
    struct error error;
    struct history_csv history;
    struct text_file envelope;
    const char *directory = temporary_path("long");
    memset(label, 'x', sizeof label - 1);
    for (int s = 0; s < SERIES_MOST; s++) {
        snprintf(names[s], sizeof names[s], "s%d", s);
        values[s] = s ? -0x1.fffffffffffffp-1000 : 0x1.fffffffffffffp-1000;
        if (s)
            most[s] = (struct series){names[s], "made up", SERIES_IN_ALL_ROWS};
    }
    expect_ok(directory_make(directory, &error), &error);
    expect_ok(history_csv_begin(directory, &longest, true, 1, &history, &error), &error);
    expect_ok(envelope_csv_begin(directory, 1, &envelope, &error), &error);
    struct event row = {.label = label, .run = 1, .values = values};
    expect_ok(history_csv_row(&history, &row, &error), &error);
    row.run = 1000000000;
    row.iteration = INT64_MAX;
    expect_ok(history_csv_row(&history, &row, &error), &error);
    expect_ok(envelope_take(&kernel.envelope, 0, values[0], &error), &error);
    expect_ok(envelope_csv_kernel(&envelope, &history, &kernel, &error), &error);
    text_file_abandon(&envelope);
    history_csv_abandon(&history);
    envelope_free(&kernel.envelope);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {columns_are_the_method_s, the_longest_row_has_room, NULL};
    return suite_of("program/record/history_csv", tests);
}
