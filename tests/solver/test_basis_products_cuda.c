/* The passes over vectors side by side on a GPU against the CPU's: the same bits of every element,
 * and of every sum in a written order. */
#include "support.h"

#include "cuda_device.h"
#include "solver/panels.h"
#include "space/trials.h"
#include "spaces.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const int64_t sizes[] = {1, 31, 32, 33, 479, 480, 481, 5000, 230401, 1439521};
static const int64_t counts[] = {0, 1, 3, 4, 5, 16, 17, 60, 200};
enum { SIZES = 10, COUNTS = 9 };

/* With room for one more behind them. */
static double *put_more(struct space *space, int64_t count, const double *host)
{
    struct error error;
    double *there;
    expect_ok(space_vector(space, count + 1, "a vector", &there, &error), &error);
    expect_ok(space_upload(space, count, host, there, &error), &error);
    return there;
}

static void get(struct space *space, int64_t count, const double *there, double *host)
{
    struct error error;
    expect_ok(space_download(space, count, there, host, &error), &error);
}

/* Every pass, one after the other, on a copy of *start in the space: *made is what came of it, with
 * c = V^T w in c, w - V c in w, and its square behind it. In the column of V that nobody uses: the
 * same divided by a norm whose square both spaces know, and that norm. c_given: the factors, so
 * that other sums do not change the elements. */
static void operations(struct space *space, const struct panels *start, int64_t kept,
                       const double *c_given, struct panels *made)
{
    struct error error;
    int64_t n = start->n, count = start->V.count;
    double nothing[2] = {NAN, NAN};
    struct panel V = {put_more(space, start->places, start->V.values), start->V.stride, count};
    double *w = put(space, n + 1, start->w), *c = put_more(space, count + 1, start->c);
    double *given = put_more(space, count, c_given), *S = put_more(space, count * count, start->S);
    double *sums = put(space, 2, nothing);
    struct panel_products products = {V, w, c};
    struct panel_subtraction subtraction = {V, given, w, &sums[0]};
    struct panel_rotation rotation = {V, S, kept};
    run_pass(space, &panel_dot, n, &products);
    run_pass(space, &panel_subtract, n, &subtraction);
    run_pass(space, &panel_multiply, n, &rotation);
    *made = panels_copy(start);
    get(space, n + 1, w, made->w);
    get(space, count + 1, c, made->c);
    get(space, start->places, V.values, made->V.values);
    get(space, 1, &sums[0], &made->w[n]);
    double *normed = made->V.values + count * start->V.stride, known = 3;
    expect_ok(space_upload(space, 1, &known, &sums[0], &error), &error);
    run_pass(space, &normalise, n, &(struct normalisation){&sums[0], w, &sums[1]});
    get(space, n, w, normed);
    get(space, 1, &sums[1], &normed[n]);
    space_release(space, V.values);
    space_release(space, w);
    space_release(space, c);
    space_release(space, given);
    space_release(space, S);
    space_release(space, sums);
}

static void compare(const double *cpu, const double *cuda, int64_t count, double off,
                    const char *what, int64_t n, int64_t columns)
{
    for (int64_t k = 0; k < count; k++)
        if (memcmp(&cpu[k], &cuda[k], sizeof *cpu) != 0 && !(fabs(cpu[k] - cuda[k]) <= off))
            ck_abort_msg("%s, n = %d, %d columns: place %d: CPU %a, GPU %a", what, (int)n,
                         (int)columns, (int)k, cpu[k], cuda[k]);
}

/* Columns of V that panel_multiply did not make may hold anything. */
static void compare_spaces(enum reductions reductions, bool sums_too)
{
    uint64_t state = test_seed();
    struct space *cpu = test_space(SPACE_CPU, reductions, 1),
                 *cuda = test_space(SPACE_CUDA, reductions, 0);
    for (int l = 0; l < SIZES; l++)
        for (int k = 0; k < COUNTS; k++) {
            int64_t n = sizes[l], count = counts[k];
            if (n * count > 20000000 || (test_is_slow() && n * count > 100000))
                continue;
            struct panels start = panels_create(n, count, &state), expected, found;
            int64_t kept = count == 0 ? 0 : 1 + test_random_below(&state, count);
            int64_t stride = start.V.stride;
            double *given = start.S; /* any numbers */
            operations(cpu, &start, kept, given, &expected);
            operations(cuda, &start, kept, given, &found);
            /* |terms| < 64 of a dot, so sums in two orders: 2 n u times n 64 at most; w has terms
             * of w + V c */
            double off = sums_too ? 0 : 2 * (double)n * DBL_EPSILON * 64 * (double)n;
            double off_square = off * (double)((count + 1) * (count + 1)) * 64;
            compare(expected.c, found.c, count, off, "panel_dot", n, count);
            ck_assert(isnan(found.c[count]));
            compare(expected.w, found.w, n, 0, "w", n, count);
            compare(&expected.w[n], &found.w[n], 1, off_square, "its square", n, count);
            for (int64_t j = 0; j < kept; j++)
                compare(expected.V.values + j * stride, found.V.values + j * stride, n, 0,
                        "panel_multiply", n, count);
            for (int64_t j = 0; j < count; j++)
                for (int64_t i = n; i < stride; i++)
                    ck_assert(isnan(found.V.values[j * stride + i]));
            compare(expected.V.values + count * stride, found.V.values + count * stride, n + 1, 0,
                    "normalise", n, count);
            panels_free(&start);
            panels_free(&expected);
            panels_free(&found);
        }
    cpu->operations->destroy(cpu);
    cuda->operations->destroy(cuda);
}

START_TEST(same_bits_as_the_cpu)
{
    if (!cuda_device_is_there())
        return;
    compare_spaces(REDUCTIONS_REPRODUCIBLE, true);
    compare_spaces(REDUCTIONS_COMPENSATED, true);
    compare_spaces(REDUCTIONS_EXACT, true);
    compare_spaces(REDUCTIONS_ATOMIC, false);
    compare_spaces(REDUCTIONS_BLAS, false);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(too_many_columns_are_named)
{
    if (!cuda_device_is_there())
        return;
    struct error error;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    double nothing = 0, *values = put(space, 1, &nothing);
    struct panel V = {values, 1, 227 * 128 + 1};
    struct panel_rotation rotation = {V, values, 1};
    expect_error(space_run(space, &panel_multiply, 1, &rotation, &error), STATUS_CONFIG, &error,
                 "a basis of 29057 vectors", "at most 29056", NULL);
    space_release(space, values);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {same_bits_as_the_cpu, too_many_columns_are_named, NULL};
    return suite_of("solver/basis_products_cuda", tests);
}
