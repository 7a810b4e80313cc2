/* Medians and the number of different hashes, against values that were counted by hand. */
#include "support.h"

#include "study/statistics.h"

#include <math.h>

START_TEST(medians)
{
    double one[] = {3}, odd[] = {5, -1, 4}, even[] = {8, 1, 2, 5}, equal[] = {2, 2, 2, 2};
    ck_assert(median(one, 1) == 3);
    ck_assert(median(odd, 3) == 4);
    ck_assert(median(even, 4) == 3.5);
    ck_assert(median(equal, 4) == 2);
    double no_number[] = {NAN, 3, NAN, 1, 2};
    ck_assert(median(no_number, 5) == 3); /* a NaN stands above every number */
    ck_assert(isnan(no_number[3]) && isnan(no_number[4]));
}
END_TEST

START_TEST(different_hashes)
{
    uint64_t one[] = {7}, same[] = {4, 4, 4}, mixed[] = {UINT64_MAX, 0, 5, 0, UINT64_MAX, 6};
    ck_assert_int_eq(distinct_hashes(one, 1), 1);
    ck_assert_int_eq(distinct_hashes(same, 3), 1);
    ck_assert_int_eq(distinct_hashes(mixed, 6), 4);
}
END_TEST

/* Against a search through all earlier ones. */
START_TEST(hashes_are_numbered)
{
    enum { COUNT = 200 };
    uint64_t state = test_seed(), hashes[COUNT];
    int64_t numbers[COUNT], distinct, found = 0;
    struct error error;
    for (int k = 0; k < COUNT; k++)
        hashes[k] = UINT64_MAX - (uint64_t)test_random_below(&state, 40);
    expect_ok(number_hashes(hashes, COUNT, numbers, &distinct, &error), &error);
    for (int k = 0; k < COUNT; k++) {
        int earlier = 0;
        while (hashes[earlier] != hashes[k])
            earlier++;
        ck_assert_int_eq(numbers[k], earlier == k ? ++found : numbers[earlier]);
    }
    ck_assert_int_eq(distinct, found);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {medians, different_hashes, hashes_are_numbered, NULL};
    return suite_of("study/statistics", tests);
}
