/* Several right-hand sides: solver_solve_columns. Each column is a solve of its own, by the same
 * method as one alone, in a space of its own (column_space.h); their turns are done together. */
#include "base/clock.h"
#include "matrix/implicit_rows.h"
#include "solver/column_space.h"
#include "solver/method.h"
#include "solver/start.h"
#include "space/ranks/ranks.h"
#include "spmv/device_csr.h"

/* What the observer of a column sees, told which column it is. */
struct view {
    struct columns *of;
    struct observer observer;
    int64_t column;
};

/* Up to PASS_COLUMNS columns that are solved together. */
struct columns {
    struct column_group group;
    const struct observer *observer; /* the caller's; may be NULL */
    struct csr A;
    int count;
    struct solver *solver[PASS_COLUMNS];
    struct view view[PASS_COLUMNS];
    bool ended[PASS_COLUMNS];
    int times;         /* turns that are sent at once */
    int64_t sent;      /* turns */
    bool *interrupted; /* by the observer, in this column or one before */
};

/* The wish that all ends takes effect where the turns that were sent have come. */
static enum status see(void *context, const struct event *event, struct error *error)
{
    const struct view *view = context;
    struct event own = *event;
    own.column = view->column;
    enum status status = observer_see(view->of->observer, &own, error);
    *view->of->interrupted = *view->of->interrupted || status == STATUS_INTERRUPTED;
    return status == STATUS_INTERRUPTED ? STATUS_OK : status;
}

/* Of columns that are solved apart: it takes effect at once. */
static enum status see_apart(void *context, const struct event *event, struct error *error)
{
    const struct view *view = context;
    enum status status = see(context, event, error);
    return !status && *view->of->interrupted ? STATUS_INTERRUPTED : status;
}

/* All that is done before the first turn: every column begins, by itself. */
static enum status begin(struct columns *columns, struct linear_operator *spmv,
                         const struct solver_options *options, int64_t first, const double *B,
                         const double *X0, struct error *error)
{
    struct column_group *group = &columns->group;
    int64_t n = spmv->n;
    enum status status =
        column_group_create(spmv, options->preconditioner, columns->count, group, error);
    for (int j = 0; j < columns->count && !status; j++) {
        struct solver_options own = *options;
        struct view *view = &columns->view[j];
        own.preconditioner = options->preconditioner ? &group->columns[j].M : NULL;
        *view = (struct view){
            columns, {.wants = 1u << EVENT_ROW, .see = see, .context = view}, first + j};
        status = solver_begin(&group->columns[j].A, &columns->A, B + j * n, X0 ? X0 + j * n : NULL,
                              &own, &view->observer, &columns->solver[j], error);
        if (!status) {
            columns->solver[j]->restart_by.spmv = spmv;
            columns->solver[j]->restart_by.preconditioner = options->preconditioner;
        }
    }
    return status;
}

/* A space_work: as many turns as are sent at once. */
static enum status turns(void *context, struct error *error)
{
    struct columns *columns = context;
    enum status status = column_group_over(&columns->group, error);
    for (int k = 0; k < columns->times && !status; k++)
        status = column_group_turn(&columns->group, error);
    return status;
}

/* Row 0 of each column, what a method does before its first turn, and the turns recorded. */
static enum status prepare(struct columns *columns, struct error *error)
{
    struct column_group *group = &columns->group;
    const struct space_operations *space_do = group->space->operations;
    enum status status = column_group_over(group, error);
    group->collecting = true;
    for (int j = 0; j < columns->count && !status; j++)
        status = solver_advance(columns->solver[j], 0, &columns->ended[j], error);
    group->collecting = false;
    if (!status)
        status = column_group_flush(group, error);
    columns->times = space_do->replay_times(group->space, group->n);
    if (columns->times > 2 && !column_group_is_together(group))
        columns->times = 2; /* a recording is as many operations for each column */
    return status ? status : space_do->record(group->space, turns, columns, 1, error);
}

/* The fewest iterations that have been seen of a column that goes on; -1: all have ended. */
static int64_t fewest(const struct columns *columns)
{
    int64_t least = -1;
    for (int j = 0; j < columns->count; j++) {
        int64_t own = columns->solver[j]->result.iterations;
        if (!columns->ended[j] && (least < 0 || own < least))
            least = own;
    }
    return least;
}

/* As many turns as are to be on their way when `seen` of them have been seen. */
static enum status send(struct columns *columns, int64_t seen, struct error *error)
{
    struct space *space = columns->group.space;
    int64_t ahead = columns->times > 1 ? columns->times : 0; /* one at a time is done at once */
    enum status status = STATUS_OK;
    for (; !status && columns->sent <= seen + ahead; columns->sent += columns->times)
        status = space->operations->replay(space, error);
    return status;
}

