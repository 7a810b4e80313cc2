/* Set-up by matching row by row, as a device does it, against that of the host: the same bits. */
#include "made.h"
#include "support.h"

#include "matrices.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/setup/graph_rows.h"
#include "precondition/multigrid/setup/grid_rows.h"
#include "precondition/multigrid/setup/matching.h"
#include "precondition/multigrid/setup/rescale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whatever it holds before, it must not matter. */
static void *room(int64_t count, size_t size)
{
    void *made = malloc((size_t)count * size + 1);
    ck_assert_ptr_nonnull(made);
    memset(made, 0xa5, (size_t)count * size + 1);
    return made;
}

static struct csr matrix(enum csr_kind kind, int64_t n, int64_t nnz)
{
    struct csr A = {.kind = kind, .n = n, .width = n, .nnz = nnz};
    A.offsets = room(n + 1, sizeof *A.offsets);
    A.columns = room(nnz, sizeof *A.columns);
    A.values = room(nnz, sizeof *A.values);
    return A;
}

static void leave(struct csr *A)
{
    free(A->offsets);
    free(A->columns);
    free(A->values);
}

/* --- sorts, which a device has from elsewhere ------------------------------------------------- */

struct keyed {
    uint64_t key, place;
};

static int by_key(const void *one, const void *two)
{
    const struct keyed *a = one, *b = two;
    return a->key != b->key ? (a->key > b->key) - (a->key < b->key)
                            : (a->place > b->place) - (a->place < b->place);
}

/* Where each key of a stable sort comes from. The caller calls free. */
static struct keyed *sorted(int64_t count, const uint64_t *wide, const uint32_t *narrow)
{
    struct keyed *made = room(count, sizeof *made);
    for (int64_t p = 0; p < count; p++)
        made[p] = (struct keyed){wide ? wide[p] : narrow[p], (uint64_t)p};
    qsort(made, (size_t)count, sizeof *made, by_key);
    return made;
}

/* --- steps ------------------------------------------------------------------------------------ */

static struct csr expand(const struct csr *A)
{
    struct expansion by = {.upper = *A, .full = matrix(CSR_GENERAL, A->n, 2 * A->nnz - A->n)};
    by.rows = room(A->nnz, sizeof *by.rows);
    by.columns = room(A->nnz, sizeof *by.columns);
    by.order = room(A->nnz, sizeof *by.order);
    by.ends = room(A->n, sizeof *by.ends);
    for (int64_t i = A->n - 1; i >= 0; i--)
        expansion_list(&by, i);
    struct keyed *keys = sorted(A->nnz, NULL, by.columns);
    for (int64_t p = 0; p < A->nnz; p++) {
        ck_assert_int_eq(by.order[p], p);
        by.columns[p] = (uint32_t)keys[p].key;
    }
    for (int64_t p = 0; p < A->nnz; p++)
        by.order[p] = (uint32_t)keys[p].place;
    for (int64_t p = A->nnz - 1; p >= 0; p--)
        expansion_mirror(&by, p);
    for (int64_t i = A->n - 1; i >= 0; i--)
        expansion_finish(&by, i);
    free(by.rows);
    free(by.columns);
    free(by.order);
    free(by.ends);
    free(keys);
    return by.full;
}

static void expect_expanded(const struct csr *A)
{
    struct error error;
    struct csr wanted, made = expand(A);
    expect_ok(csr_expand(A, &wanted, &error), &error);
    ck_assert_int_eq(made.nnz, wanted.nnz);
    ck_assert_mem_eq(made.offsets, wanted.offsets, (size_t)(A->n + 1) * sizeof *made.offsets);
    ck_assert_mem_eq(made.columns, wanted.columns, (size_t)made.nnz * sizeof *made.columns);
    ck_assert_mem_eq(made.values, wanted.values, (size_t)made.nnz * sizeof *made.values);
    csr_free(&wanted);
    leave(&made);
}

/* Whom node i proposes to, found by so many threads, which compare in pairs. */
static int32_t propose(const struct graph *graph, int64_t i, int lanes)
{
    struct proposal found[32], before[32];
    for (int lane = 0; lane < lanes; lane++)
        found[lane] = graph_propose(graph, i, lane, lanes);
    for (int apart = lanes / 2; apart > 0; apart /= 2) {
        memcpy(before, found, sizeof found);
        for (int lane = 0; lane < lanes; lane++)
            found[lane] = graph_better(i, before[lane], before[lane ^ apart]);
    }
    for (int lane = 1; lane < lanes; lane++)
        ck_assert_int_eq(found[lane].to, found[0].to);
    return found[0].to;
}

