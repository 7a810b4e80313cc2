/* What the line of progress says, and when it is written. The clock of this suite stands still
 * until it is set. */
#include "program/terminal/progress.h"

#include "base/text.h"
#include "clock.h"
#include "main/screen.h"
#include "main/terminal.h"
#include "program/terminal/layout.h"
#include "rows.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double now;

static double set_time(void)
{
    return now;
}

static const struct solver_options options = {.method = &method_cg, .tolerance = 1e-8};

static void show_row(struct progress *progress, int64_t run, const struct kept_row *row)
{
    struct event event = row_event(NULL, run, row);
    progress_row(progress, &event);
}

static const char *line_of(const struct progress *progress, int64_t run, const struct kept_row *row,
                           int columns, char text[1024])
{
    struct event event = row ? row_event(NULL, run, row) : (struct event){0};
    return progress_text(progress, now, row ? &event : NULL, columns, text, 1024);
}

/* A run goes from residual 100 to 1e-6 in so many seconds, by the same factor in each iteration of
 * 10 ms. */
static void go(struct progress *progress, int64_t run, double seconds, double until)
{
    double begin = now;
    for (int64_t k = 0; 0.01 * (double)k <= until; k++) {
        now = begin + 0.01 * (double)k;
        struct kept_row row = row_of(k, 100 * pow(1e-8, 0.01 * (double)k / seconds), NAN, NAN);
        show_row(progress, run, &row);
    }
}

static void finish(struct progress *progress, int64_t run, double seconds)
{
    go(progress, run, seconds, seconds);
    progress_run_finished(progress);
}

static void begin(struct progress *progress, FILE *stream, int64_t repeats, int kernels)
{
    now = 1000;
    progress_begin(progress, stream, &options, repeats, kernels);
}

/* ---- time left ------------------------------------------------------------------------------- */

static void expect_left(const struct progress *progress, double wanted)
{
    double left = progress_seconds_left(progress, now);
    ck_assert_msg(fabs(left - wanted) < 1e-6 * fabs(wanted) + 1e-6, "%.9g s instead of %.9g", left,
                  wanted);
}

/* A stream that takes all, and shows nothing of it. */
static FILE *nowhere(void)
{
    FILE *stream = fopen("/dev/null", "w");
    ck_assert_ptr_nonnull(stream);
    return stream;
}

START_TEST(time_is_told_of_one_kernel_at_a_time)
{
    struct progress progress;
    FILE *stream = nowhere();
    begin(&progress, stream, 4, 2);
    progress_kernel(&progress, "slow");
    go(&progress, 1, 40, 0.9);
    expect_left(&progress, -1); /* the first moments */
    now = 1000;
    go(&progress, 1, 40, 10); /* a quarter of the way: all four take as long */
    expect_left(&progress, 30 + 3 * 40);
    now = 1000;
    finish(&progress, 1, 40);
    go(&progress, 2, 99, 10); /* the residual goes slowly, and finished runs count */
    expect_left(&progress, 30 + 2 * 40);
    now -= 10;
    finish(&progress, 2, 60);
    go(&progress, 3, 40, 0); /* 50 in the mean, from the first moment on */
    expect_left(&progress, 50 + 50);
    finish(&progress, 3, 50);
    go(&progress, 4, 100, 75); /* longer than the others: three quarters of the way */
    expect_left(&progress, 25);
    now -= 75;
    finish(&progress, 4, 100);

    progress_kernel(&progress, "fast"); /* which nothing is known of */
    go(&progress, 1, 4, 0.9);
    expect_left(&progress, -1);
    now -= 0.9;
    go(&progress, 1, 4, 2);
    expect_left(&progress, 2 + 3 * 4);
    fclose(stream);
}
END_TEST

START_TEST(nothing_is_said_that_is_not_known)
{
    struct progress progress;
    FILE *stream = nowhere();
    begin(&progress, stream, 1, 1);
    progress_kernel(&progress, "k");
    static const double residuals[] = {0, NAN, 1, 5, 0.99, INFINITY, NAN};
    for (int64_t k = 0; k < 7; k++) {
        struct kept_row row = row_of(k, residuals[k], NAN, NAN);
        show_row(&progress, 1, &row);
        now += 100;
        expect_left(&progress, -1); /* no way to speak of */
    }
    fclose(stream);
}
END_TEST

/* Lanczos' residuals are relative as they stand. */
START_TEST(eigenvalues_end_at_the_tolerance_itself)
{
    struct progress progress;
    FILE *stream = nowhere();
    struct solver_options eigen = {.method = &method_lanczos, .eigen.tolerance = 1e-8};
    char text[1024];
    now = 0;
    progress_begin(&progress, stream, &eigen, 1, 1);
    progress_kernel(&progress, "k");
    struct kept_row row = row_of(0, 1e-2, NAN, NAN);
    show_row(&progress, 1, &row);
    now = 10;
    row = row_of(1, 1e-4, NAN, NAN);
    show_row(&progress, 1, &row);
    expect_left(&progress, 20);
    ck_assert_ptr_nonnull(strstr(line_of(&progress, 1, &row, 200, text), "residual 1.0e-04"));
    fclose(stream);
}
END_TEST

