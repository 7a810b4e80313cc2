/* The table: how many runs converged, and how small the residuals are beside what the tolerance is relative to. */
#include "io/terminal.h"

#include "main/program.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 12 };
static struct kernel_settings entries[] = {{.label = (char *)"k"}};
static struct settings settings = {.kernels = entries, .kernels_count = 1};

/* The word of the row below that word of the head's second line: both end in the same column. */
static const char *word_below(const char *table, const char *word)
{
    static char found[64];
    const char *head = strchr(table, '\n') + 1, *row = strchr(head, '\n') + 1;
    const char *place = strstr(head, word);
    ck_assert_msg(place != NULL && place < row, "no %s in\n%s", word, table);
    const char *at = row + (place - head) + strlen(word) - 1;
    ck_assert_msg(*at != ' ' && at[1] == ' ', "%s in\n%s", word, table);
    while (at[-1] != ' ')
        at--;
    snprintf(found, sizeof found, "%.*s", (int)strcspn(at, " "), at);
    return found;
}

/* Head and row of a kernel with these runs. The caller frees it. */
static char *table_of(struct study_run *runs, int64_t count, double rhs_norm)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    struct study_kernel kernel = {.label = "k",
                                  .kernel = kernel_find("cpu_csr"),
                                  .runs_count = count,
                                  .runs = runs,
                                  .distinct_histories = 1,
                                  .first_divergence = -1,
                                  .first_apart = -1};
    terminal_print_head(stream, &settings);
    terminal_print_kernel(stream, &settings, rhs_norm, &kernel);
    fclose(stream);
    return text;
}

START_TEST(runs_that_converged_are_counted)
{
    static const char *const wanted[] = {"12/12", "11/12", "0/12"};
    for (int failed = 0; failed < 3; failed++) {
        struct study_run runs[RUNS] = {0};
        for (int r = 0; r < RUNS; r++)
            runs[r].result.reason = failed == 2             ? REASON_STAGNATION
                                    : failed == 1 && r == 7 ? REASON_RESIDUAL_GAP
                                                            : REASON_CONVERGED;
        char *table = table_of(runs, RUNS, 1);
        ck_assert_str_eq(word_below(table, "converged"), wanted[failed]);
        free(table);
    }
}
END_TEST

/* A b of zeros is solved by x = 0; what overflowed is not a number, without a sign. */
START_TEST(residuals_are_relative)
{
    static const struct {
        enum solver_method method;
        double rhs_norm, residual, true_residual;
        const char *over, *wanted[2];
    } cases[] = {
        {SOLVER_CG, 200, 1.5e-6, 1.8e-6, "  residual / ||b||  ", {"7.50e-09", "9.00e-09"}},
        {SOLVER_SKEW, 1e-200, 0, 1e-200, "  residual / ||b||  ", {"0.00e+00", "1.00e+00"}},
        {SOLVER_MINRES, 0, 0, 0, "  residual / ||b||  ", {"0.00e+00", "0.00e+00"}},
        {SOLVER_CG, INFINITY, INFINITY, -NAN, "  residual / ||b||  ", {"nan", "nan"}},
        {SOLVER_LANCZOS, 200, 1e-11, 2e-11, "  residual / |theta|  ", {"1.00e-11", "2.00e-11"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct study_run run = {
            .result = {.residual = cases[k].residual, .true_residual = cases[k].true_residual}};
        settings.solver.method = cases[k].method;
        char *table = table_of(&run, 1, cases[k].rhs_norm);
        ck_assert_str_eq(word_below(table, "recursive"), cases[k].wanted[0]);
        ck_assert_str_eq(word_below(table, "true"), cases[k].wanted[1]);
        ck_assert_msg(strstr(table, cases[k].over) != NULL, "%s", table);
        free(table);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {runs_that_converged_are_counted, residuals_are_relative, NULL};
    return suite_of("io/terminal", tests);
}
