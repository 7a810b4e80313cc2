/* Block Jacobi: M = the blocks on A's diagonal, of `block` consecutive rows each in the numbering
 * that is solved, the last one shorter (Saad 2003, section 10.1 with the blocks of section 4.1.1):
 * for the unknowns of a node, which belong together, and lie together in most finite-element
 * matrices. And Jacobi, or diagonal scaling, with blocks of one row, z_i = r_i (1 / a_ii): the
 * cheapest M that makes up for rows of different scale. No diagonal M makes the condition number
 * more times smaller than a row has entries (van der Sluis 1969; Higham, Accuracy and Stability of
 * Numerical Algorithms, 2nd ed. 2002, section 7.3).
 *
 * An apply multiplies by the inverses as dense blocks: z_i = sum over the columns j of i's block of
 * b_ij r_j, one chain, ascending, whose first term is a product and each other one a fused
 * multiply-add.
 *
 * Set-up inverts every block on the host (precondition/dense.h): B is symmetric to the last bit,
 * and 1 / a_ii for a block of one row. Those are made on a device where A's rows are there, or can
 * be made there. M is positive definite exactly when all pivots are positive. */
#include "base/memory.h"
#include "base/text.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "precondition/blocks.h"
#include "precondition/dense.h"
#include "precondition/diagonal.h"
#include "space/ranks/ranks.h"
#include "space/sum/sum_order.h"
#include "spmv/device_csr.h"
#include "spmv/preconditioner.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

struct block_jacobi {
    int64_t block; /* rows of a block */
};

enum { MOST = 32 }; /* rows of a block */

struct blocks {
    struct space *space;
    int64_t n, block;
    double *values; /* in the space, as struct blocks_work says */
};

/* The memory of one block while it is inverted. */
struct room {
    double d[MOST], lower[MOST], l[MOST * MOST], w[MOST * MOST];
};

static struct dense block_take(const struct csr *A, int64_t first, int64_t m, struct room *room)
{
    struct dense dense = {
        .m = m, .stride = MOST, .d = room->d, .l = room->l, .w = room->w, .lower = room->lower};
    dense_take(A, first, &dense);
    return dense;
}

/* STATUS_CONFIG, for the block of m rows that begins with row `first` of the matrix, which is the
 * row at `at` of A. */
static enum status block_fault(const char *name, const struct csr *A, int64_t at, int64_t first,
                               int64_t m, struct error *error)
{
    struct room room;
    struct dense dense = block_take(A, at, m, &room);
    int64_t row = dense_factor(&dense), number = first + 1;
    if (row == m)
        return error_set(error, STATUS_CONFIG,
                         "preconditioner %s: the inverse of the block of rows %" PRId64
                         " to %" PRId64 " overflows",
                         name, number, number + m - 1);
    if (m == 1)
        return diagonal_fault(name, A, first, dense.d[0], error);
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: the block of rows %" PRId64 " to %" PRId64
                     " is not positive definite: the pivot of row %" PRId64 " is %g",
                     name, number, number + m - 1, number + row, ldexp(dense.d[row], A->exponent));
}

/* What invert_all takes, and gives. */
struct inversion {
    const struct csr *A;
    int64_t block, before, n;
    double *values;
    int64_t wrong;
};

/* Blocks of one row: the same numbers, and the same that are wrong. */
static void invert_rows(void *context, int64_t i, int64_t end)
{
    struct inversion *made = context;
    const struct csr *A = made->A;
    int64_t wrong = made->n;
    for (; i < end; i++) {
        double a = A->values[A->offsets[i]], inverse = 1 / a;
        made->values[made->before + i] = inverse;
        if (!(a > 0 && isfinite(inverse)) && made->before + i < wrong)
            wrong = made->before + i;
    }
    ATOMIC_LEAST(&made->wrong, wrong);
}

