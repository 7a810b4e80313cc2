/* Several right-hand sides as their users meet them: each column has the bits of its own solve;
 * files with several columns; references; what is shown; and what is refused. */
#include "support.h"

#include "main/program.h"
#include "main/reference.h"
#include "program/record/history_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 3 };

static char several[256], out[256], alone[256];

/* Three random right-hand sides, of seeds 5, 6 and 7, by two kernels, twice. */
static void prepare_columns(void)
{
    snprintf(several, sizeof several, "%s",
             temporary_file("columns.cfg",
                            "problem = { type = \"fe_sheet\"; n = [9, 8]; unknowns = 2; };\n"
                            "rhs = { type = \"random\"; seed = 5; columns = 3; };\n"
                            "kernels = ( \"cpu_csr\", \"cpu_sym_bitwise\" );\n"
                            "repeats = 2;\n",
                            -1));
    snprintf(out, sizeof out, "%s", temporary_path("several"));
    snprintf(alone, sizeof alone, "%s", temporary_path("alone"));
}

/* A member of the second run of an entry of summary.json. */
static char *text_of(const char *directory, int kernel, const char *member)
{
    json_t *summary = read_summary(directory);
    json_t *runs = json_object_get(summary_kernel(summary, kernel), "runs");
    char *text = json_dumps(json_object_get(json_array_get(runs, 1), member), JSON_ENCODE_ANY);
    json_decref(summary);
    ck_assert_ptr_nonnull(text);
    return text;
}

static void expect_equal(const char *a, int a_kernel, const char *b, int b_kernel)
{
    static const char *const members[] = {"reason",       "iterations",    "residual",
                                          "history_hash", "solution_hash", "true_residual",
                                          "ritz_low"};
    for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
        char *one = text_of(a, a_kernel, members[m]), *two = text_of(b, b_kernel, members[m]);
        ck_assert_msg(strcmp(one, two) == 0, "%s: %s and %s", members[m], one, two);
        free(one);
        free(two);
    }
}

/* For every method and numbering. */
START_TEST(each_column_has_the_bits_of_its_own_solve)
{
    static const char *const ways[] = {
        "", "--set solver.method=minres", "--set problem.reorder=rcm",
        "--set 'solver.preconditioner={type=\"jacobi\";}' --set solver.max_iterations=5",
        "--set 'solver.start={type=\"random\";seed=20;}'"};
    prepare_columns();
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        int end = strstr(ways[w], "max_iterations") ? 1 : 0;
        expect_exit(run_program("--output %s %s %s", out, ways[w], several), end);
        for (int j = 0; j < COLUMNS; j++) {
            char start[64] = "";
            if (strstr(ways[w], "start"))
                snprintf(start, sizeof start, "--set solver.start.seed=%d", 20 + j);
            expect_exit(run_program("--output %s %s %s --set rhs.columns=1 --set rhs.seed=%d %s",
                                    alone, ways[w], start, 5 + j, several),
                        end);
            for (int k = 0; k < 2; k++)
                expect_equal(out, COLUMNS * k + j, alone, k);
        }
    }
}
END_TEST

/* What is written of several columns is read again: X as the start is where the solves end at once,
 * and as B it is what it was. */
START_TEST(solutions_are_read_again)
{
    static const char *const formats[] = {"npy", "mtx"};
    prepare_columns();
    for (int f = 0; f < 2; f++) {
        expect_exit(run_program("--quiet --output %s --set output.solution=%s %s", out, formats[f],
                                several),
                    0);
        struct outcome *outcome = run_program(
            "--output %s --set solver.tolerance=1e-7 "
            "--set 'solver.start={type=\"file\";path=\"%s/solution-cpu_csr-1.%s\";}' %s",
            alone, out, formats[f], several);
        expect_exit(outcome, 0);
        expect_text(outcome->output, "cpu_csr: 0 iterations in 2 runs of 3 columns, 1 solution "
                                     "in each column\n");
        outcome = run_program("--output %s --set 'rhs={type=\"file\";path=\"%s/"
                              "solution-cpu_csr-1.%s\";}' %s",
                              alone, out, formats[f], several);
        expect_exit(outcome, 0);
        expect_text(outcome->output, "b: file, 3 columns, ||b|| up to ");
    }
}
END_TEST

