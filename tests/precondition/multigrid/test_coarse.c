/* The matrix of aggregates: in the order that the header writes down, near P' A P, and the same for
 * any number of threads. */
#include "csr_check.h"
#include "made.h"
#include "support.h"

#include "matrices.h"
#include "precondition/multigrid/coarsening.h"

#include <string.h>

/* The aggregates of a map, whose numbers leave none out. */
static struct aggregates listed(int64_t n, int64_t count, int32_t *map)
{
    struct error error;
    struct aggregates a = {.n = n, .count = count, .map = map};
    expect_ok(aggregates_list(&a, &error), &error);
    expect_lists(&a);
    return a;
}

/* Every row by itself, the rows numbered at random. */
static struct aggregates single_rows(int64_t n, uint64_t *state)
{
    return listed(n, n, test_random_numbering(n, state));
}

static struct aggregates all_rows(int64_t n, uint64_t *state)
{
    (void)state;
    struct error error;
    return listed(n, 1, memory_zeros(n, sizeof(int32_t), "a map", &error));
}

/* One row, and the others in no aggregate. */
static struct aggregates one_row(int64_t n, uint64_t *state)
{
    struct aggregates a = all_rows(n, state);
    int64_t row = test_random_below(state, n);
    for (int64_t i = 0; i < n; i++)
        a.map[i] = i == row ? 0 : IN_NO_AGGREGATE;
    memory_free(a.offsets);
    memory_free(a.members);
    return listed(n, 1, a.map);
}

/* Rows in any aggregate, an eighth of them in none; the aggregates numbered at random. */
static struct aggregates scattered(int64_t n, uint64_t *state)
{
    struct error error;
    int64_t most = 1 + test_random_below(state, n), count = 0;
    int32_t *map = memory_array(n, sizeof *map, "a map", &error);
    int32_t *order = test_random_numbering(most, state), *number = test_random_numbering(n, state);
    int32_t *taken = memory_array(most, sizeof *taken, "numbers", &error);
    memset(taken, -1, (size_t)most * sizeof *taken);
    for (int64_t k = 0; k < n; k++) { /* number[0] is in one, so there is one */
        int32_t *of = &taken[order[test_random_below(state, most)]];
        if (k > 0 && test_random(state) < 0.125)
            map[number[k]] = IN_NO_AGGREGATE;
        else
            map[number[k]] = *of >= 0 ? *of : (*of = (int32_t)count++);
    }
    memory_free(order);
    memory_free(number);
    memory_free(taken);
    return listed(n, count, map);
}

/* Neighbouring rows, those in the middle the last aggregate. */
static struct aggregates neighbours(int64_t n, uint64_t *state)
{
    struct error error;
    int64_t length = 1 + test_random_below(state, 8), count = (n + length - 1) / length;
    int32_t *map = memory_array(n, sizeof *map, "a map", &error);
    for (int64_t i = 0; i < n; i++)
        map[i] = (int32_t)((i / length + (count - 1) / 2) % count);
    return listed(n, count, map);
}

typedef struct aggregates make_map(int64_t n, uint64_t *state);

static make_map *const maps[] = {single_rows, all_rows, one_row, scattered, scattered, neighbours};

/* A_c as the header says it, entry by entry: the sums lie in a square. */
static void expect_written_order(const struct csr *A, const struct aggregates *a,
                                 const struct csr *coarse)
{
    struct error error;
    int64_t n = a->count, k = 0;
    double *sums = memory_zeros(n * n, sizeof *sums, "a square", &error);
    bool *device_setup = memory_zeros(n * n, sizeof *device_setup, "a square", &error);
    ck_assert(sums && device_setup);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->offsets[i]; e < A->offsets[i + 1]; e++) {
            int32_t j = A->columns[e], I = a->map[i], J = a->map[j];
            if (I == IN_NO_AGGREGATE || J == IN_NO_AGGREGATE)
                continue;
            int64_t place = I < J ? I * n + J : J * n + I;
            device_setup[place] = true;
            sums[place] += I == J && i < j ? 2 * A->values[e] : A->values[e];
        }
    for (int64_t I = 0; I < n; I++)
        for (int64_t J = I; J < n; J++) {
            if (!device_setup[I * n + J])
                continue;
            ck_assert_int_lt(k, coarse->offsets[I + 1]);
            ck_assert_int_eq(coarse->columns[k], J);
            ck_assert_mem_eq(&coarse->values[k], &sums[I * n + J], sizeof *sums);
            k++;
        }
    ck_assert_int_eq(k, coarse->nnz);
    memory_free(sums);
    memory_free(device_setup);
}

