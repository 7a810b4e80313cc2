/* The legs of a cycle in one kernel each: the bits of fused smoothing in every vector, and the
 * history of a solve. */
#include "support.h"

#include "cuda_device.h"
#include "options.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/made_cuda.h"
#include "precondition/preconditioned.h"
#include "space/trials.h"
#include "spaces.h"
#include "spmv/symmetric/sym_order.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const precisions[] = {"precision=double", "precision=float"};

/* What the preconditioner is told; compress: of enum sym_parameter. */
struct way {
    const char *precision, *aggregates, *degree, *legs;
    int64_t compress;
};

static struct kernel_options kernel_of(const struct way *way)
{
    struct kernel_options options = kernel_defaults(kernel_find("cuda_sym_bitwise"));
    options.values[SYM_FORM] = SYM_FORM_DIAGONALS;
    options.values[SYM_COMPRESS] = way->compress;
    return options;
}

static void make(const struct csr *A, const struct way *way, struct made *made)
{
    struct kernel_options options = kernel_of(way);
    *made = (struct made){.options = test_options(COMPONENT_PRECONDITIONER, "multigrid",
                                                  way->precision, way->aggregates, way->degree,
                                                  "coarsest=8", way->legs, NULL)};
    made_create(A, &options, REDUCTIONS_REPRODUCIBLE, true, made);
}

/* A grid whose cells in the middle of two axes have another coefficient; jump = 1: the same. */
static void make_jump(const int64_t n[3], double jump, struct csr *A)
{
    struct error error;
    int64_t count = n[0] * n[1] * n[2];
    double *k = memory_array(count, sizeof *k, "coefficients", &error);
    ck_assert_ptr_nonnull(k);
    for (int64_t i = 0; i < count; i++) {
        int64_t x = i % n[0], y = i / n[0] % n[1];
        k[i] = 4 * x >= n[0] && 4 * x < 3 * n[0] && 3 * y >= n[1] ? jump : 1;
    }
    make_cells(n, k, A);
    memory_free(k);
}

/* --- vectors ---------------------------------------------------------------------------------- */

/* What a cycle leaves: of each level b, x and the corrected x, then z and r . z. */
struct left {
    int count;
    double *b[OPERATOR_LEVELS], *x[OPERATOR_LEVELS], *corrected[OPERATOR_LEVELS], *z;
};

static double *fetch(const struct level *level, bool single, const void *v)
{
    struct error error;
    double *host = vector(level->n);
    struct space *space = level->space;
    if (!single) {
        expect_ok(space_download(space, level->n, v, host, &error), &error);
        return host;
    }
    expect_ok(space_download_float(space, level->n, v, (float *)host, &error), &error);
    for (int64_t i = level->n - 1; i >= 0; i--) {
        float value;
        memcpy(&value, (float *)host + i, sizeof value);
        host[i] = value;
    }
    return host;
}

static void poison_levels(struct made *made)
{
    const struct hierarchy *h = hierarchy_of(made);
    bool single = h->precision == PRECISION_FLOAT;
    size_t size = single ? sizeof(float) : sizeof(double);
    for (int k = 0; k < h->count; k++) {
        const struct level *level = &h->levels[k];
        void *vectors[] = {level->b, level->x, level->q, level->d, level->r};
        double *nan = vector(level->n); /* whose bits are those of NaNs in single precision too */
        memset(nan, 0xff, (size_t)level->n * size);
        for (int v = 0; v < 5; v++) {
            struct error error;
            if (vectors[v])
                expect_ok(level->space->operations->upload(level->space, level->n * (int64_t)size,
                                                           nan, vectors[v], &error),
                          &error);
        }
        memory_free(nan);
    }
}

/* P x_c onto the x that a leg down left, in the precision of the cycle; else what fused smoothing
 * left. */
static void correct(const struct level *level, bool single, bool has_legs, double *x)
{
    struct error error;
    if (!has_legs)
        return;
    int32_t *map = memory_array(level->n, sizeof *map, "a map", &error);
    ck_assert_ptr_nonnull(map);
    expect_ok(level->space->operations->download(level->space, level->n * (int64_t)sizeof *map,
                                                 level->aggregates.map, map, &error),
              &error);
    double *coarse = fetch(level + 1, single, level[1].x);
    for (int64_t i = 0; i < level->n; i++)
        x[i] = single ? (double)((float)x[i] + (float)coarse[map[i]]) : x[i] + coarse[map[i]];
    memory_free(coarse);
    memory_free(map);
}

