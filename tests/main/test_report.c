/* The page after a study and of `cgsolve report`: that it is one file of well-formed markup, what
 * stands in it, what is said where a file is missing, and the pictures beside it. */
#include "support.h"

#include "main/program.h"
#include "main/terminal.h"
#include "program/report/results_made.h"
#include "xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DOCTYPE "<!DOCTYPE html>\n"

/* FILE in DIRECTORY, in static storage. */
static const char *in(const char *directory, const char *file)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    return path;
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

static bool is_file_beside(const char *link)
{
    static const char *const files[] = {"summary.json\"", "history.csv\"", "envelope.csv\"",
                                        "settings.cfg\""};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (strncmp(link, files[k], strlen(files[k])) == 0)
            return true;
    return false;
}

/* The page, which is markup that every reader takes, and asks for nothing from elsewhere. */
static const char *page_at(const char *path)
{
    const char *page = file_text(path);
    ck_assert_int_eq(strncmp(page, DOCTYPE, strlen(DOCTYPE)), 0);
    expect_xml(page + strlen(DOCTYPE));
    ck_assert_int_eq(count_of(page, "<script"), 1);
    expect_text(page, "<script>\n//<![CDATA[\n");
    ck_assert_ptr_null(strstr(page, "<link"));
    ck_assert_ptr_null(strstr(page, "src="));
    for (const char *at = page; (at = strstr(at, "href=")); at++)
        ck_assert_msg(at[6] == '#' || is_file_beside(at + 6), "a link to elsewhere: %.60s", at);
    return page;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* A config, and a directory for its results. */
static const char *small(char directory[256], const char *name)
{
    snprintf(directory, 256, "%s", temporary_path(name));
    return temporary_file("small.cfg", small_config, -1);
}

/* Page and summary name the commit that --version names, or none. */
static void expect_commit(const char *directory)
{
    char commit[64] = "", fact[128], member[128] = "\"commit\": null";
    sscanf(run_program("--version")->output, "cgsolve %*s commit: %63s", commit);
    if (!strcmp(commit, "unknown"))
        *commit = '\0';
    snprintf(fact, sizeof fact, "<dt>commit</dt><dd>%s", commit);
    if (*commit)
        snprintf(member, sizeof member, "\"commit\": \"%s\"", commit);
    ck_assert_int_eq(strstr(page_at(in(directory, "report.html")), fact) != NULL, *commit != 0);
    expect_text(file_text(in(directory, "summary.json")), member);
}

/* The hashes of the system, and which triangle each kernel reads. */
static void expect_facts(const char *directory)
{
    char storage[64];
    const char *page = page_at(in(directory, "report.html"));
    json_t *summary = read_summary(directory), *problem = json_object_get(summary, "problem");
    expect_text(page, json_string_value(json_object_get(problem, "matrix_hash")));
    expect_text(page, json_string_value(json_object_get(problem, "rhs_hash")));
    for (int k = 0; k < 2; k++) {
        json_t *kernel = summary_kernel(summary, k);
        snprintf(storage, sizeof storage, "<td class=\"text\">%s</td>",
                 json_string_value(json_object_get(kernel, "storage")));
        expect_text(page, storage);
    }
    json_decref(summary);
}

START_TEST(a_study_ends_with_its_page)
{
    char directory[256];
    const char *config = small(directory, "study");
    struct outcome *outcome = run_program("--output %s %s", directory, config);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->errors, "");
    char last[700];
    snprintf(last, sizeof last, "\nreport    %s\n", in(directory, "report.html"));
    expect_text(outcome->output, last);
    const char *page = page_at(in(directory, "report.html"));
    ck_assert_int_ge(count_of(page, "<svg "), 3);
    ck_assert_int_eq(count_of(page, "<svg "), count_of(page, "role=\"img\""));
    expect_text(page, "<strong>reference</strong>: 2 runs, one history: <code>");
    expect_text(page, "<th scope=\"row\" class=\"text kernel\">cpu_sym_bitwise</th>");
    expect_text(page, "max_iterations = 10000;"); /* settings.cfg */
    expect_text(page, "n = 120, ");
    ck_assert_ptr_null(strstr(page, "Not drawn"));
    expect_facts(directory);
    expect_commit(directory);
}
END_TEST

