/* The same as test_exchanged_rows.c in the memory of devices. */
#include "support.h"

#include "cuda_device.h"
#include "ranks.h"
#include "spmv/exchange_trials.h"

START_TEST(each_rank_gets_the_rows_that_it_wants)
{
    enum { TRIALS = 10 };
    uint64_t state = test_seed();
    for (int t = 0; t < TRIALS && cuda_device_is_there(); t++)
        exchange_trial(IN_CUDA_SPACE, &state);
}
END_TEST

Suite *suite(void)
{
    test_ranks_of_gpus();
    Suite *made = suite_create("spmv/exchanged_rows_cuda");
    TCase *tests = tcase_of("all");
    tcase_add_test(tests, each_rank_gets_the_rows_that_it_wants);
    suite_add_tcase(made, tests);
    return made;
}
