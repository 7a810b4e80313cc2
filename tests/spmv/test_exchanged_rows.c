/* Rows that travel between ranks, on the host and in a space of a CPU. */
#include "support.h"

#include "spmv/exchange_trials.h"

enum { TRIALS = 50 };

START_TEST(each_rank_gets_the_rows_that_it_wants)
{
    uint64_t state = test_seed();
    for (int t = 0; t < TRIALS; t++)
        exchange_trial((enum place)_i, &state);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(allocations_fail)
{
    uint64_t state = test_seed();
    exchange_trial_without_memory((enum place)_i, &state);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("spmv/exchanged_rows");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, each_rank_gets_the_rows_that_it_wants, ON_HOST, IN_CPU_SPACE + 1);
    tcase_add_loop_test(tests, allocations_fail, ON_HOST, IN_CPU_SPACE + 1);
    suite_add_tcase(made, tests);
    return made;
}
