#include "spmv/distributed/rank_operator.h"

#include "base/agreement.h"
#include "base/memory.h"
#include "matrix/implicit_rows.h"
#include "spmv/device_csr.h"
#include "spmv/distributed/rank_halo.h"

#include <math.h>
#include <string.h>

struct rank_operator {
    struct ranks *ranks;
    struct local_matrix rows;
    struct rank_halo *halo;
    struct linear_operator real; /* by the rows of this rank, in the real space */
    /* For vectors and multivectors that have no room for rows of other ranks: x and y of all rows,
     * of so many columns. */
    int columns;
    double *x, *y;
};

/* Where the local rows of a vector, or of a multivector, begin, which it has room for; else NULL.
 * row: bytes of one. */
static void *local_rows_of(const struct rank_operator *A, const void *vector, int columns,
                           int64_t row)
{
    const struct ghost_rows *reach = &A->rows.reach;
    return ranks_has_room(A->ranks, vector, columns, reach->below, reach->above)
               ? (char *)vector - reach->below * row
               : NULL;
}

static double *local_of(const struct rank_operator *A, const void *vector)
{
    return local_rows_of(A, vector, 1, (int64_t)sizeof(double));
}

static enum status refuse_vector(struct error *error)
{
    return error_set(error, STATUS_UNAVAILABLE,
                     "a vector has no room for the rows of other ranks: it is one of several "
                     "together, or older than the product");
}

static enum status apply_given(const struct rank_operator *A, const struct operands *operands,
                               struct error *error)
{
    struct rank_halo *halo = A->halo;
    struct operands local = *operands;
    int columns = operands->columns > 1 ? operands->columns : 1;
    int64_t below = A->rows.reach.below * columns, own = A->rows.reach.own * columns;
    int64_t row = columns * (int64_t)(operands->singles ? sizeof(float) : sizeof(double));
    void *x_local = local_rows_of(A, operands->x, columns, row);
    void *y_local = local_rows_of(A, operands->y, columns, row);
    double *x = x_local ? x_local : A->x, *y = y_local ? y_local : A->y;
    if (operands->singles && (!x_local || !y_local))
        return refuse_vector(error);
    struct space *real = ranks_begin_sums(A->ranks, A->rows.reach.below);
    enum status status = x_local ? STATUS_OK : space_copy(real, own, operands->x, x + below, error);
    if (!status)
        status = halo->table->bring(halo, columns, operands->singles, x, error);
    local.x = x;
    local.y = y;
    if (!status)
        status = operator_apply_to(&A->real, &local, error);
    if (!status && !y_local)
        status = space_copy(real, own, y + below, operands->y, error);
    return ranks_end_sums(A->ranks, status);
}

/* `next` is made in the rows of other ranks too, so r alone is brought: p is there. All vectors of
 * a method are made behind the operator, and have room. */
static enum status apply_direction(const struct rank_operator *A, const struct operands *operands,
                                   struct error *error)
{
    struct rank_halo *halo = A->halo;
    const struct direction *direction = operands->direction;
    struct direction local = *direction;
    struct operands product = {
        .y = local_of(A, operands->y), .dot = operands->dot, .direction = &local};
    double *r = local_of(A, direction->r), *p = local_of(A, direction->p);
    local.r = r;
    local.p = p;
    local.next = local_of(A, direction->next);
    local.x = direction->x ? local_of(A, direction->x) : NULL;
    if (!r || !p || !local.next || !product.y || !local.x != !direction->x)
        return refuse_vector(error);
    ranks_begin_sums(A->ranks, A->rows.reach.below);
    enum status status = halo->table->bring(halo, 1, false, r, error);
    if (!status)
        status = operator_apply_to(&A->real, &product, error);
    return ranks_end_sums(A->ranks, status);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    return operands->direction ? apply_direction(state, operands, error)
                               : apply_given(state, operands, error);
}

static void free_vectors(struct rank_operator *A)
{
    space_release(A->ranks->real, A->x);
    space_release(A->ranks->real, A->y);
    A->x = A->y = NULL;
    A->columns = 0;
}

