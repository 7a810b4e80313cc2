/* Levels by matching that are made on a GPU: those of the CPU, bit for bit, and the histories that
 * follow. */
#include "made.h"
#include "support.h"

#include "cuda_device.h"
#include "matrices.h"
#include "matrix/implicit_rows.h"
#include "matrix/near_null.h"
#include "matrix/row_kinds.h"
#include "matrix/scale.h"
#include "options.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/setup/hierarchy.h"
#include "precondition/preconditioned.h"
#include "problem/generators.h"
#include "space/trials.h"
#include "spaces.h"
#include "spmv/device_csr.h"
#include "spmv/symmetric/sym_order.h"

#include <math.h>
#include <string.h>

/* What the levels are told by. */
struct print {
    bool stalled;
    int on_grid, count, exponent;
    int64_t n[OPERATOR_LEVELS], nnz[OPERATOR_LEVELS], members[OPERATOR_LEVELS];
    double lmax[OPERATOR_LEVELS];
    uint64_t hash;
};

static struct print print_of(const struct csr *A, const struct multigrid_options *options,
                             const char *kernel, int64_t parameter)
{
    struct error error;
    struct linear_operator spmv;
    struct hierarchy hierarchy = {0};
    struct print print;
    const struct kernel *found = kernel_find(kernel);
    struct kernel_options choice = kernel_defaults(found);
    struct space *space = test_space(found->space, REDUCTIONS_REPRODUCIBLE, 0);
    memset(&print, 0, sizeof print);
    if (parameter)
        choice.values[0] = parameter;
    struct csr rows = {0};
    if (!row_kinds_known(A)) /* as a study does */
        A = device_csr_share(space, A, &rows);
    expect_ok(operator_create(found, A, &choice, space, &spmv, &error), &error);
    expect_ok(hierarchy_build("multigrid", options, A, NULL, &spmv, &hierarchy, &error), &error);
    print.stalled = hierarchy.stalled;
    print.on_grid = hierarchy.on_grid;
    print.count = hierarchy.count;
    print.exponent = hierarchy.exponent;
    print.hash = hierarchy.hash;
    for (int k = 0; k < hierarchy.count; k++) {
        print.n[k] = hierarchy.levels[k].n;
        print.nnz[k] = hierarchy.levels[k].nnz;
        print.members[k] = hierarchy.levels[k].members;
        print.lmax[k] = hierarchy.levels[k].lmax;
    }
    hierarchy_free(&hierarchy);
    device_csr_free(&rows);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return print;
}

/* What adds in the order of cpu_csr, by the first parameter: a form, or threads a row. */
static const struct {
    const char *kernel;
    int64_t parameter;
} ways[] = {{"cuda_sym_bitwise", SYM_FORM_AUTO},
            {"cuda_sym_bitwise", SYM_FORM_GENERAL},
            {"cuda_csr_subwarp", 1}};

static void compare_by(const struct csr *A, struct multigrid_options options)
{
    for (int precision = PRECISION_DOUBLE; precision <= PRECISION_FLOAT; precision++) {
        options.precision = precision;
        struct print cpu = print_of(A, &options, "cpu_sym_bitwise", 0);
        for (int w = 0; w < (int)(sizeof ways / sizeof *ways); w++) {
            if (!test_case_runs(w + precision, 3))
                continue;
            struct print cuda = print_of(A, &options, ways[w].kernel, ways[w].parameter);
            ck_assert_int_eq(cuda.stalled, cpu.stalled);
            ck_assert_int_eq(cuda.on_grid, cpu.on_grid);
            ck_assert_int_eq(cuda.count, cpu.count);
            ck_assert_mem_eq(cuda.n, cpu.n, sizeof cpu.n);
            ck_assert_mem_eq(cuda.nnz, cpu.nnz, sizeof cpu.nnz);
            ck_assert_mem_eq(cuda.members, cpu.members, sizeof cpu.members);
            ck_assert_mem_eq(cuda.lmax, cpu.lmax, sizeof cpu.lmax);
            ck_assert_int_eq(cuda.exponent, cpu.exponent);
            ck_assert(cuda.hash == cpu.hash);
        }
    }
}

