/* The small levels of a cycle in one launch on a GPU: the bits of the passes and products one by
 * one, of levels that are kept as all others, and of the CPU. */
#include "made.h"
#include "support.h"

#include "base/cuda_part.h"
#include "cuda_device.h"
#include "options.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/made_cuda.h"
#include "precondition/preconditioned.h"
#include "solver/solve.h"
#include "space/trials.h"
#include "spaces.h"
#include "spmv/symmetric/sym_order.h"

#include <math.h>
#include <string.h>

/* Of the preconditioner. */
struct way {
    const char *precision, *aggregates, *degree, *coarsest;
};

static void make(const struct csr *A, const struct way *way, bool apart, struct made *made)
{
    *made =
        (struct made){.options = test_options(COMPONENT_PRECONDITIONER, "multigrid", way->precision,
                                              way->aggregates, way->degree, way->coarsest, NULL)};
    made_create(A, NULL, REDUCTIONS_REPRODUCIBLE, apart, made);
}

/* The levels behind the first that are small enough. */
static void expect_tail(const struct csr *A, struct made *made)
{
    const struct multigrid *m = multigrid_of(made);
    const struct fused_levels_limits limits = fused_levels_limits(
        &made->spmv, made->options.values, hierarchy_coarsest(made->options.values, A));
    int first = 1;
    for (; first < m->hierarchy.count; first++) {
        const struct level *level = &m->hierarchy.levels[first];
        if (level->n <= limits.rows && 2 * level->nnz - level->n <= limits.entries)
            break;
    }
    ck_assert_int_eq(m->fused_levels.count > 0, first < m->hierarchy.count);
    if (m->fused_levels.count > 0)
        ck_assert_int_eq(m->fused_levels.first, first);
}

static void expect_same_levels(struct made *one, struct made *two)
{
    const struct hierarchy *a = hierarchy_of(one), *b = hierarchy_of(two);
    ck_assert_int_eq(a->count, b->count);
    ck_assert(a->hash == b->hash);
    for (int k = 0; k < a->count; k++)
        ck_assert_mem_eq(&a->levels[k].lmax, &b->levels[k].lmax, sizeof a->levels[k].lmax);
    ck_assert_int_eq(one->M.products, two->M.products);
    ck_assert(one->M.bytes_per_apply > 0 && one->M.memory_bytes > 0);
}

/* by_sizes: what the levels' rows and entries say makes fused levels.
 *
 * Twice, lest the second find what the first left; then by its passes; then as other levels are. */
static void compare(const struct csr *A, const struct way *way, bool by_sizes)
{
    struct made made, apart;
    int64_t n = A->n;
    double *z = vector(n + 1), *again = vector(n + 1);
    make(A, way, false, &made);
    if (by_sizes)
        expect_tail(A, &made);
    made_apply(&made, true, z);
    made_apply(&made, true, again);
    expect_same_vectors(again, z, n + 1, "fused levels, once more");
    multigrid_of(&made)->fused_levels.count = 0;
    made_apply(&made, true, again);
    expect_same_vectors(again, z, n + 1, "fused levels, and their passes");
    make(A, way, true, &apart);
    ck_assert_int_eq(multigrid_of(&apart)->fused_levels.count, 0);
    expect_same_levels(&made, &apart);
    made_apply(&apart, true, again);
    expect_same_vectors(again, z, n + 1, "fused levels, and other forms of them");
    apply_once(&made.options, 0, A, made.host, again, again + n);
    expect_same_vectors(again, z, n + 1, "a GPU's fused levels, and a CPU");
    made_destroy(&made);
    made_destroy(&apart);
    memory_free(z);
    memory_free(again);
}

static const char *const precisions[] = {"precision=double", "precision=float"};

/* In both precisions, as a grid and by matching, of some degrees. */
static void compare_all(struct csr *A)
{
    static const char *const degrees[] = {"degree=2", "degree=4", "degree=2", "degree=6"};
    for (int k = 0; k < 4; k++) {
        struct way way = {precisions[k % 2], k < 2 ? "aggregates=auto" : "aggregates=matching",
                          degrees[k], k % 3 ? "coarsest=8" : "coarsest=128"};
        compare(A, &way, true);
    }
    csr_free(A);
}

/* Boxes with odd sides, one cell thick, and lines. */
START_TEST(poisson)
{
    if (!cuda_device_is_there())
        return;
    static const int64_t boxes[][3] = {{5, 4, 3},   {37, 29, 1}, {1, 37, 29},  {700, 1, 1},
                                       {3, 3, 400}, {21, 13, 7}, {101, 67, 1}, {33, 31, 29}};
    struct csr A;
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++) {
        make_poisson(boxes[k][0], boxes[k][1], boxes[k][2], &A);
        compare_all(&A);
    }
}
END_TEST

