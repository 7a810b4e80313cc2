/* The verdict on a kernel's runs in one line. */
#include "study/verdict.h"

#include "support.h"

#include <stdio.h>
#include <string.h>

START_TEST(one_line_says_it)
{
    static const struct {
        struct verdict verdict;
        const char *wanted;
    } cases[] = {
        {{"atomics", 1, 8, 8, 1561, 1598, 0, {{NULL, 0}}},
         "atomics: 8 different solutions in 8 runs, 1561 to 1598 iterations"},
        {{"bitwise", 1, 8, 1, 1571, 1571, 0, {{NULL, 0}}},
         "bitwise: 1 solution in 8 runs, 1571 iterations"},
        {{"once", 1, 1, 1, 1, 1, 0, {{NULL, 0}}}, "once: 1 solution in 1 run, 1 iteration"},
        {{"none", 1, 2, 1, 0, 0, 0, {{NULL, 0}}}, "none: 1 solution in 2 runs, 0 iterations"},
        {{"from none", 1, 2, 2, 0, 1, 0, {{NULL, 0}}},
         "from none: 2 different solutions in 2 runs, 0 to 1 iterations"},
        {{"some", 1, 8, 2, 81, 82, 3, {{"residual gap", 3}}},
         "some: 2 different solutions in 8 runs, 81 to 82 iterations; 3 of 8 did not converge "
         "(residual gap)"},
        {{"all", 1, 1, 1, 10000, 10000, 1, {{"iteration limit", 1}}},
         "all: 1 solution in 1 run, 10000 iterations; 1 of 1 did not converge (iteration limit)"},
        {{"cut", 1, 1, 1, 533, 533, 1, {{"interrupted", 1}}},
         "cut: interrupted in run 1 at iteration 533"},
        {{"columns", 8, 8, 1, 37, 45, 0, {{NULL, 0}}}, "columns: 37 to 45 iterations in 8 columns"},
        {{"again", 2, 6, 3, 37, 45, 2, {{"iteration limit", 2}}},
         "again: 37 to 45 iterations in 3 runs of 2 columns, at most 3 different solutions in a "
         "column; 2 of 6 "
         "solves "
         "did "
         "not converge (iteration limit)"},
        {{"large", 1, INT64_MAX, INT64_MAX, INT64_MIN, INT64_MAX, 0, {{NULL, 0}}},
         "large: 9223372036854775807 different solutions in 9223372036854775807 runs, "
         "-9223372036854775808 to "
         "9223372036854775807 iterations"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[256];
        ck_assert_ptr_eq(verdict_text(&cases[k].verdict, text, sizeof text), text);
        ck_assert_str_eq(text, cases[k].wanted);
    }
}
END_TEST

START_TEST(it_is_cut_to_the_room_there_is)
{
    static const char whole[] =
        "k: 2 different solutions in 8 runs, 81 to 82 iterations; 3 of 8 did not "
        "converge (not positive definite)";
    static const struct verdict verdict = {"k", 1, 8, 2, 81, 82, 3, {{"not positive definite", 3}}};
    char text[sizeof whole + 1];
    for (size_t size = 1; size <= sizeof whole + 1; size++) {
        memset(text, '#', sizeof text);
        verdict_text(&verdict, text, size);
        size_t kept = size - 1 < strlen(whole) ? size - 1 : strlen(whole);
        ck_assert_uint_eq(strlen(text), kept);
        ck_assert_int_eq(strncmp(text, whole, kept), 0);
        ck_assert(size == sizeof text || text[size] == '#');
    }
}
END_TEST

START_TEST(every_reason_is_named_with_its_runs)
{
    static const char *const reasons[] = {"stagnation", "residual gap", "stagnation", "stagnation"};
    static const char *const wanted[] = {"stagnation", "1 stagnation, 1 residual gap",
                                         "2 stagnation, 1 residual gap",
                                         "3 stagnation, 1 residual gap"};
    struct verdict verdict = {"k", 1, 8, 2, 81, 82, 0, {{NULL, 0}}};
    char text[256], whole[256];
    for (int64_t k = 0; k < 4; k++) {
        verdict_fail(&verdict, reasons[k]);
        ck_assert_str_eq(verdict_reasons(&verdict, text, sizeof text), wanted[k]);
        snprintf(whole, sizeof whole,
                 "k: 2 different solutions in 8 runs, 81 to 82 iterations; %d of 8 did not "
                 "converge (%s)",
                 (int)k + 1, wanted[k]);
        ck_assert_str_eq(verdict_text(&verdict, text, sizeof text), whole);
    }
    for (size_t size = 1; size <= sizeof text; size++) {
        memset(text, '#', sizeof text);
        verdict_reasons(&verdict, text, size);
        size_t kept = size - 1 < strlen(wanted[3]) ? size - 1 : strlen(wanted[3]);
        ck_assert_uint_eq(strlen(text), kept);
        ck_assert_int_eq(strncmp(text, wanted[3], kept), 0);
        ck_assert(size == sizeof text || text[size] == '#');
    }
}
END_TEST

/* As a file may have them: more of them than there are, and one that is longer than any. */
START_TEST(other_reasons_stay_in_their_room)
{
    char reasons[2 * VERDICT_ENDINGS][300], text[1600];
    struct verdict verdict = {.label = "k", .runs = 2 * VERDICT_ENDINGS};
    for (int k = 0; k < 2 * VERDICT_ENDINGS; k++) {
        snprintf(reasons[k], sizeof reasons[k], "%0*d", (int)sizeof reasons[k] - 1, k);
        verdict_fail(&verdict, reasons[k]);
    }
    ck_assert_int_eq(verdict.failed, 2 * VERDICT_ENDINGS);
    verdict_text(&verdict, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "; 16 of 16 did not converge (1 000"));
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {one_line_says_it, it_is_cut_to_the_room_there_is,
                            every_reason_is_named_with_its_runs, other_reasons_stay_in_their_room,
                            NULL};
    return suite_of("study/verdict", tests);
}
