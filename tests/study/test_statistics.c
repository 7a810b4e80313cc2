/* Medians and the number of different hashes, against values that were counted by hand. */
#include "support.h"

#include "study/statistics.h"

START_TEST(medians)
{
    double one[] = {3}, odd[] = {5, -1, 4}, even[] = {8, 1, 2, 5}, equal[] = {2, 2, 2, 2};
    ck_assert(median(one, 1) == 3);
    ck_assert(median(odd, 3) == 4);
    ck_assert(median(even, 4) == 3.5);
    ck_assert(median(equal, 4) == 2);
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

Suite *suite(void)
{
    const TTest *tests[] = {medians, different_hashes, NULL};
    return suite_of("study/statistics", tests);
}
