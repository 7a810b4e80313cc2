/* The histories of another solver, from a CSV: what they have in common is what a search through
 * all of them finds; decimal and hexadecimal residuals are the same; and of a study's history.csv
 * what its summary.json tells. */
#include "program/report/histories.h"

#include "main/program.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5, MOST = 40 };

/* The same numbers in either way of writing. */
struct made {
    int64_t counts[RUNS];
    double residuals[RUNS][MOST];
};

/* Runs of a few lengths, in which few bits differ from some iteration on, so some are equal. */
static struct made make_runs(uint64_t *state)
{
    struct made made;
    double first[MOST] = {1};
    for (int k = 1; k < MOST; k++)
        first[k] = first[k - 1] * (0.5 + 0.4 * fabs(test_random(state)));
    for (int r = 0; r < RUNS; r++) {
        int64_t from = test_random_below(state, MOST);
        double other = test_random_below(state, 3) == 0 ? 1.5 : 1 + 0x1p-52;
        bool differs = test_random_below(state, 2) == 0;
        made.counts[r] = MOST - test_random_below(state, 3);
        for (int k = 0; k < MOST; k++)
            made.residuals[r][k] = differs && k >= from ? first[k] * other : first[k];
    }
    return made;
}

static const char *write_runs(const struct made *made, bool decimal)
{
    static char text[1 << 16];
    char *at = text + sprintf(text, "iteration,%s,run\n", decimal ? "residual" : "residual_hex");
    for (int r = 0; r < RUNS; r++)
        for (int64_t k = 0; k < made->counts[r]; k++)
            at += sprintf(at, decimal ? "%d,%.17g,%d\n" : "%d,%a,%d\n", (int)k,
                          made->residuals[r][k], r + 1);
    return temporary_file(decimal ? "one.solver.csv" : "hex.csv", text, -1);
}

static bool are_equal(const struct made *made, int a, int b)
{
    return made->counts[a] == made->counts[b] &&
           memcmp(made->residuals[a], made->residuals[b],
                  (size_t)made->counts[a] * sizeof **made->residuals) == 0;
}

/* The first iteration in which two runs have other bits or one has ended; that in which the
 * residuals of those that go on are 1 % apart. */
static void search(const struct made *made, int64_t *difference, int64_t *apart)
{
    *difference = *apart = -1;
    for (int64_t k = MOST - 1; k >= 0; k--) {
        double low = INFINITY, high = 0;
        int64_t there = 0;
        for (int r = 0; r < RUNS; r++) {
            if (k >= made->counts[r])
                continue;
            there++;
            low = fmin(low, made->residuals[r][k]);
            high = fmax(high, made->residuals[r][k]);
        }
        if (there > 0 && (there < RUNS || low != high))
            *difference = k;
        if (there > 0 && (high - low) / low >= 0.01)
            *apart = k;
    }
}

static int compare_counts(const void *a, const void *b)
{
    return (int)(*(const int64_t *)a - *(const int64_t *)b);
}

