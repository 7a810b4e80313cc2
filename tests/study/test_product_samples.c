/* What the bench says of sampled products: right ones pass, and any wrong value is found, by its
 * error or by its bits. No time is tested. */
#include "study/product_bench.h"

#include "made.h"
#include "support.h"

#include "study/fakes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- who makes them wrong -------------------------------------------------------------------- */

enum { OFF, BIT, LEFT, LATE, FAULTS };

static int64_t spoilt; /* the entry */

struct spoiler {
    struct sddmm right;
    int fault;
    int64_t products;
};

static enum status apply(void *state, const double *X, const double *Y, double *values,
                         struct error *error)
{
    struct spoiler *spoiler = state;
    double before = values[spoilt];
    enum status status = sddmm_apply(&spoiler->right, X, Y, values, error);
    double *value = &values[spoilt];
    spoiler->products++;
    if (spoiler->fault == BIT)
        *value = nextafter(*value, 1e9);
    else if (spoiler->fault == LEFT)
        *value = before;
    else if (spoiler->fault == OFF || spoiler->products > 6)
        *value += 1e-9;
    return status;
}

static void destroy(void *state)
{
    if (state)
        sddmm_destroy(&((struct spoiler *)state)->right);
    memory_free(state);
}

static const struct sddmm_table table = {apply, destroy};

static enum status create(int fault, struct space *space, const struct csr *pattern,
                          int64_t columns, struct sddmm *made, struct error *error)
{
    struct spoiler *spoiler = memory_zeros(1, sizeof *spoiler, "a spoiler", error);
    *made = sddmm_of(space, pattern, columns);
    made->table = &table;
    made->state = spoiler;
    enum status status = STATUS_MEMORY;
    if (spoiler) {
        spoiler->fault = fault;
        status = sddmm_create(space, pattern, columns, &spoiler->right, error);
    }
    if (status)
        sddmm_destroy(made);
    return status;
}

static const char *here(void)
{
    return NULL;
}

static const char *absent(void)
{
    return "it is a fake";
}

#define SPOILER(fault)                                                                             \
    static enum status create_##fault(struct space *space, const struct csr *pattern,              \
                                      int64_t columns, struct sddmm *made, struct error *error)    \
    {                                                                                              \
        return create(fault, space, pattern, columns, made, error);                                \
    }
SPOILER(OFF)
SPOILER(BIT)
SPOILER(LEFT)
SPOILER(LATE)

static const struct product_sampler off = {"off", SPACE_CPU, false, here, create_OFF},
                                    bit = {"bit", SPACE_CPU, true, here, create_BIT},
                                    unpromised = {"unpromised", SPACE_CPU, false, here, create_BIT},
                                    left = {"left", SPACE_CPU, false, here, create_LEFT},
                                    late = {"late", SPACE_CPU, false, here, create_LATE},
                                    gone = {"gone", SPACE_CPU, true, absent, NULL};

static struct product_contestant of(const struct product_sampler *sampler, int64_t columns)
{
    return (struct product_contestant){
        .label = sampler->name, .columns = columns, .sampler = sampler};
}

static void begin(uint64_t *state)
{
    fakes.rule = (struct product_rule){.operation = PRODUCT_SDDMM,
                                       .rounds = 3,
                                       .products = 1,
                                       .seed = (int64_t)(*state >> 1),
                                       .buffer_bytes = 1 << 16};
}

/* ---- what is said of them -------------------------------------------------------------------- */

/* Its row and column. */
static struct product_error place_of(const struct csr *A, int64_t entry)
{
    struct product_error place = {.column = A->columns[entry]};
    while (A->offsets[place.row + 1] <= entry)
        place.row++;
    return place;
}

