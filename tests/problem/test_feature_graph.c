/* A graph weighted by features: its edges and values against the definition, from files as made,
 * the same bits on any number of threads, and what is refused. */
#include "csr_check.h"
#include "support.h"

#include "base/exponential.h"
#include "base/random.h"
#include "io/npy_file.h"
#include "problem/generators.h"
#include "problem/pattern.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct csr create(const struct feature_graph *graph)
{
    struct error error;
    struct csr A;
    expect_ok(problem_create(&problem_feature_graph, graph, &A, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(A.kind, CSR_SYMMETRIC);
    return A;
}

static bool is_joined(const struct feature_graph *graph, int64_t i, int64_t j)
{
    int64_t distance = (j - i + graph->n) % graph->n;
    if (i == j)
        return false;
    if (distance <= graph->near || graph->n - distance <= graph->near)
        return true;
    for (int64_t t = 0; t < graph->far; t++) {
        struct random_order order =
            random_order_make(splitmix64((uint64_t)graph->seed, 4 + 2 * (uint64_t)t), graph->n);
        if (random_order_at(&order, i) == j || random_order_at(&order, j) == i)
            return true;
    }
    return false;
}

static double feature(const struct feature_graph *graph, int64_t i, int64_t c)
{
    return random_uniform(splitmix64((uint64_t)graph->seed, 2),
                          (uint64_t)(i * graph->dimensions + c));
}

static double product(const struct feature_graph *graph, int64_t i, int64_t j)
{
    double s[8] = {0};
    for (int64_t c = 0; c < graph->dimensions; c++)
        s[c % 8] = fma(feature(graph, i, c), feature(graph, j, c), s[c % 8]);
    for (int h = 4; h >= 1; h /= 2)
        for (int l = 0; l < h; l++)
            s[l] += s[l + h];
    return s[0] + 0;
}

static double weight(const struct feature_graph *graph, int64_t i, int64_t j)
{
    double square = graph->sigma * graph->sigma;
    double d = fmax(0, fma(-2, product(graph, i < j ? i : j, i < j ? j : i),
                           product(graph, i, i) + product(graph, j, j)));
    return graph->weight == FEATURE_RATIONAL ? 1 / (1 + d / square)
                                             : exponential(-d / (2 * square));
}

/* Fail unless w is near the weight in long double. d^2 is off by at most some roundings of what
 * cancels there, the weight changes by at most 1 / sigma^2 times that, and has some of its own. */
static void expect_near(const struct feature_graph *graph, int64_t i, int64_t j, double w)
{
    long double d = 0, size = 0, square = (long double)graph->sigma * graph->sigma;
    for (int64_t c = 0; c < graph->dimensions; c++) {
        long double x = feature(graph, i, c), y = feature(graph, j, c);
        d += (x - y) * (x - y);
        size += (fabsl(x) + fabsl(y)) * (fabsl(x) + fabsl(y));
    }
    long double wanted =
        graph->weight == FEATURE_RATIONAL ? 1 / (1 + d / square) : expl(-d / (2 * square));
    long double roundings = (long double)(graph->dimensions / 8 + 8) * DBL_EPSILON;
    ck_assert(fabsl(w - wanted) <= roundings * (size / square + 1));
}

/* Every entry by itself, the bits. */
static void expect_defined(const struct feature_graph *graph)
{
    struct csr A = create(graph);
    int64_t n = graph->n;
    ck_assert_int_eq(A.n, n);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        int64_t k = A.offsets[i] + 1;
        for (int64_t j = 0; j < n; j++) {
            if (!is_joined(graph, i, j))
                continue;
            double w = weight(graph, i, j);
            sum += w;
            if (j < i)
                continue;
            expect_near(graph, i, j, w);
            ck_assert_msg(k < A.offsets[i + 1] && A.columns[k] == j && A.values[k] == -w,
                          "(%d, %d): %a", (int)i, (int)j, w);
            k++;
        }
        ck_assert_int_eq(k, A.offsets[i + 1]);
        ck_assert(A.values[A.offsets[i]] == sum + graph->shift);
    }
    csr_free(&A);
}

static struct feature_graph some_graph(uint64_t *state)
{
    return (struct feature_graph){.n = 1 + test_random_below(state, 120),
                                  .near = test_random_below(state, 6),
                                  .far = test_random_below(state, 4),
                                  .dimensions = 1 + test_random_below(state, 40),
                                  .weight = (enum feature_weight)test_random_below(state, 2),
                                  .sigma = 0.2 + 3 * test_random(state),
                                  .shift = 1e-3 + test_random(state),
                                  .seed = test_random_below(state, 1000000)};
}

START_TEST(entries_are_those_of_the_definition)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 20; trial++) {
        struct feature_graph graph = some_graph(&state);
        expect_defined(&graph);
    }
    struct feature_graph crowded = {.n = 9,
                                    .near = FEATURE_GRAPH_EDGES_MAX,
                                    .far = FEATURE_GRAPH_EDGES_MAX,
                                    .dimensions = 3,
                                    .sigma = 1,
                                    .shift = 1,
                                    .seed = 5};
    expect_defined(&crowded);
}
END_TEST

