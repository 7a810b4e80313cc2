/* A whole study by a kernel that does not keep what it promises: what is said, and where. And how
 * broken promises look on a terminal and elsewhere. */
#include "program/command/run_study.h"

#include "main/program.h"
#include "main/terminal.h"
#include "program/terminal/terminal.h"
#include "solver/cg/cg.h"
#include "study/disturbed.h"
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two runs by the fake kernel with that guarantee, the second one disturbed. */
static struct study_verdict study_of(enum kernel_guarantee guarantee, const char *directory)
{
    static const struct disturbance runs[] = {{-1, 1}, {5, LITTLE}};
    struct error error;
    struct settings settings;
    struct linear_system system;
    struct study_verdict verdict;
    struct kernel kernel = fake_kernel;
    kernel.guarantee = guarantee;
    const char *config = temporary_file("run.cfg",
                                        "problem = { type = \"poisson3d\"; n = 6; };\n"
                                        "kernels = ( \"cpu_sym\" ); repeats = 2;\n",
                                        -1);
    expect_ok(settings_read(config, NULL, 0, &settings, &error), &error);
    memory_free(settings.output.directory);
    settings.output.directory = memory_text(directory, "a path", &error);
    settings.study.kernels[0].kernel = &kernel;
    settings.study.kernels[0].options.values[0] = 5;
    expect_ok(system_load(&settings.problem, &settings.solver, &settings.study, &system, &error),
              &error);
    memcpy(given.b, system.b, sizeof given.b);
    fake.runs = runs;
    fflush(stdout); /* a broken promise is printed there, and is none of this build's */
    int shown = dup(STDOUT_FILENO), hidden = open("/dev/null", O_WRONLY);
    ck_assert(shown >= 0 && hidden >= 0 && dup2(hidden, STDOUT_FILENO) >= 0);
    enum status status = run_study("run.cfg", &settings, &system,
                                   &(struct study_shown){.quiet = true}, &verdict, &error);
    fflush(stdout);
    ck_assert(dup2(shown, STDOUT_FILENO) >= 0);
    close(shown);
    close(hidden);
    expect_ok(status, &error);
    system_free(&system);
    if (verdict.broken)
        ck_assert_str_eq(verdict.broken, settings.study.kernels[0].label);
    settings_free(&settings);
    ck_assert_int_eq(memory_live(), 0);
    return verdict;
}

START_TEST(broken_promises_are_in_the_summary)
{
    static const struct {
        enum kernel_guarantee guarantee;
        bool kept;
        const char *promise;
    } cases[] = {{GUARANTEE_NONE, true, "none"},
                 {GUARANTEE_ACCURATE, true, "none"},
                 {GUARANTEE_RUN, false, "broken"},
                 {GUARANTEE_BITWISE, false, "broken"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *directory = temporary_path("promises");
        struct study_verdict verdict = study_of(cases[k].guarantee, directory);
        ck_assert(verdict.runs == 2 && verdict.failed == 0 && !verdict.label);
        ck_assert((verdict.broken == NULL) == cases[k].kept);
        json_t *summary = read_summary(directory);
        json_t *kernel = summary_kernel(summary, 0);
        ck_assert_str_eq(json_string_value(json_object_get(kernel, "promise")), cases[k].promise);
        ck_assert_int_eq(json_integer_value(json_object_get(kernel, "distinct_histories")), 2);
        json_t *second = json_array_get(json_object_get(kernel, "runs"), 1);
        ck_assert_int_eq(json_integer_value(json_object_get(second, "history")), 2);
        json_decref(summary);
    }
}
END_TEST

/* What terminal_print_promises prints of a kernel with two histories. */
static void print_broken(FILE *stream)
{
    static struct study_run runs[2] = {{.history_hash = 1}, {.history_hash = 2}};
    struct study_kernel broken = {.label = "the label",
                                  .kernel = kernel_find("cpu_csr"),
                                  .threads = 2,
                                  .runs_count = 2,
                                  .runs = runs,
                                  .distinct_histories = 2,
                                  .first_divergence = 17};
    struct study_kernel kernels[3] = {broken, broken, broken};
    kernels[1].distinct_histories = kernels[2].distinct_histories = 1;
    kernels[1].label = "other";
    kernels[1].runs = &runs[1];
    kernels[2].threads = 7;
    terminal_print_promises(stream, kernels, 3);
    fflush(stream);
}

#define LINE_1                                                                                     \
    "the label: PROMISE BROKEN: a kernel that says bitwise, with reproducible reductions, has "    \
    "one history, and these 2 runs have 2: their bits differ from iteration 17 on"
#define LINE_2                                                                                     \
    "the label: PROMISE BROKEN: a kernel that says bitwise, with reproducible reductions, has "    \
    "one history, and that of 7 threads is not that of other (2 threads)"

START_TEST(broken_promises_are_shown)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    print_broken(stream);
    fclose(stream);
    ck_assert_str_eq(text, LINE_1 "\n" LINE_2 "\n");
    free(text);
}
END_TEST

