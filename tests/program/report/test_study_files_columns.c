/* A study of several right-hand sides, read for its page: the band and the median of the columns
 * are those of the residuals in history.csv, and files that do not fit are refused. */
#include "program/report/study_files.h"

#include "main/program.h"
#include "program/record/history_file.h"
#include "program/report/results_made.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 5, KERNELS = 2, MOST = 60 };

static char directory[256];

/* Five right-hand sides, of which the fourth is 0, by two kernels, once. */
static void make_study(void)
{
    char b[256];
    snprintf(directory, sizeof directory, "%s", temporary_path("columns"));
    snprintf(b, sizeof b, "%s",
             temporary_file("b.mtx",
                            "%%MatrixMarket matrix coordinate real general\n64 5 6\n"
                            "1 1 1\n9 2 100\n30 3 1e-3\n31 3 7\n64 5 1\n2 5 -1\n",
                            -1));
    const char *config = temporary_file("columns.cfg",
                                        "problem = { type = \"poisson3d\"; n = 4; };\n"
                                        "kernels = ( \"cpu_csr\", \"cpu_sym\" );\n",
                                        -1);
    expect_exit(run_program("--quiet --output %s --set 'rhs={type=\"file\";path=\"%s\";}' %s",
                            directory, b, config),
                0);
}

/* The residuals of history.csv by kernel, iteration and column, from which what is read is told. */
static double residuals[KERNELS][MOST][COLUMNS];
static int there[KERNELS][MOST];

static enum status take(void *context, int64_t run, int64_t iteration, double residual,
                        struct error *error)
{
    const struct history_file *file = context;
    int kernel = strcmp(file->runs[run].label, "cpu_csr") != 0;
    (void)error;
    ck_assert_int_lt(iteration, MOST);
    residuals[kernel][iteration][there[kernel][iteration]++] = residual;
    return STATUS_OK;
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, two = *(const double *)b;
    return (one > two) - (one < two);
}

START_TEST(the_band_is_that_of_all_columns)
{
    struct error error;
    struct recorded recorded;
    struct history_file history;
    char path[300];
    make_study();
    snprintf(path, sizeof path, "%s/history.csv", directory);
    expect_ok(history_file_read(path, take, &history, &history, &error), &error);
    history_file_free(&history);
    expect_ok(unlink(path) == 0 ? STATUS_OK : STATUS_OUTPUT, &error); /* nobody asks for it */
    expect_ok(recorded_read(directory, 200, &recorded, &error), &error);
    ck_assert_int_eq(recorded.summary.columns, COLUMNS);
    ck_assert(recorded.summary.kernels_count == KERNELS && recorded.selection.count == KERNELS);
    for (int k = 0; k < KERNELS; k++) {
        const struct summary_kernel *kernel = &recorded.summary.kernels[k];
        const struct course *band = &recorded.envelope[k].residuals;
        const struct course *middle = &recorded.curves[k].history;
        ck_assert(kernel->columns == COLUMNS && kernel->runs_count == COLUMNS);
        ck_assert(kernel->iterations_min == 0 && band->width == 1);
        ck_assert_int_eq(band->count, kernel->iterations_max + 1);
        ck_assert_int_eq(middle->count, band->count);
        for (int64_t i = 0; i < band->count; i++) {
            double *of = residuals[k][i];
            int count = there[k][i];
            qsort(of, (size_t)count, sizeof *of, compare);
            if (of[0] > 0) {
                ck_assert(band->points[i].lowest == of[0]);
                ck_assert(band->points[i].highest == of[count - 1]);
            } else
                ck_assert(isnan(band->points[i].lowest)); /* it cannot be drawn */
            double wanted = 0.5 * (of[(count - 1) / 2] + of[count / 2]);
            ck_assert_double_eq_tol(middle->points[i].lowest, wanted, 1e-15 * wanted);
        }
    }
    char name[64];
    ck_assert_str_eq(selection_name(&recorded.summary, &recorded.selection.runs[1], name, 64),
                     "cpu_sym, median of 5 columns");
    recorded_free(&recorded);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(files_that_do_not_fit_are_refused)
{
    static const struct {
        const char *file, *from, *to, *fault;
    } cases[] = {
        {"summary.json", "\"columns\": 5", "\"columns\": 4", "has other columns than"},
        {"summary.json", "\"column\": 3", "\"column\": 7", "columns do not stand together"},
        {"summary.json", "\"column\": 0", "\"column\": 1", "columns do not stand together"},
        {"envelope.csv", "cpu_csr,1,", "cpu_csr,2,", ":3: iteration 2 stands where 1 is wanted"},
        {"envelope.csv", "cpu_csr,1,", "nobody,1,", ":3: summary.json tells of no kernel 'nobody'"},
        {"envelope.csv", "column\n", "other1\n", "has no column 'column'"},
        {"envelope.csv", "cpu_sym,0,1,", "cpu_csr,0,1,", "more columns than summary.json"},
    };
    struct error error;
    struct recorded recorded;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        make_study();
        results_edit(directory, cases[k].file, cases[k].from, cases[k].to);
        expect_error(recorded_read(directory, 200, &recorded, &error), STATUS_INPUT, &error,
                     cases[k].file, cases[k].fault, NULL);
        ck_assert_int_eq(memory_live(), 0);
    }
}
END_TEST

static enum status read_study(void *context, struct error *error)
{
    struct recorded recorded;
    enum status status = recorded_read(context, 200, &recorded, error);
    if (!status)
        recorded_free(&recorded);
    return status;
}

START_TEST(memory_may_be_short)
{
    make_study();
    walk_allocation_failures(read_study, directory);
}
END_TEST

START_TEST(the_page_tells_of_columns)
{
    char path[300];
    make_study();
    snprintf(path, sizeof path, "%s/report.html", directory);
    expect_exit(run_program("report %s", directory), 0);
    const char *page = file_text(path);
    expect_text(page, "poisson3d, n = 64: conjugate gradients with 2 kernels, 5 right-hand sides, "
                      "1 run each");
    expect_text(page, "iterations in 5 columns");
    expect_text(page, "all 5 columns, and the line is their median");
    expect_text(page, "5 columns, ‖b‖ up to 100");
    expect_text(page, "<td>1 × 5 columns</td>");
    expect_text(page, "<h3>Time</h3>");
    expect_text(page, "A mark for each run and column;");
    snprintf(path, sizeof path, "%s/envelope.csv", directory);
    ck_assert_int_eq(unlink(path), 0);
    expect_exit(run_program("report %s", directory), 0);
    snprintf(path, sizeof path, "%s/report.html", directory);
    expect_text(file_text(path),
                "There is no envelope.csv, of which the histories of several columns are drawn.");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_band_is_that_of_all_columns, files_that_do_not_fit_are_refused,
                            memory_may_be_short, the_page_tells_of_columns, NULL};
    return suite_of("program/report/study_files_columns", tests);
}