START_TEST(the_config_decides_whether_there_is_a_page)
{
    static const struct {
        const char *options;
        bool page, said;
    } calls[] = {{"", true, true},
                 {"--quiet", false, false},
                 {"--set output.report=false", false, false},
                 {"--quiet --set output.report=true", true, false}};
    char directory[256];
    const char *config = small(directory, "decides");
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        struct outcome *outcome =
            run_program("%s --set output.directory=%s %s", calls[k].options, directory, config);
        expect_exit(outcome, 0);
        ck_assert_int_eq(is_there(in(directory, "report.html")), calls[k].page);
        ck_assert_int_eq(strstr(outcome->output, "report.html") != NULL, calls[k].said);
        expect_exit(run_program("--check-config %s", in(directory, "settings.cfg")), 0);
    }
    struct outcome *outcome = run_program("--set output.report=maybe %s", config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "output.report wants true or false, not the string \"maybe\"");
}
END_TEST

/* In the markup and in the pictures. */
START_TEST(labels_are_texts)
{
    static const char label[] = "a\"b<c>&'$(x)`id`{_2}\\n \xc3\xa4 ]]>";
    char directory[512];
    snprintf(directory, sizeof directory, "%s", results_made("labels", label, 2, 2, 5));
    expect_exit(run_program("report %s", directory), 0);
    const char *page = page_at(in(directory, "report.html"));
    expect_text(page, "a&quot;b&lt;c&gt;&amp;'$(x)`id`{_2}\\n \xc3\xa4 ]]&gt;</th>");
    expect_text(page, ">a&quot;b&lt;c&gt;&amp;'$(x)`id`{_2}\\n \xc3\xa4 ]]&gt;</text>");
    expect_xml(strchr(page, '>') + 1);
    results_write(directory, "settings.cfg", "# </pre><b>&\n");
    expect_exit(run_program("report %s", directory), 0);
    expect_text(page_at(in(directory, "report.html")), "# &lt;/pre&gt;&lt;b&gt;&amp;\n");
}
END_TEST

/* Without rsvg-convert, and with one that fails: an .svg and the page have their pictures, a .png
 * is not there, and it is said why. */
START_TEST(pictures_without_a_converter)
{
    char directory[512], tools[512];
    snprintf(directory, sizeof directory, "%s", results_made("bare", "a", 3, 3, 5));
    snprintf(tools, sizeof tools, "%s", temporary_path("tools"));
    mkdir(tools, 0777);
    ck_assert_int_eq(setenv("PATH", tools, 1), 0);
    expect_exit(run_program("report --picture %s/x.svg %s", directory, directory), 0);
    expect_exit(run_program("report %s", directory), 0);
    expect_text(page_at(in(directory, "report.html")), "<svg ");
    struct outcome *outcome = run_program("report --picture %s/x.png %s", directory, directory);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "rsvg-convert is not installed here; an .svg needs nothing");

    results_write(tools, "rsvg-convert", "#!/bin/sh\necho 'half a picture'\nexit 1\n");
    ck_assert_int_eq(chmod(in(tools, "rsvg-convert"), 0755), 0);
    outcome = run_program("report --picture %s/x.png %s", directory, directory);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "rsvg-convert failed");
    ck_assert(!is_there(in(directory, "x.png")) && !is_there(in(directory, "x.png.partial")));
}
END_TEST

