/* A source and layers of nodes: the entries against the definition, the same bits everywhere, and
 * what is refused. */
#include "csr_check.h"
#include "support.h"

#include "problem/generators.h"

static struct csr create(const struct layers *layers)
{
    struct error error;
    struct csr A;
    expect_ok(problem_create(&problem_layers, layers, &A, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(A.kind, CSR_SYMMETRIC);
    ck_assert_int_eq(A.n, problem_layers.rows(layers));
    return A;
}

/* What the header says of A[v][w], v <= w. */
static double entry(const struct layers *layers, int64_t v, int64_t w)
{
    int64_t width = layers->n[1], d = layers->joined;
    int64_t layer = (v + width - 1) / width, next = (w + width - 1) / width;
    if (v == 0)
        return w == 0 ? 4 * (double)width : next == 1 ? -2 : 0;
    if (v == w)
        return layer == 1 ? 2 * (double)d + 1 : 2.5 * (double)d;
    int64_t steps = ((w - 1) % width - (v - 1) % width + width) % width;
    return next == layer + 1 && steps < d ? -1 : 0;
}

START_TEST(entries_are_those_of_the_header)
{
    static const struct layers all[] = {{{1, 2}, 2}, {{2, 2}, 2},   {{1, 7}, 4},
                                        {{3, 5}, 4}, {{5, 16}, 16}, {{9, 8}, 2}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        struct csr A = create(&all[k]);
        int64_t p = 0;
        for (int64_t v = 0; v < A.n; v++) {
            ck_assert_int_eq(A.offsets[v], p);
            for (int64_t w = v; w < A.n; w++) {
                double wanted = entry(&all[k], v, w);
                if (wanted == 0)
                    continue;
                ck_assert_int_lt(p, A.nnz);
                ck_assert_int_eq(A.columns[p], w);
                ck_assert(A.values[p++] == wanted);
            }
        }
        ck_assert_int_eq(A.nnz, p);
        csr_free(&A);
    }
}
END_TEST

START_TEST(the_same_bits_everywhere)
{
    static const int threads[] = {1, 2, 3, 7};
    struct layers layers = {{11, 32}, 8};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        test_threads(threads[t]);
        struct csr A = create(&layers);
        ck_assert_msg(csr_hash(&A) == UINT64_C(0xad56cdae5945385a), "%d threads: %016llx",
                      threads[t], (unsigned long long)csr_hash(&A));
        csr_free(&A);
    }
}
END_TEST

START_TEST(bad_numbers_are_refused)
{
    static const struct {
        struct layers layers;
        const char *named;
    } bad[] = {
        {{{0, 8}, 2}, "problem.n"},          {{{8, 0}, 2}, "problem.n"},
        {{{-1, -1}, 2}, "problem.n"},        {{{1 << 16, 1 << 15}, 2}, "problem.n"},
        {{{INT64_MAX, 2}, 2}, "problem.n"},  {{{4, 8}, 0}, "problem.joined"},
        {{{4, 8}, 3}, "problem.joined = 3"}, {{{4, 8}, 10}, "problem.joined"},
        {{{4, 1}, 2}, "problem.joined"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct error error;
        struct csr A;
        expect_error(problem_create(&problem_layers, &bad[k].layers, &A, &error), STATUS_CONFIG,
                     &error, bad[k].named, NULL);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {entries_are_those_of_the_header, the_same_bits_everywhere,
                            bad_numbers_are_refused, NULL};
    return suite_of("problem/layers", tests);
}
