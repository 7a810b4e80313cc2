/* SDDMM on a GPU: the bits of the CPU's, and cuSPARSE's within a bound. Without a device nothing is
 * run, and it says why. */
#include "support.h"

#include "base/cuda_part.h"
#include "cuda_device.h"
#include "spaces.h"
#include "spmv/host_product.h"
#include "spmv/sddmm/sddmm.h"
#include "spmv/sddmm_trials.h"

START_TEST(the_bits_are_those_of_the_order)
{
    if (cuda_device_is_there())
        trial_sddmm(SPACE_CUDA);
}
END_TEST

START_TEST(columns_of_zeros_change_nothing)
{
    if (cuda_device_is_there())
        trial_sddmm_padding(SPACE_CUDA);
}
END_TEST

START_TEST(every_failing_allocation_is_survived)
{
    if (cuda_device_is_there())
        trial_sddmm_failing(SPACE_CUDA);
}
END_TEST

/* In any order: a rounding a product, and two more than that. */
static void check_library(void *context, const struct sddmm_trial *trial)
{
    struct error error;
    struct sddmm made;
    double *values = host_vector(trial->pattern->nnz);
    expect_ok(
        CUDA_PART(cusparse_sddmm_create)(context, trial->pattern, trial->columns, &made, &error),
        &error);
    sddmm_product(trial, &made, 0, values);
    expect_near_samples(trial, trial->columns + 2, values);
    sddmm_destroy(&made);
    memory_free(values);
}

START_TEST(the_library_is_near_the_product)
{
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    sddmm_each(check_library, space);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_bits_are_those_of_the_order, columns_of_zeros_change_nothing,
                            every_failing_allocation_is_survived, the_library_is_near_the_product,
                            NULL};
    return suite_of("spmv/sddmm_cuda", tests);
}
