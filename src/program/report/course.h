/* The course of a quantity over the iterations, thinned out for a picture: with more iterations
 * than points, a point has the lowest and the highest value of several iterations. */
#ifndef PROGRAM_REPORT_COURSE_H
#define PROGRAM_REPORT_COURSE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* The iterations begin ... end, or one. */
struct course_point {
    int64_t begin, end;
    double lowest, highest;        /* NaN when a value among them cannot be drawn */
    int64_t lowest_at, highest_at; /* the iterations of these */
};

enum { COURSE_CLOSE = 40 };

struct course {
    int64_t
        width; /* iterations a point; 0: as many as lie close on a logarithmic axis of iterations */
    bool linear; /* of a linear axis, on which 0 has its place */
    struct course_point *points;
    int64_t count, capacity;
};

/* The width with which `iterations` of them, counted from 0, become at most `points` points. */
int64_t course_width(int64_t iterations, int64_t points);

/* Take what an iteration, later than those before, goes from and to: finite where they can be
 * drawn, and on a logarithmic axis positive. With width 0 each of the first iterations is a point,
 * and later ones are closer than 1/COURSE_CLOSE of their number. Errors: STATUS_MEMORY. */
enum status course_take(struct course *course, int64_t iteration, double lowest, double highest,
                        struct error *error);

/* Where the curve has been lowest and highest, widening *lowest and *highest. */
void course_range(const struct course *course, double *lowest, double *highest);

void course_free(struct course *course); /* accepts a zeroed one */

#endif