static enum status prepare_vectors(struct rank_operator *A, int columns, struct error *error)
{
    int64_t n = local_matrix_count(&A->rows) * columns;
    const struct rank_halo_table *halo = A->halo->table;
    enum status status = halo->prepare ? halo->prepare(A->halo, columns, error) : STATUS_OK;
    if (status || columns <= A->columns)
        return status;
    free_vectors(A);
    status = space_vector(A->ranks->real, n, "x of a rank", &A->x, error);
    if (!status)
        status = space_vector(A->ranks->real, n, "y of a rank", &A->y, error);
    A->columns = status ? 0 : columns;
    return status;
}

static enum status prepare(void *state, int columns, struct error *error)
{
    struct rank_operator *A = state;
    enum status status = prepare_vectors(A, columns, error);
    return status ? status : operator_prepare(&A->real, columns, error);
}

static void destroy(void *state)
{
    struct rank_operator *A = state;
    if (!A)
        return;
    operator_destroy(&A->real);
    free_vectors(A);
    if (A->halo)
        A->halo->table->destroy(A->halo);
    local_matrix_free(&A->rows);
    memory_free(A);
}

static const struct operator_table table = {.apply = apply, .prepare = prepare, .destroy = destroy};

static const struct rank_operator *this_of(const struct linear_operator *A)
{
    return A->table == &table ? A->state : NULL;
}

const struct local_matrix *rank_operator_rows(const struct linear_operator *A)
{
    return this_of(A) ? &this_of(A)->rows : NULL;
}

const struct linear_operator *rank_operator_real(const struct linear_operator *A)
{
    return this_of(A) ? &this_of(A)->real : NULL;
}

void *rank_operator_local(const struct linear_operator *A, bool singles, const void *x)
{
    int64_t row = (int64_t)(singles ? sizeof(float) : sizeof(double));
    return local_rows_of(this_of(A), x, 1, row);
}

enum status rank_operator_bring(const struct linear_operator *A, bool singles, void *x,
                                struct error *error)
{
    struct rank_halo *halo = this_of(A)->halo;
    return halo->table->bring(halo, 1, singles, x, error);
}

/* --- set-up ----------------------------------------------------------------------------------- */

/* Rows of A that its maker makes, in the memory of the space or on the host. */
static enum status make_strip(struct space *real, const struct csr *A, bool on_device,
                              int64_t first, int64_t last, struct rank_strip *strip,
                              struct error *error)
{
    strip->base = first;
    return on_device ? device_csr_make_rows(real, A, first, last, &strip->A, error)
                     : csr_make_rows(A, first, last, &strip->A, error);
}

/* Where the own rows, first and last, are made: no further than the maker reaches from there
 * another rank has entries with them. */
static enum status make_strips(struct space *real, const struct csr *A, bool on_device,
                               struct rank_source *from, struct error *error)
{
    int64_t reach = from->first < from->last ? A->maker->reach(A->maker_options) : 0;
    int64_t base = from->first > reach ? from->first - reach : 0;
    int64_t end = from->last - from->first > reach ? from->last - reach : from->first;
    from->maker = A;
    enum status status = make_strip(real, A, on_device, base, from->first, &from->below, error);
    if (!status)
        status = make_strip(real, A, on_device, end, from->last, &from->end, error);
    if (from->end.A.width > from->last + reach - end) /* no row reaches further */
        from->end.A.width = from->last + reach - end;
    return status;
}

static void free_source(struct rank_source *from)
{
    for (int k = 0; k < 2 && from->maker; k++)
        device_csr_free(k == 0 ? &from->below.A : &from->end.A);
    from->maker = NULL;
}

/* Of the own rows, their offsets twice more, and the strips. */
static int64_t bytes_on_device(const struct csr *A, const struct rank_source *from)
{
    double own = (double)(from->last - from->first), of_row = (double)csr_bytes(A) / (double)A->n;
    double strips = 2 * fmin(own, (double)A->maker->reach(A->maker_options));
    return (int64_t)((own + strips) * of_row + 2 * own * sizeof(int64_t));
}

