/* The planes of ranks, of grids of any size: also of more rows than 32 bits count. */
#include "support.h"

#include "precondition/multigrid/distributed/distribute.h"
#include "precondition/multigrid/distributed/planes.h"
#include "spaces.h"

enum { RANKS = 8 };

static void divide(int64_t n, struct partition *partition)
{
    struct error error;
    int count = partition->exchange->count;
    struct exchange *exchange = partition->exchange;
    expect_ok(partition_create(exchange, n, partition, &error), &error);
    ck_assert_int_eq(partition->begin[count], n);
}

/* The own rows are within, with all rows of the tiles that begin there. */
static void expect_around(const struct cells *cells, const struct partition *partition, int r,
                          struct planes planes)
{
    int64_t rows = planes_rows(cells), n = cells_count(cells) * cells->block;
    int64_t tile = survey_tile(cells_count(cells)) * cells->block, end = partition->begin[r + 1];
    end = (end + tile - 1) / tile * tile;
    ck_assert_int_le(planes.first * rows, partition->begin[r]);
    ck_assert_int_ge(planes.last * rows, end < n ? end : n);
}

/* Those of the next level are, but for its first and last plane, unless the grid ends there. */
static void expect_within(const struct cells *next, const struct partition *coarse, int r,
                          struct planes planes)
{
    int64_t rows = planes_rows(next), n = next->n[planes_axis(next)];
    ck_assert_int_ge(coarse->begin[r], (planes.first + (planes.first > 0)) * rows);
    if (planes.last < n)
        ck_assert_int_le(coarse->begin[r + 1], (planes.last - 1) * rows);
}

static void descend(struct cells cells, int ranks)
{
    struct exchange exchange = {.count = ranks};
    struct ranks of = {.real = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1),
                       .partition = {.exchange = &exchange}};
    struct error error;
    divide(cells_count(&cells) * cells.block, &of.partition);
    while (cells.n[0] > 4 && cells.n[1] > 4 && cells.n[2] > 4 * ranks) {
        struct cells next = cells;
        struct partition coarse;
        cells_halve(&next, (bool[]){true, true, true});
        expect_ok(distribute_divide(&of, &next, &coarse, &error), &error);
        for (int r = 0; r < ranks; r++) {
            struct planes planes = planes_of(&cells, &of.partition, r);
            struct planes halved = planes_halve(planes, &cells, &next);
            if (of.partition.begin[r] == of.partition.begin[r + 1])
                continue;
            expect_around(&cells, &of.partition, r, planes);
            expect_within(&next, &coarse, r, halved);
            ck_assert_int_lt((planes.last - planes.first) * planes_rows(&cells), INT32_MAX);
        }
        partition_free(&of.partition);
        of.partition = coarse;
        cells = next;
    }
    partition_free(&of.partition);
    of.real->operations->destroy(of.real);
}

START_TEST(ranks_have_what_they_want)
{
    uint64_t state = test_seed();
    for (int t = 0; t < 200; t++) {
        struct cells cells = {.block = 1 + test_random_below(&state, 4) % 3};
        for (int axis = 0; axis < 3; axis++)
            cells.n[axis] = cells.first[axis] = cells.before[axis] =
                5 + test_random_below(&state, 200);
        descend(cells, 2 + (int)test_random_below(&state, RANKS - 1));
    }
}
END_TEST

START_TEST(more_than_32_bits_count)
{
    static const int64_t sizes[][3] = {
        {1500, 1500, 1500}, {2000, 2000, 2000}, {1501, 1499, 1777}, {30, 40, 3000000}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct cells cells = {.block = 1};
        for (int axis = 0; axis < 3; axis++)
            cells.n[axis] = cells.first[axis] = cells.before[axis] = sizes[s][axis];
        ck_assert_int_gt(cells_count(&cells), INT32_MAX);
        descend(cells, RANKS);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {ranks_have_what_they_want, more_than_32_bits_count, NULL};
    return suite_of("precondition/multigrid/planes", tests);
}
