/* What the pictures show: where the ticks of logarithmic axes stand, which colour a
 * kernel has, where the curve of the ulps begins and ends, and how the axis of the counts shows
 * their spread. */
#include "program/report/plot.h"

#include "program/report/page.h"
#include "program/report/results_made.h"
#include "program/report/sweep.h"
#include "support.h"

#include "main/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The picture that a plot draws; the caller frees it. */
static char *drawn(const struct plot *plot, const void *of)
{
    static char *text;
    static size_t length;
    struct canvas canvas = {
        .svg = open_memstream(&text, &length), .place = CANVAS_FILE, .title = plot->title};
    plot->draw(&canvas, of);
    canvas_end(&canvas);
    ck_assert_int_eq(fclose(canvas.svg), 0);
    return text;
}

/* The places in the `number`-th path of that class, counted from 0. */
static int places_of(const char *svg, const char *class, int number, double places[][2], int most)
{
    char end[64];
    int count = 0;
    snprintf(end, sizeof end, " class=\"%s\"", class);
    const char *at = strstr(svg, end);
    for (; at && number > 0; number--)
        at = strstr(at + 1, end);
    ck_assert_msg(at != NULL, "no %s in %s", end, svg);
    while (at > svg && strncmp(at, "<path d=", 8) != 0)
        at--;
    for (at = strchr(at, '"') + 1; *at != '"'; at++)
        if (count < most && (*at == 'M' || *at == ' ') &&
            sscanf(at + 1, "%lf,%lf", &places[count][0], &places[count][1]) == 2)
            count++;
    return count;
}

/* 1 ... 9 times a power of ten. */
static int digit_of(double value)
{
    double power = floor(log10(value) + 1e-9), factor = value / pow(10, power);
    ck_assert_msg(fabs(factor - round(factor)) < 1e-5, "a tick at %.6g", value);
    return (int)round(factor);
}

/* Ticks as they come: labels of powers of ten between begin and end, and the minor ticks of one
 * kind: 2 ... 9 times the powers, or the powers that have no label. */
struct walk {
    double begin, end, last, last_label;
    int labels, digits, decades;
};

static void take(void *into, double value, const char *label)
{
    struct walk *walk = into;
    int digit = digit_of(value);
    ck_assert_msg(value > walk->last, "%g behind %g", value, walk->last);
    ck_assert(value >= walk->begin * (1 - 1e-5) && value <= walk->end * (1 + 1e-5));
    if (label && digit == 1) {
        if (walk->last_label > 0 && value / walk->last_label > 10.5)
            ck_assert_int_eq(walk->digits, 0);
        walk->last_label = value;
        walk->labels++;
    }
    walk->digits += !label && digit > 1;
    walk->decades += !label && digit == 1;
    walk->last = value;
}

START_TEST(minor_ticks_stand_where_a_reader_takes_them_to_stand)
{
    for (double decades = 1.1; decades < 600; decades *= 1.17)
        for (double begin = -300; begin + decades < 300; begin += 7.3) {
            double low = pow(10, begin), high = pow(10, begin + decades);
            const struct axis axis = axis_logarithmic(NULL, low, high);
            struct walk walk = {.begin = low / pow(high / low, 0.04),
                                .end = high * pow(high / low, 0.04)};
            axis_ticks(&axis, 8, take, &walk);
            ck_assert_msg(walk.digits == 0 || walk.decades == 0, "two kinds from %g to %g", low,
                          high);
            ck_assert_int_ge(walk.labels, walk.end / walk.begin > 1e3 ? 3 : 1);
            ck_assert_int_le(walk.labels, 10);
        }
}
END_TEST

static void take_text(void *into, double value, const char *label)
{
    ck_assert_msg(label != NULL, "a minor tick at %g", value);
    strcat(strcat(into, " "), label);
}