START_TEST(what_is_left_out_is_said)
{
    char directory[512];
    snprintf(directory, sizeof directory, "%s", results_made("thinned", "a", 300, 300, 2));
    expect_exit(run_program("report %s", directory), 0);
    const char *page = page_at(in(directory, "report.html"));
    expect_text(page, "The 200 runs drawn are spread evenly over the 300 different histories");
    expect_text(page, "There is no envelope.csv, so the band of all runs is not shaded.");
    expect_text(page, "so it cannot be told how far the residuals lie apart.");
    expect_text(page, "There is no settings.cfg.");
    ck_assert_ptr_null(strstr(page, "thinned out"));
    results_write(directory, "envelope.csv",
                  "kernel,iteration,runs,min,median,max,ulps\na,0,300,1,1,1,0\na,1,300,1,1,2,7\n");
    expect_exit(run_program("report %s", directory), 0);
    expect_text(page_at(in(directory, "report.html")), "The shaded band lies between");

    snprintf(directory, sizeof directory, "%s", results_made("long", "a", 1, 1, 1000));
    results_write(directory, "envelope.csv",
                  "kernel,iteration,runs,min,median,max,ulps\na,0,1,1,1,1,0\na,1,1,1,1,2,7\n");
    expect_exit(run_program("report %s", directory), 0);
    page = page_at(in(directory, "report.html"));
    expect_text(page, "thinned out: of every 4 iterations those with");
    ck_assert_ptr_null(strstr(page, "shaded band")); /* one history lies in none */
    ck_assert_int_eq(count_of(page, "<svg "), 8);    /* each for two widths */
    ck_assert_int_eq(count_of(page, " viewBox=\"0 0 390 "), 4);
}
END_TEST

/* A residual of 0 and those that are no numbers have no place on the axis. */
START_TEST(residuals_that_cannot_be_drawn)
{
    char directory[512];
    snprintf(directory, sizeof directory, "%s", results_made("nan", "a", 1, 1, 2));
    results_cut(directory, "history.csv", "\na,1,0",
                "\na,1,0,1,0x1p+0,,\na,1,1,nan,nan,,\na,1,2,inf,inf,,\n");
    expect_exit(run_program("report %s", directory), 0);
    ck_assert_int_eq(count_of(page_at(in(directory, "report.html")), "<svg "), 6);
    results_cut(directory, "history.csv", "\na,1,0",
                "\na,1,0,0,0x0p+0,,\na,1,1,nan,nan,,\na,1,2,nan,nan,,\n");
    struct outcome *outcome = run_program("report %s", directory);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->errors, "");
    expect_text(page_at(in(directory, "report.html")), "No residual is a positive number");
    outcome = run_program("report --picture %s/x.svg %s", directory, directory);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "x.svg: No residual is a positive number");
}
END_TEST

START_TEST(runs_that_did_not_converge)
{
    char directory[512];
    snprintf(directory, sizeof directory, "%s", results_made("limit", "a", 4, 1, 3));
    results_edit(directory, "summary.json", "converged", "iteration limit");
    expect_exit(run_program("report %s", directory), 0);
    const char *page = page_at(in(directory, "report.html"));
    expect_text(page,
                "<strong>a</strong>: 1 solution in 4 runs, 3 iterations; "
                "<span class=\"wrong\">1 of 4 did not converge (iteration limit)</span></li>");
    expect_text(page, "<td>4 <span class=\"wrong\">1 failed</span></td>");
    expect_text(page, "<strong class=\"wrong\">1 of 4 did not converge</strong>: iteration limit.");
    expect_text(page, "A cross is a run that did not converge.");

    results_edit(directory, "summary.json", "converged", "stagnation");
    results_edit(directory, "summary.json", "converged", "stagnation");
    expect_exit(run_program("report %s", directory), 0);
    page = page_at(in(directory, "report.html"));
    expect_text(page, ">3 of 4 did not converge (1 iteration limit, 2 stagnation)</span></li>");
    expect_text(page, ">3 of 4 did not converge</strong>: 1 iteration limit, 2 stagnation.");

    results_edit(directory, "summary.json", "\"guarantee\": \"bitwise\"",
                 "\"guarantee\": \"bitwise\", \"promise\": \"broken\"");
    expect_exit(run_program("report %s", directory), 0);
    page = page_at(in(directory, "report.html"));
    expect_text(page,
                "<span class=\"wrong\">promise broken: other bits than it promises</span></li>");
    expect_text(page, "<span class=\"wrong\">promise broken</span></td>");
}
END_TEST

