/* What a text that is no config is told: syntax, numbers that no number can hold, files. The whole
 * message is read. */
#include "program/config/configs.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What is no config at all, and numbers that no number can hold. */
static const struct fault syntax[] = {
    {PROBLEM KERNELS "problem = 1", ":3: the key 'problem' is given twice, first on line 1"},
    {PROBLEM KERNELS "repeats = 3;;", ":3: syntax error at ';': a key is wanted"},
    {PROBLEM KERNELS "3 = 4;", ":3: syntax error at '3': a key is wanted"},
    {PROBLEM KERNELS "true = 4;", ":3: syntax error at 'true': a key is wanted"},
    {PROBLEM KERNELS "rhs = { type \"ones\"; };", ":3: syntax error at '\"ones\"': '=' is wanted"},
    {PROBLEM KERNELS "x = ( 1, );", ":3: syntax error at ')': a value is wanted"},
    {PROBLEM KERNELS "x = ( 1 2 );",
     ":3: syntax error at '2': ',' or the end of the list is wanted"},
    {PROBLEM KERNELS "x = ( , );", ":3: syntax error at ',': a value is wanted"},
    {PROBLEM KERNELS "x = ( 1;", ":3: syntax error at ';': ',' or the end of the list is wanted"},
    {PROBLEM KERNELS "x = (\n1,", ":3: the bracket is never closed: ')' is missing"},
    {PROBLEM KERNELS "x = [ { a = 1; a = 2; } ];",
     ":3: the key 'a' is given twice, first on line 3"},
    {PROBLEM KERNELS "repeats = 3000000000000000000000;",
     ":3: 3000000000000000000000 is out of the range of 64-bit whole numbers"},
    {PROBLEM KERNELS "\nrepeats = -9223372036854775809;",
     ":4: -9223372036854775809 is out of the range of 64-bit whole numbers"},
    {PROBLEM KERNELS "repeats = 0x8000000000000000;",
     ":3: 0x8000000000000000 is out of the range of 64-bit whole numbers"},
    {PROBLEM KERNELS "solver = { tolerance = 1e400; };",
     ":3: 1e400 is out of the range of a double"},
    {PROBLEM KERNELS "solver = { tolerance =\n 1e-400; };",
     ":4: 1e-400 is out of the range of a double"},
    {PROBLEM KERNELS "solver = { tolerance = 1e-8x; };", ":3: 1e-8x is not a number"},
    {PROBLEM KERNELS "repeats = 5L5;", ":3: 5L5 is not a number"},
    {PROBLEM KERNELS "repeats = +0x1;", ":3: +0x1 is not a number"},
    {PROBLEM KERNELS "solver = { tolerance = 0x1p-9; };", ":3: 0x1p is not a number"},
    {PROBLEM KERNELS "repeats = 0b11;", ":3: 0b11 is not a number"},
    {PROBLEM KERNELS "repeats = 1.2.3;", ":3: 1.2.3 is not a number"},
    {PROBLEM KERNELS "repeats = nan;",
     ":3: syntax error at 'nan': a string must stand in quotes, \"nan\""},
    {PROBLEM KERNELS "repeats = ;", ":3: syntax error at ';': a value is wanted"},
    {PROBLEM KERNELS "repeats =", ":3: syntax error: the text ends where a value is wanted"},
    {PROBLEM KERNELS "repeats 3;", ":3: syntax error at '3': '=' is wanted"},
    {PROBLEM KERNELS "repeats = 3 4;", ":3: syntax error at '4': a key is wanted"},
    {PROBLEM KERNELS "rhs = { type = random; };",
     ":3: syntax error at 'random': a string must stand in quotes, \"random\""},
    {PROBLEM "kernels = ( cpu_sym );",
     ":2: syntax error at 'cpu_sym': a string must stand in quotes, \"cpu_sym\""},
    {PROBLEM KERNELS "solver.tolerance = 1;", ":3: '.' has no meaning here"},
    {PROBLEM KERNELS "rhs = { type = \"ones;\n };",
     ":3: the text has no closing quote on its line (\\n stands for a newline)"},
    {PROBLEM KERNELS "rhs = { type = \"on\\es\"; };",
     ":3: an unknown escape in a string: known are \\n \\r \\t \\f \\\" \\\\ \\xHH"},
    {PROBLEM KERNELS "rhs = { type = \"ones\\x00\"; };", ":3: \\x00 would end the text"},
    {PROBLEM KERNELS "rhs = { type = \"ones\";", ":3: the bracket is never closed: '}' is missing"},
    {PROBLEM KERNELS "rhs = { type = \"ones\" \"\n",
     ":3: the text has no closing quote on its line "
     "(\\n stands for a newline)"},
    {PROBLEM KERNELS "rhs = { 3 }", ":3: syntax error at '3': a key is wanted"},
    {PROBLEM KERNELS "rhs = [ }", ":3: '}' where ']' must close the bracket of line 3"},
    {PROBLEM KERNELS "rhs = ( 1, 2 };", ":3: '}' where ')' must close the bracket of line 3"},
    {PROBLEM KERNELS "\n};", ":4: '}' closes a bracket that was never opened"},
    {PROBLEM KERNELS "/* never\nclosed", ":3: the comment is never closed by */"},
    {PROBLEM KERNELS "@include \"x.cfg\"", ":3: @include is not supported: a config is one file"},
    {PROBLEM KERNELS "r\xc3\xa9p = 3;", ":3: the byte \\xc3 has no meaning outside a string"},
    {PROBLEM KERNELS "a = $5;", ":3: '$' has no meaning here"},
    {"x = (((((((((((((((((((((((((((((((((", ":1: brackets are nested more than 32 deep"},
};