START_TEST(the_terminal_shows_ranges_and_what_failed)
{
    prepare_columns();
    char *b = strdup(temporary_file(
        "b.mtx", "%%MatrixMarket matrix coordinate real general\n144 3 2\n1 1 1\n2 3 1\n", -1));
    struct outcome *outcome =
        run_program("--output %s --set repeats=1 --set solver.max_iterations=2 "
                    "--set 'rhs={type=\"file\";path=\"%s\";}' --set 'kernels=(\"cpu_csr\")' %s",
                    out, b, several);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "! 1/3");
    expect_text(outcome->output,
                "cpu_csr: 0 to 2 iterations in 3 columns; 2 of 3 solves did not converge "
                "(iteration limit)\n");
    expect_text(outcome->output,
                "cpu_csr, columns 0, 2, first in run 1: iteration limit at iteration 2\n");
    expect_text(outcome->output, "those of all 3 columns");
    outcome = run_program("report --picture %s.svg --of last %s", b, out);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "With several right-hand sides there is no such picture.");
    char page[320];
    snprintf(page, sizeof page, "%s/report.html", out);
    expect_text(file_text(page), ">residual / ‖b‖<");
    expect_text(file_text(page), "2 of 3 solves did not converge");
    outcome = run_program("--quiet --output %s --set solver.max_iterations=2 "
                          "--set 'rhs={type=\"file\";path=\"%s\";}' %s",
                          out, b, several);
    expect_exit(outcome, 1);
    expect_text(outcome->errors,
                "8 of 12 solves did not converge, the first: cpu_csr, run 1, column "
                "0: iteration limit at iteration 2\n");
    free(b);
}
END_TEST

/* --- references ------------------------------------------------------------------------------- */

START_TEST(a_reference_holds_all_columns)
{
    static char reference_text[1 << 18];
    char file[300], csv[300];
    prepare_columns();
    snprintf(file, sizeof file, "%s", temporary_path("reference.csv"));
    snprintf(csv, sizeof csv, "%s/history.csv", out);
    expect_exit(run_program("--quiet --output %s --set 'kernels=(\"cpu_csr\")' "
                            "--write-reference %s %s",
                            out, file, several),
                0);
    struct outcome *outcome = run_program(
        "--output %s --set reference.history=%s --junit %s.xml %s", out, file, file, several);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "cpu_sym_bitwise: 6 columns pass, equal in every bit\n");
    char xml[320], page[320];
    snprintf(page, sizeof page, "%s/report.html", out);
    expect_text(file_text(page), "one history in each column");
    expect_text(file_text(page), ", the same in each run of a column;");
    expect_text(file_text(page), "<td>2 × 3 columns</td>");
    snprintf(xml, sizeof xml, "%s.xml", file);
    expect_text(file_text(xml), "name=\"cpu_sym_bitwise, run 2, column 1\" time=\"0.000000\"");
    outcome = run_program("check %s %s", csv, file);
    expect_exit(outcome, 0);
    /* another solution in one column is told of that column */
    char text[40], *solution = strstr(strcpy(reference_text, file_text(file)), "# solution 1: ");
    ck_assert_ptr_nonnull(solution);
    snprintf(text, sizeof text, "%.16s", solution + 14);
    outcome =
        run_program("check %s %s", csv, edited(file, "# solution 1: ", text, "0123456789abcdef"));
    expect_exit(outcome, 0);
    expect_text(outcome->output, "warning   cpu_csr, run 1, column 1: the residuals are the "
                                 "reference's, but x is not: its hash is 0123456789abcdef there");
}
END_TEST

/* A history with a different residual in column 1, and one that lacks a column. */
START_TEST(a_difference_names_its_column)
{
    static const char lead[] = "# matrix: 0123456789abcdef\n# rhs: fedcba9876543210\n";
    static const char header[] = "kernel,run,iteration,residual_hex,column\n";
    char text[600], *reference_path, *history_path;
    snprintf(text, sizeof text, "%s%sa,1,0,0x1p+0,0\na,1,0,0x1p+1,1\na,1,1,0x1p+0,1\n", lead,
             header);
    reference_path = strdup(temporary_file("reference.csv", text, -1));
    snprintf(text, sizeof text, "%sa,1,0,0x1p+0,0\na,1,0,0x1p+1,1\na,1,1,0x1.8p+0,1\n", header);
    history_path = strdup(temporary_file("history.csv", text, -1));
    struct outcome *outcome = run_program("check %s %s", history_path, reference_path);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "a, run 1, column 1: iteration 1 differs from ");
    ck_assert_ptr_null(strstr(outcome->output, "column 0"));
    free(history_path);
    static const char *const others[] = {
        "a,1,0,0x1p+0,0\n", "a,1,0,0x1p+0,1\na,1,0,0x1p+1,0\n",
        "a,1,0,0x1p+0,0\na,1,0,0x1p+1,1\na,1,1,0x1p+0,1\na,1,0,0x1p+0,2\n"};
    static const char *const faults[] = {"history.csv has 1 right-hand side and ",
                                         "column 0 of the right-hand sides must stand there",
                                         "history.csv has 3 right-hand sides and "};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        snprintf(text, sizeof text, "%s%s", header, others[k]);
        outcome =
            run_program("check %s %s", temporary_file("history.csv", text, -1), reference_path);
        expect_exit(outcome, 3);
        expect_text(outcome->errors, faults[k]);
    }
    free(reference_path);
}
END_TEST

/* --- refused ---------------------------------------------------------------------------------- */