/* What was studied and what came of it stand before the first picture; the table stands behind the
 * last. */
START_TEST(the_page_begins_with_the_verdict)
{
    char directory[512];
    snprintf(directory, sizeof directory, "%s", results_made("verdict", "a & b", 8, 3, 400));
    expect_exit(run_program("report %s", directory), 0);
    const char *page = page_at(in(directory, "report.html"));
    const char *title = "poisson3d, n = 8: conjugate gradients with a &amp; b, 8 runs";
    const char *verdict =
        strstr(page, "<strong>a &amp; b</strong>: 3 different solutions in 8 runs, "
                     "400 iterations</li>");
    const char *picture = strstr(page, "<svg ");
    expect_text(page, title);
    ck_assert_ptr_nonnull(verdict);
    ck_assert(strstr(page, title) < verdict && verdict < picture);
    ck_assert(strstr(page, "<h3>The last iterations</h3>") < picture);
    ck_assert(strstr(page, "<h3>Residual histories</h3>") > picture);
    for (const char *at = picture; (at = strstr(at, "<svg ")); at++)
        ck_assert(at < strstr(page, "<table"));
    expect_text(page, "<h3>The last iterations</h3>");
    expect_text(page, "The residual histories from iteration 380 on");
    expect_text(page, "<a href=\"history.csv\">history.csv</a>");
    expect_exit(run_program("report --output %s.html %s", directory, directory), 0);
    char other[600];
    snprintf(other, sizeof other, "%s.html", directory);
    ck_assert_ptr_null(strstr(page_at(other), "<a href=")); /* the files lie elsewhere */
}
END_TEST

/* A browser shows the title of the curve under the pointer. */
START_TEST(curves_are_named)
{
    char directory[512];
    snprintf(directory, sizeof directory, "%s", results_made("named", "<k>", 6, 2, 60));
    expect_exit(run_program("report --picture %s/p.svg %s", directory, directory), 0);
    expect_exit(run_program("report %s", directory), 0);
    const char *const files[] = {"p.svg", "report.html"};
    for (int k = 0; k < 2; k++) {
        const char *text = file_text(in(directory, files[k]));
        expect_text(text,
                    "class=\"curve\" data-kernel=\"0\"><title>&lt;k&gt;, runs 1, 3 and 5</title>");
        expect_text(text, "class=\"key\" data-kernel=\"0\"><title>&lt;k&gt;</title>");
    }
    expect_text(file_text(in(directory, "report.html")),
                " data-x=\"iteration\" data-y=\"residual\"");
}
END_TEST

/* Who asks for a picture alone, or for a page elsewhere, keeps the page that is there. */
START_TEST(the_page_is_not_made_again_unasked)
{
    char directory[512];
    snprintf(directory, sizeof directory, "%s", results_made("kept", "a", 1, 1, 3));
    results_write(directory, "report.html", "mine");
    struct outcome *outcome = run_program("report --picture %s/p.svg %s", directory, directory);
    expect_exit(outcome, 0);
    ck_assert_ptr_null(strstr(outcome->output, "report"));
    ck_assert_str_eq(file_text(in(directory, "report.html")), "mine");
    outcome = run_program("report --output %s/other.html %s", directory, directory);
    expect_exit(outcome, 0);
    ck_assert_ptr_null(strstr(outcome->output, "report.html"));
    ck_assert_str_eq(file_text(in(directory, "report.html")), "mine");
}
END_TEST

