/* What stands below the table, of results that were never solved. */
#include "program/terminal/terminal.h"

#include "main/program.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[] = "made";
static struct study_run run = {.run = 3, .history = 1};
static struct study_kernel kernel = {
    .label = "k", .runs_count = 1, .runs = &run, .distinct_histories = 1};

static double others = -1;

/* With details and files. The caller frees it. */
static char *printed_of(const struct settings *settings, const struct study_kernel *kernels,
                        int count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    const struct table table = {.stream = stream};
    ck_assert_ptr_nonnull(stream);
    terminal_print_end(&table, &settings->problem.rhs, &settings->solver, kernels, count, others);
    terminal_print_details(stream, kernels, count);
    terminal_print_files(stream, settings->output.directory, &settings->output,
                         &settings->study.trace);
    fclose(stream);
    return text;
}

static char *printed(const struct settings *settings)
{
    return printed_of(settings, &kernel, 1);
}

/* Likewise, of `cgsolve solve`. */
static char *printed_solve(const struct settings *settings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    terminal_print_solve(stream, &settings->solver.options, 1, &kernel, others);
    fclose(stream);
    return text;
}

START_TEST(the_spectrum_is_shown_as_far_as_it_is_known)
{
    static const struct {
        double low, high;
        const char *wanted; /* NULL: nothing */
    } cases[] = {
        {0.5, 2, "k: condition number >= 4: Ritz values from 0.5 to 2\n"},
        {1e-17, 2, "k: condition number > 5.63e+14: Ritz values from 1e-17 to 2\n"},
        {-0.5, 2, "k: Ritz values from -0.5 to 2\n"},
        {NAN, 2, NULL},
        {NAN, NAN, NULL},
    };
    struct settings settings = {.output.directory = directory, .solver.options.method = &method_cg};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        run.result = (struct solver_result){.ritz_low = cases[k].low, .ritz_high = cases[k].high};
        char *text = printed(&settings);
        if (cases[k].wanted)
            expect_text(text, cases[k].wanted);
        else
            ck_assert_ptr_null(strstr(text, "Ritz"));
        ck_assert_ptr_null(strstr(text, "theta"));
        free(text);
    }
}
END_TEST

START_TEST(eigenvalues_are_listed_and_cut_at_twenty)
{
    double values[23], residuals[23];
    enum eigen_met met[23];
    struct settings settings = {
        .output.directory = directory,
        .solver.options = {.method = &method_lanczos,
                           .eigen.reorthogonalization = REORTHOGONALIZATION_FULL},
        .output.eigenvectors = SWITCH_ON};
    for (int k = 0; k < 23; k++) {
        values[k] = k + 0.5;
        residuals[k] = 1e-12 * (k + 1);
        met[k] = k == 0 ? EIGEN_MET_TOLERANCE : EIGEN_MET_NO;
    }
    static const char *const lists[] = {[EIGEN_LIST_OPEN] = "others may be missing: ",
                                        [EIGEN_LIST_SEARCHED] = "complete: round 3, from ",
                                        [EIGEN_LIST_ALL] = "complete: the basis spans "};
    for (int k = 0; k < 6; k++) {
        int count = k % 2 == 0 ? 20 : 23, list = k / 2;
        run.result = (struct solver_result){.ritz_low = NAN,
                                            .ritz_high = NAN,
                                            .eigen_count = count,
                                            .eigenvalues = values,
                                            .eigen_residuals = residuals,
                                            .eigen_met = met,
                                            .eigen_list = (enum eigen_list)list,
                                            .eigen_rounds = 3,
                                            .eigen_rounding = 3e-11};
        met[22] = count == 23 ? EIGEN_MET_ROUNDING : EIGEN_MET_NO;
        char *text = printed(&settings);
        expect_text(text, "k, run 3:\n");
        expect_text(text, "     1                       0.5             1.00e-12  tolerance\n");
        expect_text(text, "    20                      19.5             2.00e-11  -\n");
        ck_assert_ptr_null(strstr(text, "\n    21 "));
        ck_assert((strstr(text, "... and 3 more in summary.json\n") != NULL) == (count == 23));
        for (int other = 0; other < 3; other++)
            ck_assert((strstr(text, lists[other]) != NULL) == (other == list));
        ck_assert((strstr(text, "rounding errors may leave, 3.00e-11\n") != NULL) == (count == 23));
        expect_text(text, "envelope.csv, eigenvectors-*.npy, summary.json}");
        ck_assert_ptr_null(strstr(text, "ghosts"));
        free(text);
    }
    settings.solver.options.eigen.reorthogonalization = REORTHOGONALIZATION_NONE;
    char *text = printed(&settings);
    expect_text(text, "        equal eigenvalues may be ghosts, ");
    expect_text(text, "and others may be missing: ");
    free(text);
}
END_TEST

