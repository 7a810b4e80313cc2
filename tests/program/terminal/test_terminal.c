/* The table: how many runs converged, how small the residuals are beside what the tolerance is
 * relative to, and what there is of it on terminals of every width. */
#include "program/terminal/terminal.h"

#include "main/program.h"
#include "main/screen.h"
#include "main/terminal.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 12 };
static struct kernel_settings entries[] = {{.label = (char *)"k"}};
static struct settings settings = {
    .study.kernels = entries, .study.kernels_count = 1, .solver.options.method = &method_cg};

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
    struct table table;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    struct study_kernel kernel = {.label = "k",
                                  .kernel = kernel_find("cpu_csr"),
                                  .runs_count = count,
                                  .runs = runs,
                                  .distinct_histories = 1,
                                  .first_divergence = -1,
                                  .first_apart = -1};
    terminal_table_begin(&table, stream, &settings.solver.options, &settings.study, true);
    ck_assert_int_eq(table.left_out, 0);
    terminal_print_kernel(&table, &settings.solver.options, &rhs_norm, &kernel);
    fclose(stream);
    return text;
}

START_TEST(runs_that_converged_are_counted)
{
    static const char *const wanted[] = {"12/12", "11/12", "0/12"};
    static const char marked[] = " !!";
    for (int failed = 0; failed < 3; failed++) {
        struct study_run runs[RUNS] = {0};
        for (int r = 0; r < RUNS; r++)
            runs[r].result.reason = failed == 2             ? REASON_STAGNATION
                                    : failed == 1 && r == 7 ? REASON_RESIDUAL_GAP
                                                            : REASON_CONVERGED;
        char *table = table_of(runs, RUNS, 1);
        ck_assert_str_eq(word_below(table, "converged"), wanted[failed]);
        ck_assert_int_eq(strstr(table, wanted[failed])[-2], marked[failed]);
        free(table);
    }
}
END_TEST