/* A row, or those that have come meanwhile, of every column of which one is on its way. */
static enum status take_rows(struct columns *columns, struct error *error)
{
    enum status status = STATUS_OK;
    for (int j = 0; j < columns->count && !status; j++)
        if (!columns->ended[j] && columns->solver[j]->result.iterations < columns->sent)
            status = solver_advance(columns->solver[j], 1, &columns->ended[j], error);
    return status;
}

/* Whether the last row has ended a column is known for certain when nothing is on its way. */
static enum status settle(struct columns *columns, struct error *error)
{
    enum status status = STATUS_OK;
    columns->group.space->operations->forget(columns->group.space);
    for (int j = 0; j < columns->count && !status; j++)
        status = solver_advance(columns->solver[j], 0, &columns->ended[j], error);
    return status;
}

static enum status advance(struct columns *columns, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t seen = fewest(columns);
    while (!status && seen >= 0 && (!*columns->interrupted || seen < columns->sent)) {
        if (!*columns->interrupted)
            status = send(columns, seen, error);
        if (!status)
            status = take_rows(columns, error);
        seen = fewest(columns);
    }
    return status ? status : settle(columns, error);
}

/* What each has come to. The memory of all is given back before one of them is restarted, alone;
 * results[0] gets the seconds of all. */
static enum status end(struct columns *columns, const double *B, double seconds, double exchanged,
                       double *X, struct solver_result *results, struct error *error)
{
    struct solver **solver = columns->solver;
    int64_t n = columns->group.n;
    enum status status = STATUS_OK;
    for (int j = 0; j < columns->count && !status; j++)
        status = solver_find(solver[j], &columns->A, B + j * n, X + j * n, error);
    for (int j = 0; j < columns->count; j++)
        solver_stop(solver[j]);
    column_group_free(&columns->group);
    for (int j = 0; j < columns->count && !status; j++) {
        columns->view[j].observer.see = see_apart;
        solver[j]->result.seconds = seconds;
        solver[j]->result.exchange_seconds = exchanged;
        status = solver_settle(solver[j], STATUS_OK, &columns->A, B + j * n, X + j * n, &results[j],
                               error);
        seconds = results[j].seconds;
        exchanged = results[j].exchange_seconds;
    }
    results[0].seconds = seconds;
    results[0].exchange_seconds = exchanged;
    return status;
}

/* Columns first, first + 1, ... */
static enum status solve_together(struct columns *columns, struct linear_operator *spmv,
                                  int64_t first, const double *B, const double *X0,
                                  const struct solver_options *options, double *X,
                                  struct solver_result *results, struct error *error)
{
    enum status status = begin(columns, spmv, options, first, B, X0, error);
    double called = clock_seconds(), exchanged = ranks_exchange_seconds(spmv->space);
    if (!status)
        status = prepare(columns, error);
    if (!status)
        status = advance(columns, error);
    if (!status)
        status = end(columns, B, clock_seconds() - called,
                     ranks_exchange_seconds(spmv->space) - exchanged, X, results, error);
    spmv->space->operations->forget(spmv->space);
    spmv->space->ended = NULL;
    for (int j = 0; j < columns->count; j++)
        solver_free(columns->solver[j]);
    column_group_free(&columns->group);
    return status;
}

/* Their true residuals are computed where their vectors are. */
static struct csr without_maker(const struct csr *A)
{
    struct csr own = *A;
    own.maker = NULL;
    return own;
}

/* --- which way -------------------------------------------------------------------------------- */

/* Launches of an iteration of one solve, and of all columns together, without those of a
 * preconditioner. */
enum { LAUNCHES_ALONE = 2, LAUNCHES_TOGETHER = 5 };

/* What one sweep for all columns moves more than so many of one, or less: below 0. */
static int64_t more_bytes(const struct linear_operator *A, int64_t columns)
{
    return A ? operator_columns_bytes(A, columns) - columns * A->bytes_per_apply : 0;
}

/* Of a matrix by few bytes a row little is shared, and a kernel that makes directions or dot
 * products in its sweep does not so for several columns. A sweep with other bits is not used. */
