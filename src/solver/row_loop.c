#include "solver/row_loop.h"

#include "space/ranks/ranks.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ROW_WORDS = sizeof(struct solver_row_words) / sizeof(uint64_t) };
_Static_assert(sizeof(struct solver_row) == sizeof(struct solver_row_words), "a row is its words");

enum status row_loop_begin(struct row_loop *loop, struct error *error)
{
    loop->sent = 1; /* row 0 is on its way when the loop begins */
    enum status status = loop->space->operations->allocate_shared(
        loop->space, sizeof *loop->rows, "the rows of the history", (void **)&loop->rows, error);
    if (!status)
        memset(loop->rows->row, 0xff, sizeof loop->rows->row); /* SOLVER_ROW_UNSET */
    return status;
}

/* Whether row k has come; *row is then that. */
static bool row_has_come(const struct solver_rows *rows, int64_t k, struct solver_row *row)
{
    const uint64_t *coming = rows->row[k % SOLVER_ROWS].word;
    uint64_t words[ROW_WORDS];
    for (int w = 0; w < ROW_WORDS; w++) {
        words[w] = __atomic_load_n(&coming[w], __ATOMIC_RELAXED);
        if (words[w] == SOLVER_ROW_UNSET)
            return false;
    }
    memcpy(row, words, sizeof words);
    return true;
}

/* A turn of many products costs more to record and is longer on the device: fewer of them then
 * hide a launch. Even, as the buffers of two turns are. */
static int turns_to_record(int replay_times, int64_t products)
{
    int64_t fewer = replay_times / products & ~(int64_t)1;
    int least = replay_times < 2 ? replay_times : 2;
    return fewer > least ? (int)fewer : least;
}

static enum status record(struct row_loop *loop, struct error *error)
{
    if (loop->recorded)
        return STATUS_OK;
    loop->recorded = true;
    return loop->space->operations->record(loop->space, loop->turn, loop->context, loop->times,
                                           error);
}

enum status row_loop_record(struct row_loop *loop, int64_t n, int64_t products, struct error *error)
{
    const struct space_operations *space_do = loop->space->operations;
    struct solver_row row;
    enum status status = STATUS_OK;
    loop->times = turns_to_record(space_do->replay_times(loop->space, n), products);
    if (!loop->due && loop->bursts.most == 0)
        status = record(loop, error);
    while (!status && !row_has_come(loop->rows, 0, &row))
        status = space_do->poll(loop->space, error);
    return status;
}

/* Hand on the rows that have come. */
static enum status watch(struct row_loop *loop, struct error *error)
{
    struct solver_row row;
    enum status status = STATUS_OK;
    for (; !status && row_has_come(loop->rows, loop->seen, &row); loop->seen++) {
        if (row.iteration != loop->seen)
            return error_set(error, STATUS_DEVICE, "the history's row %" PRId64 " was overwritten",
                             loop->seen);
        memset(&loop->rows->row[loop->seen % SOLVER_ROWS], 0xff,
               sizeof *loop->rows->row); /* SOLVER_ROW_UNSET */
        status = loop->take(loop->context, &row, error);
        if (status == STATUS_INTERRUPTED) {
            loop->interrupted = true;
            loop->last_sent = loop->sent; /* a rank waits for what another one has sent more */
            status = ranks_max(loop->space, &loop->last_sent, error);
        }
    }
    return status;
}

static bool burst_is_lost(const struct row_loop *loop)
{
    return __atomic_load_n(&loop->rows->bursts.lost, __ATOMIC_ACQUIRE);
}

static bool rows_have_ended(const struct row_loop *loop)
{
    return __atomic_load_n(&loop->rows->ended, __ATOMIC_ACQUIRE);
}

/* As many iterations as a burst takes. *sent: they are on their way. */
static enum status send_burst(struct row_loop *loop, int64_t last, bool *sent, struct error *error)
{
    int64_t left = last - loop->sent + 1, most = loop->bursts.most;
    int64_t count = (left < most ? left : most) & ~(int64_t)1;
    *sent = count > 0 && (loop->sent - 1) % 2 == 0;
    if (!*sent)
        return STATUS_OK;
    loop->sent += count;
    return loop->bursts.send(loop->context, count, error);
}

/* A burst, or what was recorded, where all of it is wanted; both begin with the buffers of an even
 * turn. */
