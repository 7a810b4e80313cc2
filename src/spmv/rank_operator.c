#include "spmv/rank_operator.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

struct rank_operator {
    struct ranks *ranks;
    struct rank_rows rows;
    struct linear_operator real; /* by the rows of this rank, in the real space */
    /* For vectors that have no room for rows of other ranks, and multivectors: x and y of all rows,
     * of so many columns; x of the rows that other ranks want, and that they give. */
    int columns;
    double *x, *y, *sent, *received;
    struct exchange_piece *send, *receive;
};

/* x of the rows of other ranks, around the own ones, of so many columns; 0 in rows that are
 * empty. */
static enum status bring(const struct rank_operator *A, int64_t columns, double *x,
                         struct error *error)
{
    const struct rank_rows *rows = &A->rows;
    struct exchange *exchange = A->ranks->partition.exchange;
    double *own = x + rows->below * columns;
    int64_t row = columns * (int64_t)sizeof *x;
    for (int64_t k = 0; k < rows->wanted_begin[exchange->count]; k++)
        memcpy(A->sent + k * columns, own + rows->wanted[k] * columns, (size_t)row);
    for (int r = 0; r < exchange->count; r++) {
        int64_t wanted = rows->wanted_begin[r], given = rows->given_begin[r];
        A->send[r] = (struct exchange_piece){A->sent + wanted * columns,
                                             (rows->wanted_begin[r + 1] - wanted) * row};
        A->receive[r] = (struct exchange_piece){A->received + given * columns,
                                                (rows->given_begin[r + 1] - given) * row};
    }
    enum status status = exchange->operations->swap(exchange, A->send, A->receive, error);
    memset(x, 0, (size_t)(rows->below * row));
    memset(own + rows->own * columns, 0, (size_t)(rows->above * row));
    for (int64_t k = 0; k < rows->given_begin[exchange->count]; k++)
        memcpy(x + rows->given[k] * columns, A->received + k * columns, (size_t)row);
    return status;
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct rank_operator *A = state;
    const struct rank_rows *rows = &A->rows;
    size_t own = (size_t)rows->own * sizeof(double);
    bool x_has_room = ranks_has_room(A->ranks, operands->x);
    bool y_has_room = ranks_has_room(A->ranks, operands->y);
    double *x = x_has_room ? (double *)operands->x - rows->below : A->x;
    double *y = y_has_room ? (double *)operands->y - rows->below : A->y;
    if (!x_has_room)
        memcpy(x + rows->below, operands->x, own);
    enum status status = bring(A, 1, x, error);
    ranks_enter(A->ranks);
    if (!status)
        status = operator_apply(&A->real, x, y, error);
    if (!status && !y_has_room)
        memcpy(operands->y, y + rows->below, own);
    return status;
}

static enum status apply_columns(void *state, const struct operands *operands, struct error *error)
{
    const struct rank_operator *A = state;
    const struct rank_rows *rows = &A->rows;
    int64_t columns = operands->columns;
    size_t own = (size_t)(rows->own * columns) * sizeof(double);
    memcpy(A->x + rows->below * columns, operands->x, own);
    enum status status = bring(A, columns, A->x, error);
    ranks_enter(A->ranks);
    if (!status)
        status = operator_apply_to(
            &A->real, &(struct operands){.x = A->x, .y = A->y, .columns = operands->columns},
            error);
    if (!status)
        memcpy(operands->y, A->y + rows->below * columns, own);
    return status;
}

static void free_vectors(struct rank_operator *A)
{
    space_release(A->ranks->real, A->x);
    space_release(A->ranks->real, A->y);
    memory_free(A->sent);
    memory_free(A->received);
    A->x = A->y = A->sent = A->received = NULL;
    A->columns = 0;
}

