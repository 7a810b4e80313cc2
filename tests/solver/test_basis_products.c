/* The passes over vectors side by side on the CPU, against plain loops bit for bit. */
#include "support.h"

#include "solver/panels.h"
#include "space/space.h"
#include "spaces.h"

#include <math.h>
#include <string.h>

static const int64_t lengths[] = {1, 31, 32, 33, 479, 480, 481, 5000, 500001};
static const int64_t counts[] = {0, 1, 3, 4, 5, 16, 17, 60};
static const int thread_counts[] = {1, 2, 3, 7};
enum { LENGTHS = 9, COUNTS = 8, REDUCTIONS = 5 };

/* Long vectors with few columns, and the other sums of short ones, as they are those of `dot` one
 * by one. */
static bool too_much(enum reductions reductions, int64_t n, int64_t count)
{
    return reductions == REDUCTIONS_REPRODUCIBLE ? n > 100000 && count != 1 && count != 5
                                                 : n > 500 && count > 4;
}

static void expect_same(const double *found, const double *wanted, int64_t count, const char *what,
                        int64_t n, int64_t columns)
{
    for (int64_t k = 0; k < count; k++) /* an assertion an element would take minutes */
        if (memcmp(&found[k], &wanted[k], sizeof *found) != 0)
            ck_abort_msg("%s, n = %d, %d columns: place %d is %a, not %a", what, (int)n,
                         (int)columns, (int)k, found[k], wanted[k]);
}

static void run(struct space *space, const struct pass *pass, int64_t n, const void *work)
{
    struct error error;
    expect_ok(space_run(space, pass, n, work, &error), &error);
}

/* c = V^T w; w -= V c, and w . w; the first columns of V S. */
static void run_dot(struct space *space, const struct panels *on)
{
    run(space, &panel_dot, on->n, &(struct panel_products){on->V, on->w, on->c});
}

static void run_subtract(struct space *space, const struct panels *on, double *squared)
{
    run(space, &panel_subtract, on->n, &(struct panel_subtraction){on->V, on->c, on->w, squared});
}

static void run_multiply(struct space *space, const struct panels *on, int64_t wanted)
{
    run(space, &panel_multiply, on->n, &(struct panel_rotation){on->V, on->S, wanted});
}

/* Every pass in that space against the loops; what is not to be touched or used is NaN. */
static void expect_plain(struct space *space, int64_t n, int64_t columns, uint64_t *state)
{
    struct error error;
    struct panels made = panels_create(n, columns, state), wanted = panels_copy(&made);
    int64_t kept = columns == 0 ? 0 : 1 + test_random_below(state, columns);
    double squared = NAN, norm = NAN, dot = NAN;
    for (int64_t k = 0; k < columns; k++)
        expect_ok(
            space_dot(space, n, made.V.values + k * made.V.stride, made.w, &wanted.c[k], &error),
            &error);
    run_dot(space, &made);
    expect_same(made.c, wanted.c, columns + 1, "panel_dot", n, columns);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < columns; k++)
            wanted.w[i] = fma(-wanted.c[k], wanted.V.values[k * wanted.V.stride + i], wanted.w[i]);
    run_subtract(space, &made, &squared);
    expect_same(made.w, wanted.w, n + 1, "panel_subtract", n, columns);
    expect_ok(space_dot(space, n, wanted.w, wanted.w, &dot, &error), &error);
    expect_same(&squared, &dot, 1, "its square", n, columns);
    expect_same(made.V.values, wanted.V.values, made.places, "V before", n, columns);
    run(space, &normalise, n, &(struct normalisation){&squared, made.w, &norm});
    ck_assert(norm == sqrt(dot));
    for (int64_t i = 0; i < n; i++)
        wanted.w[i] = wanted.w[i] / sqrt(dot);
    expect_same(made.w, wanted.w, n + 1, "normalise", n, columns);
    run_multiply(space, &made, kept);
    for (int64_t j = 0; j < kept; j++)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t k = 0; k < columns; k++)
                sum = fma(wanted.V.values[k * wanted.V.stride + i], made.S[j * columns + k], sum);
            expect_same(&made.V.values[j * made.V.stride + i], &sum, 1, "panel_multiply", n,
                        columns);
        }
    for (int64_t k = 0; k <= columns; k++) /* between the columns, and behind them */
        for (int64_t i = k < columns ? n : 0; i < made.V.stride; i++)
            if (!isnan(made.V.values[k * made.V.stride + i]))
                ck_abort_msg("column %d, row %d was written", (int)k, (int)i);
    panels_free(&made);
    panels_free(&wanted);
}

