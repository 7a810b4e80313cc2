/* The columns of history.csv are those of the method's table, wherever the residual stands. */
#include "program/record/history_file.h"
#include "program/record/results.h"

#include "base/memory.h"
#include "main/program.h"
#include "rows.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

/* In another order than those of the program's own methods. */
static const struct series series[] = {{"gain", "made up", SERIES_WHERE_KNOWN, UNIT_ONE},
                                       {"step", "made up", SERIES_FROM_ROW_1, UNIT_ONE},
                                       {"residual", "made up", SERIES_IN_ALL_ROWS, UNIT_ONE},
                                       {"count", "made up", SERIES_IN_ALL_ROWS, UNIT_ONE},
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
    static struct series most[SERIES_MOST + 1] = {
        {"residual", "made up", SERIES_IN_ALL_ROWS, UNIT_ONE}};
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
            most[s] = (struct series){names[s], "made up", SERIES_IN_ALL_ROWS, UNIT_ONE};
    }
    expect_ok(directory_make(directory, &error), &error);
    expect_ok(history_csv_begin(directory, &longest, true, 1, &history, &error), &error);
    expect_ok(envelope_csv_begin(directory, 1, &envelope, &error), &error);
    struct event row = {.label = label, .run = 1, .values = values};
    expect_ok(history_csv_row(&history, &row, &error), &error);
    expect_ok(history_csv_flush(&history, &error), &error);
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

