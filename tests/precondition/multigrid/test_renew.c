/* Set-up with other values on the same pattern that keeps the aggregates: what it makes is what
 * these aggregates make of the values, whatever was there before. */
#include "made.h"
#include "support.h"

#include "base/threads.h"
#include "matrices.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/renewed.h"
#include "precondition/multigrid/setup/rescale.h"
#include "precondition/multigrid/setup/smoothed.h"

#include <string.h>

static const struct multigrid_options usual = {
    .passes = 3, .degree = 2, .coarsest = 8, .reuse = REUSE_AGGREGATES};

/* Matrices of all kinds of aggregates. */
static void for_all(void (*attempt)(struct csr *A, const struct multigrid_options *options,
                                    uint64_t *state))
{
    uint64_t state = test_seed();
    struct multigrid_options options = usual;
    struct csr A;
    for (int t = 0; t < test_matrices_count; t++) {
        options.aggregates = t % 2 ? AGGREGATION_MATCHING : AGGREGATION_AUTO;
        options.passes = 1 + test_random_below(&state, 4);
        options.precision = test_random_below(&state, 2);
        options.transfer = test_random_below(&state, 2) ? TRANSFER_SMOOTHED : TRANSFER_CONSTANT;
        options.smoother = test_random_below(&state, 2) ? SMOOTHER_FSAI : SMOOTHER_JACOBI;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        if (test_case_runs(t, 2))
            attempt(&A, &options, &state);
        csr_free(&A);
    }
    options.aggregates = AGGREGATION_AUTO;
    options.transfer = TRANSFER_CONSTANT;
    for (int k = 0; k < 4; k++) { /* by matching, at once or below a grid */
        make_phases(&(struct phases){{9, 8, 11}, 1 + k % 2, 1e6, k < 2 ? 1 : 3}, &state, &A);
        if (test_case_runs(k, 2))
            attempt(&A, &options, &state);
        csr_free(&A);
    }
    for (int64_t unknowns = 1; unknowns <= 5; unknowns++) {
        struct error error;
        struct fe_mesh mesh = {.n = {7, 6, 5}, .unknowns = unknowns, .shift = 1e-3};
        for (int k = 0; k < 2; k++) { /* of a grid, and by matching of blocks */
            mesh.seed = (int64_t)(test_random(&state) * 1000);
            mesh.numbering = k ? FE_MESH_RANDOM_NUMBERING : FE_MESH_NATURAL;
            options.passes = 1 + test_random_below(&state, 4);
            options.precision = test_random_below(&state, 2);
            options.transfer = test_random_below(&state, 2) ? TRANSFER_SMOOTHED : TRANSFER_CONSTANT;
            expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
            if (test_case_runs(unknowns + k, 2))
                attempt(&A, &options, &state);
            csr_free(&A);
        }
    }
    ck_assert_int_eq(memory_live(), 0);
}

static const char *const kernels[] = {"cpu_csr", "cpu_sym_bitwise"};

/* --- the same values -------------------------------------------------------------------------- */

static void try_the_same(struct csr *A, const struct multigrid_options *options, uint64_t *state)
{
    struct renewed first, next;
    (void)state;
    for (int t = 0; t < TEAMS; t++) {
        struct renewing r;
        renewing_begin(A, options, kernels[t % 2], teams[t], &r);
        next = renewed_print(&r);
        if (t == 0)
            first = next;
        renewed_expect(&next, &first, "set-up");
        ck_assert(!r.hierarchy.renewed);
        for (int turn = 0; turn < 2; turn++) {
            renewing_again(&r);
            ck_assert(r.hierarchy.renewed);
            next = renewed_print(&r);
            renewed_expect(&next, &first, "the same values again");
        }
        renewing_end(&r);
    }
}

START_TEST(the_same_values_give_the_same_levels)
{
    for_all(try_the_same);
}
END_TEST

/* --- another scale ---------------------------------------------------------------------------- */

static void try_scales(struct csr *A, const struct multigrid_options *options, uint64_t *state)
{
    static const int exponents[] = {1, -7, 100};
    struct renewing r, fresh;
    renewing_begin(A, options, kernels[0], 2, &r);
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        csr_times(A, exponents[k]);
        renewing_again(&r);
        renewing_begin(A, options, kernels[0], 3, &fresh);
        struct renewed one = renewed_print(&r), other = renewed_print(&fresh);
        renewed_expect(&one, &other, "a power of two");
        renewing_end(&fresh);
    }
    renewing_end(&r);
    (void)state;
}

