/* cuda_rode is its twin, bit for bit, by loads and by its pipeline. Without a device nothing is run, and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "spmv/full_trials.h"
#include "spmv/rode_twin.h"

/* split, block, precision, pipeline */
static void choose(int value, struct kernel_options *options)
{
    const struct rode_choice *choice = &rode_choices[value % RODE_CHOICES];
    options->values[0] = choice->split;
    options->values[1] = choice->block;
    options->values[3] = value >= RODE_CHOICES;
}

START_TEST(the_kernel_is_its_twin_bit_for_bit)
{
    struct full_twin rode = {.kernel = "cuda_rode", .multiply = twin_rode_choice, .choose = choose};
    while (rode.count < 2 * RODE_CHOICES) {
        rode.values[rode.count] = rode.count;
        rode.count++;
    }
    if (cuda_device_is_there())
        full_trial_device(&rode);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_kernel_is_its_twin_bit_for_bit, NULL};
    return suite_of("spmv/rode_cuda", tests);
}
