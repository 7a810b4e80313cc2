/* Several sweeps as one (spmv/sweeps.h, operator_apply_all): every tile sees what it would see of
 * sweeps apart, and products and passes have their bits. */
#include "support.h"

#include "base/memory.h"
#include "made.h"
#include "precondition/multigrid/cycle/smooth.h"
#include "precondition/multigrid/cycle/transfer.h"
#include "precondition/multigrid/setup/grid.h"
#include "space/sum/sum_order.h"
#include "spaces.h"
#include "spmv/kernel.h"
#include "spmv/operator.h"
#include "spmv/precision.h"
#include "spmv/sweeps.h"
#include "spmv/symmetric/sym_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the order of tiles ----------------------------------------------------------------------- */

struct watched {
    int64_t tiles, reach;
    int32_t *done; /* [tiles]: sweeps */
    int64_t wrong; /* tiles that were made too early, or twice */
};

static void watch(const void *context, int sweep, int64_t tile, int64_t last)
{
    const struct watched *watched = context;
    int64_t wrong = 0;
    for (int64_t t = tile; t < last; t++) {
        int64_t from = t < watched->reach ? 0 : t - watched->reach;
        int64_t to = t + watched->reach < watched->tiles ? t + watched->reach : watched->tiles - 1;
        for (int64_t near = from; near <= to; near++)
            wrong += __atomic_load_n(&watched->done[near], __ATOMIC_ACQUIRE) < sweep;
        wrong += __atomic_exchange_n(&watched->done[t], sweep + 1, __ATOMIC_ACQ_REL) != sweep;
    }
    __atomic_fetch_add((int64_t *)&watched->wrong, wrong, __ATOMIC_RELAXED);
}

/* Few and many tiles, also fewer than threads, and shares as short as may be. */
START_TEST(every_tile_in_time)
{
    uint64_t state = test_seed();
    struct error error;
    for (int threads = 1; threads <= 5; threads++) {
        struct threads *team;
        expect_ok(threads_create(threads, &team, &error), &error);
        for (int k = 0; k < 300; k++) {
            int count = 1 + (int)test_random_below(&state, 16);
            int64_t reach = test_random_below(&state, 7);
            int64_t edge = 4 * threads * count * reach;
            int64_t tiles = 1 + test_random_below(&state, k % 2 ? 2 * edge + 9 : 3);
            tiles += k % 4 < 2 ? edge : 0;
            struct watched watched = {tiles, reach, NULL, 0};
            watched.done = memory_zeros(tiles, sizeof *watched.done, "tiles", &error);
            sweeps_run(team, &(struct sweeps){count, tiles, reach, watch, &watched});
            for (int64_t t = 0; t < tiles; t++)
                ck_assert_int_eq(watched.done[t], count);
            ck_assert_msg(watched.wrong == 0,
                          "%d threads, %d sweeps, %d tiles, %d away: %d are made too early",
                          threads, count, (int)tiles, (int)reach, (int)watched.wrong);
            memory_free(watched.done);
        }
        threads_destroy(team);
    }
}
END_TEST

/* --- products and passes ---------------------------------------------------------------------- */

enum { VECTORS = 7 }; /* b, inverse, q, d, x, r, and of as many elements the restricted residual */

struct vectors {
    void *of[VECTORS];
    double dot;
};

static struct vectors vectors_of(int64_t n, bool single, uint64_t *state)
{
    struct vectors made = {.dot = NAN};
    size_t size = single ? sizeof(float) : sizeof(double);
    for (int v = 0; v < VECTORS; v++) {
        made.of[v] = aligned_alloc(64, ((size_t)n * size + 63) / 64 * 64);
        memset(made.of[v], 0xff, (size_t)n * size); /* NaN */
        for (int64_t i = 0; i < n && v != 2 && v != 3 && v != 5; i++)
            if (single)
                ((float *)made.of[v])[i] = (float)(test_random(state) - 0.5);
            else
                ((double *)made.of[v])[i] = test_random(state) - 0.5;
    }
    return made;
}

