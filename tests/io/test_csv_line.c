/* Fields of a CSV line, of any length. */
#include "io/csv.h"

#include "support.h"

#include <string.h>
#include <sys/mman.h>

START_TEST(a_field_is_copied)
{
    static const char line[] = "one,two";
    struct csv_field fields[CSV_FIELDS_MAX];
    char text[4];
    ck_assert_int_eq(csv_split(line, line + strlen(line), fields), 2);
    csv_text(&fields[1], text, sizeof text);
    ck_assert_str_eq(text, "two");
    csv_text(&fields[1], text, 3);
    ck_assert_str_eq(text, "tw");
}
END_TEST

/* More than an int counts, of a mapped file; nothing behind the first bytes is read. */
START_TEST(a_field_of_gigabytes_is_cut)
{
    static const int64_t lengths[] = {INT64_C(1) << 31, INT64_C(3) << 30, (INT64_C(1) << 32) + 2};
    for (int k = 0; k < 3; k++) {
        void *map = mmap(NULL, (size_t)lengths[k], PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        ck_assert_ptr_ne(map, MAP_FAILED);
        memset(map, 'x', 100);
        struct csv_field field = {map, (const char *)map + lengths[k]};
        char text[8];
        csv_text(&field, text, sizeof text);
        ck_assert_str_eq(text, "xxxxxxx");
        munmap(map, (size_t)lengths[k]);
    }
}
END_TEST

/* No field begins as a formula does, and each comes back as the text that it was. */
START_TEST(no_field_is_a_formula)
{
    static const char *const texts[][2] = {{"=1+1", "'=1+1"},
                                           {"+a", "'+a"},
                                           {"-1", "'-1"},
                                           {"@a,b", "\"'@a,b\""},
                                           {"=\"x\"", "\"'=\"\"x\"\"\""},
                                           {"'=1", "''=1"},
                                           {"a=-@+", "a=-@+"},
                                           {"'", "''"},
                                           {"", ""},
                                           {"=", "'="}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char field[32], text[32];
        ck_assert_str_eq(csv_quote(texts[k][0], field, sizeof field), texts[k][1]);
        const char *at = field;
        ck_assert(csv_take(&at, field + strlen(field), text, sizeof text));
        ck_assert_str_eq(text, texts[k][0]);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {no_field_is_a_formula, a_field_is_copied, a_field_of_gigabytes_is_cut,
                            NULL};
    return suite_of("io/csv_line", tests);
}