/* Far features have the weight 0, equal ones 1, whatever is left of what cancels. */
START_TEST(weights_at_both_ends)
{
    struct feature_graph graph = {.n = 50, .near = 3, .dimensions = 5, .shift = 1, .seed = 3};
    for (int w = 0; w < 2; w++)
        for (int far = 0; far < 2; far++) {
            graph.weight = (enum feature_weight)w;
            graph.sigma = far ? 1e-100 : 1e100;
            struct csr A = create(&graph);
            for (int64_t i = 0; i < A.n; i++)
                for (int64_t k = A.offsets[i] + 1; k < A.offsets[i + 1]; k++)
                    ck_assert(far ? A.values[k] <= 0 && A.values[k] > -1e-190 : A.values[k] == -1);
            csr_free(&A);
        }
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

static const char *write_features(const char *name, int64_t rows, int64_t columns, const double *x)
{
    struct error error;
    struct npy_file file;
    const char *path = temporary_path(name);
    expect_ok(npy_begin(NULL, path, columns, NPY_ROWS, &file, &error), &error);
    for (int64_t i = 0; i < rows; i++)
        expect_ok(npy_append(&file, x + i * columns, &error), &error);
    expect_ok(npy_finish(&file, &error), &error);
    return path;
}

static const char *write_edges(const char *name, const struct csr *A)
{
    const char *path = temporary_path(name);
    FILE *stream = fopen(path, "w");
    ck_assert_ptr_nonnull(stream);
    fprintf(stream, "%%%%MatrixMarket matrix coordinate pattern symmetric\n%d %d %d\n", (int)A->n,
            (int)A->n, (int)(A->nnz - A->n));
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++)
            fprintf(stream, "%d %d\n", (int)A->columns[k] + 1, (int)i + 1);
    ck_assert_int_eq(fclose(stream), 0);
    return path;
}

/* The paths are borrowed; no option is changed by what is read. */
static struct feature_graph of_files(const struct feature_graph *made, const char *edges,
                                     const char *features)
{
    struct feature_graph graph = *made;
    graph.n = edges ? 0 : made->n;
    graph.graph = (char *)edges;
    graph.features = (char *)features;
    return graph;
}

START_TEST(files_are_read_as_they_are_made)
{
    uint64_t state = test_seed();
    struct error error;
    for (int trial = 0; trial < 5; trial++) {
        struct feature_graph made = some_graph(&state);
        struct csr A = create(&made);
        int64_t count = made.n * made.dimensions;
        double *x = memory_array(count, sizeof *x, "features", &error);
        ck_assert_ptr_nonnull(x);
        for (int64_t k = 0; k < count; k++)
            x[k] = feature(&made, 0, k);
        const char *edges = write_edges("edges.mtx", &A);
        const char *features = write_features("features.npy", made.n, made.dimensions, x);
        for (int which = 1; which <= 3; which++) {
            struct feature_graph graph =
                of_files(&made, which & 1 ? edges : NULL, which & 2 ? features : NULL);
            struct csr B = create(&graph);
            ck_assert(csr_hash(&A) == csr_hash(&B));
            csr_free(&B);
        }
        memory_free(x);
        csr_free(&A);
    }
}
END_TEST

