#include "spmv/operator.h"

void operator_destroy(struct linear_operator *A)
{
    if (A->space)
        space_enter(A->space);
    if (A->table)
        A->table->destroy(A->state);
    *A = (struct linear_operator){0};
}

bool operator_sweeps(const struct linear_operator *A)
{
    return A->can & (OPERATOR_COLUMNS | OPERATOR_APART);
}

bool operator_fuses_pass(const struct linear_operator *A, const struct pass *pass)
{
    return A->can & OPERATOR_PASS && pass->make_of &&
           A->space->reductions == REDUCTIONS_REPRODUCIBLE;
}

enum status operator_prepare(const struct linear_operator *A, int columns, struct error *error)
{
    space_enter(A->space);
    return A->table->prepare ? A->table->prepare(A->state, columns, error) : STATUS_OK;
}

/* On a CPU work is done when it returns, so the host can see that there is nothing left to do; a
 * device looks by itself. */
static bool is_over(const struct space *space)
{
    return space->operations->kind == SPACE_CPU && space->ended && *space->ended;
}

static enum status check(const struct linear_operator *A, const struct operands *operands,
                         struct error *error)
{
    if (operands->columns > 1 && !operands->singles && !operator_sweeps(A))
        return error_set(error, STATUS_CONFIG, "%s multiplies one vector at a time", A->name);
    if (operands->singles && !(A->can & OPERATOR_SINGLES))
        return error_set(error, STATUS_CONFIG, "%s multiplies vectors of doubles", A->name);
    if (operands->singles && operands->columns > 1 && !(A->can & OPERATOR_SINGLE_COLUMNS))
        return error_set(error, STATUS_CONFIG, "%s multiplies one vector of singles at a time",
                         A->name);
    if (operands->direction && !(A->can & OPERATOR_DIRECTION))
        return error_set(error, STATUS_CONFIG, "%s makes no directions", A->name);
    if ((operands->columns > 1 || operands->singles) && (operands->dot || operands->pass))
        return error_set(error, STATUS_CONFIG,
                         "%s: a dot product or a pass is of one vector of doubles", A->name);
    return STATUS_OK;
}

enum status operator_apply_to(const struct linear_operator *A, const struct operands *operands,
                              struct error *error)
{
    const struct pass *pass = operands->pass;
    if ((operands->dot || operands->direction || pass) && is_over(A->space))
        return STATUS_OK;
    bool dot_apart = operands->dot && !(A->can & OPERATOR_DOT);
    bool pass_apart = pass && !operator_fuses_pass(A, pass);
    struct operands sweep = *operands;
    if (dot_apart)
        sweep.dot = NULL;
    if (pass_apart)
        sweep.pass = NULL;
    enum status status = check(A, operands, error);
    if (status)
        return status;
    space_enter(A->space);
    status = A->table->apply(A->state, &sweep, error);
    const double *x = operands->direction ? operands->direction->next : operands->x;
    if (!status && dot_apart)
        status = space_dot(A->space, A->n, x, operands->y, operands->dot, error);
    if (!status && pass_apart)
        status = space_run(A->space, pass, A->n, operands->work, error);
    return status;
}

/* Whether a sweep asks for no more than the slot apply_all takes. */
static bool is_plain(const struct linear_operator *A, const struct operands *sweep, bool is_last)
{
    const struct pass *pass = sweep->pass;
    struct pass_sum sum;
    if (sweep->dot || sweep->direction || sweep->columns > 1)
        return false;
    if (pass && pass->sum && pass->sum(sweep->work, 0, &sum) && !(is_last && sweep->x))
        return false;
    if (!sweep->x)
        return pass->make;
    return pass ? operator_fuses_pass(A, pass) : !sweep->singles || A->can & OPERATOR_SINGLES;
}

static enum status run_alone(const struct linear_operator *A, const struct operands *sweep,
                             struct error *error)
{
    int64_t columns = sweep->columns > 1 ? sweep->columns : 1;
    int64_t n = sweep->elements ? sweep->elements->count : A->n;
    return space_run(A->space, sweep->pass, n * columns, sweep->work, error);
}

enum status operator_apply_all(const struct linear_operator *A, const struct operands *sweeps,
                               int count, struct error *error)
{
    bool at_once = count > 1 && A->table->apply_all;
    for (int k = 0; k < count; k++)
        at_once = at_once && is_plain(A, &sweeps[k], k + 1 == count);
    if (at_once && is_over(A->space))
        return STATUS_OK;
    space_enter(A->space);
    if (at_once)
        return A->table->apply_all(A->state, sweeps, count, error);
    enum status status = STATUS_OK;
    for (int k = 0; k < count && !status; k++)
        status =
            sweeps[k].x ? operator_apply_to(A, &sweeps[k], error) : run_alone(A, &sweeps[k], error);
    return status;
}

enum status operator_apply(const struct linear_operator *A, const double *x, double *y,
                           struct error *error)
{
    return operator_apply_to(A, &(struct operands){.x = x, .y = y}, error);
}

enum status operator_apply_dot(const struct linear_operator *A, const double *x, double *y,
                               double *dot, struct error *error)
{
    return operator_apply_to(A, &(struct operands){.x = x, .y = y, .dot = dot}, error);
}

int64_t operator_dot_bytes(const struct linear_operator *A)
{
    return A->can & OPERATOR_DOT ? 0 : space_bytes(A->space, &pass_dot, A->n);
}

int64_t operator_direction_bytes(const struct linear_operator *A)
{
    const double vectors = 3.5;
    return (int64_t)(vectors * (double)A->n * (double)sizeof(double));
}
