/* What the columns of a group do together. */
#include "base/memory.h"
#include "solver/all_converged.h"
#include "solver/column_space.h"

static enum status create_operator(const struct linear_operator *real, int count,
                                   struct column_operator *made, struct error *error)
{
    made->real = real;
    return real->can & OPERATOR_COLUMNS
               ? operator_columns_create(real, count, &made->columns, error)
               : STATUS_OK;
}

bool column_group_is_together(const struct column_group *group)
{
    const struct linear_operator *M = group->M.real;
    return group->A.real->can & OPERATOR_COLUMNS && (!M || M->can & OPERATOR_COLUMNS);
}

enum status column_group_create(struct linear_operator *A, const struct linear_operator *M,
                                int count, struct column_group *group, struct error *error)
{
    struct space *space = A->space;
    *group = (struct column_group){
        .space = space, .n = A->n, .count = count, .stride = columns_stride(count)};
    void *over = NULL;
    enum status status = create_operator(A, count, &group->A, error);
    if (!status && M)
        status = create_operator(M, count, &group->M, error);
    if (!status)
        status = space_vector(space, group->n, "a column", &group->one, error);
    if (!status)
        status = space_vector(space, group->n, "a column", &group->other, error);
    if (!status)
        status = space->operations->allocate(space, 1, sizeof *group->over, "the end of columns",
                                             &over, error);
    group->over = over;
    group->columns =
        status ? NULL : memory_zeros(count, sizeof *group->columns, "the columns", error);
    if (!status && !group->columns)
        status = STATUS_MEMORY;
    for (int j = 0; j < count && !status; j++)
        column_make(group, j, &group->columns[j]);
    return status;
}

void column_group_free(struct column_group *group)
{
    if (!group->space)
        return;
    for (int64_t k = 0; k < group->vectors_count; k++)
        space_release(group->space, group->vectors[k]);
    space_release(group->space, group->one);
    space_release(group->space, group->other);
    space_release(group->space, group->over);
    operator_columns_destroy(&group->A.columns);
    operator_columns_destroy(&group->M.columns);
    memory_free(group->vectors);
    memory_free(group->columns);
    *group = (struct column_group){0};
}

/* --- a step of all columns -------------------------------------------------------------------- */

/* The columns that have collected something. */
struct taking {
    struct column *column[PASS_COLUMNS];
    int count;
};

static struct taking those_taking(const struct column_group *group)
{
    struct taking taking = {.count = 0};
    for (int j = 0; j < group->count; j++)
        if (group->columns[j].steps_count > 0)
            taking.column[taking.count++] = &group->columns[j];
    return taking;
}

/* Whether step k is the same operation for all of them. */
static bool is_same(const struct taking *taking, int k)
{
    const struct column_step *first = &taking->column[0]->steps[k];
    for (int j = 1; j < taking->count; j++) {
        const struct column_step *own = &taking->column[j]->steps[k];
        int64_t apart = taking->column[j]->place - taking->column[0]->place;
        bool same = taking->column[j]->steps_count == taking->column[0]->steps_count &&
                    own->pass == first->pass && own->n == first->n &&
                    own->product.with == first->product.with &&
                    !own->product.dot == !first->product.dot;
        if (!same || (own->product.with && (own->product.x != first->product.x + apart ||
                                            own->product.y != first->product.y + apart)))
            return false;
    }
    return true;
}

/* Those columns, of which no work is said yet. */
static struct pass_columns columns_of(const struct column_group *group, const struct taking *taking)
{
    struct pass_columns columns = {.stride = group->stride, .count = taking->count};
    for (int j = 0; j < taking->count; j++) {
        columns.place[j] = (int)(taking->column[j]->place - taking->column[0]->place);
        columns.ended[j] = taking->column[j]->base.ended;
    }
    return columns;
}

static enum status run_pass(const struct column_group *group, const struct taking *taking, int k,
                            struct error *error)
{
    const struct column_step *step = &taking->column[0]->steps[k];
    struct pass_columns columns = columns_of(group, taking);
    for (int j = 0; j < taking->count; j++)
        columns.work[j] = taking->column[j]->steps[k].work;
    return space_run_columns(group->space, step->pass, step->n, &columns, error);
}

/* x . y of each column, where it is wanted. */
static enum status take_dots(const struct column_group *group, const struct taking *taking, int k,
                             struct error *error)
{
    struct pass_sum dots[PASS_COLUMNS];
    struct pass_columns columns = columns_of(group, taking);
    for (int j = 0; j < taking->count; j++) {
        const struct column_product *product = &taking->column[j]->steps[k].product;
        dots[j] = (struct pass_sum){product->x, product->y, product->dot};
        columns.work[j] = &dots[j];
    }
    return taking->column[0]->steps[k].product.dot
               ? space_run_columns(group->space, &pass_dot, group->n, &columns, error)
               : STATUS_OK;
}

/* A product for all columns of the group in one sweep; or one by one for those that are taking it,
 * where a sweep has other bits, there is none, or one column is left. */
static enum status multiply(const struct column_group *group, const struct taking *taking, int k,
                            struct error *error)
{
    const struct column *first = taking->column[0];
    const struct column_product *product = &first->steps[k].product;
    const struct column_operator *with = product->with;
    enum status status = STATUS_OK;
    if (!(with->real->can & OPERATOR_COLUMNS) || taking->count == 1) {
        for (int j = 0; j < taking->count && !status; j++)
            status =
                column_multiply(taking->column[j], &taking->column[j]->steps[k].product, error);
        return status;
    }
    group->space->ended = group->over;
    status = operator_columns_apply(&with->columns, product->x - first->place,
                                    product->y - first->place, error);
    group->space->ended = NULL;
    return status ? status : take_dots(group, taking, k, error);
}

enum status column_group_flush(struct column_group *group, struct error *error)
{
    struct taking taking = those_taking(group);
    int steps = taking.count > 0 ? taking.column[0]->steps_count : 0;
    enum status status = STATUS_OK;
    for (int k = 0; k < steps && !status; k++) {
        if (!is_same(&taking, k))
            status = error_set(error, STATUS_UNAVAILABLE,
                               "the turns of several columns are not the same operations");
        else
            status = taking.column[0]->steps[k].pass ? run_pass(group, &taking, k, error)
                                                     : multiply(group, &taking, k, error);
    }
    for (int j = 0; j < taking.count; j++)
        taking.column[j]->steps_count = 0;
    return status;
}

enum status column_group_over(struct column_group *group, struct error *error)
{
    struct all_converged work = {.count = group->count, .over = group->over};
    for (int j = 0; j < group->count; j++)
        work.ended[j] = group->columns[j].base.ended;
    return space_run(group->space, &all_converged, 0, &work, error);
}

enum status column_group_turn(struct column_group *group, struct error *error)
{
    bool on_cpu = group->space->operations->kind == SPACE_CPU;
    enum status status = STATUS_OK;
    group->collecting = true;
    for (int j = 0; j < group->count && !status; j++) {
        struct column *column = &group->columns[j];
        if (!on_cpu || !*column->base.ended)
            status = column->turn(column->context, error);
    }
    group->collecting = false;
    return status ? status : column_group_flush(group, error);
}