START_TEST(several_directories_in_one_page)
{
    char one[512], two[512], page_path[512];
    snprintf(one, sizeof one, "%s", results_made("one", "a", 2, 2, 3));
    snprintf(two, sizeof two, "%s", results_made("two & more", "a", 2, 1, 4));
    results_edit(two, "summary.json", "9.9.9", "8.8.8");
    snprintf(page_path, sizeof page_path, "%s", temporary_path("both.html"));
    struct outcome *outcome = run_program("report '%s' '%s' --output %s", one, two, page_path);
    expect_exit(outcome, 0);
    const char *page = page_at(page_path);
    ck_assert_int_eq(count_of(page, "<article>"), 4);
    ck_assert_int_eq(count_of(page, "<table "), 1);
    ck_assert_int_eq(count_of(page, "<svg "), 12);
    expect_text(page, "two &amp; more</h2>\n<p class=\"lead\">poisson3d, n = 8, 32 entries. a "
                      "processor, 2 threads; cgsolve 8.8.8.</p>");
    expect_text(page, "two &amp; more</td><th scope=\"row\" class=\"text kernel\">a</th>");
    ck_assert_int_eq(count_of(page, " id="), 1); /* of the table: no other is there twice */
    ck_assert(!is_there(in(one, "report.html")));
}
END_TEST

START_TEST(pictures_of_their_own)
{
    static const struct {
        const char *ending, *begins;
    } kinds[] = {{"svg", "<?xml"}, {"pdf", "%PDF-"}, {"png", "\x89PNG"}};
    char directory[512], path[600];
    snprintf(directory, sizeof directory, "%s", results_made("picture", "a", 2, 2, 3));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        snprintf(path, sizeof path, "%s/picture.%s", directory, kinds[k].ending);
        struct outcome *outcome = run_program("report --picture %s %s", path, directory);
        expect_exit(outcome, 0);
        expect_text(outcome->output, path);
        ck_assert_int_eq(strncmp(file_text(path), kinds[k].begins, strlen(kinds[k].begins)), 0);
    }
}
END_TEST

