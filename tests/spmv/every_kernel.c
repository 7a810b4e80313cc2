#include "spmv/every_kernel.h"

#include "support.h"

#include "study/kernel_trials.h"
#include "study/test_matrices.h"

#include <stdlib.h>
#include <string.h>

static int64_t matrices_of(unsigned kinds, int step)
{
    int64_t count = 0;
    for (unsigned kind = CSR_SYMMETRIC; kind <= CSR_GENERAL; kind *= 2)
        if (kinds & kind)
            count += (kind == CSR_GENERAL ? test_rectangles_count : test_matrices_count) / step;
    return count;
}

static void try_one(const struct kernel *kernel, uint64_t seed)
{
    struct error error;
    struct trials_found found;
    struct trials_options options = {.seed = seed, .quick = test_is_slow()};
    expect_ok(kernel_try(kernel, &options, &found, &error), &error);
    ck_assert_msg(!*found.broken, "%s, %s: %s", kernel->component.name, found.trial, found.broken);
    ck_assert_int_ge(found.matrices, matrices_of(kernel->kinds, options.quick ? TRIALS_QUICK : 1));
    ck_assert_int_gt(found.done, found.matrices);
}

void try_every_kernel(enum space_kind kind)
{
    int count, tried = 0;
    uint64_t seed = test_seed();
    const struct kernel *const *kernels = kernel_list(&count);
    const char *one = getenv("CGSOLVE_TEST_KERNEL"); /* the others were tried elsewhere */
    for (int k = 0; k < count; k++) {
        if (kernels[k]->space != kind || kernel_unavailable(kernels[k]) ||
            (one && strcmp(kernels[k]->component.name, one) != 0))
            continue;
        try_one(kernels[k], seed);
        tried++;
    }
    ck_assert_int_gt(tried, 0);
}
