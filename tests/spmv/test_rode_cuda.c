/* cuda_rode is its twin, bit for bit. Without a device nothing is run, and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "spmv/full_trials.h"
#include "spmv/rode_twin.h"

static const struct full_twin rode = {.kernel = "cuda_rode", .multiply = twin_rode, .count = 1};

START_TEST(the_kernel_is_its_twin_bit_for_bit)
{
    if (cuda_device_is_there())
        full_trial_device(&rode);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_kernel_is_its_twin_bit_for_bit, NULL};
    return suite_of("spmv/rode_cuda", tests);
}