static void invert_blocks(void *context, int64_t b, int64_t end)
{
    struct inversion *made = context;
    int64_t block = made->block, n = made->n, wrong = n;
    for (; b < end; b++) {
        struct room room;
        int64_t at = b * block, left = made->A->n - at, m = left < block ? left : block;
        int64_t first = made->before + at;
        struct dense dense = block_take(made->A, at, m, &room);
        bool has = dense_factor(&dense) == m && dense_invert(&dense, n, made->values + first);
        if (!has && first < wrong)
            wrong = first;
        for (int64_t j = m; j < block; j++) /* past the last row: not read, but uploaded */
            for (int64_t i = 0; i < m; i++)
                made->values[j * n + first + i] = 0;
    }
    ATOMIC_LEAST(&made->wrong, wrong);
}

/* The inverses of the blocks of A's rows, which are those from row `before` on of a matrix of n
 * rows: into values, which are for all of these. The first row of the first block that has none;
 * n: all have one. */
static int64_t invert_all(int64_t block, const struct csr *A, int64_t before, int64_t n,
                          double *values)
{
    struct inversion made = {A, block, before, n, values, n};
    threads_each(threads_lent(), (A->n + block - 1) / block,
                 block == 1 ? invert_rows : invert_blocks, &made);
    return made.wrong;
}

/* The rows that this rank has, or all. */
static void find_own(const struct blocks *blocks, int64_t *first, int64_t *last)
{
    *first = ranks_first_row(blocks->space);
    *last = *first + ranks_rows(blocks->space, blocks->n);
}

/* Those inverses, from rows that A's maker makes, some at a time. *wrong: as that of invert_all. */
static enum status invert_made(const struct blocks *blocks, const struct csr *A, double *values,
                               int64_t *wrong, struct error *error)
{
    enum { PART = 1 << 22 };
    int64_t i, last, part = PART / blocks->block * blocks->block;
    enum status status = STATUS_OK;
    for (find_own(blocks, &i, &last); i < last && !status; i += part) {
        struct csr rows;
        status = csr_make_rows(A, i, last - i < part ? last : i + part, &rows, error);
        if (!status) {
            int64_t its = invert_all(blocks->block, &rows, i, A->n, values);
            *wrong = its < *wrong ? its : *wrong;
        }
        csr_free(&rows);
    }
    return status;
}

/* The same of blocks of one row, where the device of a rank makes them; *suits: it has room. */
static enum status invert_made_on_device(const struct blocks *blocks, const struct csr *A,
                                         int64_t *wrong, bool *suits, struct error *error)
{
    enum { PART = 1 << 24 };
    struct space *real = ranks_of(blocks->space)->real;
    int64_t first, last, of_row = csr_bytes(A) / A->n + 1;
    struct error ignored;
    find_own(blocks, &first, &last);
    int64_t part = last - first < PART ? last - first : PART;
    *suits = blocks->block == 1 && device_csr_makes(real, A) &&
             !real->operations->fits(real, part * of_row, "", &ignored);
    enum status status = STATUS_OK;
    for (int64_t i = first; i < last && !status && *suits; i += part) {
        struct csr rows;
        struct diagonal_found its;
        status = device_csr_make_rows(real, A, i, last - i < part ? last : i + part, &rows, error);
        if (!status)
            status = diagonal_invert(real, &rows, &diagonal_plain, blocks->values + (i - first),
                                     &its, error);
        if (!status && its.wrong < rows.n && i + its.wrong < *wrong)
            *wrong = i + its.wrong;
        device_csr_free(&rows);
    }
    if (status != STATUS_MEMORY)
        return status;
    *suits = false; /* another rank on the device was sooner */
    *wrong = blocks->n;
    return STATUS_OK;
}

/* What is wrong with the block that begins there. */
static enum status find_fault(const char *name, const struct csr *A, int64_t block, int64_t wrong,
                              struct error *error)
{
    int64_t m = A->n - wrong < block ? A->n - wrong : block;
    struct csr rows;
    if (A->offsets)
        return block_fault(name, A, wrong, wrong, m, error);
    enum status status = csr_make_rows(A, wrong, wrong + m, &rows, error);
    if (!status)
        status = block_fault(name, &rows, 0, wrong, m, error);
    csr_free(&rows);
    return status;
}

