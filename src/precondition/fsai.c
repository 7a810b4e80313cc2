/* A factorised sparse approximate inverse: M^-1 = G'G with a sparse lower triangular G, for which G
 * A G' has a unit diagonal and is near the identity (Kolotilina and Yeremin 1993, SIAM J. Matrix
 * Anal. Appl. 14). It stands where incomplete Cholesky does elsewhere: an apply is two products in
 * place of two triangular solves, and set-up has no row that waits for another one.
 *
 * fsai_rows.h makes G, and says how its pattern grows (Janna, Ferronato, Sartoretto and Gambolati
 * 2015, ACM Trans. Math. Softw. 41: adaptive FSAI). M is positive definite for any A with a
 * positive diagonal, as no diagonal entry of G is 0.
 *
 * An apply makes t = G r and then z = G' t, by rows of G and by rows of G' (row_chains.h). A rank
 * makes its own rows of both, in A's order, and fetches r and t of the other ranks' rows that these
 * read. On GPUs all ranks must meet between two applies, as in the sum r . z
 * (spmv/distributed/rank_halo.h). */
#include "base/memory.h"
#include "base/text.h"
#include "matrix/implicit_rows.h"
#include "precondition/fsai_rows.h"
#include "precondition/row_chains.h"
#include "space/ranks/ranks.h"
#include "spmv/device_csr.h"
#include "spmv/distributed/listed_rows.h"
#include "spmv/distributed/moved_rows.h"
#include "spmv/preconditioner.h"

#include <inttypes.h>
#include <stdio.h>

struct fsai_options {
    struct fsai_growth growth;
    int64_t precision;
};

/* G or G', in the memory of the real space; of a rank the own rows, by local columns. */
struct factor {
    struct row_chains rows;
    struct ghost_rows reach; /* rows of other ranks that it reads; zeroed of one alone */
    struct rank_halo *halo;  /* which brings them; NULL: of one alone */
};

struct fsai {
    struct space *space, *real; /* of vectors; and under that of a rank, or the same */
    struct ranks *ranks;        /* NULL: of one alone */
    int64_t n, own;             /* rows of all ranks, and of this one */
    struct factor G, transposed;
    /* In the real space, for so many columns: t = G r, and r where that has no room for rows of
     * other ranks. Both with these rows. */
    double *t, *r;
    int columns;
};

static void free_factor(struct space *real, struct factor *factor)
{
    row_chains_free(real, &factor->rows);
    ghost_rows_free(&factor->reach);
    if (factor->halo)
        factor->halo->table->destroy(factor->halo);
}

static void free_vectors(struct fsai *fsai)
{
    space_release(fsai->real, fsai->t);
    space_release(fsai->real, fsai->r);
    fsai->t = fsai->r = NULL;
    fsai->columns = 0;
}

static void destroy(void *state)
{
    struct fsai *fsai = state;
    if (!fsai)
        return;
    free_factor(fsai->real, &fsai->G);
    free_factor(fsai->real, &fsai->transposed);
    free_vectors(fsai);
    memory_free(fsai);
}

static enum status prepare_halo(const struct factor *factor, int columns, struct error *error)
{
    struct rank_halo *halo = factor->halo;
    return halo && halo->table->prepare ? halo->table->prepare(halo, columns, error) : STATUS_OK;
}

static enum status prepare(void *state, int columns, struct error *error)
{
    struct fsai *fsai = state;
    int64_t t_rows = fsai->own + fsai->transposed.reach.above;
    int64_t r_rows = fsai->ranks ? fsai->own + fsai->G.reach.below : 0;
    enum status status = prepare_halo(&fsai->G, columns, error);
    if (!status)
        status = prepare_halo(&fsai->transposed, columns, error);
    if (status || columns <= fsai->columns)
        return status;
    free_vectors(fsai);
    status = space_vector(fsai->real, t_rows * columns, "a product of the preconditioner", &fsai->t,
                          error);
    if (!status && fsai->ranks)
        status = space_vector(fsai->real, r_rows * columns, "r of a rank", &fsai->r, error);
    fsai->columns = status ? 0 : columns;
    return status;
}

static int log_of(int columns)
{
    int shift = 0;
    while (1 << shift < columns)
        shift++;
    return shift;
}

/* *local = r from the first row on that G reads, with those of other ranks. */
static enum status bring_r(const struct fsai *fsai, const double *r, int shift,
                           const double **local, struct error *error)
{
    int64_t below = fsai->G.reach.below, elements = fsai->own << shift;
    int columns = 1 << shift;
    *local = r;
    if (!fsai->ranks)
        return STATUS_OK;
    struct space *real = ranks_enter(fsai->ranks);
    bool has_room = ranks_has_room(fsai->ranks, r, columns, below, 0);
    double *x = has_room ? (double *)r - (below << shift) : fsai->r;
    enum status status = has_room || elements == 0
                             ? STATUS_OK
                             : space_copy(real, elements, r, x + (below << shift), error);
    *local = x;
    return status ? status : fsai->G.halo->table->bring(fsai->G.halo, columns, false, x, error);
}

