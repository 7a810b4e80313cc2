/* Aggregates at a distance of 2, and levels by smoothed aggregation: what the headers promise of
 * them, for any number of threads. */
#include "made.h"
#include "support.h"

#include "base/threads.h"
#include "matrices.h"
#include "matrix/near_null.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/setup/distance2.h"
#include "precondition/multigrid/setup/graph.h"
#include "precondition/multigrid/setup/smoothed.h"
#include "space/rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void *zeros(int64_t count, size_t size)
{
    struct error error;
    void *array = memory_zeros(count, size, "a reference", &error);
    ck_assert_ptr_nonnull(array);
    return array;
}

/* --- aggregates ------------------------------------------------------------------------------- */

/* Which nodes of a graph are strong neighbours: n x n. The caller calls memory_free. */
static bool *strong_neighbours(const struct graph *graph, float threshold)
{
    int64_t n = graph->upper.n;
    bool *strong = zeros(n * n, sizeof *strong);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = graph->upper.offsets[i] + 1; k < graph->upper.offsets[i + 1]; k++) {
            int64_t j = graph->upper.columns[k];
            strong[i * n + j] = strong[j * n + i] = graph->weights[k] > threshold;
        }
    return strong;
}

/* steps[j]: how many couplings the shortest way from node i to node j has; -1: there is none. */
static void steps_from(int64_t n, const bool *strong, int64_t i, int *steps)
{
    for (int64_t j = 0; j < n; j++)
        steps[j] = j == i ? 0 : -1;
    for (int at = 0, grows = 1; grows; at++) {
        grows = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < n && steps[j] == at; k++)
                if (strong[j * n + k] && steps[k] < 0) {
                    steps[k] = at + 1;
                    grows = 1;
                }
    }
}

/* A greedy search by ascending numbers: a node is a root, unless one is at that distance or less.
 * roots[i]: the number of root i, or -1. Returns how many. */
static int64_t greedy_roots(int64_t n, const bool *strong, int distance, const int32_t *mates,
                            int64_t *roots)
{
    int64_t count = 0;
    int *steps = zeros(n, sizeof *steps);
    for (int64_t i = 0; i < n; i++) {
        bool free = mates[i] != LEFT_OUT, lonely = true;
        steps_from(n, strong, i, steps);
        for (int64_t j = 0; j < n; j++) {
            lonely = lonely && !(strong[i * n + j] && mates[j] != LEFT_OUT);
            free = free && !(j < i && roots[j] >= 0 && steps[j] >= 0 && steps[j] <= distance);
        }
        roots[i] = free && !lonely ? count++ : -1;
    }
    memory_free(steps);
    return count;
}

/* Roots are those of the greedy search, numbered ascending; who is beside one is in its aggregate;
 * others are in that of a strong neighbour, or have none that is in an aggregate. */
static void expect_distance(const struct graph *graph, const int32_t *before, float threshold,
                            int distance, const struct aggregates *a)
{
    int64_t n = graph->upper.n;
    bool *strong = strong_neighbours(graph, threshold);
    int64_t *roots = zeros(n, sizeof *roots);
    ck_assert_int_eq(greedy_roots(n, strong, distance, before, roots), a->count);
    for (int64_t i = 0; i < n; i++) {
        bool beside = false, coupled = false;
        for (int64_t j = 0; j < n; j++) {
            if (!strong[i * n + j])
                continue;
            if (roots[j] >= 0 && before[i] != LEFT_OUT)
                ck_assert_int_eq(a->map[i], roots[j]);
            beside = beside || a->map[j] == a->map[i];
            coupled = coupled || a->map[j] != IN_NO_AGGREGATE;
        }
        if (roots[i] >= 0)
            ck_assert_int_eq(a->map[i], roots[i]);
        else if (a->map[i] == IN_NO_AGGREGATE)
            ck_assert(!coupled || before[i] == LEFT_OUT);
        else
            ck_assert(beside);
    }
    memory_free(roots);
    memory_free(strong);
}

