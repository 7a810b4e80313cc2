#include "solver/column_space.h"

#include "base/memory.h"
#include "space/ranks/ranks.h"
#include "spmv/columns.h"

#include <string.h>

static struct column *column_of(struct space *space)
{
    return (struct column *)space;
}

/* The real space, for what is done of one column. */
static struct space *entered(const struct column *column)
{
    struct space *space = column->group->space;
    space->ended = column->base.ended;
    return space;
}

static enum status left(const struct column *column, enum status status)
{
    column->group->space->ended = NULL;
    return status;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Whether that is an address in a multivector. */
static bool is_column(const struct column_group *group, const void *memory)
{
    const double *v = memory;
    int64_t rows = ranks_rows(group->space, group->n);
    int64_t elements = (rows > 0 ? rows : 1) * group->stride; /* columns without rows are known */
    for (int64_t k = 0; k < group->vectors_count; k++)
        if (v >= group->vectors[k] && v < group->vectors[k] + elements)
            return true;
    return false;
}

static enum status add_multivector(struct column_group *group, const char *what,
                                   struct error *error)
{
    int64_t elements = group->n * group->stride;
    double *made = NULL;
    enum status status =
        memory_grow((void **)&group->vectors, &group->vectors_capacity, group->vectors_count + 1,
                    sizeof *group->vectors, "the multivectors", error);
    if (!status)
        status = ranks_multivector(group->space, group->n, group->stride, sizeof *made, what,
                                   (void **)&made, error);
    if (!status)
        status = space_fill(group->space, elements, 0, made, error); /* the padding too */
    if (status)
        space_release(group->space, made);
    else
        group->vectors[group->vectors_count++] = made;
    return status;
}

/* n doubles are a column of the next multivector, which the first column to get there makes. */
static enum status column_allocate(struct space *space, int64_t count, size_t size,
                                   const char *what, void **memory, struct error *error)
{
    struct column *column = column_of(space);
    struct column_group *group = column->group;
    *memory = NULL;
    if (count != group->n || size != sizeof(double))
        return group->space->operations->allocate(group->space, count, size, what, memory, error);
    enum status status = STATUS_OK;
    if (column->vectors == group->vectors_count)
        status = add_multivector(group, what, error);
    if (!status)
        *memory = group->vectors[column->vectors++] + column->place;
    return status;
}

/* Multivectors go with the group. */
static void column_release(struct space *space, void *memory)
{
    const struct column_group *group = column_of(space)->group;
    if (memory && !is_column(group, memory))
        group->space->operations->release(group->space, memory);
}

/* Between a column and v[n]. */
static enum status move(const struct column *column, const struct pass *pass, double *at, double *v,
                        struct error *error)
{
    const struct column_group *group = column->group;
    struct column_work work = {at, v, group->stride};
    return space_run(group->space, pass, group->n, &work, error);
}

enum status column_bring(struct space *space, const double *v, double *held, struct error *error)
{
    return move(column_of(space), &pass_column_put, held, (double *)v, error);
}

enum status column_give(struct space *space, const double *held, double *v, struct error *error)
{
    return move(column_of(space), &pass_column_take, (double *)held, v, error);
}

static enum status column_upload(struct space *space, int64_t bytes, const void *host, void *memory,
                                 struct error *error)
{
    const struct column *column = column_of(space);
    const struct column_group *group = column->group;
    bool inside = is_column(group, memory);
    enum status status = group->space->operations->upload(group->space, bytes, host,
                                                          inside ? group->one : memory, error);
    return status || !inside ? status : move(column, &pass_column_put, memory, group->one, error);
}

static enum status column_download(struct space *space, int64_t bytes, const void *memory,
                                   void *host, struct error *error)
{
    const struct column *column = column_of(space);
    const struct column_group *group = column->group;
    bool inside = is_column(group, memory);
    enum status status =
        inside ? move(column, &pass_column_take, (double *)memory, group->one, error) : STATUS_OK;
    return status ? status
                  : group->space->operations->download(group->space, bytes,
                                                       inside ? group->one : memory, host, error);
}

/* --- passes ----------------------------------------------------------------------------------- */

static enum status next_step(struct column *column, struct column_step **step, struct error *error)
{
    *step = &column->steps[column->steps_count];
    if (column->steps_count == COLUMN_STEPS)
        return error_set(error, STATUS_UNAVAILABLE,
                         "a turn has more than %d operations, too many for several columns",
                         COLUMN_STEPS);
    column->steps_count++;
    **step = (struct column_step){.n = 0};
    return STATUS_OK;
}

static enum status column_run(struct space *space, const struct pass *pass, int64_t n,
                              const void *work, struct error *error)
{
    struct column *column = column_of(space);
    const struct column_group *group = column->group;
    struct pass_columns alone = {
        .stride = group->stride, .count = 1, .work = {work}, .ended = {space->ended}};
    struct column_step *step;
    if (!group->collecting)
        return space_run_columns(group->space, pass, n, &alone, error);
    if (pass->work_bytes == 0 || pass->work_bytes > sizeof step->work)
        return error_set(error, STATUS_UNAVAILABLE, "%s does not run over columns", pass->name);
    enum status status = next_step(column, &step, error);
    if (status)
        return status;
    step->pass = pass;
    step->n = n;
    memcpy(step->work, work, pass->work_bytes);
    return STATUS_OK;
}

/* --- products --------------------------------------------------------------------------------- */

enum status column_multiply(const struct column *column, const struct column_product *product,
                            struct error *error)
{
    const struct column_group *group = column->group;
    const struct linear_operator *A = product->with->real;
    struct column_work take = {(double *)product->x, group->one, group->stride};
    struct column_work put = {product->y, group->other, group->stride};
    struct space *space = entered(column);
    enum status status = space_run(space, &pass_column_take, group->n, &take, error);
    if (!status)
        status = operator_apply_to(A,
                                   &(struct operands){.x = group->one,
                                                      .y = group->other,
                                                      .squared = product->squared,
                                                      .dot = product->dot},
                                   error);
    if (!status)
        status = space_run(space, &pass_column_put, group->n, &put, error);
    return left(column, status);
}

static enum status multiply(void *state, const struct operands *operands, struct error *error)
{
    const struct column_view *view = state;
    struct column *column = view->column;
    struct column_product product = {view->with, operands->x, operands->squared, operands->y,
                                     operands->dot};
    struct column_step *step;
    if (!column->group->collecting)
        return column_multiply(column, &product, error);
    enum status status = next_step(column, &step, error);
    if (!status)
        step->product = product;
    return status;
}

static const struct operator_table view_table = {.apply = multiply};

/* --- the rest of a space ---------------------------------------------------------------------- */

static enum status column_fits(struct space *space, int64_t bytes, const char *what,
                               struct error *error)
{
    struct space *real = column_of(space)->group->space;
    return real->operations->fits(real, bytes, what, error);
}

static enum status column_allocate_shared(struct space *space, int64_t bytes, const char *what,
                                          void **shared, struct error *error)
{
    struct space *real = column_of(space)->group->space;
    return real->operations->allocate_shared(real, bytes, what, shared, error);
}

static void column_release_shared(struct space *space, void *shared)
{
    struct space *real = column_of(space)->group->space;
    real->operations->release_shared(real, shared);
}

static enum status column_record(struct space *space, space_work *work, void *context, int times,
                                 struct error *error)
{
    (void)times;
    (void)error;
    column_of(space)->turn = work;
    column_of(space)->context = context;
    return STATUS_OK;
}

static enum status column_replay_timed(struct space *space, int64_t times, double *seconds,
                                       struct error *error)
{
    (void)space;
    (void)times;
    (void)error;
    *seconds = 0;
    return STATUS_OK;
}

static void column_forget(struct space *space)
{
    (void)space;
}

static int column_replay_times(const struct space *space, int64_t n)
{
    const struct space *real = ((const struct column *)space)->group->space;
    return real->operations->replay_times(real, n);
}

static enum status column_poll(struct space *space, struct error *error)
{
    struct space *real = column_of(space)->group->space;
    return real->operations->poll(real, error);
}

static void column_enter(struct space *space)
{
    space_enter(column_of(space)->group->space);
}

/* The turns of a column are sent by who owns the group: there is no `replay`. */
#define COLUMN_OPERATIONS(its_kind)                                                                \
    {                                                                                              \
        .name = "a column", .kind = (its_kind), .enter = column_enter, .fits = column_fits,        \
        .allocate = column_allocate, .release = column_release, .upload = column_upload,           \
        .download = column_download, .run = column_run, .allocate_shared = column_allocate_shared, \
        .release_shared = column_release_shared, .record = column_record,                          \
        .replay_timed = column_replay_timed, .forget = column_forget,                              \
        .replay_times = column_replay_times, .poll = column_poll                                   \
    }

static const struct space_operations operations_of[] = {
    [SPACE_CPU] = COLUMN_OPERATIONS(SPACE_CPU), [SPACE_CUDA] = COLUMN_OPERATIONS(SPACE_CUDA)};

void column_make(struct column_group *group, int64_t place, struct column *column)
{
    struct space *real = group->space;
    *column = (struct column){.base = *real, .group = group, .place = place};
    column->base.operations = &operations_of[real->operations->kind];
    column->base.ended = NULL;
    column->of_A = (struct column_view){column, &group->A};
    column->of_M = (struct column_view){column, &group->M};
    struct {
        struct linear_operator *view;
        struct column_view *state;
    } views[] = {{&column->A, &column->of_A}, {&column->M, &column->of_M}};
    for (int k = 0; k < 2; k++) {
        const struct linear_operator *its = views[k].state->with->real;
        if (!its)
            continue;
        *views[k].view = *its;
        views[k].view->table = &view_table;
        views[k].view->state = views[k].state;
        views[k].view->space = &column->base;
        views[k].view->can = OPERATOR_DOT;
    }
}
