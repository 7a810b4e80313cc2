/* `cgsolve report` of the CSV of a bench: the page, the pictures, the words, and what is
 * refused. */
#include "support.h"
#include "xml.h"

#include "main/mtx_texts.h"
#include "main/program.h"
#include "program/report/benches_made.h"
#include "program/report/results_made.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DOCTYPE "<!DOCTYPE html>\n"

static const char *page_at(const char *path)
{
    const char *page = file_text(path);
    ck_assert_int_eq(strncmp(page, DOCTYPE, strlen(DOCTYPE)), 0);
    expect_xml(page + strlen(DOCTYPE));
    return page;
}

/* The page stands beside the CSV and has the figures of tests/program/report/test_sweep.c. */
START_TEST(the_page_of_a_bench)
{
    char csv[512], page[512];
    snprintf(csv, sizeof csv, "%s", bench_made("made.csv", 0));
    struct outcome *outcome = run_program("report %s", csv);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->errors, "");
    expect_text(outcome->output,
                "kernel  matrices  rank correlation  by chance  x at 10 x the variation\n"
                "a, \"b\"        10             -0.86     +-0.74                     0.34\n"
                "merge          8             -0.38     +-0.88                     0.79\n"
                "report    ");
    snprintf(page, sizeof page, "%.*s.html", (int)strlen(csv) - 4, csv);
    expect_text(outcome->output, page);
    const char *text = page_at(page);
    expect_text(
        text,
        "<th scope=\"row\" class=\"text kernel\">a, &quot;b&quot;</th><td>10</td><td>0.66</td>"
        "<td>0.38</td><td>-0.67</td><td>-0.86</td><td>± 0.74</td><td>0.34</td>");
    expect_text(text, "<td>8</td><td>0.90</td><td>0.90</td><td>-0.06</td><td>-0.38</td>");
    expect_text(text, "Not counted: products that were wrong, 1; skipped, 1; files that were "
                      "trivial or in error, 2.");
    expect_text(text, ">Left out: rows of other runs, 1.");
    expect_text(text, "Of 10 matrices, 6 have more than half of their rows below 32 entries, "
                      "2 a row of 1000 or more, and of 10 the range");
    ck_assert_ptr_null(strstr(text, "class=\"missing\""));
    expect_text(text, "<svg ");
}
END_TEST

START_TEST(pictures_of_a_bench)
{
    static const char *const kinds[] = {"svg", "png", "pdf"};
    static const char *const first[] = {"<?xml", "\x89PNG", "%PDF"};
    char csv[512], picture[512];
    snprintf(csv, sizeof csv, "%s", bench_made("pictures.csv", 0));
    for (int k = 0; k < 3; k++) {
        snprintf(picture, sizeof picture, "%s", temporary_path("picture"));
        struct outcome *outcome = run_program("report --picture %s.%s --of %s %s", picture,
                                              kinds[k], k == 1 ? "rows" : "variation", csv);
        expect_exit(outcome, 0);
        snprintf(picture, sizeof picture, "%s.%s", temporary_path("picture"), kinds[k]);
        expect_text(outcome->output, picture);
        ck_assert_int_eq(strncmp(file_text(picture), first[k], strlen(first[k])), 0);
    }
    snprintf(picture, sizeof picture, "%s", temporary_path("words.svg"));
    expect_exit(run_program("report --output %s.html --picture %s %s", picture, picture, csv), 0);
    expect_text(file_text(picture), "a, &quot;b&quot;: × 0.34, ρ = -0.86");
    expect_text(file_text(picture), "variation of the row lengths");
}
END_TEST

/* A label may have what SVG takes for a tag. */
START_TEST(labels_are_texts)
{
    const char *csv = temporary_file(
        "labels.csv",
        "run,matrix,kernel,parameters,status,bytes_per_second,rows,entries,row_mean,row_deviation,"
        "row_variation,row_longest\n1,m,a<b & c,k,pass,1e9,2,3,1.5,1,0.6,2\n",
        -1);
    expect_exit(run_program("report %s", csv), 0);
    expect_text(page_at(temporary_path("labels.html")), "\">a&lt;b &amp; c</text></g>");
}
END_TEST

/* An older CSV has no distributions of rows, and that is said. */
START_TEST(what_is_missing_is_said)
{
    char csv[512], page[512];
    snprintf(csv, sizeof csv, "%s", bench_made("older.csv", 1));
    snprintf(page, sizeof page, "%s", temporary_path("older.html"));
    expect_exit(run_program("report %s", csv), 0);
    expect_text(page_at(page), "The file has no columns row_shortest and rows_below_32");
    struct outcome *outcome =
        run_program("report --picture %s.svg --of rows %s", temporary_path("rows"), csv);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "rows.svg: The file has no columns row_shortest");
    expect_text(file_text(page), "<td>-0.86</td>");
}
END_TEST

/* What a bench of a directory has just written. */
START_TEST(from_the_bench_to_the_page)
{
    char directory[256], csv[256], name[64];
    snprintf(directory, sizeof directory, "%s", temporary_path("matrices"));
    snprintf(csv, sizeof csv, "%s", temporary_path("measured.csv"));
    ck_assert_int_eq(mkdir(directory, 0777), 0);
    for (int k = 0; k < 6; k++) {
        snprintf(name, sizeof name, "matrices/%d.mtx", k);
        temporary_file(name, k % 2 ? mtx_general : mtx_symmetric, -1);
    }
    temporary_file("matrices/bad.mtx", mtx_complex, -1);
    expect_exit(run_program("bench --rounds 2 --set bench.seconds=1e-6 --kernels cpu_csr,cpu_sym "
                            "--matrix %s --output %s",
                            directory, csv),
                0);
    struct outcome *outcome = run_program("report %s", csv);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "\ncpu_csr         6 ");
    expect_text(outcome->output, "\ncpu_sym         3 ");
    const char *page = page_at(temporary_path("measured.html"));
    expect_text(page,
                "products that were wrong, 0; skipped, 3; files that were trivial or in error, 1.");
    expect_text(page,
                "Of 6 matrices, 6 have more than half of their rows below 32 entries, 0 a row");
}
END_TEST

START_TEST(wrong_calls)
{
    char csv[512], directory[512];
    snprintf(csv, sizeof csv, "%s", bench_made("wrong.csv", 0));
    snprintf(directory, sizeof directory, "%s", results_made("results", "a", 1, 1, 3));
    static const char *const wrong[][2] = {
        {"report --picture a.svg --of counts %s",
         "--of counts: is for a directory of results, and"},
        {"report --plot %s", "report --plot: is for a directory of results, and"},
        {"report --output a.html %1$s %1$s", "report takes one CSV at a time"},
        {"report --picture a.svg --of peaks %s",
         "of a bench's CSV variation, profile, roofline or rows"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct outcome *outcome = run_program(wrong[k][0], csv);
        expect_exit(outcome, 2);
        expect_text(outcome->errors, wrong[k][1]);
    }
    struct outcome *outcome = run_program("report --picture a.svg --of rows %s", directory);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "--of rows: is for the CSV of a bench, and");
    outcome = run_program("report %s", temporary_file("other.csv", "a,b\n1,2\n", -1));
    expect_exit(outcome, 3);
    expect_text(
        outcome->errors,
        "other.csv:1: a header line is wanted, and this line has no column 'run'; report takes");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_page_of_a_bench,
                            pictures_of_a_bench,
                            what_is_missing_is_said,
                            from_the_bench_to_the_page,
                            labels_are_texts,
                            wrong_calls,
                            NULL};
    return suite_of("main/report_bench", tests);
}
