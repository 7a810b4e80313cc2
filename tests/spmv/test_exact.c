/* cpu_sym_exact: every y_i is the exact sum rounded once, so threads, order and numbering change no
 * bit. */
#include "support.h"

#include "space/exact.h"
#include "spmv/exact_trials.h"
#include "spmv/symmetric/exact/sym_exact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

START_TEST(products_are_rounded_once)
{
    trial_exact_products(SPACE_CPU);
}
END_TEST

START_TEST(numbering_changes_no_bit)
{
    trial_exact_numbering(SPACE_CPU);
}
END_TEST

START_TEST(solves_do_not_depend_on_the_numbering)
{
    trial_exact_solves(SPACE_CPU);
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

Suite *suite(void)
{
    const TTest *tests[] = {products_are_rounded_once, numbering_changes_no_bit,
                            solves_do_not_depend_on_the_numbering, all_ways_are_the_reference,
                            NULL};
    return suite_of("spmv/exact", tests);
}
