/* The passes of preconditioners on a GPU: the bits of the CPU's. */
#include "support.h"

#include "cuda_device.h"
#include "precondition/blocks.h"
#include "precondition/chebyshev_pass.h"
#include "space/trials.h"
#include "spaces.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const int64_t sizes[] = {1, 2, 31, 33, 479, 480, 481, 5000, 230401, 1439521};
static const int64_t blocks[] = {1, 3, 4, 7, 32};
enum {
    SIZES = sizeof sizes / sizeof *sizes,
    BLOCKS = sizeof blocks / sizeof *blocks,
};

/* What a space makes of n elements, for blocks of that many rows: out[3 n + 2] are a product with
 * blocks, a combination, one in the place of v[1] and without a sum, and the two sums. */
static void operations(struct space *space, int64_t n, int64_t block, int64_t seed, double *out)
{
    struct error error;
    double *host = randoms(n * block, seed), *values = put(space, n * block, host), *v[4];
    for (int k = 0; k < 4; k++) {
        double *random = randoms(n, seed + 1 + k);
        v[k] = put(space, n, random);
        memory_free(random);
    }
    for (int64_t i = 0; i < n * block; i++)
        host[i] = NAN;
    double *z = put(space, n, host), unset[2] = {NAN, NAN}, *sums = put(space, 2, unset);
    struct chebyshev_pass apart = {
        .c = {0.3, -1.7, 0.9, 0.2}, .v = {v[0], v[1], v[2], v[3]}, .z = z, .dot = sums + 1};
    struct chebyshev_pass in_place = apart;
    in_place.z = v[1];
    in_place.dot = NULL;
    struct blocks_work product = {n, block, n, values, v[0], z, sums};
    run_pass(space, &pass_blocks, n, &product);
    expect_ok(space_download(space, n, z, out, &error), &error);
    run_pass(space, &chebyshev_pass, n, &apart);
    expect_ok(space_download(space, n, z, out + n, &error), &error);
    run_pass(space, &chebyshev_pass, n, &in_place);
    expect_ok(space_download(space, n, v[1], out + 2 * n, &error), &error);
    expect_ok(space_download(space, 2, sums, out + 3 * n, &error), &error);
    for (int k = 0; k < 4; k++)
        space_release(space, v[k]);
    space_release(space, values);
    space_release(space, z);
    space_release(space, sums);
    memory_free(host);
}

static void compare(enum reductions reductions, bool sums_too)
{
    struct space *cpu = test_space(SPACE_CPU, reductions, 1);
    struct space *cuda = test_space(SPACE_CUDA, reductions, 0);
    for (int k = 0; k < SIZES * BLOCKS; k++) {
        int64_t n = sizes[k / BLOCKS], block = blocks[k % BLOCKS], count = 3 * n + 2;
        if (n > 10000 && (test_is_slow() || block > 4))
            continue;
        double *expected = randoms(count, 0), *found = randoms(count, 1);
        operations(cpu, n, block, 100 + k, expected);
        operations(cuda, n, block, 100 + k, found);
        int64_t exact = sums_too ? count : 3 * n;
        for (int64_t i = 0; i < exact; i++)
            if (memcmp(&expected[i], &found[i], sizeof *found) != 0)
                ck_abort_msg("n = %d, blocks of %d, place %d: CPU %a, GPU %a", (int)n, (int)block,
                             (int)i, expected[i], found[i]);
        for (int64_t i = 3 * n; i < count; i++) /* in another order: 2 n u times at most 40 n */
            ck_assert(fabs(expected[i] - found[i]) <= 40 * (double)n * DBL_EPSILON * (double)n);
        memory_free(expected);
        memory_free(found);
    }
    cpu->operations->destroy(cpu);
    cuda->operations->destroy(cuda);
}

START_TEST(same_bits_as_the_cpu)
{
    if (!cuda_device_is_there())
        return;
    compare(REDUCTIONS_REPRODUCIBLE, true);
    compare(REDUCTIONS_COMPENSATED, true);
    compare(REDUCTIONS_EXACT, true);
    compare(REDUCTIONS_ATOMIC, false);
    compare(REDUCTIONS_BLAS, false);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {same_bits_as_the_cpu, NULL};
    return suite_of("precondition/passes_cuda", tests);
}
