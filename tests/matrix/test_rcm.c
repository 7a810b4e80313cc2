/* The numbering against one that is made by the text of the header alone, its bandwidth on grids,
 * and what it does with graphs in pieces. */
#include "matrix/rcm.h"

#include "csr_check.h"
#include "made.h"
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "matrix/permute.h"
#include "numbers.h"

#include <string.h>

/* A permutation; the caller frees it. */
static int32_t *rcm(const struct csr *A)
{
    struct error error;
    int32_t *number = test_numbers(A->n);
    expect_ok(rcm_numbering(A, number, &error), &error);
    expect_permutation(number, A->n);
    return number;
}

START_TEST(every_matrix_has_one_numbering)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            struct csr A;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            test_threads(1);
            int32_t *one = rcm(&A);
            for (int threads = 2; threads <= 7; threads += 5) {
                test_threads(threads);
                int32_t *number = rcm(&A);
                ck_assert_mem_eq(number, one, (size_t)A.n * sizeof *one);
                memory_free(number);
            }
            memory_free(one);
            csr_free(&A);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

enum { MOST = 40 };

/* A graph as a table, and the numbering by the header's text: slow, and without a shared line. */
struct table {
    int n;
    bool joined[MOST][MOST];
};

static int table_degree(const struct table *table, int i)
{
    int degree = 0;
    for (int j = 0; j < table->n; j++)
        degree += table->joined[i][j];
    return degree;
}

/* -1 where no path leads. */
static void table_distances(const struct table *table, int from, int distances[MOST])
{
    for (int i = 0; i < table->n; i++)
        distances[i] = i == from ? 0 : -1;
    for (int step = 0; step < table->n; step++)
        for (int i = 0; i < table->n; i++)
            for (int j = 0; j < table->n; j++)
                if (distances[i] == step && table->joined[i][j] && distances[j] < 0)
                    distances[j] = step + 1;
}

static int table_farthest(const struct table *table, int from, int *distance)
{
    int distances[MOST], best = -1;
    table_distances(table, from, distances);
    *distance = 0;
    for (int i = 0; i < table->n; i++)
        *distance = distances[i] > *distance ? distances[i] : *distance;
    for (int i = 0; i < table->n; i++)
        if (distances[i] == *distance &&
            (best < 0 || table_degree(table, i) < table_degree(table, best)))
            best = i;
    return best;
}

static void table_rcm(const struct table *table, int32_t *number)
{
    int list[MOST], count = 0;
    bool listed[MOST] = {false};
    for (int root = 0; root < table->n; root++) {
        if (listed[root])
            continue;
        int start = root, before = -1, distance, next = table_farthest(table, root, &distance);
        while (distance > before) {
            before = distance;
            start = next;
            next = table_farthest(table, start, &distance);
        }
        int begin = count;
        list[count++] = start;
        listed[start] = true;
        for (int visited = begin; visited < count; visited++)
            for (int degree = 1; degree < table->n; degree++)
                for (int j = 0; j < table->n; j++)
                    if (table->joined[list[visited]][j] && !listed[j] &&
                        table_degree(table, j) == degree) {
                        listed[j] = true;
                        list[count++] = j;
                    }
        for (int k = begin; k < count; k++)
            number[list[k]] = begin + count - 1 - k;
    }
}

START_TEST(numbering_is_that_of_the_header)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 400; trial++) {
        struct table table = {.n = 1 + (int)test_random_below(&state, MOST)};
        double upper[MOST * (MOST + 1) / 2];
        int64_t one_in = 1 + test_random_below(&state, 2 * table.n);
        for (int i = 0, k = 0; i < table.n; i++)
            for (int j = i; j < table.n; j++, k++) {
                bool joined = i != j && test_random_below(&state, one_in) == 0;
                table.joined[i][j] = table.joined[j][i] = joined;
                upper[k] = joined ? 1 : 0;
            }
        struct csr A;
        int32_t wanted[MOST];
        test_matrix_from_dense(table.n, upper, CSR_SYMMETRIC, &A);
        table_rcm(&table, wanted);
        int32_t *number = rcm(&A);
        ck_assert_mem_eq(number, wanted, (size_t)table.n * sizeof *number);
        memory_free(number);
        csr_free(&A);
    }
}
END_TEST

/* Nothing is joined: every row is a component, and keeps its number. */
START_TEST(a_diagonal_stays_as_it_is)
{
    for (int64_t n = 1; n <= 1000; n += 333) {
        struct csr A;
        struct error error;
        expect_ok(csr_create(&A, CSR_SYMMETRIC, n, n, &error), &error);
        for (int64_t i = 0; i <= n; i++)
            A.offsets[i] = i;
        for (int64_t i = 0; i < n; i++) {
            A.columns[i] = (int32_t)i;
            A.values[i] = 1;
        }
        int32_t *number = rcm(&A);
        for (int64_t i = 0; i < n; i++)
            ck_assert_int_eq(number[i], i);
        memory_free(number);
        csr_free(&A);
    }
}
END_TEST