static void compare_levels(const struct csr *A, enum aggregation aggregates, int64_t passes)
{
    compare_by(A, (struct multigrid_options){
                      .aggregates = aggregates, .passes = passes, .degree = 2, .coarsest = 8});
}

/* Of constants, and of vectors of any values. */
static void compare_smoothed(struct csr *A, int64_t block, int64_t width, uint64_t *state)
{
    struct multigrid_options options = {.degree = 2, .coarsest = 8, .transfer = TRANSFER_SMOOTHED};
    struct near_null near_null;
    struct error error;
    compare_by(A, options);
    double *values = memory_array(A->n * width, sizeof *values, "vectors", &error);
    ck_assert_ptr_nonnull(values);
    for (int64_t k = 0; k < A->n * width; k++)
        values[k] = 2 * test_random(state) - 1;
    expect_ok(near_null_of(A->n, block, width, values, &near_null, &error), &error);
    A->near_null = &near_null;
    compare_by(A, options);
    A->near_null = NULL;
    near_null_free(&near_null);
    memory_free(values);
}

/* 2^k A, whose cycle in single precision is in another scale. */
static void scale(struct csr *A, int k)
{
    for (int64_t e = 0; e < A->nnz; e++)
        A->values[e] = ldexp(A->values[e], k);
}

START_TEST(matrices_of_all_kinds)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    int64_t step = test_is_slow() ? 4 : 1, first = 1 + (int64_t)(state % (uint64_t)step);
    for (int t = 0; t < test_matrices_count; t++)
        for (int64_t passes = first; passes <= 4; passes += step) {
            struct csr A;
            test_matrix_build_positive(&test_matrices[t], &state, &A);
            scale(&A, passes == 2 ? 100 : 0);
            compare_levels(&A, AGGREGATION_MATCHING, passes);
            csr_free(&A);
        }
}
END_TEST

/* Poisson's equation, numbered as a grid and as none. */
START_TEST(grids)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    struct csr A, shuffled;
    make_poisson(21, 19, 17, &A);
    make_shuffled(&A, &state, &shuffled);
    compare_levels(&A, AGGREGATION_AUTO, 3);
    compare_levels(&A, AGGREGATION_MATCHING, 3);
    compare_levels(&shuffled, AGGREGATION_AUTO, 3);
    csr_free(&A);
    csr_free(&shuffled);
}
END_TEST

/* A generator's matrix, whose first level has codes in the place of rows: as long as it is a grid,
 * whatever the aggregates, and in another scale. */
START_TEST(kinds_of_rows)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    for (int trial = 0; trial < 12; trial++) {
        static const double factors[] = {1, 1, 0x1p200, 0x1p-200};
        double factor = factors[trial % 4];
        struct poisson3d poisson = {.weights = {factor, factor, trial % 3 ? factor : factor / 1024},
                                    .jump = trial % 2 ? 1e4 : 1};
        for (int axis = 0; axis < 3; axis++)
            poisson.n[axis] = 7 + test_random_below(&state, 20);
        const struct options options = {&problem_poisson3d.component, &poisson};
        struct csr A;
        struct error error;
        expect_ok(problem_shape(&options, &A, &error), &error);
        expect_ok(csr_store(&A, &error), &error);
        ck_assert(row_kinds_known(&A));
        compare_levels(&A, AGGREGATION_AUTO, 3);
        struct multigrid_options others[] = {
            {.aggregates = AGGREGATION_MATCHING, .passes = 3},
            {.transfer = TRANSFER_SMOOTHED},
            {.aggregates = AGGREGATION_AUTO, .passes = 3, .smoother = SMOOTHER_FSAI}};
        others[trial % 3].degree = 2;
        others[trial % 3].coarsest = 8;
        compare_by(&A, others[trial % 3]);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(smoothed_aggregation)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    struct csr A;
    for (int t = 0; t < test_matrices_count; t++) {
        if (!test_case_runs(t, 4))
            continue;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        compare_smoothed(&A, A.n % 2 == 0 ? 2 : 1, 1 + test_random_below(&state, NEAR_NULL_MAX),
                         &state);
        csr_free(&A);
    }
    make_poisson(21, 19, 17, &A);
    compare_smoothed(&A, 1, 1, &state);
    csr_free(&A);
    make_brick(11, 10, 9, 3, &A);
    compare_smoothed(&A, 3, 6, &state);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A grid that is left at its first level, or at its second. */
START_TEST(torn_grids)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    for (int64_t size = 1; size <= 2; size++) {
        struct csr A;
        make_phases(&(struct phases){{21, 19, 17}, size, 1e6, 1}, &state, &A);
        compare_levels(&A, AGGREGATION_AUTO, 3);
        csr_free(&A);
    }
}
END_TEST