static void aggregate(const struct csr *A, int64_t block, float threshold, int distance, bool small)
{
    struct error error;
    struct aggregates first = {0}, again;
    int before = threads_count(threads_lent());
    for (int t = 0; t < TEAMS; t++) {
        struct graph graph;
        test_threads(teams[t]);
        expect_ok(graph_make(A, block, &graph, &error), &error);
        int32_t *mates = zeros(graph.upper.n, sizeof *mates);
        memcpy(mates, graph.mate, (size_t)graph.upper.n * sizeof *mates);
        expect_ok(distance2_aggregate(&graph, threshold, distance, &again, &error), &error);
        expect_lists(&again);
        if (t == 0 && small)
            expect_distance(&graph, mates, threshold, distance, &again);
        ck_assert(t == 0 ||
                  (again.count == first.count &&
                   memcmp(again.map, first.map, (size_t)first.n * sizeof *first.map) == 0));
        memory_free(mates);
        graph_free(&graph);
        if (t == 0)
            first = again;
        else
            aggregates_free(&again);
    }
    aggregates_free(&first);
    test_threads(before);
}

START_TEST(roots_are_those_of_a_greedy_search)
{
    uint64_t state = test_seed();
    struct csr A;
    for (int t = 0; t < test_matrices_count; t++) {
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        for (int distance = 2; A.n <= 300 && distance <= 6; distance += distance / 2)
            aggregate(&A, 1, (float)(0.1 * test_random(&state)), distance, true);
        csr_free(&A);
    }
    make_poisson(7, 6, 5, &A);
    for (int distance = 2; distance <= 5; distance++)
        aggregate(&A, 1, 0.01F, distance, true);
    csr_free(&A);
    make_brick(5, 4, 3, 3, &A);
    aggregate(&A, 3, 0.01F, 2, true);
    csr_free(&A);
}
END_TEST

/* A path is a chain of nodes that wait for each other: hashes end it, and what holds of any
 * aggregates holds. */
START_TEST(a_long_chain_ends)
{
    enum { N = 6 * DISTANCE2_ROUNDS };
    struct csr A;
    struct graph graph;
    struct aggregates a;
    struct error error;
    double *constant = zeros(N, sizeof *constant);
    for (int64_t i = 0; i < N; i++)
        constant[i] = 1;
    make_cells((const int64_t[]){N, 1, 1}, constant, &A);
    memory_free(constant);
    aggregate(&A, 1, 0.01F, 2, false);
    expect_ok(graph_make(&A, 1, &graph, &error), &error);
    expect_ok(distance2_aggregate(&graph, 0.01F, 2, &a, &error), &error);
    ck_assert_int_ge(a.count, N / 5);
    ck_assert_int_le(a.count, N / 3);
    for (int64_t i = 0; i < N; i++)
        ck_assert_int_ne(a.map[i], IN_NO_AGGREGATE);
    aggregates_free(&a);
    graph_free(&graph);
    csr_free(&A);
}
END_TEST

/* --- a level ---------------------------------------------------------------------------------- */

struct made_level {
    struct near_null_vectors vectors, below;
    struct aggregates aggregates; /* of nodes */
    struct interpolation P;
    struct csr coarse;
};

static void level_make(const struct csr *A, const struct near_null *near_null, int64_t block,
                       double lmax, struct made_level *made)
{
    struct error error;
    *made = (struct made_level){0};
    expect_ok(near_null_take(A, near_null, block, NULL, &made->vectors, &error), &error);
    struct smoothed_aggregation by = {A, &made->vectors, lmax, 0, INT64_MAX};
    expect_ok(
        smoothed_coarsen(&by, &made->aggregates, &made->P, &made->coarse, &made->below, &error),
        &error);
}

static void level_end(struct made_level *made)
{
    near_null_vectors_free(&made->vectors);
    near_null_vectors_free(&made->below);
    aggregates_free(&made->aggregates);
    interpolation_free(&made->P);
    csr_free(&made->coarse);
}