START_TEST(wrong_ones_are_found)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    static const enum product_verdict wanted[] = {PRODUCT_PASS,   PRODUCT_FAIL, PRODUCT_FAIL,
                                                  PRODUCT_PASS,   PRODUCT_FAIL, PRODUCT_FAIL,
                                                  PRODUCT_SKIPPED};
    begin(&state);
    for (int64_t columns = 1; columns <= 70; columns++) {
        const struct product_contestant contestants[] = {of(&product_samplers[0], columns),
                                                         of(&off, columns),
                                                         of(&bit, columns),
                                                         of(&unpromised, columns),
                                                         of(&left, columns),
                                                         of(&late, columns),
                                                         of(&gone, columns)};
        struct product_result r[7];
        spoilt = test_random_below(&state, A.nnz);
        fakes_bench(&A, contestants, 7, r);
        struct product_error at = place_of(&A, spoilt);
        for (int k = 0; k < 7; k++) {
            ck_assert_msg(r[k].verdict == wanted[k], "%s, %d columns: %s, %g", contestants[k].label,
                          (int)columns, product_verdict_name(r[k].verdict), r[k].error.worst);
            bool is_off = wanted[k] == PRODUCT_FAIL && k != 2;
            ck_assert(r[k].operation == PRODUCT_SDDMM && r[k].columns == columns);
            ck_assert((r[k].error.worst > 1) == is_off);
            if (is_off)
                ck_assert(r[k].error.row == at.row && r[k].error.column == at.column);
        }
        char text[64];
        snprintf(text, sizeof text, "first row %d, column %d", (int)at.row + 1, (int)at.column + 1);
        ck_assert_ptr_nonnull(strstr(r[2].reason, "1 of "));
        ck_assert_ptr_nonnull(strstr(r[2].reason, text));
        ck_assert_str_eq(r[6].reason, "it is a fake");
        ck_assert(!*r[0].reason && !*r[3].reason);
        ck_assert(r[5].distinct == 2 && r[0].distinct == 1);
        ck_assert(r[2].hash == r[3].hash && r[5].hash == r[0].hash && r[2].hash != r[0].hash);
    }
    fakes_back_to_vectors();
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Of a triangle its stored entries alone; by any number of threads, in turns or alone. */
START_TEST(the_stored_entries_are_sampled)
{
    struct error error;
    struct csr A;
    struct poisson3d poisson = {{7, 5, 6}, {1, 1, 1}, 10, 0, POISSON3D_DIRICHLET};
    uint64_t state = test_seed();
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    begin(&state);
    static const int64_t columns[] = {1, 8, 32, 33, 128};
    for (int c = 0; c < 5; c++) {
        struct product_contestant contestants[] = {of(&product_samplers[0], columns[c]),
                                                   of(&product_samplers[0], columns[c])};
        struct product_result r[2];
        contestants[1].threads = 3;
        fakes_bench(&A, contestants, 2, r);
        for (int k = 0; k < 2; k++) {
            ck_assert_int_eq(r[k].verdict, PRODUCT_PASS);
            ck_assert(r[k].error.worst > 0 && r[k].distinct == 1 && r[k].unjudged == 0);
            ck_assert(r[k].flops == 2 * (double)(A.nnz * columns[c]));
            ck_assert_int_eq(r[k].bytes, csr_bytes(&A) + columns[c] * (A.n + A.width) * 8);
            ck_assert(r[k].median_seconds > 0 && r[k].copy_rate > 0 && !r[k].alone);
        }
        ck_assert(r[1].threads == 3 && r[0].error.worst == r[1].error.worst);
        ck_assert(r[0].hash == r[1].hash);
    }
    fakes_back_to_vectors();
    csr_free(&A);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    const struct product_contestant contestants[] = {of(&product_samplers[0], 40),
                                                     of(&unpromised, 40)};
    return fakes_attempt(context, contestants, 2, error);
}

START_TEST(failing_allocations)
{
    uint64_t state = test_seed();
    struct csr A = fakes_general(&state);
    spoilt = 0;
    begin(&state);
    walk_allocation_failures(attempt, &A);
    fakes_back_to_vectors();
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {wrong_ones_are_found, the_stored_entries_are_sampled,
                            failing_allocations, NULL};
    return suite_of("study/product_samples", tests);
}
