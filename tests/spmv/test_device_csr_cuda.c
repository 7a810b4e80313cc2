/* Rows that are made in a device's memory are those of the host, and so are the forms of a kernel
 * that are made of such rows. Without a device nothing is run, and it says why. */
#include "made.h"
#include "support.h"

#include "base/cuda_part.h"
#include "base/hash.h"
#include "cuda_device.h"
#include "matrices.h"
#include "matrix/implicit_rows.h"
#include "spaces.h"
#include "spmv/device_csr.h"
#include "spmv/host_product.h"
#include "spmv/kernel.h"
#include "spmv/precision.h"
#include "spmv/sym_matrices.h"
#include "spmv/symmetric/blocks/sym_blocks.h"
#include "spmv/symmetric/sym_order.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct poisson3d trials[] = {
    {{9, 8, 7}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET},
    {{31, 1, 5}, {1, 0.3, 1e-3}, 1e4, 0.1, POISSON3D_DIRICHLET},
    {{1, 1, 40}, {2, 1, 1}, 1, 0, POISSON3D_DIRICHLET},
    {{16, 12, 20}, {1, 0, 3}, 1e-3, -1, POISSON3D_DIRICHLET},
    {{64, 64, 64}, {1, 1, 1}, 1e6, 0, POISSON3D_DIRICHLET}};

static void expect_some_rows(struct space *space, const struct csr *A, int64_t first, int64_t last)
{
    struct error error;
    struct csr on_device, back, here;
    expect_ok(device_csr_make_rows(space, A, first, last, &on_device, &error), &error);
    expect_ok(device_csr_fetch(&on_device, &back, &error), &error);
    expect_ok(csr_make_rows(A, first, last, &here, &error), &error);
    ck_assert_int_eq(on_device.width, here.width);
    ck_assert_uint_eq(csr_hash(&back), csr_hash(&here));
    device_csr_free(&on_device);
    csr_free(&back);
    csr_free(&here);
}

static void expect_survey(struct space *space, const struct csr *A)
{
    struct error error;
    struct csr made = *A;
    int64_t zeros = 0, blocks = csr_hash_blocks(A);
    uint64_t hash = csr_hash_head(A), *hashes = memory_array(blocks, sizeof *hashes, "", &error);
    made.offsets = NULL;
    made.columns = NULL;
    made.values = NULL;
    int64_t half = blocks / 2;
    expect_ok(CUDA_PART(device_csr_count_and_hash_blocks)(space, &made, half, blocks - half,
                                                          hashes + half, &zeros, &error),
              &error);
    expect_ok(
        CUDA_PART(device_csr_count_and_hash_blocks)(space, &made, 0, half, hashes, &zeros, &error),
        &error);
    for (int64_t k = 0; k < blocks; k++)
        hash = hash_word(hash, hashes[k]);
    ck_assert_uint_eq(hash, csr_hash(A));
    ck_assert_int_eq(csr_nnz_full(A) - zeros, csr_entries(A));
    memory_free(hashes);
}

/* A as the host has made it, by the problem with these options. */
static void expect_rows(struct space *space, const struct problem *problem, const void *options,
                        struct csr *A)
{
    struct error error;
    struct csr on_device, back;
    A->maker = problem->maker;
    A->maker_options = options;
    ck_assert(A->maker);
    expect_ok(device_csr_bring(space, A, &on_device, &error), &error);
    expect_ok(device_csr_fetch(&on_device, &back, &error), &error);
    ck_assert(csr_hash(A) == csr_hash(&back));
    device_csr_free(&on_device);
    csr_free(&back);
    for (int part = 0; part < 4; part++)
        expect_some_rows(space, A, A->n * part / 7, A->n * (part + 3) / 7);
    expect_survey(space, A);
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

START_TEST(elastic_bodies_have_the_rows_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    static const struct elasticity3d bodies[] = {
        {{4}, ELASTICITY3D_CUBE, {1, 1, 1}, 0.25, 1, ELASTICITY3D_CLAMPED},
        {{3}, ELASTICITY3D_BEAM, {1, 0.5, 0.3}, 0.3, 1e3, ELASTICITY3D_CLAMPED},
        {{2}, ELASTICITY3D_PLATE, {1, 1, 0.1}, -0.4, 0.1, ELASTICITY3D_CLAMPED},
        {{7, 9, 40}, ELASTICITY3D_CUBE, {1, 1, 1}, 0.49, 7, ELASTICITY3D_CLAMPED},
        {{1, 1, 1}, ELASTICITY3D_CUBE, {1, 1, 1}, 0, 1, ELASTICITY3D_CLAMPED},
        {{5, 3, 6}, ELASTICITY3D_CUBE, {1, 2, 1}, 0.2, 9, ELASTICITY3D_FREE}};
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
        struct error error;
        struct csr A;
        expect_ok(problem_create(&problem_elasticity3d, &bodies[b], &A, &error), &error);
        expect_rows(space, &problem_elasticity3d, &bodies[b], &A);
    }
    space->operations->destroy(space);
}
END_TEST

