/* The trace of a solve (struct trace_wish): when its next look is due, and the
 * look. */
#ifndef SOLVER_CG_TRACE_H
#define SOLVER_CG_TRACE_H

#include "solver/cg/work.h"

/* On failure the caller calls tracing_end all the same. Errors: STATUS_MEMORY. */
enum status tracing_begin(struct tracing *tracing, const struct cg *cg, struct error *error);

/* Iteration tracing->due has been done, and no later one is on its way. When the loop has ended
 * with it, nothing is done: x is not brought up to date yet. Errors: STATUS_DEVICE, and those of
 * the observer. */
enum status tracing_take(struct tracing *tracing, const struct cg *cg, struct error *error);

/* The loop has ended at this iteration, and x is up to date: its r and x, if they are due; p and q
 * were not made any more. */
enum status tracing_take_last(struct tracing *tracing, const struct cg *cg, int64_t iteration,
                              struct error *error);

/* Its next look is the first that was not due when the state was saved. */
void tracing_go_on(struct tracing *tracing, const struct cg *cg);

void tracing_end(struct tracing *tracing, const struct cg *cg);

#endif