/* What the rank's rows are made of: a matrix that is stored, or the rows that the rank keeps, as
 * these are; else its maker, on the device where the kernel goes on there and there is room. The
 * caller calls free_source. */
static enum status find_source(struct space *real, const struct kernel *kernel, const struct csr *A,
                               struct rank_source *from, struct error *error)
{
    struct error ignored;
    enum status status = STATUS_MEMORY;
    const struct partial_csr *kept = partial_csr_in(A);
    if (kept && A->exponent == 0) {
        from->below = from->end = (struct rank_strip){kept->A, kept->base};
        return STATUS_OK;
    }
    if (kernel->device_rows && device_csr_makes(real, A) &&
        !real->operations->fits(real, bytes_on_device(A, from), "", &ignored))
        status = make_strips(real, A, true, from, error);
    if (status != STATUS_MEMORY)
        return status;
    free_source(from); /* another rank on the device was sooner */
    if (A->maker && !A->offsets)
        return make_strips(real, A, false, from, error);
    from->below = from->end = (struct rank_strip){*A, 0};
    return STATUS_OK;
}

/* By the local rows; those of a device go again. */
static enum status create_real(struct rank_operator *A, const struct kernel *kernel,
                               const struct kernel_options *options, struct error *error)
{
    struct space *real = A->ranks->real;
    struct csr *local = &A->rows.local, here = {0};
    enum status status = operator_create(kernel, local, options, real, &A->real, error);
    bool again = status == STATUS_MEMORY && local->space; /* set-up on the host takes less there */
    if (again)
        status = device_csr_fetch(local, &here, error);
    if (local->space) {
        device_csr_free(local);
        *local = here;
    }
    return status || !again ? status
                            : operator_create(kernel, local, options, real, &A->real, error);
}

/* A kernel may refuse the rows of one rank: then it does so for all. */
static enum status agree_on_real(const struct rank_operator *A, enum status status,
                                 struct error *error)
{
    const struct agreement on = {.what = "kernel"};
    bool met;
    return exchange_agree(A->ranks->partition.exchange, status, &on, &met, error);
}

static enum status set_up(struct rank_operator *A, const struct kernel *kernel,
                          const struct csr *whole, const struct kernel_options *options,
                          struct error *error)
{
    struct ranks *ranks = A->ranks;
    struct rank_source from = {.first = partition_first(&ranks->partition)};
    from.last = from.first + partition_rows(&ranks->partition);
    enum status status = find_source(ranks->real, kernel, whole, &from, error);
    if (!status)
        status = local_matrix_create(ranks->real, &from, &ranks->partition, &A->rows, error);
    free_source(&from);
    if (!status)
        status = rank_halo_create(ranks, &A->rows.reach, &A->halo, error);
    if (!status)
        status = prepare_vectors(A, 1, error);
    if (status)
        return status;
    status = agree_on_real(A, create_real(A, kernel, options, error), error);
    if (!status)
        ranks_make_room(ranks, A->rows.reach.below, A->rows.reach.above);
    return status;
}

/* What the ranks have together: sums, and how many of them can. */
struct together {
    int64_t bytes_per_apply, bytes_per_column, memory_bytes, read;
    int64_t sweep, fuse, direct, singles, single_sweep;
};

/* The operator can only what all ranks can: they may have A in different forms. */
static enum status agree(const struct rank_operator *A, struct together *all, unsigned *can,
                         struct error *error)
{
    const struct linear_operator *real = &A->real;
    int64_t ranks = A->ranks->partition.exchange->count;
    *all = (struct together){.bytes_per_apply = real->bytes_per_apply,
                             .bytes_per_column = real->bytes_per_column,
                             .memory_bytes = real->memory_bytes,
                             .read = A->rows.reach.given_begin[ranks],
                             .sweep = (real->can & OPERATOR_COLUMNS) && A->halo->table->prepare,
                             .fuse = (real->can & OPERATOR_DOT) != 0,
                             .direct = (real->can & OPERATOR_DIRECTION) != 0,
                             .singles = (real->can & OPERATOR_SINGLES) != 0};
    all->single_sweep = all->sweep && (real->can & OPERATOR_SINGLE_COLUMNS);
    enum status status = ranks_sum(A->ranks, sizeof *all / sizeof(int64_t), (int64_t *)all, error);
    *can = (all->sweep == ranks ? OPERATOR_COLUMNS : 0) | (all->fuse == ranks ? OPERATOR_DOT : 0) |
           (all->direct == ranks ? OPERATOR_DIRECTION : 0) |
           (all->singles == ranks ? OPERATOR_SINGLES : 0) |
           (all->single_sweep == ranks ? OPERATOR_SINGLE_COLUMNS : 0);
    return status;
}

