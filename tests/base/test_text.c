/* What is odd in a text: control characters, what XML does not know, what is no UTF-8. */
#include "base/text.h"

#include "support.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

START_TEST(what_is_odd_becomes_question_marks)
{
    static const char *const texts[][2] = {
        {"plain, with all of it: ~ }{'\"", "plain, with all of it: ~ }{'\""},
        {"\x1b[31mred\x07\x7f", "?[31mred??"},
        {"\xc2\x80|\xc2\x9b|\xc2\x9f|\xc2\xa0", "??|??|??|\xc2\xa0"}, /* C1, and what follows it */
        {"\xef\xbf\xbd|\xef\xbf\xbe|\xef\xbf\xbf", "\xef\xbf\xbd|???|???"},
        {"\xf0\x9f\xbf\xbe|\xf4\x8f\xbf\xbd", "\xf0\x9f\xbf\xbe|\xf4\x8f\xbf\xbd"},
        /* U+061B to U+061D, U+200D to U+2010 */
        {"\xd8\x9b\xd8\x9c\xd8\x9d", "\xd8\x9b??\xd8\x9d"},
        {"\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90", "\xe2\x80\x8d??????\xe2\x80\x90"},
        /* U+2027, U+2028, U+202E, U+202F; U+2065, U+2066, U+2069, U+206A */
        {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf", "\xe2\x80\xa7??????\xe2\x80\xaf"},
        {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5??????\xe2\x81\xaa"},
        {"\xc3\xa4\xc3(\xa4\xe2\x80\x96", "\xc3\xa4?(?\xe2\x80\x96"},
        {"\xc0\xaf|\xe0\x9f\xbf|\xf0\x8f\xbf\xbf", "??|???|????"}, /* longer than need be */
        {"\xed\xa0\x80|\xed\x9f\xbf", "???|\xed\x9f\xbf"},         /* a surrogate */
        {"\xf4\x90\x80\x80|\xf8\x88\x80\x80", "????|????"},        /* beyond the last one */
        {"\xe2\x80", "??"},                                        /* cut off */
        {"", ""},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char text[64];
        snprintf(text, sizeof text, "%s", texts[k][0]);
        ck_assert_int_eq(text_is_clean(text), strcmp(texts[k][0], texts[k][1]) == 0);
        text_clean(text, "");
        ck_assert_str_eq(text, texts[k][1]);
    }
    char lines[] = "a\n\tb\r\x1b\xc2\x9b";
    text_clean(lines, "\n\t");
    ck_assert_str_eq(lines, "a\n\tb????");
}
END_TEST

/* Whether the byte at `at` belongs to a character that is UTF-8 and odd. */
static bool is_odd_utf8(const char *text, int at)
{
    if ((unsigned char)text[at] < ' ' || text[at] == 127)
        return true;
    /* U+061C, U+200E and U+200F, U+2028 to U+202E, U+2066 to U+2069, U+FFFE and U+FFFF */
    static const char *const odd[] = {
        "\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8",
        "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac",
        "\xe2\x80\xad", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa7",
        "\xe2\x81\xa8", "\xe2\x81\xa9", "\xef\xbf\xbe", "\xef\xbf\xbf"};
    for (int back = 0; back < 3 && back <= at; back++) {
        const char *begin = text + at - back;
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
            if (back < (int)strlen(odd[k]) && strncmp(begin, odd[k], strlen(odd[k])) == 0)
                return true;
        if (back < 2 && begin[0] == '\xc2' && (unsigned char)begin[1] < 0xa0)
            return true;
    }
    return false;
}

static bool jansson_takes(const char *text)
{
    json_t *taken = json_string(text);
    json_decref(taken);
    return taken != NULL;
}

/* Jansson has a decoder of its own. */
START_TEST(random_bytes_become_utf8)
{
    static const char likely[] =
        "\x1b\xc2\x9b\xe2\x80\x96\xae\xa8\x81\xa6\xd8\x9c\xef\xbf\xbe\xf0\x9f\x98\x80\xed\xa0(";
    uint64_t state = test_seed();
    for (int k = 0; k < 20000; k++) {
        char text[13], copy[13];
        int length = (int)test_random_below(&state, sizeof text);
        for (int b = 0; b < length; b++)
            text[b] = test_random_below(&state, 2)
                          ? likely[test_random_below(&state, sizeof likely - 1)]
                          : (char)(1 + test_random_below(&state, 255));
        text[length] = '\0';
        memcpy(copy, text, sizeof copy);
        bool is_utf8 = jansson_takes(text);
        ck_assert(is_utf8 || !text_is_clean(text));
        text_clean(copy, "");
        ck_assert_int_eq((int)strlen(copy), length);
        ck_assert(text_is_clean(copy) && jansson_takes(copy));
        for (int b = 0; b < length && is_utf8; b++)
            ck_assert_int_eq(copy[b], is_odd_utf8(text, b) ? '?' : text[b]);
    }
}
END_TEST

START_TEST(a_message_is_clean)
{
    struct error error;
    error_set(&error, STATUS_INPUT, "%s: %s", "\x1b]0;x\x07\xc2\x9b.mtx", "two\nlines");
    ck_assert_str_eq(error.text, "?]0;x???.mtx: two?lines");
    char path[2048];
    for (size_t k = 0; k < sizeof path; k++) /* cut in the middle of a character */
        path[k] = k % 2 ? '\xa4' : '\xc3';
    path[sizeof path - 1] = '\0';
    error_set(&error, STATUS_INPUT, "%s", path);
    ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
    ck_assert(text_is_clean(error.text));
}
END_TEST

START_TEST(long_texts_are_cut)
{
    char shown[8];
    ck_assert_str_eq(shown_text("1234567", shown, sizeof shown), "1234567");
    ck_assert_str_eq(shown_text("12345678", shown, sizeof shown), "1234...");
    ck_assert_str_eq(shown_text("123\xc3\xa4-678", shown, sizeof shown), "123?...");
    ck_assert_str_eq(shown_text("\x1b[m", shown, sizeof shown), "?[m");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {what_is_odd_becomes_question_marks, random_bytes_become_utf8,
                            a_message_is_clean, long_texts_are_cut, NULL};
    return suite_of("base/text", tests);
}
