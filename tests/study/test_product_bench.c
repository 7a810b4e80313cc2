/* What is said of kernels that are known beforehand: wrong, changing, single, too large, and in
 * which order they come. No time is tested. */
#include "study/product_bench.h"

#include "support.h"

#include "base/threads.h"
#include "general.h"
#include "problem/poisson3d.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- kernels with a diary -------------------------------------------------------------------- */

enum { DIARY = 4096 };

static struct diary {
    char names[DIARY]; /* a letter for each product */
    int threads[DIARY];
    int count;
    int set_up, most_set_up, set_ups;
} diary;

struct fake {
    const struct kernel *kernel;
    const struct csr *A;
    int64_t products;
    enum precision precision;
    int threads;
};

static int64_t room;     /* how many fakes fit into memory */
static useconds_t delay; /* of every second set-up */

static void destroy(void *state)
{
    diary.set_up -= state != NULL;
    memory_free(state);
}

static void note(const struct fake *fake)
{
    ck_assert_int_lt(diary.count, DIARY);
    diary.names[diary.count] = fake->kernel->component.name[0];
    diary.threads[diary.count++] = fake->threads;
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    (void)error;
    struct fake *fake = state;
    const double *x = operands->x;
    double *y = operands->y;
    note(fake);
    for (int64_t i = 0; i < fake->A->n; i++)
        ck_assert(fake->products > 0 || isnan(y[i])); /* poisoned */
    csr_multiply(fake->A, x, y);
    fake->products++;
    if (fake->kernel->component.name[0] == 'w') /* wrong, from the twentieth product on */
        y[fake->A->n / 2] += fake->products >= 20 ? 1e-9 : 0;
    if (fake->kernel->component.name[0] == 'c') /* changes a bit that may change */
        y[0] = nextafter(y[0], fake->products / 6 % 2 ? 1e9 : -1e9);
    if (fake->kernel->component.name[0] == 'n') /* leaves one as it was */
        y[fake->A->n - 1] = NAN;
    return STATUS_OK;
}

static enum status apply_float(void *state, const struct operands *operands, struct error *error)
{
    (void)error;
    struct fake *fake = state;
    const float *x = operands->x;
    float *y = operands->y;
    note(fake);
    for (int64_t i = 0; i < fake->A->n; i++) {
        ck_assert(fake->products > 0 || isnan(y[i]));
        float sum = 0;
        for (int64_t k = fake->A->offsets[i]; k < fake->A->offsets[i + 1]; k++)
            sum += (float)fake->A->values[k] * x[fake->A->columns[k]];
        y[i] = sum;
    }
    fake->products++;
    return STATUS_OK;
}

static const struct operator_table table = {
    .apply = apply, .apply_float = apply_float, .destroy = destroy};

static enum status setup(const struct kernel *kernel, const struct csr *A,
                         const struct kernel_options *options, struct linear_operator *made,
                         struct error *error)
{
    if (diary.set_up == room)
        return error_set(error, STATUS_MEMORY, "out of memory: 7 bytes wanted, 6 there");
    struct fake *fake = made->state = memory_zeros(1, sizeof *fake, "a fake", error);
    if (!fake)
        return STATUS_MEMORY;
    made->table = &table;
    *fake = (struct fake){.kernel = kernel,
                          .A = A,
                          .precision = kernel_precision(kernel, options),
                          .threads = threads_count(made->space->threads)};
    made->bytes_per_apply = made->memory_bytes = 1000 * A->n;
    snprintf(made->description, sizeof made->description, "nothing");
    if (diary.set_ups++ % 2 == 1)
        usleep(delay);
    diary.set_up++;
    diary.most_set_up = diary.set_up > diary.most_set_up ? diary.set_up : diary.most_set_up;
    return STATUS_OK;
}

static const char *absent(void)
{
    return "it is a fake";
}

static const struct parameter parameters[] = {KERNEL_PRECISION(0), {0}};

