/* The directory of a study: what is written while it goes on, what goes and what stays when it is
 * complete. */
#include "program/record/results.h"

#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Results, and files that only look like them. */
static const struct {
    const char *name;
    bool is_result;
} files[] = {
    {"settings.cfg", true},
    {"history.csv", true},
    {"history.csv.partial", true},
    {"envelope.csv", true},
    {"trace.csv", true},
    {"trace.npy.partial", true},
    {"summary.json", true},
    {"report.html", true},
    {"eigenvectors-a-1.npy", true},
    {"eigenvectors-b%20-12.npy.partial", true},
    {"solution-a-1.npy", true},
    {"solution-a-2-30.mtx.partial", true},
    {"solution-a-1.txt", true},
    {"bench.csv", false},
    {"history.csv.kept", false},
    {"my-history.csv", false},
    {"eigenvectors.npy", false},
    {"my-eigenvectors-a-1.npy", false},
    {"eigenvectors-a-1.npz", false},
    {"eigenvectors-a-1.txt", false},
    {"eigenvectors-1.npy", false},
    {"solution-exact.txt", false},
    {"solution-a-1.mtx.gz", false},
    {"solution-a-1b.mtx", false},
    {"solution-a-1mtx", false},
    {"solution-a-.txt", false},
    {"solution-a-1.none", false},
};
enum { FILES = sizeof files / sizeof *files };

static char output[200], unfinished[220];

static const char *in(const char *directory, const char *name)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static bool is_there(const char *directory, const char *name)
{
    struct stat info;
    return lstat(in(directory, name), &info) == 0;
}

/* Whether DIRECTORY/NAME is there and holds that text. */
static bool holds(const char *directory, const char *name, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(in(directory, name), "r");
    if (!file)
        return false;
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    return strcmp(found, text) == 0;
}

static void fill(const char *directory, const char *text, bool results_alone)
{
    struct error error;
    expect_ok(directory_make(directory, &error), &error);
    for (int k = 0; k < FILES; k++)
        if (files[k].is_result || !results_alone) {
            FILE *file = fopen(in(directory, files[k].name), "w"); /* the disk is not waited for */
            ck_assert_ptr_nonnull(file);
            fputs(text, file);
            fclose(file);
        }
}

static struct settings settings_for(const char *name)
{
    struct settings settings;
    struct error error;
    const char *config = temporary_file(
        "results.cfg", "problem = { type = \"poisson3d\"; n = 4; }; kernels = ( \"cpu_csr\" );\n",
        -1);
    snprintf(output, sizeof output, "%s", temporary_path(name));
    snprintf(unfinished, sizeof unfinished, "%s/" RESULTS_UNFINISHED, output);
    expect_ok(settings_read(config, NULL, 0, &settings, &error), &error);
    memory_free(settings.output.directory);
    settings.output.directory = memory_text(output, "a path", &error);
    return settings;
}

static enum status begin(const struct settings *settings, struct error *error)
{
    return results_begin(&settings->problem, &settings->solver, settings->output.directory,
                         unfinished, "repeats = 1;", error);
}

static enum status attempt(void *settings, struct error *error)
{
    return begin(settings, error);
}

