/* The levels of multigrid: the same everywhere, each one the matrix of aggregates, and what is
 * refused. */
#include "csr_check.h"
#include "made.h"
#include "support.h"

#include "matrices.h"
#include "options.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/setup/hierarchy.h"
#include "spaces.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the levels are told by. */
struct print {
    bool stalled;
    int on_grid, count;
    int64_t n[OPERATOR_LEVELS];
    double lmax[OPERATOR_LEVELS];
    uint64_t hash;
    double complexity;
};

static const struct multigrid_options usual = {
    .aggregates = AGGREGATION_AUTO, .passes = 3, .degree = 2, .coarsest = 8};

static struct print print_of(const struct csr *A, const struct multigrid_options *options,
                             const char *kernel, int threads)
{
    struct error error;
    struct linear_operator spmv;
    struct hierarchy hierarchy = {0};
    struct print print = {0};
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, threads);
    expect_ok(operator_create(kernel_find(kernel), A, NULL, space, &spmv, &error), &error);
    int before = test_threads(threads);
    expect_ok(hierarchy_build("multigrid", options, A, NULL, &spmv, &hierarchy, &error), &error);
    test_threads(before);
    print.stalled = hierarchy.stalled;
    print.on_grid = hierarchy.on_grid;
    print.count = hierarchy.count;
    print.hash = hierarchy.hash;
    for (int k = 0; k < hierarchy.count; k++) {
        print.n[k] = hierarchy.levels[k].n;
        print.lmax[k] = hierarchy.levels[k].lmax;
        print.complexity += (double)hierarchy.levels[k].nnz / (double)A->nnz;
        if (k > 0)
            expect_ok(csr_check(&hierarchy.levels[k].coarse, &error), &error);
    }
    hierarchy_free(&hierarchy);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return print;
}

/* With any number of threads, by two kernels; under a slow tool in turn. */
static struct print print_everywhere(const struct csr *A, enum aggregation aggregates)
{
    static const char *const kernels[] = {"cpu_csr", "cpu_sym_bitwise"};
    struct multigrid_options options = usual;
    struct print first;
    options.aggregates = aggregates;
    int step = test_is_slow() ? 2 : 1;
    for (int t = 0; t < TEAMS; t++)
        for (int k = t % step; k < 2; k += step) {
            struct print print = print_of(A, &options, kernels[k], teams[t]);
            if (t + k == 0)
                first = print;
            ck_assert_int_eq(print.count, first.count);
            ck_assert_int_eq(print.on_grid, first.on_grid);
            ck_assert_int_eq(print.stalled, first.stalled);
            ck_assert_mem_eq(print.n, first.n, sizeof first.n);
            ck_assert_mem_eq(print.lmax, first.lmax, sizeof first.lmax);
            ck_assert(print.hash == first.hash);
        }
    return first;
}

