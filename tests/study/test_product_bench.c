/* What is said of kernels that are known beforehand: wrong, changing, single, too large, and in
 * which order they come. No time is tested. */
#include "study/product_bench.h"

#include "made.h"
#include "support.h"

#include "base/processors.h"
#include "study/fakes.h"

#include <math.h>
#include <string.h>

START_TEST(verdicts)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    fakes.room = 9;
    struct product_contestant contestants[] = {
        fakes_of(&fake_a), fakes_of(&fake_w), fakes_of(&fake_c), fakes_of(&fake_n),
        fakes_of(&fake_s), fakes_of(&fake_u), fakes_of(&fake_b), fakes_of(&fake_b)};
    contestants[6].options.values[0] = PRECISION_FLOAT;
    contestants[7].options.values[0] = PRECISION_FLOAT_DOUBLE; /* which the fake does not do */
    struct product_result r[8];
    fakes_bench(&A, contestants, 8, r);
    static const enum product_verdict wanted[] = {PRODUCT_PASS, PRODUCT_FAIL,    PRODUCT_PASS,
                                                  PRODUCT_FAIL, PRODUCT_SKIPPED, PRODUCT_SKIPPED,
                                                  PRODUCT_PASS, PRODUCT_FAIL};
    for (int k = 0; k < 8; k++)
        ck_assert_msg(r[k].verdict == wanted[k], "%d: %s, %g", k,
                      product_verdict_name(r[k].verdict), r[k].error.worst);
    ck_assert(r[0].error.worst < 1 && r[0].distinct == 1);
    ck_assert(r[1].error.worst > 1 && r[1].error.row == 35 && r[1].distinct == 2);
    ck_assert_int_eq(r[2].distinct, 2);
    ck_assert(isinf(r[3].error.worst) && r[3].error.row == 69);
    ck_assert_str_eq(r[4].reason, "kernel s does not take a general matrix");
    ck_assert_str_eq(r[5].reason, "it is a fake");
    ck_assert_int_eq(r[6].precision, PRECISION_FLOAT);
    for (int k = 0; k < 4; k++) {
        ck_assert_str_eq(r[k].form, "nothing");
        ck_assert_int_eq(r[k].bytes, 70000);
        ck_assert_int_eq(r[k].memory_bytes, 70000);
        ck_assert(r[k].flops == 2 * (double)A.nnz);
        ck_assert(r[k].setup_seconds >= 0 && r[k].median_seconds > 0 && r[k].mean_seconds > 0);
        ck_assert(r[k].copy_rate > 0 && !r[k].alone);
        ck_assert_int_eq(r[k].products, 3);
        ck_assert_int_eq(r[k].threads, processors_wanted());
    }
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* One round that is not counted and then 5, each of a batch of 3 behind as many that are not timed;
 * each round begins one kernel later. */
START_TEST(kernels_come_in_turns)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    fakes.room = 9;
    const struct product_contestant contestants[] = {fakes_of(&fake_a), fakes_of(&fake_b),
                                                     fakes_of(&fake_c)};
    struct product_result r[3];
    fakes_bench(&A, contestants, 3, r);
    static const char wanted[] = "abcbcacababcbcacab";
    int at = 0;
    for (const char *letter = wanted; *letter; letter++)
        for (int k = 0; k < 6; k++)
            ck_assert_msg(at < fakes.diary.count && fakes.diary.names[at++] == *letter,
                          "product %d", at);
    ck_assert_int_eq(at, fakes.diary.count);
    ck_assert_int_eq(fakes.diary.most_set_up, 3);
    csr_free(&A);
}
END_TEST

/* Every kernel is set up twice, never beside itself, and told is the time of the second one. */
START_TEST(the_second_set_up_is_timed)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    const struct product_contestant contestants[] = {fakes_of(&fake_a), fakes_of(&fake_b)};
    struct product_result r[2];
    fakes.room = 2;
    fakes.delay = 20000;
    fakes_bench(&A, contestants, 2, r);
    fakes.delay = 0;
    ck_assert_int_eq(fakes.diary.set_ups, 4);
    ck_assert_int_eq(fakes.diary.most_set_up, 2);
    for (int k = 0; k < 2; k++)
        ck_assert(!r[k].alone && r[k].setup_seconds >= 0.02);
    csr_free(&A);
}
END_TEST

START_TEST(cold_products_come_one_by_one)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    fakes.room = 9;
    const struct product_contestant contestants[] = {fakes_of(&fake_a), fakes_of(&fake_b)};
    struct product_result r[2];
    fakes.rule.cold = true;
    fakes_bench(&A, contestants, 2, r);
    static const char wanted[] = "aaabbbbbbaaaaaabbbbbbaaaaaabbbbbbaaa";
    ck_assert_int_eq(fakes.diary.count, (int)strlen(wanted));
    ck_assert_int_eq(memcmp(fakes.diary.names, wanted, strlen(wanted)), 0);
    fakes.rule.cold = false;
    csr_free(&A);
}
END_TEST

