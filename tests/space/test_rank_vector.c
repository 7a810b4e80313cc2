/* Vectors of which each rank has its own rows: norm, hash and pieces of the whole one. */
#include "support.h"

#include "base/hash.h"
#include "ranks.h"
#include "space/ranks/rank_vector.h"
#include "space/vector_norm.h"

#include <math.h>
#include <string.h>

enum { RANKS = TEST_RANKS_MAX, MOST = 140000 };

struct member {
    struct exchange *exchange; /* first */
    const double *v;           /* [n] */
    int64_t n, from, until;    /* of a fetch */
    double norm;
    uint64_t hash;
    int64_t shown; /* rows, in their order */
    bool same;     /* what came is what there was */
    struct error error;
    enum status status;
};

static enum status see(void *context, int64_t first, int64_t count, const double *values,
                       struct error *error)
{
    struct member *member = context;
    (void)error;
    member->same = member->same && first == member->shown && count > 0 &&
                   memcmp(values, member->v + first, (size_t)count * sizeof *values) == 0;
    member->shown += count;
    return STATUS_OK;
}

/* Its own rows, and NaN elsewhere. */
static void poison(const struct member *member, const struct partition *of, double *v)
{
    int64_t first = partition_first(of), last = first + partition_rows(of);
    for (int64_t i = 0; i < member->n; i++)
        v[i] = i >= first && i < last ? member->v[i] : NAN;
}

static enum status look(struct member *member, struct partition *of, struct threads *threads,
                        double *v)
{
    int64_t n = member->n, from = member->from, until = member->until;
    struct error *error = &member->error;
    poison(member, of, v);
    enum status status = rank_vector_show(of, n, v, see, member, error);
    if (!status)
        status = rank_vector_fetch(of, sizeof *v, from, until, v, error);
    if (!status && from < until)
        member->same = member->same &&
                       memcmp(v + from, member->v + from, (size_t)(until - from) * sizeof *v) == 0;
    poison(member, of, v);
    if (!status)
        status = rank_vector_norm(threads, of, n, v, &member->norm, error);
    poison(member, of, v);
    return status ? status : rank_vector_hash(threads, of, n, v, &member->hash, error);
}

static void *look_in_rank(void *context)
{
    struct member *member = context;
    struct partition of = {0};
    struct threads *threads = NULL;
    double *v = NULL;
    member->status = partition_create(member->exchange, member->n, &of, &member->error);
    if (!member->status)
        member->status = threads_create(1 + member->exchange->rank % 2, &threads, &member->error);
    if (!member->status) {
        v = rank_vector_create(&of, member->n, sizeof *v, "v", &member->error);
        member->status = v ? look(member, &of, threads, v) : STATUS_MEMORY;
    }
    if (member->status)
        member->exchange->operations->abandon(member->exchange, 1, member->error.text);
    rank_vector_free(&of, member->n, sizeof *v, v);
    threads_destroy(threads);
    partition_free(&of);
    return NULL;
}

static void trial(int64_t n, int ranks, double scale, uint64_t *state)
{
    static struct member member[RANKS];
    static double v[MOST];
    struct threads *threads;
    struct error error;
    for (int64_t i = 0; i < n; i++)
        v[i] = scale * (test_random(state) - 0.5);
    for (int r = 0; r < ranks; r++) {
        int64_t from = test_random_below(state, n + 1);
        member[r] = (struct member){.v = v, .n = n, .from = from, .same = true};
        member[r].until = from + test_random_below(state, n - from + 1);
    }
    test_ranks(ranks, look_in_rank, member, sizeof *member);
    expect_ok(threads_create(2, &threads, &error), &error);
    double norm = vector_norm(threads, n, v);
    uint64_t hash = hash_vector(threads, v, n);
    threads_destroy(threads);
    for (int r = 0; r < ranks; r++) {
        expect_ok(member[r].status, &member[r].error);
        ck_assert_msg(member[r].same && member[r].shown == (r == 0 ? n : 0),
                      "n = %d, rank %d of %d", (int)n, r, ranks);
        ck_assert_msg(memcmp(&member[r].norm, &norm, sizeof norm) == 0 ||
                          (isnan(norm) && isnan(member[r].norm)),
                      "n = %d, rank %d of %d: norm %a, %a", (int)n, r, ranks, member[r].norm, norm);
        ck_assert_msg(member[r].hash == hash, "n = %d, rank %d of %d: hash", (int)n, r, ranks);
    }
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(ranks_see_the_whole_vector)
{
    static const int64_t sizes[] = {1, 2, 255, 257, 480, 481, 4096, 4097, 480 * RANKS, 8192, MOST};
    uint64_t state = test_seed();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int ranks = 1; ranks <= RANKS; ranks += 1 + ranks / 4)
            trial(sizes[k], ranks, 1, &state);
    for (int k = 0; k < 30; k++)
        trial(1 + test_random_below(&state, MOST), 1 + (int)test_random_below(&state, RANKS), 1,
              &state);
}
END_TEST

START_TEST(norms_of_any_size)
{
    uint64_t state = test_seed();
    const double scales[] = {0, 1e-310, 1e300, INFINITY, NAN};
    for (int k = 0; k < 5; k++)
        trial(5000, 3, scales[k], &state);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("space/rank_vector");
    TCase *tests = tcase_of("all");
    tcase_add_test(tests, ranks_see_the_whole_vector);
    tcase_add_test(tests, norms_of_any_size);
    suite_add_tcase(made, tests);
    return made;
}