START_TEST(the_files_are_named)
{
    static const char *const wanted[] = {
        [SOLUTION_NONE] =
            "written   made/{settings.cfg, history.csv, envelope.csv, summary.json}\n",
        [SOLUTION_NPY] = ", envelope.csv, solution-*.npy, summary.json}\n",
        [SOLUTION_MTX] = ", envelope.csv, solution-*.mtx, summary.json}\n",
        [SOLUTION_TXT] = ", envelope.csv, solution-*.txt, summary.json}\n"};
    run.result = (struct solver_result){.ritz_low = NAN, .ritz_high = NAN};
    for (int format = SOLUTION_NONE; solution_formats[format]; format++) {
        struct settings settings = {.output.directory = directory,
                                    .solver.options.method = &method_cg,
                                    .output.solution = (enum solution_format)format};
        char *text = printed(&settings);
        expect_text(text, wanted[format]);
        free(text);
    }
}
END_TEST

START_TEST(an_indefinite_matrix_is_sent_on)
{
    struct settings settings = {.output.directory = directory, .solver.options.method = &method_cg};
    run.result = (struct solver_result){.reason = REASON_NOT_POSITIVE,
                                        .iterations = 12,
                                        .curvature = -0.25,
                                        .ritz_low = NAN,
                                        .ritz_high = 3};
    char *text = printed(&settings);
    expect_text(text, "k, run 3: not positive definite at iteration 12 (p.Ap = -0.25): "
                      "solver.method = \"minres\" takes such a matrix\n");
    free(text);
}
END_TEST

/* Where p . A p is above 0, and of a method that has none. */
START_TEST(a_preconditioner_at_fault_is_named)
{
    static const double curvatures[] = {0.25, NAN};
    for (int k = 0; k < 2; k++) {
        struct settings settings = {.output.directory = directory,
                                    .solver.options.method = k ? &method_minres : &method_cg};
        run.result = (struct solver_result){.reason = REASON_NOT_POSITIVE,
                                            .iterations = 12,
                                            .curvature = curvatures[k],
                                            .ritz_low = NAN,
                                            .ritz_high = 3};
        char *text = printed(&settings);
        expect_text(text, "k, run 3: not positive definite at iteration 12 (r.z of the "
                          "preconditioner is not above 0)\n");
        free(text);
    }
}
END_TEST

START_TEST(a_least_squares_solution_says_why)
{
    struct settings settings = {.output.directory = directory, .solver.options.method = &method_cg};
    run.result = (struct solver_result){.reason = REASON_LEAST_SQUARES,
                                        .iterations = 12,
                                        .true_residual = 0.25,
                                        .ritz_low = NAN,
                                        .ritz_high = NAN};
    char *text = printed(&settings);
    expect_text(text,
                "k, run 3: least squares solution at iteration 12 (||r|| = 0.25): A is singular "
                "to working precision, and b is not in its range\n");
    free(text);
}
END_TEST

START_TEST(the_time_is_taken_apart)
{
    static const struct {
        struct solver_split split;
        const char *wanted; /* NULL: nothing */
    } cases[] = {
        {{31e-5, 17e-5, 0, 0},
         "k: 0.483 ms / iteration (timed separately: product 0.31, dot products and updates "
         "0.17)\n"},
        {{31e-5, 17e-5, 25e-4, 0},
         "k: 0.483 ms / iteration (timed separately: product 0.31, dot products and updates "
         "0.17)\n"},
        {{31e-5, 17e-5, 25e-5, 0},
         "k: 0.483 ms / iteration (timed separately: product 0.31, dot products and updates 0.17, "
         "preconditioner 0.25)\n"},
        {{84e-5, 17e-5, 0, 0},
         "k: 0.483 ms / iteration (timed separately: dot products and updates 0.17)\n"},
        {{84e-5, 0, 0, 0}, "k: 0.483 ms / iteration\n"},
        {{31e-5, 17e-5, 0, 1e-6},
         "k: 0.483 ms / iteration (timed separately: product 0.31, dot products and updates 0.17, "
         "projected matrix 0.001)\n"},
        {{0, 0, 0, 0}, NULL},
    };
    struct settings settings = {.output.directory = directory, .solver.options.method = &method_cg};
    kernel.seconds_per_iteration = 483e-6;
    run.result = (struct solver_result){.ritz_low = NAN, .ritz_high = NAN};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        kernel.time_split = cases[k].split;
        char *text = printed(&settings);
        if (cases[k].wanted)
            expect_text(text, cases[k].wanted);
        else
            ck_assert_ptr_null(strstr(text, "ms / iteration"));
        free(text);
    }
}
END_TEST

