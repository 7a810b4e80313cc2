/* What the program leaves on a terminal of 80 and of 120 columns, as the terminal would show it: no
 * line is longer than it is wide, the line that is rewritten leaves nothing, and the verdict on
 * each kernel is there. */
#include "support.h"

#include "main/mtx_texts.h"
#include "main/program.h"
#include "main/screen.h"
#include "main/terminal.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int widths[] = {80, 120};
enum { WIDTHS = sizeof widths / sizeof *widths };

static struct recording recording;
static struct screen screen;

/* Go to the directory of the tests: a path is as long as its name in it, wherever it lies, and
 * configs/ is there too. */
static void enter_directory(void)
{
    char configs[PATH_MAX];
    ck_assert_ptr_nonnull(realpath("configs", configs));
    ck_assert(symlink(configs, temporary_path("configs")) == 0 || errno == EEXIST);
    ck_assert_int_eq(chdir(temporary_path("")), 0);
}

/* The whole recording on a screen of so many columns: nothing was wrapped by the terminal. */
static void show(int columns, int lines_most)
{
    memset(&screen, 0, sizeof screen);
    screen.columns = columns;
    screen_write(&screen, recording.bytes, recording.length);
    ck_assert_msg(screen.wrapped == 0, "%d lines are wider than %d columns: %.3000s",
                  screen.wrapped, columns, recording.bytes);
    ck_assert_msg(screen.line <= lines_most, "%d lines: %.3000s", screen.line, recording.bytes);
}

/* The progress line was there, and nothing of it is left. */
static void expect_rewritten(int least)
{
    ck_assert_msg(screen.rewritten >= least, "rewritten %d times", screen.rewritten);
    for (int line = 0; line <= screen.line; line++) {
        ck_assert_ptr_null(strstr(screen.lines[line], "[#"));
        ck_assert_ptr_null(strstr(screen.lines[line], "[."));
        ck_assert_ptr_null(strstr(screen.lines[line], "setting up"));
    }
}

/* The bar of the progress line has one length in a terminal of one width, as often as it is
 * there. */
static void expect_bars(int columns, int least)
{
    static const char begins[] = "\r\033[K[";
    int bars = 0;
    for (const char *at = recording.bytes; (at = strstr(at, begins)); bars++) {
        at += strlen(begins);
        ck_assert_msg(strspn(at, "#.") == (columns < 100 ? 5 : 10), "%d columns: %.40s", columns,
                      at);
    }
    ck_assert_int_ge(bars, least);
}

static void expect_words(const char *part)
{
    const char *words = screen_words(&screen);
    ck_assert_msg(strstr(words, part) != NULL, "\"%s\" is missing in: %.3000s", part, words);
}

/* "label: 3 different solutions in 8 runs, 1561 to 1598 iterations": how many. */
static int expect_verdict(const char *label, int runs)
{
    char begin[64];
    int solutions = 0, told = 0, length = 0;
    snprintf(begin, sizeof begin, " %s: ", label);
    for (const char *at = screen_words(&screen); (at = strstr(at, begin)); at++)
        if (sscanf(at + strlen(begin), "%d different solutions in %d runs, %n", &solutions, &told,
                   &length) == 2 ||
            sscanf(at + strlen(begin), "%d solution in %d runs, %n", &solutions, &told, &length) ==
                2)
            break;
    ck_assert_msg(length > 0 && told == runs && solutions >= 1 && solutions <= runs,
                  "no verdict on %s in: %.3000s", label, screen_words(&screen));
    return solutions;
}

static void expect_exit_of(int exit_status)
{
    ck_assert_msg(WIFEXITED(recording.status) && WEXITSTATUS(recording.status) == exit_status,
                  "status %x: %.3000s", (unsigned)recording.status, recording.bytes);
}

/* ---- studies --------------------------------------------------------------------------------- */

