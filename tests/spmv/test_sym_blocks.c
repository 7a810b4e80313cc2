/* The block form of spmv/symmetric/blocks/sym_blocks.h: every entry of the matrix is in it once,
 * and nothing else. */
#include "made.h"
#include "support.h"

#include "base/memory.h"
#include "matrices.h"
#include "spmv/symmetric/blocks/sym_blocks.h"

#include <string.h>

/* The value that the blocks give to row i and column j >= i, and whether a block holds it. */
static double value_at(const struct sym_blocks *blocks, int64_t i, int64_t j, bool *there)
{
    int64_t k = blocks->k, row = i / k, u = i % k;
    *there = true;
    if (j / k == row) {
        const double *triangle = blocks->diagonals + row * sym_blocks_triangle((int)k);
        return triangle[u * k - u * (u - 1) / 2 + j % k - u];
    }
    for (int64_t p = blocks->offsets[row]; p < blocks->offsets[row + 1]; p++)
        if (blocks->columns[p] == j / k)
            return blocks->values[(p * k + u) * k + j % k];
    *there = false;
    return 0;
}

static int64_t nonzeros(const double *values, int64_t count)
{
    int64_t there = 0;
    for (int64_t i = 0; i < count; i++)
        there += values[i] != 0;
    return there;
}

/* The entries of A are where they belong, and no other number is. */
static void expect_values(const struct csr *A, const struct sym_blocks *blocks)
{
    int64_t wanted = nonzeros(A->values, A->nnz);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t p = A->offsets[i]; p < A->offsets[i + 1]; p++) {
            bool there;
            double value = value_at(blocks, i, A->columns[p], &there);
            ck_assert(there);
            ck_assert_mem_eq(&value, &A->values[p], sizeof value);
        }
    int64_t k = blocks->k, count = blocks->offsets[blocks->rows];
    ck_assert_int_eq(nonzeros(blocks->values, count * k * k) +
                         nonzeros(blocks->diagonals, blocks->rows * sym_blocks_triangle((int)k)),
                     wanted);
}

/* Block columns ascend right of the diagonal, each with an entry of A. */
static void expect_columns(const struct csr *A, const struct sym_blocks *blocks)
{
    int64_t k = blocks->k;
    ck_assert_int_eq(blocks->offsets[0], 0);
    for (int64_t row = 0; row < blocks->rows; row++)
        for (int64_t p = blocks->offsets[row]; p < blocks->offsets[row + 1]; p++) {
            int64_t before = p > blocks->offsets[row] ? blocks->columns[p - 1] : row;
            ck_assert_int_gt(blocks->columns[p], before);
            bool any = false;
            for (int64_t q = A->offsets[row * k]; q < A->offsets[(row + 1) * k]; q++)
                any |= A->columns[q] / k == blocks->columns[p];
            ck_assert(any);
        }
}

static void expect_blocks(const struct csr *A, int k)
{
    struct error error;
    for (int threads = 1; threads <= 7; threads += 3) {
        test_threads(threads);
        struct sym_blocks blocks;
        expect_ok(sym_blocks_create(A, k, &blocks, &error), &error);
        ck_assert_int_eq(blocks.n, A->n);
        ck_assert_int_eq(blocks.rows * k, A->n);
        ck_assert_double_eq(blocks.sign, A->kind == CSR_SKEW ? -1 : 1);
        expect_columns(A, &blocks);
        expect_values(A, &blocks);
        sym_blocks_free(&blocks);
        ck_assert_ptr_null(blocks.values);
    }
}

/* 8 k k + 4 bytes a block off the diagonal, and 8 for each kept value on it. */
static int64_t bytes_by_blocks(const struct csr *A, int k)
{
    struct error error;
    struct sym_blocks blocks;
    expect_ok(sym_blocks_create(A, k, &blocks, &error), &error);
    int64_t bytes =
        blocks.offsets[blocks.rows] * (8 * k * k + 4) + 8 * blocks.rows * sym_blocks_triangle(k);
    sym_blocks_free(&blocks);
    return bytes;
}

START_TEST(every_entry_is_in_its_block)
{
    struct error error;
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
            struct csr A;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            for (int k = SYM_BLOCK_MIN; k <= SYM_BLOCK_MAX; k++) {
                struct sym_blocks blocks;
                if (A.n % k == 0)
                    expect_blocks(&A, k);
                else
                    expect_error(sym_blocks_create(&A, k, &blocks, &error), STATUS_CONFIG, &error,
                                 "no multiple of", NULL);
            }
            csr_free(&A);
        }
}
END_TEST

START_TEST(the_unknowns_of_a_node_are_found)
{
    struct error error;
    for (int k = 1; k <= FE_MESH_UNKNOWNS_MAX; k++) {
        struct csr A;
        struct fe_mesh mesh = {{6, 5, 4}, k, 1e-3, .seed = 1};
        expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
        /* Blocks of 8 are found as four of 4. */
        int found = sym_blocks_find(&A);
        if (k >= SYM_BLOCK_MIN && k <= SYM_BLOCK_MAX)
            ck_assert_int_eq(found, k);
        if (k == 1)
            ck_assert_int_eq(found, 0);
        if (k == 8)
            ck_assert_int_eq(found, 4);
        /* Those of 7 save next to nothing, which samples may miss. */
        ck_assert(sym_blocks_likely(&A) == (k > 1) || k == 7);
        csr_free(&A);
    }
}
END_TEST

START_TEST(a_stencil_has_no_blocks)
{
    struct error error;
    struct csr A;
    struct poisson3d poisson = {{6, 6, 10}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
    int64_t bytes;
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    ck_assert_int_eq(sym_blocks_find(&A), 0);
    ck_assert(!sym_blocks_likely(&A));
    int best = sym_blocks_best(&A, &bytes);
    ck_assert_int_ge(best, SYM_BLOCK_MIN);
    for (int k = SYM_BLOCK_MIN; k <= SYM_BLOCK_MAX; k++)
        if (A.n % k == 0)
            ck_assert_int_ge(bytes_by_blocks(&A, k), bytes);
    csr_free(&A);
    A = (struct csr){.kind = CSR_SYMMETRIC, .n = 7, .width = 7};
    ck_assert_int_eq(sym_blocks_best(&A, &bytes), 0);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct sym_blocks blocks;
    enum status status = sym_blocks_create(context, 2, &blocks, error);
    sym_blocks_free(&blocks);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    struct error error;
    struct csr A;
    struct poisson3d poisson = {{4, 3, 2}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    walk_allocation_failures(attempt, &A);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_entry_is_in_its_block, the_unknowns_of_a_node_are_found,
                            a_stencil_has_no_blocks, every_failed_allocation_is_survived, NULL};
    return suite_of("spmv/sym_blocks", tests);
}