/* All ranks say what the one finds whose rows they are. */
static enum status refuse(const char *name, const struct blocks *blocks, const struct csr *A,
                          int64_t wrong, struct error *error)
{
    struct ranks *ranks = ranks_of(blocks->space);
    struct {
        enum status status;
        struct error why;
    } own = {STATUS_OK, {""}}, *all;
    int64_t first, last;
    if (!ranks)
        return find_fault(name, A, blocks->block, wrong, error);
    find_own(blocks, &first, &last);
    if (wrong >= first && wrong < last)
        own.status = find_fault(name, A, blocks->block, wrong, &own.why);
    enum status status =
        partition_gather(&ranks->partition, &own, sizeof own, (void **)&all, error);
    for (int r = 0; r < ranks->partition.exchange->count && !status; r++)
        if (all[r].status) {
            *error = all[r].why;
            return all[r].status;
        }
    return status;
}

static enum status apply_one(const struct blocks *blocks, const struct operands *operands,
                             struct error *error)
{
    struct blocks_work work = {.n = blocks->n,
                               .block = blocks->block,
                               .rows = ranks_rows(blocks->space, blocks->n),
                               .values = blocks->values,
                               .r = operands->x,
                               .z = operands->y,
                               .dot = operands->dot};
    return space_run(blocks->space, &pass_blocks, blocks->n, &work, error);
}

static enum status apply_columns(const struct blocks *blocks, const struct operands *operands,
                                 struct error *error)
{
    int64_t stride = operands->columns;
    struct blocks_columns_work work = {.n = blocks->n,
                                       .block = blocks->block,
                                       .rows = ranks_rows(blocks->space, blocks->n),
                                       .stride = stride,
                                       .values = blocks->values,
                                       .r = operands->x,
                                       .z = operands->y};
    return space_run(blocks->space, &pass_blocks_columns, blocks->n * stride, &work, error);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    return operands->columns > 1 ? apply_columns(state, operands, error)
                                 : apply_one(state, operands, error);
}

