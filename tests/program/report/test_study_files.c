/* What is read from a directory of results: the curves and how they are thinned out, which runs are
 * drawn, and what is refused. */
#include "program/report/study_files.h"

#include "program/report/page.h"
#include "program/report/results_made.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ENVELOPE "kernel,iteration,runs,min,median,max,ulps\n"

static struct recorded read_back(const char *directory, int64_t curves)
{
    struct recorded recorded;
    struct error error;
    expect_ok(recorded_read(directory, curves, &recorded, &error), &error);
    return recorded;
}

START_TEST(equal_histories_are_one_curve)
{
    struct recorded recorded = read_back(results_made("three", "a", 12, 3, 5), 200);
    ck_assert_int_eq(recorded.selection.count, 3);
    ck_assert_int_eq(recorded.selection.histories, 3);
    for (int64_t k = 0; k < 3; k++) {
        ck_assert_int_eq(recorded.selection.runs[k].run, k + 1);
        ck_assert_int_eq(recorded.selection.runs[k].same, 4);
        ck_assert_int_eq(recorded.curves[k].history.count, 6);
        ck_assert_double_eq(recorded.curves[k].history.points[2].lowest,
                            0.25 * (1 + ldexp(k, -52)));
    }
    recorded_free(&recorded);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* From the first to the last. */
START_TEST(a_limit_spreads_over_the_runs)
{
    struct recorded recorded = read_back(results_made("many", "a", 10, 10, 2), 4);
    static const int64_t wanted[] = {1, 4, 7, 10};
    ck_assert_int_eq(recorded.selection.count, 4);
    ck_assert_int_eq(recorded.selection.histories, 10);
    for (int64_t k = 0; k < 4; k++) {
        ck_assert_int_eq(recorded.selection.runs[k].run, wanted[k]);
        ck_assert_int_eq(recorded.curves[k].history.count, 3);
    }
    recorded_free(&recorded);
}
END_TEST

/* Each point has the extremes of its iterations, and no iteration is left out. */
START_TEST(courses_are_thinned_out)
{
    struct course course = {.width = course_width(9, 4)};
    struct error error;
    ck_assert_int_eq(course.width, 3);
    static const double values[10] = {5, 7, 6, 1, 2, 3, 8, NAN, 9, 4};
    for (int64_t k = 0; k < 10; k++)
        expect_ok(course_take(&course, k, values[k], values[k], &error), &error);
    ck_assert_int_eq(course.count, 4);
    ck_assert_double_eq(course.points[0].lowest, 5);
    ck_assert_double_eq(course.points[0].highest, 7);
    ck_assert_int_eq(course.points[0].lowest_at, 0);
    ck_assert_int_eq(course.points[0].highest_at, 1);
    ck_assert_int_eq(course.points[1].lowest_at, 3);
    ck_assert_int_eq(course.points[1].highest_at, 5);
    ck_assert_int_eq(course.points[1].begin, 3);
    ck_assert_int_eq(course.points[1].end, 5);
    ck_assert(isnan(course.points[2].lowest) && isnan(course.points[2].highest));
    ck_assert_double_eq(course.points[3].lowest, 4);
    double lowest = INFINITY, highest = 0;
    course_range(&course, &lowest, &highest);
    ck_assert_double_eq(lowest, 1);
    ck_assert_double_eq(highest, 7);
    course_free(&course);
    struct course linear = {.width = 2, .linear = true};
    static const double counts[3] = {0, 3, INFINITY};
    for (int64_t k = 0; k < 3; k++)
        expect_ok(course_take(&linear, k, counts[k], counts[k], &error), &error);
    ck_assert_double_eq(linear.points[0].lowest, 0);
    ck_assert_double_eq(linear.points[0].highest, 3);
    ck_assert(isnan(linear.points[1].lowest));
    course_free(&linear);
    ck_assert_int_eq(course_width(399, 400), 1);
    ck_assert_int_eq(course_width(400, 400), 2);
    ck_assert_int_eq(course_width(INT64_MAX, 400), INT64_MAX / 400 + 1);
}
END_TEST

START_TEST(an_envelope_is_read)
{
    const char *directory = results_made("envelope", "a", 1, 1, 2);
    results_write(directory, "envelope.csv",
                  ENVELOPE "a,0,2,1,1,1,0\na,1,2,0.5,0.6,0.75,1000\na,2,2,0.25,nan,nan,\n");
    struct recorded recorded = read_back(directory, 200);
    ck_assert(recorded.has_envelope);
    const struct recorded_envelope *envelope = &recorded.envelope[0];
    ck_assert_int_eq(envelope->residuals.count, 3);
    ck_assert_double_eq(envelope->residuals.points[1].lowest, 0.5);
    ck_assert_double_eq(envelope->residuals.points[1].highest, 0.75);
    ck_assert(isnan(envelope->residuals.points[2].highest));
    ck_assert_double_eq(envelope->ulps.points[0].highest, RECORDED_NO_ULPS);
    ck_assert_double_eq(envelope->ulps.points[1].highest, 1000);
    ck_assert(isnan(envelope->ulps.points[2].highest));
    recorded_free(&recorded);
}
END_TEST

static void expect_refused(const char *directory, const char *file, const char *message)
{
    struct recorded recorded;
    struct error error;
    expect_error(recorded_read(directory, 200, &recorded, &error), STATUS_INPUT, &error, file,
                 message, NULL);
    ck_assert_ptr_null(recorded.directory);
    ck_assert_int_eq(memory_live(), 0);
}

/* Of the first history alone; a row may have none, and so may a file. */
START_TEST(the_error_is_read_where_it_is_known)
{
    struct recorded recorded;
    struct error error;
    const char *directory = results_made("error", "a", 2, 2, 3);
    expect_ok(recorded_read(directory, 200, &recorded, &error), &error);
    ck_assert_int_eq(recorded.error.count, 0);
    recorded_free(&recorded);
    results_edit(directory, "history.csv", "alpha,beta", "alpha,error_norm");
    results_edit(directory, "history.csv", ",0x1p-1,,", ",0x1p-1,,0.25");
    expect_ok(recorded_read(directory, 200, &recorded, &error), &error);
    ck_assert_int_eq(recorded.error.count, 1);
    ck_assert_int_eq(recorded.error.points[0].begin, 1);
    ck_assert(recorded.error.points[0].lowest == 0.25);
    recorded_free(&recorded);
    results_edit(directory, "history.csv", ",0x1p-1,,0.25", ",0x1p-1,,x");
    expect_refused(directory, "history.csv:3:", "the error_norm \"x\" is not");
}
END_TEST

/* Of every history; none is a number like others, and an empty entry is none. */
START_TEST(ghosts_are_read_where_they_are_known)
{
    struct recorded recorded = read_back(results_made("ghosts", "a", 2, 2, 3), 200);
    ck_assert_int_eq(recorded.curves[0].ghosts.count, 0);
    ck_assert_int_eq(recorded.curves[1].first_ghost, -1);
    recorded_free(&recorded);
    const char *directory = results_made("ghosts", "a", 2, 2, 3);
    results_cut(directory, "history.csv", "kernel",
                "kernel,run,iteration,residual_hex,ghosts\n"
                "a,1,0,0x1p+0,\na,1,1,0x1p-1,0\na,1,2,0x1p-2,2\na,1,3,0x1p-3,5\n"
                "a,2,0,0x1p+0,\na,2,1,0x1p-1,0\na,2,2,0x1p-2,0\na,2,3,0x1p-3,\n");
    recorded = read_back(directory, 200);
    const struct recorded_curve *curves = recorded.curves;
    static const double wanted[] = {0, 2, 5};
    ck_assert_int_eq(curves[0].ghosts.count, 3);
    for (int64_t k = 0; k < 3; k++) {
        ck_assert_int_eq(curves[0].ghosts.points[k].begin, k + 1);
        ck_assert_double_eq(curves[0].ghosts.points[k].highest, wanted[k]);
    }
    ck_assert_int_eq(curves[0].first_ghost, 2);
    ck_assert_int_eq(curves[1].ghosts.count, 2);
    ck_assert_double_eq(curves[1].ghosts.points[1].lowest, 0);
    ck_assert_int_eq(curves[1].first_ghost, -1);
    recorded_free(&recorded);
    results_edit(directory, "history.csv", "0x1p-2,2", "0x1p-2,0.5");
    expect_refused(directory, "history.csv:4:", "the ghosts \"0.5\" is not a whole number");
}
END_TEST

START_TEST(faults_are_named)
{
    static const struct {
        const char *file, *from, *to, *name, *message;
    } faults[] = {
        {"summary.json", "\"schema\": 1", "\"schema\": 2", "summary.json", "schema: is not 1"},
        {"summary.json", "\"runs\"", "\"rums\"", "summary.json", "runs"},
        {"summary.json", "\"kernels\": [", "\"kernels\": [], \"x\": [", "summary.json", "kernels"},
        {"summary.json", "\"matrix_hash\"", "\"hash\"", "summary.json", "problem: "},
        {"summary.json", "{\"schema\"", "{schema", "summary.json:1", "expected"},
        {"summary.json", "\"iterations\": 3, ", "\"iterations\": -3, ", "summary.json", "a: "},
        {"summary.json", "\"iterations\": 3, ", "\"iterations\": 9223372036854775807, ",
         "history.csv", "ends at iteration 3, and in summary.json at 9223372036854775807"},
        {"history.csv", "residual_hex", "residual_hex,residual_hex", "history.csv:1:", "twice"},
        {"history.csv", "residual_hex", "hex", "history.csv:1:", "no column 'residual_hex'"},
        {"history.csv", "\na,1,1,", "\na,1,x,", "history.csv:3:", "\"x\" is not a whole number"},
        {"history.csv", "\na,1,1,", "\na,1,2,", "history.csv:3:", "2 stands where 1 is wanted"},
        {"history.csv", "\na,1,1,", "\nb,1,1,", "history.csv:3:", "no kernel 'b'"},
        {"history.csv", "\na,1,1,", "\n1,1,", "history.csv:3:", "6 fields instead of 7"},
        {"history.csv", ",0x1p-1,", ",0y1p-1,", "history.csv:3:", "is not a number like 0x1.8p+3"},
    };
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        const char *directory = results_made("faults", "a", 2, 2, 3);
        results_edit(directory, faults[k].file, faults[k].from, faults[k].to);
        expect_refused(directory, faults[k].name, faults[k].message);
    }
    const char *directory = results_made("faults", "a", 2, 2, 3);
    results_cut(directory, "history.csv", "\na,2,2,", "\n");
    expect_refused(directory, "history.csv",
                   "run 2 of 'a' ends at iteration 1, and in summary.json");
    results_cut(directory, "history.csv", "kernel", "");
    expect_refused(directory, "history.csv:1:", "the file is empty");
    expect_refused("/no/such", "/no/such/summary.json", "cannot read");
    directory = results_made("faults", "a", 1, 1, 3);
    results_write(directory, "envelope.csv", ENVELOPE "a,0,1,1,1,-1,0\n");
    expect_refused(directory, "envelope.csv:2:", "the max \"-1\" is not a number");
    results_write(directory, "envelope.csv", ENVELOPE "a,0,1,1,1,1,x\n");
    expect_refused(directory, "envelope.csv:2:", "the ulps \"x\" is not a whole number");
}
END_TEST

static enum status read_report(void *context, struct error *error)
{
    struct report report;
    const char *const directories[] = {context, context};
    enum status status = report_read(directories, 2, &report, error);
    if (!status)
        report_free(&report);
    return status;
}

START_TEST(memory_may_be_short)
{
    char directory[512];
    snprintf(directory, sizeof directory, "%s", results_made("short", "a", 3, 2, 4));
    results_write(directory, "envelope.csv", ENVELOPE "a,0,1,1,1,1,0\n");
    results_write(directory, "settings.cfg", "a = 1;\n");
    results_edit(directory, "history.csv", "alpha,beta", "alpha,ghosts");
    results_edit(directory, "history.csv", ",0x1p-1,,", ",0x1p-1,,1");
    walk_allocation_failures(read_report, directory);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {equal_histories_are_one_curve,
                            a_limit_spreads_over_the_runs,
                            courses_are_thinned_out,
                            an_envelope_is_read,
                            the_error_is_read_where_it_is_known,
                            ghosts_are_read_where_they_are_known,
                            faults_are_named,
                            memory_may_be_short,
                            NULL};
    return suite_of("program/report/study_files", tests);
}