START_TEST(panels_are_plain_loops)
{
    uint64_t state = test_seed();
    for (int r = 0; r < REDUCTIONS; r++) {
        struct space *space = test_space(SPACE_CPU, (enum reductions)r, 1);
        for (int l = 0; l < LENGTHS; l++)
            for (int c = 0; c < COUNTS; c++) {
                if (too_much((enum reductions)r, lengths[l], counts[c]))
                    continue;
                test_space_threads(&space, r == REDUCTIONS_ATOMIC ? 1 : thread_counts[(l + c) % 4]);
                expect_plain(space, lengths[l], counts[c], &state);
            }
        space->operations->destroy(space);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* One and the same for any number of threads. */
START_TEST(threads_change_no_bit)
{
    uint64_t state = test_seed();
    static const int64_t n = 20000, columns = 17;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    struct panels start = panels_create(n, columns, &state), first = {0};
    for (int t = 0; t < 4; t++) {
        struct panels made = panels_copy(&start);
        test_space_threads(&space, thread_counts[t]);
        run_dot(space, &made);
        run_subtract(space, &made, &made.c[columns]);
        run_multiply(space, &made, columns);
        if (t == 0) {
            first = made;
            continue;
        }
        expect_same(made.c, first.c, columns + 1, "sums", n, columns);
        expect_same(made.w, first.w, n, "w", n, columns);
        expect_same(made.V.values, first.V.values, made.places, "V", n, columns);
        panels_free(&made);
    }
    panels_free(&first);
    panels_free(&start);
    space->operations->destroy(space);
}
END_TEST

START_TEST(not_a_number_is_not_lost)
{
    uint64_t state = test_seed();
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    for (int64_t n = 1; n < 2000; n = 3 * n + 1) {
        struct panels made = panels_create(n, 6, &state);
        double squared = 0;
        made.V.values[3 * made.V.stride + n - 1] = NAN;
        run_dot(space, &made);
        for (int k = 0; k < 6; k++)
            ck_assert(isnan(made.c[k]) == (k == 3));
        made.c[3] = 0;
        run_subtract(space, &made, &squared);
        ck_assert(isnan(squared) && isnan(made.w[n - 1]));
        panels_free(&made);
    }
    space->operations->destroy(space);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    const struct panels *start = context;
    struct space *space;
    struct panels made = *start; /* all that is written is w, c and V, which do not matter */
    double squared;
    struct panel_products products = {made.V, made.w, made.c};
    struct panel_subtraction subtraction = {made.V, made.c, made.w, &squared};
    struct panel_rotation rotation = {made.V, made.S, 3};
    enum status status = space_cpu_create(
        &(struct space_options){.reductions = REDUCTIONS_REPRODUCIBLE, .threads = 2}, &space,
        error);
    if (status)
        return status;
    if (!status)
        status = space_run(space, &panel_dot, 1000, &products, error);
    if (!status)
        status = space_run(space, &panel_subtract, 9000, &subtraction, error);
    if (!status)
        status = space_run(space, &panel_dot, 9000, &products, error);
    if (!status)
        status = space_run(space, &panel_multiply, 9000, &rotation, error);
    space->operations->destroy(space);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    uint64_t state = test_seed();
    struct panels start = panels_create(9000, 5, &state);
    walk_allocation_failures(attempt, &start);
    panels_free(&start);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {panels_are_plain_loops, threads_change_no_bit, not_a_number_is_not_lost,
                            every_failed_allocation_is_survived, NULL};
    return suite_of("solver/basis_products", tests);
}
