/* Names and labels of others: none of their control characters reaches the terminal, or makes a
 * file that is no XML. */
#include "support.h"

#include "base/text.h"
#include "main/program.h"
#include "xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEADER "kernel,run,iteration,residual_hex\n"

static const char grid[] = "problem = { type = \"poisson3d\"; n = 4; };\n"
                           "kernels = ( \"cpu_csr\" );\n";
static const char matrix[] = "%%MatrixMarket matrix coordinate real symmetric\n"
                             "2 2 2\n1 1 2\n2 2 1\n";

static void expect_clean(const char *text)
{
    char *copy = strdup(text);
    ck_assert_ptr_nonnull(copy);
    text_clean(copy, "\n");
    ck_assert_str_eq(copy, text);
    free(copy);
}

/* The program ends so, and has written nothing odd. */
static struct outcome *expect_shown(struct outcome *outcome, int exit_status)
{
    expect_exit(outcome, exit_status);
    expect_clean(outcome->output);
    expect_clean(outcome->errors);
    return outcome;
}

START_TEST(a_word_of_a_config)
{
    const char *config = temporary_file("a.cfg", "problem = { \"p\x1b[31mx\" };", -1);
    expect_text(expect_shown(run_program("%s", config), 2)->errors,
                ":1: syntax error at '\"p?[31mx\"'");
}
END_TEST

START_TEST(labels_and_files_of_a_check)
{
    static const char *const labels[] = {"\x1b[31mred", "\xc2\x9b[31mred", "\xe4"};
    char reference[300], odd[300], text[200];
    snprintf(reference, sizeof reference, "%s",
             temporary_file("ref\x1b[1m.csv", HEADER "a,1,0,0x1p+0\n", -1));
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text, HEADER "%s,1,0,0x1p+0\n%s,2,0,0x1p+1\n", labels[k], labels[k]);
        snprintf(odd, sizeof odd, "%s", temporary_file("h\x1b[2J.csv", text, -1));
        expect_shown(run_program("check '%s' '%s'", odd, reference), 1);
    }
    expect_shown(run_program("check '%s-not-there' '%s'", odd, reference), 3);
}
END_TEST

START_TEST(paths_of_a_config)
{
    char config[300];
    snprintf(config, sizeof config, "%s", temporary_file("c\x1b[1m.cfg", grid, -1));
    expect_shown(run_program("--check-config '%s'", config), 0);
    const char *directory = temporary_path("o\x1b[31m");
    struct outcome *outcome = expect_shown(run_program("--output '%s' '%s'", directory, config), 0);
    expect_text(outcome->output, "/o?[31m/{settings.cfg");
    expect_shown(run_program("report '%s'", directory), 0);
    expect_shown(run_program("--quiet --output '%s' --write-reference '%s/r.csv' '%s'",
                             temporary_path("other"), directory, config),
                 0);
    const char *other = temporary_file("mtx.cfg",
                                       "problem = { type = \"mtx\"; path = "
                                       "\"\x1b]0;pwned\x07.mtx\"; };\nkernels = ( \"cpu_csr\" );\n",
                                       -1);
    expect_text(expect_shown(run_program("%s", other), 3)->errors,
                "?]0;pwned?.mtx: cannot read: No such file");
}
END_TEST

START_TEST(a_path_that_is_read)
{
    char text[600];
    snprintf(text, sizeof text,
             "problem = { type = \"mtx\"; path = \"%s\"; };\nkernels = ( \"cpu_csr\" );\n",
             temporary_file("m\x1b[1m.mtx", matrix, -1));
    const char *config = temporary_file("read.cfg", text, -1);
    struct outcome *outcome =
        expect_shown(run_program("--output '%s' %s", temporary_path("read"), config), 0);
    expect_text(outcome->output, "/m?[1m.mtx, real symmetric");
}
END_TEST