/* Nodes of several unknowns, of a sheet and of a cube, on a grid and of a random numbering. */
START_TEST(meshes)
{
    if (!cuda_device_is_there())
        return;
    static const int64_t boxes[][3] = {{31, 27, 1}, {9, 8, 7}};
    uint64_t state = test_seed();
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
        for (int64_t unknowns = 1; unknowns <= 5; unknowns += 2) {
            struct error error;
            struct csr A;
            struct fe_mesh mesh = {.unknowns = unknowns, .shift = 1e-3, .seed = state >> 1};
            memcpy(mesh.n, boxes[b], sizeof mesh.n);
            mesh.diagonals = FE_MESH_RANDOM_DIAGONALS;
            if (test_random(&state) < 0.5)
                mesh.numbering = FE_MESH_RANDOM_NUMBERING;
            expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
            compare_all(&A);
        }
}
END_TEST

/* Level 1 of as many rows as a cluster of 16 blocks or 8 fuses at the most, and of more;
 * and of more entries than that of 16. */
START_TEST(around_the_limits)
{
    if (!cuda_device_is_there())
        return;
    static const int64_t boxes[][3] = {{64, 64, 32}, {65, 64, 32}, {64, 32, 32}, {65, 32, 32}};
    const struct way way = {precisions[0], "aggregates=auto", "degree=2", "coarsest=128"};
    struct csr A;
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++) {
        make_poisson(boxes[k][0], boxes[k][1], boxes[k][2], &A);
        compare(&A, &way, true);
        csr_free(&A);
    }
    for (int64_t side = 18; side <= 19; side++) {
        make_brick(side, side, side, 5, &A);
        compare(&A, &way, true);
        csr_free(&A);
    }
}
END_TEST

/* So many of A beside each other, with nothing between them. */
static void make_copies(const struct csr *A, int64_t count, struct csr *copies)
{
    struct error error;
    expect_ok(csr_create(copies, CSR_SYMMETRIC, count * A->n, count * A->nnz, &error), &error);
    for (int64_t c = 0; c < count; c++) {
        for (int64_t i = 0; i <= A->n; i++)
            copies->offsets[c * A->n + i] = c * A->nnz + A->offsets[i];
        for (int64_t k = 0; k < A->nnz; k++) {
            copies->columns[c * A->nnz + k] = A->columns[k] + (int32_t)(c * A->n);
            copies->values[c * A->nnz + k] = A->values[k];
        }
    }
}

/* What has no couplings left and more rows than are solved; of nodes of 3 unknowns, which all lie
 * in an aggregate, and of 5 that are one cell. */
START_TEST(last_levels_that_are_smoothed)
{
    if (!cuda_device_is_there())
        return;
    for (int64_t count = 1; count <= 500; count = 17 * count + 11) {
        struct csr one, A;
        make_brick(2, 2, 2, count > 1 ? 3 : 5, &one);
        make_copies(&one, count, &A);
        for (int k = 0; k < 2; k++) {
            const struct way way = {precisions[k],
                                    count > 1 ? "aggregates=matching" : "aggregates=grid",
                                    k == 0 && count > 100 ? "degree=2" : "degree=4", "coarsest=1"};
            struct made made;
            make(&A, &way, false, &made);
            ck_assert(!hierarchy_of(&made)->coarsest_inverse);
            made_destroy(&made);
            compare(&A, &way, true);
        }
        csr_free(&one);
        csr_free(&A);
    }
}
END_TEST

/* A line, and one row more that all of it is coupled to. */
static void make_hub(int64_t length, struct csr *A)
{
    struct error error;
    int64_t n = length + 1, nnz = 0;
    expect_ok(csr_create(A, CSR_SYMMETRIC, n, 3 * length, &error), &error);
    for (int64_t i = 0; i < n; i++) {
        A->offsets[i] = nnz;
        A->columns[nnz] = (int32_t)i;
        A->values[nnz++] = i < length ? 2.125 : 0.01 * (double)n;
        if (i + 1 < length) {
            A->columns[nnz] = (int32_t)i + 1;
            A->values[nnz++] = -1 - 0x1p-10 * (double)(i % 7);
        }
        if (i < length) {
            A->columns[nnz] = (int32_t)length;
            A->values[nnz++] = -0x1p-8;
        }
    }
    ck_assert_int_eq(nnz, A->nnz);
    A->offsets[n] = nnz;
}

