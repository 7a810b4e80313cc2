/* Which promises of equal bits are made, and when one is broken. */
#include "study/study.h"

#include "support.h"

static struct study_run runs[3][2];

/* A result of two runs with these hashes. */
static struct study_kernel result_of(int place, const char *name, enum reductions reductions,
                                     int threads, uint64_t first, uint64_t second)
{
    runs[place][0].history_hash = first;
    runs[place][1].history_hash = second;
    const struct kernel *kernel = kernel_find(name);
    return (struct study_kernel){.label = name,
                                 .kernel = kernel,
                                 .options = kernel_defaults(kernel),
                                 .reductions = reductions,
                                 .threads = threads,
                                 .runs_count = 2,
                                 .runs = runs[place],
                                 .distinct_histories = first == second ? 1 : 2};
}

START_TEST(promises_are_made)
{
    static const struct {
        const char *kernel;
        bool promises;
    } kernels[] = {{"cpu_csr", true},
                   {"cpu_sym_exact", true},
                   {"cpu_sym_atomic", false},
                   {"cpu_sym_compensated", false}};
    static const bool by_reductions[] = {[REDUCTIONS_REPRODUCIBLE] = true,
                                         [REDUCTIONS_ATOMIC] = false,
                                         [REDUCTIONS_BLAS] = false,
                                         [REDUCTIONS_COMPENSATED] = true,
                                         [REDUCTIONS_EXACT] = true};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (int r = REDUCTIONS_REPRODUCIBLE; r <= REDUCTIONS_EXACT; r++) {
            const struct study_kernel *other;
            bool promised = kernels[k].promises && by_reductions[r];
            struct study_kernel result =
                result_of(0, kernels[k].kernel, (enum reductions)r, 1, 7, 8);
            ck_assert(promise_is_made(&result) == promised);
            ck_assert(promise_is_broken(&result, 0, &other) == promised);
            ck_assert_ptr_null(other);
            result = result_of(0, kernels[k].kernel, (enum reductions)r, 1, 7, 7);
            ck_assert(!promise_is_broken(&result, 0, &other));
        }
}
END_TEST

/* Entries that differ in their threads alone have one history; others need not. */
START_TEST(threads_may_change_nothing)
{
    const struct study_kernel *other;
    struct study_kernel results[3] = {
        result_of(0, "cpu_sym_bitwise", REDUCTIONS_REPRODUCIBLE, 1, 7, 7),
        result_of(1, "cpu_csr", REDUCTIONS_REPRODUCIBLE, 2, 8, 8),
        result_of(2, "cpu_sym_bitwise", REDUCTIONS_REPRODUCIBLE, 2, 9, 9),
    };
    ck_assert(!promise_is_broken(results, 0, &other) && !promise_is_broken(results, 1, &other));
    ck_assert(promise_is_broken(results, 2, &other));
    ck_assert_ptr_eq(other, &results[0]);
    results[2].options.values[0] = 1; /* another form */
    ck_assert(!promise_is_broken(results, 2, &other));
    results[2].options = results[0].options;
    results[2].reductions = REDUCTIONS_EXACT;
    ck_assert(!promise_is_broken(results, 2, &other));
    results[2].reductions = REDUCTIONS_REPRODUCIBLE;
    runs[2][0].history_hash = 7;
    ck_assert(!promise_is_broken(results, 2, &other));
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {promises_are_made, threads_may_change_nothing, NULL};
    return suite_of("study/promise", tests);
}
