/* A pass over ranks with a GPU each, or one for several: vectors and sums have the bits of one CPU,
 * turn for turn. */
#include "support.h"

#include "base/random.h"
#include "cuda_device.h"
#include "ranks.h"
#include "space/ranks/ranks.h"
#include "space/space.h"
#include "space/sum/sum_order.h"
#include "space/trial_pass.h"

#include <string.h>

enum { TURNS = 3, MOST_RANKS = 5 };

struct member {
    struct exchange *exchange; /* first; NULL: alone */
    enum space_kind kind;
    enum reductions reductions;
    int device;
    int64_t n, above;    /* rows; and those of the space above, of which this is a subspace, or 0 */
    const double *x, *y; /* [n] */
    double scalars[TURNS][TRIAL_SCALARS];
    double *made; /* [2 n] */
    struct error error;
    enum status status;
};

static enum status run_turns(struct member *member, struct space *space)
{
    int64_t n = member->n, bytes = TRIAL_SCALARS * sizeof(double);
    struct error *error = &member->error;
    struct trial_work work = {0};
    const double begin[TRIAL_SCALARS] = {[TRIAL_NUMERATOR] = 0.3, [TRIAL_DENOMINATOR] = 0.7};
    enum status status = space_vector(space, n, "x", &work.x, error);
    if (!status)
        status = space_vector(space, n, "y", &work.y, error);
    if (!status)
        status = space_scalars(space, TRIAL_SCALARS, "scalars", &work.scalars, error);
    if (!status)
        status = space_upload(space, n, member->x, work.x, error);
    if (!status)
        status = space_upload(space, n, member->y, work.y, error);
    if (!status)
        status = space->operations->upload(space, bytes, begin, work.scalars, error);
    for (int k = 0; k < TURNS && !status; k++) {
        status = space_run(space, &trial, n, &work, error);
        if (!status)
            status =
                space->operations->download(space, bytes, work.scalars, member->scalars[k], error);
    }
    if (!status)
        status = space_download(space, n, work.x, member->made, error);
    if (!status)
        status = space_download(space, n, work.y, member->made + n, error);
    space_release(space, work.x);
    space_release(space, work.y);
    space_release(space, work.scalars);
    return status;
}

/* Twice in a subspace, whose sums are lent. */
static enum status run_below(struct member *member, struct space *above)
{
    struct partition partition;
    struct ranks *below = NULL;
    struct error *error = &member->error;
    enum status status = partition_create(member->exchange, member->n, &partition, error);
    if (!status)
        status = ranks_subspace(ranks_of(above), &partition, &below, error);
    for (int k = 0; k < 2 && !status; k++) {
        status = ranks_lend_sums(below, error);
        if (!status)
            status = run_turns(member, &below->base);
        status = ranks_return_sums(below, status, error);
    }
    if (below)
        below->base.operations->destroy(&below->base);
    return status;
}

static void *run_member(void *context)
{
    struct member *member = context;
    struct space *space = NULL;
    struct space_options options = {.reductions = member->reductions,
                                    .threads = 1,
                                    .device = member->device,
                                    .exchange = member->exchange,
                                    .rows = member->above ? member->above : member->n};
    bool is_below = member->exchange && member->above;
    member->status = space_create(member->kind, &options, &space, &member->error);
    if (!member->status)
        member->status = (is_below ? run_below : run_turns)(member, space);
    if (member->status && member->exchange)
        member->exchange->operations->abandon(member->exchange, 1, member->error.text);
    if (space)
        space->operations->destroy(space);
    return NULL;
}

