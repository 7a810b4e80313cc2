#include "spmv/rank_operator.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

struct rank_operator {
    struct ranks *ranks;
    struct rank_rows rows;
    struct linear_operator real; /* by the rows of this rank, in the real space */
    double *sent, *received;     /* x of the rows that other ranks want, and that they give */
    struct exchange_piece *send, *receive;
    double *x, *y; /* of all rows, for vectors that have no room for those of other ranks */
};

/* x of the rows of other ranks, around the own ones; 0 in rows that are empty. */
static enum status bring(const struct rank_operator *A, double *x, struct error *error)
{
    const struct rank_rows *rows = &A->rows;
    struct exchange *exchange = A->ranks->partition.exchange;
    double *own = x + rows->below;
    for (int64_t k = 0; k < rows->wanted_begin[exchange->count]; k++)
        A->sent[k] = own[rows->wanted[k]];
    enum status status = exchange->operations->swap(exchange, A->send, A->receive, error);
    memset(x, 0, (size_t)rows->below * sizeof *x);
    memset(own + rows->own, 0, (size_t)rows->above * sizeof *x);
    for (int64_t k = 0; k < rows->given_begin[exchange->count]; k++)
        x[rows->given[k]] = A->received[k];
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
    enum status status = bring(A, x, error);
    ranks_enter(A->ranks);
    if (!status)
        status = operator_apply(&A->real, x, y, error);
    if (!status && !y_has_room)
        memcpy(operands->y, y + rows->below, own);
    return status;
}

static void destroy(void *state)
{
    struct rank_operator *A = state;
    if (!A)
        return;
    operator_destroy(&A->real);
    space_release(A->ranks->real, A->x);
    space_release(A->ranks->real, A->y);
    rank_rows_free(&A->rows);
    memory_free(A->sent);
    memory_free(A->received);
    memory_free(A->send);
    memory_free(A->receive);
    memory_free(A);
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

static enum status prepare(struct rank_operator *A, struct error *error)
{
    const struct rank_rows *rows = &A->rows;
    int64_t ranks = A->ranks->partition.exchange->count, size = sizeof(double);
    A->sent = memory_array(rows->wanted_begin[ranks] + 1, sizeof *A->sent, "what is sent", error);
    A->received =
        memory_array(rows->given_begin[ranks] + 1, sizeof *A->received, "what is received", error);
    A->send = memory_zeros(ranks, sizeof *A->send, "what is sent", error);
    A->receive = memory_zeros(ranks, sizeof *A->receive, "what is received", error);
    if (!A->sent || !A->received || !A->send || !A->receive)
        return STATUS_MEMORY;
    for (int64_t r = 0; r < ranks; r++) {
        A->send[r].memory = A->sent + rows->wanted_begin[r];
        A->send[r].bytes = (rows->wanted_begin[r + 1] - rows->wanted_begin[r]) * size;
        A->receive[r].memory = A->received + rows->given_begin[r];
        A->receive[r].bytes = (rows->given_begin[r + 1] - rows->given_begin[r]) * size;
    }
    enum status status = space_vector(A->ranks->real, rows->local.n, "x of a rank", &A->x, error);
    return status ? status
                  : space_vector(A->ranks->real, rows->local.n, "y of a rank", &A->y, error);
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
    int64_t counts[] = {real->bytes_per_apply, real->bytes_per_column, real->memory_bytes};
    status = ranks_add(ranks, sizeof counts / sizeof *counts, counts, error);
    if (status) {
        destroy(state);
        return status;
    }
    *made = (struct linear_operator){.name = real->name,
                                     .kernel = real->kernel,
                                     .options = real->options,
                                     .table = &table,
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
