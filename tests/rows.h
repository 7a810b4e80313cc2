/* Rows of a history, kept by a test. */
#ifndef TESTS_ROWS_H
#define TESTS_ROWS_H

#include "solver/method.h"

#include <math.h>

struct kept_row {
    int64_t iteration;
    union {
        struct {
            double residual, alpha, beta; /* the first of every method's series */
        };
        double values[SERIES_MOST]; /* in their order; NaN behind the last */
    };
};

static inline struct kept_row row_of(int64_t iteration, double residual, double alpha, double beta)
{
    struct kept_row row = {.iteration = iteration};
    for (int s = 0; s < SERIES_MOST; s++)
        row.values[s] = NAN;
    row.residual = residual;
    row.alpha = alpha;
    row.beta = beta;
    return row;
}

/* An EVENT_ROW of that method. */
static inline struct kept_row row_kept(const struct method *method, const struct event *event)
{
    struct kept_row row = row_of(event->iteration, NAN, NAN, NAN);
    for (int s = 0; method->series[s].name; s++)
        row.values[s] = event->values[s];
    return row;
}

/* The other way round, of a study's run; it points into the row. */
static inline struct event row_event(const char *label, int64_t run, const struct kept_row *row)
{
    return (struct event){.kind = EVENT_ROW,
                          .label = label,
                          .run = run,
                          .iteration = row->iteration,
                          .values = row->values};
}

#endif
