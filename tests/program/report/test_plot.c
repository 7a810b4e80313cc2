/* What the scripts of the pictures say: where the ticks of logarithmic axes stand, which colour a
 * kernel has, where the curve of the ulps begins and ends, and how the axis of the counts shows
 * their spread. */
#include "program/report/plot.h"

#include "program/report/report.h"
#include "program/report/results_made.h"
#include "support.h"

#include "main/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The script that a plot writes; the caller frees it. */
static char *script_of(const struct plot *plot, const struct recorded *study,
                       const struct plot_axes *axes)
{
    static char *text;
    static size_t length;
    FILE *script = open_memstream(&text, &length);
    plot->script(script, study, axes);
    ck_assert_int_eq(fclose(script), 0);
    return text;
}

/* 1 ... 9 times a power of ten. */
static int digit_of(double value)
{
    double power = floor(log10(value) + 1e-9), factor = value / pow(10, power);
    ck_assert_msg(fabs(factor - round(factor)) < 1e-5, "a tick at %.6g", value);
    return (int)round(factor);
}

/* Walk the ticks of "set ytics ('a' 1, '' 2 1)": labels of powers of ten between begin and end, and
 * the minor ticks of one kind: 2 ... 9 times the powers, or the powers that have no label. */
static void expect_ticks(const char *list, double begin, double end)
{
    double last = 0, last_label = 0;
    int labels = 0, digits = 0, decades = 0;
    for (const char *at = strchr(list, '\''); at; at = strchr(at, '\'')) {
        const char *closes = strchr(at + 1, '\'');
        bool named = closes > at + 1;
        char *behind;
        double value = strtod(closes + 1, &behind);
        int digit = digit_of(value);
        ck_assert_msg(value > last, "%g behind %g", value, last);
        ck_assert(value >= begin * (1 - 1e-5) && value <= end * (1 + 1e-5));
        ck_assert_int_eq(strncmp(behind, " 1", 2) == 0, !named);
        if (named && digit == 1) {
            if (last_label > 0 && value / last_label > 10.5)
                ck_assert_int_eq(digits, 0);
            last_label = value;
            labels++;
        }
        digits += !named && digit > 1;
        decades += !named && digit == 1;
        last = value;
        at = closes + 1;
    }
    ck_assert_msg(digits == 0 || decades == 0, "two kinds of minor ticks, from %g to %g", begin,
                  end);
    ck_assert_int_ge(labels, end / begin > 1e3 ? 3 : 1);
    ck_assert_int_le(labels, 10);
}

START_TEST(minor_ticks_stand_where_a_reader_takes_them_to_stand)
{
    for (double decades = 1.1; decades < 600; decades *= 1.17)
        for (double begin = -300; begin + decades < 300; begin += 7.3) {
            char text[20000], *list;
            double low = pow(10, begin), high = pow(10, begin + decades);
            FILE *script = fmemopen(text, sizeof text, "w");
            plot_logarithmic(script, low, high);
            fclose(script);
            list = strstr(text, "set ytics (");
            ck_assert_ptr_nonnull(list);
            expect_ticks(list, low / pow(high / low, 0.04), high * pow(high / low, 0.04));
        }
}
END_TEST

/* Less than a power of ten has labels at round numbers, and no minor ticks. */
START_TEST(a_short_axis)
{
    char text[2000];
    FILE *script = fmemopen(text, sizeof text, "w");
    plot_logarithmic(script, 2e-6, 7e-6);
    fclose(script);
    expect_text(text, "'3·10^{/*1.15 -6}' 3e-06");
    ck_assert_ptr_null(strstr(text, "''"));
}
END_TEST

START_TEST(a_kernel_has_one_colour)
{
    static const char *const known[][2] = {{"sym_atomic", "#d55e00"},
                                           {"sym_compensated", "#cc79a7"},
                                           {"sym_bitwise", "#0072b2"},
                                           {"sym_exact", "#009e73"}};
    struct plot_label labels[8];
    struct plot_axes axes = {.labels = labels};
    plot_take_label(&axes, "x", "cpu_csr");
    plot_take_label(&axes, "one", "cpu_sym_bitwise");
    plot_take_label(&axes, "two", "cpu_sym_bitwise");
    plot_take_label(&axes, "one", "cuda_sym_bitwise"); /* of another machine: the same */
    ck_assert_int_eq(axes.labels_count, 3);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int cuda = 0; cuda < 2; cuda++) {
            char name[64];
            snprintf(name, sizeof name, "%s_%s", cuda ? "cuda" : "cpu", known[k][0]);
            ck_assert_str_eq(plot_style(&axes, "any", name).color, known[k][1]);
        }
    struct plot_style one = plot_style(&axes, "one", "cpu_sym_bitwise");
    struct plot_style two = plot_style(&axes, "two", "cpu_sym_bitwise");
    struct plot_style other = plot_style(&axes, "one", "cuda_sym_bitwise");
    ck_assert_int_eq(one.dashes, 1);
    ck_assert(two.dashes != one.dashes && two.mark != one.mark);
    ck_assert(other.dashes == one.dashes && other.mark == one.mark && other.color == one.color);
    ck_assert_str_eq(plot_style(&axes, "a", "new").color, plot_style(&axes, "b", "new").color);
}
END_TEST

