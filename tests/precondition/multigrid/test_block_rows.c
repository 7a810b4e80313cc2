/* Set-up of a grid of several unknowns a cell row by row, as a device does it, against that of the
 * host: the same bits. */
#include "support.h"

#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/setup/block_rows.h"
#include "precondition/multigrid/setup/rescale.h"

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
            A->values[to++] = diagonal ? 20 + test_random(state) : 0.5 - test_random(state);
        }
    }
    A->nnz = A->offsets[A->n] = to;
}

/* What a device keeps while it makes a coarse matrix; what is no entry is poisoned. */
static struct block_rows rows_of(const struct csr *A, const struct cells *cells, double correction)
{
    int block = (int)cells->block;
    struct block_rows rows = {.cells = *cells,
                              .near = neighbours_of(cells),
                              .n = cells->n[0] * cells->n[1] * cells->n[2] * block,
                              .correction = correction};
    struct cells fine = {.n = {cells->before[0], cells->before[1], cells->before[2]}, .block = 1};
    struct coarsening by = {*A, *cells, neighbours_of(&fine), rows.near, true};
    int places = (1 + rows.near.count) * block;
    rows.values = malloc((size_t)(rows.n * places) * sizeof *rows.values);
    rows.places = malloc((size_t)rows.n * sizeof *rows.places);
    ck_assert(rows.values && rows.places);
    for (int64_t I = 0; I < rows.n; I++) {
        double sums[BLOCK_PLACES_MAX];
        rows.places[I] = block_row_make(&by, block, I, sums);
        for (int p = 0; p < places; p++)
            rows.values[p * rows.n + I] =
                block_places_has(&rows.places[I], p / block, p % block) ? sums[p] : NAN;
    }
    return rows;
}

/* The host's matrix after rescale. */
static void expect_rescaled(const struct block_rows *rows, const struct rescaling *by,
                            const struct csr *coarse)
{
    int block = (int)by->block;
    double least = INFINITY, of_sum = fmax(by->of_sum, 1 / by->correction);
    for (int64_t I = 0; I < rows->n; I++)
        least = fmin(least, block_rows_sum(rows, block, I));
    least = fmax(least, 0);
    ck_assert_int_eq(coarse->n, rows->n);
    for (int64_t I = 0; I < rows->n; I++) {
        int32_t columns[BLOCK_PLACES_MAX];
        double values[BLOCK_PLACES_MAX], sum = block_rows_sum(rows, block, I);
        double kept = rescale_kept(least, of_sum, rescale_most_of(by->correction), sum);
        int count = block_rows_rescaled(rows, block, I, sum, kept, columns, values);
        int64_t begin = coarse->offsets[I];
        ck_assert_int_eq(count, block_places_count(&rows->places[I]));
        ck_assert_int_eq(count, coarse->offsets[I + 1] - begin);
        ck_assert_mem_eq(columns, coarse->columns + begin, (size_t)count * sizeof *columns);
        ck_assert_mem_eq(values, coarse->values + begin, (size_t)count * sizeof *values);
    }
}

/* Level after level of A on a grid of cells by the host, and each of them row by row. */
static void descend(struct csr *A, struct cells cells, uint64_t *state)
{
    struct error error;
    struct rescaling by = {1.2 + 0.8 * test_random(state), 0.625, cells.block, &cells, NULL};
    for (int level = 0; level < 3; level++) {
        struct aggregates made;
        struct csr coarse;
        bool axes[3];
        for (int axis = 0; axis < 3; axis++)
            axes[axis] = cells.n[axis] > 1 && test_random(state) < 0.75;
        expect_ok(cells_aggregate(&cells, axes, NULL, &made, &error), &error);
        expect_ok(coarse_matrix(A, &made, &coarse, &error), &error);
        struct block_rows rows = rows_of(A, &cells, by.correction);
        expect_ok(rescale(&by, &coarse, &error), &error);
        expect_rescaled(&rows, &by, &coarse);
        free(rows.values);
        free(rows.places);
        aggregates_free(&made);
        csr_free(A);
        *A = coarse;
    }
    csr_free(A);
}

START_TEST(rows_have_the_bits_of_the_host)
{
    static const int64_t boxes[][3] = {{9, 8, 7}, {7, 6, 1}, {13, 1, 6}, {5, 11, 1},
                                       {2, 2, 2}, {3, 2, 9}, {16, 1, 1}, {2, 9, 2}};
    uint64_t state = test_seed();
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
        for (int64_t unknowns = 2; unknowns <= BLOCK_MAX; unknowns++) {
            struct csr A;
            make_brick(boxes[b][0], boxes[b][1], boxes[b][2], unknowns, &A);
            struct cells cells = grid_of(&A, unknowns);
            ck_assert(cells.n[0] > 0);
            disturb(&A, &state, unknowns % 2 ? 1 : 0.6);
            descend(&A, cells, &state);
        }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {rows_have_the_bits_of_the_host, NULL};
    return suite_of("precondition/multigrid/block_rows", tests);
}
