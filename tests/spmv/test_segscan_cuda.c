/* cuda_segscan is its twin, bit for bit. Without a device nothing is run, and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "spmv/full_trials.h"
#include "spmv/segscan_twin.h"

static void choose(int value, struct kernel_options *options)
{
    options->values[0] = value;
}

static const struct full_twin segscan = {.kernel = "cuda_segscan",
                                         .multiply = twin_segscan,
                                         .choose = choose,
                                         .count = 7,
                                         .values = {0, 4, 6, 8, 10, 12, 16}};

START_TEST(the_kernel_is_its_twin_bit_for_bit)
{
    if (cuda_device_is_there())
        full_trial_device(&segscan);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_kernel_is_its_twin_bit_for_bit, NULL};
    return suite_of("spmv/segscan_cuda", tests);
}
