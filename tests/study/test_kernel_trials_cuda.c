/* The trials of `cgsolve bench --prove` on a GPU. Without one nothing is run, and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "study/kernel_trials.h"

START_TEST(our_kernels_hold)
{
    int count;
    struct error error;
    const struct kernel *const *kernels = kernel_list(&count);
    if (!cuda_device_is_there())
        return;
    for (int k = 0; k < count; k++) {
        struct kernel_trials found;
        if (kernels[k]->space != SPACE_CUDA || kernel_unavailable(kernels[k]))
            continue;
        expect_ok(kernel_try(kernels[k], &found, &error), &error);
        ck_assert_msg(!*found.broken, "%s: %s", kernels[k]->component.name, found.broken);
        ck_assert_int_gt(found.matrices, 5);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {our_kernels_hold, NULL};
    return suite_of("study/kernel_trials_cuda", tests);
}