/* Leaves, which come to the host to join their hubs, and what has too few pairs for a level. */
START_TEST(matchings_that_stall)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    for (int k = 0; k < 2; k++) {
        struct csr A, shuffled;
        if (k == 0)
            make_hubs(300, 30, &A);
        else
            make_unmatched(5000, &A);
        make_shuffled(&A, &state, &shuffled);
        for (int64_t passes = 1; passes <= 4; passes++)
            compare_levels(&shuffled, AGGREGATION_AUTO, passes);
        csr_free(&A);
        csr_free(&shuffled);
    }
}
END_TEST

/* Nodes of one unknown; the second mesh has more rows than a block of threads makes at once. */
static void make_mesh(int which, uint64_t *state, struct csr *A)
{
    static const int64_t boxes[][3] = {{23, 19, 1}, {83, 71, 1}, {13, 12, 11}};
    struct error error;
    struct fe_mesh mesh = {
        {boxes[which][0], boxes[which][1], boxes[which][2]}, 1, 1e-3, (int64_t)(*state >> 1), 0, 0};
    test_random(state);
    mesh.diagonals = FE_MESH_RANDOM_DIAGONALS;
    mesh.numbering = FE_MESH_RANDOM_NUMBERING;
    expect_ok(fe_mesh_create(&mesh, A, &error), &error);
}

START_TEST(meshes)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    for (int which = 0; which < 3; which++)
        for (int64_t passes = 1; passes <= 4; passes++) {
            struct csr A;
            if (!test_case_runs(which + passes, 4))
                continue;
            make_mesh(which, &state, &A);
            compare_levels(&A, AGGREGATION_AUTO, passes);
            csr_free(&A);
        }
}
END_TEST

static struct preconditioned_history cpu, cuda;

/* With one thread a row cuda_csr_subwarp adds in the order of cpu_sym_bitwise too. */
static void compare_histories(const struct csr *A, const char *kernel, const char *precision)
{
    double *b = randoms(A->n, 5), *x = vector(A->n), *y = vector(A->n);
    struct preconditioned choice = {
        .kernel = "cpu_sym_bitwise", .reductions = REDUCTIONS_REPRODUCIBLE, .tolerance = 1e-8};
    choice.options = test_options(COMPONENT_PRECONDITIONER, "multigrid", precision,
                                  "aggregates=matching", "coarsest=8", NULL);
    solve_preconditioned(&choice, A, b, &cpu, x);
    choice.kernel = kernel;
    choice.parameter = strcmp(kernel, "cuda_csr_subwarp") == 0;
    solve_preconditioned(&choice, A, b, &cuda, y);
    expect_same_history(&cpu, &cuda, precision);
    expect_same_vectors(x, y, A->n, "solutions");
    options_free(&choice.options);
    memory_free(b);
    memory_free(x);
    memory_free(y);
}

START_TEST(histories)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    for (int which = 0; which < 4; which++) {
        struct csr A;
        if (!test_case_runs(which, 2))
            continue;
        if (which < 3)
            make_mesh(which, &state, &A);
        else
            make_poisson(21, 19, 17, &A);
        compare_histories(&A, "cuda_sym_bitwise", "precision=double");
        compare_histories(&A, "cuda_sym_bitwise", "precision=float");
        scale_values(NULL, A.nnz, 80, A.values, A.values); /* the cycle scales it back */
        compare_histories(&A, "cuda_sym_bitwise", "precision=float");
        compare_histories(&A, "cuda_csr_subwarp", "precision=float");
        csr_free(&A);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {matrices_of_all_kinds,
                            smoothed_aggregation,
                            grids,
                            kinds_of_rows,
                            torn_grids,
                            matchings_that_stall,
                            meshes,
                            histories,
                            NULL};
    return suite_of("precondition/multigrid/setup_cuda", tests);
}