/* That of the first rank with the most rows: one without has a form of nothing. */
static enum status describe(const struct rank_operator *A, char *text, struct error *error)
{
    const struct partition *partition = &A->ranks->partition;
    enum { LENGTH = sizeof A->real.description };
    char *all = memory_array(partition->exchange->count, LENGTH, "what the ranks keep", error);
    enum status status =
        all ? exchange_gather_each(partition->exchange, A->real.description, LENGTH, all, error)
            : STATUS_MEMORY;
    int most = 0;
    for (int r = 1; r < partition->exchange->count; r++)
        if (partition->begin[r + 1] - partition->begin[r] >
            partition->begin[most + 1] - partition->begin[most])
            most = r;
    if (!status)
        memcpy(text, all + (int64_t)most * LENGTH, LENGTH);
    memory_free(all);
    return status;
}

static struct operator_ranks partition_of(const struct partition *partition, int64_t read)
{
    struct operator_ranks made = {partition->exchange->count, partition->n, 0, read};
    for (int r = 0; r < made.count; r++) {
        int64_t rows = partition->begin[r + 1] - partition->begin[r];
        made.fewest = rows < made.fewest ? rows : made.fewest;
        made.most = rows > made.most ? rows : made.most;
    }
    return made;
}

static enum status check(const struct kernel *kernel, const struct csr *A, struct error *error)
{
    if (A->kind == CSR_GENERAL)
        return error_set(error, STATUS_CONFIG,
                         "several ranks multiply by symmetric and skew-symmetric matrices alone");
    if (kernel->sums_by_matrix)
        return error_set(
            error, STATUS_CONFIG,
            "kernel %s sums a row in a way that follows from the whole matrix, and a rank has "
            "not all",
            kernel->component.name);
    return STATUS_OK;
}

enum status rank_operator_create(const struct kernel *kernel, const struct csr *A,
                                 const struct kernel_options *options, struct ranks *ranks,
                                 struct linear_operator *made, struct error *error)
{
    *made = (struct linear_operator){0};
    enum status status = check(kernel, A, error);
    if (status)
        return status;
    ranks_enter(ranks);
    struct rank_operator *state = memory_zeros(1, sizeof *state, "a product over ranks", error);
    if (!state)
        return STATUS_MEMORY;
    state->ranks = ranks;
    struct together all;
    unsigned can = 0;
    char description[sizeof made->description];
    status = set_up(state, kernel, A, options, error);
    if (!status)
        status = agree(state, &all, &can, error);
    if (!status)
        status = describe(state, description, error);
    if (status) {
        destroy(state);
        return status;
    }
    const struct linear_operator *real = &state->real;
    *made = (struct linear_operator){.name = real->name,
                                     .kernel = real->kernel,
                                     .options = real->options,
                                     .table = &table,
                                     .state = state,
                                     .can = can,
                                     .space = &ranks->base,
                                     .n = A->n,
                                     .width = A->n,
                                     .exponent = A->exponent,
                                     .bytes_per_apply = all.bytes_per_apply,
                                     .bytes_per_column = all.bytes_per_column,
                                     .products = 1,
                                     .memory_bytes = all.memory_bytes,
                                     .ranks = partition_of(&ranks->partition, all.read)};
    memcpy(made->description, description, sizeof description);
    return STATUS_OK;
}