static struct left run(struct made *made)
{
    const struct hierarchy *h = hierarchy_of(made);
    bool single = h->precision == PRECISION_FLOAT;
    struct left left = {.count = h->count, .z = vector(made->M.n + 1)};
    poison_levels(made);
    made_apply(made, true, left.z);
    for (int k = 0; k < h->count; k++) {
        const struct level *level = &h->levels[k];
        if (k > 0) {
            left.b[k] = fetch(level, single, level->b);
            left.x[k] = fetch(level, single, level->x);
        }
        if (k + 1 < h->count) {
            left.corrected[k] = fetch(level, single, level->q);
            correct(level, single, level->legs.table != NULL, left.corrected[k]);
        }
    }
    return left;
}

static void left_free(struct left *left)
{
    for (int k = 0; k < left->count; k++) {
        memory_free(left->b[k]);
        memory_free(left->x[k]);
        memory_free(left->corrected[k]);
    }
    memory_free(left->z);
}

/* All differing elements are counted; the first one is shown. */
static void expect_equal(const char *name, int level, const char *which, const int64_t n[3],
                         int64_t count, const double *legs, const double *without)
{
    int64_t first = -1, differ = 0, nans = 0;
    for (int64_t i = 0; i < count; i++) {
        bool same = memcmp(&legs[i], &without[i], sizeof *legs) == 0;
        first = first < 0 && !same ? i : first;
        differ += !same;
        nans += isnan(legs[i]);
    }
    if (differ > 0)
        ck_abort_msg("%s, level %d: %s[%" PRId64 "], of the point (%" PRId64 ", %" PRId64
                     ", %" PRId64 ") of %" PRId64 " x %" PRId64 " x %" PRId64
                     ": %.17g (%a) with legs, %.17g (%a) without; %" PRId64 " of %" PRId64
                     " elements differ, %" PRId64 " are NaN",
                     name, level, which, first, first % n[0], first / n[0] % n[1],
                     first / (n[0] * n[1]), n[0], n[1], n[2], legs[first], legs[first],
                     without[first], without[first], differ, count, nans);
    if (nans > 0)
        ck_abort_msg("%s, level %d: %s has %" PRId64 " NaNs of %" PRId64, name, level, which, nans,
                     count);
}

static void expect_same(const char *name, const struct made *made, const struct left *legs,
                        const struct left *without)
{
    const struct hierarchy *h = &((const struct multigrid *)made->M.state)->hierarchy;
    for (int k = 0; k + 1 < legs->count; k++) {
        const struct cells *cells = &h->levels[k].joining.cells;
        expect_equal(name, k + 1, "the restricted residual", cells->n, h->levels[k + 1].n,
                     legs->b[k + 1], without->b[k + 1]);
    }
    for (int k = legs->count - 2; k >= 0; k--) {
        const struct cells *cells = &h->levels[k].joining.cells;
        expect_equal(name, k + 1, "x", cells->n, h->levels[k + 1].n, legs->x[k + 1],
                     without->x[k + 1]);
        expect_equal(name, k, "the corrected x", cells->before, h->levels[k].n, legs->corrected[k],
                     without->corrected[k]);
    }
    expect_equal(name, 0, "z, and behind it r . z", h->levels[0].joining.cells.before,
                 made->M.n + 1, legs->z, without->z);
}

/* --- cycles ----------------------------------------------------------------------------------- */

static bool is_even(const struct level *level)
{
    const struct cells *cells = &level->joining.cells;
    bool even = cells->n[0] > 0;
    for (int axis = 0; axis < 3; axis++)
        even = even && 2 * cells->n[axis] == cells->before[axis];
    return even;
}

/* How many levels have legs: those of even sizes whose rows are few stencils. */
static int expect_legs(struct made *made)
{
    const struct hierarchy *h = hierarchy_of(made);
    int found = 0;
    for (int k = 0; k < h->count; k++) {
        const struct level *level = &h->levels[k];
        bool few = strstr(level->spmv->description, "different rows");
        ck_assert_msg((level->legs.table != NULL) == (k + 1 < h->count && few && is_even(level)),
                      "level %d of %" PRId64 " rows, %s", k, level->n, level->spmv->description);
        found += level->legs.table != NULL;
    }
    return found;
}

static void take_random(struct made *made, uint64_t *state)
{
    struct error error;
    randomise(made->host, made->M.n, state);
    expect_ok(space_upload(made->space, made->M.n, made->host, made->r, &error), &error);
}