START_TEST(faults_of_syntax)
{
    EXPECT_FAULTS(syntax);
}
END_TEST

START_TEST(files_that_are_no_config)
{
    expect_fault(temporary_path("missing.cfg"),
                 ": cannot read the config: No such file or directory");
    const char *directory = temporary_path("directory.cfg");
    ck_assert_int_eq(mkdir(directory, 0700), 0);
    expect_fault(directory, ": cannot read the config: Is a directory");
    static const char zero[] = "repeats = 3;\n";
    expect_fault(temporary_file("run.cfg", zero, sizeof zero),
                 ":2: the byte \\x00 has no meaning outside a string");
    static const char zero_in_text[] = "\nrepeats = \"\0\";";
    expect_fault(temporary_file("run.cfg", zero_in_text, sizeof zero_in_text),
                 ":2: a zero byte in a string");
    int64_t size = (256 << 10) + 1;
    char *large = malloc((size_t)size);
    memset(large, '\n', (size_t)size);
    expect_fault(temporary_file("run.cfg", large, size),
                 ": larger than 256 KiB: is this a config?");
    free(large);
}
END_TEST

/* Whatever the config holds, the message is one line that fits. */
START_TEST(messages_are_one_line)
{
    char name[3001], config[8000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    static const char *const forms[] = {
        "%s = 1;",        "%s = 1; %s = 2;",       "repeats = %s;",   "repeats = \"%s\";",
        "repeats = 1%s;", "kernels = ( \"%s\" );", "repeats = 3 %s;", "repeats = \"\\n%s\";"};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        snprintf(config, sizeof config, forms[k], name, name);
        char *path = memory_text(temporary_file("run.cfg", config, -1), "a path", NULL);
        struct settings settings;
        struct error error = {""};
        expect_error(settings_read(path, NULL, 0, &settings, &error), STATUS_CONFIG, &error, path,
                     NULL);
        ck_assert(strlen(error.text) < 400 && !strchr(error.text, '\n'));
        memory_free(path);
    }
}
END_TEST

/* What is done with a key grows with those before it. */
START_TEST(keys_are_limited)
{
    static char text[1 << 16];
    for (int keys = 1000; keys <= 1001; keys++)
        for (int nested = 0; nested < 2; nested++) {
            int length = sprintf(text, "%s", nested ? PROBLEM KERNELS "solver = {\n" : "");
            for (int k = 1; k <= keys; k++)
                length += sprintf(text + length, "k%d = 1;\n", k);
            sprintf(text + length, "%s", nested ? "};" : "");
            expect_fault(temporary_file("run.cfg", text, -1),
                         keys > 1000 ? nested ? ":1004: more than 1000 keys in one group"
                                              : ":1001: more than 1000 keys in one group"
                         : nested    ? ":4: unknown key 'solver.k1'"
                                     : ":1: unknown key 'k1'");
        }
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {faults_of_syntax, files_that_are_no_config, messages_are_one_line,
                                  keys_are_limited, NULL};
    return suite_of("program/config/syntax", tests);
}