static enum status send(struct row_loop *loop, int64_t last, struct error *error)
{
    bool sent;
    enum status status = send_burst(loop, last, &sent, error);
    if (status || sent)
        return status;
    bool all = !loop->due && loop->times - 1 <= last - loop->sent && (loop->sent - 1) % 2 == 0;
    loop->sent += all ? loop->times : 1;
    if (!loop->space->operations->replay) /* they were sent by somebody else */
        return STATUS_OK;
    if (!all)
        return loop->turn(loop->context, error);
    status = record(loop, error);
    return status ? status : loop->space->operations->replay(loop->space, error);
}

/* All rows have come; whether the last of them ended the iteration is known when nothing is on its
 * way. */
static enum status settle(struct row_loop *loop, struct error *error)
{
    double none;
    enum status status = loop->space->operations->replay_timed(loop->space, 0, &none, error);
    loop->ended = rows_have_ended(loop);
    return status;
}

/* As `take` wished; but the last row may have ended the iteration by itself. */
static enum status stop(struct row_loop *loop, struct error *error)
{
    enum status status = settle(loop, error);
    if (!status && !loop->ended)
        solver_rows_end(loop->rows, REASON_INTERRUPTED, NAN);
    loop->ended = true;
    return status;
}

/* Whether the row that is due ended the iteration is known first, or one rank of several would look
 * where another ends. */
static enum status trace_vectors(struct row_loop *loop, struct error *error)
{
    enum status status = settle(loop, error);
    return status || loop->ended ? status : loop->trace_vectors(loop->context, error);
}

/* More than that are not sent before they are seen. */
static int64_t ahead(const struct row_loop *loop)
{
    return loop->bursts.most > 0 ? loop->bursts.most : loop->times;
}

/* A burst was lost: when nothing is on its way, the rows of what was done are there, and the next
 * row is that behind them. */
static enum status go_back(struct row_loop *loop, struct error *error)
{
    double none;
    enum status status = loop->space->operations->replay_timed(loop->space, 0, &none, error);
    loop->bursts.most = 0;
    if (!status)
        status = watch(loop, error);
    loop->sent = loop->seen;
    return status;
}

static enum status run(struct row_loop *loop, int64_t until, struct error *error)
{
    enum status status = STATUS_OK;
    while (!loop->ended && !status) {
        int64_t due = loop->due ? *loop->due : INT64_MAX, last = due < until ? due : until;
        /* before the rows are read: then they are all there */
        loop->ended = rows_have_ended(loop);
        status = watch(loop, error);
        if (loop->ended || status)
            continue;
        if (loop->sent < loop->seen) /* by somebody else */
            loop->sent = loop->seen;
        bool idle = loop->sent == loop->seen;
        bool more = loop->interrupted
                        ? loop->sent < loop->last_sent
                        : loop->sent - loop->seen <= ahead(loop) && loop->sent <= last;
        if (more)
            status = send(loop, last, error);
        else if (loop->interrupted && idle)
            status = stop(loop, error);
        else if (idle && loop->sent > due)
            status = trace_vectors(loop, error);
        else if (idle)
            return settle(loop, error);
        else if (loop->bursts.most > 0 && burst_is_lost(loop))
            status = go_back(loop, error);
        else
            status = loop->space->operations->poll(loop->space, error);
    }
    return status;
}

/* All ranks send what one has sent: behind the end it does nothing, but each waits in it for the
 * others (space/ranks/nccl.h). */
static enum status send_alike(struct row_loop *loop, struct error *error)
{
    int64_t last = loop->sent;
    enum status status = STATUS_OK;
    if (loop->interrupted) /* agreed on before */
        last = loop->last_sent;
    else
        status = ranks_max(loop->space, &last, error);
    while (!status && loop->sent < last)
        status = send(loop, last - 1, error);
    return status;
}

enum status row_loop_advance(struct row_loop *loop, struct solver *solver, int64_t until,
                             struct error *error)
{
    enum status status = run(loop, until, error);
    if (!status && loop->ended && ranks_need_matching_launches(loop->space))
        status = send_alike(loop, error);
    solver->ended = loop->ended;
    if (solver->ended) {
        solver->result.reason = (enum reason)loop->rows->reason;
        solver->result.curvature = loop->rows->curvature;
    }
    return status;
}

void row_loop_resume(struct row_loop *loop, int64_t iterations, bool ended)
{
    memset(loop->rows->row, 0xff, sizeof loop->rows->row); /* SOLVER_ROW_UNSET */
    loop->rows->ended = ended;
    loop->rows->bursts.ended = 0;
    loop->sent = loop->seen = iterations + 1;
    loop->interrupted = false;
    loop->ended = ended;
}

void row_loop_end(struct row_loop *loop)
{
    loop->space->operations->forget(loop->space);
    loop->space->operations->release_shared(loop->space, loop->rows);
}
