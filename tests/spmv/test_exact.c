/* cpu_sym_exact: every y_i is the exact sum rounded once, so threads, order and numbering change no
 * bit. */
#include "support.h"

#include "base/threads.h"
#include "cgsolve/kernel.h"
#include "matrices.h"
#include "matrix/permute.h"
#include "solver/solve.h"
#include "space/exact.h"
#include "spmv/exact_products.h"
#include "spmv/host_product.h"
#include "spmv/sym_exact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

static struct space *create_space(void)
{
    struct error error;
    struct space *space;
    expect_ok(space_create(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, &space, &error), &error);
    return space;
}

static struct spmv setup(const struct csr *A, struct space *space)
{
    struct error error;
    struct spmv spmv;
    expect_ok(spmv_create(kernel_find("cpu_sym_exact"), A, NULL, space, &spmv, &error), &error);
    return spmv;
}

START_TEST(products_are_rounded_once)
{
    uint64_t state = test_seed();
    struct space *space = create_space();
    for (int k = 0; products_kinds[k] >= 0; k++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            struct exact_product product;
            exact_product_create(products_kinds[k], kind, &state, &product);
            double *y = host_vector(product.A.n), dot;
            for (int t = 0; t < THREAD_COUNTS; t++) {
                threads_use(thread_counts[t]);
                struct spmv spmv = setup(&product.A, space);
                host_product(&spmv, product.x, y, NULL);
                expect_exact(&product, "cpu_sym_exact", products_kinds[k], y);
                host_product(&spmv, product.x, y, &dot);
                expect_exact(&product, "cpu_sym_exact with x . y", products_kinds[k], y);
                spmv_destroy(&spmv);
            }
            memory_free(y);
            exact_product_free(&product);
        }
    space->operations->destroy(space);
}
END_TEST

/* (P A P') (P x) = P y, bit for bit. */
START_TEST(numbering_changes_no_bit)
{
    uint64_t state = test_seed();
    struct space *space = create_space();
    for (int k = 0; products_kinds[k] >= 0; k++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            struct error error;
            struct exact_product product;
            struct csr permuted;
            exact_product_create(products_kinds[k], kind, &state, &product);
            int64_t n = product.A.n;
            int32_t *number = random_numbering(n, &state);
            double *x = host_vector(n), *there = host_vector(n), *y = host_vector(n);
            expect_ok(csr_permute(&product.A, number, &permuted, &error), &error);
            vector_permute(n, number, product.x, x);
            struct spmv spmv = setup(&permuted, space);
            host_product(&spmv, x, there, NULL);
            vector_permute_back(n, number, there, y);
            expect_exact(&product, "permuted", products_kinds[k], y);
            spmv_destroy(&spmv);
            csr_free(&permuted);
            memory_free(number);
            memory_free(x);
            memory_free(there);
            memory_free(y);
            exact_product_free(&product);
        }
    space->operations->destroy(space);
}
END_TEST

static double by_window(int64_t n, const double *a, const double *x)
{
    struct sym_exact_window window;
    sym_exact_window_begin(&window);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = 0; k < n; k++)
            sym_exact_window_visit(&window, a[k], x[k]);
        if (pass == 0)
            sym_exact_window_open(&window);
    }
    return sym_exact_window_round(&window);
}

