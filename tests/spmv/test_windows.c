/* Halos of windows: all rows between two, the own ones among them. */
#include "support.h"

#include "base/memory.h"
#include "base/random.h"
#include "ranks.h"
#include "space/ranks/ranks.h"
#include "spmv/distributed/rank_halo.h"

#include <math.h>
#include <string.h>

enum { RANKS = 5, COLUMNS = 4, ROWS = 7000 };

struct rank {
    struct exchange *exchange; /* first */
    uint64_t seed;
    int64_t n;
    int columns;
    bool singles;
    int64_t wrong; /* rows that are not what their owner has, or none was made */
    enum status status;
    struct error error;
};

static double element(int64_t row, int column)
{
    return (double)(row * COLUMNS + column + 1);
}

static double get(const struct rank *rank, const void *v, int64_t k)
{
    return rank->singles ? (double)((const float *)v)[k] : ((const double *)v)[k];
}

static void put(const struct rank *rank, double value, void *v, int64_t k)
{
    if (rank->singles)
        ((float *)v)[k] = (float)value;
    else
        ((double *)v)[k] = value;
}

/* Own rows, and NaN around them; then all rows of the window. */
static enum status exchange_window(struct rank *rank, struct ranks *ranks, int64_t first,
                                   struct ghost_rows *rows, struct rank_halo *halo)
{
    struct error *error = &rank->error;
    int64_t size = rank->singles ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
    int64_t count = rows->below + rows->own + rows->above;
    void *own = NULL;
    ranks_make_room(ranks, rows->below, rows->above);
    enum status status =
        ranks_multivector(&ranks->base, rank->n, rank->columns, (size_t)size, "x", &own, error);
    if (status)
        return status;
    void *local = (char *)own - rows->below * rank->columns * size;
    for (int turn = 0; turn < 2 && !status; turn++) {
        for (int64_t k = 0; k < count * rank->columns; k++) {
            int64_t row = k / rank->columns;
            bool is_own = row >= rows->below && row < rows->below + rows->own;
            double value = element(first + row, (int)(k % rank->columns));
            put(rank, is_own ? value : NAN, local, k);
        }
        status = halo->table->bring(halo, rank->columns, rank->singles, local, error);
        for (int64_t k = 0; k < count * rank->columns; k++)
            rank->wrong +=
                get(rank, local, k) != element(first + k / rank->columns, (int)(k % rank->columns));
    }
    space_release(&ranks->base, own);
    return status;
}

static void *run(void *context)
{
    struct rank *rank = context;
    struct space_options options = {.threads = 1, .exchange = rank->exchange, .rows = rank->n};
    struct error *error = &rank->error;
    struct space *space = NULL;
    struct ghost_rows rows = {0};
    struct rank_halo *halo = NULL;
    rank->wrong = 0;
    rank->status = space_create(SPACE_CPU, &options, &space, error);
    if (rank->status)
        return NULL;
    struct ranks *ranks = ranks_of(space);
    int64_t begin = partition_first(&ranks->partition), own = partition_rows(&ranks->partition);
    uint64_t number = 2 * (uint64_t)rank->exchange->rank;
    int64_t first = (int64_t)((double)begin * random_share(rank->seed, number));
    int64_t last =
        begin + own +
        (int64_t)((double)(rank->n - begin - own) * random_share(rank->seed, number + 1));
    rank->status = ghost_rows_window(&ranks->partition, first, last, &rows, error);
    if (!rank->status)
        rank->status = rank_halo_create(ranks, &rows, &halo, error);
    if (!rank->status && rows.below + rows.own + rows.above != last - first)
        rank->wrong++;
    if (!rank->status)
        rank->status = halo->table->prepare(halo, rank->columns, error);
    if (!rank->status)
        rank->status = exchange_window(rank, ranks, first, &rows, halo);
    if (halo)
        halo->table->destroy(halo);
    ghost_rows_free(&rows);
    space->operations->destroy(space);
    return NULL;
}

/* Of ranks without rows, too: few rows have fewer tiles than there are ranks. */
START_TEST(every_row_of_a_window_comes)
{
    uint64_t seed = test_seed() + (uint64_t)_i;
    struct rank all[RANKS];
    memset(all, 0, sizeof all);
    for (int r = 0; r < RANKS; r++) {
        all[r].seed = seed;
        all[r].n = 1 + (int64_t)(random_share(seed, 99) * ROWS);
        all[r].columns = _i % 2 ? COLUMNS : 1;
        all[r].singles = _i % 4 >= 2;
    }
    test_ranks(RANKS, run, all, sizeof *all);
    for (int r = 0; r < RANKS; r++) {
        expect_ok(all[r].status, &all[r].error);
        ck_assert_int_eq(all[r].wrong, 0);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("spmv/windows");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, every_row_of_a_window_comes, 0, 12);
    suite_add_tcase(made, tests);
    return made;
}