/* Of several columns: which of them. */
START_TEST(a_broken_promise_names_its_column)
{
    char *text = NULL;
    size_t size = 0;
    struct study_run runs[2] = {{.run = 1, .history_hash = 1}, {.run = 2, .history_hash = 2}};
    struct study_kernel kernels[2];
    for (int k = 0; k < 2; k++)
        kernels[k] = (struct study_kernel){.label = "k",
                                           .column = k,
                                           .kernel = kernel_find("cpu_csr"),
                                           .reductions = REDUCTIONS_REPRODUCIBLE,
                                           .runs = runs,
                                           .runs_count = 2,
                                           .first_divergence = 3,
                                           .distinct_histories = 2};
    FILE *stream = open_memstream(&text, &size);
    terminal_print_promises(stream, kernels, 2);
    fclose(stream);
    expect_text(text, "k, column 0: PROMISE BROKEN: ");
    expect_text(text, "\nk, column 1: PROMISE BROKEN: ");
    free(text);
}
END_TEST

START_TEST(they_are_red_on_a_terminal)
{
    struct made_terminal terminal;
    if (!terminal_open(&terminal, 200))
        return;
    FILE *stream = terminal_stream(&terminal);
    static const char *const no_color[] = {NULL, "", "1"};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        if (no_color[k])
            setenv("NO_COLOR", no_color[k], 1);
        else
            unsetenv("NO_COLOR");
        print_broken(stream);
        terminal_read(&terminal, text, sizeof text);
        ck_assert_str_eq(text, k == 2 ? LINE_1 "\r\n" LINE_2 "\r\n"
                                      : "\033[31m" LINE_1 "\033[0m\r\n\033[31m" LINE_2
                                        "\033[0m\r\n");
    }
    fclose(stream);
    terminal_close(&terminal);
}
END_TEST

/* How runs group into histories: none when they are all alike, or all different. */
START_TEST(groups_are_shown)
{
    static struct study_run runs[20];
    struct study_kernel kernel = {.label = "k",
                                  .kernel = kernel_find("cpu_csr"),
                                  .runs_count = 5,
                                  .runs = runs,
                                  .distinct_histories = 3};
    static const int64_t histories[] = {1, 2, 1, 3, 2};
    for (int r = 0; r < 20; r++)
        runs[r] = (struct study_run){.run = r + 1, .history = r < 5 ? histories[r] : 1};
    for (int k = 0; k < 3; k++) {
        char *text = NULL;
        size_t size = 0;
        if (k == 1)
            kernel.distinct_histories = 5;
        if (k == 2) {
            kernel.distinct_histories = 3;
            kernel.runs_count = 20;
        }
        FILE *stream = open_memstream(&text, &size);
        terminal_print_details(stream, &kernel, 1);
        fclose(stream);
        if (k == 1) /* the verdict has said it */
            ck_assert_ptr_null(strstr(text, "histories"));
        else
            expect_text(text,
                        k == 0 ? "k: runs with equal histories: 1, 3 | 2, 5 | 4\n"
                               : "histories: 1, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ... | 2, 5");
        free(text);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {broken_promises_are_in_the_summary, broken_promises_are_shown,
                            they_are_red_on_a_terminal,         groups_are_shown,
                            a_broken_promise_names_its_column,  NULL};
    return suite_of("program/command/run_study", tests);
}