static bool together_is_less(const struct linear_operator *spmv,
                             const struct solver_options *options, int64_t columns)
{
    const struct method *method = options->method;
    if (spmv->can & OPERATOR_APART || !(method->traits & METHOD_TAKES_COLUMNS))
        return false;
    int64_t launch = spmv->space->operations->kind == SPACE_CUDA ? LAUNCH_BYTES : 0;
    struct linear_operator plain = *spmv;
    plain.can &= ~(unsigned)(OPERATOR_DIRECTION | OPERATOR_DOT);
    int64_t alone = method->bytes_per_iteration(options, spmv) + LAUNCHES_ALONE * launch;
    int64_t together = columns * method->bytes_per_iteration(options, &plain) +
                       more_bytes(spmv, columns) + more_bytes(options->preconditioner, columns) +
                       LAUNCHES_TOGETHER * launch;
    return together < columns * alone;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* One column by itself; of several. */
static enum status solve_apart(struct columns *columns, struct linear_operator *spmv, int64_t j,
                               const double *b, const double *x0,
                               const struct solver_options *options, double *x,
                               struct solver_result *result, struct error *error)
{
    struct view *view = &columns->view[0];
    struct solver *solver = NULL;
    *view =
        (struct view){columns, {.wants = 1u << EVENT_ROW, .see = see_apart, .context = view}, j};
    enum status status =
        solver_begin(spmv, &columns->A, b, x0, options, &view->observer, &solver, error);
    bool ended = false;
    if (!status)
        status = solver_advance(solver, *columns->interrupted ? 0 : INT64_MAX, &ended, error);
    if (!status)
        status = solver_end(solver, &columns->A, b, x, result, error);
    solver_free(solver);
    return status;
}

/* Over several GPUs, whose rows of the history arrive at any time, columns are solved apart. */
static bool chooses_apart(const struct linear_operator *spmv, const struct solver_options *options,
                          int64_t at_once)
{
    bool on_gpus = ranks_of(spmv->space) && spmv->space->operations->kind == SPACE_CUDA;
    return options->columns == SOLVER_COLUMNS_APART || on_gpus ||
           (options->columns == SOLVER_COLUMNS_AUTO && !together_is_less(spmv, options, at_once));
}

enum status solver_solve_columns(struct linear_operator *spmv, const struct csr *A, int64_t columns,
                                 const double *B, const double *X0,
                                 const struct solver_options *options,
                                 const struct observer *observer, double *X,
                                 struct solver_result *results, struct error *error)
{
    bool interrupted = false;
    int64_t n = A->n, at_once = columns < PASS_COLUMNS ? columns : PASS_COLUMNS;
    if (!solver_finds_vector(options))
        return error_set(error, STATUS_CONFIG,
                         "the method %s takes one vector to begin with, not several",
                         options->method->component.name);
    for (int64_t j = 0; j < columns; j++)
        results[j] = (struct solver_result){0};
    if (columns == 1)
        return solver_solve(spmv, A, B, X0, options, observer, X, results, error);
    struct solver_options own = *options;
    own.time_split = false;
    bool apart = chooses_apart(spmv, options, at_once);
    at_once = apart ? 1 : at_once;
    double seconds = 0, exchanged = 0;
    struct csr copy = {0};
    enum status status = apart ? STATUS_OK : csr_check_stored(A, error);
    if (!apart && !status && !options->memory)
        status = device_csr_on_host(A, &A, &copy, error);
    for (int64_t j = 0; j < columns && !status; j += at_once) {
        int64_t left = columns - j;
        struct columns together = {.observer = observer,
                                   .A = apart ? *A : without_maker(A),
                                   .count = (int)(left < at_once ? left : at_once),
                                   .interrupted = &interrupted};
        status = (apart ? solve_apart : solve_together)(&together, spmv, j, B + j * n,
                                                        X0 ? X0 + j * n : NULL, &own, X + j * n,
                                                        &results[j], error);
        seconds += results[j].seconds;
        exchanged += results[j].exchange_seconds;
    }
    for (int64_t j = 0; j < columns; j++) {
        results[j].seconds = seconds;
        results[j].exchange_seconds = exchanged;
        if (status)
            solver_result_free(&results[j]);
    }
    csr_free(&copy);
    return status;
}

int64_t solver_columns_bytes(const struct solver_options *options, int64_t n, int64_t columns)
{
    int64_t one = method_memory_bytes(options, n), vector = n * (int64_t)sizeof(double);
    if (columns == 1 || options->columns == SOLVER_COLUMNS_APART ||
        !(options->method->traits & METHOD_TAKES_COLUMNS))
        return one;
    int64_t stride = columns_stride(columns < PASS_COLUMNS ? columns : PASS_COLUMNS);
    return stride * one + 2 * vector; /* and a column, and what is made of it */
}