START_TEST(bad_files_are_refused)
{
    static const double ones[6] = {1, 1, 1, 1, 1, 1}, nan[4] = {1, 1, NAN, 1},
                        large[4] = {1, 1, 1, 2e100};
    const struct feature_graph made = {
        .n = 2, .near = 1, .dimensions = 2, .sigma = 1, .shift = 1, .seed = 1};
    const char *skew = temporary_file(
        "skew.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n", -1);
    const struct {
        const char *edges, *features, *text;
    } bad[] = {
        {skew, NULL, "skew-symmetric"},
        {temporary_path("none.mtx"), NULL, "none.mtx"},
        {NULL, temporary_path("none.npy"), "none.npy"},
        {NULL, temporary_file("text.npy", "1 2\n", -1), "not an array"},
        {NULL, write_features("three.npy", 3, 2, ones), "has 3 rows of 2"},
        {NULL, write_features("nan.npy", 2, 2, nan), "row 2, column 1"},
        {NULL, write_features("large.npy", 2, 2, large), "row 2, column 2"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct error error;
        struct csr A;
        struct feature_graph graph = of_files(&made, bad[k].edges, bad[k].features);
        expect_error(problem_create(&problem_feature_graph, &graph, &A, &error), STATUS_INPUT,
                     &error, bad[k].text, NULL);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* What is left of large features that are nearly equal may be below 0: no weight is above 1. */
START_TEST(lengths_that_cancel_are_not_negative)
{
    enum { N = 60, K = 5 };
    uint64_t state = test_seed();
    double x[N * K];
    for (int k = 0; k < N * K; k++)
        x[k] = 1e6 * (1 + k % K + DBL_EPSILON * (double)test_random_below(&state, 9));
    struct feature_graph made = {
        .n = N, .near = 9, .dimensions = K, .sigma = 0.01, .shift = 1, .seed = 1};
    for (int w = 0; w < 2; w++) {
        made.weight = (enum feature_weight)w;
        struct feature_graph graph = of_files(&made, NULL, write_features("near.npy", N, K, x));
        struct csr A = create(&graph);
        for (int64_t i = 0; i < A.n; i++)
            for (int64_t k = A.offsets[i] + 1; k < A.offsets[i + 1]; k++)
                ck_assert(A.values[k] >= -1 && A.values[k] <= 0);
        csr_free(&A);
    }
}
END_TEST

/* ---- everywhere ------------------------------------------------------------------------------ */

static enum status attempt(void *context, struct error *error)
{
    struct csr A;
    enum status status = problem_create(&problem_feature_graph, context, &A, error);
    if (!status)
        csr_free(&A);
    return status;
}

START_TEST(the_same_bits_everywhere)
{
    static const int threads[] = {1, 2, 3, 7};
    static const uint64_t hashes[] = {UINT64_C(0xe8f958bc046008e9), UINT64_C(0xc0a000ddd523f75d)};
    static const double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct feature_graph graph = {
        .n = 3000, .near = 4, .far = 3, .dimensions = 13, .sigma = 0.7, .shift = 1e-3, .seed = 42};
    for (int w = 0; w < 2; w++)
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            graph.weight = (enum feature_weight)w;
            test_threads(threads[t]);
            struct csr A = create(&graph);
            ck_assert_msg(csr_hash(&A) == hashes[w], "%d threads: %016llx", threads[t],
                          (unsigned long long)csr_hash(&A));
            csr_free(&A);
        }
    walk_allocation_failures(attempt, &graph);
    graph.n = 4;
    graph = of_files(&graph, NULL, write_features("four.npy", 4, 2, x));
    walk_allocation_failures(attempt, &graph);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(bad_numbers_are_refused)
{
    const struct feature_graph good = {
        .n = 9, .near = 1, .far = 1, .dimensions = 2, .sigma = 1, .shift = 1, .seed = 1};
    struct feature_graph bad[11];
    static const char *const named[] = {"n",     "n",          "n",          "near",
                                        "far",   "dimensions", "dimensions", "sigma",
                                        "sigma", "shift",      "seed"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        bad[k] = good;
    bad[0].n = 0;
    bad[1].n = INT64_C(1) << 31;
    bad[2].graph = (char *)"a.mtx";
    bad[3].near = FEATURE_GRAPH_EDGES_MAX + 1;
    bad[4].far = -1;
    bad[5].dimensions = 0;
    bad[6].dimensions = FEATURE_GRAPH_DIMENSIONS_MAX + 1;
    bad[7].sigma = 0;
    bad[8].sigma = NAN;
    bad[9].shift = -1;
    bad[10].seed = -1;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct error error;
        struct csr A;
        char name[32];
        snprintf(name, sizeof name, "problem.%s", named[k]);
        expect_error(problem_create(&problem_feature_graph, &bad[k], &A, &error), STATUS_CONFIG,
                     &error, name, NULL);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {entries_are_those_of_the_definition,
                            weights_at_both_ends,
                            files_are_read_as_they_are_made,
                            lengths_that_cancel_are_not_negative,
                            bad_files_are_refused,
                            the_same_bits_everywhere,
                            bad_numbers_are_refused,
                            NULL};
    return suite_of("problem/feature_graph", tests);
}
