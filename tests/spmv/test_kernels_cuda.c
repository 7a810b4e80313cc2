/* Every CUDA kernel of the registry against cpu_csr. Without a device nothing is run, and it says
 * why. */
#include "support.h"

#include "cgsolve/kernel.h"
#include "cuda_device.h"
#include "spmv/kernel_trials.h"

START_TEST(products_are_right)
{
    if (cuda_device_is_there())
        trial_products(SPACE_CUDA);
}
END_TEST

START_TEST(products_are_symmetric)
{
    if (cuda_device_is_there())
        trial_symmetry(SPACE_CUDA);
}
END_TEST

START_TEST(fused_dots_are_the_separate_ones)
{
    if (cuda_device_is_there())
        trial_fused_dots(SPACE_CUDA);
}
END_TEST

START_TEST(setup_survives_every_failed_allocation)
{
    if (cuda_device_is_there())
        trial_failing_setups(SPACE_CUDA);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {products_are_right, products_are_symmetric,
                            fused_dots_are_the_separate_ones,
                            setup_survives_every_failed_allocation, NULL};
    return suite_of("spmv/kernels_cuda", tests);
}
