/* Aggregates by matching: what the header promises of them, for any number of threads. */
#include "made.h"
#include "support.h"

#include "base/threads.h"
#include "matrices.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/setup/matching.h"
#include "solver/solve.h"

#include <math.h>
#include <string.h>

/* With any number of threads, which must make the same. The caller frees both. */
static void aggregate(const struct csr *A, int64_t block, int passes, struct aggregates *made,
                      struct csr *coarse)
{
    struct error error;
    expect_ok(matching_aggregate(A, block, passes, made, coarse, NULL, &error), &error);
    int before = threads_count(threads_lent());
    for (int t = 0; t < TEAMS; t++) {
        struct aggregates again;
        struct csr other;
        test_threads(teams[t]);
        expect_ok(matching_aggregate(A, block, passes, &again, &other, NULL, &error), &error);
        ck_assert_int_eq(again.count, made->count);
        ck_assert_mem_eq(again.map, made->map, (size_t)A->n * sizeof *made->map);
        ck_assert(made->count == 0 || csr_hash(&other) == csr_hash(coarse));
        aggregates_free(&again);
        csr_free(&other);
    }
    test_threads(before);
}

static bool is_coupled(double value, int64_t block)
{
    return block > 1 ? value != 0 : value < 0;
}

static int32_t root_of(int32_t *parents, int32_t node)
{
    while (parents[node] != node)
        node = parents[node] = parents[parents[node]];
    return node;
}

/* Nodes that entries of positive strength join within an aggregate have one root: its roots are as
 * many as its parts. */
static void expect_connected(const struct csr *A, int64_t block, const struct aggregates *a)
{
    struct error error;
    int64_t nodes = A->n / block, roots = 0;
    int32_t *parents = memory_array(nodes, sizeof *parents, "parents", &error);
    for (int64_t i = 0; i < nodes; i++)
        parents[i] = (int32_t)i;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++) {
            int64_t j = A->columns[k];
            if (is_coupled(A->values[k], block) && a->map[i] != IN_NO_AGGREGATE &&
                a->map[i] / block == a->map[j] / block)
                parents[root_of(parents, (int32_t)(i / block))] =
                    root_of(parents, (int32_t)(j / block));
        }
    for (int64_t i = 0; i < nodes; i++)
        roots += a->map[i * block] != IN_NO_AGGREGATE && parents[i] == i;
    ck_assert_int_eq(roots, a->count / block);
    memory_free(parents);
}

/* The sums of |a_ij|, j not i, over a_ii. The caller calls memory_free. */
static double *shares_of(const struct csr *A)
{
    struct error error;
    double *shares = memory_zeros(A->n, sizeof *shares, "shares", &error);
    ck_assert_ptr_nonnull(shares);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++) {
            shares[i] += fabs(A->values[k]);
            shares[A->columns[k]] += fabs(A->values[k]);
        }
    for (int64_t i = 0; i < A->n; i++)
        shares[i] /= A->values[A->offsets[i]];
    return shares;
}

/* A share so near to the limit that rounding may decide is not looked at. */
static void expect_dominating_left_out(const struct csr *A, int passes, const struct aggregates *a)
{
    double *shares = shares_of(A);
    for (int64_t i = 0; i < A->n; i++) {
        if (shares[i] < 0.2 - 1e-10)
            ck_assert_int_eq(a->map[i], IN_NO_AGGREGATE);
        if (shares[i] > 0.2 + 1e-10 && passes == 1)
            ck_assert_int_ne(a->map[i], IN_NO_AGGREGATE);
    }
    memory_free(shares);
}

static void expect_aggregates(const struct csr *A, int64_t block, int passes,
                              const struct aggregates *a)
{
    ck_assert_int_eq(a->n, A->n);
    ck_assert_int_eq(a->count % block, 0);
    expect_lists(a);
    for (int64_t I = 0; I < a->count; I++)
        ck_assert_int_le(a->offsets[I + 1] - a->offsets[I], INT64_C(1) << passes);
    for (int64_t i = 0; i < A->n; i++) /* unknown c of a node is row c of its aggregate */
        ck_assert(block == 1 || a->map[i] == a->map[i / block * block] + i % block);
    expect_connected(A, block, a);
    if (block == 1)
        expect_dominating_left_out(A, passes, a);
}

