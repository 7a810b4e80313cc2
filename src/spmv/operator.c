#include "spmv/operator.h"

void operator_destroy(struct linear_operator *A)
{
    if (A->space)
        space_enter(A->space);
    if (A->table)
        A->table->destroy(A->state);
    *A = (struct linear_operator){0};
}

static enum status multiply(const struct linear_operator *A, const struct operands *operands,
                            struct error *error)
{
    space_enter(A->space);
    return A->table->apply ? A->table->apply(A->state, operands, error)
                           : A->table->apply_dot(A->state, operands, NULL, error);
}

enum status operator_apply_to(const struct linear_operator *A, const struct operands *operands,
                              struct error *error)
{
    if (operands->columns > 1 && !A->table->apply_columns)
        return error_set(error, STATUS_CONFIG, "%s multiplies one vector at a time", A->name);
    if (operands->columns <= 1)
        return multiply(A, operands, error);
    space_enter(A->space);
    return A->table->apply_columns(A->state, operands, error);
}

enum status operator_apply(const struct linear_operator *A, const double *x, double *y,
                           struct error *error)
{
    return multiply(A, &(struct operands){.x = x, .y = y}, error);
}

enum status operator_apply_float(const struct linear_operator *A, const float *x, float *y,
                                 struct error *error)
{
    space_enter(A->space);
    return A->table->apply_float(A->state, &(struct operands){.x = x, .y = y}, error);
}

/* On a CPU work is done when it returns, so the host can see that there is nothing left to do; a
 * device looks by itself. */
static bool is_over(const struct space *space)
{
    return space->operations->kind == SPACE_CPU && space->ended && *space->ended;
}

enum status operator_apply_dot(const struct linear_operator *A, const double *x, double *y,
                               double *dot, struct error *error)
{
    return operator_apply_dot_to(A, x, NULL, y, dot, error);
}

enum status operator_apply_dot_to(const struct linear_operator *A, const double *x,
                                  const double *squared, double *y, double *dot,
                                  struct error *error)
{
    if (is_over(A->space))
        return STATUS_OK;
    struct operands operands = {.x = x, .y = y, .squared = squared};
    space_enter(A->space);
    if (A->fuses_dot)
        return A->table->apply_dot(A->state, &operands, dot, error);
    enum status status = multiply(A, &operands, error);
    return status ? status : space_dot(A->space, A->n, x, y, dot, error);
}

bool operator_applies_then(const struct linear_operator *A, const struct pass *pass)
{
    return A->table->apply_then && pass->make_of && A->space->reductions == REDUCTIONS_REPRODUCIBLE;
}

enum status operator_apply_then(const struct linear_operator *A, const double *x, double *y,
                                const struct pass *pass, const void *work, struct error *error)
{
    if (is_over(A->space))
        return STATUS_OK;
    if (operator_applies_then(A, pass)) {
        space_enter(A->space);
        return A->table->apply_then(A->state, &(struct operands){.x = x, .y = y}, pass, work,
                                    error);
    }
    enum status status = operator_apply(A, x, y, error);
    return status ? status : space_run(A->space, pass, A->n, work, error);
}

bool operator_makes_direction(const struct linear_operator *A)
{
    return A->table->apply_direction;
}

int64_t operator_direction_bytes(const struct linear_operator *A)
{
    const double vectors = 3.5;
    return (int64_t)(vectors * (double)A->n * (double)sizeof(double));
}

enum status operator_apply_direction(const struct linear_operator *A,
                                     const struct direction *direction, double *y, double *dot,
                                     struct error *error)
{
    if (is_over(A->space))
        return STATUS_OK;
    space_enter(A->space);
    enum status status =
        A->table->apply_direction(A->state, direction, y, A->fuses_dot ? dot : NULL, error);
    if (status || A->fuses_dot || !dot)
        return status;
    return space_dot(A->space, A->n, direction->next, y, dot, error);
}
