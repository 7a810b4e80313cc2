/* Tiles dealt out to blocks (spmv/symmetric/diagonals/bricks.h): every neighbour of every row is in
 * its place. */
#include "support.h"

#include "base/memory.h"
#include "space/sum/sum_order.h"
#include "spmv/symmetric/diagonals/bricks.h"

#include <stdlib.h>
#include <string.h>

/* The rows that a block has in its places; -1: none. The caller frees them. */
static int64_t *rows_of(const struct bricks *bricks, int64_t tiles, int b)
{
    int64_t before = (int64_t)(bricks->slots + 1) * SUM_TILE, places = before + bricks->halo[b];
    int64_t *row = malloc((size_t)places * sizeof *row);
    memset(row, 0xff, (size_t)places * sizeof *row);
    for (int s = 0; s < bricks->slots; s++) {
        int64_t tile = bricks->tile[(int64_t)b * bricks->slots + s];
        for (int64_t e = 0; tile >= 0 && e < SUM_TILE; e++)
            row[s * SUM_TILE + e] = tile * SUM_TILE + e;
    }
    for (int32_t k = bricks->run_first[b]; k < bricks->run_first[b + 1]; k++) {
        int64_t end = k + 1 < bricks->run_first[b + 1] ? bricks->runs[k + 1].place : places;
        for (int64_t at = bricks->runs[k].place; at < end; at++) {
            row[at] = bricks->runs[k].row + at - bricks->runs[k].place;
            ck_assert_int_lt(row[at], tiles * SUM_TILE);
            ck_assert(bricks->exported[row[at] / SUM_TILE] >> row[at] % SUM_TILE / SUM_LANES & 1);
        }
    }
    return row;
}

/* Of a row outside of the vector -1, else the row itself. */
static void check_pieces(const struct bricks *bricks, int64_t tiles, const int32_t *distances,
                         int64_t count, int b)
{
    int64_t *row = rows_of(bricks, tiles, b), wrong = 0;
    for (int64_t at = (int64_t)b * bricks->slots; at < (int64_t)(b + 1) * bricks->slots; at++)
        for (int64_t k = 0; bricks->tile[at] >= 0 && k < bricks->width; k++) {
            struct bricks_piece piece = bricks->pieces[at * bricks->width + k];
            int64_t m = count - 1, d = k < m ? -distances[m - k] : distances[k - m];
            for (int64_t e = 0; e < SUM_TILE; e++) {
                int64_t j = bricks->tile[at] * (int64_t)SUM_TILE + e + d;
                int64_t place = (e < piece.split ? piece.low : piece.high) + e;
                wrong += row[place] != (j < 0 || j >= tiles * SUM_TILE ? -1 : j);
            }
        }
    ck_assert_msg(wrong == 0, "block %d: %d neighbours are not in their places", b, (int)wrong);
    free(row);
}

static int check_box(int64_t nx, int64_t ny, int64_t nz, int blocks)
{
    struct error error;
    struct bricks bricks;
    int32_t distances[4] = {0, 1, (int32_t)nx, (int32_t)(nx * ny)};
    int64_t n = nx * ny * nz, tiles = sum_tiles(n), count = nz > 1 ? 4 : ny > 1 ? 3 : 2;
    blocks = blocks < tiles ? blocks : (int)tiles;
    expect_ok(bricks_create(n, distances, count, blocks, &bricks, &error), &error);
    int64_t *met = calloc((size_t)tiles, sizeof *met);
    for (int64_t at = 0; at < (int64_t)blocks * bricks.slots; at++)
        if (bricks.tile[at] >= 0)
            met[bricks.tile[at]]++;
    for (int64_t t = 0; t < tiles; t++)
        ck_assert_int_eq(met[t], 1);
    free(met);
    for (int b = 0; b < blocks; b++) {
        ck_assert_int_ge(bricks.tile[(int64_t)b * bricks.slots], 0);
        ck_assert_int_le(bricks.halo[b], bricks.halo_most);
        check_pieces(&bricks, tiles, distances, count, b);
    }
    int halo = bricks.halo_most;
    bricks_free(&bricks);
    return halo;
}

START_TEST(boxes)
{
    uint64_t seed = test_seed();
    for (int k = 0; k < 100; k++)
        check_box(2 + test_random_below(&seed, 60), 2 + test_random_below(&seed, 60),
                  1 + test_random_below(&seed, 60), 1 + (int)test_random_below(&seed, 140));
    check_box(1, 1, 1, 132);
    check_box(5000, 1, 1, 3);
    check_box(300, 200, 1, 132);
}
END_TEST

/* What a thread of each kernel of solver/resident/resident.cu can wait for. */
START_TEST(halos_are_short)
{
    ck_assert_int_le(check_box(64, 64, 64, 132), 3072);
    ck_assert_int_le(check_box(96, 96, 96, 132), 14 * 32 * 12);
    ck_assert_int_le(check_box(100, 100, 100, 132), 16 * 32 * 10);
}
END_TEST

START_TEST(every_failing_allocation_is_survived)
{
    static const int32_t distances[] = {0, 1, 10, 100};
    struct error error;
    struct bricks bricks;
    enum status status = STATUS_MEMORY;
    for (int64_t k = 0; status == STATUS_MEMORY; k++) {
        memory_fail_after(k);
        status = bricks_create(5000, distances, 4, 3, &bricks, &error);
        memory_fail_after(-1);
        bricks_free(&bricks);
    }
    expect_ok(status, &error);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("spmv/bricks");
    TCase *tests = tcase_of("all");
    tcase_add_test(tests, boxes);
    tcase_add_test(tests, halos_are_short);
    tcase_add_test(tests, every_failing_allocation_is_survived);
    suite_add_tcase(made, tests);
    return made;
}
