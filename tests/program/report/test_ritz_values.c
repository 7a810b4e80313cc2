/* The Ritz values that are made once more from a history: those of a T whose eigenvalues are known,
 * those of a solve with restarts, and where they are not followed. */
#include "program/report/ritz_values.h"

#include "program/report/page.h"
#include "support.h"

#include "main/program.h"

#include <math.h>
#include <stdio.h>

static struct summary summary_of(int64_t n, const char *which, int count, int restart)
{
    json_t *eigen = json_pack("{s:i s:s s:f s:i}", "count", count, "which", which, "tolerance",
                              1e-10, "restart", restart);
    return (struct summary){.n = n, .json = json_pack("{s:{s:o}}", "solver", "eigen", eigen)};
}

static struct ritz_values begin(struct summary summary, int64_t iterations)
{
    struct ritz_values values;
    struct error error;
    expect_ok(ritz_values_begin(&summary, iterations, &values, &error), &error);
    json_decref(summary.json);
    return values;
}

static void take(struct ritz_values *values, int64_t iteration, double beta, double low,
                 double high)
{
    struct error error;
    expect_ok(ritz_values_take(values, iteration, 2, beta, low, high, &error), &error);
}

/* Of the second difference of order k, number j from 1. */
static double known(int64_t k, int64_t j)
{
    return 2 - 2 * cos((double)j * acos(-1) / (double)(k + 1));
}

START_TEST(the_eigenvalues_of_T)
{
    enum { LAST = 20, EVERY = 3 };
    struct ritz_values values = begin(summary_of(1000, "both", 1, 0), 96 * EVERY);
    ck_assert_int_eq(values.every, EVERY);
    for (int64_t k = 1; k <= LAST; k++)
        take(&values, k, 1, known(k, 1), known(k, k));
    int64_t at = 0;
    for (int64_t k = EVERY; k <= LAST; k += EVERY)
        for (int64_t j = 1; j <= k; j++, at++) {
            ck_assert_int_eq(values.points[at].iteration, k);
            ck_assert_double_eq_tol(values.points[at].theta, known(k, j), 1e-13);
            ck_assert(!values.points[at].converged);
        }
    ck_assert_int_eq(values.count, at);
    take(&values, LAST + 1, 1, known(LAST + 1, 1), known(LAST + 1, LAST + 1) + 1e-3);
    take(&values, LAST + 2, 1, known(LAST + 2, 1), known(LAST + 2, LAST + 2));
    ck_assert_int_eq(values.last, LAST); /* another T is not followed */
    ck_assert_int_eq(values.count, at);
    ritz_values_free(&values);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The bounds are those of beta. */
START_TEST(all_have_converged)
{
    struct ritz_values values = begin(summary_of(1000, "both", 1, 0), 3);
    take(&values, 1, 1, 2, 2);
    take(&values, 2, 1, 1, 3);
    take(&values, 3, 1e-13, known(3, 1), known(3, 3));
    ck_assert(values.ended);
    ck_assert_int_eq(values.count, 1 + 2 + 3);
    for (int64_t k = 0; k < values.count; k++)
        ck_assert_int_eq(values.points[k].converged, k >= 3);
    ritz_values_free(&values);
}
END_TEST

START_TEST(what_is_not_followed)
{
    struct summary others[] = {summary_of(1000, "middle", 1, 0),
                               summary_of(1000, "both", 0, 0),
                               summary_of(1000, "both", 1, 3),
                               summary_of(1000000, "both", 1, 100000),
                               summary_of(1, "largest", 1, 0),
                               {.n = 1000, .json = json_pack("{s:{}}", "solver")},
                               {.n = 1000}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        struct ritz_values values = begin(others[k], 5);
        take(&values, 1, 1, 2, 2);
        ck_assert_int_eq(values.count, 0);
        ritz_values_free(&values);
    }
}
END_TEST

/* Restarts too, to the eigenvalues that the run has found. */
START_TEST(a_solve_with_restarts)
{
    enum { RESTART = 14, WANTED = 4 };
    static const char config[] = "problem = { type = \"network\"; n = 10; decades = 1; "
                                 "ground = 1e-2; };\n"
                                 "solver = { method = \"lanczos\"; };\n"
                                 "eigen = { count = 2; which = \"both\"; restart = 14; };\n"
                                 "kernels = ( \"cpu_sym_bitwise\" );\nrepeats = 1;\n";
    char directory[512];
    snprintf(directory, sizeof directory, "%s", temporary_path("restarts"));
    const char *path = temporary_file("restarts.cfg", config, -1), *of = directory;
    expect_exit(run_program("--output %s %s", directory, path), 0);
    struct report report;
    struct error error;
    expect_ok(report_read(&of, 1, &report, &error), &error);
    const struct ritz_values *ritz = &report.studies[0].ritz;
    json_t *summary = read_summary(directory);
    json_t *run = json_array_get(json_object_get(summary_kernel(summary, 0), "runs"), 0);
    json_t *eigenvalues = json_object_get(run, "eigenvalues");
    ck_assert_int_gt(ritz->last, 2 * RESTART);
    ck_assert_uint_eq(json_array_size(eigenvalues), WANTED);
    const struct ritz_point *last = &ritz->points[ritz->count - ritz->T.size];
    for (int k = 0; k < WANTED; k++) {
        double found = json_number_value(json_array_get(eigenvalues, (size_t)k));
        const struct ritz_point *point = &last[k < 2 ? k : ritz->T.size - WANTED + k];
        ck_assert_int_eq(point->iteration, ritz->last);
        ck_assert(point->converged);
        ck_assert_double_eq_tol(point->theta, found, 1e-9 * found);
    }
    json_decref(summary);
    expect_text(file_text(temporary_path("restarts/report.html")),
                "A full basis (14 vectors) is restarted");
    report_free(&report);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_eigenvalues_of_T, all_have_converged, what_is_not_followed,
                            a_solve_with_restarts, NULL};
    return suite_of("program/report/ritz_values", tests);
}
