/* Levels that keep their aggregates, made again on a GPU: those of the CPU, bit for bit, also where
 * the GPU has no room now, or had none before. Without a device nothing is run, and it says why. */
#include "made.h"
#include "support.h"

#include "cuda_device.h"
#include "matrices.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/renewed.h"

#include <string.h>

/* Set-up asks without a name whether it may go on there, and may so many times more; kernels ask
 * with theirs. */
static int64_t left;

static enum status no_room(struct space *space, int64_t bytes, const char *what,
                           struct error *error)
{
    (void)space, (void)bytes;
    return *what || left-- > 0 ? STATUS_OK : error_set(error, STATUS_MEMORY, "no room");
}

static struct space_operations narrow;

enum { ALL = 1000 };

/* So many levels may be made in the memory of the device from now on. */
static void let_there(struct renewing *r, const struct space_operations *usual, int levels)
{
    narrow = *usual;
    narrow.fits = no_room;
    left = levels;
    r->space->operations = levels == ALL ? usual : &narrow;
}

/* Set-up, and two renewals, each with room or without. */
static struct renewed print_of(struct csr *A, const struct multigrid_options *options,
                               const char *kernel, const int room[3], double *const values[3])
{
    struct renewing r;
    values_set(A, values[0]);
    renewing_begin(A, options, kernel, 2, &r);
    const struct space_operations *usual = r.space->operations;
    if (room[0] != ALL) {
        let_there(&r, usual, room[0]);
        hierarchy_free(&r.hierarchy);
        renewing_build(&r);
    }
    for (int turn = 1; turn < 3; turn++) {
        let_there(&r, usual, room[turn]);
        values_set(A, values[turn]);
        renewing_again(&r);
        ck_assert(r.hierarchy.renewed);
    }
    struct renewed print = renewed_print(&r);
    r.space->operations = usual;
    renewing_end(&r);
    return print;
}

static void compare(struct csr *A, enum aggregation aggregates, int64_t passes, uint64_t *state)
{
    static const int rooms[][3] = {{ALL, ALL, ALL}, {ALL, 0, ALL}, {0, ALL, ALL},
                                   {ALL, 1, 0},     {1, ALL, 2},   {2, 1, ALL}};
    double *values[3];
    for (int k = 0; k < 3; k++) {
        values[k] = values_copy(A);
        values_change(A, state);
    }
    struct multigrid_options options = {.aggregates = aggregates,
                                        .passes = passes,
                                        .degree = 2,
                                        .coarsest = 8,
                                        .reuse = REUSE_AGGREGATES};
    options.precision = test_random_below(state, 2);
    options.transfer = test_random_below(state, 2) ? TRANSFER_SMOOTHED : TRANSFER_CONSTANT;
    struct renewed cpu = print_of(A, &options, "cpu_sym_bitwise", rooms[0], values);
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        struct renewed cuda = print_of(A, &options, "cuda_sym_bitwise", rooms[k], values);
        renewed_expect(&cuda, &cpu, "on a GPU");
    }
    for (int k = 0; k < 3; k++)
        memory_free(values[k]);
}

START_TEST(matrices_of_all_kinds)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        compare(&A, AGGREGATION_MATCHING, 1 + t % 4, &state);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(grids)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    struct csr A;
    make_poisson(21, 19, 17, &A);
    compare(&A, AGGREGATION_GRID, 3, &state);
    compare(&A, AGGREGATION_MATCHING, 3, &state);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(torn_grids)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    for (int k = 0; k < 4; k++) {
        struct csr A;
        make_phases(&(struct phases){{21, 19, 17}, 1 + k % 2, 1e6, k < 2 ? 1 : 3}, &state, &A);
        compare(&A, AGGREGATION_AUTO, 1 + test_random_below(&state, 4), &state);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

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
        compare(&shuffled, AGGREGATION_AUTO, 1 + test_random_below(&state, 4), &state);
        csr_free(&A);
        csr_free(&shuffled);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Of a grid, and by matching: of blocks on the host. */
START_TEST(meshes)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    for (int64_t unknowns = 1; unknowns <= 4; unknowns++)
        for (int k = 0; k < 2; k++) {
            struct error error;
            struct csr A;
            struct fe_mesh mesh = {.n = {9, 8, 7}, .unknowns = unknowns, .shift = 1e-3};
            mesh.seed = (int64_t)(test_random(&state) * 1000);
            mesh.numbering = k ? FE_MESH_RANDOM_NUMBERING : FE_MESH_NATURAL;
            expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
            compare(&A, AGGREGATION_AUTO, 1 + test_random_below(&state, 4), &state);
            csr_free(&A);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {matrices_of_all_kinds, grids,  torn_grids,
                            matchings_that_stall,  meshes, NULL};
    return suite_of("precondition/multigrid/renew_cuda", tests);
}
