/* Grids: where one is found and where none, the couplings along its axes, and its aggregates. */
#include "made.h"
#include "support.h"

#include "matrices.h"
#include "precondition/multigrid/coarsening.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 70 };

/* Fail the test unless A shows a box of these sizes; those of one cell stand last. The matrix is
 * freed. */
static void expect_found(struct csr *A, const int64_t sizes[3], int64_t block)
{
    int64_t n[3] = {1, 1, 1}, axes = 0;
    for (int axis = 0; axis < 3; axis++)
        if (sizes[axis] > 1)
            n[axes++] = sizes[axis];
    for (int t = 0; t < TEAMS; t++) {
        test_threads(teams[t]);
        struct cells cells = grid_of(A, block);
        for (int axis = 0; axis < 3; axis++) {
            ck_assert_msg(cells.n[axis] == n[axis], "%d x %d x %d: n[%d] = %d", (int)sizes[0],
                          (int)sizes[1], (int)sizes[2], axis, (int)cells.n[axis]);
            ck_assert_int_eq(cells.first[axis], n[axis]);
            ck_assert_int_eq(cells.before[axis], n[axis]);
            ck_assert_int_eq(cells.halvings[axis], 0);
            ck_assert(!cells_halved(&cells, axis));
        }
        ck_assert_int_eq(cells.block, block);
    }
    csr_free(A);
}

static void expect_none(struct csr *A, int64_t block)
{
    for (int t = 0; t < TEAMS; t++) {
        test_threads(teams[t]);
        struct cells cells = grid_of(A, block);
        ck_assert_msg(cells.n[0] == 0, "%d x %d x %d", (int)cells.n[0], (int)cells.n[1],
                      (int)cells.n[2]);
    }
    csr_free(A);
}

START_TEST(boxes_are_found)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 8};
    struct csr A;
    for (int64_t k = 1; k < 216; k++) { /* 0 is one cell alone */
        int64_t n[3] = {sizes[k % 6], sizes[k / 6 % 6], sizes[k / 36]};
        make_poisson(n[0], n[1], n[2], &A);
        expect_found(&A, n, 1);
    }
    make_poisson(23, 41, 7, &A);
    expect_found(&A, (const int64_t[]){23, 41, 7}, 1);
    make_poisson(1, 501, 1, &A);
    expect_found(&A, (const int64_t[]){501, 1, 1}, 1);
}
END_TEST

/* 27 nodes to a row, and 9 on a sheet; the last axis may have two. */
START_TEST(boxes_of_nodes_are_found)
{
    static const int64_t sizes[][3] = {{3, 3, 3}, {3, 4, 5}, {7, 3, 2}, {6, 5, 4},
                                       {5, 9, 1}, {9, 5, 1}, {3, 3, 1}, {4, 2, 1}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int64_t unknowns = 1; unknowns <= 5; unknowns++) {
            struct csr A;
            make_brick(sizes[k][0], sizes[k][1], sizes[k][2], unknowns, &A);
            expect_found(&A, sizes[k], unknowns);
        }
}
END_TEST

/* Triangles and tetrahedra, whose diagonals lie this way and that way. */
START_TEST(meshes_of_nodes_are_found)
{
    struct error error;
    uint64_t state = test_seed();
    for (int64_t unknowns = 1; unknowns <= 5; unknowns++)
        for (int kind = 0; kind < 4; kind++) {
            struct fe_mesh mesh = {.n = {8, 7, kind < 2 ? 6 : 0},
                                   .unknowns = unknowns,
                                   .shift = 1e-3,
                                   .seed = (int64_t)(state >> 1),
                                   .diagonals =
                                       kind % 2 ? FE_MESH_RANDOM_DIAGONALS : FE_MESH_REGULAR};
            struct csr A;
            expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
            expect_found(&A, mesh.n, unknowns);
            mesh.numbering = FE_MESH_RANDOM_NUMBERING;
            expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
            expect_none(&A, unknowns);
        }
}
END_TEST

/* Row 4 ends a line of five, row 5 begins the next one. */
START_TEST(what_leads_over_the_side_is_no_grid)
{
    static const struct {
        int64_t i, j;
    } over[] = {
        {4, 5},   /* a step along x */
        {0, 4},   /* along y and back along x, at the beginning of a line */
        {17, 22}, /* along y, at the end of a plane of 20 */
        {1, 16},  /* along z and back along y, at the beginning of a plane */
        {7, 9},   /* two steps */
        {0, 59},  /* anywhere */
    };
    for (size_t k = 0; k < sizeof over / sizeof *over; k++) {
        struct csr A, more;
        make_poisson(5, 4, 3, &A);
        make_with_entry(&A, over[k].i, over[k].j, -1, &more);
        expect_none(&more, 1);
        csr_free(&A);
    }
    /* the same steps elsewhere are inside */
    static const int64_t inside[][2] = {{6, 10}, {5, 11}, {6, 21}, {12, 31}};
    for (size_t k = 0; k < sizeof inside / sizeof *inside; k++) {
        struct csr A, more;
        make_poisson(5, 4, 3, &A);
        make_with_entry(&A, inside[k][0], inside[k][1], -1, &more);
        expect_found(&more, (const int64_t[]){5, 4, 3}, 1);
        csr_free(&A);
    }
}
END_TEST