START_TEST(quickstart)
{
    enter_directory();
    for (int w = 0; w < WIDTHS; w++) {
        if (!record_on_terminal(&recording, widths[w], NULL, "",
                                "--set problem.n=20 --set repeats=3 --output quickstart "
                                "configs/quickstart.cfg"))
            return;
        expect_exit_of(0);
        show(widths[w], 80);
        expect_rewritten(1);
        expect_verdict("atomics", 3);
        ck_assert_int_eq(expect_verdict("bitwise", 3), 1);
        expect_verdict("compensated", 3);
        expect_verdict("compensated all", 3);
        expect_words(" iterations distinct ");
        expect_words(" min median max histories ");
        expect_words(" ||b-Ax|| ");
        expect_words(" / ||b|| iteration ");
        expect_words(" more columns: --wide ");
        ck_assert_int_eq(strstr(screen_words(&screen), " guarantee converged ") != NULL,
                         widths[w] == 120);
    }
}
END_TEST

enum { SCREEN_USUAL = 24 }; /* lines, the last one for the shell */

/* Head of the table, verdicts and the page fit below one another on a usual screen. */
START_TEST(the_last_screen_has_all_that_matters)
{
    enter_directory();
    if (!record_on_terminal(&recording, 80, NULL, "",
                            "--set problem.n=12 --set repeats=3 --output last "
                            "configs/quickstart.cfg"))
        return;
    expect_exit_of(0);
    show(80, 80);
    /* what the machine is called decides whether all lines fit */
    int first = screen.line > SCREEN_USUAL - 1 ? screen.line - (SCREEN_USUAL - 1) : 0;
    for (int line = first; line < screen.line; line++)
        memmove(screen.lines[line - first], screen.lines[line], sizeof screen.lines[line]);
    memset(screen.lines[SCREEN_USUAL - 1], 0,
           sizeof screen.lines - (SCREEN_USUAL - 1) * sizeof *screen.lines);
    expect_words(" kernel converged min median max histories / ||b|| iteration atomics 3/3 ");
    expect_verdict("bitwise", 3);
    expect_words(" report ");
    expect_words(" last/report.html ");
    ck_assert_ptr_null(strstr(screen_words(&screen), " has the hash "));
}
END_TEST

/* What the table loses in a pipe or a file is what it loses on a terminal, and --details and --wide
 * show the rest. */
START_TEST(details_and_all_columns_are_asked_for)
{
    static const char *const details[] = {"bitwise: stores the matrix by diagonals, ",
                                          "bitwise: every history has the hash ",
                                          ": condition number >= ", " ms / iteration"};
    for (int asked = 0; asked < 2; asked++) {
        struct outcome *outcome =
            run_program("%s --set problem.n=12 --set repeats=3 --output %s configs/quickstart.cfg",
                        asked ? "--details --wide" : "", temporary_path("details"));
        expect_exit(outcome, 0);
        for (size_t k = 0; k < sizeof details / sizeof *details; k++)
            ck_assert_int_eq(strstr(outcome->output, details[k]) != NULL, asked);
        ck_assert_int_eq(strstr(outcome->output, " storage  guarantee  ") != NULL, asked);
        ck_assert_int_eq(strstr(outcome->output, "8 more columns: --wide\n") != NULL, !asked);
    }
}
END_TEST

/* What would take a minute elsewhere: the line is rewritten again and again. */
static const char long_config[] =
    "problem = { type = \"poisson3d\"; n = 40; };\n"
    "kernels = ( { name = \"cpu_csr\"; label = \"full rows in a long label of many words\"; },\n"
    "            { name = \"cpu_sym_bitwise\"; label = \"cpu_sym_bitwise_in_one_long_word\"; } );\n"
    "threads = 1;\n"
    "output = { report = false; };\n";