START_TEST(levels_are_the_same_everywhere)
{
    uint64_t state = test_seed();
    int step = test_is_slow() ? 2 : 1; /* the seed decides which half */
    for (int t = (int)test_random_below(&state, step); t < test_matrices_count; t += step) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        for (int way = 0; way < 2; way++) {
            struct print print =
                print_everywhere(&A, way ? AGGREGATION_MATCHING : AGGREGATION_AUTO);
            ck_assert(!way || !print.on_grid);
            for (int k = 1; k < print.count; k++)
                ck_assert_int_lt(print.n[k], print.n[k - 1]);
            for (int k = 0; k < print.count; k++) /* 2 by Gershgorin; else estimated */
                ck_assert(print.lmax[k] > 0 && print.lmax[k] < 4);
        }
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(blocks_are_the_same_everywhere)
{
    uint64_t state = test_seed();
    for (int64_t unknowns = 2; unknowns <= 5; unknowns++) {
        struct error error;
        struct csr A;
        struct fe_mesh mesh = {{7, 6, 5}, unknowns, 1e-3, (int64_t)(state >> 1), 0, 0};
        mesh.numbering = unknowns == 3 ? FE_MESH_RANDOM_NUMBERING : FE_MESH_NATURAL;
        expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
        struct print print = print_everywhere(&A, AGGREGATION_AUTO);
        ck_assert((print.on_grid > 0) == (unknowns != 3));
        ck_assert_int_eq(print.n[1] % unknowns, 0);
        csr_free(&A);
    }
}
END_TEST

/* Every twelfth row of 3 16^3 is the last one of a node, which has few columns of the next one. */
START_TEST(blocks_are_seen_whatever_the_size)
{
    for (int64_t unknowns = 3; unknowns <= 6; unknowns++)
        for (int64_t side = 10; side <= 16; side += 6) {
            struct csr A, blocks;
            make_poisson(side, 16, 16, &A);
            make_blocks(&A, unknowns, &blocks);
            struct print print = print_of(&blocks, &usual, "cpu_csr", 2);
            ck_assert_int_gt(print.on_grid, 0);
            ck_assert_int_eq(print.n[1], unknowns * side / 2 * 64);
            csr_free(&A);
            csr_free(&blocks);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Half along each axis, and never along one whose coupling is far weaker than another's. */
START_TEST(a_grid_is_halved_along_strong_axes)
{
    static const struct {
        struct poisson3d poisson;
        int64_t n[3];
    } all[] = {
        {{{16, 16, 16}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET}, {4096, 512, 64}},
        {{{16, 16, 16}, {1, 1, 1e-3}, 1, 0, POISSON3D_DIRICHLET}, {4096, 1024, 256}},
        {{{16, 16, 16}, {1e-3, 1, 1e-3}, 1, 0, POISSON3D_DIRICHLET}, {4096, 2048, 1024}},
        {{{15, 9, 1}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET}, {135, 40, 8}},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        struct error error;
        struct csr A;
        expect_ok(poisson3d_create(&all[k].poisson, &A, &error), &error);
        struct print print = print_everywhere(&A, AGGREGATION_AUTO);
        ck_assert(print.on_grid);
        for (int level = 0; level < 3; level++)
            ck_assert_int_eq(print.n[level], all[k].n[level]);
        csr_free(&A);
    }
}
END_TEST

/* Phases of cells at random tear the first boxes, those of 2^3 cells the second ones; on a line
 * also those of one cell, as a soft one follows a stiff one. */
START_TEST(a_grid_is_left_where_it_is_torn)
{
    static const struct {
        struct phases phases;
        int on_grid;
    } all[] = {
        {{{21, 19, 17}, 1, 1e6, 1}, 0}, {{{21, 19, 17}, 2, 1e6, 1}, 1},
        {{{21, 19, 17}, 1, 1e6, 3}, 0}, {{{21, 19, 17}, 2, 1e6, 3}, 1},
        {{{91, 83, 1}, 1, 1e6, 1}, 0},  {{{91, 83, 1}, 2, 1e6, 1}, 1},
        {{{91, 83, 1}, 1, 1e6, 3}, 0},  {{{91, 83, 1}, 2, 1e6, 3}, 1},
        {{{9001, 1, 1}, 1, 1e6, 1}, 1}, {{{9001, 1, 1}, 1, 1e6, 3}, 1},
    };
    uint64_t state = test_seed();
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        struct csr A;
        struct phases phases = all[k].phases;
        make_phases(&phases, &state, &A);
        struct print print = print_everywhere(&A, AGGREGATION_AUTO);
        ck_assert_int_eq(print.on_grid, all[k].on_grid);
        ck_assert_int_gt(print.count, 3);
        ck_assert_int_eq(print.n[1] % phases.unknowns, 0);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Leaves are one level with their hubs; a matching of few pairs is none. */
START_TEST(a_matching_that_stalls)
{
    uint64_t state = test_seed();
    for (int k = 0; k < 2; k++) {
        struct csr A, shuffled;
        if (k == 0)
            make_hubs(40, 30, &A);
        else
            make_unmatched(500, &A);
        make_shuffled(&A, &state, &shuffled);
        struct print print = print_everywhere(&shuffled, AGGREGATION_AUTO);
        ck_assert_int_eq(print.on_grid, 0);
        ck_assert_int_eq(print.stalled, k);
        ck_assert(k ? print.count == 1 : print.n[1] <= 40);
        csr_free(&A);
        csr_free(&shuffled);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A small change of one value is another hash, and another numbering too. */
START_TEST(a_hash_tells_levels_apart)
{
    uint64_t state = test_seed();
    struct csr A, shuffled;
    make_poisson(8, 7, 6, &A);
    uint64_t hash = print_of(&A, &usual, "cpu_csr", 1).hash;
    A.values[A.offsets[100]] = 6 + 0x1p-30;
    ck_assert(print_of(&A, &usual, "cpu_csr", 1).hash != hash);
    A.values[A.offsets[100]] = 6;
    ck_assert(print_of(&A, &usual, "cpu_csr", 1).hash == hash);
    make_shuffled(&A, &state, &shuffled);
    ck_assert(print_of(&shuffled, &usual, "cpu_csr", 1).hash != hash);
    csr_free(&A);
    csr_free(&shuffled);
}
END_TEST

/* S A S with powers of two: every pivot is that of A times the square of its row's, without
 * rounding. */
START_TEST(rows_of_any_scales_are_solved_directly)
{
    enum { MOST = 5 * 4 * 3 };
    uint64_t state = test_seed();
    struct multigrid_options options = usual;
    options.coarsest = MOST;
    for (int trial = 0; trial < 10; trial++) {
        struct csr A;
        int scale[MOST];
        make_poisson(5, 4, 3, &A);
        for (int64_t i = 0; i < MOST; i++)
            scale[i] = (int)test_random_below(&state, 81) - 40;
        for (int64_t i = 0; i < MOST; i++)
            for (int64_t k = A.offsets[i]; k < A.offsets[i + 1]; k++)
                A.values[k] = ldexp(A.values[k], scale[i] + scale[A.columns[k]]);
        ck_assert_int_eq(print_of(&A, &options, "cpu_csr", 1).count, 1);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- what is refused -------------------------------------------------------------------------- */

/* Over cpu_csr, or over an operator that is of no kernel. */
static void expect_refused(const struct csr *A, bool kernel, const char *option, const char *named,
                           const char *advice)
{
    struct error error;
    struct linear_operator spmv, M;
    struct options options = test_options(COMPONENT_PRECONDITIONER, "multigrid", option, NULL);
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    expect_ok(operator_create(kernel_find("cpu_csr"), A, NULL, space, &spmv, &error), &error);
    if (!kernel)
        spmv.kernel = NULL;
    expect_error(preconditioner_create(&options, A, NULL, &spmv, &M, &error), STATUS_CONFIG, &error,
                 "preconditioner multigrid: ", named, advice, NULL);
    ck_assert(!strstr(error.text, "nan") && M.table == NULL);
    options_free(&options);
    operator_destroy(&spmv);
    space->operations->destroy(space);
}

START_TEST(a_bad_diagonal_is_refused)
{
    static const double bad[] = {0, -3};
    static const char *const shown[] = {"has 0 on the diagonal", "has -3 on the diagonal"};
    for (int k = 0; k < 2; k++) {
        struct csr A;
        make_poisson(8, 7, 6, &A);
        A.values[A.offsets[40]] = A.values[A.offsets[300]] = bad[k];
        expect_refused(&A, true, NULL, "row 41 ", shown[k]);
        expect_refused(&A, true, "coarsest=1000", "row 41 ", "minres");
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Of a matrix with a negative eigenvalue the last matrix shows it, with levels above it and
 * without. */
START_TEST(what_is_not_positive_definite_is_refused)
{
    static const char *const sizes[] = {"coarsest=16", "coarsest=100", "coarsest=1000"};
    uint64_t state = test_seed();
    for (int k = 0; k < 6; k++) {
        struct csr A, shuffled;
        make_poisson(8 + k % 2, 9, 10, &A);
        take_sums_away(&A);
        for (int64_t i = 0; i < A.n; i++)
            A.values[A.offsets[i]] -= 0.1;
        expect_refused(&A, true, sizes[k / 2], "", "minres");
        make_shuffled(&A, &state, &shuffled);
        expect_refused(&shuffled, true, sizes[k / 2], "", "minres");
        csr_free(&A);
        csr_free(&shuffled);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Rows 0 to half - 1 become a singular part of their own. */
static void cut_off_a_singular_part(struct csr *A, int64_t half)
{
    for (int64_t i = 0; i < half; i++)
        A->values[A->offsets[i]] = 0;
    for (int64_t i = 0; i < half; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++)
            if (A->columns[k] >= half) {
                A->values[k] = 0;
            } else {
                A->values[A->offsets[i]] -= A->values[k];
                A->values[A->offsets[A->columns[k]]] -= A->values[k];
            }
}

/* It is set up, and says what it has met. */
static void expect_singular(const struct csr *A, const char *option)
{
    struct error error;
    struct linear_operator spmv, M;
    struct options options = test_options(COMPONENT_PRECONDITIONER, "multigrid", option, NULL);
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    expect_ok(operator_create(kernel_find("cpu_csr"), A, NULL, space, &spmv, &error), &error);
    expect_ok(preconditioner_create(&options, A, NULL, &spmv, &M, &error), &error);
    ck_assert(M.singular && strstr(M.description, "solved, singular"));
    operator_destroy(&M);
    options_free(&options);
    operator_destroy(&spmv);
    space->operations->destroy(space);
}

/* All of it, and a part that is cut off; by the sums of rows, or by the last pivots alone. */
START_TEST(what_is_singular_is_taken)
{
    static const char *const sizes[] = {"coarsest=50", "coarsest=200", "coarsest=1000"};
    uint64_t state = test_seed();
    for (int k = 0; k < 6; k++) {
        struct csr A, shuffled;
        make_poisson(8, 9, 10, &A);
        if (k % 2)
            take_sums_away(&A);
        else
            cut_off_a_singular_part(&A, 8 * 9 * 5);
        expect_singular(&A, sizes[k / 2]);
        make_shuffled(&A, &state, &shuffled);
        expect_singular(&shuffled, sizes[k / 2]);
        csr_free(&A);
        csr_free(&shuffled);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(no_grid_and_no_kernel_are_refused)
{
    uint64_t state = test_seed();
    struct csr A, shuffled;
    make_poisson(8, 9, 10, &A);
    make_shuffled(&A, &state, &shuffled);
    expect_refused(&shuffled, true, "aggregates=grid", "aggregates = \"grid\"",
                   "take \"matching\"");
    expect_refused(&A, false, NULL, "needs a kernel", "is none");
    csr_free(&A);
    csr_free(&shuffled);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(bad_options_are_refused)
{
    static const char *const bad[][2] = {
        {"degree", "3"},      {"degree", "0"},     {"degree", "18"},    {"passes", "0"},
        {"passes", "5"},      {"correction", "0"}, {"correction", "3"}, {"coarsest", "0"},
        {"coarsest", "2049"}, {"aggregates", "no"}};
    struct options options = test_options(COMPONENT_PRECONDITIONER, "multigrid", NULL);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct error error;
        expect_error(options_set(&options, bad[k][0], bad[k][1], &error), STATUS_CONFIG, &error,
                     bad[k][0], NULL);
    }
    options_free(&options);
}
END_TEST

/* How many entries all levels have over those of A. */
static double complexity_of(const struct csr *A, const struct near_null *near_null)
{
    struct multigrid_options options = usual;
    struct csr with = *A;
    options.transfer = TRANSFER_SMOOTHED;
    with.near_null = near_null;
    return print_of(&with, &options, "cpu_sym_bitwise", 2).complexity;
}

/* Vectors of any number, and graphs of any kind: some have rows that are coupled to many. */
START_TEST(levels_of_smoothed_aggregation_are_small)
{
    static const double MOST = 1.6;
    uint64_t state = test_seed();
    struct error error;
    struct csr A;
    struct near_null near_null;
    make_springs(14, 8, 8, &A, &near_null);
    ck_assert_double_le(complexity_of(&A, &near_null), MOST);
    ck_assert_double_gt(complexity_of(&A, &near_null), 1);
    near_null_free(&near_null);
    csr_free(&A);
    for (int trial = 0; trial < 8; trial++) {
        struct power_law law = {.n = 300 + test_random_below(&state, 900),
                                .mean = 7 + 9 * test_random(&state),
                                .deviation = 12,
                                .longest = 200,
                                .tail = 0.5,
                                .span = 1,
                                .pattern = {.shift = 1, .seed = trial}};
        int64_t width = 1 + test_random_below(&state, NEAR_NULL_MAX);
        double *values = malloc((size_t)(law.n * width) * sizeof *values);
        ck_assert_ptr_nonnull(values);
        for (int64_t k = 0; k < law.n * width; k++)
            values[k] = 2 * test_random(&state) - 1;
        expect_ok(near_null_of(law.n, 1, width, values, &near_null, &error), &error);
        free(values);
        expect_ok(problem_create(&problem_power_law, &law, &A, &error), &error);
        ck_assert_double_le(complexity_of(&A, &near_null), MOST);
        ck_assert_double_le(complexity_of(&A, NULL), MOST);
        near_null_free(&near_null);
        csr_free(&A);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {levels_are_the_same_everywhere,
                            blocks_are_the_same_everywhere,
                            blocks_are_seen_whatever_the_size,
                            a_grid_is_halved_along_strong_axes,
                            a_grid_is_left_where_it_is_torn,
                            a_matching_that_stalls,
                            a_hash_tells_levels_apart,
                            rows_of_any_scales_are_solved_directly,
                            a_bad_diagonal_is_refused,
                            what_is_not_positive_definite_is_refused,
                            what_is_singular_is_taken,
                            no_grid_and_no_kernel_are_refused,
                            bad_options_are_refused,
                            levels_of_smoothed_aggregation_are_small,
                            NULL};
    return suite_of("precondition/multigrid/hierarchy", tests);
}
