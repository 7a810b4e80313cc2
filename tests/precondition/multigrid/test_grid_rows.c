/* Set-up of a grid row by row, as a device does it, against that of the host: the same bits. */
#include "support.h"

#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/setup/grid_rows.h"
#include "precondition/multigrid/setup/rescale.h"
#include "precondition/multigrid/setup/torn_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values that are no round numbers, and some entries taken out, the diagonal never. */
static void disturb(struct csr *A, uint64_t *state, double kept)
{
    int64_t to = 0, k = 0;
    for (int64_t i = 0; i < A->n; i++) {
        int64_t end = A->offsets[i + 1];
        A->offsets[i] = to;
        for (; k < end; k++) {
            bool diagonal = A->columns[k] == i;
            if (!diagonal && test_random(state) > kept)
                continue;
            A->columns[to] = A->columns[k];
            A->values[to++] = diagonal ? 20 + test_random(state) : 0.25 - test_random(state);
        }
    }
    A->nnz = A->offsets[A->n] = to;
}

/* What a device keeps while it makes a coarse matrix. */
static struct grid_rows rows_of(const struct csr *A, const struct cells *cells, double correction)
{
    struct grid_rows rows = {.cells = *cells,
                             .near = neighbours_of(cells),
                             .n = cells->n[0] * cells->n[1] * cells->n[2],
                             .correction = correction,
                             .most = rescale_most(cells, correction)};
    struct cells fine = {.n = {cells->before[0], cells->before[1], cells->before[2]}, .block = 1};
    struct coarsening by = {*A, *cells, neighbours_of(&fine), rows.near,
                            A->nnz - A->n > cells->along};
    rows.values = malloc((size_t)(rows.n * (1 + rows.near.count)) * sizeof *rows.values);
    rows.places = malloc((size_t)rows.n * sizeof *rows.places);
    ck_assert(rows.values && rows.places);
    for (int64_t I = 0; I < rows.n; I++) {
        double sums[PLACES_MAX];
        rows.places[I] = coarse_row(&by, I, sums);
        for (int p = 0; p <= rows.near.count; p++)
            rows.values[p * rows.n + I] = grid_rows_has(&rows, I, p) ? sums[p] : NAN;
    }
    return rows;
}

static void expect_row(const struct csr *coarse, int64_t I, int count, const int32_t *columns,
                       const double *values)
{
    int64_t begin = coarse->offsets[I];
    ck_assert_int_eq(count, coarse->offsets[I + 1] - begin);
    ck_assert_mem_eq(columns, coarse->columns + begin, (size_t)count * sizeof *columns);
    ck_assert_mem_eq(values, coarse->values + begin, (size_t)count * sizeof *values);
}

/* The same matrix after rescale. */
static void expect_rescaled(const struct grid_rows *rows, const struct rescaling *by,
                            const struct csr *coarse)
{
    double least = INFINITY, of_sum = fmax(by->of_sum, 1 / by->correction);
    for (int64_t I = 0; I < rows->n; I++)
        least = fmin(least, grid_rows_sum(rows, I));
    least = fmax(least, 0);
    for (int64_t I = 0; I < rows->n; I++) {
        int32_t columns[PLACES_MAX];
        double values[PLACES_MAX];
        double kept = rescale_kept(least, of_sum, rows->most, grid_rows_sum(rows, I));
        int count = grid_rows_rescaled(rows, I, kept, columns, values);
        ck_assert_int_eq(count, grid_rows_count(rows->places[I]));
        expect_row(coarse, I, count, columns, values);
    }
}

/* Level after level of A on a grid of cells by the host, and each of them row by row. */
static void descend(struct csr *A, struct cells cells, const bool halved[3], uint64_t *state)
{
    struct error error;
    struct rescaling by = {1.2 + 0.8 * test_random(state), 0.625, 1, &cells, NULL};
    for (int level = 0; level < 3; level++) {
        struct aggregates made;
        struct csr coarse;
        expect_ok(cells_measure(&(struct surveyor){survey_host, NULL, A, NULL}, &cells, &error),
                  &error);
        bool axes[3];
        for (int axis = 0; axis < 3; axis++)
            axes[axis] = halved[axis] && cells.n[axis] > 1;
        expect_ok(cells_aggregate(&cells, axes, NULL, &made, &error), &error);
        expect_ok(coarse_matrix(A, &made, &coarse, &error), &error);
        expect_ok(rescale(&by, &coarse, &error), &error);
        struct grid_rows rows = rows_of(A, &cells, by.correction);
        expect_rescaled(&rows, &by, &coarse);
        free(rows.values);
        free(rows.places);
        aggregates_free(&made);
        csr_free(A);
        *A = coarse;
    }
    csr_free(A);
}