START_TEST(what_the_runs_have_in_common)
{
    uint64_t state = test_seed();
    struct error error;
    for (int trial = 0; trial < 20; trial++) {
        struct made made = make_runs(&state);
        int64_t distinct = 0, difference, apart, sorted[RUNS];
        for (int a = 0; a < RUNS; a++) {
            int b = 0;
            while (!are_equal(&made, a, b))
                b++;
            distinct += b == a;
        }
        search(&made, &difference, &apart);
        memcpy(sorted, made.counts, sizeof sorted);
        qsort(sorted, RUNS, sizeof *sorted, compare_counts);
        for (int decimal = 0; decimal < 2; decimal++) {
            struct histories histories;
            expect_ok(histories_read(write_runs(&made, decimal), 200, &histories, &error), &error);
            const struct summary *summary = &histories.study.summary;
            const struct summary_kernel *solver = &summary->kernels[0];
            ck_assert_int_eq(summary->kernels_count, 1);
            ck_assert_str_eq(solver->label, decimal ? "one" : "hex");
            ck_assert_int_eq(solver->runs_count, RUNS);
            ck_assert_int_eq(solver->histories, distinct);
            ck_assert_int_eq(solver->first_difference, difference);
            ck_assert_int_eq(solver->first_apart, apart);
            ck_assert_int_eq(solver->iterations_min, sorted[0] - 1);
            ck_assert_int_eq(solver->iterations_max, sorted[RUNS - 1] - 1);
            ck_assert(solver->iterations_median == (double)(sorted[RUNS / 2] - 1));
            ck_assert_int_eq(histories.study.selection.count, distinct);
            ck_assert_int_eq(histories.study.curves[0].history.points[MOST / 2].begin, MOST / 2);
            ck_assert(histories.study.curves[0].history.points[MOST / 2].lowest ==
                      made.residuals[histories.study.selection.runs[0].run - 1][MOST / 2]);
            histories_free(&histories);
        }
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Two ways to the same numbers: the study counts while it solves. */
START_TEST(those_of_a_study_are_what_it_says)
{
    char directory[256], path[300];
    struct error error;
    struct histories histories;
    snprintf(directory, sizeof directory, "%s", temporary_path("study"));
    expect_exit(run_program("--quiet --output %s --set problem.n=9 --set repeats=4 "
                            "configs/quickstart.cfg",
                            directory),
                0);
    json_t *summary = read_summary(directory);
    snprintf(path, sizeof path, "%s/history.csv", directory);
    expect_ok(histories_read(path, 200, &histories, &error), &error);
    for (int k = 0; k < 4; k++) {
        const struct summary_kernel *solver = &histories.study.summary.kernels[k];
        json_t *kernel = summary_kernel(summary, k);
        json_int_t apart = -1, difference = -1;
        ck_assert_str_eq(solver->label, json_string_value(json_object_get(kernel, "name")));
        ck_assert_int_eq(solver->histories,
                         json_integer_value(json_object_get(kernel, "distinct_histories")));
        json_unpack(kernel, "{s?I, s?I}", "first_divergence", &difference, "first_apart", &apart);
        ck_assert_int_eq(solver->first_difference, difference);
        ck_assert_int_eq(solver->first_apart, apart);
    }
    histories_free(&histories);
    json_decref(summary);
}
END_TEST

START_TEST(faults_are_named)
{
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"run,iteration,residual\n1,0,1\n2,0,1\n1,0,1\n",
         ": the rows of run 1 of 'faulty' do not stand together"},
        {"run,iteration,residual\n1,0,1\n1,2,1\n", ":3: iteration 2 stands where 1 is wanted"},
        {"iteration,residual\n0,1\n", ":1: a header line is wanted, and this line has no column "
                                      "'run'"},
        {"run,iteration,residual,column\n1,0,1,0\n", ": has a column 'column': "},
        {"run,iteration,residual\n", ":1: the file holds no history"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct error error;
        struct histories histories;
        const char *path = temporary_file("faulty.csv", cases[k].text, -1);
        ck_assert(histories_is(path));
        expect_error(histories_read(path, 200, &histories, &error), STATUS_INPUT, &error, path,
                     cases[k].wanted, NULL);
        ck_assert_int_eq(memory_live(), 0);
    }
    ck_assert(!histories_is("/no/such/file.csv"));
    ck_assert(!histories_is(temporary_file("bench.csv", "run,matrix,kernel\n", -1)));
}
END_TEST

static enum status read_and_write_page(void *context, struct error *error)
{
    struct histories histories;
    char page[300];
    enum status status = histories_read(context, 200, &histories, error);
    snprintf(page, sizeof page, "%s.html", (const char *)context);
    if (!status)
        status = page_into_file(page, histories_page, &histories, error);
    histories_free(&histories);
    return status;
}

START_TEST(no_memory_is_lost)
{
    char path[300];
    snprintf(path, sizeof path, "%s",
             temporary_file("walk.csv",
                            "kernel,run,iteration,residual\na,1,0,1\na,1,1,0.5\na,2,0,1\n"
                            "a,2,1,0.25\nb,1,0,1\nb,1,1,nan\n",
                            -1));
    walk_allocation_failures(read_and_write_page, path);
}
END_TEST

/* From a command line to the table, the page and a picture. */
START_TEST(a_report_of_a_file)
{
    const char *path = temporary_file("theirs.csv",
                                      "kernel,run,iteration,residual\nx<1,1,0,1\nx<1,1,1,0.5\n"
                                      "x<1,2,0,1\nx<1,2,1,0.25\nx<1,2,2,0.125\ny,1,0,1\n",
                                      -1);
    struct outcome *outcome = run_program("report %s", path);
    expect_exit(outcome, 0);
    expect_text(outcome->output,
                "                      iterations   distinct  first    1 %  largest last\n"
                "solver    runs    min median max  histories  diff.  apart      residual\n"
                "x<1          2           1 1.5 2          2      1      1      5.00e-01\n"
                "y            1             0 0 0          1      -      -      1.00e+00\n\n"
                "x<1: 2 different histories in 2 runs, 1 to 2 iterations\n"
                "y: 1 history in 1 run, 0 iterations\n");
    const char *page = file_text(temporary_path("theirs.html"));
    expect_text(page,
                "<strong>x&lt;1</strong>: 2 different histories in 2 runs, 1 to 2 iterations");
    expect_text(page, "How far the residuals lie apart");
    outcome = run_program("report --picture %s --of counts %s", temporary_path("c.svg"), path);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "picture   ");
    ck_assert_ptr_nonnull(strstr(file_text(temporary_path("c.svg")), "<svg"));
    outcome = run_program("report --picture %s --of rows %s", temporary_path("c.svg"), path);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "--of rows: is for the CSV of a bench");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {what_the_runs_have_in_common,
                            those_of_a_study_are_what_it_says,
                            faults_are_named,
                            no_memory_is_lost,
                            a_report_of_a_file,
                            NULL};
    return suite_of("program/report/histories", tests);
}
