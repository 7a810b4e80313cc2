/* The same as test_distribute.c with a GPU for each rank, or one for several. */
#include "support.h"

#include "cuda_device.h"
#include "precondition/multigrid/distribute_trials.h"
#include "ranks.h"

static const char *const kernels[] = {"cuda_sym_bitwise", "cuda_csr_vector", "cuda_sym_exact"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

START_TEST(ranks_have_the_bits_of_one)
{
    if (test_case_runs(_i, 25) && cuda_device_is_there())
        share_trial(&share_ways[_i % SHARE_WAYS], kernels[_i / SHARE_WAYS], "precision=double",
                    cuda_rank_counts());
}
END_TEST

START_TEST(they_do_in_single_precision)
{
    if (test_case_runs(_i, 25) && cuda_device_is_there())
        share_trial(&share_ways[_i], "cuda_sym_bitwise", "precision=float", cuda_rank_counts());
}
END_TEST

START_TEST(they_do_by_legs)
{
    static const char *const precisions[] = {"precision=double", "precision=float"};
    if (cuda_device_is_there())
        share_trial(&leg_ways[_i / 2], "cuda_sym_bitwise", precisions[_i % 2], cuda_rank_counts());
}
END_TEST

Suite *suite(void)
{
    test_ranks_of_gpus();
    Suite *made = suite_create("precondition/multigrid/distribute_cuda");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, ranks_have_the_bits_of_one, 0, KERNELS * SHARE_WAYS);
    tcase_add_loop_test(tests, they_do_in_single_precision, 0, SHARE_WAYS);
    tcase_add_loop_test(tests, they_do_by_legs, 0, 2 * LEG_WAYS);
    suite_add_tcase(made, tests);
    return made;
}