/* A hundredth of the first residual, and a millionth. */
START_TEST(the_larger_tolerance_ends_a_run)
{
    struct progress progress;
    FILE *stream = nowhere();
    struct solver_options both = {.method = &method_cg, .tolerance = 1e-6, .absolute_tolerance = 1};
    now = 0;
    progress_begin(&progress, stream, &both, 1, 1);
    progress_kernel(&progress, "k");
    struct kept_row row = row_of(0, 100, NAN, NAN);
    show_row(&progress, 1, &row);
    now = 10;
    row = row_of(1, 10, NAN, NAN);
    show_row(&progress, 1, &row);
    expect_left(&progress, 10);
    fclose(stream);
}
END_TEST

/* ---- the line -------------------------------------------------------------------------------- */

static void expect_line(const struct progress *progress, const struct kept_row *row, int columns,
                        const char *wanted)
{
    char text[1024];
    ck_assert_str_eq(line_of(progress, 3, row, columns, text), wanted);
}

START_TEST(parts_go_by_weight)
{
    struct progress progress;
    FILE *stream = nowhere();
    begin(&progress, stream, 8, 4);
    progress.rewrites = true;
    progress_kernel(&progress, "atomics");
    finish(&progress, 1, 40);
    finish(&progress, 2, 40);
    struct kept_row row = row_of(0, 100, NAN, NAN);
    show_row(&progress, 3, &row);
    now += 20;
    row = row_of(533, 1.23, NAN, NAN);
    show_row(&progress, 3, &row);
    static const char *const lines[] = {
        "[###.......] run 3/8, iteration 533, residual 1.2e-02, 26.6 iterations/s, about 4 min "
        "left in atomics (1/4)",
        "[#....] run 3/8, iteration 533, residual 1.2e-02, about 4 min left in atomics (1/4)",
        "[#....] run 3/8, residual 1.2e-02, about 4 min left in atomics (1/4)",
        "run 3/8, residual 1.2e-02, about 4 min left in atomics (1/4)",
        "run 3/8, about 4 min left in atomics (1/4)",
        "about 4 min left in atomics (1/4)",
        "atomics (1/4)",
        "atomics (1/",
        "a",
        "",
    };
    expect_line(&progress, &row, 1000, lines[0]);
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        expect_line(&progress, &row, (int)strlen(lines[k]), lines[k]);
    expect_line(
        &progress, &row, 100,
        "[###.......] run 3/8, iteration 533, residual 1.2e-02, about 4 min left in atomics (1/4)");
    expect_line(&progress, NULL, 1000, "setting up atomics (1/4)");
    expect_line(&progress, NULL, 12, "setting up a");

    progress.repeats = 1; /* a run of one is not numbered */
    progress.done = 0;
    expect_line(&progress, &row, 75,
                "[#....] iteration 533, residual 1.2e-02, about 1 min left in atomics (1/4)");
    fclose(stream);
}
END_TEST

/* In a terminal of one width, while the numbers beside it get longer. */
START_TEST(the_bar_keeps_its_length)
{
    FILE *stream = nowhere();
    for (int columns = 20; columns < 200; columns++) {
        struct progress progress;
        begin(&progress, stream, 100, 4);
        progress.rewrites = true;
        progress_kernel(&progress, "atomics");
        finish(&progress, 1, 40);
        struct kept_row row = row_of(0, 1, NAN, NAN);
        show_row(&progress, 2, &row);
        for (int64_t iteration = 1; iteration < 1000000; iteration *= 3) {
            char text[1024];
            now += 1;
            row = row_of(iteration, 1 / (double)iteration, NAN, NAN);
            show_row(&progress, 2, &row);
            line_of(&progress, 1 + iteration % 99, &row, columns, text);
            size_t length = *text == '[' ? strspn(text + 1, "#.") : 0;
            ck_assert_msg(*text != '[' || length == (columns < 100 ? 5 : 10), "%d columns: %s",
                          columns, text);
            ck_assert(*text == '[' || columns < 100);
        }
    }
    fclose(stream);
}
END_TEST

START_TEST(durations_are_round)
{
    static const struct {
        double seconds;
        const char *wanted;
    } cases[] = {{0.01, "about 1 s left in k (1/1)"},      {59.4, "about 59 s left in k (1/1)"},
                 {59.6, "about 1 min left in k (1/1)"},    {5000, "about 83 min left in k (1/1)"},
                 {6000, "about 2 h left in k (1/1)"},      {170000, "about 47 h left in k (1/1)"},
                 {864000, "about 10 days left in k (1/1)"}};
    struct progress progress;
    FILE *stream = nowhere();
    begin(&progress, stream, 2, 1);
    progress_kernel(&progress, "k");
    struct kept_row row = row_of(0, 1, NAN, NAN);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        progress.done = 1;
        progress.finished = cases[k].seconds;
        show_row(&progress, 2, &row);
        expect_line(&progress, &row, (int)strlen(cases[k].wanted), cases[k].wanted);
    }
    fclose(stream);
}
END_TEST