/* Without a number of products there are as many as fill the time: here one, and once many. */
START_TEST(batches_are_as_long_as_wanted)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    fakes.room = 9;
    const struct product_contestant contestant = fakes_of(&fake_a);
    struct product_result r;
    fakes.rule.products = 0;
    fakes.rule.seconds = 1e-12;
    fakes_bench(&A, &contestant, 1, &r);
    ck_assert_int_eq(r.products, 1);
    fakes.rule.seconds = 2e-4;
    fakes.rule.rounds = 1;
    fakes_bench(&A, &contestant, 1, &r);
    ck_assert_int_ge(r.products, 1);
    fakes_back_to_vectors();
    csr_free(&A);
}
END_TEST

START_TEST(each_has_its_threads)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    fakes.room = 9;
    fakes.threads = 2;
    struct product_contestant contestants[] = {fakes_of(&fake_a), fakes_of(&fake_b)};
    contestants[1].threads = 3;
    struct product_result r[2];
    fakes_bench(&A, contestants, 2, r);
    for (int k = 0; k < fakes.diary.count; k++)
        ck_assert_int_eq(fakes.diary.threads[k], fakes.diary.names[k] == 'a' ? 2 : 3);
    ck_assert_int_eq(r[0].threads, 2);
    ck_assert_int_eq(r[1].threads, 3);
    fakes.threads = 0;
    csr_free(&A);
}
END_TEST

/* Three that do not fit beside each other come one by one, and say so; with no room at all they are
 * skipped. */
START_TEST(what_does_not_fit_together_comes_alone)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    const struct product_contestant contestants[] = {fakes_of(&fake_a), fakes_of(&fake_b),
                                                     fakes_of(&fake_c)};
    struct product_result r[3];
    fakes.room = 2;
    fakes_bench(&A, contestants, 3, r);
    ck_assert_int_eq(fakes.diary.count, 3 * 6 * 6);
    for (int k = 0; k < fakes.diary.count; k++)
        ck_assert_int_eq(fakes.diary.names[k], "abc"[k / 36]);
    for (int k = 0; k < 3; k++)
        ck_assert(r[k].alone && r[k].verdict == PRODUCT_PASS);
    fakes.room = 0;
    fakes_bench(&A, contestants, 3, r);
    ck_assert_int_eq(fakes.diary.count, 0);
    for (int k = 0; k < 3; k++) {
        ck_assert_int_eq(r[k].verdict, PRODUCT_SKIPPED);
        ck_assert_ptr_nonnull(strstr(r[k].reason, "7 bytes wanted, 6 there"));
    }
    csr_free(&A);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct product_contestant contestants[] = {fakes_of(&fake_a), fakes_of(&fake_b)};
    contestants[1].options.values[0] = PRECISION_FLOAT;
    return fakes_attempt(context, contestants, 2, error);
}

START_TEST(failing_allocations)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    fakes.room = 9;
    fakes.rule.rounds = 1;
    walk_allocation_failures(attempt, &A);
    fakes_back_to_vectors();
    csr_free(&A);
}
END_TEST

/* The real ones, on a matrix that all of them take. A 0 on the diagonal of a triangle is no
 * work. */
START_TEST(kernels_of_this_program_pass)
{
    struct error error;
    struct csr A;
    struct poisson3d poisson = {{13, 12, 11}, {1, 1, 1}, 10, 0, POISSON3D_DIRICHLET};
    struct product_contestant contestants[32];
    struct product_result r[32];
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    A.values[0] = A.values[A.nnz - 1] = 0;
    int all, count = 0;
    const struct kernel *const *list = kernel_list(&all);
    for (int k = 0; k < all; k++)
        if (list[k]->space == SPACE_CPU)
            contestants[count++] = fakes_of(list[k]);
    fakes_bench(&A, contestants, count, r);
    for (int k = 0; k < count; k++) {
        ck_assert_msg(r[k].verdict == PRODUCT_PASS, "%s: %s, %g", contestants[k].label,
                      product_verdict_name(r[k].verdict), r[k].error.worst);
        ck_assert(r[k].flops == 2 * (double)(2 * A.nnz - A.n - 2));
    }
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {verdicts,
                            kernels_come_in_turns,
                            the_second_set_up_is_timed,
                            cold_products_come_one_by_one,
                            batches_are_as_long_as_wanted,
                            each_has_its_threads,
                            what_does_not_fit_together_comes_alone,
                            failing_allocations,
                            kernels_of_this_program_pass,
                            NULL};
    return suite_of("study/product_bench", tests);
}
