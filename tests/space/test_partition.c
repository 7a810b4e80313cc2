/* Sums over ranks, from the sums of tiles: with any number of ranks the bits of one. */
#include "support.h"

#include "ranks.h"
#include "space/ranks/partition.h"
#include "space/sum/cpu_sum.h"
#include "space/sum/sum_order.h"

#include <pthread.h>
#include <string.h>

enum { RANKS = TEST_RANKS_MAX, SUMS = 3 };

struct member {
    struct exchange *exchange; /* first */
    int64_t n, terms;
    const double *term; /* [SUMS][terms] */
    double results[SUMS], added;
    struct compensated compensated;
    struct error error;
    enum status status;
};

static enum status sum_all(struct member *member, struct partition *partition)
{
    int64_t first = sum_tiles(partition_first(partition));
    int64_t tiles = sum_tiles(partition_first(partition) + partition_rows(partition)) - first;
    struct pass_sum sums[SUMS];
    double *own = memory_array(SUMS * tiles + 1, sizeof *own, "terms", NULL);
    for (int k = 0; k < SUMS; k++) {
        sums[k].result = &member->results[k];
        memcpy(own + k * tiles, member->term + k * member->terms + first,
               (size_t)tiles * sizeof *own);
    }
    enum status status = partition_sum(partition, own, SUMS, sums, &member->error);
    if (!status) /* pairs: two of the sums' terms */
        status =
            partition_sum_compensated(partition, (const struct compensated *)member->term + first,
                                      &member->compensated, &member->error);
    if (!status)
        status =
            partition_add(partition, member->exchange->rank + 0.5, &member->added, &member->error);
    memory_free(own);
    return status;
}

static void *sum_in_rank(void *context)
{
    struct member *member = context;
    struct partition partition = {0};
    member->status = partition_create(member->exchange, member->n, &partition, &member->error);
    if (!member->status)
        member->status = sum_all(member, &partition);
    partition_free(&partition);
    return NULL;
}

static void trial(int64_t n, int ranks, uint64_t *state)
{
    static struct member member[RANKS];
    int64_t terms = sum_tiles(n);
    double *term = memory_array(SUMS * terms, sizeof *term, "terms", NULL);
    for (int64_t t = 0; t < SUMS * terms; t++)
        term[t] = test_random(state) - 0.5;
    for (int r = 0; r < ranks; r++)
        member[r] = (struct member){.n = n, .terms = terms, .term = term};
    test_ranks(ranks, sum_in_rank, member, sizeof *member);
    struct compensated *pairs = memory_array(terms, sizeof *pairs, "terms", NULL);
    memcpy(pairs, term, (size_t)terms * sizeof *pairs);
    struct compensated pair = sum_levels_compensated(pairs, terms);
    for (int k = 0; k < SUMS; k++) {
        double wanted = sum_levels(term + k * terms, terms);
        for (int r = 0; r < ranks; r++) {
            expect_ok(member[r].status, &member[r].error);
            ck_assert_msg(member[r].results[k] == wanted, "n = %lld, rank %d of %d: %a, %a",
                          (long long)n, r, ranks, member[r].results[k], wanted);
            ck_assert(member[r].compensated.sum == pair.sum &&
                      member[r].compensated.error == pair.error);
            ck_assert(member[r].added == 0.5 * ranks * ranks);
        }
    }
    memory_free(pairs);
    memory_free(term);
    ck_assert_int_eq(memory_live(), 0);
}

/* Tiles of tiles that are whole in a rank, that several have, and that are short. */
START_TEST(sums_have_the_bits_of_one_rank)
{
    const int64_t tile = SUM_TILE, tile_of_tiles = tile * tile;
    const int64_t sizes[] = {1,
                             tile,
                             tile + 1,
                             7 * tile,
                             tile_of_tiles,
                             tile_of_tiles + 1,
                             5 * tile_of_tiles,
                             5 * tile_of_tiles - tile,
                             23 * tile_of_tiles + 17};
    uint64_t state = test_seed();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int ranks = 1; ranks <= RANKS; ranks += 1 + ranks / 4)
            trial(sizes[k], ranks, &state);
    for (int k = 0; k < 30; k++)
        trial(1 + test_random_below(&state, 9 * tile_of_tiles),
              1 + (int)test_random_below(&state, RANKS), &state);
}
END_TEST

/* One that does not come leaves no other waiting. */
static void *wait_for_all(void *context)
{
    struct member *member = context;
    double sum;
    struct partition partition = {0};
    member->status = partition_create(member->exchange, 1000, &partition, &member->error);
    if (!member->status)
        member->status = partition_add(&partition, 1, &sum, &member->error);
    partition_free(&partition);
    return NULL;
}

START_TEST(nobody_waits_for_one_that_has_ended)
{
    static struct member member[RANKS];
    struct exchange_team *team;
    struct error error;
    pthread_t thread[RANKS];
    expect_ok(exchange_team_create(RANKS, &team, &error), &error);
    for (int r = 0; r < RANKS; r++) {
        member[r].exchange = exchange_of_thread(team, r);
        if (r != 4)
            ck_assert_int_eq(pthread_create(&thread[r], NULL, wait_for_all, &member[r]), 0);
    }
    member[4].exchange->operations->abandon(member[4].exchange, 1, "no memory");
    for (int r = 0; r < RANKS; r++)
        if (r != 4) {
            pthread_join(thread[r], NULL);
            expect_error(member[r].status, STATUS_RANK, &member[r].error, "rank 4 of 12 has ended",
                         "no memory", NULL);
        }
    exchange_team_destroy(team);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {sums_have_the_bits_of_one_rank, nobody_waits_for_one_that_has_ended,
                            NULL};
    return suite_of("space/partition", tests);
}