static void vectors_free(struct vectors *vectors)
{
    for (int v = 0; v < VECTORS; v++)
        free(vectors->of[v]);
}

/* Aggregates of a box, and their tiles; the caller calls aggregates_free, and memory_free of
 * tiled->begin. */
static struct aggregates aggregates_of(const int64_t n[3], int64_t block,
                                       struct tiled_elements *tiled)
{
    struct error error;
    struct aggregates made;
    struct cells cells = {.n = {n[0], n[1], n[2]}, .first = {n[0], n[1], n[2]}, .block = block};
    bool halved[3] = {n[0] > 1, n[1] > 1, n[2] > 1};
    expect_ok(cells_aggregate(&cells, halved, NULL, &made, &error), &error);
    expect_ok(cells_by_tiles(&cells, tiled, &error), &error);
    return made;
}

/* Two steps of a smoother from x, the product before them, and that of what they leave, whose
 * residual is restricted where aggregates have tiles. */
static void smooth(const struct linear_operator *A, const struct aggregates *joined,
                   const struct tiled_elements *tiled, struct vectors *v, bool single)
{
    const struct pass *passes = single ? smooth_passes_float : smooth_passes;
    struct error error;
    struct smooth first = {.b = v->of[0],
                           .q = v->of[2],
                           .inverse = v->of[1],
                           .made_r = v->of[5],
                           .made_d = v->of[3],
                           .of_r = 0.7};
    struct smooth last = {.b = v->of[5],
                          .q = v->of[2],
                          .inverse = v->of[1],
                          .d = v->of[3],
                          .x = v->of[4],
                          .made_x = v->of[4],
                          .of_d = 0.2,
                          .of_r = 0.6,
                          .of_before = 1.1,
                          .beta = 0.9,
                          .along = v->of[0],
                          .dot = single ? NULL : &v->dot};
    const struct pass *of_first = &passes[SMOOTH_FIRST_LATER], *of_last = &passes[SMOOTH_LAST];
    struct operands fused[] = {
        {.x = v->of[4], .y = v->of[2], .pass = of_first, .work = &first},
        {.x = v->of[3], .y = v->of[2], .pass = of_last, .work = &last},
    };
    struct restriction restriction = {.offsets = joined->offsets,
                                      .members = joined->members,
                                      .b = v->of[0],
                                      .q = v->of[2],
                                      .coarse = v->of[6]};
    int restricts = tiled->begin != NULL;
    struct operands apart[] = {
        {.x = v->of[4], .y = v->of[2], .singles = single},
        {.pass = of_first, .work = &first},
        {.x = v->of[3], .y = v->of[2], .singles = single},
        {.pass = of_last, .work = &last},
        {.x = v->of[4], .y = v->of[2], .singles = single},
        {.pass = single ? &pass_restriction_float : &pass_restriction,
         .work = &restriction,
         .elements = tiled},
    };
    if (single)
        expect_ok(operator_apply_all(A, apart, 5 + restricts, &error), &error);
    else
        expect_ok(operator_apply_all(A, fused, 2, &error), &error);
    last.dot = NULL;
    expect_ok(operator_apply_all(A, apart, 5 + restricts, &error), &error);
}

