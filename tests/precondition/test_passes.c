/* The passes of preconditioners on the CPU: element by element as their headers write it, and the
 * sums those of the space's dot. */
#include "support.h"

#include "precondition/blocks.h"
#include "precondition/chebyshev_pass.h"
#include "space/space.h"
#include "spaces.h"

#include <math.h>
#include <string.h>

static const int64_t lengths[] = {1, 2, 5, 31, 33, 479, 480, 481, 959, 960, 1441, 5000};
static const int64_t blocks[] = {1, 2, 3, 4, 5, 6, 7, 8, 17, 31, 32};
static const int threads[] = {1, 2, 3, 7};
static const enum reductions all_reductions[] = {REDUCTIONS_REPRODUCIBLE, REDUCTIONS_COMPENSATED,
                                                 REDUCTIONS_EXACT, REDUCTIONS_BLAS,
                                                 REDUCTIONS_ATOMIC};
enum {
    LENGTHS = sizeof lengths / sizeof *lengths,
    BLOCKS = sizeof blocks / sizeof *blocks,
    KINDS = sizeof all_reductions / sizeof *all_reductions,
};

static double *vector(int64_t n, uint64_t *state)
{
    struct error error;
    double *v = memory_array(n, sizeof *v, "a vector", &error);
    ck_assert_ptr_nonnull(v);
    for (int64_t i = 0; i < n; i++)
        v[i] = state ? 2 * test_random(state) - 1 : NAN;
    return v;
}

/* The sum is that of the space's dot: equal bits where it has an order or needs none. */
static void expect_sum(struct space *space, int64_t n, const double *r, const double *z, double sum)
{
    struct error error;
    double wanted;
    expect_ok(space_dot(space, n, r, z, &wanted, &error), &error);
    double bound = 0; /* 2 n u |r| . |z|, for any two orders (Higham 2002, section 3.1) */
    for (int64_t i = 0; i < n; i++)
        bound += 2 * (double)n * 0x1p-53 * fabs(r[i] * z[i]);
    bool ordered = space->reductions != REDUCTIONS_ATOMIC && space->reductions != REDUCTIONS_BLAS;
    ck_assert_msg(fabs(sum - wanted) <= (ordered ? 0 : bound), "n = %d: %a instead of %a", (int)n,
                  sum, wanted);
}

static void compare_blocks(struct space *space, int64_t n, int64_t block, uint64_t *state)
{
    struct error error;
    double *values = vector(n * block, state), *r = vector(n, state), *z = vector(n, NULL);
    double sum = NAN;
    for (int64_t j = 0; j < block; j++) /* past the last row nothing is read */
        for (int64_t i = n - n % block; i < n; i++)
            if (j >= n % block)
                values[j * n + i] = NAN;
    struct blocks_work work = {n, block, n, values, r, z, &sum};
    expect_ok(space_run(space, &pass_blocks, n, &work, &error), &error);
    for (int64_t i = 0; i < n; i++) {
        int64_t first = i - i % block;
        double s = values[i] * r[first];
        for (int64_t j = 1; j < block && first + j < n; j++)
            s = fma(values[j * n + i], r[first + j], s);
        ck_assert_msg(s == z[i], "n = %d, blocks of %d, row %d: %a instead of %a", (int)n,
                      (int)block, (int)i, z[i], s);
    }
    expect_sum(space, n, r, z, sum);
    memory_free(values);
    memory_free(r);
    memory_free(z);
}

START_TEST(blocks_are_applied_in_their_order)
{
    uint64_t state = test_seed();
    for (int s = 0; s < KINDS; s++) {
        struct space *space = test_space(SPACE_CPU, all_reductions[s], 1);
        for (int k = 0; k < LENGTHS; k++)
            for (int b = 0; b < BLOCKS; b++) {
                test_space_threads(&space, threads[(k + b + s) % 4]);
                compare_blocks(space, lengths[k], blocks[b], &state);
            }
        space->operations->destroy(space);
    }
}
END_TEST

/* z apart, and in the place of v[1]; with the sum, and without. */
static void compare_combination(struct space *space, int64_t n, bool in_place, bool sums,
                                uint64_t *state)
{
    struct error error;
    double *v[4], *z = vector(n, NULL), *wanted = vector(n, NULL), sum = NAN;
    struct chebyshev_pass work = {.dot = sums ? &sum : NULL};
    for (int k = 0; k < 4; k++) {
        work.v[k] = v[k] = vector(n, state);
        work.c[k] = 2 * test_random(state) - 1;
    }
    const double *c = work.c;
    for (int64_t i = 0; i < n; i++)
        wanted[i] = fma(c[0], v[0][i], fma(c[1], v[1][i], fma(c[2], v[2][i], c[3] * v[3][i])));
    work.z = in_place ? v[1] : z;
    expect_ok(space_run(space, &chebyshev_pass, n, &work, &error), &error);
    ck_assert_mem_eq(work.z, wanted, (size_t)n * sizeof *wanted);
    if (sums)
        expect_sum(space, n, v[2], work.z, sum);
    for (int k = 0; k < 4; k++)
        memory_free(v[k]);
    memory_free(z);
    memory_free(wanted);
}

START_TEST(combinations_are_three_fused_operations)
{
    uint64_t state = test_seed();
    for (int s = 0; s < KINDS; s++) {
        struct space *space = test_space(SPACE_CPU, all_reductions[s], 1);
        for (int k = 0; k < 4 * LENGTHS; k++) {
            test_space_threads(&space, threads[(k + s) % 4]);
            compare_combination(space, lengths[k / 4], k % 2, k % 4 < 2, &state);
        }
        space->operations->destroy(space);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {blocks_are_applied_in_their_order,
                            combinations_are_three_fused_operations, NULL};
    return suite_of("precondition/passes", tests);
}
