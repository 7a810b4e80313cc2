/* The program with method = "lanczos": its config, its files, and references. */
#include "support.h"

#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char eigen_config[] =
    "problem = { type = \"poisson3d\"; n = [8, 7, 6]; };\n"
    "solver = { method = \"lanczos\"; max_iterations = 500; };\n"
    "eigen = { count = 3; which = \"both\"; tolerance = 1e-9; reorthogonalization = \"selective\";"
    " restart = 30; };\n"
    "kernels = ( \"cpu_csr\", \"cpu_sym\", \"cpu_sym_bitwise\",\n"
    "    { name = \"cpu_sym_bitwise\"; label = \"g\"; form = \"general\"; } );\n";

static char config[256], directory[256], path[300];

static void prepare(void)
{
    snprintf(config, sizeof config, "%s", temporary_file("eigen.cfg", eigen_config, -1));
    snprintf(directory, sizeof directory, "%s", temporary_path("eigen"));
}

/* A copy of one of the files of the run. The caller calls free. */
static char *written(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return strdup(file_text(path));
}

/* The rows of a kernel without its label. */
static const char *rows_of(const char *csv, const char *label, size_t *length)
{
    char begin[64];
    snprintf(begin, sizeof begin, "\n%s,1,0,", label);
    const char *first = strstr(csv, begin);
    ck_assert_msg(first != NULL, "no rows of %s", label);
    snprintf(begin, sizeof begin, "\n%s,", label);
    static char rows[1 << 18];
    char *place = rows;
    for (const char *row = first; row && strncmp(row, begin, strlen(begin)) == 0;
         row = strchr(row + 1, '\n')) {
        const char *text = row + strlen(begin);
        size_t count = strcspn(text, "\n") + 1;
        ck_assert(place + count < rows + sizeof rows);
        memcpy(place, text, count);
        place += count;
    }
    *length = (size_t)(place - rows);
    return rows;
}

START_TEST(finds_and_writes)
{
    prepare();
    struct outcome *outcome = run_program("--output %s --threads 2 %s", directory, config);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->errors, "");
    char *history = written("history.csv"), *settings = written("settings.cfg"), first[1 << 17];
    static const char head[] = "kernel,run,iteration,residual,residual_hex,alpha,beta,ritz_low,"
                               "ritz_high,bound_low,bound_high,orthogonality,converged,ghosts\n"
                               "cpu_csr,1,0,1,0x1p+0,,,,,,,,,\n";
    ck_assert_msg(strncmp(history, head, strlen(head)) == 0, "%.300s", history);
    ck_assert_str_eq(history + strlen(history) - 5, ",6,0\n"); /* six have converged, no ghosts */
    static const char *const others[] = {"cpu_sym", "cpu_sym_bitwise", "g"};
    size_t length, its;
    const char *rows = rows_of(history, "cpu_csr", &length);
    ck_assert(length < sizeof first);
    memcpy(first, rows, length);
    for (int k = 0; k < 3; k++) { /* one history, by any of them */
        rows = rows_of(history, others[k], &its);
        ck_assert_msg(its == length && memcmp(rows, first, length) == 0, "%s: another history",
                      others[k]);
    }
    json_t *summary = read_summary(directory);
    for (int k = 0; k < 4; k++) {
        json_error_t error;
        const char *reason;
        double residual;
        int ok = json_unpack_ex(summary_kernel(summary, k), &error, 0, "{s:[{s:s, s:F}]}", "runs",
                                "reason", &reason, "true_residual", &residual);
        ck_assert_msg(ok == 0, "%s", error.text);
        ck_assert_str_eq(reason, "converged");
        ck_assert(residual > 0 && residual <= 1.1e-9);
    }
    json_decref(summary);

    /* what was written is a config for the same */
    const char *again = temporary_file("again.cfg", settings, -1);
    expect_exit(run_program("--quiet --output %s %s", directory, again), 0);
    char *settings_again = written("settings.cfg"), *history_again = written("history.csv");
    ck_assert_str_eq(settings_again, settings);
    ck_assert_str_eq(history_again, history);
    expect_text(settings, "method = \"lanczos\";");
    expect_text(settings, "reorthogonalization = \"selective\";");
    expect_text(settings, "restart = 30;");
    ck_assert_ptr_null(strstr(settings, "    tolerance = 1e-08;")); /* that of systems */
    free(history);
    free(history_again);
    free(settings);
    free(settings_again);
}
END_TEST

START_TEST(keys_of_other_methods_are_refused)
{
    prepare();
    const char *small = temporary_file("small.cfg", small_config, -1);
    static const char *const of_eigen[] = {"count=3", "which=both", "tolerance=1e-3",
                                           "reorthogonalization=full", "restart=40"};
    for (size_t k = 0; k < sizeof of_eigen / sizeof *of_eigen; k++) {
        char text[128];
        struct outcome *outcome =
            run_program("--check-config --set eigen.%s %s", of_eigen[k], small);
        expect_exit(outcome, 2);
        snprintf(text, sizeof text, "eigen.%.*s is for method \"lanczos\", not \"cg\"",
                 (int)strcspn(of_eigen[k], "="), of_eigen[k]);
        expect_text(outcome->errors, text);
    }
    struct outcome *outcome = run_program("--check-config --set solver.tolerance=1e-3 %s", config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "solver.tolerance is for method ");
    expect_text(outcome->errors, ", not \"lanczos\"");
    outcome = run_program("--quiet --output %s --set eigen.restart=7 %s", directory, config);
    ck_assert_int_ne(outcome->exit_status, 0);
    expect_text(outcome->errors, "eigen.restart = 7 is too small: the basis needs room for "
                                 "the 6 wanted eigenvalues and two more");
}
END_TEST

START_TEST(histories_are_references)
{
    prepare();
    char reference[256];
    snprintf(reference, sizeof reference, "%s", temporary_path("reference.csv"));
    expect_exit(run_program("--quiet --output %s --write-reference %s "
                            "--set 'kernels=(\"cpu_sym\")' %s",
                            directory, reference, config),
                0);
    struct outcome *outcome = run_program("check %s %s", reference, reference);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "1 run passes, equal in every bit");
    expect_exit(run_program("--quiet --threads 7 --set reference.history=%s --output %s %s",
                            reference, directory, config),
                0);
    outcome = run_program("check %s/history.csv %s", directory, reference);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "cpu_sym_bitwise: 1 run passes, equal in every bit");
    /* other bits come of another way to keep the basis */
    outcome =
        run_program("--quiet --set eigen.restart=20 --set reference.history=%s --output %s %s",
                    reference, directory, config);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "differs from ");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {finds_and_writes, keys_of_other_methods_are_refused,
                            histories_are_references, NULL};
    return suite_of("main/lanczos", tests);
}