/* What a verdict says is not said again: a run that failed has a line where it has more to say. */
START_TEST(the_verdict_comes_first_and_alone)
{
    struct settings settings = {.output.directory = directory, .solver.options.method = &method_cg};
    struct study_run runs[3] = {{.run = 1, .history = 1, .result = {.iterations = 7}},
                                {.run = 2, .history = 2, .result = {.iterations = 9}},
                                {.run = 3, .history = 3, .result = {.iterations = 9}}};
    struct study_kernel several = {.label = "k",
                                   .runs_count = 3,
                                   .runs = runs,
                                   .distinct_histories = 3,
                                   .distinct_solutions = 2,
                                   .iterations_min = 7,
                                   .iterations_max = 9};
    static const struct {
        enum reason reasons[3];
        const char *wanted;
    } cases[] = {
        {{REASON_CONVERGED, REASON_CONVERGED, REASON_CONVERGED}, "\n\nwritten"},
        {{REASON_CONVERGED, REASON_STAGNATION, REASON_STAGNATION},
         "; 2 of 3 did not converge (stagnation)\n\nwritten"},
        {{REASON_RESIDUAL_GAP, REASON_RESIDUAL_GAP, REASON_RESIDUAL_GAP},
         "; 3 of 3 did not converge (residual gap)\n\n"
         "k, run 1: residual gap at iteration 7 (recursive 0, true 0)\nwritten"},
        {{REASON_STAGNATION, REASON_RESIDUAL_GAP, REASON_STAGNATION},
         "; 3 of 3 did not converge (2 stagnation, 1 residual gap)\n\n"
         "k, run 2: residual gap at iteration 9 (recursive 0, true 0)\n"
         "k, run 1: stagnation at iteration 7, and 1 more\nwritten"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int r = 0; r < 3; r++) {
            runs[r].result.reason = cases[c].reasons[r];
            runs[r].result.ritz_low = NAN;
        }
        char *text = printed_of(&settings, &several, 1), wanted[512];
        snprintf(wanted, sizeof wanted, "\nk: 2 different solutions in 3 runs, 7 to 9 iterations%s",
                 cases[c].wanted);
        ck_assert_msg(strncmp(text, wanted, strlen(wanted)) == 0, "%s\ninstead of\n%s", text,
                      wanted);
        free(text);
    }
}
END_TEST

START_TEST(what_kernels_share_is_said_once)
{
    struct settings settings = {.output.directory = directory, .solver.options.method = &method_cg};
    struct study_run runs[4];
    struct study_kernel kernels[4];
    static const char *const labels[] = {"a", "b", "c", "d"};
    static const uint64_t hashes[] = {0x17, 0x18, 0x17, 0x17};
    for (int k = 0; k < 4; k++) {
        runs[k] = (struct study_run){.run = 1, .history = 1, .history_hash = hashes[k]};
        runs[k].result.ritz_low = 1;
        runs[k].result.ritz_high = 8;
        kernels[k] = kernel;
        kernels[k].runs = &runs[k];
        kernels[k].label = labels[k];
        kernels[k].time_split = (struct solver_split){0};
    }
    snprintf(kernels[2].description, sizeof kernels[2].description, "diagonals");
    char *text = printed_of(&settings, kernels, 4);
    expect_text(text, "iterations\n\n"
                      "c: stores the matrix by diagonals\n"
                      "a, c, d: every history has the hash 0000000000000017\n"
                      "b: every history has the hash 0000000000000018\n"
                      "all kernels: condition number >= 8: Ritz values from 1 to 8\nwritten");
    free(text);
    text = printed_of(&settings, kernels, 1);
    expect_text(text, "\na: condition number >= 8: Ritz values from 1 to 8");
    free(text);
}
END_TEST

