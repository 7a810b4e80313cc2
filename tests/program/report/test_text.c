/* Texts of the user in pages and scripts: nothing in them is markup or a command. */
#include "program/report/text.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

static void expect_written(void (*write)(FILE *, const char *), const char *text,
                           const char *wanted)
{
    char *made = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&made, &length);
    ck_assert_ptr_nonnull(memory);
    write(memory, text);
    fclose(memory);
    ck_assert_str_eq(made, wanted);
    free(made);
}

START_TEST(html_is_escaped)
{
    expect_written(html_text, "a\"b<c>&'$(x)", "a&quot;b&lt;c&gt;&amp;'$(x)");
    expect_written(html_text, "</pre>\n\t\x01\x7f", "&lt;/pre&gt;\n\t??");
    expect_written(html_text, "\xc3\xa4\xe2\x80\x96", "\xc3\xa4\xe2\x80\x96");
    expect_written(html_text, "\xef\xbf\xbe|\xef\xbf\xbf|\xc2\x9b|\xe4", "???|???|??|?");
}
END_TEST

/* By characters, never in the middle of one. */
START_TEST(long_texts_are_cut)
{
    char shown[64];
    ck_assert_str_eq(text_short("abcd", 4, shown, sizeof shown), "abcd");
    ck_assert_str_eq(text_short("abcde", 4, shown, sizeof shown), "abc\xe2\x80\xa6");
    ck_assert_str_eq(text_short("\xc3\xa4\xc3\xb6\xc3\xbc", 2, shown, sizeof shown),
                     "\xc3\xa4\xe2\x80\xa6");
}
END_TEST

START_TEST(bytes_have_units)
{
    char text[16];
    ck_assert_str_eq(text_bytes(text, 999), "999 B");
    ck_assert_str_eq(text_bytes(text, 1234567), "1.23 MB");
    ck_assert_str_eq(text_bytes(text, 0), "0 B");
}
END_TEST

START_TEST(numbers_are_written_one_way)
{
    static const struct {
        double value;
        int digits;
        const char *text;
    } numbers[] = {{0, 3, "0"},
                   {-0.0, 3, "0"},
                   {1.714e-6, 3, "1.71·10<sup>−6</sup>"},
                   {3.87e6, 3, "3.87·10<sup>6</sup>"},
                   {118847, 4, "118847"},
                   {0.04504, 4, "0.04504"},
                   {9.996e-4, 3, "0.00100"},
                   {9.5e-4, 2, "9.5·10<sup>−4</sup>"},
                   {-2.5, 2, "-2.5"},
                   {1e-8, 1, "10<sup>−8</sup>"},
                   {INFINITY, 3, "inf"}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        char *text = NULL;
        size_t length;
        char format[16];
        FILE *page = open_memstream(&text, &length);
        snprintf(format, sizeof format, "%%.%de", numbers[k].digits - 1);
        html_print(page, format, numbers[k].value);
        fclose(page);
        ck_assert_str_eq(text, numbers[k].text);
        free(text);
    }
}
END_TEST

START_TEST(a_format_is_that_of_printf)
{
    char *text = NULL;
    size_t length;
    FILE *page = open_memstream(&text, &length);
    html_print(page, "<b>%s</b> %d %ld %.4g %g %.1e 5 %%", "a<b>&\"\x1b", -7, INT64_MIN, 2.5, 0.125,
               1.24e-7);
    html_print(page, "%s", "");
    fclose(page);
    ck_assert_str_eq(text, "<b>a&lt;b&gt;&amp;&quot;?</b> -7 -9223372036854775808 2.5 0.125 "
                           "1.2·10<sup>−7</sup> 5 %");
    free(text);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {html_is_escaped,
                            long_texts_are_cut,
                            bytes_have_units,
                            numbers_are_written_one_way,
                            a_format_is_that_of_printf,
                            NULL};
    return suite_of("program/report/text", tests);
}