START_TEST(a_beginning_touches_nothing_finished)
{
    struct settings settings = settings_for("begin");
    fill(output, "old", false);
    fill(unfinished, "older", false);
    walk_allocation_failures(attempt, &settings);
    for (int k = 0; k < FILES; k++) {
        ck_assert_msg(holds(output, files[k].name, "old"), "%s", files[k].name);
        bool is_settings = strcmp(files[k].name, "settings.cfg") == 0;
        ck_assert_msg(is_there(unfinished, files[k].name) == (is_settings || !files[k].is_result),
                      "%s", files[k].name);
    }
    ck_assert(!holds(unfinished, "settings.cfg", "older"));
    settings_free(&settings);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(the_end_replaces_all_results)
{
    struct error error;
    for (int again = 0; again < 2; again++) {
        struct settings settings = settings_for("end");
        fill(output, "old", false);
        expect_ok(begin(&settings, &error), &error);
        if (again) { /* all kinds */
            fill(unfinished, "new", true);
            expect_ok(text_file_whole(unfinished, "note", "mine", 4, &error), &error);
        } else {
            expect_ok(text_file_whole(unfinished, "summary.json", "new", 3, &error), &error);
        }
        expect_ok(results_replace(output, unfinished, &error), &error);
        for (int k = 0; k < FILES; k++) {
            const char *name = files[k].name;
            bool is_new = again || strcmp(name, "summary.json") == 0;
            if (!files[k].is_result)
                ck_assert_msg(holds(output, name, "old"), "%s", name);
            else if (is_new)
                ck_assert_msg(holds(output, name, "new"), "%s", name);
            else
                ck_assert_msg(is_there(output, name) == (strcmp(name, "settings.cfg") == 0), "%s",
                              name);
        }
        ck_assert(is_there(output, RESULTS_UNFINISHED) == again);
        ck_assert(holds(unfinished, "note", "mine") == again);
        settings_free(&settings);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* As often as the exchange is cut, by memory that runs out, and gone on with at the next
 * beginning. */
START_TEST(a_cut_exchange_loses_nothing)
{
    struct error error;
    bool cut = true;
    for (int64_t allowed = 0; cut; allowed++) {
        struct settings settings = settings_for("cut");
        fill(output, "old", false);
        expect_ok(begin(&settings, &error), &error);
        fill(unfinished, "new", true);
        memory_fail_after(allowed);
        enum status status = results_replace(output, unfinished, &error);
        memory_fail_after(-1);
        cut = status != STATUS_OK;
        if (holds(output, "summary.json", "old")) /* the first to go */
            ck_assert(holds(unfinished, "summary.json", "new") && cut);
        else
            for (int k = 0; k < FILES; k++)
                ck_assert_msg(!files[k].is_result || holds(output, files[k].name, "new") ||
                                  holds(unfinished, files[k].name, "new"),
                              "%s", files[k].name);
        bool begun = is_there(unfinished, "complete") || is_there(unfinished, "moving") || !cut;
        expect_ok(begin(&settings, &error), &error);
        for (int k = 0; k < FILES; k++)
            ck_assert_msg(holds(output, files[k].name, begun && files[k].is_result ? "new" : "old"),
                          "%s after %d allocations", files[k].name, (int)allowed);
        ck_assert(!is_there(unfinished, "moving") && !is_there(unfinished, "complete"));
        settings_free(&settings);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Marks of an exchange without the summary that it was about, as somebody leaves them who removes
 * files by hand: what is complete stays, and a study begins and ends. */
START_TEST(every_remain_can_be_left)
{
    struct error error;
    static const char *const marks[] = {"complete", "moving"};
    for (int k = 0; k < 12; k++) { /* by k / 4 one mark, the other, or both */
        char name[16];
        snprintf(name, sizeof name, "marks%d", k);
        struct settings settings = settings_for(name);
        bool earlier = k & 1, remains = k & 2;
        if (earlier)
            fill(output, "old", true);
        expect_ok(directory_make(unfinished, &error), &error);
        if (remains)
            fill(unfinished, "cut", true);
        expect_ok(text_file_remove(unfinished, "summary.json", &error), &error);
        for (int mark = 0; mark < 2; mark++)
            if (k >> 2 != mark)
                expect_ok(text_file_whole(unfinished, marks[mark], "", 0, &error), &error);
        expect_ok(begin(&settings, &error), &error);
        for (int f = 0; f < FILES; f++)
            ck_assert_msg(
                is_there(output, files[f].name) == (earlier && files[f].is_result) &&
                    (!earlier || !files[f].is_result || holds(output, files[f].name, "old")),
                "%s in case %d", files[f].name, k);
        fill(unfinished, "new", true);
        expect_ok(results_replace(output, unfinished, &error), &error);
        ck_assert(holds(output, "summary.json", "new") && !is_there(output, RESULTS_UNFINISHED));
        settings_free(&settings);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Before anything is solved. */
START_TEST(what_is_in_the_way_is_said)
{
    struct error error;
    struct settings settings = settings_for("way");
    expect_ok(directory_make(in(output, "trace.csv"), &error), &error);
    fill(unfinished, "older", true);
    expect_error(begin(&settings, &error), STATUS_OUTPUT, &error, "way/trace.csv: is a directory",
                 NULL);
    ck_assert(holds(unfinished, "summary.json", "older"));
    ck_assert_int_eq(rmdir(in(output, "trace.csv")), 0);
    expect_ok(directory_make(in(output, "summary.json"), &error), &error);
    expect_error(begin(&settings, &error), STATUS_OUTPUT, &error,
                 "way/summary.json: is a directory", NULL);
    settings_free(&settings);

    settings = settings_for("file");
    expect_ok(directory_make(output, &error), &error);
    expect_ok(text_file_whole(output, RESULTS_UNFINISHED, "mine", 4, &error), &error);
    expect_error(begin(&settings, &error), STATUS_OUTPUT, &error,
                 "file/unfinished: is not a directory", NULL);
    ck_assert(holds(output, RESULTS_UNFINISHED, "mine"));
    settings_free(&settings);

    settings = settings_for("way/unfinished");
    expect_error(begin(&settings, &error), STATUS_CONFIG, &error,
                 "way/unfinished\": a directory of this name holds", NULL);
    settings_free(&settings);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Nothing is written, or removed, where it leads. */
START_TEST(a_link_is_not_followed)
{
    struct error error;
    char elsewhere[200];
    snprintf(elsewhere, sizeof elsewhere, "%s", temporary_path("elsewhere"));
    fill(elsewhere, "precious", false);
    struct settings settings = settings_for("link");
    expect_ok(directory_make(output, &error), &error);
    ck_assert_int_eq(symlink(elsewhere, unfinished), 0);
    expect_ok(begin(&settings, &error), &error);
    for (int k = 0; k < FILES; k++)
        ck_assert(holds(elsewhere, files[k].name, "precious"));
    ck_assert(is_there(unfinished, "settings.cfg"));
    settings_free(&settings);
}
END_TEST

START_TEST(results_are_told_from_others)
{
    struct settings settings = settings_for("told");
    fill(output, "x", false);
    fill(unfinished, "x", false);
    for (int k = 0; k < FILES; k++) {
        ck_assert(results_include(output, in(output, files[k].name)) == files[k].is_result);
        ck_assert(results_include(output, in(unfinished, files[k].name)) == files[k].is_result);
        ck_assert(!results_include(output, in("/tmp", files[k].name)));
        ck_assert(!results_include(output, files[k].name));
    }
    settings_free(&settings);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_beginning_touches_nothing_finished, the_end_replaces_all_results,
                            a_cut_exchange_loses_nothing,         every_remain_can_be_left,
                            what_is_in_the_way_is_said,           a_link_is_not_followed,
                            results_are_told_from_others,         NULL};
    return suite_of("program/record/results", tests);
}