START_TEST(powers_of_two_give_what_set_up_gives)
{
    for_all(try_scales);
}
END_TEST

/* --- other values ----------------------------------------------------------------------------- */

/* Those of smoothed aggregation by the aggregates of nodes. */
static void expect_smoothed_levels(const struct csr *A, const struct hierarchy *h)
{
    struct error error;
    struct near_null_vectors vectors, below;
    expect_ok(near_null_take(A, NULL, h->block, NULL, &vectors, &error), &error);
    for (int k = 0; k + 1 < h->count; k++) {
        const struct level *level = &h->levels[k];
        const struct csr *fine = k == 0 ? (h->exponent ? &h->scaled : A) : &level->coarse;
        struct smoothed_aggregation by = {fine, &vectors, level->lmax, 0, 0};
        struct aggregates aggregates = level->aggregates;
        struct interpolation P;
        struct csr coarse;
        expect_ok(smoothed_coarsen(&by, &aggregates, &P, &coarse, &below, &error), &error);
        ck_assert(csr_hash(&coarse) == csr_hash(&h->levels[k + 1].coarse));
        near_null_vectors_free(&vectors);
        interpolation_free(&P);
        csr_free(&coarse);
        vectors = below;
    }
    near_null_vectors_free(&vectors);
}

/* The matrix of the next level by what was kept, of a matrix that is not in another scale. */
static void expect_levels(const struct csr *A, const struct renewing *r,
                          const struct multigrid_options *options)
{
    const struct hierarchy *h = &r->hierarchy;
    if (h->smoothed) {
        expect_smoothed_levels(A, h);
        return;
    }
    for (int k = 0; k + 1 < h->count; k++) {
        struct error error;
        const struct level *level = &h->levels[k];
        const struct joining *joining = &level->joining;
        bool grid = joining->cells.n[0] > 0;
        struct rescaling by = {grid ? 2 : 1.8, grid ? 0.625 : 0.875, h->block, &joining->cells,
                               NULL};
        struct csr coarse = {0}, before = {0};
        const struct csr *fine = k == 0 ? (h->exponent ? &h->scaled : A) : &level->coarse;
        bool passes = !grid && options->passes > 1;
        ck_assert_int_eq(joining->passes.count, passes ? options->passes : 0);
        expect_ok(coarse_matrix(fine, passes ? &joining->passes.of[0] : &level->aggregates, &coarse,
                                &error),
                  &error);
        for (int p = 1; p < joining->passes.count; p++) {
            csr_free(&before);
            before = coarse;
            expect_ok(coarse_matrix(&before, &joining->passes.of[p], &coarse, &error), &error);
        }
        expect_ok(rescale(&by, &coarse, &error), &error);
        ck_assert(csr_hash(&coarse) == csr_hash(&h->levels[k + 1].coarse));
        csr_free(&before);
        csr_free(&coarse);
    }
}

static void expect_maps(const struct renewing *one, const struct renewing *other)
{
    ck_assert_int_eq(one->hierarchy.count, other->hierarchy.count);
    for (int k = 0; k + 1 < one->hierarchy.count; k++) {
        const struct aggregates *a = &one->hierarchy.levels[k].aggregates;
        const struct aggregates *b = &other->hierarchy.levels[k].aggregates;
        ck_assert(a->n == b->n && a->count == b->count);
        ck_assert_mem_eq(a->map, b->map, (size_t)a->n * sizeof *a->map);
        expect_lists(a);
    }
}

/* Maps of the first values make the same of the second ones, whoever made them: of the first values
 * in another scale, by way of third ones, by any number of threads. */