static enum status bring_t(const struct fsai *fsai, int shift, struct error *error)
{
    struct rank_halo *halo = fsai->transposed.halo;
    return halo ? halo->table->bring(halo, 1 << shift, false, fsai->t, error) : STATUS_OK;
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct fsai *fsai = state;
    int shift = log_of(operands->columns);
    const struct pass *pass = shift > 0 ? &pass_row_chains_columns : &pass_row_chains;
    struct row_chains_work first = {.rows = fsai->G.rows, .y = fsai->t, .shift = shift};
    struct row_chains_work second = {.rows = fsai->transposed.rows,
                                     .x = fsai->t,
                                     .y = operands->y,
                                     .shift = shift,
                                     .v = operands->x,
                                     .dot = operands->dot};
    enum status status = bring_r(fsai, operands->x, shift, &first.x, error);
    if (!status)
        status = space_run(fsai->space, pass, fsai->n << shift, &first, error);
    if (!status)
        status = bring_t(fsai, shift, error);
    return status ? status : space_run(fsai->space, pass, fsai->n << shift, &second, error);
}

static const struct operator_table table = {.apply = apply, .prepare = prepare, .destroy = destroy};

/* --- set-up ---------------------------------------------------------------------------------- */

static int64_t first_row(const struct fsai *fsai)
{
    return fsai->ranks ? partition_first(&fsai->ranks->partition) : 0;
}

/* The first wrong row of all ranks; INT64_MAX: none. */
static enum status first_of_ranks(const struct fsai *fsai, int64_t *row, struct error *error)
{
    int64_t least = -*row;
    enum status status = ranks_max(fsai->space, &least, error);
    *row = -least;
    return status;
}

/* Rows as the options want them, in the real space. */
static enum status take_rows(const char *name, const struct fsai_options *options,
                             const struct fsai *fsai, struct csr *R, struct row_chains *rows,
                             struct error *error)
{
    int64_t wrong, n = R->n;
    bool singles = options->precision == PRECISION_FLOAT;
    enum status status = row_chains_take(fsai->real, R, singles, rows, &wrong, error);
    wrong = !status && wrong < n ? first_row(fsai) + wrong : INT64_MAX;
    if (!status)
        status = first_of_ranks(fsai, &wrong, error);
    if (status || wrong == INT64_MAX)
        return status;
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: precision = \"float\": row %" PRId64
                     " of G leaves the range of single precision",
                     name, wrong + 1);
}

/* The columns of own rows, counted from row `base`, as local ones. */
static enum status find_local(const struct fsai *fsai, int64_t base, struct factor *factor,
                              struct error *error)
{
    struct row_chains *rows = &factor->rows;
    struct listed_rows list = {rows->columns, rows->nnz, base};
    struct rank_places places = {0};
    int32_t *placed = NULL;
    enum status status = listed_rows_reach(fsai->ranks, &fsai->ranks->partition, &list, &places,
                                           &factor->reach, &factor->halo, error);
    if (!status)
        status = listed_rows_place(fsai->real, &places, &list, &placed, error);
    rank_places_free(&places);
    if (status) {
        space_release(fsai->real, placed);
        return status;
    }
    space_release(fsai->real, rows->columns);
    rows->columns = placed;
    return STATUS_OK;
}

/* Those of G are counted from the first own row, and negative ones are of other ranks. */
static enum status find_all_local(struct fsai *fsai, struct error *error)
{
    int64_t first = first_row(fsai);
    struct renumbering work = {fsai->G.rows.columns, (int32_t)first};
    enum status status = fsai->G.rows.nnz > 0 ? space_run(fsai->real, &pass_renumbering,
                                                          fsai->G.rows.nnz, &work, error)
                                              : STATUS_OK;
    if (!status)
        status = find_local(fsai, 0, &fsai->G, error);
    if (!status)
        status = find_local(fsai, first, &fsai->transposed, error);
    if (!status)
        ranks_make_room(fsai->ranks, fsai->G.reach.below, 0);
    return status;
}

static enum status make_both(const char *name, const struct fsai_options *options,
                             const struct csr *A, struct fsai *fsai, struct fsai_found *found,
                             struct error *error)
{
    struct csr G, transposed, brought = {0};
    const struct csr *from = fsai->ranks ? device_csr_share(fsai->real, A, &brought) : A;
    enum status status =
        fsai_make_both(name, options->growth, from, fsai->ranks, &G, &transposed, found, error);
    if (!status)
        status = take_rows(name, options, fsai, &G, &fsai->G.rows, error);
    if (!status)
        status = take_rows(name, options, fsai, &transposed, &fsai->transposed.rows, error);
    if (!status && fsai->ranks)
        status = find_all_local(fsai, error);
    device_csr_free(&G);
    device_csr_free(&transposed);
    device_csr_free(&brought);
    return status;
}