START_TEST(other_matrices_are_no_grid)
{
    static const char *const without[] = {"one row",
                                          "diagonal",
                                          "dense first row",
                                          "dense last column",
                                          "dense row and column",
                                          "random",
                                          "dense",
                                          "rows without off-diagonals"};
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++)
        for (size_t w = 0; w < sizeof without / sizeof *without; w++) {
            struct csr A;
            if (strcmp(test_matrices[t].name, without[w]) != 0)
                continue;
            test_matrix_build(&test_matrices[t], CSR_SYMMETRIC, &state, &A);
            expect_none(&A, 1);
        }
    for (int trial = 0; trial < 5; trial++) {
        struct csr A, shuffled;
        make_poisson(8 + test_random_below(&state, 4), 9, 7, &A);
        make_shuffled(&A, &state, &shuffled);
        expect_none(&shuffled, 1);
        csr_free(&A);
    }
}
END_TEST

/* --- couplings -------------------------------------------------------------------------------- */

/* Each sum is a multiple of its weight below 2^53 times that, so it has no rounding. */
START_TEST(strengths_are_the_weights)
{
    static const double weights[][3] = {
        {1, 1, 1}, {3, 0.125, 1}, {1, 1, 0x1p-10}, {0x1p-30, 7, 5}, {1, 0, 2}};
    static const int64_t sizes[][3] = {{21, 17, 15}, {2, 2, 3}, {100, 90, 1}, {2, 5000, 1}};
    for (size_t w = 0; w < sizeof weights / sizeof *weights; w++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            struct error error;
            struct csr A;
            struct poisson3d poisson = {.jump = 1};
            memcpy(poisson.n, sizes[k], sizeof poisson.n);
            memcpy(poisson.weights, weights[w], sizeof poisson.weights);
            expect_ok(poisson3d_create(&poisson, &A, &error), &error);
            struct cells cells = {.block = 1};
            memcpy(cells.n, sizes[k], sizeof cells.n);
            expect_ok(
                cells_measure(&(struct surveyor){survey_host, NULL, &A, NULL}, &cells, &error),
                &error);
            for (int axis = 0; axis < 3; axis++)
                ck_assert(cells.strength[axis] == (sizes[k][axis] > 1 ? weights[w][axis] : 0));
            csr_free(&A);
        }
}
END_TEST

/* Of random values in blocks, of single rows those below 0: near the means, and the same bits for
 * any number of threads. The errors are below u for each addition, and one for the division. */
START_TEST(strengths_are_means_for_any_threads)
{
    uint64_t state = test_seed();
    for (int64_t block = 1; block <= 3; block++) {
        struct error error;
        struct csr A;
        make_brick(23, 11, 21, block, &A);
        struct cells cells = grid_of(&A, block);
        ck_assert_int_eq(cells.n[2], 21);
        long double sums[3] = {0};
        int64_t counts[3] = {0}, apart[3] = {1, 23, 23 * 11};
        for (int64_t i = 0; i < A.n; i++)
            for (int64_t k = A.offsets[i] + 1; k < A.offsets[i + 1]; k++) {
                A.values[k] = 2 * test_random(&state) - 1;
                for (int axis = 0; axis < 3; axis++)
                    if (A.columns[k] / block - i / block == apart[axis]) {
                        if (block > 1 || A.values[k] < 0)
                            sums[axis] += fabsl((long double)A.values[k]);
                        counts[axis]++;
                    }
            }
        double first[3];
        for (int t = 0; t < TEAMS; t++) {
            test_threads(teams[t]);
            struct cells found = grid_of(&A, block);
            expect_ok(
                cells_measure(&(struct surveyor){survey_host, NULL, &A, NULL}, &cells, &error),
                &error);
            for (int axis = 0; axis < 3 && t == 0; axis++) {
                long double mean = sums[axis] / (long double)counts[axis];
                ck_assert(fabsl((long double)cells.strength[axis] - mean) <=
                          0x1.01p-53L * (long double)counts[axis] * mean);
                first[axis] = cells.strength[axis];
            }
            ck_assert_mem_eq(cells.strength, first, sizeof first);
            ck_assert_mem_eq(found.strength, first, sizeof first);
        }
        csr_free(&A);
    }
}
END_TEST

/* --- aggregates ------------------------------------------------------------------------------- */

/* An axis by the widths of its cells. */
struct axis {
    int64_t n;
    double width[LONGEST];
    int64_t to[LONGEST]; /* the aggregate of a cell before the last halving */
};

/* Join cells as the header says. */
static void halve(struct axis *axis)
{
    struct axis next = {.n = axis->n / 2};
    for (int64_t i = 0; i + 1 < axis->n; i += 2) {
        next.width[i / 2] = axis->width[i] + axis->width[i + 1];
        next.to[i] = next.to[i + 1] = i / 2;
    }
    if (axis->n % 2 == 1) {
        int64_t last = axis->n - 1;
        bool joins = axis->width[last] <= axis->width[last - 1] / 2;
        next.to[last] = joins ? next.n - 1 : next.n++;
        next.width[next.to[last]] += axis->width[last];
    }
    *axis = next;
}

