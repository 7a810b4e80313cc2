/* Vectors of floats in the space of the CPU. */
#include "support.h"

#include "space/floats.h"
#include "space/trials.h"
#include "spaces.h"

#include <math.h>
#include <string.h>

/* The table, the nearest float of any double, and back without a change; nothing behind them. */
START_TEST(narrow_rounds_to_nearest_and_widen_does_not)
{
    struct error error;
    uint64_t state = test_seed();
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    for (int k = 0; k < LENGTHS; k++) {
        int64_t n = lengths[k];
        double *x = vector(n), *back = vector(n + 1);
        float *y, *host = memory_array(n + 1, sizeof *host, "floats", &error);
        ck_assert_ptr_nonnull(host);
        floats_doubles(n, x, &state);
        for (int64_t i = 0; i <= n; i++)
            host[i] = 42;
        test_space_threads(&space, thread_counts[k % THREAD_COUNTS]);
        expect_ok(space_vector_float(space, n + 1, "floats", &y, &error), &error);
        expect_ok(space_upload_float(space, n + 1, host, y, &error), &error);
        expect_ok(space_narrow(space, n, x, y, &error), &error);
        expect_ok(space_widen(space, n, y, back, &error), &error);
        for (int64_t i = 0; i <= n; i++)
            host[i] = 43;
        expect_ok(space_download_float(space, n, y, host, &error), &error);
        ck_assert(host[n] == 43 && y[n] == 42 && isnan(back[n]));
        floats_expect(n, x, host);
        for (int64_t i = 0; i < n; i++)
            if (isnan(x[i]) ? !isnan(back[i])
                            : back[i] != host[i] || !signbit(back[i]) != !signbit(x[i]))
                ck_abort_msg("place %d: %a back from %a", (int)i, back[i], x[i]);
        space_release(space, y);
        memory_free(x);
        memory_free(back);
        memory_free(host);
    }
    space->operations->destroy(space);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct space *space;
    const double *x = context;
    double *back = NULL;
    float *y = NULL;
    enum status status = space_cpu_create(&(struct space_options){.threads = 2}, &space, error);
    if (status)
        return status;
    status = space_vector_float(space, 1000, "the floats", &y, error);
    if (!status)
        status = space_narrow(space, 1000, x, y, error);
    if (!status)
        status = space_vector(space, 1000, "the doubles", &back, error);
    if (!status)
        status = space_widen(space, 1000, y, back, error);
    space_release(space, y);
    space_release(space, back);
    space->operations->destroy(space);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    struct error error;
    float *y;
    double *x = randoms(1000, 1);
    walk_allocation_failures(attempt, x);
    memory_free(x);
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    expect_error(space_vector_float(space, INT64_MAX, "the floats", &y, &error), STATUS_MEMORY,
                 &error, "the floats", NULL);
    ck_assert_ptr_null(y);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {narrow_rounds_to_nearest_and_widen_does_not,
                            every_failed_allocation_is_survived, NULL};
    return suite_of("space/floats", tests);
}
