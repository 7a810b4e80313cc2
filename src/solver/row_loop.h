/* The loop of a method whose scalars live in the space (space/solver_rows.h): turns are sent
 * ahead, several at once, and their rows are read behind them, until one of them was the last. What
 * is still on its way then does nothing. */
#ifndef SOLVER_ROW_LOOP_H
#define SOLVER_ROW_LOOP_H

#include "solver/method.h"
#include "space/solver_rows.h"
#include "space/space.h"

#include <stdbool.h>

/* Several iterations sent at once, in the place of as many turns: their rows come together, when
 * all of them are done. One that is lost has done nothing, and later ones do nothing
 * (struct solver_bursts); then turns go on from there. */
struct row_bursts {
    int64_t
        most; /* iterations of one at most, even and SOLVER_ROWS / 4 at most; 0: none are sent */
    /* count is even, as the iterations done before are. The context is the loop's. */
    enum status (*send)(void *context, int64_t count, struct error *error);
};

struct row_loop {
    struct space *space;
    space_work *turn; /* sends one iteration on its way, which puts one row */
    /* called with every row, in order, on the calling thread; with STATUS_INTERRUPTED no more turns
     * are sent */
    enum status (*take)(void *context, const struct solver_row *row, struct error *error);
    void *context;            /* of all of these */
    struct row_bursts bursts; /* set before the first advance, if any are sent */

    /* Looks at vectors on the way, or due = NULL. No turn past iteration *due is sent before `look`
     * was called, which is when that iteration is done and nothing later is on its way; it moves
     * *due on. */
    const int64_t *due;
    enum status (*trace_vectors)(void *context, struct error *error);

    /* the loop's own */
    struct solver_rows *rows; /* given to the scalars */
    int times;                /* turns that are recorded together */
    bool recorded;            /* with bursts, when the first turns are sent without them */
    int64_t sent, seen;       /* rows: those whose turns were sent, and those that were handed on */
    bool interrupted;         /* by `take`, */
    int64_t last_sent;        /* and as much as `sent` shall then be */
    bool ended;
};

/* The rows in memory that the host sees too. On failure the caller calls row_loop_end all the same.
 * Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status row_loop_begin(struct row_loop *loop, struct error *error);

/* Record turns over vectors of n elements with `products` >= 1 products each, unless vectors are
 * looked at. Returns when row 0 has come and all work before the loop is done. */
enum status row_loop_record(struct row_loop *loop, int64_t n, int64_t products,
                            struct error *error);

/* struct method's advance of the solver: until row `until` has been handed on and nothing is on its
 * way, or the rows have ended, or those of the turns that were sent before `take` interrupted have
 * come: then loop->ended and solver->ended are set, and the result's reason and curvature. Errors:
 * STATUS_DEVICE, those of turn, take and look. */
enum status row_loop_advance(struct row_loop *loop, struct solver *solver, int64_t until,
                             struct error *error);

/* Its next row is that behind so many iterations, which have been handed on elsewhere; what follows
 * the last of them is in the space, and nothing is on its way. */
void row_loop_resume(struct row_loop *loop, int64_t iterations, bool ended);

void row_loop_end(struct row_loop *loop);

#endif
