#include "precondition/whole.h"

#include "base/memory.h"
#include "cgsolve/kernel.h"

#include <string.h>

struct whole {
    struct ranks *ranks;
    struct linear_operator A, M; /* in the real space */
    double *r, *z;               /* [n] */
};

static enum status apply_dot(void *state, const struct operands *operands, double *dot,
                             struct error *error)
{
    struct whole *whole = state;
    const struct partition *partition = &whole->ranks->partition;
    int64_t first = partition_first(partition);
    enum status status = ranks_gather(whole->ranks, operands->x, sizeof *whole->r, whole->r, error);
    ranks_enter(whole->ranks);
    if (!status)
        status = operator_apply(&whole->M, whole->r, whole->z, error);
    if (!status)
        memcpy(operands->y, whole->z + first, (size_t)partition_rows(partition) * sizeof(double));
    if (status || !dot)
        return status;
    return space_dot(&whole->ranks->base, partition->n, operands->x, operands->y, dot, error);
}

static void destroy(void *state)
{
    struct whole *whole = state;
    if (!whole)
        return;
    operator_destroy(&whole->M);
    operator_destroy(&whole->A);
    space_release(whole->ranks->real, whole->r);
    space_release(whole->ranks->real, whole->z);
    memory_free(whole);
}

static const struct operator_table table = {.apply_dot = apply_dot, .destroy = destroy};

enum status whole_create(whole_setup *setup, const void *context, const struct csr *A,
                         const struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    *made = (struct linear_operator){0};
    if (spmv->space->operations->kind != SPACE_CPU)
        return error_set(error, STATUS_UNAVAILABLE,
                         "ranks with a GPU each apply only preconditioners that are made by rows");
    struct whole *whole = memory_zeros(1, sizeof *whole, "the preconditioner", error);
    if (!whole)
        return STATUS_MEMORY;
    whole->ranks = ranks_of(spmv->space);
    struct space *real = ranks_enter(whole->ranks);
    enum status status = operator_create(spmv->kernel, A, &spmv->options, real, &whole->A, error);
    if (!status)
        status = setup(context, &whole->A, &whole->M, error);
    if (!status)
        status = space_vector(real, A->n, "r of all ranks", &whole->r, error);
    if (!status)
        status = space_vector(real, A->n, "z of all ranks", &whole->z, error);
    if (status) {
        destroy(whole);
        return status;
    }
    *made = whole->M; /* what it tells of itself */
    made->space = spmv->space;
    made->table = &table;
    made->state = whole;
    return STATUS_OK;
}