/* No line is wider than it may be, whatever the label, and none is cut in a character. */
START_TEST(it_fits_every_width)
{
    static const char *const labels[] = {
        "k", "cpu_sym_bitwise threads=2 reductions=exact",
        "‖r‖ with ümläüts and more of them: äöüäöüäöüäöüäöü",
        "行列の積行列の積行列の積行列の積行列の積行列の積行列の積"};
    FILE *stream = nowhere();
    for (size_t l = 0; l < sizeof labels / sizeof *labels; l++)
        for (int columns = -1; columns < 200; columns++) {
            char text[1024];
            struct progress progress;
            begin(&progress, stream, 8, 40);
            progress.rewrites = true;
            progress_kernel(&progress, labels[l]);
            for (int64_t run = 1; run < 3; run++)
                finish(&progress, run, 3);
            struct kept_row row = row_of(0, 1, NAN, NAN);
            show_row(&progress, 3, &row);
            now += 1;
            for (int set_up = 0; set_up < 2; set_up++) {
                line_of(&progress, 3, set_up ? NULL : &row, columns, text);
                ck_assert_int_le(layout_width(text), columns > 0 ? columns : 0);
                ck_assert(text_is_clean(text));
                ck_assert(columns < 2 || *text);
            }
        }
    fclose(stream);
}
END_TEST

/* ---- when it is written ---------------------------------------------------------------------- */

START_TEST(elsewhere_a_line_a_minute)
{
    struct progress progress;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    begin(&progress, stream, 3, 2);
    progress_kernel(&progress, "slow");
    finish(&progress, 1, 59.5);
    fflush(stream);
    ck_assert_uint_eq(size, 0); /* a short study says nothing */
    finish(&progress, 2, 59.5);
    fflush(stream);
    ck_assert_str_eq(text, "run 2/3, iteration 50, residual 8.6e-01, 100 iterations/s, about 2 min "
                           "left in slow (1/2)\n");
    finish(&progress, 3, 59.5);
    progress_clear(&progress);
    fclose(stream);
    ck_assert_ptr_eq(strchr(strchr(text, '\n') + 1, '\n'), strrchr(text, '\n'));
    ck_assert_int_eq(text[size - 1], '\n');
    ck_assert_ptr_null(strpbrk(text, "\r\033["));
    free(text);
}
END_TEST

START_TEST(a_terminal_is_asked_for_its_width_at_every_write)
{
    static const int widths[] = {80, 20, 120, 1, 60, 10};
    struct made_terminal terminal;
    struct progress progress;
    char text[4096];
    if (!terminal_open(&terminal, 80))
        return;
    FILE *stream = terminal_stream(&terminal);
    begin(&progress, stream, 3, 1);
    progress_kernel(&progress, "a label of several words");
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
        static struct screen screen;
        terminal_resize(&terminal, widths[k]);
        terminal_read(&terminal, text, sizeof text);
        go(&progress, 1, 4, 2); /* 20 writes */
        memset(&screen, 0, sizeof screen);
        screen.columns = widths[k] - 1;
        screen_write(&screen, text, terminal_read(&terminal, text, sizeof text));
        ck_assert_int_eq(screen.wrapped, 0);
        ck_assert_int_eq(screen.line, 0);
        ck_assert_int_le(screen.rewritten, 21);
        ck_assert_int_ge(screen.rewritten, 19);
        ck_assert_int_le(screen.column, widths[k] - 1);
        ck_assert_int_ge(screen.column, (widths[k] - 1) / 2);
    }
    progress_clear(&progress);
    terminal_read(&terminal, text, sizeof text);
    ck_assert_str_eq(text, "\r\033[K");

    setenv("TERM", "dumb", 1); /* which would not know how to wipe a line */
    begin(&progress, stream, 3, 1);
    progress_kernel(&progress, "k");
    finish(&progress, 1, 50);
    finish(&progress, 2, 50);
    progress_clear(&progress);
    terminal_read(&terminal, text, sizeof text);
    ck_assert_ptr_null(strchr(text, '\033'));
    ck_assert_str_eq(strchr(text, '\n'), "\n");
    fclose(stream);
    terminal_close(&terminal);
}
END_TEST

Suite *suite(void)
{
    test_clock = set_time;
    const TTest *tests[] = {time_is_told_of_one_kernel_at_a_time,
                            nothing_is_said_that_is_not_known,
                            eigenvalues_end_at_the_tolerance_itself,
                            the_larger_tolerance_ends_a_run,
                            parts_go_by_weight,
                            the_bar_keeps_its_length,
                            durations_are_round,
                            it_fits_every_width,
                            elsewhere_a_line_a_minute,
                            a_terminal_is_asked_for_its_width_at_every_write,
                            NULL};
    return suite_of("program/terminal/progress", tests);
}
