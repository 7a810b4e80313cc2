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
 * Set-up inverts every block on the host, by the root-free Cholesky factorisation D = L diag(d) L^T
 * (Golub and Van Loan, Matrix Computations, 4th ed., section 4.1.2) and W = L^-1, in this order,
 * where a, l, w are counted within the block of m rows:
 *
 *     for j = 0 .. m-1:   d_j = a_jj,  for k = 0 .. j-1:  d_j = fma(-(l_jk d_k), l_jk, d_j)
 *         for i = j+1 .. m-1:   s = a_ij,  for k = 0 .. j-1:  s = fma(-(l_jk d_k), l_ik, s);
 *             l_ij = s / d_j
 *     for j, for i = j+1 ..:    s = -l_ij,  for k = j+1 .. i-1:  s = fma(-l_ik, w_kj, s);
 *         w_ij = s,  w_jj = 1
 *     for i <= j:               b_ij = b_ji = sum over k = j .. m-1 of fma((w_ki / d_k), w_kj, .),
 *         from +0
 *
 * so B is symmetric to the last bit, and 1 / a_ii for a block of one row. M is positive definite
 * exactly when all d_j are positive. */
#include "base/memory.h"
#include "base/text.h"
#include "cgsolve/preconditioner.h"
#include "precondition/blocks.h"

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

/* One block while it is inverted. */
struct dense {
    double d[MOST], l[MOST][MOST], w[MOST][MOST];
};

/* The lower triangle of the block of rows first ... first + m - 1 into l. */
static void block_take(const struct csr *A, int64_t first, int64_t m, struct dense *dense)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++)
            dense->l[i][j] = 0;
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = A->offsets[first + j]; k < A->offsets[first + j + 1]; k++) {
            int64_t i = A->columns[k] - first;
            if (i >= m)
                break;
            dense->l[i][j] = A->values[k];
        }
}

/* l and d in the place of a. The first row whose pivot is not positive, or whose inverse is not
 * finite; m if there is none. */
static int64_t block_factor(int64_t m, struct dense *dense)
{
    for (int64_t j = 0; j < m; j++) {
        double *d = dense->d, lower[MOST];
        d[j] = dense->l[j][j];
        for (int64_t k = 0; k < j; k++) {
            lower[k] = dense->l[j][k] * d[k];
            d[j] = fma(-lower[k], dense->l[j][k], d[j]);
        }
        if (!(d[j] > 0 && isfinite(d[j]) && isfinite(1 / d[j])))
            return j;
        for (int64_t i = j + 1; i < m; i++) {
            double s = dense->l[i][j];
            for (int64_t k = 0; k < j; k++)
                s = fma(-lower[k], dense->l[i][k], s);
            dense->l[i][j] = s / d[j];
        }
    }
    return m;
}

/* values[j n + first + i] = b_ij. False when one of them is not finite. */
static bool block_invert(int64_t m, struct dense *dense, int64_t n, int64_t first, double *values)
{
    bool finite = true;
    for (int64_t j = 0; j < m; j++) {
        dense->w[j][j] = 1;
        for (int64_t i = j + 1; i < m; i++) {
            double s = -dense->l[i][j];
            for (int64_t k = j + 1; k < i; k++)
                s = fma(-dense->l[i][k], dense->w[k][j], s);
            dense->w[i][j] = s;
        }
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = i; j < m; j++) {
            double b = 0;
            for (int64_t k = j; k < m; k++)
                b = fma(dense->w[k][i] / dense->d[k], dense->w[k][j], b);
            finite = finite && isfinite(b);
            values[j * n + first + i] = values[i * n + first + j] = b;
        }
    return finite;
}