/* A residual above the tolerance beside "converged" is explained; no other needs a word. */
START_TEST(what_converged_means_is_said)
{
    static const struct {
        const struct method *method;
        double absolute, true_residual;
        enum reason reason;
        const char *wanted; /* NULL: nothing */
    } cases[] = {
        {&method_cg, 0, 2.02e-8, REASON_CONVERGED,
         "converged: recursive ||r|| <= 1e-08 ||b||, and ||b-Ax|| <= 1.1e-08 ||b||\n\nk: "},
        {&method_cg, 3e-8, 3.1e-8, REASON_CONVERGED,
         "converged: recursive ||r|| <= max(1e-08 ||b||, 3e-08), and ||b-Ax|| at most 1.1 times "
         "that\n\nk: "},
        {&method_cg, 0, 2e-8, REASON_CONVERGED, NULL},
        {&method_cg, 3e-8, 2.02e-8, REASON_CONVERGED, NULL},
        {&method_cg, 0, 3e-8, REASON_RESIDUAL_GAP, NULL},
        {&method_lanczos, 0, 3e-8, REASON_CONVERGED, NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct settings settings = {.output.directory = directory,
                                    .solver.options = {.method = cases[k].method,
                                                       .tolerance = 1e-8,
                                                       .absolute_tolerance = cases[k].absolute}};
        run.result = (struct solver_result){.reason = cases[k].reason,
                                            .rhs_norm = 2,
                                            .true_residual = cases[k].true_residual,
                                            .ritz_low = NAN};
        char *text = printed(&settings);
        if (cases[k].wanted)
            ck_assert_msg(strncmp(text, cases[k].wanted, strlen(cases[k].wanted)) == 0, "%s", text);
        else
            ck_assert_ptr_null(strstr(text, "converged: "));
        free(text);
    }
}
END_TEST

START_TEST(a_busy_machine_is_said_below_the_times)
{
    struct settings settings = {.output.directory = directory, .solver.options.method = &method_cg};
    run.result = (struct solver_result){.ritz_low = NAN};
    for (int percent = -1; percent <= 100; percent++) {
        char wanted[128];
        others = percent / 100.0;
        snprintf(
            wanted, sizeof wanted,
            "Other programs took %d %% of the processors' time: the times are not reliable.\n\n",
            percent);
        char *text = printed(&settings);
        ck_assert_int_eq(strncmp(text, wanted, strlen(wanted)) == 0, percent > 10);
        free(text);
        text = printed_solve(&settings);
        wanted[strlen(wanted) - 1] = '\0';
        ck_assert_ptr_nonnull(strstr(text, "\ntime      set-up 0 s, solve 0 s\n"));
        ck_assert_int_eq(strstr(text, wanted) != NULL, percent > 10);
        free(text);
    }
    others = -1;
}
END_TEST

/* Atomics of one thread have one order; a kernel that promises its bits needs no word. */
START_TEST(one_thread_is_named)
{
    struct settings settings = {.output.directory = directory, .solver.options.method = &method_cg};
    struct study_run runs[2] = {{.run = 1, .history = 1}, {.run = 2, .history = 1}};
    struct study_kernel kernels[3];
    static const char *const names[] = {"cpu_sym_atomic", "cpu_sym_bitwise", "cpu_sym_compensated"};
    for (int threads = 1; threads <= 2; threads++) {
        for (int k = 0; k < 3; k++)
            kernels[k] = (struct study_kernel){.label = names[k],
                                               .kernel = kernel_find(names[k]),
                                               .threads = threads,
                                               .runs_count = 2,
                                               .runs = runs,
                                               .distinct_histories = 1};
        char *text = printed_of(&settings, kernels, 3);
        ck_assert_int_eq(strstr(text,
                                "\ncpu_sym_atomic, cpu_sym_compensated: on one thread all "
                                "additions have one order; --threads 2 may show others\n") != NULL,
                         threads == 1);
        ck_assert_int_eq(strstr(text, "on one thread") != NULL, threads == 1);
        free(text);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_spectrum_is_shown_as_far_as_it_is_known,
                            eigenvalues_are_listed_and_cut_at_twenty,
                            the_files_are_named,
                            an_indefinite_matrix_is_sent_on,
                            a_preconditioner_at_fault_is_named,
                            a_least_squares_solution_says_why,
                            the_time_is_taken_apart,
                            the_verdict_comes_first_and_alone,
                            what_kernels_share_is_said_once,
                            what_converged_means_is_said,
                            a_busy_machine_is_said_below_the_times,
                            one_thread_is_named,
                            NULL};
    return suite_of("program/terminal/terminal_end", tests);
}