/* A row that is too long for the form of small levels has its level kept as others are. */
START_TEST(a_long_row)
{
    if (!cuda_device_is_there())
        return;
    struct csr A;
    make_hub(20000, &A);
    for (int k = 0; k < 2; k++) {
        const struct way way = {precisions[k], "aggregates=matching", "degree=2", "coarsest=8"};
        struct made made;
        make(&A, &way, false, &made);
        ck_assert_int_eq(multigrid_of(&made)->fused_levels.first, 2);
        made_destroy(&made);
        compare(&A, &way, false);
    }
    csr_free(&A);
}
END_TEST

/* One level; a solve of more rows than fused levels have; another order of additions. */
START_TEST(without_a_tail)
{
    if (!cuda_device_is_there())
        return;
    static const struct way ways[] = {
        {"precision=double", "aggregates=auto", "degree=2", "coarsest=128"},
        {"precision=float", "aggregates=auto", "degree=2", "coarsest=800"}};
    struct error error;
    struct csr A;
    struct made made;
    for (int k = 0; k < 2; k++) {
        make_poisson(k ? 16 : 5, 5, k ? 17 : 5, &A);
        make(&A, &ways[k], false, &made);
        ck_assert_int_eq(multigrid_of(&made)->fused_levels.count, 0);
        made_destroy(&made);
        compare(&A, &ways[k], true);
        csr_free(&A);
    }
    make_poisson(16, 15, 17, &A);
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    struct options options = test_options(COMPONENT_PRECONDITIONER, "multigrid", NULL);
    struct linear_operator spmv, M;
    expect_ok(operator_create(kernel_find("cuda_csr_subwarp"), &A, NULL, space, &spmv, &error),
              &error);
    expect_ok(preconditioner_create(&options, &A, NULL, &spmv, &M, &error), &error);
    ck_assert_int_eq(((struct multigrid *)M.state)->fused_levels.count, 0);
    operator_destroy(&M);
    operator_destroy(&spmv);
    options_free(&options);
    space->operations->destroy(space);
    csr_free(&A);
}
END_TEST

/* x of the first fused level is NaN before, and behind it; of singles two of them are one. */
START_TEST(what_has_ended_stays)
{
    if (!cuda_device_is_there())
        return;
    struct csr A;
    make_poisson(21, 13, 7, &A);
    double *z = vector(A.n + 1);
    for (int k = 0; k < 2; k++) {
        const struct way way = {precisions[k], "aggregates=auto", "degree=2", "coarsest=8"};
        struct made made;
        struct error error;
        double one = 1; /* no bit pattern of 0 */
        make(&A, &way, false, &made);
        const struct level *level = &hierarchy_of(&made)->levels[1];
        double *ended = put(made.space, 1, &one);
        poison(z, level->n);
        expect_ok(space_upload(made.space, level->n / (k + 1), z, level->x, &error), &error);
        made.space->ended = (const int64_t *)ended;
        expect_ok(CUDA_PART(fused_levels_run_cuda)(made.space, &multigrid_of(&made)->fused_levels,
                                                   k, &error),
                  &error);
        expect_ok(space_download(made.space, level->n / (k + 1), level->x, z, &error), &error);
        for (int64_t i = 0; i < level->n / (k + 1); i++)
            ck_assert(isnan(z[i]));
        made.space->ended = NULL;
        space_release(made.space, ended);
        made_destroy(&made);
    }
    memory_free(z);
    csr_free(&A);
}
END_TEST

static struct preconditioned_history cpu, cuda;

/* In graphs that are recorded and replayed. */
START_TEST(histories)
{
    if (!cuda_device_is_there())
        return;
    struct csr A;
    make_brick(11, 10, 9, 3, &A);
    double *b = randoms(A.n, 5), *x = vector(A.n), *y = vector(A.n);
    for (int k = 0; k < 2; k++) {
        struct preconditioned choice = {
            .kernel = "cpu_sym_bitwise", .reductions = REDUCTIONS_REPRODUCIBLE, .tolerance = 1e-8};
        choice.options = test_options(COMPONENT_PRECONDITIONER, "multigrid", precisions[k], NULL);
        solve_preconditioned(&choice, &A, b, &cpu, x);
        choice.kernel = "cuda_sym_bitwise";
        solve_preconditioned(&choice, &A, b, &cuda, y);
        expect_same_history(&cpu, &cuda, precisions[k]);
        expect_same_vectors(x, y, A.n, "solutions");
        options_free(&choice.options);
    }
    memory_free(b);
    memory_free(x);
    memory_free(y);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {
        poisson,    meshes,         around_the_limits,    last_levels_that_are_smoothed,
        a_long_row, without_a_tail, what_has_ended_stays, histories,
        NULL};
    return suite_of("precondition/multigrid/fused_levels_cuda", tests);
}