/* Less than a power of ten has labels at round numbers, and no minor ticks. */
START_TEST(a_short_axis)
{
    char text[2000] = "";
    const struct axis axis = axis_logarithmic(NULL, 2e-6, 7e-6);
    axis_ticks(&axis, 8, take_text, text);
    expect_text(text, " 3·10<tspan dy=\"-5\" font-size=\"13\">−6</tspan> 4·10");
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
    struct canvas_style one = plot_style(&axes, "one", "cpu_sym_bitwise");
    struct canvas_style two = plot_style(&axes, "two", "cpu_sym_bitwise");
    struct canvas_style other = plot_style(&axes, "one", "cuda_sym_bitwise");
    ck_assert_int_eq(one.dashes, 0);
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
    char *svg = drawn(&plot_ulps, &report.studies[0]);
    double places[8][2];
    ck_assert_int_eq(places_of(svg, "curve", 0, places, 8), 4);
    for (int k = 0; k < 4; k++) { /* iteration 0 stands at 1, and the axis ends with 5 */
        double share = (places[k][0] - places[0][0]) / (places[3][0] - places[0][0]);
        ck_assert_double_eq_tol(share, log(k + 1) / log(4), 1e-3);
        ck_assert(k == 0 || places[k][1] < places[k - 1][1]);
    }
    expect_text(svg, ">0</text>");
    free(svg);
    report_free(&report);
}
END_TEST

/* A dash for each, in the colour of its kind; of two at one place one is drawn. */
START_TEST(ritz_values_stand_at_their_values)
{
    const char *directory = results_made("ritz", "a", 1, 1, 2);
    struct ritz_point points[] = {
        {1, 15, false}, {2, 0.5, false}, {2, 10, true}, {2, 20, true}, {2, 20 + 1e-9, true}};
    struct report report;
    struct error error;
    expect_ok(report_read(&directory, 1, &report, &error), &error);
    struct recorded study = report.studies[0];
    ck_assert_ptr_nonnull(plot_ritz.missing(&study));
    study.ritz = (struct ritz_values){.points = points, .count = 5, .every = 1, .last = 2};
    ck_assert_ptr_null(plot_ritz.missing(&study));
    char *svg = drawn(&plot_ritz, &study);
    double grey[8][2], coloured[8][2];
    ck_assert_int_eq(places_of(svg, "marks", 0, grey, 8), 4);
    ck_assert_int_eq(places_of(svg, "marks", 1, coloured, 8), 4);
    for (int k = 0; k < 4; k += 2) {
        ck_assert_double_eq(grey[k][1], grey[k + 1][1]);
        ck_assert_double_eq(coloured[k][0], grey[2][0]); /* of one iteration */
    }
    ck_assert_double_eq_tol(2 * grey[0][1], coloured[0][1] + coloured[2][1], 0.1); /* 15 */
    double unit = (coloured[0][1] - coloured[2][1]) / 10;
    ck_assert_double_eq_tol(grey[2][1], coloured[0][1] + 9.5 * unit, 0.1);
    expect_text(svg, ">15</text>");
    free(svg);
    report_free(&report);
}
END_TEST

static char *pattern_drawn(const char *before, const char *after, bool *missing)
{
    struct summary_kernel kernel = {.label = "a", .kernel = "cpu_csr"};
    struct recorded study = {.summary = {.n = 200, .kernels = &kernel, .kernels_count = 1}};
    json_error_t error;
    study.summary.json =
        json_pack_ex(&error, 0, "{s:{s:{s:{s:i s:o} s:{s:i s:o}}}}", "problem", "reorder", "before",
                     "bandwidth", 7, "pattern", json_loads(before, 0, NULL), "after", "bandwidth",
                     5, "pattern", json_loads(after, 0, NULL));
    ck_assert_msg(study.summary.json != NULL, "%s", error.text);
    *missing = plot_pattern.missing(&study) != NULL;
    char *svg = *missing ? NULL : drawn(&plot_pattern, &study);
    json_decref(study.summary.json);
    return svg;
}

/* A stroke for each run of cells, in a shade of its own; the first row is on top. */
START_TEST(cells_stand_at_their_places)
{
    static const char *const wrong[] = {"[]",     "[\"10\"]", "[\"1A\", \"11\"]", "[\"1\", \"11\"]",
                                        "[1, 2]", "{}"};
    bool missing;
    char *svg = pattern_drawn("[\"2200\", \"2200\", \"0021\", \"0012\"]",
                              "[\"2100\", \"1210\", \"0121\", \"0012\"]", &missing);
    double ones[8][2], twos[8][2];
    ck_assert(!missing);
    ck_assert_int_eq(places_of(svg, "marks", 0, ones, 8), 4);
    ck_assert_int_eq(places_of(svg, "marks", 1, twos, 8), 8);
    double cell = (twos[1][0] - twos[0][0]) / 2; /* two cells in the first row */
    ck_assert_double_eq_tol(twos[2][1] - twos[0][1], cell, 0.01);
    ck_assert_double_eq_tol(ones[0][0] - twos[0][0], 3 * cell, 0.01);
    ck_assert_double_eq_tol(ones[0][1] - twos[0][1], 2 * cell, 0.01);
    ck_assert_double_eq_tol(ones[1][0] - ones[0][0], cell, 0.01);
    ck_assert_int_eq(places_of(svg, "marks", 2, ones, 8), 8);
    expect_text(svg, ">before: bandwidth 7<");
    expect_text(svg, ">after: bandwidth 5<");
    expect_text(svg, ">200</text>");
    expect_text(svg, ">1</text>");
    expect_text(svg, ">2 to 3</text>");
    free(svg);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ck_assert_ptr_null(pattern_drawn("[\"1\"]", wrong[k], &missing));
        ck_assert(missing);
    }
}
END_TEST