/* Runs of 5 and 3 iterations; the others know of the last two no difference. */
START_TEST(ulps_end_where_one_run_is_left)
{
    const char *directory = results_made("ulps", "a", 2, 2, 5);
    results_write(directory, "envelope.csv",
                  "kernel,iteration,runs,min,median,max,ulps\na,0,2,1,1,1,0\na,1,2,1,1,1,1\n"
                  "a,2,2,1,1,1,9\na,3,2,1,1,1,80\na,4,1,1,1,1,0\na,5,1,1,1,1,0\n");
    struct report report;
    struct error error;
    expect_ok(report_read(&directory, 1, &report, &error), &error);
    char *script = script_of(&plot_ulps, &report.studies[0], &report.axes[0]);
    expect_text(script, "$ulps0 << EOD\n1 0.05\n2 1\n3 9\n4 80\nEOD\n");
    expect_text(script, "set logscale x\nset xrange [1:6] noextend\nset xtics ('0' 1, '1' 2, ");
    free(script);
    report_free(&report);
}
END_TEST

/* The first iterations are all drawn, however many follow. */
START_TEST(the_first_iterations_are_drawn)
{
    struct course course = {.width = 0};
    struct error error;
    for (int64_t k = 0; k < 100000; k++)
        expect_ok(course_take(&course, k, (double)k + 1, (double)k + 1, &error), &error);
    for (int64_t k = 0; k <= COURSE_CLOSE; k++)
        ck_assert_int_eq(course.points[k].begin, k);
    for (int64_t k = 0; k < course.count; k++)
        ck_assert_int_le(course.points[k].end - course.points[k].begin,
                         course.points[k].end / COURSE_CLOSE + 1);
    ck_assert_int_lt(course.count, 500);
    ck_assert_int_eq(course.points[course.count - 1].end, 99999);
    course_free(&course);
}
END_TEST

/* A study of two kernels, with runs of so many iterations each. */
struct made {
    struct summary_run runs[2][2];
    struct summary_kernel kernels[2];
    struct recorded study;
    struct plot_range counts[2];
    struct plot_axes axes;
};

static void make(struct made *made, const int64_t counts[2][2])
{
    *made = (struct made){.axes = {.counts = made->counts, .counts_count = 2}};
    for (int k = 0; k < 2; k++) {
        for (int r = 0; r < 2; r++)
            made->runs[k][r] =
                (struct summary_run){.run = r + 1, .iterations = counts[k][r], .converged = true};
        made->kernels[k] = (struct summary_kernel){.label = k ? "b" : "a",
                                                   .kernel = "cpu_csr",
                                                   .by_count = made->runs[k],
                                                   .runs = made->runs[k],
                                                   .runs_count = 2,
                                                   .iterations_min = counts[k][0],
                                                   .iterations_max = counts[k][1],
                                                   .iterations_median = (double)counts[k][0]};
        made->counts[k] = (struct plot_range){counts[k][0], counts[k][1]};
    }
    made->study.summary.kernels = made->kernels;
    made->study.summary.kernels_count = 2;
}

static double number_behind(const char *script, const char *words)
{
    const char *at = strstr(script, words);
    ck_assert_msg(at != NULL, "no \"%s\" in %s", words, script);
    return strtod(at + strlen(words), NULL);
}

/* What a kernel far away took from the spread of another: the axis is broken between them, with one
 * scale. */
START_TEST(counts_show_their_spread)
{
    static const int64_t far[2][2] = {{1567, 1606}, {796, 796}}, near[2][2] = {{90, 99}, {95, 120}};
    struct made made;
    make(&made, far);
    char *script = script_of(&plot_counts, &made.study, &made.axes), *caption = NULL;
    size_t length;
    double end = number_behind(script, "set xrange [0:");
    double first = number_behind(script, "$good1 << EOD\n");
    double second = number_behind(strstr(script, "$good1 << EOD\n") + 14, "\n");
    ck_assert_double_eq_tol(second - first, 39, 1e-6);
    ck_assert_double_gt(39 / end, 0.5); /* it was 0.04 */
    ck_assert_double_lt(number_behind(script, "$good0 << EOD\n"), first);
    expect_text(script, "'800' ");
    FILE *page = open_memstream(&caption, &length);
    plot_counts.caption(page, &made.study, &made.axes);
    fclose(page);
    expect_text(caption, "The axis is broken where no run ends");
    free(caption);
    free(script);
    make(&made, near);
    script = script_of(&plot_counts, &made.study, &made.axes);
    ck_assert_ptr_null(strstr(script, "graph -0.03"));
    double place = number_behind(script, "'100' ");
    ck_assert_double_eq_tol(number_behind(script, "'110' ") - place, 10, 1e-6);
    free(script);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {minor_ticks_stand_where_a_reader_takes_them_to_stand,
                            a_short_axis,
                            a_kernel_has_one_colour,
                            ulps_end_where_one_run_is_left,
                            the_first_iterations_are_drawn,
                            counts_show_their_spread,
                            NULL};
    return suite_of("program/report/plot", tests);
}