/* P by rows, n x m. The caller calls memory_free. */
static double *dense_P(const struct interpolation *P)
{
    int64_t m = P->coarse * P->width;
    double *dense = zeros(P->fine * P->block * m, sizeof *dense);
    const double *values = P->values;
    for (int64_t node = 0; node < P->fine; node++)
        for (int64_t p = P->offsets[node]; p < P->offsets[node + 1]; p++)
            for (int64_t c = 0; c < P->block; c++)
                for (int64_t v = 0; v < P->width; v++)
                    dense[(node * P->block + c) * m + P->columns[p] * P->width + v] =
                        values[(p * P->block + c) * P->width + v];
    return dense;
}

static void expect_structure(const struct interpolation *P)
{
    for (int64_t node = 0; node < P->fine; node++)
        for (int64_t p = P->offsets[node]; p < P->offsets[node + 1]; p++) {
            ck_assert(p == P->offsets[node] || P->columns[p] > P->columns[p - 1]);
            ck_assert_int_lt(P->columns[p], P->coarse);
        }
    ck_assert_uint_eq(P->begins[0], 0);
    ck_assert_uint_eq(P->begins[P->coarse], P->blocks);
    for (int64_t J = 0; J < P->coarse; J++)
        for (uint32_t e = P->begins[J]; e < P->begins[J + 1]; e++) {
            ck_assert_int_eq(P->columns[P->order[e]], J);
            ck_assert(e == P->begins[J] || P->order[e] > P->order[e - 1]);
            ck_assert(P->offsets[P->nodes[e]] <= P->order[e] &&
                      P->order[e] < P->offsets[P->nodes[e] + 1]);
        }
}

/* A_c = P'AP within gamma |P'||A||P| of two chains, but for the diagonals of rows of zeros. */
static void expect_contraction(const struct csr *A, const struct made_level *made)
{
    int64_t n = A->n, m = made->coarse.n;
    double *P = dense_P(&made->P);
    long double *AP = zeros(n * m, sizeof *AP), *bound = zeros(n * m, sizeof *bound);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            for (int64_t J = 0; J < m; J++) {
                int64_t j = A->columns[k];
                AP[i * m + J] += (long double)A->values[k] * P[j * m + J];
                bound[i * m + J] += fabsl((long double)A->values[k] * P[j * m + J]);
                AP[j * m + J] += i == j ? 0 : (long double)A->values[k] * P[i * m + J];
                bound[j * m + J] += i == j ? 0 : fabsl((long double)A->values[k] * P[i * m + J]);
            }
    for (int64_t I = 0; I < m; I++)
        for (int64_t k = made->coarse.offsets[I]; k < made->coarse.offsets[I + 1]; k++) {
            int64_t J = made->coarse.columns[k];
            long double sum = 0, error = 0;
            for (int64_t i = 0; i < n; i++) {
                sum += P[i * m + I] * AP[i * m + J];
                error += fabsl(P[i * m + I] * bound[i * m + J]);
            }
            if (I == J && error == 0)
                ck_assert(made->coarse.values[k] > 0);
            else
                ck_assert(fabsl(made->coarse.values[k] - sum) <=
                          2 * (long double)n * DBL_EPSILON * error);
        }
    memory_free(P);
    memory_free(AP);
    memory_free(bound);
}

/* Every entry of P'AP that is not 0 is stored. */
static void expect_complete(const struct csr *A, const struct made_level *made)
{
    int64_t n = A->n, m = made->coarse.n;
    double *P = dense_P(&made->P);
    bool *stored = zeros(m * m, sizeof *stored);
    for (int64_t I = 0; I < m; I++)
        for (int64_t k = made->coarse.offsets[I]; k < made->coarse.offsets[I + 1]; k++)
            stored[I * m + made->coarse.columns[k]] = stored[made->coarse.columns[k] * m + I] =
                true;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            for (int64_t I = 0; I < m && A->values[k] != 0; I++)
                for (int64_t J = 0; J < m && P[i * m + I] != 0; J++)
                    ck_assert(stored[I * m + J] || P[A->columns[k] * m + J] == 0);
    memory_free(stored);
    memory_free(P);
}

