/* JUnit XML: what stands in it, and that it is XML whatever stands in a label. */
#include "program/record/history_check.h"

#include "support.h"
#include "xml.h"

#include <stdio.h>
#include <string.h>

#define HEADER "kernel,run,iteration,residual,residual_hex,alpha,beta\n"

static const struct comparison_rule bitwise = {.mode = COMPARISON_BITWISE};

/* A check of one history against one reference, both given as texts. The caller frees it. */
static struct history_check checked(const char *name, const char *history)
{
    struct history_check check;
    struct error error;
    char reference[256];
    snprintf(reference, sizeof reference, "%s",
             temporary_file("reference.csv", HEADER "a,1,0,1,0x1p+0,,\n", -1));
    expect_ok(history_check_begin(name, reference, &bitwise, &check, &error), &error);
    expect_ok(history_check_compare(&check, temporary_file("made.csv", history, -1), &error),
              &error);
    return check;
}

static const char *written(const struct history_check *checks, int count)
{
    static char text[1 << 14];
    struct error error;
    const char *path = temporary_path("junit.xml");
    expect_ok(junit_write(path, checks, count, &error), &error);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void expect_part(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is missing in: %s", part, text);
}

START_TEST(a_testcase_for_each_run)
{
    struct history_check checks[2] = {
        checked("one.cfg", HEADER "a,1,0,1,0x1p+0,,\nb,1,0,1,0x1p+0,,\nb,2,0,2,0x1p+1,,\n"),
        checked("two.cfg", HEADER "a,1,0,1,0x1p+0,,\n")};
    const char *text = written(checks, 2);
    ck_assert_int_eq(strncmp(text, "<?xml ", 6), 0);
    expect_xml(strstr(text, "?>") + 2);
    expect_part(text, "<testsuites name=\"cgsolve\" tests=\"4\" failures=\"1\">");
    expect_part(text, "<testsuite name=\"one.cfg\" tests=\"3\" failures=\"1\" ");
    expect_part(text, "<testsuite name=\"two.cfg\" tests=\"1\" failures=\"0\" ");
    expect_part(text, "<testcase classname=\"one.cfg\" name=\"b, run 1\" time=\"0.000000\"/>");
    expect_part(text, "<testcase classname=\"one.cfg\" name=\"b, run 2\" time=\"0.000000\">\n"
                      "      <failure message=\"b, run 2: iteration 0 differs from ");
    expect_part(text, "    here        0x1p+1 = 2\n");
    history_check_free(&checks[0]);
    history_check_free(&checks[1]);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A config that compares nothing leaves a zeroed check. */
START_TEST(what_was_not_compared_is_left_out)
{
    struct history_check checks[2] = {{0}, checked("two.cfg", HEADER "a,1,0,1,0x1p+0,,\n")};
    const char *text = written(checks, 2);
    ck_assert_int_eq(strncmp(text, "<?xml ", 6), 0);
    expect_xml(strstr(text, "?>") + 2);
    expect_part(text, "tests=\"1\" failures=\"0\">\n  <testsuite name=\"two.cfg\"");
    history_check_free(&checks[1]);
}
END_TEST

START_TEST(every_label_is_escaped)
{
    struct history_check check =
        checked("<a&b>'\"]]>\x01.cfg", HEADER "<&>\"'\x02\x7f,1,0,2,0x1p+1,,\n"
                                              "\xef\xbf\xbe\xef\xbf\xbf,1,0,2,0x1p+1,,\n"
                                              "\xc3\xa4,1,0,2,0x1p+1,,\n"
                                              "\xc3(,1,0,2,0x1p+1,,\n");
    const char *text = written(&check, 1);
    ck_assert_int_eq(strncmp(text, "<?xml ", 6), 0);
    expect_xml(strstr(text, "?>") + 2);
    expect_part(text, "<testsuite name=\"&lt;a&amp;b&gt;'&quot;]]&gt;?.cfg\"");
    expect_part(text, "name=\"&lt;&amp;&gt;&quot;'??, run 1\"");
    expect_part(text, "name=\"\xc3\xa4, run 1\""); /* UTF-8 stays */
    expect_part(text, "name=\"?(, run 1\"");       /* what is none does not */
    expect_part(text, "name=\"??????, run 1\"");   /* nor what XML does not know */
    history_check_free(&check);
}
END_TEST

START_TEST(a_file_that_cannot_be_written)
{
    struct history_check check = checked("one.cfg", HEADER "a,1,0,1,0x1p+0,,\n");
    struct error error;
    expect_error(junit_write("/no/such/junit.xml", &check, 1, &error), STATUS_OUTPUT, &error,
                 "/no/such/junit.xml", NULL);
    history_check_free(&check);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_testcase_for_each_run, what_was_not_compared_is_left_out,
                            every_label_is_escaped, a_file_that_cannot_be_written, NULL};
    return suite_of("program/record/junit", tests);
}
