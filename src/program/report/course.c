#include "program/report/course.h"

#include "base/memory.h"

#include <math.h>

int64_t course_width(int64_t iterations, int64_t points)
{
    return iterations / points + 1; /* iterations + 1 values, rounded up */
}

static bool can_be_drawn(const struct course *course, double value)
{
    return isfinite(value) && (course->linear || value > 0);
}

/* Another iteration of the point; a NaN stays. */
static void widen(struct course_point *point, int64_t iteration, double lowest, double highest)
{
    point->end = iteration;
    if (!(point->lowest <= lowest)) {
        point->lowest = isnan(point->lowest) ? NAN : lowest;
        point->lowest_at = iteration;
    }
    if (!(point->highest >= highest)) {
        point->highest = isnan(point->highest) ? NAN : highest;
        point->highest_at = iteration;
    }
}

/* Iterations of one bin are one point. */
static int64_t bin_of(const struct course *course, int64_t iteration)
{
    if (course->width > 0)
        return iteration / course->width;
    return iteration < COURSE_CLOSE
               ? iteration
               : (int64_t)(COURSE_CLOSE * (1 + log((double)iteration / COURSE_CLOSE)));
}

enum status course_take(struct course *course, int64_t iteration, double lowest, double highest,
                        struct error *error)
{
    bool drawn = can_be_drawn(course, lowest) && can_be_drawn(course, highest);
    struct course_point *last = course->count > 0 ? &course->points[course->count - 1] : NULL;
    if (last && bin_of(course, last->begin) == bin_of(course, iteration)) {
        widen(last, iteration, drawn ? lowest : NAN, drawn ? highest : NAN);
        return STATUS_OK;
    }
    enum status status = memory_grow((void **)&course->points, &course->capacity, course->count + 1,
                                     sizeof *course->points, "the curves", error);
    if (!status)
        course->points[course->count++] =
            (struct course_point){iteration, iteration, drawn ? lowest : NAN, drawn ? highest : NAN,
                                  iteration, iteration};
    return status;
}

void course_range(const struct course *course, double *lowest, double *highest)
{
    for (int64_t k = 0; k < course->count; k++) {
        *lowest = fmin(*lowest, course->points[k].lowest);
        *highest = fmax(*highest, course->points[k].highest);
    }
}

void course_free(struct course *course)
{
    memory_free(course->points);
    *course = (struct course){0};
}
