/* What set-up does between its rows in the memory of a GPU. */
#include "cuda_device.h"
#include "space/rows_trials.h"
#include "spaces.h"
#include "support.h"

START_TEST(numbers_are_added_and_sorted)
{
    uint64_t state = test_seed();
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 1);
    try_rows(space, &state);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {numbers_are_added_and_sorted, NULL};
    return suite_of("space/rows_cuda", tests);
}
