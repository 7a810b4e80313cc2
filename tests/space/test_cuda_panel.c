/* The CUDA space's operations on vectors side by side against the CPU's: the same bits of every
 * element, and of every sum in a written order. */
#include "support.h"

#include "cuda_device.h"
#include "space/panels.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const int64_t lengths[] = {1, 31, 32, 33, 479, 480, 481, 5000, 230401, 1439521};
static const int64_t counts[] = {0, 1, 3, 4, 5, 16, 17, 60, 200};
enum { LENGTHS = 10, COUNTS = 9 };

static struct space *make(enum space_kind kind, enum reductions reductions)
{
    struct error error;
    struct space *space;
    expect_ok(space_create(kind, reductions, &space, &error), &error);
    return space;
}

static double *put(struct space *space, int64_t count, const double *host)
{
    struct error error;
    double *there;
    expect_ok(space->operations->allocate(space, count + 1, "a vector", &there, &error), &error);
    expect_ok(space->operations->upload(space, count, host, there, &error), &error);
    return there;
}

static void get(struct space *space, int64_t count, const double *there, double *host)
{
    struct error error;
    expect_ok(space->operations->download(space, count, there, host, &error), &error);
}

/* Every operation, one after the other, on a copy of *start in the space: *made is what came of it,
 * with c = V^T w in c, w normed, and its norm behind it. c_given: the factors, so that other sums
 * do not change the elements. */
static void operations(struct space *space, const struct panels *start, int64_t kept,
                       const double *c_given, struct panels *made)
{
    struct error error;
    const struct space_operations *d = space->operations;
    int64_t n = start->n, count = start->V.count;
    double nothing[2] = {NAN, NAN};
    struct panel V = {put(space, start->places, start->V.values), start->V.stride, count};
    double *w = put(space, n + 1, start->w), *c = put(space, count + 1, start->c);
    double *given = put(space, count, c_given), *S = put(space, count * count, start->S);
    double *sums = put(space, 2, nothing);
    expect_ok(d->panel_dot(space, n, &V, w, c, &error), &error);
    expect_ok(d->panel_axmy_norm_squared(space, n, &V, given, w, &sums[0], &error), &error);
    expect_ok(d->panel_multiply(space, n, &V, S, kept, &error), &error);
    *made = panels_copy(start);
    get(space, n + 1, w, made->w);
    get(space, count + 1, c, made->c);
    get(space, start->places, V.values, made->V.values);
    get(space, 1, &sums[0], &made->w[n]);
    /* of a norm that both know */
    double squared = 3;
    expect_ok(d->upload(space, 1, &squared, &sums[0], &error), &error);
    expect_ok(d->normalise(space, n, &sums[0], &sums[1], w, &error), &error);
    double *normed = made->V.values + count * start->V.stride; /* the column that nobody uses */
    get(space, n, w, normed);
    get(space, 1, &sums[1], &normed[n]);
    d->release(space, V.values);
    d->release(space, w);
    d->release(space, c);
    d->release(space, given);
    d->release(space, S);
    d->release(space, sums);
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
    struct space *cpu = make(SPACE_CPU, reductions), *cuda = make(SPACE_CUDA, reductions);
    for (int l = 0; l < LENGTHS; l++)
        for (int k = 0; k < COUNTS; k++) {
            int64_t n = lengths[l], count = counts[k];
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
            double off_norm = off * (double)((count + 1) * (count + 1)) * 64;
            compare(expected.c, found.c, count, off, "panel_dot", n, count);
            ck_assert(isnan(found.c[count]));
            compare(expected.w, found.w, n, 0, "w", n, count);
            compare(&expected.w[n], &found.w[n], 1, off_norm, "its norm", n, count);
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
    struct space *space = make(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE);
    double nothing = 0, *values = put(space, 1, &nothing);
    struct panel V = {values, 1, 227 * 128 + 1};
    expect_error(space->operations->panel_multiply(space, 1, &V, values, 1, &error), STATUS_CONFIG,
                 &error, "a basis of 29057 vectors", "at most 29056", NULL);
    space->operations->release(space, values);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {same_bits_as_the_cpu, too_many_columns_are_named, NULL};
    return suite_of("space/cuda_panel", tests);
}
