/* What stands below the table, of results that were never solved. */
#include "io/terminal.h"

#include "main/program.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[] = "made";
static struct study_run run = {.run = 3, .history = 1};
static struct study_kernel kernel = {
    .label = "k", .runs_count = 1, .runs = &run, .distinct_histories = 1};

/* The caller frees it. */
static char *printed(const struct settings *settings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    terminal_print_end(stream, settings, &kernel, 1);
    fclose(stream);
    return text;
}

START_TEST(the_spectrum_is_shown_as_far_as_it_is_known)
{
    static const struct {
        double low, high;
        const char *wanted; /* NULL: nothing */
    } cases[] = {
        {0.5, 2, "k: Ritz values from 0.5 to 2, so the condition number is at least about 4\n"},
        {-0.5, 2, "k: Ritz values from -0.5 to 2\n"},
        {NAN, 2, NULL},
        {NAN, NAN, NULL},
    };
    struct settings settings = {.output_directory = directory};
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
        .output_directory = directory, .solver.method = SOLVER_LANCZOS, .eigenvectors = SWITCH_ON};
    for (int k = 0; k < 23; k++) {
        values[k] = k + 0.5;
        residuals[k] = 1e-12 * (k + 1);
        met[k] = k == 0 ? EIGEN_MET_TOLERANCE : EIGEN_MET_NO;
    }
    for (int count = 20; count <= 23; count += 3) {
        run.result = (struct solver_result){.ritz_low = NAN,
                                            .ritz_high = NAN,
                                            .eigen_count = count,
                                            .eigenvalues = values,
                                            .eigen_residuals = residuals,
                                            .eigen_met = met,
                                            .eigen_all = count == 23,
                                            .eigen_rounding = 3e-11};
        met[22] = count == 23 ? EIGEN_MET_ROUNDING : EIGEN_MET_NO;
        char *text = printed(&settings);
        expect_text(text, "k, run 3:\n");
        expect_text(text, "     1                       0.5             1.00e-12  tolerance\n");
        expect_text(text, "    20                      19.5             2.00e-11  -\n");
        ck_assert_ptr_null(strstr(text, "\n    21 "));
        ck_assert((strstr(text, "... and 3 more in summary.json\n") != NULL) == (count == 23));
        ck_assert((strstr(text, "there may be others") == NULL) == (count == 23));
        ck_assert((strstr(text, "rounding errors may leave, 3.00e-11\n") != NULL) == (count == 23));
        expect_text(text, "envelope.csv, eigenvectors-*.npy, summary.json}");
        free(text);
    }
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
        struct settings settings = {.output_directory = directory,
                                    .solution = (enum solution_format)format};
        char *text = printed(&settings);
        expect_text(text, wanted[format]);
        free(text);
    }
}
END_TEST

START_TEST(an_indefinite_matrix_is_sent_on)
{
    struct settings settings = {.output_directory = directory};
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

START_TEST(a_least_squares_solution_says_why)
{
    struct settings settings = {.output_directory = directory};
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
         "k: of 0.483 ms an iteration the product takes 0.31, sums and updates 0.17\n"},
        {{31e-5, 17e-5, 25e-4, 0},
         "k: of 0.483 ms an iteration the product takes 0.31, sums and updates 0.17, the "
         "preconditioner 2.5\n"},
        {{31e-5, 17e-5, 0, 1e-6},
         "k: of 0.483 ms an iteration the product takes 0.31, sums and updates 0.17, the projected "
         "matrix 0.001\n"},
        {{0, 0, 0, 0}, NULL},
    };
    struct settings settings = {.output_directory = directory};
    kernel.seconds_per_iteration = 483e-6;
    run.result = (struct solver_result){.ritz_low = NAN, .ritz_high = NAN};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        kernel.time_split = cases[k].split;
        char *text = printed(&settings);
        if (cases[k].wanted)
            expect_text(text, cases[k].wanted);
        else
            ck_assert_ptr_null(strstr(text, "ms an iteration"));
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
                            a_least_squares_solution_says_why,
                            the_time_is_taken_apart,
                            NULL};
    return suite_of("io/terminal_end", tests);
}
