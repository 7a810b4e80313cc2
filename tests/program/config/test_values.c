/* How values may be written in a config, and that they come through: numbers, lists, texts, and the
 * line ends and comments around them. */
#include "program/config/configs.h"

#include "problem/generators.h"

#include "program/config/tree.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Whole numbers of 64 bits and reals come through, and come back, exactly. */
START_TEST(numbers_are_exact)
{
    static const struct {
        const char *text;
        int64_t value;
    } wholes[] = {
        {"3000000000", INT64_C(3000000000)},
        {"3000000000L", INT64_C(3000000000)},
        {"3000000000LL", INT64_C(3000000000)},
        {"0xFFFFFFFF", INT64_C(4294967295)},
        {"9223372036854775807", INT64_MAX},
        {"0x7fffffffffffffff", INT64_MAX},
        {"+5", 5},
        {"010", 10},
        {"-0", 0},
    };
    for (size_t k = 0; k < sizeof wholes / sizeof *wholes; k++) {
        char text[256];
        snprintf(text, sizeof text, PROBLEM KERNELS "solver = { max_iterations = %s; };",
                 wholes[k].text);
        struct settings settings = read_with(text, NULL);
        ck_assert_int_eq(settings.solver.options.max_iterations, wholes[k].value);
        expect_round_trip(settings);
        snprintf(text, sizeof text, "solver.max_iterations=%s", wholes[k].text);
        settings = read_one(PROBLEM KERNELS, text);
        ck_assert_int_eq(settings.solver.options.max_iterations, wholes[k].value);
        settings_free(&settings);
    }
    static const char *const reals[] = {"0.1",
                                        "1e-99",
                                        "1e99",
                                        "1e-100",
                                        "9.9999999999999997e99",
                                        "2",
                                        "2.",
                                        "3E+2",
                                        "0.30000000000000004",
                                        "123456789012345678",
                                        "100000000000000000000000.0"};
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
        char text[128];
        snprintf(text, sizeof text, "problem.jump=%s", reals[k]);
        struct settings settings = read_one(PROBLEM KERNELS, text);
        ck_assert_msg(PROBLEM_AS(poisson3d, settings)->jump == strtod(reals[k], NULL), "%s",
                      reals[k]);
        expect_round_trip(settings);
    }
    static const char *const small[] = {"1e-300", "5e-324", "0.99999999999999989"};
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        char text[128];
        snprintf(text, sizeof text, "solver.tolerance=%s", small[k]);
        struct settings settings = read_one(PROBLEM KERNELS, text);
        ck_assert_msg(settings.solver.options.tolerance == strtod(small[k], NULL), "%s", small[k]);
        expect_round_trip(settings);
    }
    uint64_t state = test_seed();
    for (int k = 0; k < 200; k++) {
        char text[128];
        double value = ldexp(1 + test_random(&state), (int)test_random_below(&state, 660) - 330);
        snprintf(text, sizeof text, "problem.jump=%.16e", value);
        struct settings settings = read_one(PROBLEM KERNELS, text);
        ck_assert(PROBLEM_AS(poisson3d, settings)->jump == value);
        expect_round_trip(settings);
    }
}
END_TEST

START_TEST(lists_may_mix)
{
    static const char *const lists[] = {"(1, 0.5, 2)", "[1, 0.5, 2]", "[1.0, 5e-1, 2L]"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        char text[256];
        snprintf(text, sizeof text,
                 "problem = { type = \"poisson3d\"; n = (1, 2L, 0x3); anisotropy = %s; };" KERNELS,
                 lists[k]);
        struct settings settings = read_with(text, NULL);
        ck_assert(PROBLEM_AS(poisson3d, settings)->weights[0] == 1);
        ck_assert(PROBLEM_AS(poisson3d, settings)->weights[1] == 0.5);
        ck_assert(PROBLEM_AS(poisson3d, settings)->weights[2] == 2);
        ck_assert_int_eq(PROBLEM_AS(poisson3d, settings)->n[1], 2);
        expect_round_trip(settings);
    }
    static const struct {
        const char *text;
        int count;
        int64_t first, last;
    } devices[] = {{"5", 1, 5, 5}, {"[3]", 1, 3, 3}, {"(1, 0)", 2, 1, 0}, {"[2, 0, 1]", 3, 2, 1}};
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++) {
        char text[64];
        snprintf(text, sizeof text, "devices=%s", devices[k].text);
        struct settings settings = read_one(PROBLEM "kernels = ( \"cuda_sym_bitwise\" );", text);
        int count = settings_devices(&settings.study, settings.study.kernels[0].kernel);
        ck_assert_int_eq(count, devices[k].count);
        ck_assert_int_eq(settings_devices_most(&settings.study), count);
        ck_assert_int_eq(settings_devices(&settings.study, kernel_find("cpu_csr")), 1);
        ck_assert_int_eq(settings.study.devices[0], devices[k].first);
        ck_assert_int_eq(settings.study.devices[count - 1], devices[k].last);
        expect_round_trip(settings);
    }
    struct settings settings = read_with(PROBLEM "kernels = [ \"cpu_csr\", \"cpu_sym\" ];", NULL);
    ck_assert_int_eq(settings.study.kernels_count, 2);
    settings_free(&settings);
}
END_TEST

