/* Chains that branch: which nodes are joined, by the header and by nothing else; and the random
 * order they use. */
#include "problem/patterns.h"

#include "support.h"

#include "base/random.h"
#include "problem/generators.h"
#include "problem/pattern.h"

#include <math.h>
#include <stdlib.h>

static enum status make(const void *settings, const struct pattern_options *options, struct csr *A,
                        struct error *error)
{
    struct chains made = *(const struct chains *)settings;
    made.pattern = *options;
    return problem_create(&problem_chains, &made, A, error);
}

START_TEST(a_random_order_has_each_number_once)
{
    uint64_t seed = test_seed();
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 1000, 1024, 1025, 65537};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct random_order order = random_order_make(seed + s, sizes[s]);
        struct error error;
        char *seen = memory_zeros(sizes[s], 1, "seen", &error);
        ck_assert(seen);
        for (int64_t place = 0; place < sizes[s]; place++) {
            int64_t number = random_order_at(&order, place);
            if (number < 0 || number >= sizes[s] || seen[number] ||
                random_order_of(&order, number) != place)
                ck_abort_msg("place %d of %d: %d", (int)place, (int)sizes[s], (int)number);
            seen[number] = 1;
        }
        memory_free(seen);
    }
}
END_TEST

/* Numbers of neighbouring places are as far apart as random ones: n / 3 on average, with the
 * standard deviation n / sqrt(18); and few stay where they are: one, on average, of Poisson's
 * distribution. */
START_TEST(a_random_order_keeps_nothing_together)
{
    enum { N = 100000 };
    struct random_order order = random_order_make(test_seed(), N);
    double sum = 0;
    int stay = 0;
    for (int64_t place = 0; place + 1 < N; place++) {
        int64_t number = random_order_at(&order, place);
        sum += (double)llabs(number - random_order_at(&order, place + 1)) / N;
        stay += number == place;
    }
    ck_assert_msg(fabs(sum / N - 1.0 / 3) < 8 / sqrt(18.0 * N), "%g", sum / N);
    ck_assert_msg(stay < 20, "%d", stay);
}
END_TEST

/* Whether the node v says that it is joined to w. */
static bool names(const struct chains *chains, uint64_t seed, int64_t v, int64_t w)
{
    uint64_t stream = splitmix64(seed, 2);
    struct random_order other = random_order_make(splitmix64(seed, 4), chains->n);
    if (w == v + 1 && !(random_share(stream, 2 * (uint64_t)v) < chains->cuts))
        return true;
    return w != v && random_share(stream, 2 * (uint64_t)v + 1) < chains->branches &&
           random_order_at(&other, v) == w;
}

static bool are_joined(const struct made_pattern *made, int64_t i, int64_t j)
{
    const struct chains *chains = made->settings;
    uint64_t seed = (uint64_t)made->options.seed;
    if (chains->numbering == CHAINS_RANDOM) {
        struct random_order order = random_order_make(splitmix64(seed, 6), chains->n);
        i = random_order_of(&order, i);
        j = random_order_of(&order, j);
    }
    return names(chains, seed, i, j) || names(chains, seed, j, i);
}

START_TEST(nodes_are_joined_as_the_header_says)
{
    const int64_t seed = (int64_t)(test_seed() >> 1);
    static const struct chains cases[] = {
        {1, 0.1, 0.2, .numbering = CHAINS_NATURAL},
        {2, 0, 1, .numbering = CHAINS_RANDOM},
        {3, 0, 1, .numbering = CHAINS_NATURAL},
        {200, 0.098, 0.163, .numbering = CHAINS_NATURAL},
        {200, 0.098, 0.163, .numbering = CHAINS_RANDOM},
        {150, 0, 1, .numbering = CHAINS_RANDOM},
        {150, 1, 0, .numbering = CHAINS_RANDOM},
        {100, 0.5, 0.9, .numbering = CHAINS_RANDOM},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int kind = PATTERN_SYMMETRIC; kind <= PATTERN_GENERAL; kind++) {
            struct made_pattern made = {make, &cases[k], {kind, PATTERN_DRAWN, 0.5, seed}};
            expect_entries(&made, are_joined);
        }
}
END_TEST

START_TEST(the_same_bits_everywhere)
{
    static const struct chains chains = {5000, 0.098, 0.163, .numbering = CHAINS_RANDOM};
    struct made_pattern made = {make, &chains, {PATTERN_SYMMETRIC, PATTERN_DRAWN, 1, 42}};
    expect_reproducible(&made, UINT64_C(0x3a079fca929360eb));
    made.options.kind = PATTERN_GENERAL;
    expect_reproducible(&made, UINT64_C(0x0d91c2a31221d11d));
    made.options.rows = PATTERN_EQUAL;
    expect_reproducible(&made, UINT64_C(0x92aee63f8cf645f9));
}
END_TEST

START_TEST(rows_are_dealt)
{
    static const struct chains cases[] = {
        {5000, 0.098, 0.163, .numbering = CHAINS_NATURAL},
        {1000, 1, 0.2, .numbering = CHAINS_RANDOM}, /* fewer entries than rows */
        {1000, 1, 0, .numbering = CHAINS_NATURAL},  /* none */
        {1, 0, 0, .numbering = CHAINS_NATURAL}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct made_pattern made = {
            make, &cases[k], {.shift = 1, .seed = (int64_t)(test_seed() >> 1)}};
        expect_dealt(&made);
    }
}
END_TEST

START_TEST(bad_numbers_are_refused)
{
    static const struct {
        struct chains chains;
        struct pattern_options options;
        const char *text;
    } bad[] = {
        {{0, 0, 0, .numbering = CHAINS_NATURAL}, {.shift = 1}, "problem.n"},
        {{(int64_t)1 << 31, 0, 0, .numbering = CHAINS_NATURAL}, {.shift = 1}, "not 2147483648"},
        {{9, -0.1, 0, .numbering = CHAINS_NATURAL}, {.shift = 1}, "problem.cuts"},
        {{9, 0, 1.5, .numbering = CHAINS_NATURAL}, {.shift = 1}, "problem.branches"},
        {{9, NAN, 0, .numbering = CHAINS_NATURAL}, {.shift = 1}, "not nan"},
        {{9, 0, 0, .numbering = CHAINS_NATURAL}, {.shift = 0}, "problem.shift"},
        {{9, 0, 0, .numbering = CHAINS_NATURAL}, {.shift = NAN}, "problem.shift"},
        {{9, 0, 0, .numbering = CHAINS_NATURAL}, {.shift = 2e100}, "problem.shift"},
        {{9, 0, 0, .numbering = CHAINS_NATURAL},
         {.rows = PATTERN_EQUAL, .shift = 1},
         "kind = \"general\""},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct made_pattern made = {make, &bad[k].chains, bad[k].options};
        expect_refused(&made, bad[k].text);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_random_order_has_each_number_once,
                            a_random_order_keeps_nothing_together,
                            nodes_are_joined_as_the_header_says,
                            the_same_bits_everywhere,
                            rows_are_dealt,
                            bad_numbers_are_refused,
                            NULL};
    return suite_of("problem/chains", tests);
}
