/* Levels of multigrid that ranks share. */
#include "support.h"

#include "precondition/multigrid/distribute_trials.h"
#include "space/rows.h"
#include "spmv/distributed/listed_rows.h"

static const char *const kernels[] = {"cpu_sym_bitwise", "cpu_csr", "cpu_sym_exact"};
enum { KERNELS = sizeof kernels / sizeof *kernels, SINGLE_KERNELS = 2 };

/* Each kernel and each number of ranks with each matrix; the seed decides which kernel has which
 * number. */
START_TEST(ranks_have_the_bits_of_one)
{
    static const int more[KERNELS] = {3, 4, 7};
    int way = _i % SHARE_WAYS, kernel = _i / SHARE_WAYS;
    uint64_t turn = test_seed() + (uint64_t)(way + kernel);
    share_trial(&share_ways[way], kernels[kernel], "precision=double",
                (int[]){2, more[turn % KERNELS], 0});
}
END_TEST

START_TEST(they_do_in_single_precision)
{
    static const int more[] = {3, 7};
    share_trial(&share_ways[_i], kernels[_i % SINGLE_KERNELS], "precision=float",
                (int[]){2, more[test_seed() % 2], 0});
}
END_TEST

START_TEST(allocations_fail)
{
    share_trial_without_memory(&share_ways[_i], kernels[_i % KERNELS], "precision=double");
}
END_TEST

START_TEST(they_fail_in_single_precision)
{
    share_trial_without_memory(&share_ways[_i], kernels[_i % SINGLE_KERNELS], "precision=float");
}
END_TEST

/* More rows before those of a slab than 32 bits count. */
START_TEST(lists_count_from_any_row)
{
    enum { COUNT = 100, OWN = 480, AROUND = 50, ROWS = OWN + 2 * AROUND };
    const int64_t base = _i * INT64_C(5000000000);
    uint64_t state = test_seed();
    struct error error;
    struct found found;
    int32_t list[COUNT], placed[COUNT], least = ROWS, most = -1;
    uint8_t marks[ROWS] = {0}, expected[ROWS] = {0};
    int64_t others[2 * AROUND];
    int32_t place[2 * AROUND];
    for (int k = 0; k < 2 * AROUND; k++) {
        others[k] = base + (k < AROUND ? k : OWN + k);
        place[k] = k < AROUND ? k : OWN + k;
    }
    struct rank_places places = {base + AROUND, base + AROUND + OWN, AROUND, 2 * AROUND, others,
                                 place};
    for (int k = 0; k < COUNT; k++) {
        list[k] = (int32_t)test_random_below(&state, ROWS + 1) - 1;
        if (list[k] < 0)
            continue;
        expected[list[k]] = 1;
        least = list[k] < least ? list[k] : least;
        most = list[k] > most ? list[k] : most;
    }
    struct marking work = {list, base, marks - base};
    expect_ok(space_find(NULL, &find_extent, COUNT, &work, &found, &error), &error);
    ck_assert(found.most[0] == (double)(base + most) && found.most[1] == -(double)(base + least));
    expect_ok(rows_run(NULL, &pass_marking, COUNT, &work, &error), &error);
    ck_assert_mem_eq(marks, expected, sizeof marks);
    struct placing to = {list, base, places, placed};
    expect_ok(rows_run(NULL, &pass_placing, COUNT, &to, &error), &error);
    ck_assert_mem_eq(placed, list, sizeof placed);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("precondition/multigrid/distribute");
    TCase *bits = tcase_of("bits"), *memory = tcase_of("memory"), *lists = tcase_of("lists");
    tcase_add_loop_test(bits, ranks_have_the_bits_of_one, 0, KERNELS * SHARE_WAYS);
    tcase_add_loop_test(bits, they_do_in_single_precision, 0, SHARE_WAYS);
    tcase_add_loop_test(memory, allocations_fail, 0, SMALL_SHARE_WAYS);
    tcase_add_loop_test(memory, they_fail_in_single_precision, 0, SMALL_SHARE_WAYS);
    tcase_add_loop_test(lists, lists_count_from_any_row, 0, 2);
    suite_add_tcase(made, bits);
    suite_add_tcase(made, memory);
    suite_add_tcase(made, lists);
    return made;
}