/* ---- cuda_sym_bitwise ------------------------------------------------------------------------ */

static const struct kernel *kernel(void)
{
    return kernel_find("cuda_sym_bitwise");
}

static void expect_same_products(const char *name, struct linear_operator *a,
                                 struct linear_operator *b, bool floats, uint64_t *state)
{
    int64_t n = a->n;
    double *x = host_vector(n), *y = host_vector(n), *wanted = host_vector(n), dot, wanted_dot;
    host_randomise(x, n, state);
    host_product(a, x, y, NULL);
    host_product(b, x, wanted, NULL);
    expect_same_bits(name, "product", 0, n, wanted, y);
    host_product(a, x, y, &dot);
    host_product(b, x, wanted, &wanted_dot);
    expect_same_bits(name, "product with dot", 0, n, wanted, y);
    ck_assert_msg(dot == wanted_dot, "%s: x . y = %a, not %a", name, dot, wanted_dot);
    if (floats) {
        host_product_float(a, x, y);
        host_product_float(b, x, wanted);
        expect_same_bits(name, "product of singles", 0, n, wanted, y);
    }
    memory_free(x);
    memory_free(y);
    memory_free(wanted);
}

/* Whether a row of the upper triangle, or a column, has more than 4096 entries. */
static bool has_long_row(const struct csr *A)
{
    int64_t longest = 0, *columns = memory_zeros(A->n, sizeof *columns, "counts", NULL);
    for (int64_t i = 0; i < A->n; i++) {
        int64_t length = A->offsets[i + 1] - A->offsets[i];
        longest = length > longest ? length : longest;
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++)
            if (++columns[A->columns[k]] > longest)
                longest = columns[A->columns[k]];
    }
    memory_free(columns);
    return longest > 4096;
}

/* From A on the device or on the host, it is one operator; or the host makes it, where a row is
 * long. *staged counts those that are staged. */
static void try_options(const char *name, const struct csr *A, struct space *space,
                        const struct kernel_options *options, enum precision precision, int *staged,
                        uint64_t *state)
{
    struct error error;
    struct csr rows;
    struct linear_operator here, on_device;
    expect_ok(operator_create(kernel(), A, options, space, &here, &error), &error);
    expect_ok(device_csr_bring(space, A, &rows, &error), &error);
    expect_ok(operator_create(kernel(), &rows, options, space, &on_device, &error), &error);
    device_csr_free(&rows);
    bool stages = strstr(here.description, "staged") != NULL;
    bool entries = strncmp(here.description, "rows, ", 6) == 0 && !stages;
    bool left = entries && has_long_row(A);
    ck_assert_msg(on_device.made_on_device != left, "%s: %s", name, here.description);
    *staged += stages;
    ck_assert_str_eq(on_device.description, here.description);
    ck_assert_int_eq(on_device.memory_bytes, here.memory_bytes);
    ck_assert_int_eq(on_device.bytes_per_apply, here.bytes_per_apply);
    expect_same_products(name, &on_device, &here, precision == PRECISION_FLOAT, state);
    operator_destroy(&on_device);
    operator_destroy(&here);
}

static int try_matrix(const char *name, const struct csr *A, struct space *space, uint64_t *state)
{
    int staged = 0;
    for (int p = 0; p < PRECISIONS; p++)
        for (int never = 0; never <= 1; never++)
            for (int general = 0; general <= 1; general++) {
                struct kernel_options options = {
                    {[SYM_FORM] = general ? SYM_FORM_GENERAL : SYM_FORM_AUTO,
                     [SYM_COMPRESS] = never}};
                ck_assert(choose_precision(kernel(), (enum precision)p, &options));
                try_options(name, A, space, &options, (enum precision)p, &staged, state);
            }
    return staged;
}

START_TEST(forms_of_every_structure_are_those_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    uint64_t state = test_seed();
    struct csr A;
    for (int m = 0; m < test_matrices_count; m++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            try_matrix(test_matrices[m].name, &A, space, &state);
            csr_free(&A);
        }
    for (int k = 0; k < sym_matrices_count(); k += test_is_slow() ? 5 : 1) {
        const char *name = sym_matrix(k, &state, &A);
        try_matrix(name, &A, space, &state);
        csr_free(&A);
    }
    space->operations->destroy(space);
}
END_TEST

static void unstructured(int64_t nx, int64_t ny, int64_t nz, uint64_t *state, struct csr *A)
{
    struct error error;
    struct fe_mesh mesh = {{nx, ny, nz},
                           1,
                           1e-3,
                           .seed = test_random_below(state, 1000),
                           .diagonals = FE_MESH_RANDOM_DIAGONALS};
    expect_ok(fe_mesh_create(&mesh, A, &error), &error);
}

