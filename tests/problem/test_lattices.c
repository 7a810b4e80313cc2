/* grid2d and lattice4d: every pair of rows against the definition. */
#include "problem/patterns.h"

#include "support.h"

#include "problem/generators.h"

#include <stdlib.h>

static enum status make_grid(const void *settings, const struct pattern_options *options,
                             struct csr *A, struct error *error)
{
    struct grid2d made = *(const struct grid2d *)settings;
    made.pattern = *options;
    return problem_create(&problem_grid2d, &made, A, error);
}

static enum status make_lattice(const void *settings, const struct pattern_options *options,
                                struct csr *A, struct error *error)
{
    struct lattice4d made = *(const struct lattice4d *)settings;
    made.pattern = *options;
    return problem_create(&problem_lattice4d, &made, A, error);
}

/* Bricks: (x, y) is joined to its right neighbour, and, where x + y is even, to the one above. */
static bool is_in_grid(const struct made_pattern *made, int64_t i, int64_t j)
{
    int64_t nx = ((const struct grid2d *)made->settings)->n[0];
    int64_t x = i % nx, y = i / nx, dx = j % nx - x, dy = j / nx - y;
    if (made->options.kind == PATTERN_GENERAL)
        return (dx == 0 && dy == 0) || (dx == 1 && dy == 0) || (dx == 0 && dy == 1) ||
               (dx == -1 && dy == -1);
    if (dy == 0)
        return llabs(dx) == 1;
    return dx == 0 && ((dy == 1 && (x + y) % 2 == 0) || (dy == -1 && (x + y) % 2 == 1));
}

START_TEST(a_grid_has_the_neighbours_of_the_header)
{
    static const struct grid2d cases[] = {
        {.n = {1, 1}}, {.n = {1, 9}}, {.n = {9, 1}}, {.n = {7, 6}}, {.n = {12, 13}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int kind = PATTERN_SYMMETRIC; kind <= PATTERN_GENERAL; kind++) {
            struct made_pattern made = {make_grid, &cases[k], {kind, PATTERN_DRAWN, 1, 5}};
            expect_entries(&made, is_in_grid);
            expect_dealt(&made);
        }
}
END_TEST

/* Whether a step from one site to another goes once along that axis, around the end if need be. */
static bool steps_along(const int64_t n[4], int axis, const int64_t from[4], const int64_t to[4],
                        int64_t step)
{
    for (int other = 0; other < 4; other++)
        if (other != axis && from[other] != to[other])
            return false;
    return to[axis] == (from[axis] + step + n[axis]) % n[axis];
}

static bool is_in_lattice(const struct made_pattern *made, int64_t i, int64_t j)
{
    static const int partners[3][4] = {{3, 2, 1, 0}, {3, 2, 1, 0}, {2, 3, 0, 1}};
    const int64_t *n = ((const struct lattice4d *)made->settings)->n;
    int64_t from[4], to[4], a = i / 12, b = j / 12, s = i % 12 / 3, t = j % 12 / 3;
    for (int axis = 0; axis < 4; a /= n[axis], b /= n[axis], axis++) {
        from[axis] = a % n[axis];
        to[axis] = b % n[axis];
    }
    for (int axis = 0; axis < 3; axis++)
        if (steps_along(n, axis, from, to, 1) || steps_along(n, axis, from, to, -1))
            return s == t || t == partners[axis][s];
    bool forward = (from[3] + s / 2) % 2 == 0;
    return s == t && steps_along(n, 3, from, to, forward ? 1 : -1);
}

START_TEST(a_lattice_has_the_neighbours_of_the_header)
{
    static const struct lattice4d cases[] = {{.n = {3, 3, 3, 2}}, {.n = {3, 4, 3, 4}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int kind = PATTERN_SYMMETRIC; kind <= PATTERN_GENERAL; kind++) {
            struct made_pattern made = {make_lattice, &cases[k], {kind, PATTERN_DRAWN, 1, 5}};
            expect_entries(&made, is_in_lattice);
            struct csr A = pattern_make(&made);
            ck_assert_int_eq(csr_nnz_full(&A), (kind == PATTERN_GENERAL ? 39 : 40) * A.n);
            csr_free(&A);
            expect_dealt(&made);
        }
}
END_TEST

START_TEST(the_same_bits_everywhere)
{
    static const struct grid2d grid = {.n = {50, 41}};
    static const struct lattice4d lattice = {.n = {4, 4, 4, 4}};
    struct made_pattern made = {make_grid, &grid, {PATTERN_SYMMETRIC, PATTERN_DRAWN, 1, 42}};
    expect_reproducible(&made, UINT64_C(0x47ff2358e381451a));
    made.options.kind = PATTERN_GENERAL;
    expect_reproducible(&made, UINT64_C(0x778a9f950a2a80dc));
    made = (struct made_pattern){make_lattice, &lattice, {PATTERN_SYMMETRIC, PATTERN_DRAWN, 1, 42}};
    expect_reproducible(&made, UINT64_C(0x17ca6afba83944ed));
    made.options.kind = PATTERN_GENERAL;
    expect_reproducible(&made, UINT64_C(0xf46cdffafc9045c4));
}
END_TEST

START_TEST(bad_sizes_are_refused)
{
    static const struct grid2d grids[] = {{.n = {0, 3}}, {.n = {3, -1}}, {.n = {1 << 16, 1 << 15}}};
    static const struct lattice4d lattices[] = {
        {.n = {2, 3, 3, 2}}, {.n = {3, 2, 3, 2}}, {.n = {3, 3, 2, 2}},       {.n = {3, 3, 3, 3}},
        {.n = {3, 3, 3, 0}}, {.n = {0, 3, 3, 2}}, {.n = {1000, 1000, 3, 60}}};
    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
        struct made_pattern made = {make_grid, &grids[k], {.shift = 1}};
        expect_refused(&made, "problem.n");
    }
    for (size_t k = 0; k < sizeof lattices / sizeof *lattices; k++) {
        struct made_pattern made = {make_lattice, &lattices[k], {.shift = 1}};
        expect_refused(&made, "problem.n");
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_grid_has_the_neighbours_of_the_header,
                            a_lattice_has_the_neighbours_of_the_header, the_same_bits_everywhere,
                            bad_sizes_are_refused, NULL};
    return suite_of("problem/lattices", tests);
}