START_TEST(texts_are_escaped)
{
    struct settings settings =
        read_one(PROBLEM KERNELS,
                 "output.directory=\"a\\\\b\\\"c\\nd\\te\\x01\\x7f\\xc3\\xa9 //x /*y*/ #\"");
    ck_assert_str_eq(settings.output.directory, "a\\b\"c\nd\te\x01\x7f\xc3\xa9 //x /*y*/ #");
    expect_round_trip(settings);
    settings = read_with(
        PROBLEM KERNELS "output = { directory = \"\\\\x41\" \"\"\n\"\\x62c\"\"\\r\" };", NULL);
    ck_assert_str_eq(settings.output.directory, "\\x41bc\r"); /* texts in a row are one */
    expect_round_trip(settings);
}
END_TEST

/* As the items_per_thread of cuda_merge, of which a build without CUDA knows nothing. */
START_TEST(choices_that_read_as_numbers)
{
    static const char *const choices[] = {"7", "11", "auto", "0.5", NULL};
    static const struct parameter items = {
        .type = PARAMETER_CHOICE, .size = sizeof(int64_t), .choices = choices};
    static const unsigned places[] = {0, 0, 1, 1, 1, 2, 3, 3};
    static const char *const faults[] = {"8", "1", "70", "7.5", "true", "a list of 1"};
    const char *path = temporary_file("choices.cfg",
                                      "right = (7, \"7\", 11, 0xB, 11L, \"auto\", 0.5, \"0.5\");\n"
                                      "wrong = (8, 1, 70, 7.5, true, (7));\n",
                                      -1);
    struct config_tree tree;
    struct error error = {""};
    expect_ok(tree_read(path, NULL, 0, &tree, &error), &error);
    const config_setting_t *list = config_lookup(&tree.config, "right");
    ck_assert_int_eq(config_setting_length(list), sizeof places / sizeof *places);
    for (unsigned k = 0; k < sizeof places / sizeof *places; k++) {
        int64_t choice = 99;
        expect_ok(
            setting_take(&tree, config_setting_get_elem(list, k), &items, "items", &choice, &error),
            &error);
        ck_assert_int_eq(choice, places[k]);
    }
    list = config_lookup(&tree.config, "wrong");
    ck_assert_int_eq(config_setting_length(list), sizeof faults / sizeof *faults);
    for (unsigned k = 0; k < sizeof faults / sizeof *faults; k++) {
        int64_t choice = 99;
        char message[512];
        snprintf(message, sizeof message,
                 "%s:2: items wants \"7\", \"11\", \"auto\" or \"0.5\", not %s", path, faults[k]);
        ck_assert_int_eq(
            setting_take(&tree, config_setting_get_elem(list, k), &items, "items", &choice, &error),
            STATUS_CONFIG);
        ck_assert_str_eq(error.text, message);
    }
    tree_free(&tree);
}
END_TEST

/* Line ends of Windows, its mark before UTF-8, and a comment that ends the file. */
START_TEST(foreign_editors)
{
    struct settings settings =
        read_with("\xef\xbb\xbf# first\r\nproblem = {\r\n  type = \"poisson3d\";\r\n  n = 4;\r\n};"
                  "\r\n/* two\r\nlines */ kernels = (\r\n\"cpu_sym\"\r\n);\r\n// the end",
                  NULL);
    ck_assert_int_eq(PROBLEM_AS(poisson3d, settings)->n[2], 4);
    settings_free(&settings);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {numbers_are_exact, lists_may_mix,
                                  texts_are_escaped, choices_that_read_as_numbers,
                                  foreign_editors,   NULL};
    return suite_of("program/config/values", tests);
}