/* All passes. */
static void try_matrix(const struct csr *A, int64_t block)
{
    for (int passes = 1; passes <= 4; passes++) {
        struct aggregates a;
        struct csr coarse;
        aggregate(A, block, passes, &a, &coarse);
        expect_aggregates(A, block, passes, &a);
        if (a.count > 0)
            expect_coarse(A, &a, &coarse);
        aggregates_free(&a);
        csr_free(&coarse);
    }
}

START_TEST(every_matrix_is_aggregated)
{
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        try_matrix(&A, 1);
        for (int64_t k = 0; k < A.nnz; k++) /* some couplings are of the other sign, some rows */
            if (test_random(&state) < 0.3)  /* dominate */
                A.values[k] *= A.values[k] > 0 ? 1 + 9 * test_random(&state) : -1;
        try_matrix(&A, 1);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(blocks_stay_together)
{
    uint64_t state = test_seed();
    struct error error;
    for (int64_t block = 2; block <= 5; block++) {
        struct fe_mesh mesh = {{7, 6, block % 2 ? 0 : 5}, block, 1e-3, (int64_t)(state >> 1), 0, 0};
        mesh.diagonals = block < 4 ? FE_MESH_REGULAR : FE_MESH_RANDOM_DIAGONALS;
        mesh.numbering = block == 3 ? FE_MESH_NATURAL : FE_MESH_RANDOM_NUMBERING;
        struct csr A;
        expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
        try_matrix(&A, block);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* -a_ij / sqrt(a_ii a_jj) of the entry k of row i. */
static double strength_of(const struct csr *A, int64_t i, int64_t k)
{
    return -A->values[k] / sqrt(A->values[A->offsets[i]] * A->values[A->offsets[A->columns[k]]]);
}

/* An edge that is stronger than all others of its two nodes, by more than single precision rounds,
 * is a pair: both propose it. */
START_TEST(the_strongest_edge_of_two_nodes_joins_them)
{
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct error error;
        struct csr A, coarse;
        struct aggregates a;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        double *first = memory_zeros(2 * A.n, sizeof *first, "strengths", &error);
        double *second = first + A.n; /* the greatest one of a node, and the next one */
        for (int64_t i = 0; i < A.n; i++)
            for (int64_t k = A.offsets[i] + 1; k < A.offsets[i + 1]; k++) {
                double strength = strength_of(&A, i, k);
                int64_t ends[2] = {i, A.columns[k]};
                for (int e = 0; e < 2; e++) {
                    second[ends[e]] = fmax(second[ends[e]], fmin(first[ends[e]], strength));
                    first[ends[e]] = fmax(first[ends[e]], strength);
                }
            }
        aggregate(&A, 1, 1, &a, &coarse);
        for (int64_t i = 0; i < A.n; i++)
            for (int64_t k = A.offsets[i] + 1; k < A.offsets[i + 1]; k++) {
                int64_t j = A.columns[k];
                double less = strength_of(&A, i, k) * (1 - 1e-6);
                if (less > second[i] && less > second[j] && a.map[i] >= 0 && a.map[j] >= 0)
                    ck_assert_msg(a.map[i] == a.map[j], "%s: rows %d and %d", test_matrices[t].name,
                                  (int)i, (int)j);
            }
        memory_free(first);
        aggregates_free(&a);
        csr_free(&coarse);
        csr_free(&A);
    }
}
END_TEST

/* Of a Poisson equation half of the rows would be perfect. */
START_TEST(most_rows_are_matched)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 8; trial++) {
        struct error error;
        struct csr A, shuffled;
        struct poisson3d poisson = {.weights = {1, 1, 1}, .jump = trial % 2 ? 1 : 1e4};
        for (int axis = 0; axis < 3; axis++)
            poisson.n[axis] = trial < 6 || axis < 2 ? 10 + test_random_below(&state, 8) : 1;
        expect_ok(poisson3d_create(&poisson, &A, &error), &error);
        make_shuffled(&A, &state, &shuffled);
        for (int k = 0; k < 2; k++) {
            double share = 1;
            for (int passes = 1; passes <= 3; passes++) {
                struct aggregates a;
                struct csr coarse;
                aggregate(k == 0 ? &A : &shuffled, 1, passes, &a, &coarse);
                share *= 0.75;
                ck_assert_msg((double)a.count < share * (double)A.n, "%d passes: %d of %d rows",
                              passes, (int)a.count, (int)A.n);
                ck_assert_int_ge(a.count << passes, A.n);
                aggregates_free(&a);
                csr_free(&coarse);
            }
        }
        csr_free(&A);
        csr_free(&shuffled);
    }
}
END_TEST

