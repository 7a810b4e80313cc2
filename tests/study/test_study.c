/* What a study says of runs that are known beforehand: how many histories, where they part, how
 * long, how far apart the solutions. Its observer and its failures are in test_study_course.c. */
#include "support.h"

#include "base/hash.h"
#include "matrices.h"
#include "study/disturbed.h"

#include <math.h>
#include <string.h>

START_TEST(disturbed_runs_are_counted)
{
    static const struct {
        int64_t repeats;
        struct disturbance runs[6];
        int64_t distinct, divergence;
        int64_t histories[6];
    } cases[] = {
        {1, {{-1, 1}}, 1, -1, {1}},
        {4, {{-1, 1}, {-1, 1}, {-1, 1}, {-1, 1}}, 1, -1, {1, 1, 1, 1}},
        {4, {{9, LITTLE}, {9, LITTLE}, {9, LITTLE}, {9, LITTLE}}, 1, -1, {1, 1, 1, 1}},
        {2, {{-1, 1}, {0, LITTLE}}, 2, 1, {1, 2}},
        {2, {{12, LITTLE}, {-1, 1}}, 2, 13, {1, 2}},
        {5, {{-1, 1}, {5, LITTLE}, {-1, 1}, {3, LITTLE}, {5, LITTLE}}, 3, 4, {1, 2, 1, 3, 2}},
        {6,
         {{2, LITTLE}, {5, LITTLE}, {-1, 1}, {8, LITTLE}, {5, LITTLE}, {2, LITTLE}},
         4,
         3,
         {1, 2, 3, 4, 2, 1}},
        {3, {{-1, 1}, {-1, 1}, {7, LITTLE}}, 2, 8, {1, 1, 2}},
    };
    given_grid();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct study_kernel result = disturbed(cases[k].repeats, cases[k].runs);
        ck_assert_int_eq(result.distinct_histories, cases[k].distinct);
        ck_assert_int_eq(result.distinct_solutions, cases[k].distinct);
        ck_assert_int_eq(result.first_divergence, cases[k].divergence);
        for (int64_t r = 0; r < cases[k].repeats; r++)
            ck_assert_int_eq(result.runs[r].history, cases[k].histories[r]);
        ck_assert((result.solution_spread > 0) == (cases[k].distinct > 1));
        for (int64_t a = 0; a < cases[k].repeats; a++) {
            for (int64_t b = 0; b < a; b++) {
                bool same = cases[k].runs[a].at == cases[k].runs[b].at;
                ck_assert((result.runs[a].history_hash == result.runs[b].history_hash) == same);
                ck_assert((result.runs[a].solution_hash == result.runs[b].solution_hash) == same);
            }
        }
        study_kernel_free(&result);
        ck_assert_ptr_null(result.runs);
    }
    csr_free(&given.A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The distribution of the counts, against a count of the runs. */
static void expect_counts(const struct study_kernel *result, const int64_t *lengths)
{
    int64_t runs = 0, before = -1;
    for (int64_t k = 0; k < result->counts_count; k++) {
        ck_assert_int_gt(result->counts[k].iterations, before);
        before = result->counts[k].iterations;
        int64_t found = 0;
        for (int64_t r = 0; r < result->runs_count; r++)
            found += lengths[r] == before;
        ck_assert_int_eq(result->counts[k].runs, found);
        runs += found;
    }
    ck_assert_int_eq(runs, result->runs_count);
}

START_TEST(where_runs_are_apart)
{
    static const struct disturbance large[] = {{-1, 1}, {6, LARGE}}, equal[] = {{20, -1}, {20, -1}};
    given_grid();
    struct study_kernel result = disturbed(2, large);
    ck_assert_int_eq(result.first_apart, 7);
    ck_assert_int_eq(result.first_divergence, 7);
    const struct envelope_row *row = &result.envelope.rows[7];
    ck_assert(row->runs == 2 && row->highest >= 1.01 * row->lowest);
    study_kernel_free(&result);
    result = disturbed(2, equal);
    ck_assert_int_eq(result.first_apart, -1);
    ck_assert_int_eq(result.envelope.count, 21);
    study_kernel_free(&result);
    csr_free(&given.A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A product with its sign turned ends the run there: p'Ap < 0, with the rows before it untouched.
 */
START_TEST(runs_of_different_lengths)
{
    static const struct {
        int64_t repeats, lengths[5], min, max;
        double median;
        int64_t distinct, divergence;
    } cases[] = {
        {1, {4}, 4, 4, 4, 1, -1},
        {3, {4, 4, 4}, 4, 4, 4, 1, -1},
        {2, {2, 5}, 2, 5, 3.5, 2, 3},
        {2, {5, 2}, 2, 5, 3.5, 2, 3},
        {3, {9, 1, 4}, 1, 9, 4, 3, 2},
        {4, {3, 7, 5, 2}, 2, 7, 4, 4, 3},
        {5, {6, 8, 8, 7, 6}, 6, 8, 7, 3, 7},
        {2, {0, 3}, 0, 3, 1.5, 2, 1},
    };
    given_grid();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct disturbance runs[5];
        for (int r = 0; r < 5; r++)
            runs[r] = (struct disturbance){cases[k].lengths[r], -1};
        struct study_kernel result = disturbed(cases[k].repeats, runs);
        ck_assert_int_eq(result.iterations_min, cases[k].min);
        ck_assert_int_eq(result.iterations_max, cases[k].max);
        ck_assert(result.iterations_median == cases[k].median);
        ck_assert_int_eq(result.distinct_histories, cases[k].distinct);
        ck_assert_int_eq(result.first_divergence, cases[k].divergence);
        ck_assert_int_eq(result.first_apart, -1); /* as far as both have come, they are equal */
        expect_counts(&result, cases[k].lengths);
        for (int64_t r = 0; r < cases[k].repeats; r++) {
            ck_assert_int_eq(result.runs[r].result.iterations, cases[k].lengths[r]);
            ck_assert_int_eq(result.runs[r].result.reason, REASON_NOT_POSITIVE);
        }
        study_kernel_free(&result);
    }
    csr_free(&given.A);
}
END_TEST

/* A = identity, and a product times 2^k gives x = b / 2^k in one exact iteration. */
START_TEST(the_spread_is_exact)
{
    static const struct disturbance runs[][3] = {
        {{0, 1}, {0, 2}, {0, 4}}, {{0, 4}, {0, 0.5}, {0, 1}}, {{0, 2}, {0, 2}, {0, 2}}};
    static const double spreads[] = {0.75, 0.875, 0};
    static const double b[] = {1, -2, 3, -4};
    memcpy(given.b, b, sizeof b);
    given.most = 1;
    static const double identity[] = {1, 0, 0, 0, 1, 0, 0, 1, 0, 1};
    test_matrix_from_dense(4, identity, CSR_SYMMETRIC, &given.A);
    for (int k = 0; k < 3; k++) {
        struct study_kernel result = disturbed(3, runs[k]);
        ck_assert(result.solution_spread == spreads[k]);
        ck_assert_int_eq(result.distinct_histories, 1); /* ||b||, then 0 */
        ck_assert_int_eq(result.first_divergence, -1);
        for (int r = 0; r < 3; r++) {
            double x[4];
            for (int i = 0; i < 4; i++)
                x[i] = given.b[i] / runs[k][r].factor;
            ck_assert_uint_eq(result.runs[r].solution_hash, test_hash_vector(x, 4));
        }
        study_kernel_free(&result);
    }
    memset(given.b, 0, sizeof given.b);
    struct study_kernel result = disturbed(3, runs[0]); /* x = 0, and nothing to divide */
    ck_assert(result.solution_spread == 0 && result.seconds_per_iteration == 0);
    ck_assert(result.iterations_max == 0 && result.first_divergence == -1);
    study_kernel_free(&result);
    given.most = 0;
    csr_free(&given.A);
}
END_TEST

/* The hash is that of x as the problem numbers it: with the identity, of b / 2. */
START_TEST(solutions_are_numbered_back)
{
    static const struct disturbance runs[] = {{0, 2}, {0, 2}};
    static const int32_t number[] = {2, 0, 3, 1};
    static const double identity[] = {1, 0, 0, 0, 1, 0, 0, 1, 0, 1}, x[] = {1, -2, 3, -4};
    test_matrix_from_dense(4, identity, CSR_SYMMETRIC, &given.A);
    for (int i = 0; i < 4; i++)
        given.b[number[i]] = 2 * x[i];
    given.number = number;
    given.most = 1;
    struct study_kernel result = disturbed(2, runs);
    given.most = 0;
    for (int r = 0; r < 2; r++)
        ck_assert_uint_eq(result.runs[r].solution_hash, test_hash_vector(x, 4));
    ck_assert(result.solution_spread == 0);
    study_kernel_free(&result);
    walk_allocation_failures(attempt_study, (void *)kernel_find("cpu_sym_bitwise"));
    given.number = NULL;
    csr_free(&given.A);
}
END_TEST

START_TEST(seconds_are_a_median)
{
    static const struct disturbance runs[3] = {{40, -1}, {3, -1}, {15, -1}};
    given_grid();
    struct study_kernel result = disturbed(3, runs);
    double a = study_run_seconds_per_iteration(&result.runs[0]);
    double b = study_run_seconds_per_iteration(&result.runs[1]);
    double c = study_run_seconds_per_iteration(&result.runs[2]);
    ck_assert(b == result.runs[1].result.seconds / 3);
    ck_assert(result.seconds_per_iteration == fmax(fmin(a, b), fmin(fmax(a, b), c)));
    struct study_run idle = {.result = {.iterations = 0, .seconds = 3}};
    ck_assert(study_run_seconds_per_iteration(&idle) == 0);
    study_kernel_free(&result);
    csr_free(&given.A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {disturbed_runs_are_counted,
                            runs_of_different_lengths,
                            where_runs_are_apart,
                            the_spread_is_exact,
                            solutions_are_numbered_back,
                            seconds_are_a_median,
                            NULL};
    return suite_of("study/study", tests);
}
