/* A factorised sparse approximate inverse: M^-1 = G'G with a sparse lower triangular G, for which G
 * A G' has a unit diagonal and is near the identity (Kolotilina and Yeremin 1993, SIAM J. Matrix
 * Anal. Appl. 14). It stands where incomplete Cholesky does elsewhere: an apply is two products in
 * place of two triangular solves, and set-up has no row that waits for another one.
 *
 * fsai_rows.h makes G, and says how its pattern grows (Janna, Ferronato, Sartoretto and Gambolati
 * 2015, ACM Trans. Math. Softw. 41: adaptive FSAI). M is positive definite for any A with a
 * positive diagonal, as no diagonal entry of G is 0.
 *
 * An apply makes t = G r and then z = G' t, by rows of G and by rows of G' (row_chains.h). */
#include "base/memory.h"
#include "base/text.h"
#include "precondition/fsai_rows.h"
#include "precondition/row_chains.h"
#include "spmv/device_csr.h"
#include "spmv/preconditioner.h"

#include <inttypes.h>
#include <stdio.h>

struct fsai_options {
    struct fsai_growth growth;
    int64_t precision;
};

struct fsai {
    struct space *space;
    int64_t n;
    struct row_chains G, transposed;
    double *t;
    int columns; /* for which t has room */
};

static void destroy(void *state)
{
    struct fsai *fsai = state;
    if (!fsai)
        return;
    row_chains_free(fsai->space, &fsai->G);
    row_chains_free(fsai->space, &fsai->transposed);
    space_release(fsai->space, fsai->t);
    memory_free(fsai);
}

static enum status prepare(void *state, int columns, struct error *error)
{
    struct fsai *fsai = state;
    if (columns <= fsai->columns)
        return STATUS_OK;
    space_release(fsai->space, fsai->t);
    fsai->t = NULL;
    enum status status = space_vector(fsai->space, fsai->n * columns,
                                      "a product of the preconditioner", &fsai->t, error);
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

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct fsai *fsai = state;
    int shift = log_of(operands->columns);
    const struct pass *pass = shift > 0 ? &pass_row_chains_columns : &pass_row_chains;
    struct row_chains_work first = {
        .rows = fsai->G, .x = operands->x, .y = fsai->t, .shift = shift};
    struct row_chains_work second = {.rows = fsai->transposed,
                                     .x = fsai->t,
                                     .y = operands->y,
                                     .shift = shift,
                                     .v = operands->x,
                                     .dot = operands->dot};
    enum status status = space_run(fsai->space, pass, fsai->n << shift, &first, error);
    return status ? status : space_run(fsai->space, pass, fsai->n << shift, &second, error);
}

static const struct operator_table table = {.apply = apply, .prepare = prepare, .destroy = destroy};

/* --- set-up ---------------------------------------------------------------------------------- */

/* Rows as the options want them, in the space. */
static enum status take_rows(const char *name, const struct fsai_options *options,
                             struct space *space, struct csr *R, struct row_chains *rows,
                             struct error *error)
{
    int64_t wrong, n = R->n;
    bool singles = options->precision == PRECISION_FLOAT;
    enum status status = row_chains_take(space, R, singles, rows, &wrong, error);
    if (status || wrong == n)
        return status;
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: precision = \"float\": row %" PRId64
                     " of G leaves the range of single precision",
                     name, wrong + 1);
}

static enum status make_both(const char *name, const struct fsai_options *options,
                             const struct csr *A, struct fsai *fsai, struct fsai_found *found,
                             struct error *error)
{
    struct csr G, transposed;
    enum status status = fsai_make_both(name, options->growth, A, &G, &transposed, found, error);
    if (!status)
        status = take_rows(name, options, fsai->space, &G, &fsai->G, error);
    if (!status)
        status = take_rows(name, options, fsai->space, &transposed, &fsai->transposed, error);
    device_csr_free(&G);
    device_csr_free(&transposed);
    return status;
}

static void describe(const struct fsai *fsai, const struct fsai_found *found,
                     struct linear_operator *made)
{
    int64_t n = fsai->n, vector = n * (int64_t)sizeof(double);
    int64_t rows = row_chains_bytes(&fsai->G) + row_chains_bytes(&fsai->transposed);
    made->memory_bytes = rows + vector;
    made->bytes_per_apply = rows + 2 * space_bytes(made->space, &pass_row_chains, n) + vector;
    made->bytes_per_column = 2 * vector;
    int length =
        snprintf(made->description, sizeof made->description, "%.2f entries a row of G%s",
                 (double)fsai->G.nnz / (double)n, fsai->G.singles ? " in single precision" : "");
    if (found->ended > 0)
        snprintf(made->description + length, sizeof made->description - (size_t)length,
                 "; a pivot ended %" PRId64 " row%s", found->ended, text_plural(found->ended));
}

static enum status setup(const void *given, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    (void)number, (void)spmv;
    struct fsai_found found;
    struct fsai *fsai = made->state = memory_zeros(1, sizeof *fsai, "the preconditioner", error);
    if (!fsai)
        return STATUS_MEMORY;
    made->table = &table;
    made->can = OPERATOR_COLUMNS;
    fsai->space = made->space;
    fsai->n = A->n;
    enum status status = make_both(made->name, given, A, fsai, &found, error);
    if (!status)
        status = prepare(fsai, 1, error);
    if (!status)
        describe(fsai, &found, made);
    return status;
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
};