/* What the ranks have together. */
struct together {
    int64_t bytes, entries, ended;
};

static enum status sum_up(const struct fsai *fsai, const struct fsai_found *found,
                          struct together *all, struct error *error)
{
    *all = (struct together){row_chains_bytes(&fsai->G.rows) +
                                 row_chains_bytes(&fsai->transposed.rows),
                             fsai->G.rows.nnz, found->ended};
    return fsai->ranks
               ? ranks_sum(fsai->ranks, sizeof *all / sizeof(int64_t), (int64_t *)all, error)
               : STATUS_OK;
}

static void describe(const struct fsai *fsai, const struct together *all,
                     struct linear_operator *made)
{
    int64_t n = fsai->n, vector = n * (int64_t)sizeof(double);
    bool singles = fsai->G.rows.singles;
    made->memory_bytes = all->bytes + vector;
    made->bytes_per_apply = all->bytes + 2 * space_bytes(made->space, &pass_row_chains, n) + vector;
    made->bytes_per_column = 2 * vector;
    int length = snprintf(made->description, sizeof made->description, "%.2f entries a row of G%s",
                          (double)all->entries / (double)n, singles ? " in single precision" : "");
    if (all->ended > 0)
        snprintf(made->description + length, sizeof made->description - (size_t)length,
                 "; a pivot ended %" PRId64 " row%s", all->ended, text_plural(all->ended));
}

/* Whether halos bring several columns. */
static bool takes_columns(const struct fsai *fsai)
{
    return !fsai->ranks || (fsai->G.halo->table->prepare && fsai->transposed.halo->table->prepare);
}

static enum status setup(const void *given, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    (void)number, (void)spmv;
    struct fsai_found found;
    struct together all;
    enum status status = csr_check_stored(A->host ? A->host : A, error);
    if (status)
        return status;
    struct fsai *fsai = made->state = memory_zeros(1, sizeof *fsai, "the preconditioner", error);
    if (!fsai)
        return STATUS_MEMORY;
    made->table = &table;
    fsai->space = made->space;
    fsai->ranks = ranks_of(made->space);
    fsai->real = fsai->ranks ? ranks_enter(fsai->ranks) : made->space;
    fsai->n = A->n;
    fsai->own = ranks_rows(made->space, A->n);
    status = make_both(made->name, given, A, fsai, &found, error);
    if (!status)
        status = prepare(fsai, 1, error);
    if (!status)
        status = sum_up(fsai, &found, &all, error);
    if (!status) {
        made->can = takes_columns(fsai) ? OPERATOR_COLUMNS : 0;
        describe(fsai, &all, made);
    }
    return fsai->ranks ? ranks_barrier(fsai->ranks, status, error) : status;
}

/* Ranks make their own rows of G and of G'. Each reads all of A. */
static bool by_rows(const void *options, const struct csr *A)
{
    (void)options, (void)A;
    return true;
}

/* G of the diagonal and of as many entries as A has besides. */
static int64_t setup_bytes(const void *options, const struct csr *A)
{
    const struct fsai_options *given = options;
    int64_t most = A->n * given->growth.looks * given->growth.step,
            off = A->nnz - A->n < most ? A->nnz - A->n : most;
    bool singles = given->precision == PRECISION_FLOAT;
    int64_t entry = (int64_t)((singles ? sizeof(float) : sizeof(double)) + sizeof(int32_t));
    return 2 * (A->n + off) * entry + 3 * A->n * (int64_t)sizeof(double);
}

static const char *complain(const void *options, const char **parameter)
{
    const struct fsai_growth *growth = &((const struct fsai_options *)options)->growth;
    *parameter = "step";
    return growth->looks * growth->step > FSAI_MOST ? "times looks must be at most 64" : NULL;
}

/* The first two of enum precision. */
static const char *const precisions[] = {"double", "float", NULL};

static const struct parameter parameters[] = {
    {"looks",
     "how many times the pattern of a row of G grows; 1: as A's lower triangle, by its largest "
     "entries",
     "5", TAKES_INTEGER(struct fsai_options, growth.looks, 1, FSAI_MOST)},
    {"step", "the most entries by which it grows each time; looks step is at most 64", "4",
     TAKES_INTEGER(struct fsai_options, growth.step, 1, FSAI_MOST)},
    {"threshold",
     "it takes no entry for which the gradient is below this, of an A with a diagonal of 1", "0.01",
     TAKES_REAL(struct fsai_options, growth.threshold, 0, 1)},
    {"precision", "precision of the values of G; all sums are in double precision", "double",
     TAKES_CHOICE(struct fsai_options, precision, precisions)},
    {0}};

const struct preconditioner preconditioner_fsai = {
    .component = {COMPONENT_PRECONDITIONER, "fsai", "a factorised sparse approximate inverse G'G",
                  parameters, sizeof(struct fsai_options), complain},
    .setup_bytes = setup_bytes,
    .setup = setup,
    .device_rows = true,
    .by_rows = by_rows,
};