static void try_other_values(struct csr *A, const struct multigrid_options *options,
                             uint64_t *state)
{
    double *first = values_copy(A), *second, *third;
    struct renewed wanted = {0};
    values_change(A, state);
    second = values_copy(A);
    values_change(A, state);
    third = values_copy(A);
    for (int t = 0; t < TEAMS; t++) {
        struct renewing r, old;
        values_set(A, first);
        renewing_begin(A, options, kernels[0], 1, &old);
        csr_times(A, t == 1 ? 3 : 0);
        renewing_begin(A, options, kernels[t % 2], teams[t], &r);
        if (t == 2) {
            values_set(A, third);
            renewing_again(&r);
        }
        values_set(A, second);
        renewing_again(&r);
        expect_maps(&r, &old);
        expect_levels(A, &r, options);
        struct renewed print = renewed_print(&r);
        if (t == 0)
            wanted = print;
        renewed_expect(&print, &wanted, "other values");
        renewing_end(&r);
        renewing_end(&old);
    }
    memory_free(first);
    memory_free(second);
    memory_free(third);
}

START_TEST(other_values_give_what_the_aggregates_make_of_them)
{
    for_all(try_other_values);
}
END_TEST

/* Without the option levels are those of set-up, and with it they are not: couplings along another
 * axis are weak, and by matching others are strong. */
START_TEST(aggregates_are_kept_only_if_asked_for)
{
    uint64_t state = test_seed();
    for (int k = 0; k < 4; k++) {
        struct csr A;
        struct renewing r, fresh;
        struct multigrid_options options = usual;
        options.aggregates = k < 2 ? AGGREGATION_GRID : AGGREGATION_MATCHING;
        options.reuse = k % 2 ? REUSE_AGGREGATES : REUSE_NONE;
        make_poisson(12, 11, 10, &A);
        renewing_begin(&A, &options, kernels[0], 2, &r);
        for (int l = 0; l < r.hierarchy.count; l++)
            ck_assert_int_eq(r.hierarchy.levels[l].joining.passes.count,
                             k == 3 && l + 1 < r.hierarchy.count ? 3 : 0);
        make_weak(&A, 12, 1e-3);
        if (k > 1)
            values_change(&A, &state);
        renewing_again(&r);
        renewing_begin(&A, &options, kernels[0], 2, &fresh);
        struct renewed one = renewed_print(&r), other = renewed_print(&fresh);
        if (options.reuse == REUSE_NONE)
            renewed_expect(&one, &other, "set-up from nothing");
        else
            ck_assert(one.hash != other.hash);
        ck_assert(r.hierarchy.renewed == (options.reuse == REUSE_AGGREGATES));
        renewing_end(&fresh);
        renewing_end(&r);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Leaves in one level with their hubs, and a matching that found too few pairs: with other values
 * they are that as well. */
static void try_what_stalled(const struct csr *A, bool stalled, double *const values[2])
{
    struct csr other = *A;
    struct renewed first[2];
    for (int t = 0; t < TEAMS; t++) {
        struct renewing r;
        values_set(&other, values[0]);
        renewing_begin(&other, &usual, kernels[t % 2], teams[t], &r);
        for (int turn = 0; turn < 3; turn++) {
            values_set(&other, values[turn % 2]);
            if (turn > 0)
                renewing_again(&r);
            struct renewed print = renewed_print(&r);
            ck_assert(print.stalled == stalled && (print.count == 1) == stalled);
            if (t == 0 && turn < 2)
                first[turn] = print;
            renewed_expect(&print, &first[turn % 2], "what stalled");
        }
        renewing_end(&r);
    }
}

START_TEST(what_stalled_stays_so)
{
    uint64_t state = test_seed();
    for (int k = 0; k < 2; k++) {
        struct csr A, shuffled;
        if (k == 0)
            make_hubs(40, 30, &A);
        else
            make_unmatched(500, &A);
        make_shuffled(&A, &state, &shuffled);
        double *values[2] = {values_copy(&shuffled)};
        values_change(&shuffled, &state);
        values[1] = values_copy(&shuffled);
        try_what_stalled(&shuffled, k == 1, values);
        memory_free(values[0]);
        memory_free(values[1]);
        csr_free(&A);
        csr_free(&shuffled);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_same_values_give_the_same_levels,
                            powers_of_two_give_what_set_up_gives,
                            other_values_give_what_the_aggregates_make_of_them,
                            aggregates_are_kept_only_if_asked_for,
                            what_stalled_stays_so,
                            NULL};
    return suite_of("precondition/multigrid/renew", tests);
}