/* Whichever way a row takes. Ordinary ones have to take the fast ways. */
START_TEST(all_ways_are_the_reference)
{
    enum { ROUNDS = 3000, LONGEST = 90 };
    uint64_t state = test_seed();
    int64_t few[EXACT_KINDS] = {0}, most[EXACT_KINDS] = {0}, rounds[EXACT_KINDS] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        enum exact_kind kind = (enum exact_kind)test_random_below(&state, EXACT_KINDS);
        int64_t n = 4 + test_random_below(&state, LONGEST - 4);
        double a[LONGEST], x[LONGEST], y[2];
        exact_vectors(kind, n, a, x, &state);
        for (int64_t k = 0; kind == EXACT_UNIFORM && k < n; k++)
            a[k] = ldexp(a[k], (int)-test_random_below(&state, 30));
        struct sym_exact_parts three = {.left = 0}, six = {.left = 0};
        for (int64_t k = 0; k < n; k++) {
            sym_exact_parts_add(&three, SYM_EXACT_FEW, a[k], x[k]);
            sym_exact_parts_add(&six, SYM_EXACT_MOST, a[k], x[k]);
        }
        double wanted = exact_reference(n, a, x), window = by_window(n, a, x);
        bool fits_few = sym_exact_parts_round(&three, SYM_EXACT_FEW, &y[0]);
        bool fits_most = sym_exact_parts_round(&six, SYM_EXACT_MOST, &y[1]);
        ck_assert_msg(memcmp(&window, &wanted, sizeof wanted) == 0, "window, kind %d: %a, not %a",
                      (int)kind, window, wanted);
        ck_assert_msg(!fits_few || memcmp(&y[0], &wanted, sizeof wanted) == 0,
                      "few parts, kind %d: %a, not %a", (int)kind, y[0], wanted);
        ck_assert_msg(!fits_most || memcmp(&y[1], &wanted, sizeof wanted) == 0,
                      "most parts, kind %d: %a, not %a", (int)kind, y[1], wanted);
        few[kind] += fits_few;
        most[kind] += fits_most;
        rounds[kind]++;
    }
    for (int kind = 0; kind < EXACT_KINDS; kind++)
        printf("kind %d: %d and %d of %d sums\n", kind, (int)few[kind], (int)most[kind],
               (int)rounds[kind]);
    ck_assert_int_eq(few[EXACT_UNIFORM], rounds[EXACT_UNIFORM]);
    ck_assert_int_eq(few[EXACT_CANCELLING], rounds[EXACT_CANCELLING]);
    ck_assert_int_eq(most[EXACT_MODERATE], rounds[EXACT_MODERATE]);
    ck_assert_int_eq(most[EXACT_NOISE], rounds[EXACT_NOISE]);
}
END_TEST

/* With exact reductions too, a numbering leaves no trace in a solve: every scalar is the same. */
START_TEST(solves_do_not_depend_on_the_numbering)
{
    static struct outcome first, other;
    uint64_t state = test_seed();
    struct choice choice = standard;
    choice.kernel = "cpu_sym_exact";
    choice.reductions = REDUCTIONS_EXACT;
    for (int m = 0; m < test_matrices_count; m++) {
        struct error error;
        struct csr A, permuted;
        test_matrix_build_positive(&test_matrices[m], &state, &A);
        int64_t n = A.n;
        double *b = host_vector(n), *there = host_vector(n), *back = host_vector(n);
        host_randomise(b, n, &state);
        threads_use(1);
        solve(choice, &A, b, &first);
        for (int repeat = 0; repeat < 3; repeat++) {
            threads_use(thread_counts[repeat + 1]);
            int32_t *number = random_numbering(n, &state);
            expect_ok(csr_permute(&A, number, &permuted, &error), &error);
            vector_permute(n, number, b, there);
            solve(choice, &permuted, there, &other);
            ck_assert_int_eq(other.count, first.count);
            ck_assert_msg(
                memcmp(other.rows, first.rows, (size_t)first.count * sizeof *first.rows) == 0,
                "%s: another history in another numbering", test_matrices[m].name);
            vector_permute_back(n, number, other.x, back);
            expect_same_bits("x", test_matrices[m].name, thread_counts[repeat + 1], n, first.x,
                             back);
            memory_free(number);
            csr_free(&permuted);
        }
        memory_free(b);
        memory_free(there);
        memory_free(back);
        csr_free(&A);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {products_are_rounded_once, numbering_changes_no_bit,
                            all_ways_are_the_reference, solves_do_not_depend_on_the_numbering,
                            NULL};
    return suite_of("spmv/exact", tests);
}