/* Two names that differ in what is odd alone are two matrices. */
START_TEST(names_of_a_bench)
{
    char directory[300];
    snprintf(directory, sizeof directory, "%s", temporary_path("matrices"));
    ck_assert_int_eq(mkdir(directory, 0777), 0);
    temporary_file("matrices/m\x1b[1m.mtx", matrix, -1);
    temporary_file("matrices/m\xc2\x9b[1m.mtx", matrix, -1);
    temporary_file("matrices/m\xe4.mtx", matrix, -1);
    temporary_file("matrices/m\xf6.mtx", "no matrix", -1);
    struct outcome *outcome =
        expect_shown(run_program("bench --kernels cpu_csr --matrix %s --output %s "
                                 "--set bench.rounds=1 --set bench.products=1",
                                 directory, temporary_path("b.csv")),
                     0);
    expect_text(outcome->output, "3 PASS, 0 FAIL, 0 skipped; files: 0 trivial, 1 in error");
    expect_text(outcome->output, "m\\x1b[1m.mtx: 2 x 2");
    expect_text(outcome->output, "m\\xc2\\x9b[1m.mtx: 2 x 2");
    expect_text(outcome->output, "m\\xe4.mtx: 2 x 2");
    expect_text(outcome->output, "m\\xf6.mtx: error");
}
END_TEST

/* U+FFFE is UTF-8, and nothing that XML knows: in the files of an older version it may stand in a
 * label. */
START_TEST(a_page_of_an_odd_label)
{
    char directory[300], text[700];
    const char *config =
        temporary_file("label.cfg",
                       "problem = { type = \"poisson3d\"; n = 4; };\n"
                       "kernels = ( { name = \"cpu_csr\"; label = \"LABEL\"; } );\n",
                       -1);
    snprintf(directory, sizeof directory, "%s", temporary_path("labelled"));
    expect_exit(run_program("--quiet --output %s %s", directory, config), 0);
    snprintf(text, sizeof text, "LC_ALL=C sed -i 's/LABEL/x\xef\xbf\xbe\xef\xbf\xbfy/' %s/*",
             directory);
    ck_assert_int_eq(system(text), 0);
    expect_exit(run_program("report %s", directory), 0);
    snprintf(text, sizeof text, "%s/report.html", directory);
    const char *page = file_text(text);
    expect_text(page, "x??????y");
    expect_xml(strchr(page, '>') + 1);
}
END_TEST

/* The longest label, in each kind of file, and one that is longer. */
START_TEST(long_labels)
{
    enum { LONGEST = 511 };
    static const char *const more[] = {
        "trace = { every = 1; };", "trace = { every = 1; keep = \"values\"; };",
        "solver = { method = \"lanczos\"; }; eigen = { count = 2; vectors = true; };"};
    static const char format[] = "problem = { type = \"poisson3d\"; n = 4; };\n"
                                 "kernels = ( { name = \"cpu_csr\"; label = \"%s\"; } );\n%s\n";
    char label[LONGEST + 2], text[1024], config[300];
    memset(label, 'a', LONGEST + 1);
    label[LONGEST] = label[LONGEST + 1] = '\0';
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text, format, label, more[k]);
        snprintf(config, sizeof config, "%s", temporary_file("long.cfg", text, -1));
        expect_exit(run_program("--output %s %s", temporary_path("long"), config), 0);
    }
    snprintf(text, sizeof text, format, label, "bench = { rounds = 1; products = 1; };");
    expect_exit(run_program("bench %s --output %s", temporary_file("bench.cfg", text, -1),
                            temporary_path("long.csv")),
                0);
    label[LONGEST] = 'a';
    snprintf(text, sizeof text, format, label, "");
    struct outcome *outcome =
        run_program("--check-config %s", temporary_file("longer.cfg", text, -1));
    expect_exit(outcome, 2);
    expect_text(outcome->errors, ":2: the label 'aaa");
    expect_text(outcome->errors, "...' is longer than 511 bytes\n");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {
        a_word_of_a_config, labels_and_files_of_a_check, paths_of_a_config, a_path_that_is_read,
        names_of_a_bench,   a_page_of_an_odd_label,      long_labels,       NULL};
    return suite_of("main/texts", tests);
}
