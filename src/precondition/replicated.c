#include "precondition/replicated.h"

#include "base/memory.h"
#include "matrix/implicit_rows.h"
#include "spmv/device_csr.h"
#include "spmv/distributed/rank_halo.h"
#include "spmv/kernel.h"

#include <string.h>

struct whole {
    struct ranks *ranks;
    struct linear_operator A, M; /* in the real space */
    struct ghost_rows others;    /* all rows of other ranks */
    struct rank_halo *halo;      /* NULL: of the host */
    int columns;                 /* that r and z have memory for */
    double *r, *z;               /* [n columns] */
};

/* r of all ranks from that of each. */
static enum status bring(const struct whole *whole, int columns, const double *own,
                         struct error *error)
{
    struct rank_halo *halo = whole->halo;
    if (!halo)
        return ranks_gather(whole->ranks, own, (size_t)columns * sizeof *own, whole->r, error);
    enum status status = space_copy(whole->ranks->real, whole->others.own * columns, own,
                                    whole->r + whole->others.below * columns, error);
    return status ? status : halo->table->bring(halo, columns, false, whole->r, error);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    struct whole *whole = state;
    const struct ghost_rows *others = &whole->others;
    struct space *real = ranks_enter(whole->ranks);
    int columns = operands->columns > 1 ? operands->columns : 1;
    struct operands all = {
        .x = whole->r, .y = whole->z, .columns = operands->columns, .used = operands->used};
    enum status status = bring(whole, columns, operands->x, error);
    if (!status)
        status = operator_apply_to(&whole->M, &all, error);
    if (!status)
        status = space_copy(real, others->own * columns, whole->z + others->below * columns,
                            operands->y, error);
    if (status || !operands->dot)
        return status;
    return space_dot(&whole->ranks->base, whole->M.n, operands->x, operands->y, operands->dot,
                     error);
}

static void free_vectors(struct whole *whole)
{
    space_release(whole->ranks->real, whole->r);
    space_release(whole->ranks->real, whole->z);
    whole->r = whole->z = NULL;
    whole->columns = 0;
}

static enum status prepare_vectors(struct whole *whole, int columns, struct error *error)
{
    struct space *real = whole->ranks->real;
    int64_t elements = whole->M.n * columns;
    if (columns <= whole->columns)
        return STATUS_OK;
    free_vectors(whole);
    enum status status = space_vector(real, elements, "r of all ranks", &whole->r, error);
    if (!status)
        status = space_vector(real, elements, "z of all ranks", &whole->z, error);
    whole->columns = status ? 0 : columns;
    return status;
}

static enum status prepare(void *state, int columns, struct error *error)
{
    struct whole *whole = state;
    struct rank_halo *halo = whole->halo;
    bool travels = halo && halo->table->prepare;
    enum status status = travels ? halo->table->prepare(halo, columns, error) : STATUS_OK;
    if (!status)
        status = operator_prepare(&whole->M, columns, error);
    return status ? status : prepare_vectors(whole, columns, error);
}

/* If M does, and its vectors travel so. */
static unsigned takes_columns(const struct whole *whole)
{
    bool travels = !whole->halo || whole->halo->table->prepare;
    return travels ? whole->M.can & OPERATOR_COLUMNS : 0;
}

static void destroy(void *state)
{
    struct whole *whole = state;
    if (!whole)
        return;
    operator_destroy(&whole->M);
    operator_destroy(&whole->A);
    if (whole->halo)
        whole->halo->table->destroy(whole->halo);
    ghost_rows_free(&whole->others);
    free_vectors(whole);
    memory_free(whole);
}

static const struct operator_table table = {.apply = apply, .prepare = prepare, .destroy = destroy};

/* Of r of all other rows, on a device; on the host there is a shorter way. */
static enum status make_halo(struct whole *whole, struct error *error)
{
    const struct partition *partition = &whole->ranks->partition;
    struct rank_places places = {0};
    whole->others.below = partition_first(partition);
    whole->others.own = partition_rows(partition);
    if (whole->ranks->real->operations->kind == SPACE_CPU)
        return STATUS_OK;
    whole->others = (struct ghost_rows){0};
    uint8_t *marks = memory_array(partition->n, sizeof *marks, "the rows of other ranks", error);
    if (!marks)
        return STATUS_MEMORY;
    memset(marks, 1, (size_t)partition->n);
    enum status status =
        ghost_rows_create(partition, 0, partition->n, marks, &places, &whole->others, error);
    memory_free(marks);
    rank_places_free(&places);
    return status ? status : rank_halo_create(whole->ranks, &whole->others, &whole->halo, error);
}

static enum status set_up(struct whole *whole, replicated_setup *setup, const void *context,
                          const struct csr *A, const struct linear_operator *spmv,
                          struct error *error)
{
    struct space *real = ranks_enter(whole->ranks);
    struct csr rows = {0};
    enum status status = make_halo(whole, error);
    const struct csr *from = status ? A : device_csr_share(real, A, &rows);
    if (!status)
        status = operator_create(spmv->kernel, from, &spmv->options, real, &whole->A, error);
    if (!status)
        status = setup(context, from, &whole->A, &whole->M, error);
    device_csr_free(&rows);
    return status ? status : prepare_vectors(whole, 1, error);
}

enum status replicated_create(replicated_setup *setup, const void *context, const struct csr *A,
                              const struct linear_operator *spmv, struct linear_operator *made,
                              struct error *error)
{
    *made = (struct linear_operator){0};
    if (csr_check_rows(A->n, error))
        return STATUS_CONFIG;
    struct whole *whole = memory_zeros(1, sizeof *whole, "the preconditioner", error);
    if (!whole)
        return STATUS_MEMORY;
    whole->ranks = ranks_of(spmv->space);
    enum status status = set_up(whole, setup, context, A, spmv, error);
    status = ranks_barrier(whole->ranks, status, error);
    if (status) {
        destroy(whole);
        return status;
    }
    *made = whole->M; /* what it tells of itself */
    made->memory_bytes += whole->A.memory_bytes + 2 * A->n * (int64_t)sizeof(double);
    made->space = spmv->space;
    made->table = &table;
    made->state = whole;
    made->can = OPERATOR_DOT | takes_columns(whole);
    return STATUS_OK;
}