static void compare(const struct csr *A, const int64_t n[3], int threads, bool single,
                    uint64_t seed)
{
    struct tiled_elements tiled;
    struct aggregates joined = aggregates_of(n, 1, &tiled);
    struct error error;
    struct linear_operator spmv;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, threads);
    const struct kernel *kernel = kernel_find("cpu_sym_bitwise");
    struct kernel_options options = kernel_defaults(kernel);
    options.values[SYM_FORM] = SYM_FORM_DIAGONALS;
    ck_assert(choose_precision(kernel, single ? PRECISION_FLOAT : PRECISION_DOUBLE, &options));
    expect_ok(operator_create(kernel, A, &options, space, &spmv, &error), &error);
    ck_assert(spmv.table->apply_all != NULL);
    uint64_t state[2] = {seed, seed};
    struct vectors all = vectors_of(A->n, single, &state[0]);
    struct vectors one = vectors_of(A->n, single, &state[1]);
    smooth(&spmv, &joined, &tiled, &all, single);
    struct operator_table apart = *spmv.table;
    const struct operator_table *own = spmv.table;
    apart.apply_all = NULL;
    spmv.table = &apart;
    smooth(&spmv, &joined, &tiled, &one, single);
    spmv.table = own;
    size_t size = single ? sizeof(float) : sizeof(double);
    for (int v = 2; v < VECTORS; v++)
        ck_assert_msg(memcmp(all.of[v], one.of[v], (size_t)A->n * size) == 0,
                      "%d threads, %d rows, %s: vector %d differs", threads, (int)A->n,
                      single ? "float" : "double", v);
    ck_assert(single || memcmp(&all.dot, &one.dot, sizeof all.dot) == 0);
    ck_assert(single || !isnan(all.dot));
    vectors_free(&all);
    vectors_free(&one);
    memory_free(tiled.begin);
    aggregates_free(&joined);
    operator_destroy(&spmv);
    space->operations->destroy(space);
}

static void make_box(const int64_t n[3], struct csr *A)
{
    struct error error;
    struct poisson3d box = {.n = {n[0], n[1], n[2]}, .weights = {1, 0.7, 3}, .jump = 100};
    expect_ok(poisson3d_create(&box, A, &error), &error);
}

/* Every aggregate is of the tile of its last row, and begins within reach. Few tiles are none. */
START_TEST(aggregates_have_tiles)
{
    static const int64_t sizes[][3] = {{11, 13, 301}, {5, 7, 2003}, {40001, 1, 1}, {301, 100, 1},
                                       {159, 3, 300}, {4, 4, 4003}, {3, 3, 3}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int64_t block = 1; block <= 3; block++) {
            struct tiled_elements tiled;
            struct aggregates a = aggregates_of(sizes[s], block, &tiled);
            int64_t tiles = (a.n + SUM_TILE - 1) / SUM_TILE;
            ck_assert_int_eq(tiled.begin != NULL, tiles > 1);
            for (int64_t t = 0; t < tiles && tiled.begin; t++)
                for (int64_t I = tiled.begin[t]; I < tiled.begin[t + 1]; I++) {
                    ck_assert_int_eq(a.members[a.offsets[I + 1] - 1] / SUM_TILE, t);
                    ck_assert_int_ge(a.members[a.offsets[I]] / SUM_TILE, t - tiled.reach);
                }
            if (tiled.begin) {
                ck_assert_int_eq(tiled.count, a.count);
                ck_assert_int_eq(tiled.begin[0], 0);
                ck_assert_int_eq(tiled.begin[tiles], a.count);
            }
            memory_free(tiled.begin);
            aggregates_free(&a);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Long boxes have many tiles for their reach; a cube has few, and a line reaches one tile far. In
 * planes of almost a tile, of long lines, cells reach further than the matrix. */
START_TEST(products_and_passes)
{
    static const int64_t sizes[][3] = {{11, 13, 301}, {5, 7, 2003}, {40001, 1, 1}, {31, 29, 27},
                                       {301, 100, 1}, {3, 3, 3},    {159, 3, 300}};
    uint64_t seed = test_seed();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct csr A;
        make_box(sizes[s], &A);
        for (int threads = 1; threads <= 4; threads++)
            for (int single = 0; single < 2; single++)
                compare(&A, sizes[s], threads, single, seed + s);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_tile_in_time, products_and_passes, aggregates_have_tiles, NULL};
    return suite_of("spmv/sweeps", tests);
}