/* With omega = 0, P is T: its columns are orthonormal, or 0, within n k eps; and T R = B where a
 * node lies in an aggregate. What was dropped is 2^-20 of a vector's norm at the most. */
static void expect_orthonormal(const struct made_level *made)
{
    int64_t n = made->P.fine * made->P.block, width = made->P.width, m = made->P.coarse * width;
    double *T = dense_P(&made->P), tolerance = (double)(n * width) * 0x1p-30;
    for (int64_t I = 0; I < m; I++)
        for (int64_t J = I - I % width; J <= I; J++) {
            double dot = 0;
            for (int64_t i = 0; i < n; i++)
                dot += T[i * m + I] * T[i * m + J];
            ck_assert(I == J ? dot == 0 || fabs(dot - 1) <= tolerance : fabs(dot) <= tolerance);
        }
    for (int64_t I = 0; I < made->P.coarse; I++)
        for (int64_t v = 0; v < width; v++) {
            double apart = 0, norm = 0;
            for (int64_t i = 0; i < n; i++) {
                if (made->aggregates.map[i / made->P.block] != I)
                    continue;
                double value = made->vectors.B[i * width + v], left = value;
                for (int64_t w = 0; w < width; w++)
                    left -= T[i * m + I * width + w] * made->below.B[(I * width + w) * width + v];
                apart += left * left;
                norm += value * value;
            }
            ck_assert(sqrt(apart) <= (0x1p-20 + tolerance) * sqrt(norm));
        }
    memory_free(T);
}

/* Where all couplings are strong and all nodes lie in aggregates, P R = (I - omega D^-1 A) B. */
static void expect_interpolation(const struct csr *A, double lmax, const struct made_level *made)
{
    int64_t n = A->n, width = made->P.width, m = made->coarse.n;
    double *P = dense_P(&made->P);
    long double omega = 5 / (3 * (long double)lmax);
    long double *AB = zeros(n * width, sizeof *AB), *all = zeros(n * width, sizeof *all);
    const double *B = made->vectors.B;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            for (int64_t v = 0; v < width; v++) {
                int64_t j = A->columns[k];
                AB[i * width + v] += (long double)A->values[k] * B[j * width + v];
                AB[j * width + v] += i == j ? 0 : (long double)A->values[k] * B[i * width + v];
                all[i * width + v] += fabs(A->values[k]) * 4;
                all[j * width + v] += fabs(A->values[k]) * 4;
            }
    for (int64_t i = 0; i < n; i++)
        for (int64_t v = 0; v < width; v++) {
            long double scale = omega / A->values[A->offsets[i]], sum = 0;
            for (int64_t J = 0; J < m; J++)
                sum += (long double)P[i * m + J] * made->below.B[J * width + v];
            long double expected = B[i * width + v] - scale * AB[i * width + v];
            ck_assert(fabsl(sum - expected) <=
                      0x1p-19L * (4 + scale * all[i * width + v])); /* dropped parts */
        }
    memory_free(P);
    memory_free(AB);
    memory_free(all);
}

/* B of any values, or rigid body modes of nodes at random places. */
static void random_vectors(const struct csr *A, int64_t block, int64_t width, uint64_t *state,
                           struct near_null *near_null)
{
    struct error error;
    double *values = zeros(A->n * width, sizeof *values);
    for (int64_t k = 0; k < A->n * width; k++)
        values[k] = 2 * test_random(state) - 1;
    if (block == 3 && width == 6)
        expect_ok(near_null_rigid_body(A->n / 3, 3, values, near_null, &error), &error);
    else
        expect_ok(near_null_of(A->n, block, width, values, near_null, &error), &error);
    memory_free(values);
}

