#include "solver/row_loop.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ROW_WORDS = sizeof(struct solver_row_words) / sizeof(uint64_t) };
_Static_assert(sizeof(struct solver_row) == sizeof(struct solver_row_words), "a row is its words");

enum status row_loop_begin(struct row_loop *loop, struct error *error)
{
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

enum status row_loop_record(struct row_loop *loop, int64_t n, struct error *error)
{
    const struct space_operations *space_do = loop->space->operations;
    struct solver_row row;
    enum status status = STATUS_OK;
    loop->times = space_do->replay_times(loop->space, n);
    if (!loop->due)
        status = space_do->record(loop->space, loop->turn, loop->context, loop->times, error);
    while (!status && !row_has_come(loop->rows, 0, &row))
        status = space_do->poll(loop->space, error);
    return status;
}

/* Hand on the rows that have come; *seen of them have been before. */
static enum status watch(struct row_loop *loop, int64_t *seen, struct error *error)
{
    struct solver_row row;
    enum status status = STATUS_OK;
    for (; !status && row_has_come(loop->rows, *seen, &row); ++*seen) {
        if (row.iteration != *seen)
            return error_set(error, STATUS_DEVICE, "the history's row %" PRId64 " was overwritten",
                             *seen);
        memset(&loop->rows->row[*seen % SOLVER_ROWS], 0xff,
               sizeof *loop->rows->row); /* SOLVER_ROW_UNSET */
        status = loop->take(loop->context, &row, error);
        if (status == STATUS_INTERRUPTED) {
            loop->interrupted = true;
            status = STATUS_OK;
        }
    }
    return status;
}

static bool rows_have_ended(const struct row_loop *loop)
{
    return __atomic_load_n(&loop->rows->ended, __ATOMIC_ACQUIRE);
}

/* All turns that were sent have put their rows. The last one may have ended the iteration by
 * itself, which is known when nothing of it is on its way. */
static void end_here(const struct row_loop *loop)
{
    loop->space->operations->forget(loop->space);
    if (!rows_have_ended(loop))
        solver_rows_end(loop->rows, REASON_INTERRUPTED, NAN);
}

enum status row_loop_run(struct row_loop *loop, struct error *error)
{
    const struct space_operations *space_do = loop->space->operations;
    enum status status = STATUS_OK;
    int64_t sent = 1, seen = 0; /* rows: row 0 is there */
    bool ended = false;
    while (!ended && !status) {
        int64_t due = loop->due ? *loop->due : INT64_MAX;
        /* before the rows are read: then they are all there */
        ended = rows_have_ended(loop);
        status = watch(loop, &seen, error);
        if (ended || status)
            continue;
        if (loop->interrupted && sent == seen) {
            end_here(loop);
            ended = true;
        } else if (!loop->interrupted && sent - seen <= loop->times && sent <= due) {
            status =
                loop->due ? loop->turn(loop->context, error) : space_do->replay(loop->space, error);
            sent += loop->due ? 1 : loop->times;
        } else if (sent == seen && sent > due) {
            status = loop->look(loop->context, error);
        } else {
            status = space_do->poll(loop->space, error);
        }
    }
    return status;
}

void row_loop_end(struct row_loop *loop)
{
    loop->space->operations->forget(loop->space);
    loop->space->operations->release_shared(loop->space, loop->rows);
}