static struct csr sum(const struct csr *A, bool squares, const int32_t *map, int64_t count)
{
    struct coarse_terms by = {.squares = squares, .shift = 1};
    while (count >> by.shift)
        by.shift++;
    by.places = room(A->nnz, sizeof *by.places);
    by.values = room(A->nnz, sizeof *by.values);
    for (int64_t i = A->n - 1; i >= 0; i--)
        coarse_list(&by, A, map, count, i);
    struct keyed *keys = sorted(A->nnz, by.places, NULL);
    double *values = room(A->nnz, sizeof *values);
    int32_t *entries = room(A->nnz, sizeof *entries), nnz = 0;
    for (int64_t p = 0; p < A->nnz; p++) {
        by.places[p] = keys[p].key;
        values[p] = by.values[keys[p].place];
    }
    for (int64_t p = 0; p < A->nnz; p++) {
        entries[p] = nnz;
        nnz += coarse_begins(by.places, coarse_nowhere(count, by.shift), p);
    }
    free(by.values);
    by.values = values;
    by.entries = entries;
    by.coarse = matrix(CSR_SYMMETRIC, count, nnz);
    for (int64_t p = A->nnz - 1; p >= 0; p--)
        coarse_sum(&by, A->nnz, p);
    free(by.places);
    free(values);
    free(entries);
    free(keys);
    return by.coarse;
}

static struct csr nodes_of(const struct csr *A, int64_t block)
{
    int32_t *map = room(A->n, sizeof *map);
    for (int64_t i = 0; i < A->n; i++)
        map[i] = (int32_t)(i / block);
    struct csr nodes = sum(A, true, map, A->n / block);
    free(map);
    return nodes;
}

/* map[n], and how many aggregates there are. */
static int64_t pair(const struct csr *rows, int64_t block, int lanes, int32_t *map)
{
    struct csr nodes = block > 1 ? nodes_of(rows, block) : *rows, *A = &nodes;
    struct graph graph = {.both = expand(A)};
    double *diagonal = room(A->n, sizeof *diagonal);
    int32_t *numbers = room(A->n, sizeof *numbers), count = 0;
    graph.weights = room(graph.both.nnz, sizeof *graph.weights);
    graph.mate = room(A->n, sizeof *graph.mate);
    graph.best = room(A->n, sizeof *graph.best);
    for (int64_t i = 0; i < A->n; i++)
        diagonal[i] = A->values[A->offsets[i]];
    for (int64_t i = A->n - 1; i >= 0; i--)
        graph_weigh(&graph, diagonal, block, i);
    for (int round = 0; round < MATCHING_ROUNDS; round++) {
        for (int64_t i = A->n - 1; i >= 0; i--)
            graph.best[i] = graph.mate[i] == FREE ? propose(&graph, i, lanes) : FREE;
        for (int64_t i = A->n - 1; i >= 0; i--)
            graph_accept(&graph, i);
    }
    for (int64_t i = 0; i < A->n; i++) {
        numbers[i] = count;
        count += graph_leads(graph.mate, i);
    }
    for (int64_t i = rows->n - 1; i >= 0; i--)
        map[i] = graph_aggregate(graph.mate, numbers, block, i);
    if (block > 1)
        leave(&nodes);
    leave(&graph.both);
    free(graph.weights);
    free(graph.mate);
    free(graph.best);
    free(diagonal);
    free(numbers);
    return count * block;
}

static void rescale_by_rows(const struct rescaling *by, struct csr *coarse)
{
    struct csr full = expand(coarse);
    double least = INFINITY, of_sum = fmax(by->of_sum, 1 / by->correction);
    for (int64_t i = 0; i < coarse->n; i++)
        least = fmin(least, rescale_sum(&full, by->block, i));
    least = rescale_mass(by->correction, by->block, least);
    for (int64_t i = coarse->n - 1; i >= 0; i--) {
        double sum = rescale_sum(&full, by->block, i);
        double kept = rescale_kept(least, of_sum, rescale_most_of(by->correction), sum);
        if (by->block > 1)
            rescale_blocks_row(coarse, by->correction, kept, sum, i);
        else
            rescale_row(&full, by->correction, kept, coarse, i);
    }
    leave(&full);
}

/* --- against the host ------------------------------------------------------------------------- */