static void compare(int64_t n, int64_t above, int ranks, enum reductions reductions)
{
    struct member alone = {.kind = SPACE_CPU, .reductions = reductions, .n = n};
    struct member member[MOST_RANKS];
    int devices = cuda_devices(ranks);
    double *x = memory_array(2 * n, sizeof *x, "x", NULL);
    random_vector(test_seed(), 2 * n, x);
    alone.x = x;
    alone.y = x + n;
    alone.made = memory_array(2 * n, sizeof *x, "what is made", NULL);
    run_member(&alone);
    expect_ok(alone.status, &alone.error);
    for (int r = 0; r < ranks; r++) {
        member[r] = alone;
        member[r].kind = SPACE_CUDA;
        member[r].above = above;
        member[r].device = r % devices;
        member[r].made = memory_zeros(2 * n, sizeof *x, "what is made", NULL);
    }
    test_ranks(ranks, run_member, member, sizeof *member);
    for (int r = 0; r < ranks; r++) {
        expect_ok(member[r].status, &member[r].error);
        ck_assert_msg(memcmp(member[r].scalars, alone.scalars, sizeof alone.scalars) == 0,
                      "n = %lld, rank %d of %d: x . x = %a, %a", (long long)n, r, ranks,
                      member[r].scalars[0][TRIAL_SQUARE], alone.scalars[0][TRIAL_SQUARE]);
        ck_assert(memcmp(member[r].made, alone.made, (size_t)(2 * n) * sizeof *x) == 0);
        memory_free(member[r].made);
    }
    memory_free(alone.made);
    memory_free(x);
    ck_assert_int_eq(memory_live(), 0);
}

static const enum reductions tried[] = {REDUCTIONS_REPRODUCIBLE, REDUCTIONS_COMPENSATED,
                                        REDUCTIONS_EXACT};

/* Groups of tiles that are one rank's, that several have, and that are short. */
START_TEST(passes_have_the_bits_of_one_cpu)
{
    const int64_t tile = SUM_TILE, group = tile * tile;
    const int64_t sizes[] = {5 * tile, group, group + 1, 5 * group, 5 * group - tile - 3};
    uint64_t state = test_seed();
    if (!cuda_device_is_there())
        return;
    int most = cuda_ranks(MOST_RANKS);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int ranks = 2; ranks <= most; ranks++)
            if (test_case_runs((int64_t)k * MOST_RANKS + ranks, 15))
                compare(sizes[k], 0, ranks, tried[_i]);
    for (int k = 0; k < (test_is_slow() ? 1 : 5) && most > 1; k++)
        compare(MOST_RANKS * tile + test_random_below(&state, 4 * group), 0,
                2 + (int)test_random_below(&state, most - 1), tried[_i]);
}
END_TEST

START_TEST(subspaces_have_sums)
{
    const int64_t tile = SUM_TILE, group = tile * tile;
    uint64_t state = test_seed();
    int most = cuda_device_is_there() ? cuda_ranks(MOST_RANKS) : 1;
    for (int k = 0; k < (test_is_slow() ? 1 : 5) && most > 1; k++)
        compare(MOST_RANKS * tile + test_random_below(&state, group),
                MOST_RANKS * tile + test_random_below(&state, 4 * group),
                2 + (int)test_random_below(&state, most - 1), tried[_i]);
}
END_TEST

static void *create_alone(void *context)
{
    struct member *member = context;
    struct space *space;
    struct space_options options = {
        .reductions = member->reductions, .exchange = member->exchange, .rows = member->n};
    member->status = space_create(SPACE_CUDA, &options, &space, &member->error);
    return NULL;
}

static void expect_refused(int64_t n, enum reductions reductions, const char *words)
{
    struct member member[MOST_RANKS];
    for (int r = 0; r < MOST_RANKS; r++)
        member[r] = (struct member){.reductions = reductions, .n = n};
    test_ranks(MOST_RANKS, create_alone, member, sizeof *member);
    for (int r = 0; r < MOST_RANKS; r++)
        expect_error(member[r].status, STATUS_CONFIG, &member[r].error, words, NULL);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(what_has_no_order_or_no_rows_is_refused)
{
    if (!cuda_device_is_there())
        return;
    expect_refused(99 * SUM_TILE, REDUCTIONS_ATOMIC, "not atomic");
    expect_refused(99 * SUM_TILE, REDUCTIONS_BLAS, "not blas");
    expect_refused((MOST_RANKS - 1) * SUM_TILE, REDUCTIONS_REPRODUCIBLE, "1921 rows at least");
}
END_TEST

Suite *suite(void)
{
    test_ranks_of_gpus();
    Suite *made = suite_create("space/ranks_cuda");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, passes_have_the_bits_of_one_cpu, 0, 3);
    tcase_add_loop_test(tests, subspaces_have_sums, 0, 3);
    tcase_add_test(tests, what_has_no_order_or_no_rows_is_refused);
    suite_add_tcase(made, tests);
    return made;
}