/* A b of zeros is solved by x = 0; what overflowed is not a number, without a sign. */
START_TEST(residuals_are_relative)
{
    static const struct {
        const struct method *method;
        double rhs_norm, residual, true_residual;
        const char *over, *wanted[2];
    } cases[] = {
        {&method_cg, 200, 1.5e-6, 1.8e-6, "  residual / ||b||  ", {"7.50e-09", "9.00e-09"}},
        {&method_skew, 1e-200, 0, 1e-200, "  residual / ||b||  ", {"0.00e+00", "1.00e+00"}},
        {&method_minres, 0, 0, 0, "  residual / ||b||  ", {"0.00e+00", "0.00e+00"}},
        {&method_cg, INFINITY, INFINITY, -NAN, "  residual / ||b||  ", {"nan", "nan"}},
        {&method_lanczos, 200, 1e-11, 2e-11, "  residual / |theta|  ", {"1.00e-11", "2.00e-11"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct study_run run = {
            .result = {.residual = cases[k].residual, .true_residual = cases[k].true_residual}};
        settings.solver.options.method = cases[k].method;
        char *table = table_of(&run, 1, cases[k].rhs_norm);
        ck_assert_str_eq(word_below(table, "recursive"), cases[k].wanted[0]);
        ck_assert_str_eq(word_below(table, "true"), cases[k].wanted[1]);
        ck_assert_msg(strstr(table, cases[k].over) != NULL, "%s", table);
        free(table);
    }
}
END_TEST

/* ---- on a terminal --------------------------------------------------------------------------- */

static struct screen screen;

/* The table of kernels with these labels, twelve runs each, of which the last one's failed, on a
 * terminal of so many columns, or with `wide` as wide as all columns; gives back how many columns
 * of the table were left out, or -1 when no terminal can be had here. */
static int show_wide(int columns, bool wide, const char *const *labels, int count,
                     int64_t iterations)
{
    struct kernel_settings kernels[4] = {{0}};
    struct settings shown = {.study.kernels = kernels,
                             .study.kernels_count = count,
                             .solver.options.method = &method_cg};
    struct made_terminal terminal;
    struct table table;
    char text[1 << 14];
    if (!terminal_open(&terminal, columns))
        return -1;
    for (int k = 0; k < count; k++)
        kernels[k].label = (char *)(uintptr_t)labels[k];
    FILE *stream = terminal_stream(&terminal);
    terminal_table_begin(&table, stream, &shown.solver.options, &shown.study, wide);
    for (int k = 0; k < count; k++) {
        struct study_run runs[RUNS] = {0};
        for (int r = 0; r < RUNS; r++)
            runs[r].result = (struct solver_result){.reason = k + 1 < count ? REASON_CONVERGED
                                                                            : REASON_STAGNATION,
                                                    .residual = 1.25e-7,
                                                    .true_residual = 2.5e-7};
        struct study_kernel kernel = {.label = labels[k],
                                      .kernel = kernel_find("cpu_csr"),
                                      .runs_count = RUNS,
                                      .runs = runs,
                                      .iterations_min = iterations,
                                      .iterations_median = (double)iterations + 0.5,
                                      .iterations_max = iterations + 1,
                                      .distinct_histories = 7,
                                      .first_divergence = 17,
                                      .first_apart = 1234,
                                      .solution_spread = 1e-10,
                                      .seconds_per_iteration = 0.4805e-3,
                                      .bytes_per_iteration = 1000000};
        terminal_print_kernel(&table, &shown.solver.options, &(double){100}, &kernel);
    }
    memset(&screen, 0, sizeof screen);
    screen.columns = columns;
    screen_write(&screen, text, terminal_read(&terminal, text, sizeof text));
    fclose(stream);
    terminal_close(&terminal);
    ck_assert_msg(wide || screen.wrapped == 0, "wider than %d columns: %s", columns, text);
    return table.left_out;
}

static int show(int columns, const char *const *labels, int count, int64_t iterations)
{
    return show_wide(columns, false, labels, count, iterations);
}

static void expect_screen(const char *const *lines, int count)
{
    for (int line = 0; line < count; line++)
        ck_assert_str_eq(screen.lines[line], lines[line]);
    ck_assert_int_eq(screen.line, count);
    ck_assert_str_eq(screen.lines[count], "");
}

static const char *const usual[] = {"atomics", "compensated all", "bitwise"};

START_TEST(eighty_columns_have_what_matters)
{
    static const char *const lines[] = {
        "                                  iterations   distinct  ||b-Ax||       ms /",
        "kernel           converged    min median max  histories   / ||b||  iteration",
        "atomics              12/12  1561 1561.5 1562          7  2.50e-09     0.4805",
        "compensated all      12/12  1561 1561.5 1562          7  2.50e-09     0.4805",
        "bitwise             ! 0/12  1561 1561.5 1562          7  2.50e-09     0.4805"};
    int left_out = show(80, usual, 3, 1561);
    if (left_out < 0)
        return;
    ck_assert_int_eq(left_out, 8);
    expect_screen(lines, 5);
}
END_TEST

/* What takes more than its column takes it from the blanks behind. */
START_TEST(wide_cells_do_not_move_the_others)
{
    static const char *const row =
        "atomics              12/12 12345678 12345678.5 12345679 7 2.50e-09    0.4805";
    if (show(80, usual, 3, 12345678) < 0)
        return;
    ck_assert_str_eq(screen.lines[2], row);
}
END_TEST

START_TEST(wider_terminals_have_more)
{
    int before = 13;
    bool all = false;
    for (int columns = 12; columns <= 200; columns++) {
        int left_out = show(columns, usual, 3, 1561);
        if (left_out < 0)
            return;
        ck_assert_int_le(left_out, before);
        before = left_out;
        all = all || left_out == 0;
        if (columns == 120)
            ck_assert_str_eq(screen.lines[1], "kernel           guarantee  converged    min median "
                                              "max  histories  diff.  apart    spread   / ||b||  "
                                              "iteration");
        ck_assert_ptr_nonnull(strstr(screen_words(&screen), " 1561 1561.5 1562 "));
        ck_assert_int_eq(columns >= 76 ? screen.line : 5, 5);
    }
    ck_assert(all);
    ck_assert_ptr_nonnull(strstr(screen.lines[0], "residual / ||b||"));
}
END_TEST

START_TEST(long_labels_stand_above_their_rows)
{
    static const char *const labels[] = {"k", "cpu_sym_bitwise threads=2 reductions=exact",
                                         "‖r‖ threads=2"};
    static const char *const lines[] = {
        "                                      iterations   distinct  ||b-Ax||       ms /",
        "kernel               converged    min median max  histories   / ||b||  iteration",
        "k                        12/12  1561 1561.5 1562          7  2.50e-09     0.4805",
        "cpu_sym_bitwise threads=2 reductions=exact",
        "                         12/12  1561 1561.5 1562          7  2.50e-09     0.4805",
        "?r? threads=2           ! 0/12  1561 1561.5 1562          7  2.50e-09     0.4805"};
    if (show(80, labels, 3, 1561) < 0)
        return;
    expect_screen(lines, 6);
    for (int columns = 16; columns < 200; columns++)
        show(columns, labels, 3, 1561);
}
END_TEST

/* The lines of a wide table are as long as they are: the terminal breaks them, at any character. */
START_TEST(a_wide_table_has_all_columns)
{
    static const char head[] = "kernel           storage  guarantee  converged        min median "
                               "max  histories  diff.  apart     spread  recursive      true  "
                               "iteration    GB/s  set-up s";
    int left_out = show_wide(80, true, usual, 3, 1561);
    if (left_out < 0)
        return;
    ck_assert_int_eq(left_out, 0);
    ck_assert_int_ge(screen.wrapped, 5);
    char joined[2 * sizeof screen.lines[0]];
    snprintf(joined, sizeof joined, "%s%s", screen.lines[2], screen.lines[3]);
    ck_assert_str_eq(joined, head);
}
END_TEST

/* In a file the table is that of a terminal of 80 columns, or of COLUMNS. */
START_TEST(a_file_has_the_table_of_a_terminal)
{
    static const struct {
        const char *told;
        int columns;
    } cases[] = {{NULL, 80}, {"", 80}, {"120", 120}, {"60", 60}, {"400", 400}};
    struct kernel_settings kernels[] = {{.label = (char *)"compensated all"}};
    struct settings shown = {
        .study.kernels = kernels, .study.kernels_count = 1, .solver.options.method = &method_cg};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct table table;
        char line[512] = "";
        if (cases[k].told)
            setenv("COLUMNS", cases[k].told, 1);
        FILE *file = tmpfile();
        ck_assert_ptr_nonnull(file);
        terminal_table_begin(&table, file, &shown.solver.options, &shown.study, false);
        unsetenv("COLUMNS");
        rewind(file);
        for (int l = 0; l < 2; l++)
            ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
        fclose(file);
        line[strcspn(line, "\n")] = '\0';
        const char *const labels[] = {kernels[0].label};
        if (show(cases[k].columns, labels, 1, 1561) < 0)
            return;
        ck_assert_str_eq(line, screen.lines[1]);
    }
}
END_TEST

START_TEST(columns_left_out_are_counted)
{
    struct made_terminal terminal;
    char text[256];
    if (!terminal_open(&terminal, 80))
        return;
    FILE *stream = terminal_stream(&terminal);
    struct table table = {.stream = stream};
    table_print_left_out(&table);
    table.left_out = 1;
    table_print_left_out(&table);
    table.left_out = 8;
    table_print_left_out(&table);
    fflush(stream);
    terminal_read(&terminal, text, sizeof text);
    ck_assert_str_eq(text, "1 more column: --wide\r\n8 more columns: --wide\r\n");
    fclose(stream);
    terminal_close(&terminal);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {runs_that_converged_are_counted,    residuals_are_relative,
                            eighty_columns_have_what_matters,   wide_cells_do_not_move_the_others,
                            wider_terminals_have_more,          long_labels_stand_above_their_rows,
                            columns_left_out_are_counted,       a_wide_table_has_all_columns,
                            a_file_has_the_table_of_a_terminal, NULL};
    return suite_of("program/terminal/terminal", tests);
}