static void try_level(const struct csr *A, int64_t block, const struct near_null *near_null,
                      bool all_strong)
{
    struct made_level made, plain, again;
    const double lmax = 2.5;
    level_make(A, near_null, block, lmax, &made);
    level_make(A, near_null, block, INFINITY, &plain);
    if (made.P.blocks > 0) {
        expect_structure(&made.P);
        expect_contraction(A, &made);
        expect_complete(A, &made);
        expect_orthonormal(&plain);
    }
    if (all_strong)
        expect_interpolation(A, lmax, &made);
    int before = threads_count(threads_lent());
    for (int t = 0; t < TEAMS; t++) {
        test_threads(teams[t]);
        level_make(A, near_null, block, lmax, &again);
        ck_assert_int_eq(again.P.blocks, made.P.blocks);
        ck_assert(made.P.blocks == 0 || csr_hash(&again.coarse) == csr_hash(&made.coarse));
        ck_assert(made.P.blocks == 0 ||
                  memcmp(again.P.values, made.P.values,
                         (size_t)(made.P.blocks * made.P.block * made.P.width) * sizeof(double)) ==
                      0);
        level_end(&again);
    }
    test_threads(before);
    level_end(&made);
    level_end(&plain);
}

START_TEST(levels_of_all_matrices)
{
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A;
        struct near_null near_null;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        int64_t block = A.n % 3 == 0 ? 3 : A.n % 2 == 0 ? 2 : 1;
        int64_t width = block == 3 ? 6 : 1 + test_random_below(&state, NEAR_NULL_MAX);
        if (A.n <= 200) {
            random_vectors(&A, block, width, &state, &near_null);
            try_level(&A, block, NULL, false);
            try_level(&A, block, &near_null, false);
            near_null_free(&near_null);
        }
        csr_free(&A);
    }
}
END_TEST

/* All couplings of these are strong. */
START_TEST(P_keeps_what_A_sends_to_zero)
{
    uint64_t state = test_seed();
    struct csr A;
    struct near_null near_null;
    make_poisson(6, 5, 4, &A);
    random_vectors(&A, 1, 2, &state, &near_null);
    try_level(&A, 1, NULL, true);
    try_level(&A, 1, &near_null, true);
    near_null_free(&near_null);
    csr_free(&A);
    make_brick(4, 4, 3, 3, &A);
    random_vectors(&A, 3, 6, &state, &near_null);
    try_level(&A, 3, NULL, true);
    try_level(&A, 3, &near_null, true);
    near_null_free(&near_null);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- how large a level is --------------------------------------------------------------------- */

/* A level with at most `most` entries, or none. Of a graph of two nodes or more that are coupled,
 * one aggregate is enough for any number of vectors. */
static void expect_small(const struct csr *A, int64_t block, const struct near_null *near_null,
                         int64_t most)
{
    struct error error;
    struct made_level made = {0}, again = {0};
    int before = threads_count(threads_lent());
    struct csr none = {0};
    for (int t = 0; t < TEAMS; t++) {
        test_threads(teams[t]);
        struct made_level *at = t == 0 ? &made : &again;
        expect_ok(near_null_take(A, near_null, block, NULL, &at->vectors, &error), &error);
        struct smoothed_aggregation by = {A, &at->vectors, 2.5, 0, most};
        expect_ok(smoothed_coarsen(&by, &at->aggregates, &at->P, &at->coarse, &at->below, &error),
                  &error);
        if (at->P.blocks == 0) {
            ck_assert_mem_eq(&at->coarse, &none, sizeof none);
            ck_assert_int_eq(at->aggregates.count, 0);
        } else {
            ck_assert_int_le(at->coarse.nnz, most);
            ck_assert(at->aggregates.distance <= SMOOTHED_FARTHEST);
        }
        if (t > 0) {
            ck_assert_int_eq(made.P.blocks, again.P.blocks);
            ck_assert_int_eq(made.aggregates.distance, again.aggregates.distance);
            ck_assert(made.P.blocks == 0 || csr_hash(&made.coarse) == csr_hash(&again.coarse));
            level_end(&again);
        }
    }
    test_threads(before);
    if (made.P.blocks > 0) {
        expect_structure(&made.P);
        expect_contraction(A, &made);
    }
    level_end(&made);
}

/* Of random graphs and any vectors; from a bound that nothing meets to one that all levels meet. */
START_TEST(a_level_has_no_more_entries_than_it_may)
{
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A;
        struct near_null near_null;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        int64_t width = 1 + test_random_below(&state, NEAR_NULL_MAX);
        if (A.n <= 200) {
            random_vectors(&A, 1, width, &state, &near_null);
            for (int64_t most = 4; most <= 4 * A.nnz; most *= 4)
                expect_small(&A, 1, &near_null, most);
            near_null_free(&near_null);
        }
        csr_free(&A);
    }
}
END_TEST

