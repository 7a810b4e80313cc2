/* Bricks with blocks: every pair of rows against the definition. */
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
    struct fe_brick made = *(const struct fe_brick *)settings;
    made.pattern = *options;
    return problem_create(&problem_fe_brick, &made, A, error);
}

/* The natural number of the node of a row. */
static int64_t node_of(const struct made_pattern *made, int64_t row)
{
    const struct fe_brick *mesh = made->settings;
    int64_t number = row / mesh->unknowns, line = number / mesh->n[0];
    if (mesh->numbering == FE_BRICK_RANDOM_LINES) {
        struct random_order lines =
            random_order_make(splitmix64((uint64_t)made->options.seed, 6), mesh->n[1] * mesh->n[2]);
        line = random_order_of(&lines, line);
    }
    return line * mesh->n[0] + number % mesh->n[0];
}

static double density(const struct fe_brick *mesh, uint64_t stream, const int64_t at[3])
{
    int64_t across = (mesh->n[0] + 3) / 4, down = (mesh->n[1] + 3) / 4;
    int64_t patch = at[0] / 4 + across * (at[1] / 4 + down * (at[2] / 4));
    double share = random_share(stream, 2 * (uint64_t)patch);
    return mesh->density[0] + (mesh->density[1] - mesh->density[0]) * share * share;
}

static bool are_joined(const struct made_pattern *made, int64_t i, int64_t j)
{
    const struct fe_brick *mesh = made->settings;
    const int64_t *n = mesh->n;
    uint64_t seed = (uint64_t)made->options.seed, joins = splitmix64(seed, 2);
    int64_t v = node_of(made, i), w = node_of(made, j), apart = 0;
    int64_t a[3] = {v % n[0], v / n[0] % n[1], v / n[0] / n[1]};
    int64_t b[3] = {w % n[0], w / n[0] % n[1], w / n[0] / n[1]};
    double fixed = mesh->fixed * (double)(n[0] * n[1] * n[2]);
    if ((double)v < fixed || (double)w < fixed)
        return i == j;
    if (v == w)
        return true;
    for (int axis = 0; axis < 3; axis++)
        apart = llabs(a[axis] - b[axis]) > apart ? llabs(a[axis] - b[axis]) : apart;
    bool hub = random_share(splitmix64(seed, 4), (uint64_t)v) < mesh->hubs ||
               random_share(splitmix64(seed, 4), (uint64_t)w) < mesh->hubs;
    uint64_t first = (uint64_t)(v < w ? v : w), second = (uint64_t)(v < w ? w : v);
    return apart <= mesh->reach + hub &&
           random_share(splitmix64(joins, 2 * first + 1), second) <
               (density(mesh, joins, a) + density(mesh, joins, b)) / 2;
}

START_TEST(nodes_are_joined_as_the_header_says)
{
    const int64_t seed = (int64_t)(test_seed() >> 1);
    static const struct fe_brick cases[] = {
        {{1, 1, 1}, 3, 1, {1, 1}, 0, 0, .numbering = FE_BRICK_NATURAL},
        {{5, 4, 3}, 2, 1, {1, 1}, 0, 0, .numbering = FE_BRICK_NATURAL},
        {{9, 7, 1}, 3, 1, {0.2, 0.9}, 0.1, 0, .numbering = FE_BRICK_NATURAL},
        {{6, 5, 5}, 1, 2, {0.1, 0.8}, 0.1, 0.2, .numbering = FE_BRICK_RANDOM_LINES},
        {{7, 6, 5}, 2, 1, {0, 1}, 1, 0.05, .numbering = FE_BRICK_RANDOM_LINES},
        {{4, 4, 4}, 2, 2, {1, 1}, 0.3, 1, .numbering = FE_BRICK_NATURAL},
        {{3, 3, 3}, FE_BRICK_UNKNOWNS_MAX, 1, {0, 0}, 0, 0, .numbering = FE_BRICK_NATURAL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct made_pattern made = {make, &cases[k], {PATTERN_SYMMETRIC, PATTERN_DRAWN, 0.5, seed}};
        expect_entries(&made, are_joined);
    }
}
END_TEST

START_TEST(the_same_bits_everywhere)
{
    static const struct fe_brick mesh = {
        {9, 10, 11}, 3, 1, {0.2, 0.9}, 0.01, 0.1, .numbering = FE_BRICK_RANDOM_LINES};
    struct made_pattern made = {make, &mesh, {PATTERN_SYMMETRIC, PATTERN_DRAWN, 1, 42}};
    expect_reproducible(&made, UINT64_C(0x0fdab225b67abe19));
}
END_TEST

START_TEST(bad_numbers_are_refused)
{
    static const struct {
        struct fe_brick mesh;
        const char *text;
    } bad[] = {
        {{{0, 1, 1}, 1, 1, {1, 1}, 0, 0, .numbering = FE_BRICK_NATURAL}, "problem.n"},
        {{{1 << 10, 1 << 10, 1 << 10}, 3, 1, {1, 1}, 0, 0, .numbering = FE_BRICK_NATURAL},
         "2147483647"},
        {{{2, 2, 2}, 0, 1, {1, 1}, 0, 0, .numbering = FE_BRICK_NATURAL}, "problem.unknowns"},
        {{{2, 2, 2}, FE_BRICK_UNKNOWNS_MAX + 1, 1, {1, 1}, 0, 0, .numbering = FE_BRICK_NATURAL},
         "problem.unknowns"},
        {{{2, 2, 2}, 1, 0, {1, 1}, 0, 0, .numbering = FE_BRICK_NATURAL}, "problem.reach"},
        {{{2, 2, 2}, 1, 3, {1, 1}, 0, 0, .numbering = FE_BRICK_NATURAL}, "problem.reach"},
        {{{2, 2, 2}, 1, 1, {0.6, 0.5}, 0, 0, .numbering = FE_BRICK_NATURAL}, "problem.density"},
        {{{2, 2, 2}, 1, 1, {-0.1, 0.5}, 0, 0, .numbering = FE_BRICK_NATURAL}, "problem.density"},
        {{{2, 2, 2}, 1, 1, {0, 1.5}, 0, 0, .numbering = FE_BRICK_NATURAL}, "problem.density"},
        {{{2, 2, 2}, 1, 1, {0, 1}, NAN, 0, .numbering = FE_BRICK_NATURAL}, "problem.hubs"},
        {{{2, 2, 2}, 1, 1, {0, 1}, 0, 1.1, .numbering = FE_BRICK_NATURAL}, "problem.fixed"},
    };
    static const struct fe_brick right = {
        {2, 2, 2}, 1, 1, {1, 1}, 0, 0, .numbering = FE_BRICK_NATURAL};
    struct made_pattern made = {make, &right, {PATTERN_GENERAL, PATTERN_DRAWN, 1, 1}};
    expect_refused(&made, "only with problem.kind = \"symmetric\"");
    made.options.kind = PATTERN_SYMMETRIC;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        made.settings = &bad[k].mesh;
        expect_refused(&made, bad[k].text);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {nodes_are_joined_as_the_header_says, the_same_bits_everywhere,
                            bad_numbers_are_refused, NULL};
    return suite_of("problem/fe_brick", tests);
}
