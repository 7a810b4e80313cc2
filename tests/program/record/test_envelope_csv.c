/* envelope.csv against medians of all residuals at once, in one piece and in several, and the
 * memory that it takes. */
#include "program/record/results.h"

#include "main/program.h"
#include "rows.h"
#include "solver/cg/cg.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Histories that were never solved: residuals[longest * r + k] is that of run r at iteration k. */
struct made {
    struct study_kernel kernel;
    double *residuals;
    int64_t longest;
};

/* Run r has lengths[r] + 1 residuals; each of one in `nan_every` runs (0: none) ends with a NaN. */
static struct made make(const char *label, int64_t runs, int64_t longest, int64_t nan_every,
                        uint64_t *state)
{
    struct made made = {.longest = longest + 1};
    made.kernel = (struct study_kernel){.label = label, .runs_count = runs};
    made.kernel.runs = memory_zeros(runs, sizeof *made.kernel.runs, "runs", NULL);
    made.residuals = memory_array(runs * made.longest, sizeof(double), "residuals", NULL);
    for (int64_t r = 0; r < runs; r++) {
        int64_t length =
            r == runs / 2 ? longest : longest / 2 + test_random_below(state, longest / 2 + 1);
        made.kernel.runs[r] = (struct study_run){.run = r + 1, .result.iterations = length};
        for (int64_t k = 0; k <= length; k++)
            made.residuals[r * made.longest + k] =
                nan_every && k == length && r % nan_every == 0
                    ? NAN
                    : 1 + (double)test_random_below(state, 3) / (double)(k + 1);
    }
    return made;
}

static void free_made(struct made *made)
{
    study_kernel_free(&made->kernel);
    memory_free(made->residuals);
}

