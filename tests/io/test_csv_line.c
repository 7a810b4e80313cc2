/* Fields of a CSV line, of any length. */
#include "io/csv_line.h"

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

Suite *suite(void)
{
    const TTest *tests[] = {a_field_is_copied, a_field_of_gigabytes_is_cut, NULL};
    return suite_of("io/csv_line", tests);
}