static void try_matrix(const struct csr *A, uint64_t *state)
{
    struct error error;
    for (size_t m = 0; m < sizeof maps / sizeof *maps; m++) {
        struct aggregates a = maps[m](A->n, state);
        uint64_t hash = 0;
        for (int t = 0; t < TEAMS; t++) {
            struct csr coarse;
            test_threads(teams[t]);
            expect_ok(coarse_matrix(A, &a, &coarse, &error), &error);
            if (t == 0) {
                expect_coarse(A, &a, &coarse);
                expect_written_order(A, &a, &coarse);
                hash = csr_hash(&coarse);
            }
            ck_assert_msg(csr_hash(&coarse) == hash, "map %d, %d threads", (int)m, teams[t]);
            csr_free(&coarse);
        }
        aggregates_free(&a);
    }
}

START_TEST(a_coarse_matrix_of_every_shape)
{
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A;
        test_matrix_build(&test_matrices[t], CSR_SYMMETRIC, &state, &A);
        try_matrix(&A, &state);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(a_coarse_matrix_of_every_problem)
{
    uint64_t state = test_seed();
    struct error error;
    for (int64_t unknowns = 1; unknowns <= 5; unknowns++) {
        struct fe_mesh mesh = {{6, 5, unknowns % 2 ? 0 : 4},
                               unknowns,
                               1e-3,
                               (int64_t)(state >> 1),
                               FE_MESH_RANDOM_DIAGONALS,
                               FE_MESH_RANDOM_NUMBERING};
        struct csr A;
        expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
        try_matrix(&A, &state);
        csr_free(&A);
    }
    struct csr A;
    make_brick(5, 4, 3, 3, &A);
    try_matrix(&A, &state);
    csr_free(&A);
    make_poisson(11, 10, 9, &A);
    try_matrix(&A, &state);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Of single rows in their own order nothing is added. */
START_TEST(single_rows_give_the_matrix_again)
{
    uint64_t state = test_seed();
    struct error error;
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A, coarse;
        test_matrix_build(&test_matrices[t], CSR_SYMMETRIC, &state, &A);
        int32_t *map = memory_array(A.n, sizeof *map, "a map", &error);
        for (int64_t i = 0; i < A.n; i++)
            map[i] = (int32_t)i;
        struct aggregates a = listed(A.n, A.n, map);
        expect_ok(coarse_matrix(&A, &a, &coarse, &error), &error);
        ck_assert(csr_hash(&coarse) == csr_hash(&A));
        csr_free(&coarse);
        aggregates_free(&a);
        csr_free(&A);
    }
}
END_TEST

struct attempt {
    const struct csr *A;
    const struct aggregates *aggregates;
};

static enum status attempt(void *context, struct error *error)
{
    const struct attempt *of = context;
    struct csr coarse;
    enum status status = coarse_matrix(of->A, of->aggregates, &coarse, error);
    csr_free(&coarse);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    uint64_t state = test_seed();
    struct csr A;
    make_poisson(6, 5, 4, &A);
    for (int t = 0; t < 3; t++) {
        struct aggregates a = scattered(A.n, &state);
        struct attempt context = {&A, &a};
        test_threads(1 + t);
        walk_allocation_failures(attempt, &context);
        aggregates_free(&a);
    }
    csr_free(&A);
}
END_TEST

/* A hub with 10^6 leaves, numbered at random: in steps that are the square of its row it would take
 * minutes. */
START_TEST(a_row_may_be_long)
{
    enum { LEAVES = 1000000 };
    struct error error;
    struct csr A, coarse;
    uint64_t state = test_seed();
    make_hubs(1, LEAVES, &A);
    int32_t *number = test_random_numbering(A.n, &state), hub = number[0];
    for (int64_t i = 0; i < A.n; i++)
        number[i] = number[i] == 0 ? hub : number[i];
    number[0] = 0;
    struct aggregates a = listed(A.n, A.n, number);
    expect_ok(coarse_matrix(&A, &a, &coarse, &error), &error);
    expect_ok(csr_check(&coarse, &error), &error);
    ck_assert_int_eq(coarse.nnz, A.nnz);
    ck_assert_int_eq(coarse.offsets[1], LEAVES + 1);
    aggregates_free(&a);
    csr_free(&coarse);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_coarse_matrix_of_every_shape,
                            a_coarse_matrix_of_every_problem,
                            single_rows_give_the_matrix_again,
                            every_failed_allocation_is_survived,
                            a_row_may_be_long,
                            NULL};
    return suite_of("precondition/multigrid/coarse", tests);
}
