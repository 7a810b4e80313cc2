/* Levels of multigrid that ranks share. */
#include "support.h"

#include "precondition/multigrid/distribute_trials.h"

static const char *const kernels[] = {"cpu_sym_bitwise", "cpu_csr", "cpu_sym_exact"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

START_TEST(ranks_have_the_bits_of_one)
{
    share_trial(&share_ways[_i % SHARE_WAYS], kernels[_i / SHARE_WAYS], (int[]){2, 3, 4, 7, 0});
}
END_TEST

START_TEST(allocations_fail)
{
    share_trial_without_memory(&share_ways[_i], kernels[_i % KERNELS]);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("precondition/multigrid/distribute");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, ranks_have_the_bits_of_one, 0, KERNELS * SHARE_WAYS);
    tcase_add_loop_test(tests, allocations_fail, 0, SMALL_SHARE_WAYS);
    suite_add_tcase(made, tests);
    return made;
}
