/* Rows that are made in a device's memory are those of the host, and so are blocks. Without a
 * device nothing is run, and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "problem/fe_mesh.h"
#include "problem/poisson3d.h"
#include "problem/problem.h"
#include "spaces.h"
#include "spmv/csr_there.h"
#include "spmv/host_product.h"
#include "spmv/upper/sym_blocks.h"
#include "spmv/upper/sym_order.h"

#include <stdio.h>
#include <string.h>

static const struct poisson3d trials[] = {{{9, 8, 7}, {1, 1, 1}, 1, 0},
                                          {{31, 1, 5}, {1, 0.3, 1e-3}, 1e4, 0.1},
                                          {{1, 1, 40}, {2, 1, 1}, 1, 0},
                                          {{16, 12, 20}, {1, 0, 3}, 1e-3, -1},
                                          {{64, 64, 64}, {1, 1, 1}, 1e6, 0}};

/* A as the host has made it, by the problem with these options. */
static void expect_rows(struct space *space, const struct problem *problem, const void *options,
                        struct csr *A)
{
    struct error error;
    struct csr there, back;
    A->maker = problem->maker;
    A->maker_options = options;
    ck_assert(A->maker);
    expect_ok(csr_there_bring(space, A, &there, &error), &error);
    expect_ok(csr_there_fetch(space, &there, &back, &error), &error);
    ck_assert(csr_hash(A) == csr_hash(&back));
    csr_there_free(space, &there);
    csr_free(&back);
    csr_free(A);
}

START_TEST(poisson_has_the_rows_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
        struct error error;
        struct csr A;
        expect_ok(poisson3d_create(&trials[t], &A, &error), &error);
        expect_rows(space, &problem_poisson3d, &trials[t], &A);
    }
    space->operations->destroy(space);
}
END_TEST

START_TEST(meshes_have_the_rows_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    static const int64_t boxes[][3] = {{9, 8, 7}, {31, 17, 0}, {1, 1, 1}, {2, 1, 9}, {20, 21, 22}};
    uint64_t state = test_seed();
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
        for (int64_t unknowns = 1; unknowns <= FE_MESH_UNKNOWNS_MAX; unknowns++) {
            struct error error;
            struct csr A;
            struct fe_mesh mesh = {{boxes[b][0], boxes[b][1], boxes[b][2]},
                                   unknowns,
                                   1e-3 + test_random(&state),
                                   (int64_t)(state >> 1),
                                   unknowns % 2 ? FE_MESH_REGULAR : FE_MESH_RANDOM_DIAGONALS,
                                   FE_MESH_NATURAL};
            expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
            expect_rows(space, mesh.n[2] ? &problem_fe_cube : &problem_fe_sheet, &mesh, &A);
        }
    space->operations->destroy(space);
}
END_TEST

/* By blocks of k x k: some entries are taken out, so that a block is not full. */
static void make_blocks(int k, enum csr_kind kind, uint64_t *state, struct csr *A)
{
    struct error error;
    struct fe_mesh mesh = {{9, 8, 7}, k, 1, .seed = 1};
    expect_ok(fe_mesh_create(&mesh, A, &error), &error);
    int64_t to = 0, p = 0;
    for (int64_t i = 0; i < A->n; i++) {
        int64_t end = A->offsets[i + 1];
        A->offsets[i] = to;
        for (; p < end; p++) {
            bool diagonal = A->columns[p] == i;
            if (!diagonal && test_random(state) < 0.05)
                continue;
            A->columns[to] = A->columns[p];
            A->values[to++] = diagonal && kind == CSR_SKEW ? 0 : A->values[p];
        }
    }
    A->kind = kind;
    A->nnz = A->offsets[A->n] = to;
}

static void expect_blocks(struct space *space, const struct csr *A, int k, enum precision precision)
{
    static const int64_t forms[] = {SYM_FORM_AUTO, SYM_FORM_BLOCKS};
    static const char *const kernels[] = {"cpu_sym_bitwise", "cuda_sym_bitwise"};
    struct space *cpu = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    double *x = host_vector(A->n), *y = host_vector(A->n), *z = host_vector(A->n);
    uint64_t state = 7;
    host_randomise(x, A->n, &state);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        struct kernel_options options = {
            {[SYM_FORM] = forms[f], [SYM_PRECISION] = (int64_t)precision}};
        struct linear_operator spmv[2];
        struct error error;
        char wanted[64];
        for (int s = 0; s < 2; s++)
            expect_ok(operator_create(kernel_find(kernels[s]), A, &options, s ? space : cpu,
                                      &spmv[s], &error),
                      &error);
        ck_assert(spmv[1].made_there);
        snprintf(wanted, sizeof wanted, "blocks of %d x %d", k, k);
        ck_assert_msg(strstr(spmv[1].description, wanted), "%s", spmv[1].description);
        host_product(&spmv[0], x, y, NULL);
        host_product(&spmv[1], x, z, NULL);
        expect_same_bits("blocks", wanted, 0, A->n, y, z);
        operator_destroy(&spmv[0]);
        operator_destroy(&spmv[1]);
    }
    memory_free(x);
    memory_free(y);
    memory_free(z);
    cpu->operations->destroy(cpu);
}

START_TEST(blocks_are_those_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (int k = 3; k <= SYM_BLOCK_MAX; k++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
            struct csr A;
            make_blocks(k, kind, &state, &A);
            ck_assert_int_eq(sym_blocks_find(&A), k);
            for (enum precision p = PRECISION_DOUBLE; p <= PRECISION_FLOAT_DOUBLE; p++)
                expect_blocks(space, &A, k, p);
            csr_free(&A);
        }
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {poisson_has_the_rows_of_the_host, meshes_have_the_rows_of_the_host,
                            blocks_are_those_of_the_host, NULL};
    return suite_of("spmv/there_cuda", tests);
}
