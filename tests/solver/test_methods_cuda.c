/* The trials of every method on a GPU, with the kernel that promises its bits. Without a device
 * nothing is run, and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "study/method_trials.h"

START_TEST(every_method_holds)
{
    int count;
    struct error error;
    const struct component *const *methods = component_list(COMPONENT_METHOD, &count);
    if (!cuda_device_is_there())
        return;
    struct trials_options how = {.seed = test_seed(), .quick = test_is_slow()};
    for (int m = 0; m < count; m++) {
        struct trials_found found;
        const struct method *method = (const struct method *)methods[m];
        if (!method_has_trials(method))
            continue;
        expect_ok(method_try(method, kernel_find("cuda_sym_bitwise"), &how, &found, &error),
                  &error);
        ck_assert_msg(!*found.broken, "%s, %s: %s", methods[m]->name, found.trial, found.broken);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_method_holds, NULL};
    return suite_of("solver/methods_cuda", tests);
}