START_TEST(what_is_refused)
{
    static const struct {
        const char *options;
        int exit_status;
        const char *fault;
    } cases[] = {
        {"--set solver.method=lanczos", 2, "rhs.columns is for method "},
        {"--set trace.every=5", 2,
         "trace.every = 5: a trace takes one right-hand side, and there are 3"},
        {"--set rhs.columns=1025", 2, "rhs.columns wants a whole number"},
        {"--set rhs.columns=-1", 2, "rhs.columns wants a whole number"},
        {"--set 'rhs={type=\"unit\";row=143;columns=3;}'", 2, "leaves 2"},
        {"--set 'rhs={type=\"file\";path=\"problems/plate-loads.mtx\";}'", 3,
         "this is 1600 x 8, but must have 144 rows, one column for each vector"},
        {"--set 'solver.start={type=\"file\";path=\"problems/plate-loads.mtx\";}'", 3,
         "this is 1600 x 8, but must have"},
    };
    prepare_columns();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct outcome *outcome = run_program("--output %s %s %s", out, cases[k].options, several);
        expect_exit(outcome, cases[k].exit_status);
        expect_text(outcome->errors, cases[k].fault);
    }
    static const char plate[] = "--set 'problem={type=\"mtx\";path=\"problems/plate.mtx.gz\";}' "
                                "--set 'rhs={type=\"file\";path=\"problems/plate-loads.mtx\";%s}'";
    char options[300];
    snprintf(options, sizeof options, plate, "columns=7;");
    struct outcome *outcome = run_program("--output %s %s %s", out, options, several);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "rhs.columns = 7: problems/plate-loads.mtx has 8 columns");
    snprintf(options, sizeof options, plate, "");
    outcome = run_program("--output %s %s --set solver.method=lanczos %s", out, options, several);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "problems/plate-loads.mtx: has 8 columns, and the method lanczos "
                                 "takes one vector to begin with");
    outcome = run_program("solve problems/plate.mtx.gz --rhs problems/plate-loads.mtx");
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "has 8 columns: cgsolve solve takes one right-hand side");
    outcome = run_program("solve problems/plate.mtx.gz rhs.columns=3");
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "rhs.columns = 3: cgsolve solve takes one right-hand side");
}
END_TEST

/* A column more is a column more of memory, and this one is not asked for. */
START_TEST(memory_counts_the_columns)
{
    prepare_columns();
    struct outcome *outcome = run_program(
        "--output %s --set 'problem={type=\"poisson3d\";n=600;}' --set rhs.columns=1024 %s", out,
        several);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "2 solves of 1024 columns with kernel ");
}
END_TEST

/* What configs/columns.cfg says of its loads: one is 0, and one twice another, so that every
 * residual of it is twice the other's. */
static double first_of[1000];
static int64_t doubled;

static enum status take(void *context, int64_t run, int64_t iteration, double residual,
                        struct error *error)
{
    const struct history_file *file = context;
    (void)error;
    if (file->runs[run].column == 0)
        first_of[iteration] = residual;
    if (file->runs[run].column == 6)
        doubled += residual == 2 * first_of[iteration];
    return STATUS_OK;
}

START_TEST(the_loads_of_the_example)
{
    static const int64_t iterations[] = {876, 877, 678, 706, 678, 0, 876, 876};
    struct history_file file;
    struct error error;
    char path[300];
    prepare_columns();
    expect_exit(run_program("--quiet --output %s --set repeats=1 "
                            "--set 'kernels=(\"cpu_sym_bitwise\",\"cpu_csr\")' configs/columns.cfg",
                            out),
                0);
    snprintf(path, sizeof path, "%s/history.csv", out);
    expect_ok(history_file_read(path, take, &file, &file, &error), &error);
    ck_assert_int_eq(file.runs_count, 16);
    for (int64_t k = 0; k < 16; k++) {
        ck_assert_int_eq(file.runs[k].column, k % 8);
        ck_assert_int_eq(file.runs[k].count, iterations[k % 8] + 1);
    }
    ck_assert_int_eq(doubled, 2 * 877);
    history_file_free(&file);
}
END_TEST

/* settings.cfg gives the same study again. */
START_TEST(the_settings_are_read_again)
{
    char settings[300];
    prepare_columns();
    expect_exit(run_program("--quiet --output %s %s", out, several), 0);
    snprintf(settings, sizeof settings, "%s/settings.cfg", out);
    expect_text(file_text(settings), "columns = 3;");
    expect_exit(run_program("--quiet --output %s %s", alone, settings), 0);
    for (int k = 0; k < 2 * COLUMNS; k++)
        expect_equal(out, k, alone, k);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {each_column_has_the_bits_of_its_own_solve,
                            solutions_are_read_again,
                            the_terminal_shows_ranges_and_what_failed,
                            a_reference_holds_all_columns,
                            a_difference_names_its_column,
                            what_is_refused,
                            memory_counts_the_columns,
                            the_loads_of_the_example,
                            the_settings_are_read_again,
                            NULL};
    return suite_of("main/columns", tests);
}