/* Each is the one that was asked for: it has the words of its axis, and the others have not. */
START_TEST(a_picture_of_each_kind)
{
    static const char *const kinds[][2] = {{"histories", ">residual"},
                                           {"counts", ">iterations<"},
                                           {"ulps", ">ulps<"},
                                           {"speed", ">GB/s<"}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    char directory[512], path[600];
    snprintf(directory, sizeof directory, "%s", results_made("kinds", "a", 2, 2, 3));
    results_write(directory, "envelope.csv",
                  "kernel,iteration,runs,min,median,max,ulps\na,0,2,1,1,1,0\na,1,2,1,1,2,7\n");
    snprintf(path, sizeof path, "%s/kind.svg", directory);
    for (int k = 0; k < KINDS; k++) {
        expect_exit(run_program("report --picture %s --of %s %s", path, kinds[k][0], directory), 0);
        const char *picture = file_text(path);
        expect_xml(strstr(picture, "<svg"));
        for (int other = 0; other < KINDS; other++)
            ck_assert_msg((strstr(picture, kinds[other][1]) != NULL) == (other == k),
                          "--of %s: \"%s\"", kinds[k][0], kinds[other][1]);
    }
}
END_TEST

/* What other programs took is said beside the times, and nothing where they took little. */
START_TEST(a_busy_machine_is_said_beside_the_times)
{
    static const struct {
        const char *taken, *said;
    } cases[] = {{"0.65", "Other programs took 65 % of the processors"}, {"0.05", NULL}};
    char directory[512], path[600];
    for (int k = 0; k < 2; k++) {
        snprintf(directory, sizeof directory, "%s", results_made("busy", "a", 2, 2, 3));
        snprintf(path, sizeof path, "%s/summary.json", directory);
        json_t *summary = json_load_file(path, 0, NULL);
        json_t *machine = json_object_get(summary, "machine");
        json_object_set_new(machine, "others", json_real(strtod(cases[k].taken, NULL)));
        ck_assert_int_eq(json_dump_file(summary, path, 0), 0);
        json_decref(summary);
        expect_exit(run_program("report %s", directory), 0);
        snprintf(path, sizeof path, "%s/report.html", directory);
        const char *page = file_text(path);
        if (cases[k].said)
            expect_text(page, cases[k].said);
        else
            ck_assert_ptr_null(strstr(page, "Other programs took"));
    }
}
END_TEST

START_TEST(a_condition_that_rounding_hides_is_no_number)
{
    char directory[512], path[600], config[1024], two[512];
    snprintf(two, sizeof two, "%s",
             temporary_file("two.mtx",
                            "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n"
                            "1 1 1\n2 2 1e-17\n",
                            -1));
    snprintf(config, sizeof config,
             "problem = { type = \"mtx\"; path = \"%s\"; };\nkernels = ( \"cpu_csr\" );\n", two);
    snprintf(directory, sizeof directory, "%s", temporary_path("hidden"));
    snprintf(path, sizeof path, "%s/report.html", directory);
    expect_exit(run_program("--output %s %s", directory, temporary_file("two.cfg", config, -1)), 0);
    expect_text(file_text(path), ": the condition number is above ");
}
END_TEST

/* Where the history has the column, and where not. */
START_TEST(the_error_is_drawn_where_it_is_known)
{
    static const char title[] = "Residual and estimated error";
    char directory[512], path[600];
    snprintf(directory, sizeof directory, "%s", results_made("without", "a", 1, 1, 3));
    snprintf(path, sizeof path, "%s/report.html", directory);
    expect_exit(run_program("report %s", directory), 0);
    ck_assert_ptr_null(strstr(file_text(path), title));
    expect_exit(run_program("report --picture %s/e.svg --of error %s", directory, directory), 4);

    snprintf(directory, sizeof directory, "%s", temporary_path("with"));
    snprintf(path, sizeof path, "%s/report.html", directory);
    expect_exit(
        run_program("--output %s %s", directory, temporary_file("small.cfg", small_config, -1)), 0);
    expect_text(file_text(path), title);
    expect_text(file_text(path), " Ritz values from ");
    expect_text(file_text(path), ": the condition number is at least about ");
    snprintf(path, sizeof path, "%s/e.svg", directory);
    expect_exit(run_program("report --picture %s --of error %s", path, directory), 0);
    expect_text(file_text(path), ", estimated");
}
END_TEST

/* Where the history tells of any. */
START_TEST(ghosts_are_drawn_where_there_are_any)
{
    char directory[512], path[600];
    snprintf(directory, sizeof directory, "%s", results_made("ghosts", "a", 1, 1, 3));
    snprintf(path, sizeof path, "%s/report.html", directory);
    struct outcome *outcome =
        run_program("report --picture %s/g.svg --of ghosts %s", directory, directory);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "g.svg: history.csv has no column of ghosts");
    results_edit(directory, "history.csv", "alpha,beta", "alpha,ghosts");
    results_edit(directory, "history.csv", ",0x1p-1,,", ",0x1p-1,,0");
    outcome = run_program("report --picture %s/g.svg --of ghosts %s", directory, directory);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "g.svg: No run has a ghost");
    expect_exit(run_program("report %s", directory), 0);
    ck_assert_ptr_null(strstr(page_at(path), "<h3>Ghosts"));

    results_edit(directory, "history.csv", ",0x1p-1,,0", ",0x1p-1,,2");
    expect_exit(run_program("report %s", directory), 0);
    expect_text(page_at(path), "The first one of a: at iteration 1.");
    expect_exit(run_program("report --picture %s/g.svg --of ghosts %s", directory, directory), 0);
    expect_text(file_text(in(directory, "g.svg")), ">ghosts<");
}
END_TEST

/* What is said of eigenvalues, and the first ghost of a kernel with the guarantee bitwise, which
 * comes at one iteration on every machine. */
