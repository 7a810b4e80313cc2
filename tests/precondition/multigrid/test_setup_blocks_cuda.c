/* Levels that are made in a device's memory are those of the host. Without a device nothing is run,
 * and it says why. */
#include "made.h"
#include "support.h"

#include "cuda_device.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/setup/hierarchy.h"
#include "spaces.h"
#include "spmv/device_csr.h"

#include <string.h>

/* What the levels are told by. */
struct print {
    bool made_on_device;
    int on_grid, count;
    int64_t n[OPERATOR_LEVELS], nnz[OPERATOR_LEVELS], members[OPERATOR_LEVELS];
    double lmax[OPERATOR_LEVELS];
    uint64_t hash;
};

static struct print print_of(const struct csr *A, enum aggregation aggregates, int64_t precision,
                             bool on_device)
{
    struct multigrid_options options = {
        .aggregates = aggregates, .passes = 3, .degree = 2, .coarsest = 8, .precision = precision};
    struct error error;
    struct linear_operator spmv;
    struct hierarchy hierarchy = {0};
    struct print print = {0};
    const char *name = on_device ? "cuda_sym_bitwise" : "cpu_sym_bitwise";
    struct space *space =
        test_space(on_device ? SPACE_CUDA : SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    struct csr rows;
    A = device_csr_share(space, A, &rows);
    expect_ok(operator_create(kernel_find(name), A, NULL, space, &spmv, &error), &error);
    expect_ok(hierarchy_build("multigrid", &options, A, NULL, &spmv, &hierarchy, &error), &error);
    print.on_grid = hierarchy.on_grid;
    print.made_on_device =
        spmv.made_on_device && hierarchy.count > 1 && !hierarchy.levels[1].coarse.n;
    print.count = hierarchy.count;
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

static void expect_same_levels(const struct csr *A, enum aggregation aggregates, int64_t precision)
{
    struct print host = print_of(A, aggregates, precision, false);
    struct print device_setup = print_of(A, aggregates, precision, true);
    ck_assert(aggregates != AGGREGATION_GRID || host.on_grid > 0);
    ck_assert(device_setup.made_on_device);
    ck_assert_int_eq(device_setup.on_grid, host.on_grid);
    ck_assert_int_eq(device_setup.count, host.count);
    ck_assert_mem_eq(device_setup.n, host.n, sizeof host.n);
    ck_assert_mem_eq(device_setup.nnz, host.nnz, sizeof host.nnz);
    ck_assert_mem_eq(device_setup.members, host.members, sizeof host.members);
    ck_assert_mem_eq(device_setup.lmax, host.lmax, sizeof host.lmax);
    ck_assert(device_setup.hash == host.hash);
}

/* From rows that travel, and from those that are made there. */
START_TEST(meshes_have_the_levels_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    static const int64_t boxes[][3] = {{13, 12, 11}, {41, 30, 0}, {20, 21, 22}};
    uint64_t state = test_seed();
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
        for (int64_t unknowns = 3; unknowns <= 6; unknowns++) {
            struct error error;
            struct csr A;
            struct fe_mesh mesh = {.unknowns = unknowns, .shift = 1e-3, .seed = state >> 1};
            memcpy(mesh.n, boxes[b], sizeof mesh.n);
            mesh.diagonals = test_random(&state) < 0.5 ? FE_MESH_REGULAR : FE_MESH_RANDOM_DIAGONALS;
            expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
            if (unknowns % 2) {
                A.maker = problem_fe_cube.maker;
                A.maker_options = &mesh;
            }
            expect_same_levels(&A, AGGREGATION_GRID,
                               unknowns == 4 ? PRECISION_FLOAT : PRECISION_DOUBLE);
            csr_free(&A);
        }
}
END_TEST

/* All 26 neighbours, and as an M-matrix with Gershgorin's bound. */
START_TEST(bricks_have_the_levels_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    for (int64_t unknowns = 3; unknowns <= 6; unknowns++) {
        struct csr A;
        make_brick(10, 9, 8, unknowns, &A);
        expect_same_levels(&A, AGGREGATION_GRID, PRECISION_DOUBLE);
        csr_free(&A);
    }
}
END_TEST

/* Which are left at the first level, or at the second, for a matching. */
START_TEST(torn_grids_have_the_levels_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    for (int64_t unknowns = 3; unknowns <= 6; unknowns++)
        for (int64_t size = 1; size <= 2; size++) {
            struct csr A;
            make_phases(&(struct phases){{21, 19, 17}, size, 1e6, unknowns}, &state, &A);
            expect_same_levels(&A, AGGREGATION_AUTO,
                               unknowns == 4 ? PRECISION_FLOAT : PRECISION_DOUBLE);
            csr_free(&A);
        }
}
END_TEST

START_TEST(matchings_have_the_levels_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    for (int64_t unknowns = 2; unknowns <= 6; unknowns++)
        for (int numbering = 0; numbering < 2; numbering++) {
            struct error error;
            struct csr A;
            struct fe_mesh mesh = {.n = {17, 16, 15}, .unknowns = unknowns, .shift = 1e-3};
            mesh.seed = (int64_t)(state >> 1);
            mesh.diagonals = FE_MESH_RANDOM_DIAGONALS;
            mesh.numbering = numbering ? FE_MESH_RANDOM_NUMBERING : FE_MESH_NATURAL;
            expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
            expect_same_levels(&A, AGGREGATION_MATCHING,
                               unknowns == 4 ? PRECISION_FLOAT : PRECISION_DOUBLE);
            csr_free(&A);
            test_random(&state);
        }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {meshes_have_the_levels_of_the_host, bricks_have_the_levels_of_the_host,
                            torn_grids_have_the_levels_of_the_host,
                            matchings_have_the_levels_of_the_host, NULL};
    return suite_of("precondition/multigrid/setup_blocks_cuda", tests);
}