/* Its rows into the history, and its envelope. */
static void write_history(struct made *made, struct history_csv *history)
{
    struct error error;
    for (int64_t r = 0; r < made->kernel.runs_count; r++) {
        for (int64_t k = 0; k <= made->kernel.runs[r].result.iterations; k++) {
            struct kept_row row = row_of(k, made->residuals[r * made->longest + k], 0.5, 0.25);
            struct event event = row_event(made->kernel.label, r + 1, &row);
            expect_ok(history_csv_row(history, &event, &error), &error);
            expect_ok(envelope_take(&made->kernel.envelope, k, row.residual, &error), &error);
        }
        expect_ok(history_csv_flush(history, &error), &error);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return !!isnan(x) - !!isnan(y);
    return (x > y) - (x < y);
}

static const char *shown(double value)
{
    static char text[4][32];
    static int next;
    next = (next + 1) % 4;
    snprintf(text[next], 32, isnan(value) ? "nan" : "%.17g", value);
    return text[next];
}

/* The lines of the kernel from `at` on are those of its residuals; gives back what follows. */
static const char *expect_rows(const char *at, const struct made *made)
{
    int64_t runs = made->kernel.runs_count;
    double *values = malloc((size_t)runs * sizeof *values);
    for (int64_t k = 0; k < made->longest; k++) {
        int64_t count = 0;
        for (int64_t r = 0; r < runs; r++)
            if (k <= made->kernel.runs[r].result.iterations)
                values[count++] = made->residuals[r * made->longest + k];
        qsort(values, (size_t)count, sizeof *values, compare);
        double lowest = values[0], highest = values[count - 1];
        double middle = (values[(count - 1) / 2] + values[count / 2]) / 2;
        int64_t low_bits, high_bits;
        memcpy(&low_bits, &lowest, sizeof low_bits);
        memcpy(&high_bits, &highest, sizeof high_bits);
        char line[256];
        int length =
            snprintf(line, sizeof line, "%s,%lld,%lld,%s,%s,%s,", made->kernel.label, (long long)k,
                     (long long)count, shown(lowest), shown(middle), shown(highest));
        if (!isnan(highest))
            length += snprintf(line + length, sizeof line - (size_t)length, "%lld",
                               (long long)(high_bits - low_bits));
        line[length++] = '\n';
        ck_assert_msg(strncmp(at, line, (size_t)length) == 0, "%.*sis wanted, not %.100s", length,
                      line, at);
        at += length;
    }
    free(values);
    return at;
}

/* envelope.csv of kernels one after the other, in the directory. */
static void write_envelope(const char *directory, struct made *made, int count)
{
    struct history_csv history;
    struct text_file file;
    struct error error;
    expect_ok(directory_make(directory, &error), &error);
    expect_ok(history_csv_begin(directory, &method_cg, false, 1, &history, &error), &error);
    expect_ok(envelope_csv_begin(directory, 1, &file, &error), &error);
    for (int k = 0; k < count; k++) {
        write_history(&made[k], &history);
        expect_ok(envelope_csv_kernel(&file, &history, &made[k].kernel, &error), &error);
    }
    expect_ok(history_csv_finish(&history, &error), &error);
    expect_ok(text_file_finish(&file, &error), &error);
}

START_TEST(medians_are_those_of_the_file)
{
    uint64_t state = test_seed();
    char path[300];
    /* 131 iterations of 1000 runs are a piece; several kernels in one file; one run alone */
    struct made made[] = {make("a b", 7, 50, 3, &state), make("many", 1000, 300, 0, &state),
                          make("one", 1, 9, 1, &state)};
    const char *directory = temporary_path("envelope");
    write_envelope(directory, made, 3);
    snprintf(path, sizeof path, "%s/envelope.csv", directory);
    const char *text = file_text(path), *head = "kernel,iteration,runs,min,median,max,ulps\n";
    ck_assert(strncmp(text, head, strlen(head)) == 0);
    const char *at = text + strlen(head);
    for (int k = 0; k < 3; k++)
        at = expect_rows(at, &made[k]);
    ck_assert_str_eq(at, "");
    for (int k = 0; k < 3; k++)
        free_made(&made[k]);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The memory of the second pass does not grow with the rows: 10^6 residuals are 8 MB, and it takes
 * one. */
START_TEST(memory_is_bounded)
{
    const char *build = getenv("CGSOLVE_BUILD");
    if (build && (strstr(build, "asan") || strstr(build, "tsan"))) {
        printf("not measured under a sanitizer\n");
        return;
    }
    struct rusage before, after;
    struct history_csv history;
    struct text_file file;
    struct error error;
    const char *directory = temporary_path("long");
    enum { RUNS = 1000, ITERATIONS = 1000 };
    struct study_kernel kernel = {.label = "a", .runs_count = RUNS};
    kernel.runs = memory_zeros(RUNS, sizeof *kernel.runs, "runs", &error);
    getrusage(RUSAGE_SELF, &before);
    expect_ok(directory_make(directory, &error), &error);
    expect_ok(history_csv_begin(directory, &method_cg, false, 1, &history, &error), &error);
    expect_ok(envelope_csv_begin(directory, 1, &file, &error), &error);
    for (int64_t r = 0; r < RUNS; r++) {
        kernel.runs[r].result.iterations = ITERATIONS;
        for (int64_t k = 0; k <= ITERATIONS; k++) {
            struct kept_row row = row_of(k, 1 + 1 / (double)(1 + (r * 7 + k) % 5), 0, 0);
            struct event event = row_event("a", r + 1, &row);
            expect_ok(history_csv_row(&history, &event, &error), &error);
            expect_ok(envelope_take(&kernel.envelope, k, row.residual, &error), &error);
        }
        expect_ok(history_csv_flush(&history, &error), &error);
    }
    expect_ok(envelope_csv_kernel(&file, &history, &kernel, &error), &error);
    getrusage(RUSAGE_SELF, &after);
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 4096); /* KB */
    expect_ok(text_file_finish(&file, &error), &error);
    expect_ok(history_csv_finish(&history, &error), &error);
    study_kernel_free(&kernel);
}
END_TEST

START_TEST(a_file_that_was_cut_is_said)
{
    uint64_t state = test_seed();
    struct made made = make("a", 3, 40, 0, &state);
    struct history_csv history;
    struct text_file file;
    struct error error;
    char path[300];
    const char *directory = temporary_path("cut");
    expect_ok(directory_make(directory, &error), &error);
    expect_ok(history_csv_begin(directory, &method_cg, false, 1, &history, &error), &error);
    expect_ok(envelope_csv_begin(directory, 1, &file, &error), &error);
    write_history(&made, &history);
    expect_ok(history_csv_flush(&history, &error), &error);
    snprintf(path, sizeof path, "%s/history.csv.partial", directory);
    char command[400];
    snprintf(command, sizeof command, "truncate -s -150 '%s'", path);
    ck_assert_int_eq(system(command), 0);
    expect_error(envelope_csv_kernel(&file, &history, &made.kernel, &error), STATUS_OUTPUT, &error,
                 path, "cannot be read back", NULL);
    text_file_abandon(&file);
    history_csv_abandon(&history);
    free_made(&made);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct made *made = context;
    struct history_csv history;
    struct text_file file;
    const char *directory = temporary_path("attempt");
    enum status status = directory_make(directory, error);
    if (!status)
        status = history_csv_begin(directory, &method_cg, false, 1, &history, error);
    if (status)
        return status;
    status = envelope_csv_begin(directory, 1, &file, error);
    for (int64_t k = 0; k < 2 && !status; k++) {
        struct kept_row row = row_of(k, 1, 0, 0);
        struct event event = row_event("a", 1, &row);
        status = history_csv_row(&history, &event, error);
    }
    if (!status)
        status = envelope_csv_kernel(&file, &history, &made->kernel, error);
    text_file_abandon(&file);
    history_csv_abandon(&history);
    return status;
}

START_TEST(failures_leave_nothing_behind)
{
    struct error error;
    struct made made = {.kernel = {.label = "a", .runs_count = 1}};
    made.kernel.runs = memory_zeros(1, sizeof *made.kernel.runs, "runs", &error);
    made.kernel.runs[0].result.iterations = 1;
    for (int64_t k = 0; k < 2; k++)
        expect_ok(envelope_take(&made.kernel.envelope, k, 1, &error), &error);
    walk_allocation_failures(attempt, &made);
    free_made(&made);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {medians_are_those_of_the_file, memory_is_bounded,
                            a_file_that_was_cut_is_said, failures_leave_nothing_behind, NULL};
    return suite_of("program/record/envelope_csv", tests);
}
