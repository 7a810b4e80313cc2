/* The verdict on a kernel's runs in one line. */
#include "study/verdict.h"

#include "support.h"

#include <string.h>

START_TEST(one_line_says_it)
{
    static const struct {
        struct verdict verdict;
        const char *wanted;
    } cases[] = {
        {{"atomics", 8, 0, 8, 1561, 1598, NULL},
         "atomics: 8 answers in 8 runs, 1561 to 1598 iterations"},
        {{"bitwise", 8, 0, 1, 1571, 1571, NULL}, "bitwise: 1 answer in 8 runs, 1571 iterations"},
        {{"once", 1, 0, 1, 1, 1, NULL}, "once: 1 answer in 1 run, 1 iteration"},
        {{"none", 2, 0, 1, 0, 0, NULL}, "none: 1 answer in 2 runs, 0 iterations"},
        {{"from none", 2, 0, 2, 0, 1, NULL}, "from none: 2 answers in 2 runs, 0 to 1 iterations"},
        {{"some", 8, 3, 2, 81, 82, "residual gap"},
         "some: 2 answers in 8 runs, 81 to 82 iterations; 3 of 8 did not converge (residual gap)"},
        {{"all", 1, 1, 1, 10000, 10000, "iteration limit"},
         "all: 1 answer in 1 run, 10000 iterations; 1 of 1 did not converge (iteration limit)"},
        {{"large", INT64_MAX, 0, INT64_MAX, INT64_MIN, INT64_MAX, NULL},
         "large: 9223372036854775807 answers in 9223372036854775807 runs, -9223372036854775808 to "
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
    static const char whole[] = "k: 2 answers in 8 runs, 81 to 82 iterations; 3 of 8 did not "
                                "converge (not positive definite)";
    static const struct verdict verdict = {"k", 8, 3, 2, 81, 82, "not positive definite"};
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

Suite *suite(void)
{
    const TTest *tests[] = {one_line_says_it, it_is_cut_to_the_room_there_is, NULL};
    return suite_of("study/verdict", tests);
}