START_TEST(a_diagonal_matrix_has_no_aggregates)
{
    static const double values[] = {3, 1, 4, 1, 5, 9};
    for (int passes = 1; passes <= 4; passes++) {
        struct csr A, coarse;
        struct aggregates a;
        diagonal(6, values, &A);
        aggregate(&A, 1, passes, &a, &coarse);
        ck_assert_int_eq(a.count, 0);
        ck_assert_int_eq(coarse.n, 0);
        aggregates_free(&a);
        csr_free(&coarse);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The couplings of a chain, 9 1 9 1 9 1: the strong ones join pairs. The last row lies in none: its
 * coupling is less than a fifth of its diagonal. */
START_TEST(a_chain_by_hand)
{
    static const double upper[] = {20, -9, 0, 0, 0,  0,  0, 20, -1, 0,  0, 0,  0,  20,
                                   -9, 0,  0, 0, 20, -1, 0, 0,  20, -9, 0, 20, -1, 6.1};
    static const int32_t wanted[] = {0, 0, 1, 1, 2, 2, IN_NO_AGGREGATE};
    struct csr A, coarse;
    struct aggregates a;
    test_matrix_from_dense(7, upper, CSR_SYMMETRIC, &A);
    aggregate(&A, 1, 1, &a, &coarse);
    ck_assert_mem_eq(a.map, wanted, sizeof wanted);
    ck_assert_int_eq(coarse.nnz, 5);
    for (int k = 0; k < 5; k++)
        ck_assert(coarse.values[k] == (k % 2 ? -1 : 22));
    aggregates_free(&a);
    csr_free(&coarse);
    csr_free(&A);
}
END_TEST

/* Every hub is in a pair, and each of its leaves is with it, for any number of threads. */
START_TEST(what_is_left_joins_its_strongest_neighbour)
{
    struct error error;
    uint64_t state = test_seed();
    int64_t hubs = 1 + test_random_below(&state, 40), leaves = 2 + test_random_below(&state, 20);
    struct csr A, coarse;
    struct aggregates made;
    make_hubs(hubs, leaves, &A);
    for (int64_t k = 0; k < A.nnz; k++)
        A.values[k] = A.values[k] < 0 ? -0.5 - test_random(&state) / 2 : A.values[k];
    int before = threads_count(threads_lent());
    for (int t = 0; t < TEAMS; t++) {
        test_threads(teams[t]);
        expect_ok(matching_join(&A, 1, &made, &coarse, &error), &error);
        expect_lists(&made);
        expect_coarse(&A, &made, &coarse);
        for (int64_t i = 0; i < hubs * leaves; i++)
            ck_assert_int_eq(made.map[hubs + i], made.map[i / leaves]);
        ck_assert(made.count <= hubs && 2 * made.count >= hubs);
        aggregates_free(&made);
        csr_free(&coarse);
    }
    test_threads(before);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_matrix_is_aggregated,
                            blocks_stay_together,
                            the_strongest_edge_of_two_nodes_joins_them,
                            most_rows_are_matched,
                            a_diagonal_matrix_has_no_aggregates,
                            a_chain_by_hand,
                            what_is_left_joins_its_strongest_neighbour,
                            NULL};
    return suite_of("precondition/multigrid/matching", tests);
}