/* Two paths whose rows alternate become two blocks, the one with the first row first. */
START_TEST(components_become_blocks)
{
    enum { N = 101 };
    double upper[N * (N + 1) / 2];
    for (int i = 0, k = 0; i < N; i++)
        for (int j = i; j < N; j++)
            upper[k++] = j == i + 2 ? -1 : i == j ? 4 : 0;
    struct csr A;
    test_matrix_from_dense(N, upper, CSR_SYMMETRIC, &A);
    int32_t *number = rcm(&A);
    for (int i = 0; i < N; i++)
        ck_assert((number[i] < (N + 1) / 2) == (i % 2 == 0));
    test_permute(&A, number);
    ck_assert_int_eq(csr_distances(&A).bandwidth, 1);
    memory_free(number);
    csr_free(&A);
}
END_TEST

static void shuffle(struct csr *A)
{
    int32_t *number = test_numbers(A->n);
    random_permutation(5, A->n, number);
    test_permute(A, number);
    memory_free(number);
}

/* Shuffled grids come back to about the bandwidth that they have line by line and layer by
 * layer. */
START_TEST(shuffled_grids_come_back)
{
    static const struct {
        int64_t n[3], bandwidth;
    } grids[] = {{{60, 1, 1}, 1}, {{30, 40, 1}, 30}, {{20, 100, 1}, 20}, {{12, 13, 14}, 156}};
    struct error error;
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        struct poisson3d poisson = {.weights = {1, 1, 1}, .jump = 1};
        memcpy(poisson.n, grids[g].n, sizeof poisson.n);
        struct csr A;
        expect_ok(poisson3d_create(&poisson, &A, &error), &error);
        ck_assert_int_eq(csr_distances(&A).bandwidth, grids[g].bandwidth);
        shuffle(&A);
        ck_assert_int_gt(csr_distances(&A).bandwidth, A.n / 2);
        int32_t *number = rcm(&A);
        test_permute(&A, number);
        ck_assert_int_le(csr_distances(&A).bandwidth, grids[g].bandwidth + grids[g].bandwidth / 10);
        memory_free(number);
        csr_free(&A);
    }
    struct fe_mesh cube = {.n = {12, 12, 12}, .unknowns = 1, .shift = 1};
    struct csr A;
    expect_ok(fe_mesh_create(&cube, &A, &error), &error);
    shuffle(&A);
    int32_t *number = rcm(&A);
    test_permute(&A, number);
    ck_assert_int_le(csr_distances(&A).bandwidth, 1 + 12 + 12 * 12);
    memory_free(number);
    csr_free(&A);
}
END_TEST

/* A star whose centre is a row in the middle: one list of neighbours that holds every row. */
START_TEST(a_star_is_sorted)
{
    enum { N = 20001, CENTRE = 7000 };
    struct csr A;
    struct error error;
    expect_ok(csr_create(&A, CSR_SYMMETRIC, N, 2 * N - 1, &error), &error);
    int64_t k = 0;
    for (int i = 0; i < N; i++) {
        A.offsets[i] = k;
        for (int j = i; j < N; j++)
            if (j == i || i == CENTRE || j == CENTRE) {
                A.columns[k] = j;
                A.values[k++] = 1;
            }
    }
    A.offsets[N] = k;
    expect_ok(csr_check(&A, &error), &error);
    int32_t *number = rcm(&A);
    /* From row 0 the farthest is row 1; then row 1, the centre, and the others in order. */
    ck_assert(number[1] == N - 1 && number[CENTRE] == N - 2 && number[0] == N - 3);
    for (int i = 2, place = N - 4; i < N; i++)
        if (i != CENTRE)
            ck_assert_int_eq(number[i], place--);
    test_permute(&A, number);
    expect_ok(csr_check(&A, &error), &error);
    memory_free(number);
    csr_free(&A);
}
END_TEST

static void small(enum csr_kind kind, struct csr *A)
{
    static const double upper[] = {0, 2, 0, 3, 0, 0, 4, 0, 5, 0};
    test_matrix_from_dense(4, upper, kind, A);
}

START_TEST(general_matrices_are_refused)
{
    struct csr A;
    struct error error;
    int32_t number[4];
    small(CSR_GENERAL, &A);
    expect_error(rcm_numbering(&A, number, &error), STATUS_CONFIG, &error,
                 "general matrix cannot be renumbered", NULL);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    int32_t number[4];
    return rcm_numbering(context, number, error);
}

START_TEST(every_failed_allocation_is_survived)
{
    struct csr A;
    small(CSR_SYMMETRIC, &A);
    walk_allocation_failures(attempt, &A);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_matrix_has_one_numbering,
                            numbering_is_that_of_the_header,
                            a_diagonal_stays_as_it_is,
                            components_become_blocks,
                            shuffled_grids_come_back,
                            a_star_is_sorted,
                            general_matrices_are_refused,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("matrix/rcm", tests);
}
