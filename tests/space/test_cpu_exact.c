/* The CPU space with exact sums: the same bits for any number of threads and any order of the
 * pairs. */
#include "support.h"

#include "base/threads.h"
#include "cgsolve/space.h"
#include "space/exact.h"

#include <math.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 7};
enum { THREAD_COUNTS = 4, LONGEST = 60001 };

static double *vector(int64_t n)
{
    struct error error;
    double *v = memory_array(n, sizeof *v, "a test vector", &error);
    ck_assert_ptr_nonnull(v);
    return v;
}

static struct space *create(enum reductions reductions)
{
    struct error error;
    struct space *space;
    expect_ok(space_cpu_create(reductions, &space, &error), &error);
    return space;
}

static double dot(struct space *space, int64_t n, const double *x, const double *y)
{
    struct error error;
    double result = NAN;
    expect_ok(space->operations->dot(space, n, x, y, &result, &error), &error);
    return result;
}

static void expect_bits(double got, double wanted, const char *what, int64_t n, int kind)
{
    ck_assert_msg(memcmp(&got, &wanted, sizeof got) == 0, "%s, n = %d, kind %d: %a instead of %a",
                  what, (int)n, kind, got, wanted);
}

START_TEST(dots_are_the_reference_for_any_threads_and_order)
{
    static const int64_t lengths[] = {1, 5, 479, 480, 481, 961, 5000, LONGEST};
    uint64_t state = test_seed();
    double *x = vector(LONGEST), *y = vector(LONGEST);
    struct space *space = create(REDUCTIONS_EXACT);
    for (enum exact_kind kind = 0; kind < EXACT_KINDS; kind++) {
        for (int k = 0; k < 8; k++) {
            int64_t n = lengths[k];
            exact_vectors(kind, n, x, y, &state);
            double wanted = exact_reference(n, x, y);
            for (int t = 0; t < THREAD_COUNTS; t++) {
                threads_use(thread_counts[t]);
                expect_bits(dot(space, n, x, y), wanted, "dot", n, (int)kind);
                expect_bits(dot(space, n, y, x), wanted, "exchanged", n, (int)kind);
                exact_shuffle(n, x, y, &state);
                expect_bits(dot(space, n, x, y), wanted, "in another order", n, (int)kind);
            }
        }
    }
    space->operations->destroy(space);
    memory_free(x);
    memory_free(y);
}
END_TEST

/* The update is that of every space, and the norm that of the updated vector. */
START_TEST(fused_norms_are_exact)
{
    enum { N = 5003 };
    uint64_t state = test_seed();
    double *x = vector(N), *y = vector(N), *wanted = vector(N);
    struct space *space = create(REDUCTIONS_EXACT);
    struct error error;
    for (enum exact_kind kind = 0; kind < EXACT_KINDS; kind++) {
        if (kind == EXACT_FULL) /* its norm is infinite */
            continue;
        for (int t = 0; t < THREAD_COUNTS; t++) {
            double numerator = 1 + test_random(&state), denominator = 3, norm = NAN;
            struct quotient a = {&numerator, &denominator};
            threads_use(thread_counts[t]);
            exact_vectors(kind, N, x, y, &state);
            for (int64_t i = 0; i < N; i++)
                wanted[i] = fma(-(numerator / denominator), x[i], y[i]);
            expect_ok(space->operations->axmy_norm_squared(space, N, a, x, y, &norm, &error),
                      &error);
            ck_assert_mem_eq(y, wanted, N * sizeof *y);
            expect_bits(norm, exact_reference(N, y, y), "fused norm", N, (int)kind);
            denominator = t == 0 ? 0 : t == 1 ? -1 : t == 2 ? INFINITY : NAN;
            norm = NAN;
            expect_ok(space->operations->axmy_norm_squared(space, N, a, x, y, &norm, &error),
                      &error);
            ck_assert_mem_eq(y, wanted, N * sizeof *y);
            expect_bits(norm, exact_reference(N, y, y), "norm alone", N, (int)kind);
        }
    }
    space->operations->destroy(space);
    memory_free(x);
    memory_free(y);
    memory_free(wanted);
}
END_TEST

/* Wherever the pairs of a hard case stand among zeros. */
START_TEST(hard_cases_may_stand_anywhere)
{
    enum { N = 5000 };
    uint64_t state = test_seed();
    double *x = vector(N), *y = vector(N);
    struct space *space = create(REDUCTIONS_EXACT);
    for (int k = 0; k < exact_cases_count; k++) {
        threads_use(thread_counts[k % THREAD_COUNTS]);
        memset(x, 0, N * sizeof *x);
        memset(y, 0, N * sizeof *y);
        for (int i = 0; i < exact_cases[k].pairs; i++) {
            x[i] = exact_cases[k].xy[2 * i];
            y[i] = exact_cases[k].xy[2 * i + 1];
        }
        exact_shuffle(N, x, y, &state);
        expect_bits(dot(space, N, x, y), exact_cases[k].sum, exact_cases[k].what, N, k);
    }
    space->operations->destroy(space);
    memory_free(x);
    memory_free(y);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {dots_are_the_reference_for_any_threads_and_order, fused_norms_are_exact,
                            hard_cases_may_stand_anywhere, NULL};
    return suite_of("space/cpu_exact", tests);
}