#define FAKE(letter, taken, reason)                                                                \
    static const struct kernel fake_##letter;                                                      \
    static enum status setup_##letter(const struct csr *A, const struct kernel_options *options,   \
                                      struct linear_operator *made, struct error *error)           \
    {                                                                                              \
        return setup(&fake_##letter, A, options, made, error);                                     \
    }                                                                                              \
    static const struct kernel fake_##letter = {.component =                                       \
                                                    KERNEL_COMPONENT(#letter, "", parameters),     \
                                                .kinds = (taken),                                  \
                                                .unavailable = (reason),                           \
                                                .setup = setup_##letter};
FAKE(a, CSR_GENERAL, NULL)
FAKE(b, CSR_GENERAL, NULL)
FAKE(c, CSR_GENERAL, NULL)
FAKE(w, CSR_GENERAL, NULL)
FAKE(n, CSR_GENERAL, NULL)
FAKE(s, CSR_SYMMETRIC, NULL)
FAKE(u, CSR_GENERAL, absent)

static struct product_contestant of(const struct kernel *kernel)
{
    return (struct product_contestant){kernel->component.name, kernel, kernel_defaults(kernel), 0};
}

/* ---- running them ---------------------------------------------------------------------------- */

static int threads; /* of the bench; 0: all */
static struct product_rule rule = {
    .rounds = 5, .products = 3, .seconds = 1, .buffer_bytes = 1 << 16};

static enum status try_bench(const struct csr *A, const struct product_contestant *contestants,
                             int count, struct product_result *results, struct error *error)
{
    struct product_bench *bench;
    diary = (struct diary){.count = 0};
    enum status status = product_bench_create(&rule, threads, &bench, error);
    if (!status)
        status = product_bench_run(bench, A, contestants, count, results, error);
    product_bench_destroy(bench);
    ck_assert_int_eq(diary.set_up, 0);
    return status;
}

static void bench(const struct csr *A, const struct product_contestant *contestants, int count,
                  struct product_result *results)
{
    struct error error;
    memset(results, 0xff, (size_t)count * sizeof *results);
    expect_ok(try_bench(A, contestants, count, results, &error), &error);
}

/* 70 x 90; the rows that the fakes change are not empty. */
static struct csr general(uint64_t *state)
{
    struct csr A;
    general_random(70, 90, 0.4, state, &A);
    while (A.offsets[1] == 0 || A.offsets[36] == A.offsets[35]) {
        csr_free(&A);
        general_random(70, 90, 0.4, state, &A);
    }
    return A;
}

START_TEST(verdicts)
{
    uint64_t state = test_seed();
    struct csr A = general(&state);
    room = 9;
    struct product_contestant contestants[] = {of(&fake_a), of(&fake_w), of(&fake_c), of(&fake_n),
                                               of(&fake_s), of(&fake_u), of(&fake_b), of(&fake_b)};
    contestants[6].options.values[0] = PRECISION_FLOAT;
    contestants[7].options.values[0] = PRECISION_FLOAT_DOUBLE; /* which the fake does not do */
    struct product_result r[8];
    bench(&A, contestants, 8, r);
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
        ck_assert_int_eq(r[k].threads, threads_available());
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
    struct csr A = general(&state);
    room = 9;
    const struct product_contestant contestants[] = {of(&fake_a), of(&fake_b), of(&fake_c)};
    struct product_result r[3];
    bench(&A, contestants, 3, r);
    static const char wanted[] = "abcbcacababcbcacab";
    int at = 0;
    for (const char *letter = wanted; *letter; letter++)
        for (int k = 0; k < 6; k++)
            ck_assert_msg(at < diary.count && diary.names[at++] == *letter, "product %d", at);
    ck_assert_int_eq(at, diary.count);
    ck_assert_int_eq(diary.most_set_up, 3);
    csr_free(&A);
}
END_TEST

/* Every kernel is set up twice, never beside itself, and told is the time of the second one. */
START_TEST(the_second_set_up_is_timed)
{
    uint64_t state = test_seed();
    struct csr A = general(&state);
    const struct product_contestant contestants[] = {of(&fake_a), of(&fake_b)};
    struct product_result r[2];
    room = 2;
    delay = 20000;
    bench(&A, contestants, 2, r);
    delay = 0;
    ck_assert_int_eq(diary.set_ups, 4);
    ck_assert_int_eq(diary.most_set_up, 2);
    for (int k = 0; k < 2; k++)
        ck_assert(!r[k].alone && r[k].setup_seconds >= 0.02);
    csr_free(&A);
}
END_TEST

START_TEST(cold_products_come_one_by_one)
{
    uint64_t state = test_seed();
    struct csr A = general(&state);
    room = 9;
    const struct product_contestant contestants[] = {of(&fake_a), of(&fake_b)};
    struct product_result r[2];
    rule.cold = true;
    bench(&A, contestants, 2, r);
    static const char wanted[] = "aaabbbbbbaaaaaabbbbbbaaaaaabbbbbbaaa";
    ck_assert_int_eq(diary.count, (int)strlen(wanted));
    ck_assert_int_eq(memcmp(diary.names, wanted, strlen(wanted)), 0);
    rule.cold = false;
    csr_free(&A);
}
END_TEST

/* Without a number of products there are as many as fill the time: here one, and once many. */
START_TEST(batches_are_as_long_as_wanted)
{
    uint64_t state = test_seed();
    struct csr A = general(&state);
    room = 9;
    const struct product_contestant contestant = of(&fake_a);
    struct product_result r;
    rule.products = 0;
    rule.seconds = 1e-12;
    bench(&A, &contestant, 1, &r);
    ck_assert_int_eq(r.products, 1);
    rule.seconds = 2e-4;
    rule.rounds = 1;
    bench(&A, &contestant, 1, &r);
    ck_assert_int_ge(r.products, 1);
    rule = (struct product_rule){.rounds = 5, .products = 3, .seconds = 1, .buffer_bytes = 1 << 16};
    csr_free(&A);
}
END_TEST

START_TEST(each_has_its_threads)
{
    uint64_t state = test_seed();
    struct csr A = general(&state);
    room = 9;
    threads = 2;
    struct product_contestant contestants[] = {of(&fake_a), of(&fake_b)};
    contestants[1].threads = 3;
    struct product_result r[2];
    bench(&A, contestants, 2, r);
    for (int k = 0; k < diary.count; k++)
        ck_assert_int_eq(diary.threads[k], diary.names[k] == 'a' ? 2 : 3);
    ck_assert_int_eq(r[0].threads, 2);
    ck_assert_int_eq(r[1].threads, 3);
    threads = 0;
    csr_free(&A);
}
END_TEST

/* Three that do not fit beside each other come one by one, and say so; with no room at all they are
 * skipped. */
START_TEST(what_does_not_fit_together_comes_alone)
{
    uint64_t state = test_seed();
    struct csr A = general(&state);
    const struct product_contestant contestants[] = {of(&fake_a), of(&fake_b), of(&fake_c)};
    struct product_result r[3];
    room = 2;
    bench(&A, contestants, 3, r);
    ck_assert_int_eq(diary.count, 3 * 6 * 6);
    for (int k = 0; k < diary.count; k++)
        ck_assert_int_eq(diary.names[k], "abc"[k / 36]);
    for (int k = 0; k < 3; k++)
        ck_assert(r[k].alone && r[k].verdict == PRODUCT_PASS);
    room = 0;
    bench(&A, contestants, 3, r);
    ck_assert_int_eq(diary.count, 0);
    for (int k = 0; k < 3; k++) {
        ck_assert_int_eq(r[k].verdict, PRODUCT_SKIPPED);
        ck_assert_ptr_nonnull(strstr(r[k].reason, "7 bytes wanted, 6 there"));
    }
    csr_free(&A);
}
END_TEST

/* A shortage that a kernel meets is told with the kernel; any other is the whole call's. */
static enum status attempt(void *context, struct error *error)
{
    struct product_contestant contestants[] = {of(&fake_a), of(&fake_b)};
    struct product_result r[2];
    contestants[1].options.values[0] = PRECISION_FLOAT;
    enum status status = try_bench(context, contestants, 2, r, error);
    for (int k = 0; k < 2 && !status; k++)
        if (r[k].verdict == PRODUCT_SKIPPED)
            status = error_set(error, STATUS_MEMORY, "%s", r[k].reason);
    return status;
}

START_TEST(failing_allocations)
{
    uint64_t state = test_seed();
    struct csr A = general(&state);
    room = 9;
    rule.rounds = 1;
    walk_allocation_failures(attempt, &A);
    rule.rounds = 5;
    csr_free(&A);
}
END_TEST

/* The real ones, on a matrix that all of them take. A 0 on the diagonal of a triangle is no
 * work. */
START_TEST(kernels_of_this_program_pass)
{
    struct error error;
    struct csr A;
    struct poisson3d poisson = {{13, 12, 11}, {1, 1, 1}, 10, 0};
    struct product_contestant contestants[32];
    struct product_result r[32];
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    A.values[0] = A.values[A.nnz - 1] = 0;
    int all, count = 0;
    const struct kernel *const *list = kernel_list(&all);
    for (int k = 0; k < all; k++)
        if (list[k]->space == SPACE_CPU)
            contestants[count++] = of(list[k]);
    bench(&A, contestants, count, r);
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