/* Aggregates grow until it is small enough: a box is one graph, so one aggregate is enough. */
START_TEST(aggregates_grow_until_the_level_fits)
{
    struct csr A;
    struct near_null near_null;
    struct error error;
    make_springs(8, 6, 5, &A, &near_null);
    int farthest = 2;
    for (int64_t most = 21; most <= 4 * A.nnz; most *= 3) {
        struct made_level made = {0};
        expect_ok(near_null_take(&A, &near_null, 3, NULL, &made.vectors, &error), &error);
        struct smoothed_aggregation by = {&A, &made.vectors, 2.5, 0, most};
        expect_ok(
            smoothed_coarsen(&by, &made.aggregates, &made.P, &made.coarse, &made.below, &error),
            &error);
        ck_assert_int_gt(made.P.blocks, 0);
        ck_assert_int_le(made.coarse.nnz, most);
        farthest = most == 21 ? made.aggregates.distance : farthest;
        ck_assert_int_le(made.aggregates.distance, farthest);
        expect_small(&A, 3, &near_null, most);
        level_end(&made);
    }
    ck_assert_int_gt(farthest, 2);
    near_null_free(&near_null);
    csr_free(&A);
}
END_TEST

/* --- memory ----------------------------------------------------------------------------------- */

/* With at most that many entries. */
static void fail_each(const struct csr *A, const struct near_null *near_null, int64_t most)
{
    enum status status = STATUS_MEMORY;
    int64_t live = memory_live();
    for (int64_t after = 0; status; after++) {
        struct made_level made = {0};
        struct error error;
        struct smoothed_aggregation by = {A, &made.vectors, 2, 0, most};
        memory_fail_after(after);
        status = near_null_take(A, near_null, 3, NULL, &made.vectors, &error);
        if (!status)
            status =
                smoothed_coarsen(&by, &made.aggregates, &made.P, &made.coarse, &made.below, &error);
        memory_fail_after(-1);
        ck_assert(!status || status == STATUS_MEMORY);
        level_end(&made);
        ck_assert_int_eq(memory_live(), live);
        ck_assert_int_lt(after, 1000);
    }
}

START_TEST(any_allocation_may_fail)
{
    uint64_t state = test_seed();
    struct csr A;
    struct near_null near_null;
    make_brick(4, 3, 3, 3, &A);
    random_vectors(&A, 3, 6, &state, &near_null);
    fail_each(&A, &near_null, INT64_MAX);
    near_null_free(&near_null);
    csr_free(&A);
    make_springs(5, 4, 4, &A, &near_null);
    fail_each(&A, &near_null, 30); /* at a distance above 3 */
    near_null_free(&near_null);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {roots_are_those_of_a_greedy_search,
                            a_long_chain_ends,
                            levels_of_all_matrices,
                            P_keeps_what_A_sends_to_zero,
                            a_level_has_no_more_entries_than_it_may,
                            aggregates_grow_until_the_level_fits,
                            any_allocation_may_fail,
                            NULL};
    return suite_of("precondition/multigrid/smoothed", tests);
}
