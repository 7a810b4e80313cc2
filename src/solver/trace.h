/* The trace of a solve (struct trace_wish): when its next look is due, and the look. */
#ifndef SOLVER_TRACE_H
#define SOLVER_TRACE_H

#include "solver/method.h"

struct tracing {
    const struct solver *solver; /* borrowed */
    int64_t due;                 /* the next iteration to look at; INT64_MAX: none */
    double *host;                /* [n] */
};

/* For the solver's observer. On failure the caller calls tracing_end all the same. Errors:
 * STATUS_MEMORY. */
enum status tracing_begin(struct tracing *tracing, const struct solver *solver,
                          struct error *error);

bool tracing_wants(const struct tracing *tracing, enum solver_vector vector);

/* Show vector[n] of the space, if it is wanted, as it is in iteration tracing->due. Errors:
 * STATUS_DEVICE, and those of the observer. */
enum status tracing_show(const struct tracing *tracing, enum solver_vector which,
                         const double *vector, struct error *error);

/* This iteration has been looked at. */
void tracing_move(struct tracing *tracing);

/* Its next look is the first that was not due when the state was saved; what the last iteration of
 * a solve left is shown at its end. */
void tracing_go_on(struct tracing *tracing);

void tracing_end(struct tracing *tracing);

#endif