static void make_skew(struct csr *A)
{
    A->kind = CSR_SKEW;
    for (int64_t i = 0; i < A->n; i++)
        A->values[A->offsets[i]] = 0;
}

/* Too few entries to be brought by set-up itself: it makes the form on the host. */
START_TEST(staged_entries_are_those_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    uint64_t state = test_seed();
    for (int trial = 0; trial < 8; trial++) {
        struct csr A;
        unstructured(61 + trial / 2, trial % 2 ? 13 : 67, trial % 2 ? 9 : 0, &state, &A);
        if (trial >= 4)
            make_skew(&A);
        ck_assert_int_gt(try_matrix("a mesh", &A, space, &state), 0);
        csr_free(&A);
    }
    space->operations->destroy(space);
}
END_TEST

/* From rows that several set-ups share. */
START_TEST(large_meshes_are_staged_there)
{
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    uint64_t state = test_seed();
    for (int skew = 0; skew <= 1; skew++) {
        struct error error;
        struct linear_operator spmv;
        struct csr A, rows, back;
        unstructured(300, 257, 0, &state, &A);
        if (skew)
            make_skew(&A);
        ck_assert(device_csr_share(space, &A, &rows) == &rows && rows.host == &A);
        expect_ok(operator_create(kernel(), &rows, NULL, space, &spmv, &error), &error);
        ck_assert(spmv.made_on_device && strstr(spmv.description, "staged"));
        expect_ok(device_csr_fetch(&rows, &back, &error), &error);
        ck_assert(csr_hash(&A) == csr_hash(&back));
        device_csr_free(&rows);
        double *x = host_vector(A.n), *y = host_vector(A.n), *wanted = host_vector(A.n);
        host_randomise(x, A.n, &state);
        csr_multiply(&A, x, wanted);
        host_product(&spmv, x, y, NULL);
        expect_same_bits("cuda_sym_bitwise", "a large mesh", 0, A.n, wanted, y);
        memory_free(x);
        memory_free(y);
        memory_free(wanted);
        operator_destroy(&spmv);
        csr_free(&back);
        csr_free(&A);
    }
    space->operations->destroy(space);
}
END_TEST

/* A row of more entries than a lane walks, and a column of so many. */
START_TEST(long_rows_are_left_to_the_host)
{
    enum { N = 20000 };
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    uint64_t state = test_seed();
    for (int last = 0; last <= 1; last++) {
        struct error error;
        struct csr A;
        expect_ok(csr_create(&A, CSR_SYMMETRIC, N, 2 * N - 1, &error), &error);
        int64_t nnz = 0;
        for (int64_t i = 0; i < N; i++) {
            A.offsets[i] = nnz;
            for (int64_t j = i; j < N; j++)
                if (j == i || (last ? j == N - 1 : i == 0)) {
                    A.columns[nnz] = (int32_t)j;
                    A.values[nnz++] = 2 * test_random(&state) - 1;
                }
        }
        A.offsets[N] = nnz;
        ck_assert_int_eq(try_matrix(last ? "a column" : "a row", &A, space, &state), 0);
        csr_free(&A);
    }
    space->operations->destroy(space);
}
END_TEST

/* Of rows that are made on the device. */
START_TEST(codes_need_no_stored_matrix)
{
    if (!cuda_device_is_there())
        return;
    static const struct poisson3d poisson = {{30, 31, 29}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
    const struct kernel_options general = {{[SYM_FORM] = SYM_FORM_GENERAL}};
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 2);
    uint64_t state = test_seed();
    struct error error;
    struct csr A, made;
    struct linear_operator stored, unstored;
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    made = csr_made(A.kind, A.n, problem_poisson3d.maker, &poisson);
    expect_ok(operator_create(kernel(), &A, &general, space, &stored, &error), &error);
    expect_ok(operator_create(kernel(), &made, &general, space, &unstored, &error), &error);
    ck_assert(unstored.made_on_device && strstr(unstored.description, "codes"));
    ck_assert_str_eq(unstored.description, stored.description);
    expect_same_products("poisson3d", &unstored, &stored, false, &state);
    operator_destroy(&stored);
    operator_destroy(&unstored);
    csr_free(&A);
    space->operations->destroy(space);
    ck_assert_int_eq(memory_live(), 0);
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
        ck_assert(spmv[1].made_on_device);
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
    const TTest *tests[] = {poisson_has_the_rows_of_the_host,
                            elastic_bodies_have_the_rows_of_the_host,
                            meshes_have_the_rows_of_the_host,
                            blocks_are_those_of_the_host,
                            forms_of_every_structure_are_those_of_the_host,
                            staged_entries_are_those_of_the_host,
                            large_meshes_are_staged_there,
                            long_rows_are_left_to_the_host,
                            codes_need_no_stored_matrix,
                            NULL};
    return suite_of("spmv/device_csr_cuda", tests);
}