static void expect_same(const struct csr *made, const struct csr *wanted)
{
    ck_assert_int_eq(made->n, wanted->n);
    ck_assert_int_eq(made->nnz, wanted->nnz);
    ck_assert_mem_eq(made->offsets, wanted->offsets, (size_t)(made->n + 1) * sizeof *made->offsets);
    ck_assert_mem_eq(made->columns, wanted->columns, (size_t)made->nnz * sizeof *made->columns);
    ck_assert_mem_eq(made->values, wanted->values, (size_t)made->nnz * sizeof *made->values);
}

/* The map and A_c of so many passes; coarse->n = 0: no node is coupled. */
static int64_t match(const struct csr *A, int64_t block, int passes, int lanes, int32_t *map,
                     struct csr *coarse)
{
    int64_t count = A->n;
    struct csr at = *A;
    int32_t *pairs = room(A->n, sizeof *pairs);
    *coarse = (struct csr){0};
    for (int pass = 0; pass < passes && count > 0; pass++) {
        count = pair(&at, block, lanes, pairs);
        for (int64_t i = 0; i < A->n; i++)
            map[i] = pass == 0 ? pairs[i] : map[i] == IN_NO_AGGREGATE ? map[i] : pairs[map[i]];
        struct csr next = count > 0 ? sum(&at, false, pairs, count) : (struct csr){0};
        leave(coarse);
        at = *coarse = next;
    }
    free(pairs);
    return count;
}

static void try_passes(const struct csr *A, int64_t block, int passes, double correction)
{
    static const struct cells none = {0};
    struct error error;
    struct rescaling by = {correction, 0.875, block, &none, NULL};
    struct aggregates wanted;
    struct csr coarse, made;
    int32_t *map = room(A->n, sizeof *map);
    int64_t count = match(A, block, passes, 1 << (passes + A->n % 2), map, &made);
    expect_ok(matching_aggregate(A, block, passes, &wanted, &coarse, NULL, &error), &error);
    ck_assert_int_eq(count, wanted.count);
    ck_assert_mem_eq(map, wanted.map, (size_t)A->n * sizeof *map);
    if (count > 0) {
        expect_same(&made, &coarse);
        expect_ok(rescale(&by, &coarse, &error), &error);
        rescale_by_rows(&by, &made);
        expect_same(&made, &coarse);
    }
    aggregates_free(&wanted);
    csr_free(&coarse);
    leave(&made);
    free(map);
}

static void try_matrix(const struct csr *A, int64_t block, uint64_t *state)
{
    expect_expanded(A);
    for (int passes = 1; passes <= 4; passes++)
        try_passes(A, block, passes, 0.5 + 1.5 * test_random(state));
}

/* Rows that dominate, couplings that are 0 or of the other sign, and ties. */
static void disturb(struct csr *A, uint64_t *state)
{
    bool ties = test_random(state) < 0.5;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            double chance = test_random(state);
            if (k == A->offsets[i])
                A->values[k] *= chance < 0.1 ? 100 : 1;
            else if (ties)
                A->values[k] = chance < 0.1 ? 1 : chance < 0.2 ? 0 : chance < 0.4 ? -2 : -1;
            else
                A->values[k] *= chance < 0.2 ? -1 : chance < 0.3 ? 0 : 1;
        }
}

START_TEST(rows_have_the_bits_of_the_host)
{
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        try_matrix(&A, 1, &state);
        disturb(&A, &state);
        try_matrix(&A, 1, &state);
        for (int64_t i = 0; i < A.n; i++) /* no row takes part */
            A.values[A.offsets[i]] = 1e6;
        try_matrix(&A, 1, &state);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(meshes_have_the_bits_of_the_host)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 6; trial++) {
        struct error error;
        int64_t block = 1 + test_random_below(&state, 6);
        struct fe_mesh mesh = {{9, 8, trial % 2 ? 1 : 7}, block, 1e-3, (int64_t)(state >> 1), 0, 0};
        mesh.diagonals = trial % 3 ? FE_MESH_RANDOM_DIAGONALS : FE_MESH_REGULAR;
        mesh.numbering = trial < 3 ? FE_MESH_RANDOM_NUMBERING : FE_MESH_NATURAL;
        struct csr A;
        expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
        try_matrix(&A, block, &state);
        disturb(&A, &state);
        try_matrix(&A, block, &state);
        csr_free(&A);
        test_random(&state);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {rows_have_the_bits_of_the_host, meshes_have_the_bits_of_the_host, NULL};
    return suite_of("precondition/multigrid/graph_rows", tests);
}
