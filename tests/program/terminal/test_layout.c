/* How wide texts are, and how lines wrap: on a stream that is no terminal, and on terminals of
 * every width. */
#include "program/terminal/layout.h"

#include "main/terminal.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

START_TEST(texts_are_as_wide_as_they_look)
{
    static const struct {
        const char *text;
        int width;
    } cases[] = {{"", 0},
                 {"label", 5},
                 {"‖r‖ ≤ ε", 7},
                 {"größe", 5},
                 {"行列", 4},
                 {"\xf0\x9f\x98\x80", 2},
                 {"\xff\xfe", 2}, /* no characters: a byte each */
                 {"\033[31mred\033[0m", 3},
                 {"\033[", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        ck_assert_msg(layout_width(cases[k].text) == cases[k].width, "%s: %d", cases[k].text,
                      layout_width(cases[k].text));
}
END_TEST

START_TEST(texts_are_cut_between_characters)
{
    static const char text[] = "a‖行b";
    static const int fitting[] = {0, 1, 4, 4, 7, 8, 8}; /* bytes, of 0, 1, 2, ... columns */
    for (int columns = 0; columns < 7; columns++)
        ck_assert_int_eq(layout_fitting(text, columns), fitting[columns]);
    ck_assert_int_eq(layout_fitting(text, -1), 0);
}
END_TEST

/* The caller frees it. */
static char *wrapped(int columns, const char *lines)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    layout_wrap(stream, columns, lines);
    fclose(stream);
    return text;
}

START_TEST(lines_wrap_at_words)
{
    static const struct {
        int columns;
        const char *lines, *wanted;
    } cases[] = {
        {0, "as long as it is: a line that nothing wraps\n",
         "as long as it is: a line that nothing wraps\n"},
        {20, "exactly twenty wide.\nnot\n", "exactly twenty wide.\nnot\n"},
        {20, "exactly twenty wide..", "exactly twenty\n    wide.."},
        {30, "solver    cg, one two three four five\n",
         "solver    cg, one two three\n          four five\n"},
        {30, "          n = 32768, 223232 entries\n",
         "          n = 32768, 223232\n          entries\n"},
        {30, "label: of 0.431 ms an iteration the product takes 0.366\n",
         "label: of 0.431 ms an\n    iteration the product\n    takes 0.366\n"},
        {20, "see /a/path/that/is/longer/than/it and more\n",
         "see\n/a/path/that/is/longer/than/it\n    and more\n"},
        {20, "see /a/path/of/19/bytes and more\n", "see\n /a/path/of/19/bytes\n    and more\n"},
        {10, "\033[31mred: not wider\033[0m\n", "\033[31mred: not\n    wider\033[0m\n"},
        {4, "one two\n\nthree\n", "one\ntwo\n\nthree\n"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *text = wrapped(cases[k].columns, cases[k].lines);
        ck_assert_str_eq(text, cases[k].wanted);
        free(text);
    }
}
END_TEST

/* No word is lost, and no line is wider than the columns where no word is. */
START_TEST(at_every_width)
{
    static const char lines[] =
        "machine   a processor, 2 cores\n\n  k: every history  has the hash ‖r‖\nend";
    for (int columns = 1; columns < 60; columns++) {
        char *text = wrapped(columns, lines);
        const char *left = lines;
        for (const char *at = text; *at; at++) {
            if (strchr(" \n", *at))
                continue;
            left += strspn(left, " \n");
            ck_assert_int_eq(*at, *left++);
        }
        ck_assert_str_eq(left, "");
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            ck_assert(layout_width(line) <= columns || !strchr(line + strspn(line, " "), ' '));
        free(text);
    }
}
END_TEST

START_TEST(a_stream_that_is_no_terminal_is_left_alone)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct layout layout;
    ck_assert_int_eq(layout_columns(stream), 0);
    ck_assert(!layout_obeys(stream) && !layout_has_colours(stream));
    ck_assert_ptr_eq(layout_begin(&layout, stream), stream);
    layout_end(&layout);
    setenv("COLUMNS", "44", 1); /* holds for what is printed, not for its pieces */
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(layout_columns(stream), 0);
    ck_assert_int_eq(layout_columns(file), 44);
    ck_assert_int_eq(layout_room(file), 44);
    unsetenv("COLUMNS");
    ck_assert_int_eq(layout_columns(file), 0);
    ck_assert_int_eq(layout_room(file), 80);
    ck_assert(!layout_is_pipe(file) && !layout_is_pipe(stream));
    fclose(file);
    file = popen("cat >/dev/null", "w");
    ck_assert_ptr_nonnull(file);
    ck_assert(layout_is_pipe(file));
    pclose(file);
    layout_print(stream, "%0200d\n", 0);
    fclose(stream);
    ck_assert_uint_eq(size, 201);
    free(text);
}
END_TEST

START_TEST(a_terminal_is_asked)
{
    struct made_terminal terminal;
    if (!terminal_open(&terminal, 33))
        return;
    FILE *stream = terminal_stream(&terminal);
    ck_assert_int_eq(layout_columns(stream), 33);
    terminal_resize(&terminal, 200);
    ck_assert_int_eq(layout_columns(stream), 200);
    terminal_resize(&terminal, 0);
    static const char *const told[][2] = {
        {"132", "132"}, {"", "80"}, {"0", "80"}, {"-5", "80"}, {"10000000", "80"}};
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        setenv("COLUMNS", told[k][0], 1);
        ck_assert_int_eq(layout_columns(stream), atoi(told[k][1]));
    }
    unsetenv("COLUMNS");
    ck_assert_int_eq(layout_columns(stream), 80);

    ck_assert(layout_obeys(stream) && layout_has_colours(stream));
    setenv("NO_COLOR", "1", 1);
    ck_assert(layout_obeys(stream) && !layout_has_colours(stream));
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    ck_assert(!layout_obeys(stream) && !layout_has_colours(stream));

    char text[256];
    terminal_resize(&terminal, 12);
    struct layout layout;
    FILE *pieces = layout_begin(&layout, stream);
    fprintf(pieces, "a line ");
    fprintf(pieces, "in pieces\n");
    layout_end(&layout);
    layout_print(stream, "%d columns more\n", 8);
    fflush(stream);
    terminal_read(&terminal, text, sizeof text);
    ck_assert_str_eq(text, "a line in\r\n    pieces\r\n8 columns\r\n    more\r\n");
    fclose(stream);
    terminal_close(&terminal);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {texts_are_as_wide_as_they_look,
                            texts_are_cut_between_characters,
                            lines_wrap_at_words,
                            at_every_width,
                            a_stream_that_is_no_terminal_is_left_alone,
                            a_terminal_is_asked,
                            NULL};
    return suite_of("program/terminal/layout", tests);
}