/* Rows of a run that goes on come to the file after a while, and those of one that failed stay. */
START_TEST(rows_do_not_wait_for_the_end)
{
    enum { MANY = 1 << 14 };
    struct error error;
    struct history_csv history;
    char path[300], last[64];
    const char *directory = temporary_path("on the way");
    expect_ok(directory_make(directory, &error), &error);
    expect_ok(history_csv_begin(directory, &method, false, 1, &history, &error), &error);
    snprintf(path, sizeof path, "%s/history.csv.partial", directory);
    for (int64_t k = 0; k < MANY + 3; k++) {
        struct event row = {.label = "a", .run = 1, .iteration = k, .values = rows[0]};
        expect_ok(history_csv_row(&history, &row, &error), &error);
    }
    ck_assert_ptr_nonnull(strstr(file_text(path), "\na,1,1000,"));
    history_csv_abandon(&history);
    snprintf(last, sizeof last, "\na,1,%d,", MANY + 2);
    ck_assert_ptr_nonnull(strstr(file_text(path), last));
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- several right-hand sides ----------------------------------------------------------------- */

/* Rows of two columns that come in turns, of lengths that differ, in two runs; "a b" makes them,
 * then "c". */
struct turn {
    int64_t column, iteration;
};
static const struct turn turns[] = {{1, 0}, {0, 0}, {0, 1}, {1, 1}, {1, 2}};
enum { TURNS = sizeof turns / sizeof *turns };

static double residual_of(const char *label, int64_t run, const struct turn *turn)
{
    return (double)(label[0] * 1000 + run * 100 + turn->column * 10 + turn->iteration);
}

static enum status write_turns(struct history_csv *history, const char *label, int64_t run,
                               struct error *error)
{
    enum status status = STATUS_OK;
    for (int t = 0; t < TURNS && !status; t++) {
        double values[] = {1, 2, residual_of(label, run, &turns[t]), 0};
        struct event row = {.label = label,
                            .run = run,
                            .column = turns[t].column,
                            .iteration = turns[t].iteration,
                            .values = values};
        status = history_csv_row(history, &row, error);
    }
    return status ? status : history_csv_flush(history, error);
}

/* One of its columns, as a study of two runs knows it. */
static enum status write_envelope(struct text_file *file, struct history_csv *history,
                                  const char *label, int64_t column, struct error *error)
{
    struct study_run runs[2];
    struct study_kernel kernel = {.label = label, .column = column, .runs_count = 2, .runs = runs};
    enum status status = STATUS_OK;
    for (int64_t r = 0; r < 2; r++) {
        runs[r] = (struct study_run){.run = r + 1, .result.iterations = column + 1};
        for (int t = 0; t < TURNS && !status; t++)
            if (turns[t].column == column)
                status = envelope_take(&kernel.envelope, turns[t].iteration,
                                       residual_of(label, r + 1, &turns[t]), error);
    }
    if (!status)
        status = envelope_csv_kernel(file, history, &kernel, error);
    envelope_free(&kernel.envelope);
    return status;
}

static enum status write_columns(void *directory, struct error *error)
{
    static const char *const labels[] = {"a b", "c"};
    struct history_csv history;
    struct text_file envelope;
    enum status status = history_csv_begin(directory, &method, false, 2, &history, error);
    if (status)
        return status;
    status = envelope_csv_begin(directory, 2, &envelope, error);
    if (status) {
        history_csv_abandon(&history);
        return status;
    }
    for (int k = 0; k < 2 && !status; k++) {
        for (int64_t run = 1; run <= 2 && !status; run++)
            status = write_turns(&history, labels[k], run, error);
        for (int64_t column = 0; column < 2 && !status; column++)
            status = write_envelope(&envelope, &history, labels[k], column, error);
    }
    if (!status)
        status = history_csv_finish(&history, error);
    if (!status)
        status = text_file_finish(&envelope, error);
    history_csv_abandon(&history);
    text_file_abandon(&envelope);
    return status;
}

/* What goes by, in the order of the file. */
static enum status take(void *context, int64_t run, int64_t iteration, double residual,
                        struct error *error)
{
    const struct history_file *file = context;
    const struct recorded_run *its = &file->runs[run];
    struct turn turn = {its->column, iteration};
    (void)error;
    ck_assert_int_eq(run, file->runs_count - 1);
    ck_assert(residual == residual_of(its->label, its->run, &turn));
    return STATUS_OK;
}

START_TEST(rows_of_a_column_stand_together)
{
    struct error error;
    struct history_file file;
    char path[300];
    const char *directory = temporary_path("columns");
    expect_ok(directory_make(directory, &error), &error);
    walk_allocation_failures(write_columns, (void *)(uintptr_t)directory);
    snprintf(path, sizeof path, "%s/history.csv", directory);
    const char *text = file_text(path);
    ck_assert_int_eq(
        strncmp(text, "kernel,run,iteration,gain,step,residual,residual_hex,count,column\n", 66),
        0);
    expect_text(text, "\na b,1,1,1,2,97101,0x1.7b4dp+16,0,0\na b,1,0,1,,97110,");
    expect_ok(history_file_read(path, take, &file, &file, &error), &error);
    ck_assert(file.has_columns);
    ck_assert_int_eq(file.runs_count, 8);
    int64_t begin = 0;
    for (int64_t k = 0; k < 8; k++) {
        ck_assert_str_eq(file.runs[k].label, k < 4 ? "a b" : "c");
        ck_assert_int_eq(file.runs[k].run, 1 + k / 2 % 2);
        ck_assert_int_eq(file.runs[k].column, k % 2);
        ck_assert_int_eq(file.runs[k].count, 2 + k % 2);
        ck_assert_int_eq(file.runs[k].begin, begin);
        begin += file.runs[k].count;
    }
    history_file_free(&file);
    snprintf(path, sizeof path, "%s/envelope.csv", directory);
    ck_assert_str_eq(file_text(path), "kernel,iteration,runs,min,median,max,ulps,column\n"
                                      "a b,0,2,97100,97150,97200,6871947673600,0\n"
                                      "a b,1,2,97101,97151,97201,6871947673600,0\n"
                                      "a b,0,2,97110,97160,97210,6871947673600,1\n"
                                      "a b,1,2,97111,97161,97211,6871947673600,1\n"
                                      "a b,2,2,97112,97162,97212,6871947673600,1\n"
                                      "c,0,2,99100,99150,99200,6871947673600,0\n"
                                      "c,1,2,99101,99151,99201,6871947673600,0\n"
                                      "c,0,2,99110,99160,99210,6871947673600,1\n"
                                      "c,1,2,99111,99161,99211,6871947673600,1\n"
                                      "c,2,2,99112,99162,99212,6871947673600,1\n");
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {columns_are_the_method_s, the_longest_row_has_room,
                            rows_do_not_wait_for_the_end, rows_of_a_column_stand_together, NULL};
    return suite_of("program/record/history_csv", tests);
}