START_TEST(a_long_study)
{
    enter_directory();
    temporary_file("long.cfg", long_config, -1);
    for (int w = 0; w < WIDTHS; w++) {
        if (!record_on_terminal(&recording, widths[w], NULL, "",
                                "--set repeats=40 --output long long.cfg"))
            return;
        expect_exit_of(0);
        show(widths[w], 80);
        expect_rewritten(4);
        expect_bars(widths[w], 0);
        ck_assert_int_eq(expect_verdict("full rows in a long label of many words", 40), 1);
        ck_assert_int_eq(expect_verdict("cpu_sym_bitwise_in_one_long_word", 40), 1);
        ck_assert_ptr_nonnull(strstr(recording.bytes, " left in "));
        ck_assert_ptr_nonnull(strstr(recording.bytes, "/40, "));
    }
}
END_TEST

enum { NARROW = 50 };

/* Behind the first rewritten lines, where `mark` then is, the terminal gets narrower; a dozen lines
 * later it is over. */
static void make_narrower(struct recording *made)
{
    int rewritten = 0;
    for (size_t k = made->mark; k < made->length; k++)
        rewritten += made->bytes[k] == '\r';
    if (made->mark == 0 && rewritten >= 3) {
        terminal_resize(&made->terminal, NARROW);
        recording_catch_up(made);
        made->mark = made->length;
    } else if (made->mark > 0 && rewritten >= 12) {
        kill(made->program, SIGKILL);
    }
}

/* The next line but one has asked for the new width, and all that follow. */
START_TEST(a_terminal_that_gets_narrower)
{
    enter_directory();
    temporary_file("long.cfg", long_config, -1);
    if (!record_on_terminal(&recording, 120, make_narrower, ">/dev/null",
                            "--set repeats=100000 --output narrower long.cfg"))
        return;
    ck_assert(WIFSIGNALED(recording.status) && WTERMSIG(recording.status) == SIGKILL);
    const char *second = strchr(recording.bytes + recording.mark, '\r');
    ck_assert_ptr_nonnull(second);
    second = strchr(second + 1, '\r');
    ck_assert_ptr_nonnull(second);
    memset(&screen, 0, sizeof screen);
    screen.columns = NARROW - 1;
    screen_write(&screen, second, recording.length - (size_t)(second - recording.bytes));
    ck_assert_int_eq(screen.wrapped, 0);
    ck_assert_int_eq(screen.line, 0);
    ck_assert_int_ge(screen.rewritten, 8);
}
END_TEST

START_TEST(a_failing_study)
{
    enter_directory();
    for (int w = 0; w < WIDTHS; w++) {
        if (!record_on_terminal(&recording, widths[w], NULL, "",
                                "--output failing configs/tied.cfg"))
            return;
        expect_exit_of(1);
        show(widths[w], 100);
        expect_rewritten(1);
        expect_verdict("atomics", 16);
        expect_verdict("compensated", 16);
        expect_words(" bitwise: 1 solution in 16 runs, 82 iterations; 16 of 16 did not converge "
                     "(residual gap) ");
        expect_words(" exact: 1 solution in 16 runs, 17 iterations ");
        expect_words(" ! 0/16 82 82 82 ");
        ck_assert_ptr_nonnull(strstr(recording.bytes, "\033[31mbitwise"));
        ck_assert_ptr_null(strstr(recording.bytes, "\033[31mexact"));
    }
}
END_TEST

static void interrupt(struct recording *made)
{
    int rewritten = 0;
    for (size_t k = 0; k < made->length; k++)
        rewritten += made->bytes[k] == '\r' && made->bytes[k + 1] != '\n';
    if (rewritten >= 5 && made->mark == 0) {
        made->mark = 1;
        kill(made->program, SIGINT);
    }
}

/* "interrupted in run 3 of atomics at iteration 533", "interrupted after run 2 of atomics": 3 */
static int interrupted_run(void)
{
    static const char *const begins[] = {" interrupted in run ", " interrupted after run "};
    int run = 0, length = 0;
    for (int behind = 0; behind < 2; behind++)
        for (const char *at = screen_words(&screen); (at = strstr(at, begins[behind])); at++)
            if (sscanf(at + strlen(begins[behind]), "%d of %n", &run, &length) == 1 && length > 0)
                return run + behind;
    ck_abort_msg("no run was interrupted");
}

