/* What is said of kernels that are known beforehand when they multiply several vectors: wrong in
 * one column, with others behind the last one, with one number of columns after another. */
#include "study/product_bench.h"

#include "made.h"
#include "support.h"

#include "study/fakes.h"

#include <stdlib.h>
#include <string.h>

/* Y = A X one column after the other, at once, and at once with one column that is wrong: whatever
 * stands behind the last column is no part of Y. */
START_TEST(a_wrong_column_is_found)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    fakes.room = 9;
    fakes.rule = fakes_of_columns;
    fakes.rule.seed = (int64_t)(state >> 1);
    for (fakes.columns = 2; fakes.columns <= 70; fakes.columns++) {
        struct product_contestant contestants[] = {fakes_of(&fake_a), fakes_of(&fake_m),
                                                   fakes_of(&fake_x), fakes_of(&fake_m),
                                                   fakes_of(&fake_s)};
        contestants[3].options.values[0] = PRECISION_FLOAT; /* it does not round anything */
        struct product_result r[5];
        /* a last column that stands alone is made by apply */
        fakes.wrong =
            test_random_below(&state, fakes.columns - (fakes.columns % COLUMNS_AT_ONCE == 1));
        fakes_bench(&A, contestants, 5, r);
        static const enum product_verdict wanted[] = {PRODUCT_PASS, PRODUCT_PASS, PRODUCT_FAIL,
                                                      PRODUCT_PASS, PRODUCT_SKIPPED};
        for (int k = 0; k < 5; k++) {
            ck_assert_msg(r[k].verdict == wanted[k], "%d: %s, %g", k,
                          product_verdict_name(r[k].verdict), r[k].error.worst);
            ck_assert_int_eq(r[k].operation, PRODUCT_SPMM);
            ck_assert_int_eq(r[k].columns, fakes.columns);
        }
        ck_assert_int_eq(r[2].error.column, fakes.wrong);
        ck_assert_int_eq(r[2].error.row, 35);
        ck_assert(r[0].error.worst == r[1].error.worst && r[1].error.worst <= 1);
        ck_assert(r[0].hash == r[1].hash && r[1].hash != r[2].hash);
        int64_t sweeps = (fakes.columns + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE, x_y = 70 + 90;
        int64_t one_by_one = fakes.columns * (70000 + 2 * x_y * 8);
        int64_t at_once =
            sweeps * 70000 + (columns_elements(x_y, fakes.columns) - sweeps * x_y) * 8;
        for (int k = 0; k < 4; k++) {
            ck_assert_int_eq(r[k].distinct, 1);
            ck_assert(r[k].flops == 2 * (double)(fakes.columns * A.nnz));
            ck_assert_int_eq(r[k].bytes, k == 0 ? one_by_one : at_once);
        }
    }
    fakes_back_to_vectors();
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Those with one number of columns in turns, and then those with the next. */
START_TEST(numbers_of_columns_come_one_by_one)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    fakes.room = 9;
    fakes.columns = 1;
    fakes.rule = fakes_of_columns;
    struct product_contestant contestants[] = {fakes_of(&fake_a), fakes_of(&fake_b),
                                               fakes_of(&fake_a), fakes_of(&fake_b)};
    contestants[2].columns = contestants[3].columns = 3;
    struct product_result r[4];
    fakes_bench(&A, contestants, 4, r);
    static const char wanted[] = "aabbbbaaaabbbbaa"
                                 "aaaaaabbbbbbbbbbbbaaaaaaaaaaaabbbbbbbbbbbbaaaaaa";
    ck_assert_int_eq(fakes.diary.count, (int)strlen(wanted));
    ck_assert_int_eq(memcmp(fakes.diary.names, wanted, strlen(wanted)), 0);
    ck_assert_int_eq(fakes.diary.most_set_up, 2);
    ck_assert(r[2].columns == 3 && r[2].flops == 3 * r[0].flops);
    fakes_back_to_vectors();
    csr_free(&A);
}
END_TEST

/* Any number of columns is right, and has the same bits in each round where they are promised. */
START_TEST(kernels_of_this_program_pass_with_columns)
{
    struct error error;
    struct csr A;
    struct poisson3d poisson = {{7, 5, 6}, {1, 1, 1}, 10, 0, POISSON3D_DIRICHLET};
    struct product_contestant contestants[34 * 32];
    struct product_result *r = calloc(34 * 32, sizeof *r);
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    fakes.rule = fakes_of_columns;
    fakes.rule.seed = (int64_t)(test_seed() >> 1);
    int all, count = 0;
    const struct kernel *const *list = kernel_list(&all);
    for (fakes.columns = 1; fakes.columns <= 33; fakes.columns++)
        for (int k = 0; k < all && k < 32; k++)
            if (list[k]->space == SPACE_CPU)
                contestants[count++] = fakes_of(list[k]);
    fakes_bench(&A, contestants, count, r);
    fakes_back_to_vectors();
    for (int k = 0; k < count; k++) {
        const struct product_contestant *c = &contestants[k];
        ck_assert_msg(r[k].verdict == PRODUCT_PASS, "%s, %d columns: %s, %g", c->label,
                      (int)c->columns, product_verdict_name(r[k].verdict), r[k].error.worst);
        if (kernel_guarantee(c->kernel, &c->options) >= GUARANTEE_RUN)
            ck_assert_msg(r[k].distinct == 1, "%s, %d columns: %d results", c->label,
                          (int)c->columns, (int)r[k].distinct);
    }
    free(r);
    csr_free(&A);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    const struct product_contestant contestants[] = {fakes_of(&fake_m), fakes_of(&fake_a)};
    return fakes_attempt(context, contestants, 2, error);
}

START_TEST(failing_allocations)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    fakes.room = 9;
    fakes.rule = fakes_of_columns;
    fakes.rule.rounds = 1;
    fakes.columns = 5;
    walk_allocation_failures(attempt, &A);
    fakes_back_to_vectors();
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_wrong_column_is_found, numbers_of_columns_come_one_by_one,
                            kernels_of_this_program_pass_with_columns, failing_allocations, NULL};
    return suite_of("study/product_bench_columns", tests);
}