START_TEST(a_page_of_eigenvalues)
{
    static const char config[] =
        "problem = { type = \"network\"; n = 10; decades = 1; ground = 1e-2; };\n"
        "solver = { method = \"lanczos\"; };\n"
        "eigen = { count = 4; which = \"largest\"; reorthogonalization = \"none\"; restart = 300; "
        "};\n"
        "kernels = ( \"cpu_sym_bitwise\" );\nrepeats = 2;\n";
    char directory[512];
    snprintf(directory, sizeof directory, "%s", temporary_path("eigenvalues"));
    const char *path = temporary_file("eigenvalues.cfg", config, -1);
    expect_exit(run_program("--output %s %s", directory, path), 0);
    const char *page = page_at(in(directory, "report.html"));
    expect_text(page, ">residual ‖A v − θ v‖ / |θ|, bound<");
    expect_text(page, "lanczos, ‖A v − θ v‖ ≤ 10<sup>−10</sup> |θ|, at most");
    expect_text(page, "the eigenvalues are equal in every bit");
    expect_text(page, "The residual is the largest bound of ‖A v − θ v‖ / |θ|");
    expect_text(page, ">tolerance<");
    expect_text(page, "The first one of cpu_sym_bitwise: at iteration 101.");
    ck_assert_ptr_null(strstr(page, "‖r‖"));
}
END_TEST

/* What an .svg of many residuals takes. */
START_TEST(a_picture_is_small)
{
    char directory[512], path[600];
    snprintf(directory, sizeof directory, "%s", results_made("size", "a", 10, 10, 900));
    snprintf(path, sizeof path, "%s/small.svg", directory);
    expect_exit(run_program("report --picture %s %s", path, directory), 0);
    size_t length = strlen(file_text(path));
    ck_assert_msg(length < 100000, "%zu bytes", length);
}
END_TEST

/* The column is there, a 1 % that no runs lie apart is a dash, and an older file does not tell. */
START_TEST(one_per_cent_apart)
{
    static const char *const told[][2] = {{"\"first_apart\": 2, ", "<td>0</td><td>2</td>"},
                                          {"\"first_apart\": null, ", "<td>0</td><td>-</td>"},
                                          {"", "<td>0</td><td></td>"}};
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        char directory[512], with[100];
        snprintf(directory, sizeof directory, "%s", results_made("apart", "a", 2, 2, 3));
        snprintf(with, sizeof with, "%s\"first_divergence\"", told[k][0]);
        results_edit(directory, "summary.json", "\"first_divergence\"", with);
        expect_exit(run_program("report %s", directory), 0);
        const char *page = page_at(in(directory, "report.html"));
        expect_text(page, "\">1 % apart</th>");
        expect_text(page, told[k][1]);
    }
}
END_TEST

/* Two entries of one kernel differ in a parameter alone; and where no kernel has two histories no
 * band is spoken of. */
START_TEST(parameters_and_bands_are_told_where_they_are)
{
    char directory[256];
    const char *config = small(directory, "parameters");
    expect_exit(run_program("--quiet --set output.report=true --output %s --set "
                            "'kernels=(\"cpu_csr\",{name=\"cpu_csr\";label=\"f\";"
                            "precision=\"float_double\";})' --set solver.tolerance=1e-3 %s",
                            directory, config),
                0);
    const char *page = file_text(in(directory, "report.html"));
    expect_text(page, "<code>cpu_csr</code>, precision = double");
    expect_text(page, "<code>cpu_csr</code>, precision = float_double");
    ck_assert_ptr_null(strstr(page, "shaded band"));
    ck_assert_ptr_null(strstr(page, "There is no envelope.csv"));
}
END_TEST

START_TEST(a_small_plot_where_it_is_asked_for)
{
    char directory[256], text[1 << 14];
    const char *config = small(directory, "terminal");
    bool terminal = run_on_terminal(1, 80, text, sizeof text, "--output %s %s", directory, config);
    if (!terminal)
        expect_exit(run_program("--output %s %s", directory, config), 0);
    ck_assert(!terminal || !strstr(text, "***reference"));
    struct outcome *outcome = run_program("report --plot %s", directory);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "***reference");
}
END_TEST

/* With labels that leave room for no other beside them, and more of them than the picture has lines
 * by itself: each has its own line, whole and above the picture, and of equal curves each is on top
 * somewhere. */