static enum status prepare_vectors(struct rank_operator *A, int columns, struct error *error)
{
    const struct rank_rows *rows = &A->rows;
    int64_t ranks = A->ranks->partition.exchange->count, n = rows->local.n * columns;
    if (columns <= A->columns)
        return STATUS_OK;
    free_vectors(A);
    A->sent = memory_array(rows->wanted_begin[ranks] * columns + 1, sizeof *A->sent, "what is sent",
                           error);
    A->received = memory_array(rows->given_begin[ranks] * columns + 1, sizeof *A->received,
                               "what is received", error);
    if (!A->sent || !A->received)
        return STATUS_MEMORY;
    enum status status = space_vector(A->ranks->real, n, "x of a rank", &A->x, error);
    if (!status)
        status = space_vector(A->ranks->real, n, "y of a rank", &A->y, error);
    A->columns = status ? 0 : columns;
    return status;
}

static enum status prepare_columns(void *state, int columns, struct error *error)
{
    struct rank_operator *A = state;
    const struct linear_operator *real = &A->real;
    enum status status = prepare_vectors(A, columns, error);
    return status || !real->table->prepare_columns
               ? status
               : real->table->prepare_columns(real->state, columns, error);
}

static void destroy(void *state)
{
    struct rank_operator *A = state;
    if (!A)
        return;
    operator_destroy(&A->real);
    free_vectors(A);
    rank_rows_free(&A->rows);
    memory_free(A->send);
    memory_free(A->receive);
    memory_free(A);
}

static const struct operator_table of_vectors = {.apply = apply, .destroy = destroy};
static const struct operator_table of_columns = {.apply = apply,
                                                 .apply_columns = apply_columns,
                                                 .prepare_columns = prepare_columns,
                                                 .destroy = destroy};

static enum status prepare(struct rank_operator *A, struct error *error)
{
    int64_t ranks = A->ranks->partition.exchange->count;
    A->send = memory_zeros(ranks, sizeof *A->send, "what is sent", error);
    A->receive = memory_zeros(ranks, sizeof *A->receive, "what is received", error);
    return A->send && A->receive ? prepare_vectors(A, 1, error) : STATUS_MEMORY;
}

enum status rank_operator_create(const struct kernel *kernel, const struct csr *A,
                                 const struct kernel_options *options, struct ranks *ranks,
                                 struct linear_operator *made, struct error *error)
{
    *made = (struct linear_operator){0};
    if (A->kind == CSR_GENERAL)
        return error_set(error, STATUS_CONFIG,
                         "several ranks multiply by symmetric and skew-symmetric matrices alone");
    if (kernel->cuts_rows)
        return error_set(error, STATUS_CONFIG,
                         "kernel %s cuts rows by their place in the matrix, and a rank has not all",
                         kernel->component.name);
    ranks_enter(ranks);
    struct rank_operator *state = memory_zeros(1, sizeof *state, "a product over ranks", error);
    if (!state)
        return STATUS_MEMORY;
    state->ranks = ranks;
    enum status status = rank_rows_create(A, &ranks->partition, &state->rows, error);
    if (!status)
        status = prepare(state, error);
    if (!status)
        status =
            operator_create(kernel, &state->rows.local, options, ranks->real, &state->real, error);
    if (status) {
        destroy(state);
        return status;
    }
    ranks_make_room(ranks, state->rows.below, state->rows.above);
    const struct linear_operator *real = &state->real;
    bool sweeps = real->table->apply_columns && !real->table->columns_apart;
    int64_t counts[] = {real->bytes_per_apply, real->bytes_per_column, real->memory_bytes, sweeps};
    status = ranks_add(ranks, sizeof counts / sizeof *counts, counts, error);
    if (status) {
        destroy(state);
        return status;
    }
    bool all_sweep = counts[3] == ranks->partition.exchange->count;
    *made = (struct linear_operator){.name = real->name,
                                     .kernel = real->kernel,
                                     .options = real->options,
                                     .table = all_sweep ? &of_columns : &of_vectors,
                                     .state = state,
                                     .space = &ranks->base,
                                     .n = A->n,
                                     .width = A->n,
                                     .bytes_per_apply = counts[0],
                                     .bytes_per_column = counts[1],
                                     .products = 1,
                                     .memory_bytes = counts[2]};
    snprintf(made->description, sizeof made->description, "%s", real->description);
    return STATUS_OK;
}