/* STATUS_CONFIG, for the block that begins there. */
static enum status block_fault(const char *name, const struct csr *A, int64_t first, int64_t m,
                               struct error *error)
{
    struct dense dense;
    block_take(A, first, m, &dense);
    int64_t row = block_factor(m, &dense);
    if (row == m)
        return error_set(error, STATUS_CONFIG,
                         "preconditioner %s: the inverse of the block of rows %" PRId64
                         " to %" PRId64 " overflows",
                         name, first + 1, first + m);
    if (m == 1)
        return error_set(error, STATUS_CONFIG,
                         "preconditioner %s: row %" PRId64 " has %g on the diagonal, %s", name,
                         first + 1, dense.d[0],
                         dense.d[0] > 0 ? "whose inverse overflows" : "which must be above 0");
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: the block of rows %" PRId64 " to %" PRId64
                     " is not positive definite: the pivot of row %" PRId64 " is %g",
                     name, first + 1, first + m, first + row + 1, dense.d[row]);
}

/* The inverses of all blocks. */
static enum status invert_all(const char *name, int64_t block, const struct csr *A, double *values,
                              struct error *error)
{
    int64_t n = A->n, count = (n + block - 1) / block, wrong = count;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (int64_t b = 0; b < count; b++) {
        struct dense dense;
        int64_t first = b * block, m = n - first < block ? n - first : block;
        block_take(A, first, m, &dense);
        if ((block_factor(m, &dense) < m || !block_invert(m, &dense, n, first, values)) &&
            b < wrong)
            wrong = b;
        for (int64_t j = m; j < block; j++) /* past the last row: not read, but uploaded */
            for (int64_t i = 0; i < m; i++)
                values[j * n + first + i] = 0;
    }
    if (wrong == count)
        return STATUS_OK;
    int64_t first = wrong * block;
    return block_fault(name, A, first, n - first < block ? n - first : block, error);
}

static enum status apply_dot(void *state, const struct operands *operands, double *dot,
                             struct error *error)
{
    const struct blocks *blocks = state;
    struct blocks_work work = {.n = blocks->n,
                               .block = blocks->block,
                               .values = blocks->values,
                               .r = operands->x,
                               .z = operands->y,
                               .dot = dot};
    return space_run(blocks->space, &pass_blocks, blocks->n, &work, error);
}

static void destroy(void *state)
{
    struct blocks *blocks = state;
    if (blocks)
        space_release(blocks->space, blocks->values);
    memory_free(blocks);
}

static const struct operator_table table = {.apply_dot = apply_dot, .destroy = destroy};

/* Of jacobi, which has no options, one row. */
static int64_t rows_of_block(const void *options)
{
    return options ? ((const struct block_jacobi *)options)->block : 1;
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
    made->bytes_per_apply =
        space_bytes(space, &pass_blocks, n) + block * n * (int64_t)sizeof(double);
    if (options)
        snprintf(made->description, sizeof made->description, "blocks of %" PRId64 " row%s", block,
                 text_plural(block));
    else
        snprintf(made->description, sizeof made->description, "the diagonal");
    double *values = memory_array(n, (size_t)block * sizeof *values, "the inverse blocks", error);
    enum status status = values ? invert_all(made->name, block, A, values, error) : STATUS_MEMORY;
    if (!status)
        status = space_vector(space, n * block, "the inverse blocks", &blocks->values, error);
    if (!status)
        status = space_upload(space, n * block, values, blocks->values, error);
    memory_free(values);
    return status;
}

static int64_t setup_bytes(const void *options, int64_t n)
{
    return rows_of_block(options) * n * (int64_t)sizeof(double);
}

static const struct parameter parameters[] = {
    {"block", "rows of a block, in the numbering that is solved: the unknowns of a node", "4",
     TAKES_INTEGER(struct block_jacobi, block, 1, MOST)},
    {0}};

const struct preconditioner preconditioner_jacobi = {
    .component = {COMPONENT_PRECONDITIONER, "jacobi", "the diagonal of A"},
    .setup_bytes = setup_bytes,
    .setup = setup,
};

const struct preconditioner preconditioner_block_jacobi = {
    .component = {COMPONENT_PRECONDITIONER, "block_jacobi",
                  "the blocks of consecutive rows on A's diagonal", parameters,
                  sizeof(struct block_jacobi)},
    .setup_bytes = setup_bytes,
    .setup = setup,
};
