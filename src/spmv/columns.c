#include "spmv/columns.h"

#include "spmv/operator.h"

int columns_stride(int64_t columns)
{
    int stride = 1;
    while (stride < columns)
        stride *= 2;
    return stride;
}

int64_t columns_elements(int64_t n, int64_t columns)
{
    int64_t before = (columns - 1) / COLUMNS_AT_ONCE * COLUMNS_AT_ONCE;
    return n * (before + columns_stride(columns - before));
}

/* For all groups of columns: each has 32 but the last one. */
static enum status prepare(const struct linear_operator *A, int64_t columns, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t last = (columns - 1) % COLUMNS_AT_ONCE + 1;
    if (columns > COLUMNS_AT_ONCE)
        status = operator_prepare(A, COLUMNS_AT_ONCE, error);
    if (!status && last > 1)
        status = operator_prepare(A, columns_stride(last), error);
    return status;
}

enum status operator_columns_create(const struct linear_operator *A, int64_t columns,
                                    struct operator_columns *made, struct error *error)
{
    static const char *const what = "a column of a multivector";
    *made = (struct operator_columns){.A = A, .columns = columns};
    enum status status = STATUS_OK;
    if (operator_sweeps(A)) {
        status = prepare(A, columns, error);
    } else if (columns > 1) {
        status = space_vector(A->space, A->width, what, &made->x, error);
        if (!status)
            status = space_vector(A->space, A->n, what, &made->y, error);
    }
    if (status)
        operator_columns_destroy(made);
    return status;
}

void operator_columns_destroy(struct operator_columns *made)
{
    if (!made->A)
        return;
    space_release(made->A->space, made->x);
    space_release(made->A->space, made->y);
    *made = (struct operator_columns){0};
}

/* Column by column. X is read alone. */
static enum status apply_each(const struct operator_columns *of, int64_t columns, const double *X,
                              double *Y, struct error *error)
{
    const struct linear_operator *A = of->A;
    int stride = columns_stride(columns);
    enum status status = STATUS_OK;
    for (int64_t j = 0; j < columns && !status; j++) {
        struct column_work take = {(double *)X + j, of->x, stride}, put = {Y + j, of->y, stride};
        status = space_run(A->space, &pass_column_take, A->width, &take, error);
        if (!status)
            status = operator_apply(A, of->x, of->y, error);
        if (!status)
            status = space_run(A->space, &pass_column_put, A->n, &put, error);
    }
    return status;
}

enum status operator_columns_apply(const struct operator_columns *of, const double *X, double *Y,
                                   struct error *error)
{
    const struct linear_operator *A = of->A;
    enum status status = STATUS_OK;
    for (int64_t first = 0; first < of->columns && !status; first += COLUMNS_AT_ONCE) {
        int64_t left = of->columns - first;
        int64_t columns = left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE;
        const double *x = X + first * A->width;
        double *y = Y + first * A->n;
        if (columns == 1)
            status = operator_apply(A, x, y, error);
        else if (!operator_sweeps(A))
            status = apply_each(of, columns, x, y, error);
        else
            status = operator_apply_to(
                A,
                &(struct operands){
                    .x = x, .y = y, .columns = columns_stride(columns), .used = (int)columns},
                error);
    }
    return status;
}

int64_t operator_columns_bytes(const struct linear_operator *A, int64_t columns)
{
    if (columns == 1)
        return A->bytes_per_apply;
    if (!operator_sweeps(A))
        return columns * (A->bytes_per_apply + space_bytes(A->space, &pass_column_take, A->width) +
                          space_bytes(A->space, &pass_column_put, A->n));
    int64_t sweeps = (columns + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE, vectors = A->width + A->n;
    return sweeps * (A->bytes_per_apply + A->columns_bytes) +
           (columns_elements(vectors, columns) - sweeps * vectors) * (int64_t)sizeof(double) +
           (columns_elements(1, columns) - sweeps) * A->bytes_per_column;
}