/* In the narrow one with a label that leaves room for the bar. */
START_TEST(an_interrupted_study)
{
    enter_directory();
    temporary_file("long.cfg", long_config, -1);
    for (int w = 0; w < WIDTHS; w++) {
        if (!record_on_terminal(&recording, widths[w], interrupt, "",
                                "--set repeats=100000 %s --output interrupted long.cfg",
                                w == 0 ? "--set 'kernels=(\"cpu_csr\")'" : ""))
            return;
        ck_assert(WIFSIGNALED(recording.status) && WTERMSIG(recording.status) == SIGINT);
        show(widths[w], 60);
        /* on a slow machine it is the kernel's first run, and it has no solution yet */
        int run = interrupted_run();
        expect_words(run == 1 ? ": interrupted in run 1 at iteration " : " solution");
        expect_bars(widths[w], 1);
        expect_words("/unfinished (its page: cgsolve report ");
    }
}
END_TEST

/* ---- other output ---------------------------------------------------------------------------- */

START_TEST(nothing_where_it_is_quiet)
{
    enter_directory();
    if (!record_on_terminal(&recording, 80, NULL, "",
                            "--quiet --set problem.n=20 --set repeats=3 --output quiet "
                            "configs/quickstart.cfg"))
        return;
    expect_exit_of(0);
    ck_assert_str_eq(recording.bytes, "");
}
END_TEST

START_TEST(other_commands)
{
    enter_directory();
    static const struct {
        const char *arguments, *words, *wide_words; /* the last at 120 columns alone */
    } calls[] = {
        {"--set repeats=2 --output others configs/eigen.cfg",
         " eigenvalue theta ||A v - theta v|| ", " guarantee "},
        {"bench --rounds 2 --set bench.seconds=1e-6 configs/quickstart.cfg",
         " distinct kernel product ", " memory results "},
        {"bench --certificate configs/nondeterminism.cfg", " certified 31416 (95.87 %) ", ""},
        {"--list-kernels", " cpu_sym_bitwise upper bitwise ", ""},
    };
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        for (int w = 0; w < WIDTHS; w++) {
            if (!record_on_terminal(&recording, widths[w], NULL, "", "%s", calls[k].arguments))
                return;
            expect_exit_of(0);
            show(widths[w], 160);
            expect_words(calls[k].words);
            ck_assert(!*calls[k].wide_words ||
                      (strstr(screen_words(&screen), calls[k].wide_words) != NULL) ==
                          (widths[w] == 120));
        }
}
END_TEST

START_TEST(the_bar_of_a_bench_fits)
{
    enter_directory();
    static const char name[] = "bar/a_matrix_with_a_name_that_is_longer_than_the_room_for_it.mtx";
    static const struct {
        int columns;
        const char *redirections;
    } calls[] = {{80, ""}, {120, ""}, {80, ">/dev/null"}, {40, ">/dev/null"}, {20, ">/dev/null"}};
    ck_assert_int_eq(mkdir("bar", 0777), 0);
    temporary_file(name, mtx_symmetric, -1);
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        if (!record_on_terminal(&recording, calls[k].columns, NULL, calls[k].redirections,
                                "bench --rounds 2 --set bench.seconds=1e-6 --kernels "
                                "cpu_csr,cpu_sym_bitwise --output bar_%d.csv --matrix bar",
                                (int)k))
            return;
        expect_exit_of(0);
        show(calls[k].columns, 30);
        expect_rewritten(2);
        if (!*calls[k].redirections)
            expect_words(" products: 2 PASS, 0 FAIL, 0 skipped; ");
        else
            ck_assert_int_eq(screen.line, 0);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {quickstart,
                            the_last_screen_has_all_that_matters,
                            details_and_all_columns_are_asked_for,
                            a_long_study,
                            a_terminal_that_gets_narrower,
                            a_failing_study,
                            an_interrupted_study,
                            nothing_where_it_is_quiet,
                            other_commands,
                            the_bar_of_a_bench_fits,
                            NULL};
    return suite_of("main/recordings", tests);
}