/* Twice, lest the second find what the first left, then without legs. */
static void compare_cycles(const char *name, struct made *made, uint64_t *state)
{
    ck_assert_msg(expect_legs(made) > 0, "%s: no level has legs", name);
    for (int k = 0; k < 2; k++) {
        take_random(made, state);
        struct left legs = run(made), again = run(made);
        expect_same("legs once more, in the place of without them", made, &again, &legs);
        struct hierarchy *h = hierarchy_of(made);
        struct legs had[OPERATOR_LEVELS];
        for (int l = 0; l < h->count; l++) {
            had[l] = h->levels[l].legs;
            h->levels[l].legs = (struct legs){0};
        }
        struct left without = run(made);
        for (int l = 0; l < h->count; l++)
            h->levels[l].legs = had[l];
        expect_same(name, made, &legs, &without);
        made_apply(made, false, again.z);
        expect_same_vectors(again.z, without.z, made->M.n, "legs, without the dot product");
        left_free(&legs);
        left_free(&again);
        left_free(&without);
    }
}

static struct way way_of(int precision)
{
    return (struct way){precisions[precision], "aggregates=grid", "degree=2", "legs=always", 0};
}

/* jump = 0: Poisson's matrix. */
static void make_grid(const int64_t n[3], double jump, struct csr *A)
{
    if (jump > 0)
        make_jump(n, jump, A);
    else
        make_poisson(n[0], n[1], n[2], A);
}

static void compare(const int64_t n[3], double jump, int precision, uint64_t *state)
{
    char name[128];
    snprintf(name, sizeof name, "%" PRId64 " x %" PRId64 " x %" PRId64 ", jump %g, %s", n[0], n[1],
             n[2], jump, precisions[precision]);
    struct way way = way_of(precision);
    struct csr A;
    struct made made;
    make_grid(n, jump, &A);
    make(&A, &way, &made);
    compare_cycles(name, &made, state);
    made_destroy(&made);
    csr_free(&A);
}

static void compare_all(const int64_t (*sizes)[3], size_t count)
{
    uint64_t state = test_seed();
    static const double jumps[] = {0, 1e4, 1e-3};
    for (size_t s = 0; s < count; s++)
        for (int j = 0; j < 3; j++)
            for (int precision = 0; precision < 2; precision++)
                if (test_case_runs((int64_t)(6 * s) + 2 * j + precision, 5))
                    compare(sizes[s], jumps[j], precision, &state);
}

/* Of one region and of several, whose edges are those of the grid or next to them. */
START_TEST(small_grids)
{
    if (!cuda_device_is_there())
        return;
    static const int64_t sizes[][3] = {{4, 6, 8},   {20, 20, 20}, {6, 200, 10}, {62, 30, 12},
                                       {60, 28, 6}, {58, 26, 34}, {250, 4, 8},  {122, 58, 4},
                                       {64, 32, 2}, {32, 48, 40}};
    compare_all(sizes, sizeof sizes / sizeof *sizes);
}
END_TEST

START_TEST(grids)
{
    if (!cuda_device_is_there() || test_is_slow())
        return;
    static const int64_t sizes[][3] = {{64, 64, 64}, {96, 96, 96}, {130, 132, 134}};
    compare_all(sizes, sizeof sizes / sizeof *sizes);
}
END_TEST

/* Other values on the same pattern: the numbers, codes and marks are new. */
START_TEST(renewed)
{
    if (!cuda_device_is_there())
        return;
    static const int64_t n[3] = {32, 48, 40};
    uint64_t state = test_seed();
    for (int precision = 0; precision < 2; precision++) {
        struct error error;
        struct csr A, other;
        struct made made;
        struct way way = way_of(precision);
        struct kernel_options options = kernel_of(&way);
        make_grid(n, 1e4, &A);
        make_grid(n, 3, &other);
        make(&A, &way, &made);
        operator_destroy(&made.spmv);
        expect_ok(operator_create(kernel_find("cuda_sym_bitwise"), &other, &options, made.space,
                                  &made.spmv, &error),
                  &error);
        expect_ok(preconditioner_renew(&made.options, &other, NULL, &made.spmv, &made.M, &error),
                  &error);
        compare_cycles("with other values", &made, &state);
        made_destroy(&made);
        csr_free(&A);
        csr_free(&other);
    }
}
END_TEST

/* --- solves ----------------------------------------------------------------------------------- */