START_TEST(labels_and_equal_curves_of_the_small_plot)
{
    enum { KERNELS = 7 };
    char directory[256], kernels[1024] = "", label[64], sign = ' ';
    const char *config = small(directory, "labels"), *below = NULL;
    for (int k = 0; k < KERNELS; k++)
        sprintf(kernels + strlen(kernels), "%s{name=\"cpu_csr\";label=\"%032d\";}", k ? "," : "",
                k);
    expect_exit(run_program("--quiet --output %s --set problem.n=16 --set 'kernels=(%s)' %s",
                            directory, kernels, config),
                0);
    struct outcome *outcome = run_program("report --plot %s", directory);
    expect_exit(outcome, 0);
    const char *picture = strstr(outcome->output, " |");
    ck_assert_ptr_nonnull(picture);
    for (int k = 0; k < KERNELS; k++) {
        snprintf(label, sizeof label, "%032d", k);
        below = strstr(outcome->output, label);
        ck_assert_msg(below && below < picture, "%s", outcome->output);
        sign = below[-1];
        below += strspn(below + strlen(label), " ") + strlen(label);
        ck_assert_msg(sign != ' ' && *below == '\n' && strchr(picture, sign), "%c: %s", sign,
                      outcome->output);
    }
}
END_TEST

START_TEST(wrong_calls_and_files)
{
    static const char *const wrong[][2] = {
        {"", "report wants a directory of results"},
        {"''", "report wants directories, not ''"},
        {"a b", "report of 2 directories wants an --output FILE"},
        {"a b --output c --picture d.svg", "--picture d.svg: is of one directory, not of 2"},
        {"a --picture d.gif", "ends with .pdf, .png or .svg"},
        {"a --picture d.svg --of peaks",
         "--of peaks: wants last, histories, error, ritz, ghosts, counts, ulps, speed or pattern"},
        {"a --of ulps", "--of ulps: is for a --picture FILE"},
        {"a --output", "--output wants a value"},
        {"a --output ''", "--output wants a file"},
        {"a --threads 2", "--threads: no such option of report"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct outcome *outcome = run_program("report %s", wrong[k][0]);
        expect_exit(outcome, 2);
        expect_text(outcome->errors, wrong[k][1]);
    }
    struct outcome *outcome = run_program("report /no/such");
    expect_exit(outcome, 3);
    expect_text(outcome->errors,
                "/no/such: cannot read: No such file or directory; report takes directories of "
                "results, or a CSV file");
    char directory[512];
    snprintf(directory, sizeof directory, "%s", results_made("wrong", "a", 1, 1, 3));
    outcome = run_program("report --output /no/such/page.html -- %s", directory);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "/no/such/page.html");
    results_edit(directory, "history.csv", ",0x1p-1,", ",x,");
    outcome = run_program("report %s", directory);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "history.csv:3: ");
    ck_assert(!is_there(in(directory, "report.html")));
    outcome = run_program("report --help");
    expect_exit(outcome, 0);
    expect_text(outcome->output, "cgsolve report [options] DIR...");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_study_ends_with_its_page,
                            the_config_decides_whether_there_is_a_page,
                            labels_are_texts,
                            pictures_without_a_converter,
                            what_is_left_out_is_said,
                            residuals_that_cannot_be_drawn,
                            runs_that_did_not_converge,
                            the_page_begins_with_the_verdict,
                            curves_are_named,
                            the_page_is_not_made_again_unasked,
                            several_directories_in_one_page,
                            pictures_of_their_own,
                            a_picture_of_each_kind,
                            a_busy_machine_is_said_beside_the_times,
                            a_condition_that_rounding_hides_is_no_number,
                            the_error_is_drawn_where_it_is_known,
                            ghosts_are_drawn_where_there_are_any,
                            a_page_of_eigenvalues,
                            a_picture_is_small,
                            one_per_cent_apart,
                            a_small_plot_where_it_is_asked_for,
                            parameters_and_bands_are_told_where_they_are,
                            labels_and_equal_curves_of_the_small_plot,
                            wrong_calls_and_files,
                            NULL};
    return suite_of("main/report", tests);
}
