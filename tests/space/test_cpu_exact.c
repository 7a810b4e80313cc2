/* The CPU space with exact sums: the same bits for any number of threads and any order of the
 * pairs. */
#include "support.h"

#include "space/exact.h"
#include "space/trials.h"
#include "spaces.h"

#include <math.h>
#include <string.h>

enum { LONG = 60001 };

static void expect_kind(double got, double wanted, const char *what, int64_t n, int kind)
{
    ck_assert_msg(memcmp(&got, &wanted, sizeof got) == 0, "%s, n = %d, kind %d: %a instead of %a",
                  what, (int)n, kind, got, wanted);
}

START_TEST(dots_are_the_reference_for_any_threads_and_order)
{
    static const int64_t sizes[] = {1, 5, 479, 480, 481, 961, 5000, LONG};
    uint64_t state = test_seed();
    double *x = vector(LONG), *y = vector(LONG);
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_EXACT, 1);
    for (enum exact_kind kind = 0; kind < EXACT_KINDS; kind++) {
        for (int k = 0; k < 8; k++) {
            int64_t n = sizes[k];
            exact_vectors(kind, n, x, y, &state);
            double wanted = exact_reference(n, x, y);
            for (int t = 0; t < THREAD_COUNTS; t++) {
                test_space_threads(&space, thread_counts[t]);
                expect_kind(dot(space, n, x, y), wanted, "dot", n, (int)kind);
                expect_kind(dot(space, n, y, x), wanted, "exchanged", n, (int)kind);
                exact_shuffle(n, x, y, &state);
                expect_kind(dot(space, n, x, y), wanted, "in another order", n, (int)kind);
            }
        }
    }
    space->operations->destroy(space);
    memory_free(x);
    memory_free(y);
}
END_TEST

/* Wherever the pairs of a hard case stand among zeros. */
START_TEST(hard_cases_may_stand_anywhere)
{
    enum { N = 5000 };
    uint64_t state = test_seed();
    double *x = vector(N), *y = vector(N);
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_EXACT, 1);
    for (int k = 0; k < exact_cases_count; k++) {
        test_space_threads(&space, thread_counts[k % THREAD_COUNTS]);
        memset(x, 0, N * sizeof *x);
        memset(y, 0, N * sizeof *y);
        for (int i = 0; i < exact_cases[k].pairs; i++) {
            x[i] = exact_cases[k].xy[2 * i];
            y[i] = exact_cases[k].xy[2 * i + 1];
        }
        exact_shuffle(N, x, y, &state);
        expect_kind(dot(space, N, x, y), exact_cases[k].sum, exact_cases[k].what, N, k);
    }
    space->operations->destroy(space);
    memory_free(x);
    memory_free(y);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {dots_are_the_reference_for_any_threads_and_order,
                            hard_cases_may_stand_anywhere, NULL};
    return suite_of("space/cpu_exact", tests);
}