/* What a bench's CSV begins with. */
#define BENCH                                                                                      \
    "run,matrix,kernel,parameters,status,bytes_per_second,rows,entries,row_mean,row_deviation,"    \
    "row_variation,row_longest"
#define REST "1e9,2,3,1.5,1,0.6,2"

static struct sweep bench(const char *text)
{
    struct sweep sweep;
    struct error error;
    expect_ok(sweep_read(temporary_file("bench.csv", text, -1), &sweep, &error), &error);
    return sweep;
}

/* a: 1, 1, 8 times the fastest; b: 2, 1, 1, 1. */
START_TEST(a_profile_has_the_ratios_of_times)
{
    struct sweep sweep = bench(
        BENCH ",median_seconds\n1,m,a,k,pass," REST ",1\n1,m,b,l,pass," REST ",2\n"
              "1,n,a,k,pass," REST ",3\n1,n,b,l,pass," REST ",3\n1,o,a,k,pass," REST ",4\n"
              "1,o,b,l,pass," REST ",0.5\n1,p,a,k,fail," REST ",0.1\n1,p,b,l,pass," REST ",7\n");
    double a[8][2], b[8][2];
    char *svg = drawn(&sweep_plot_profile, &sweep), *caption = NULL;
    size_t length;
    ck_assert_ptr_null(sweep_plot_profile.missing(&sweep));
    ck_assert_int_eq(places_of(svg, "curve", 0, a, 8), 4);
    ck_assert_int_eq(places_of(svg, "curve", 1, b, 8), 4);
    double quarter = a[1][1] - a[2][1]; /* of the matrices */
    ck_assert_double_eq_tol((b[1][0] - b[0][0]) / (a[1][0] - a[0][0]), log(2) / log(8), 1e-3);
    ck_assert_double_eq_tol(a[0][1] - b[0][1], quarter, 0.1);
    ck_assert_double_eq_tol(b[0][1] - b[3][1], quarter, 0.1);
    ck_assert_double_eq_tol(quarter, 290 * 25 / 102.0, 0.1); /* the axis ends at 102 % */
    ck_assert(a[3][0] == b[3][0] && a[0][0] == b[0][0]);
    expect_text(svg, ">a: fastest on 50 %</text>");
    expect_text(svg, ">b: fastest on 75 %</text>");
    FILE *page = open_memstream(&caption, &length);
    sweep_plot_profile.caption(page, &sweep);
    fclose(page);
    expect_text(caption, "On how many of 4 matrices");
    free(caption);
    free(svg);
    sweep_free(&sweep);
}
END_TEST

START_TEST(a_profile_wants_two_kernels_and_times)
{
    struct sweep sweep = bench(BENCH "\n1,m,a,k,pass," REST "\n1,m,b,l,pass," REST "\n");
    expect_text(sweep_plot_profile.missing(&sweep), "no column median_seconds");
    sweep_free(&sweep);
    sweep = bench(BENCH "\n1,m,a,k,pass," REST "\n1,m,b,l,fail," REST "\n");
    expect_text(sweep_plot_profile.missing(&sweep), "No two kernels");
    sweep_free(&sweep);
}
END_TEST

/* a: 1 and 2 operations a byte, at the roof and at half of it; b: 1, at half of another roof. The
 * centre of a mark is as far from its first place for all marks of a kernel. */
