/* What set-up does between its rows, on the host, with any number of threads. */
#include "space/rows_trials.h"
#include "support.h"

#include "base/threads.h"
#include "spaces.h"

START_TEST(numbers_are_added_and_sorted)
{
    uint64_t state = test_seed();
    int before = threads_count(threads_lent());
    for (int threads = 1; threads <= 8; threads++) {
        test_threads(threads);
        try_rows(NULL, &state);
    }
    test_threads(before);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(so_they_are_in_the_space_of_a_cpu)
{
    uint64_t state = test_seed();
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    try_rows(space, &state);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {numbers_are_added_and_sorted, so_they_are_in_the_space_of_a_cpu, NULL};
    return suite_of("space/rows", tests);
}