static const int64_t boxes[][3] = {{9, 8, 7}, {16, 16, 16}, {13, 1, 6}, {5, 31, 1},
                                   {2, 2, 2}, {3, 2, 17},   {64, 1, 1}, {2, 9, 2}};
static const bool axes[][3] = {
    {true, true, true}, {true, false, true}, {false, true, true}, {true, false, false}};

START_TEST(rows_have_the_bits_of_the_host)
{
    uint64_t state = test_seed();
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
        for (size_t a = 0; a < sizeof axes / sizeof *axes; a++)
            for (int all = 0; all < 2; all++) {
                const int64_t *n = boxes[b];
                struct csr A;
                if (all)
                    make_brick(n[0], n[1], n[2], 1, &A);
                else
                    make_poisson(n[0], n[1], n[2], &A);
                struct cells cells = grid_of(&A, 1);
                ck_assert(cells.n[0] > 0);
                disturb(&A, &state, a == 0 ? 1 : 0.8);
                descend(&A, cells, axes[a], &state);
            }
}
END_TEST

/* Of steps of up to 40 cells, on grids that may be one cell wide. */
START_TEST(a_way_on_a_grid)
{
    uint64_t state = test_seed();
    for (int k = 0; k < 20000; k++) {
        int64_t n[3], count = 1, ahead = test_random_below(&state, 41);
        for (int axis = 0; axis < 3; axis++)
            count *= n[axis] = 1 + test_random_below(&state, 9);
        int64_t from = test_random_below(&state, count);
        struct cell cell = cell_of(n, from), end = cell_of(n, from + ahead);
        cell_go_on(n, ahead, &cell);
        ck_assert_mem_eq(&cell, &end, sizeof cell);
    }
}
END_TEST

/* One whose w is 2^-4 to 2^4 times TORN_WEAK; 2^0 is at the edge. */
static double random_coupling(double i, double next, uint64_t *state)
{
    double power = (double)(test_random_below(state, 9) - 4), more = test_random(state);
    return sqrt(TORN_WEAK * exp2(power)) * sqrt(i) * sqrt(next) * (0.99 + 0.02 * more);
}

/* What is told without weights is told by weights too; and it is told of most boxes that hold. */
START_TEST(an_aggregate_surely_holds)
{
    int surely = 0, by_weights = 0;
    uint64_t state = test_seed();
    for (int k = 0; k < 100000; k++) {
        struct torn_cell box[TORN_CELLS];
        double scale = ldexp(1, (int)test_random_below(&state, 1800) - 900);
        int wide = (int)test_random_below(&state, TORN_CELLS), least = k % 8;
        for (int m = 0; m < TORN_CELLS; m++)
            box[m] = (struct torn_cell){.is = (m & ~wide) == 0,
                                        .diagonal = scale * (0.5 + test_random(&state))};
        for (int m = 0; m < TORN_CELLS; m++)
            for (int axis = 0; axis < 3; axis++) {
                double i = box[m].diagonal, next = box[m | 1 << axis].diagonal;
                box[m].coupling[axis] = test_random_below(&state, 8) < least
                                            ? sqrt(i) * sqrt(next)
                                            : random_coupling(i, next, &state);
            }
        bool holds = torn_holds(box), torn = torn_apart(box, 1);
        ck_assert(!(holds && torn));
        surely += holds;
        by_weights += !torn;
    }
    ck_assert_int_gt(surely, 10000);
    ck_assert_int_lt(surely, by_weights);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {rows_have_the_bits_of_the_host, a_way_on_a_grid,
                            an_aggregate_surely_holds, NULL};
    return suite_of("precondition/multigrid/grid_rows", tests);
}
