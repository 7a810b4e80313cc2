/* The events of a solve, and of a study (study/study.h). Each event goes to the callback of the
 * observer, if it wants that kind. */
#ifndef BASE_OBSERVER_H
#define BASE_OBSERVER_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum event_kind {
    EVENT_ROW,    /* row `iteration` of the history, in order from 0: a value for each series of the
                  method */
    EVENT_VECTOR, /* values[n]: a vector of the method, as it is in `iteration` */
    EVENT_EIGENVECTOR, /* values[n], of norm 1, at the end of a solve */
    EVENT_SOLUTION,    /* of a study: what a run has found, solver_solution_length values of each
                          column, column after column; of one column, values[count] from `first` on,
                          piece after piece */
    EVENT_RUN_ENDED,   /* of a study */
};

/* Members without a meaning for its kind are 0. */
struct event {
    enum event_kind kind;
    const char *label; /* of a study: its entry, */
    int64_t run;       /* and which run of it, from 1 */
    int64_t column;    /* of the right-hand sides (solver_solve_columns), from 0 */
    int64_t iteration;
    int64_t place; /* of a vector: enum solver_vector; of an eigenvector, from 0 by ascending
                      eigenvalue */
    double eigenvalue;
    int64_t first, count; /* of a solution: which of its rows */
    const double *values; /* on the host, until the callback returns */
};

/* The vectors that a trace can show, in the order in which an iteration makes them. Each method has
 * some of them. */
enum solver_vector {
    VECTOR_R, /* r_k = b - A x_k, of the recursion */
    VECTOR_X, /* x_k */
    VECTOR_P, /* CG: p_k, the next direction, */
    VECTOR_Q, /* and A p_k */
    SOLVER_VECTORS,
};

/* Their names, "r", "x", ..., NULL; static. Each is shorter than VECTOR_NAME. */
extern const char *const solver_vector_names[];
enum { VECTOR_NAME = 16 };

/* Which vectors of a method (struct method) the trace copies to the host, in the iterations 0,
 * every, 2 every, ... A trace changes no bit of the solve. It takes time: no work is recorded or
 * sent past a traced iteration. */
struct trace_wish {
    int64_t every;    /* >= 1 */
    unsigned vectors; /* bits 1u << enum solver_vector, of those that the method shows */
};

struct observer {
    unsigned wants;          /* bits 1u << enum event_kind: other events are not made */
    struct trace_wish trace; /* of EVENT_VECTOR */
    /* Called on the calling thread; a vector comes after the row of its iteration. A status other
     * than STATUS_OK ends the solve, and the study, with that status. The exception is
     * STATUS_INTERRUPTED with a row: it asks the solver to stop here, as if max_iterations were
     * reached. Then solver_solve gives back STATUS_OK, the reason is REASON_INTERRUPTED, and the
     * solution is that of the last row. On a GPU, the work already sent is done first, and its rows
     * still come; without a GPU this row is the last. A solve that ends by itself with the last row
     * keeps its own reason. */
    enum status (*see)(void *context, const struct event *event, struct error *error);
    void *context;
};

/* Whether events of that kind are wanted. observer: may be NULL. */
static inline bool observer_wants(const struct observer *observer, enum event_kind kind)
{
    return observer && (observer->wants >> kind & 1);
}

/* Pass the event to the observer, if it wants this kind. */
static inline enum status observer_see(const struct observer *observer, const struct event *event,
                                       struct error *error)
{
    return observer_wants(observer, event->kind) ? observer->see(observer->context, event, error)
                                                 : STATUS_OK;
}

#ifdef __cplusplus
}
#endif
#endif