START_TEST(a_roofline_is_the_speed_of_a_copy)
{
    struct sweep sweep =
        bench(BENCH ",gflops,of_copy\n1,m,a,k,pass," REST ",1,1\n1,n,a,k,pass," REST
                    ",2,1\n1,o,a,k,pass," REST ",1,\n1,m,b,l,pass," REST ",1,0.5\n");
    double a[16][2], low[2][2], high[2][2];
    char *svg = drawn(&sweep_plot_roofline, &sweep);
    ck_assert_ptr_null(sweep_plot_roofline.missing(&sweep));
    int places = places_of(svg, "marks", 0, a, 16), of_a_mark = places / 2;
    ck_assert(places > 0 && places % 2 == 0);
    ck_assert_int_eq(places_of(svg, "level", 0, low, 2), 2);
    ck_assert_int_eq(places_of(svg, "level", 1, high, 2), 2);
    double across = a[of_a_mark][0] - a[0][0], up = a[0][1] - a[of_a_mark][1];
    ck_assert(across > 1 && up > 1); /* pixels of a factor of 2 */
    ck_assert_double_eq_tol((low[1][0] - low[0][0]) / across, (low[0][1] - low[1][1]) / up, 0.01);
    ck_assert_double_eq_tol((high[1][0] - high[0][0]) / across, (high[0][1] - high[1][1]) / up,
                            0.01);
    /* at one place across, the roofs are a factor of 2 apart */
    double slope = up / across,
           between = (low[0][1] - high[0][1]) + slope * (low[0][0] - high[0][0]);
    ck_assert_double_eq_tol(between, up, 0.5);
    expect_text(svg, ">a copy: 1 GB/s</text>");
    expect_text(svg, ">a copy: 2 GB/s</text>");
    free(svg);
    sweep_free(&sweep);
    sweep = bench(BENCH "\n1,m,a,k,pass," REST "\n");
    expect_text(sweep_plot_roofline.missing(&sweep), "no columns gflops and of_copy");
    sweep_free(&sweep);
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
    made->study.axes = &made->axes;
}

/* Where the text stands on the axis. */
static double place_of_label(const char *svg, const char *text)
{
    char end[64];
    snprintf(end, sizeof end, ">%s</text>", text);
    const char *at = strstr(svg, end);
    ck_assert_msg(at != NULL, "no \"%s\" in %s", text, svg);
    while (strncmp(at, "<text x=\"", 9) != 0)
        at--;
    return strtod(at + 9, NULL);
}

/* What a kernel far away took from the spread of another: the axis is broken between them, with one
 * scale. */
START_TEST(counts_show_their_spread)
{
    enum { WIDTH = 900 };
    static const int64_t far[2][2] = {{1567, 1606}, {796, 796}}, near[2][2] = {{90, 99}, {95, 120}};
    double a[2][2], b[2][2];
    struct made made;
    make(&made, far);
    char *svg = drawn(&plot_counts, &made.study), *caption = NULL;
    size_t length;
    ck_assert_int_eq(places_of(svg, "marks", 0, a, 2), 2);
    ck_assert_int_eq(places_of(svg, "marks", 2, b, 2), 2);
    ck_assert_double_gt(a[1][0] - a[0][0], 0.4 * WIDTH); /* it was 0.04 */
    ck_assert_double_lt(b[0][0], a[0][0]);
    place_of_label(svg, "800");
    places_of(svg, "rule", 3, a, 2); /* two of the break, and each kernel's median */
    FILE *page = open_memstream(&caption, &length);
    plot_counts.caption(page, &made.study);
    fclose(page);
    expect_text(caption, "The axis is broken where no run ends");
    free(caption);
    free(svg);
    make(&made, near);
    svg = drawn(&plot_counts, &made.study);
    ck_assert_int_eq(places_of(svg, "marks", 0, a, 2), 2);
    double ten = place_of_label(svg, "110") - place_of_label(svg, "100");
    ck_assert_double_eq_tol((a[1][0] - a[0][0]) / 9, ten / 10, 0.01);
    free(svg);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {minor_ticks_stand_where_a_reader_takes_them_to_stand,
                            a_short_axis,
                            a_kernel_has_one_colour,
                            ulps_end_where_one_run_is_left,
                            ritz_values_stand_at_their_values,
                            cells_stand_at_their_places,
                            a_profile_has_the_ratios_of_times,
                            a_profile_wants_two_kernels_and_times,
                            a_roofline_is_the_speed_of_a_copy,
                            the_first_iterations_are_drawn,
                            counts_show_their_spread,
                            NULL};
    return suite_of("program/report/plot", tests);
}