static void keep(struct axis *axis)
{
    for (int64_t i = 0; i < axis->n; i++)
        axis->to[i] = i;
}

static void expect_cells(const struct cells *cells, const struct axis axes[3],
                         const int64_t first[3])
{
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        ck_assert_int_eq(cells->n[k], axes[k].n);
        ck_assert_int_eq(cells->first[k], first[k]);
        for (int64_t at = 0; at < axes[k].n; at++) {
            double width = cells_width(cells, k, cells->halvings[k], cells->n[k], at);
            ck_assert_msg(width == axes[k].width[at], "cell %d of %d, %d at first: %g", (int)at,
                          (int)axes[k].n, (int)first[k], width);
            sum += width;
        }
        ck_assert(sum == (double)first[k]);
    }
}

static void expect_map(const struct aggregates *a, const struct axis axes[3], const int64_t n[3],
                       int64_t block)
{
    ck_assert_int_eq(a->n, n[0] * n[1] * n[2] * block);
    ck_assert_int_eq(a->count, axes[0].n * axes[1].n * axes[2].n * block);
    for (int64_t i = 0; i < a->n; i++) {
        int64_t cell = i / block, x = cell % n[0], y = cell / n[0] % n[1], z = cell / n[0] / n[1];
        int64_t to = axes[0].to[x] + axes[0].n * (axes[1].to[y] + axes[1].n * axes[2].to[z]);
        ck_assert_int_eq(a->map[i], to * block + i % block);
    }
    expect_lists(a);
}

/* From a first grid down to one cell, along the axes that chance chooses. */
static void descend(const int64_t first[3], int64_t block, uint64_t *state)
{
    struct axis axes[3];
    struct cells cells = {.block = block};
    for (int k = 0; k < 3; k++) {
        cells.n[k] = cells.first[k] = cells.before[k] = axes[k].n = first[k];
        for (int64_t i = 0; i < first[k]; i++)
            axes[k].width[i] = 1;
    }
    while (cells.n[0] * cells.n[1] * cells.n[2] > 1) {
        struct error error;
        struct aggregates made;
        bool halved[3];
        int64_t before[3];
        int halvings[3];
        memcpy(before, cells.n, sizeof before);
        memcpy(halvings, cells.halvings, sizeof halvings);
        for (int k = 0; k < 3; k++) {
            halved[k] = before[k] > 1 && test_random_below(state, 3) > 0;
            (halved[k] ? halve : keep)(&axes[k]);
        }
        test_threads(teams[test_random_below(state, TEAMS)]);
        expect_ok(cells_aggregate(&cells, halved, NULL, &made, &error), &error);
        expect_cells(&cells, axes, first);
        expect_map(&made, axes, before, block);
        for (int k = 0; k < 3; k++) {
            ck_assert_int_eq(cells.before[k], before[k]);
            ck_assert_int_eq(cells.halvings[k], halvings[k] + halved[k]);
            ck_assert(cells_halved(&cells, k) == halved[k]);
        }
        ck_assert_int_eq(cells.block, block);
        aggregates_free(&made);
    }
}

START_TEST(aggregates_are_pairs_of_cells)
{
    uint64_t state = test_seed();
    for (int64_t n = 2; n <= LONGEST; n++) {
        descend((const int64_t[]){n, 1, 1}, 1, &state);
        descend((const int64_t[]){1 + test_random_below(&state, 9), n, 2}, 1, &state);
        descend((const int64_t[]){3, 1 + test_random_below(&state, 9), n}, 1 + n % 4, &state);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Of 9 cells the last is left by itself, of 2 2 2 2 1 it joins: 4 and 5. */
START_TEST(the_last_cell_stays_or_joins)
{
    struct error error;
    struct cells cells = {.n = {9, 1, 1}, .block = 1, .first = {9, 1, 1}, .before = {9, 1, 1}};
    const bool halved[3] = {true};
    static const int64_t sizes[] = {5, 2, 1}, last[] = {1, 5, 9};
    for (int k = 0; k < 3; k++) {
        struct aggregates made;
        expect_ok(cells_aggregate(&cells, halved, NULL, &made, &error), &error);
        ck_assert_int_eq(cells.n[0], sizes[k]);
        ck_assert(cells_width(&cells, 0, k + 1, sizes[k], sizes[k] - 1) == (double)last[k]);
        aggregates_free(&made);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {boxes_are_found,
                            boxes_of_nodes_are_found,
                            meshes_of_nodes_are_found,
                            what_leads_over_the_side_is_no_grid,
                            other_matrices_are_no_grid,
                            strengths_are_the_weights,
                            strengths_are_means_for_any_threads,
                            aggregates_are_pairs_of_cells,
                            the_last_cell_stays_or_joins,
                            NULL};
    return suite_of("precondition/multigrid/grid", tests);
}