static void destroy(void *state)
{
    struct blocks *blocks = state;
    if (blocks)
        space_release(blocks->space, blocks->values);
    memory_free(blocks);
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

/* Of jacobi, which has no options, one row. */
static int64_t rows_of_block(const void *options)
{
    return options ? ((const struct block_jacobi *)options)->block : 1;
}

/* From A on the host. */
static enum status setup_on_host(const char *name, const struct blocks *blocks, const struct csr *A,
                                 struct error *error)
{
    int64_t n = blocks->n, block = blocks->block;
    double *values = NULL;
    int64_t wrong = n, before_end;
    bool ranks = ranks_of(blocks->space), suits = false;
    enum status status = STATUS_OK;
    if (ranks && A->maker)
        status = invert_made_on_device(blocks, A, &wrong, &suits, error);
    if (!status && !suits) {
        values = memory_array(n, (size_t)block * sizeof *values, "the inverse blocks", error);
        status = values ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status && !suits && A->maker && (ranks || !A->offsets))
        status = invert_made(blocks, A, values, &wrong, error);
    else if (!status && !suits)
        wrong = invert_all(block, A, 0, n, values);
    before_end = n - wrong; /* the largest one is of the first row, of all ranks */
    if (!status && A->maker)
        status = ranks_max(blocks->space, &before_end, error);
    if (!status && before_end > 0)
        status = refuse(name, blocks, A, n - before_end, error);
    for (int64_t j = 0; j < block && !status && !suits; j++) /* a vector each, for ranks */
        status = space_upload(blocks->space, n, values + j * n, blocks->values + j * n, error);
    memory_free(values);
    return status;
}

/* A's rows in the memory of the space: they are there, or are made there if there is room, in
 * *made; or NULL. */
static const struct csr *find_rows(const struct csr *A, struct space *space, struct csr *made)
{
    struct error ignored;
    *made = (struct csr){0};
    if (A->space)
        return A;
    bool fits = space->operations->kind == SPACE_CUDA && !ranks_of(space) &&
                device_csr_makes(space, A) &&
                !space->operations->fits(space, csr_bytes(A), "", &ignored);
    return fits && !device_csr_bring(space, A, made, &ignored) ? made : NULL;
}

/* The inverses of blocks of one row, from such rows. */
static enum status setup_on_device(const char *name, const struct blocks *blocks,
                                   const struct csr *A, const struct csr *device,
                                   struct error *error)
{
    struct diagonal_found found;
    struct csr copy;
    enum status status =
        diagonal_invert(blocks->space, device, &diagonal_plain, blocks->values, &found, error);
    if (status || found.wrong == A->n)
        return status;
    status = device_csr_on_host(A, &A, &copy, error);
    if (!status)
        status = find_fault(name, A, 1, found.wrong, error);
    csr_free(&copy);
    return status;
}

static enum status setup(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    (void)number, (void)spmv;
    struct space *space = made->space;
    int64_t n = A->n, block = rows_of_block(options);
    struct blocks *blocks = made->state =
        memory_zeros(1, sizeof *blocks, "the preconditioner", error);
    if (!blocks)
        return STATUS_MEMORY;
    *blocks = (struct blocks){.space = space, .n = n, .block = block};
    made->table = &table;
    made->can = OPERATOR_COLUMNS;
    made->bytes_per_apply =
        space_bytes(space, &pass_blocks, n) + block * n * (int64_t)sizeof(double);
    if (options)
        snprintf(made->description, sizeof made->description, "blocks of %" PRId64 " row%s", block,
                 text_plural(block));
    else
        snprintf(made->description, sizeof made->description, "the diagonal");
    enum status status =
        space_vector(space, n * block, "the inverse blocks", &blocks->values, error);
    if (status)
        return status;
    made->diagonal = block == 1 ? blocks->values : NULL;
    struct csr own = {0}, copy = {0};
    const struct csr *rows = block == 1 ? find_rows(A, space, &own) : NULL, *host = A;
    if (!rows)
        status = device_csr_on_host(A, &host, &copy, error);
    if (!status)
        status = rows ? setup_on_device(made->name, blocks, A, rows, error)
                      : setup_on_host(made->name, blocks, host, error);
    device_csr_free(&own);
    csr_free(&copy);
    return status;
}

static int64_t setup_bytes(const void *options, const struct csr *A)
{
    return rows_of_block(options) * A->n * (int64_t)sizeof(double);
}

static const struct parameter parameters[] = {
    {"block", "rows of a block, in the numbering that is solved: the unknowns of a node", "4",
     TAKES_INTEGER(struct block_jacobi, block, 1, MOST)},
    {0}};

/* Whether a rank's rows are whole blocks. */
static bool by_rows(const void *options, const struct csr *A)
{
    (void)A;
    return SUM_TILE % rows_of_block(options) == 0;
}

const struct preconditioner preconditioner_jacobi = {
    .component = {COMPONENT_PRECONDITIONER, "jacobi", "the diagonal of A"},
    .setup_bytes = setup_bytes,
    .setup = setup,
    .device_rows = true,
    .by_rows = by_rows,
    .leaves_rows = true,
};

const struct preconditioner preconditioner_block_jacobi = {
    .component = {COMPONENT_PRECONDITIONER, "block_jacobi",
                  "the blocks of consecutive rows on A's diagonal", parameters,
                  sizeof(struct block_jacobi)},
    .setup_bytes = setup_bytes,
    .setup = setup,
    .device_rows = true,
    .by_rows = by_rows,
    .leaves_rows = true,
};