/* The second grid is one whose first level has legs by `auto`. */
START_TEST(histories)
{
    if (!cuda_device_is_there())
        return;
    static const int64_t sizes[][3] = {{32, 48, 40}, {100, 100, 100}};
    static const char *const legs[][2] = {{"legs=always", "legs=never"},
                                          {"legs=auto", "legs=never"}};
    static struct preconditioned_history history[2];
    uint64_t state = test_seed();
    for (int s = 0; s < (test_is_slow() ? 1 : 2); s++)
        for (int precision = 0; precision < 2; precision++) {
            struct csr A;
            make_jump(sizes[s], s ? 1 : 1e4, &A);
            double *b = vector(A.n), *x[2] = {vector(A.n), vector(A.n)};
            randomise(b, A.n, &state);
            for (int k = 0; k < 2; k++) {
                struct preconditioned choice = {
                    .kernel = "cuda_sym_bitwise",
                    .reductions = REDUCTIONS_REPRODUCIBLE,
                    .tolerance = 1e-10,
                    .options =
                        test_options(COMPONENT_PRECONDITIONER, "multigrid", precisions[precision],
                                     "aggregates=grid", legs[s][k], NULL)};
                solve_preconditioned(&choice, &A, b, &history[k], x[k]);
                options_free(&choice.options);
            }
            expect_same_history(&history[0], &history[1], "with legs and without");
            expect_same_vectors(x[0], x[1], A.n, "x with legs and without");
            memory_free(b);
            memory_free(x[0]);
            memory_free(x[1]);
            csr_free(&A);
        }
}
END_TEST

START_TEST(what_has_ended_stays)
{
    if (!cuda_device_is_there())
        return;
    struct csr A;
    make_poisson(20, 12, 8, &A);
    double *z = vector(A.n + 1);
    for (int precision = 0; precision < 2; precision++) {
        struct made made;
        double one = 1; /* no bit pattern of 0 */
        struct way way = way_of(precision);
        make(&A, &way, &made);
        ck_assert_int_gt(expect_legs(&made), 0);
        double *ended = put(made.space, 1, &one);
        made_apply(&made, true, z);
        made.space->ended = (const int64_t *)ended;
        made_apply(&made, true, z);
        for (int64_t i = 0; i <= A.n; i++)
            ck_assert(isnan(z[i]));
        made.space->ended = NULL;
        space_release(made.space, ended);
        made_destroy(&made);
    }
    memory_free(z);
    csr_free(&A);
}
END_TEST

/* --- where there are none --------------------------------------------------------------------- */

static void expect_none(const int64_t n[3], const struct way *way)
{
    struct csr A;
    struct made made;
    make_poisson(n[0], n[1], n[2], &A);
    make(&A, way, &made);
    const struct hierarchy *h = hierarchy_of(&made);
    for (int k = 0; k < h->count; k++)
        ck_assert_ptr_null(h->levels[k].legs.table);
    made_destroy(&made);
    csr_free(&A);
}

START_TEST(auto_takes_large_levels)
{
    if (!cuda_device_is_there() || test_is_slow())
        return;
    static const struct way way = {"precision=double", "aggregates=grid", "degree=2", "legs=auto",
                                   0};
    struct csr A;
    struct made made;
    make_poisson(100, 100, 100, &A);
    make(&A, &way, &made);
    const struct hierarchy *h = hierarchy_of(&made);
    for (int k = 0; k < h->count; k++)
        ck_assert((h->levels[k].legs.table != NULL) == (k == 0));
    made_destroy(&made);
    csr_free(&A);
}
END_TEST

/* Of odd sizes, another degree, rows that are kept by their values, a matching, by `never`, and by
 * `auto` on a small level. */
START_TEST(elsewhere_are_none)
{
    if (!cuda_device_is_there())
        return;
    static const int64_t even[3] = {8, 8, 8}, odd[3] = {9, 11, 13}, flat[3] = {64, 64, 1};
    static const struct way ways[] = {
        {"precision=double", "aggregates=grid", "degree=4", "legs=always", 0},
        {"precision=double", "aggregates=grid", "degree=2", "legs=always", 1},
        {"precision=double", "aggregates=matching", "degree=2", "legs=always", 0},
        {"precision=double", "aggregates=grid", "degree=2", "legs=never", 0},
        {"precision=double", "aggregates=grid", "degree=2", "legs=auto", 0}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        expect_none(even, &ways[k]);
    struct way way = way_of(1);
    expect_none(odd, &way);
    expect_none(flat, &way);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {small_grids,
                            renewed,
                            grids,
                            histories,
                            what_has_ended_stays,
                            auto_takes_large_levels,
                            elsewhere_are_none,
                            NULL};
    return suite_of("precondition/multigrid/legs_cuda", tests);
}
