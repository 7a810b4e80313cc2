/* What is said of kernels that are known beforehand: wrong, changing, single, too large, and in
 * which order they come; of one vector and of several. No time is tested. */
#include "study/product_bench.h"

#include "support.h"

#include "base/threads.h"
#include "general.h"
#include "problem/poisson3d.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

static int64_t room; /* how many fakes fit into memory */
static struct {
    int64_t columns, wrong; /* of X, 0 of x; the column in which 'x' is wrong */
} several;
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
        ck_assert(fake->products > 0 || several.columns > 0 || isnan(y[i])); /* poisoned */
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

static double noise(const struct fake *fake)
{
    return fake->products % 3 ? (double)fake->products : NAN;
}

/* Column by column, and other numbers behind the last one every time. */
static enum status apply_columns(void *state, const struct operands *operands, struct error *error)
{
    struct fake *fake = state;
    int64_t n = fake->A->n, width = fake->A->width, stride = operands->columns;
    const double *X = operands->x;
    double *Y = operands->y, *x = memory_array(width + n, sizeof *x, "two columns", error);
    if (!x)
        return STATUS_MEMORY;
    int64_t groups = (several.columns + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE;
    int64_t first = fake->products++ % groups * COLUMNS_AT_ONCE;
    for (int64_t j = 0; j < stride; j++) {
        bool meant = first + j < several.columns;
        for (int64_t i = 0; i < width; i++) {
            x[i] = X[i * stride + j];
            ck_assert(meant || x[i] == 0);
        }
        csr_multiply(fake->A, x, x + width);
        if (fake->kernel->component.name[0] == 'x' && first + j == several.wrong)
            x[width + n / 2] += 1e-9;
        for (int64_t i = 0; i < n; i++) {
            ck_assert(fake->products > 1 || isnan(Y[i * stride + j]));
            Y[i * stride + j] = meant ? x[width + i] : noise(fake);
        }
    }
    memory_free(x);
    return STATUS_OK;
}

static const struct operator_table table_of_columns = {
    .apply = apply, .apply_float = apply_float, .apply_columns = apply_columns, .destroy = destroy};

static enum status setup(const struct kernel *kernel, const struct csr *A,
                         const struct kernel_options *options, struct linear_operator *made,
                         struct error *error)
{
    if (diary.set_up == room)
        return error_set(error, STATUS_MEMORY, "out of memory: 7 bytes wanted, 6 there");
    struct fake *fake = made->state = memory_zeros(1, sizeof *fake, "a fake", error);
    if (!fake)
        return STATUS_MEMORY;
    made->table = strchr("mx", kernel->component.name[0]) ? &table_of_columns : &table;
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
FAKE(m, CSR_GENERAL, NULL)
FAKE(x, CSR_GENERAL, NULL)
FAKE(s, CSR_SYMMETRIC, NULL)
FAKE(u, CSR_GENERAL, absent)

static struct product_contestant of(const struct kernel *kernel)
{
    return (struct product_contestant){kernel->component.name, kernel, kernel_defaults(kernel), 0,
                                       several.columns ? several.columns : 1};
}

/* ---- running them ---------------------------------------------------------------------------- */

static int threads; /* of the bench; 0: all */
#define OF_VECTORS                                                                                 \
    {                                                                                              \
        .rounds = 5, .products = 3, .seconds = 1, .buffer_bytes = 1 << 16                          \
    }
static struct product_rule rule = OF_VECTORS;
static const struct product_rule of_columns = {
    .operation = PRODUCT_SPMM, .rounds = 3, .products = 1, .seconds = 1, .buffer_bytes = 1 << 16};

static void back_to_vectors(void)
{
    rule = (struct product_rule)OF_VECTORS;
    several.columns = 0;
}

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
    back_to_vectors();
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

/* Y = A X one column after the other, at once, and at once with one column that is wrong: whatever
 * stands behind the last column is no part of Y. */
START_TEST(a_wrong_column_is_found)
{
    uint64_t state = test_seed();
    struct csr A = general(&state);
    room = 9;
    rule = of_columns;
    rule.seed = (int64_t)(state >> 1);
    for (several.columns = 2; several.columns <= 70; several.columns++) {
        struct product_contestant contestants[] = {of(&fake_a), of(&fake_m), of(&fake_x),
                                                   of(&fake_m), of(&fake_s)};
        contestants[3].options.values[0] = PRECISION_FLOAT; /* it does not round anything */
        struct product_result r[5];
        /* a last column that stands alone is made by apply */
        several.wrong =
            test_random_below(&state, several.columns - (several.columns % COLUMNS_AT_ONCE == 1));
        bench(&A, contestants, 5, r);
        static const enum product_verdict wanted[] = {PRODUCT_PASS, PRODUCT_PASS, PRODUCT_FAIL,
                                                      PRODUCT_PASS, PRODUCT_SKIPPED};
        for (int k = 0; k < 5; k++) {
            ck_assert_msg(r[k].verdict == wanted[k], "%d: %s, %g", k,
                          product_verdict_name(r[k].verdict), r[k].error.worst);
            ck_assert_int_eq(r[k].operation, PRODUCT_SPMM);
            ck_assert_int_eq(r[k].columns, several.columns);
        }
        ck_assert_int_eq(r[2].error.column, several.wrong);
        ck_assert_int_eq(r[2].error.row, 35);
        ck_assert(r[0].error.worst == r[1].error.worst && r[1].error.worst <= 1);
        int64_t sweeps = (several.columns + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE, x_y = 70 + 90;
        int64_t one_by_one = several.columns * (70000 + 2 * x_y * 8);
        int64_t at_once =
            sweeps * 70000 + (columns_elements(x_y, several.columns) - sweeps * x_y) * 8;
        for (int k = 0; k < 4; k++) {
            ck_assert_int_eq(r[k].distinct, 1);
            ck_assert(r[k].flops == 2 * (double)(several.columns * A.nnz));
            ck_assert_int_eq(r[k].bytes, k == 0 ? one_by_one : at_once);
        }
    }
    back_to_vectors();
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Those with one number of columns in turns, and then those with the next. */
START_TEST(numbers_of_columns_come_one_by_one)
{
    uint64_t state = test_seed();
    struct csr A = general(&state);
    room = 9;
    several.columns = 1;
    rule = of_columns;
    struct product_contestant contestants[] = {of(&fake_a), of(&fake_b), of(&fake_a), of(&fake_b)};
    contestants[2].columns = contestants[3].columns = 3;
    struct product_result r[4];
    bench(&A, contestants, 4, r);
    static const char wanted[] = "aabbbbaaaabbbbaa"
                                 "aaaaaabbbbbbbbbbbbaaaaaaaaaaaabbbbbbbbbbbbaaaaaa";
    ck_assert_int_eq(diary.count, (int)strlen(wanted));
    ck_assert_int_eq(memcmp(diary.names, wanted, strlen(wanted)), 0);
    ck_assert_int_eq(diary.most_set_up, 2);
    ck_assert(r[2].columns == 3 && r[2].flops == 3 * r[0].flops);
    back_to_vectors();
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

static enum status attempt_columns(void *context, struct error *error)
{
    const struct product_contestant contestants[] = {of(&fake_m), of(&fake_a)};
    struct product_result r[2];
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
    rule = of_columns;
    several.columns = 5;
    walk_allocation_failures(attempt_columns, &A);
    back_to_vectors();
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

/* Any number of columns is right, and has the same bits in each round where they are promised. */
START_TEST(kernels_of_this_program_pass_with_columns)
{
    struct error error;
    struct csr A;
    struct poisson3d poisson = {{7, 5, 6}, {1, 1, 1}, 10, 0};
    struct product_contestant contestants[34 * 32];
    struct product_result *r = calloc(34 * 32, sizeof *r);
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    rule = of_columns;
    rule.seed = (int64_t)(test_seed() >> 1);
    int all, count = 0;
    const struct kernel *const *list = kernel_list(&all);
    for (several.columns = 1; several.columns <= 33; several.columns++)
        for (int k = 0; k < all && k < 32; k++)
            if (list[k]->space == SPACE_CPU)
                contestants[count++] = of(list[k]);
    bench(&A, contestants, count, r);
    back_to_vectors();
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

Suite *suite(void)
{
    const TTest *tests[] = {verdicts,
                            kernels_come_in_turns,
                            the_second_set_up_is_timed,
                            cold_products_come_one_by_one,
                            batches_are_as_long_as_wanted,
                            each_has_its_threads,
                            what_does_not_fit_together_comes_alone,
                            a_wrong_column_is_found,
                            numbers_of_columns_come_one_by_one,
                            failing_allocations,
                            kernels_of_this_program_pass,
                            kernels_of_this_program_pass_with_columns,
                            NULL};
    return suite_of("study/product_bench", tests);
}
