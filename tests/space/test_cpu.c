/* The space of the CPU: every operation, with every kind of reduction and number of threads. */
#include "support.h"

#include "base/threads.h"
#include "cgsolve/space.h"
#include "space/cpu_sum.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const int64_t lengths[] = {1,   2,   31,  32,     33,     479,    480,
                                  481, 960, 961, 230399, 230400, 230401, 500001};
static const int thread_counts[] = {1, 2, 3, 7};
static const enum reductions all_reductions[] = {REDUCTIONS_REPRODUCIBLE, REDUCTIONS_ATOMIC,
                                                 REDUCTIONS_BLAS, REDUCTIONS_COMPENSATED,
                                                 REDUCTIONS_EXACT};
enum { LENGTHS = sizeof lengths / sizeof *lengths, KINDS = 5, THREAD_COUNTS = 4, LONGEST = 500001 };

static double *vector(int64_t n)
{
    struct error error;
    double *v = memory_array(n, sizeof *v, "a test vector", &error);
    ck_assert_ptr_nonnull(v);
    return v;
}

static void randomise(double *v, int64_t n, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = ldexp(2 * test_random(state) - 1, (int)(i % 41) - 20);
}

static void poison(double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = NAN;
}

static struct space *create(enum reductions reductions)
{
    struct error error;
    struct space *space;
    expect_ok(space_cpu_create(reductions, &space, &error), &error);
    ck_assert_int_eq(space->reductions, reductions);
    ck_assert_int_eq(space->operations->kind, SPACE_CPU);
    ck_assert_str_eq(space->operations->name, "cpu");
    return space;
}

static double dot(struct space *space, int64_t n, const double *x, const double *y)
{
    struct error error;
    double result = NAN;
    expect_ok(space->operations->dot(space, n, x, y, &result, &error), &error);
    return result;
}

/* The tiles one after the other: their own bits are the matter of test_cpu_sum. */
static double reference(int64_t n, const double *x, const double *y)
{
    int64_t tiles = sum_tiles(n);
    double *sums = vector(tiles);
    for (int64_t t = 0; t < tiles; t++)
        sums[t] = sum_tile_dot(x + t * SUM_TILE, y + t * SUM_TILE,
                               t < tiles - 1 ? SUM_TILE : n - t * SUM_TILE);
    double total = sum_levels(sums, tiles);
    memory_free(sums);
    return total;
}

static void expect_bits(double got, double wanted, const char *what, int64_t n, int threads)
{
    ck_assert_msg(memcmp(&got, &wanted, sizeof got) == 0,
                  "%s, n = %d, %d threads: %a instead of %a", what, (int)n, threads, got, wanted);
}

START_TEST(copies_are_complete)
{
    struct error error;
    struct space *space = create(REDUCTIONS_REPRODUCIBLE);
    const struct space_operations *operations = space->operations;
    uint64_t state = test_seed();
    double *host = vector(LONGEST), *back = vector(LONGEST), *v, *w;
    randomise(host, LONGEST, &state);
    expect_ok(operations->allocate(space, LONGEST, "v", &v, &error), &error);
    expect_ok(operations->allocate(space, LONGEST, "w", &w, &error), &error);
    for (int k = 0; k < LENGTHS; k++) {
        int64_t n = lengths[k], rest = LONGEST - n;
        size_t bytes = (size_t)n * sizeof *v;
        threads_use(thread_counts[k % THREAD_COUNTS]);
        poison(back, LONGEST);
        expect_ok(operations->fill(space, LONGEST, 0.5, v, &error), &error);
        expect_ok(operations->fill(space, LONGEST, 0.5, w, &error), &error);
        expect_ok(operations->fill(space, n, NAN, v, &error), &error);
        expect_ok(operations->upload(space, n, host, v, &error), &error);
        expect_ok(operations->fill(space, n, NAN, w, &error), &error);
        expect_ok(operations->copy(space, n, v, w, &error), &error);
        expect_ok(operations->download(space, n, w, back, &error), &error);
        ck_assert_mem_eq(back, host, bytes);
        ck_assert(rest == 0 || isnan(back[n]));
        expect_ok(operations->fill(space, n, -0.25, v, &error), &error);
        expect_ok(operations->download(space, LONGEST, v, back, &error), &error);
        bool wrong = false;
        for (int64_t i = 0; i < LONGEST; i++)
            wrong |= back[i] != (i < n ? -0.25 : 0.5);
        ck_assert_msg(!wrong, "fill of %d elements", (int)n);
        expect_ok(operations->download(space, LONGEST, w, back, &error), &error);
        ck_assert(rest == 0 || (back[n] == 0.5 && back[LONGEST - 1] == 0.5));
    }
    operations->release(space, v);
    operations->release(space, w);
    operations->release(space, NULL);
    operations->destroy(space);
    operations->destroy(NULL);
    memory_free(host);
    memory_free(back);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* |computed - exact| <= gamma_n |x|'|y| for every order of additions, and less than that for the
 * tree; atomic additions of tiles make 20 roundings and one a tile. The reference is good to
 * gamma_n of long double. */
static void expect_near(enum reductions reductions, int64_t n, const double *x, const double *y,
                        double got)
{
    long double exact = 0, magnitude = 0;
    for (int64_t i = 0; i < n; i++) {
        exact += (long double)x[i] * y[i];
        magnitude += fabsl((long double)x[i] * y[i]);
    }
    double roundings = reductions == REDUCTIONS_BLAS           ? (double)n
                       : reductions == REDUCTIONS_COMPENSATED  ? 0
                       : reductions == REDUCTIONS_EXACT        ? 0
                       : reductions == REDUCTIONS_REPRODUCIBLE ? 60
                                                               : 20 + (double)sum_tiles(n);
    long double bound = (long double)roundings * DBL_EPSILON / 2 * magnitude +
                        DBL_EPSILON / 2 * fabsl(exact) + (long double)n * LDBL_EPSILON * magnitude;
    ck_assert_msg(fabsl(got - exact) <= bound, "reductions %d, n = %d: %.17g, exact %.20Lg",
                  (int)reductions, (int)n, got, exact);
}

START_TEST(dots_are_right)
{
    uint64_t state = test_seed();
    double *x = vector(LONGEST), *y = vector(LONGEST);
    randomise(x, LONGEST, &state);
    randomise(y, LONGEST, &state);
    for (int r = 0; r < KINDS; r++) {
        struct space *space = create(all_reductions[r]);
        for (int k = 0; k < LENGTHS; k++) {
            for (int t = 0; t < THREAD_COUNTS; t++) {
                threads_use(thread_counts[t]);
                expect_near(all_reductions[r], lengths[k], x, y, dot(space, lengths[k], x, y));
            }
            expect_near(all_reductions[r], lengths[k], y, y, dot(space, lengths[k], y, y));
        }
        space->operations->destroy(space);
    }
    memory_free(x);
    memory_free(y);
}
END_TEST

START_TEST(reproducible_dots_follow_the_order)
{
    uint64_t state = test_seed();
    double *x = vector(LONGEST), *y = vector(LONGEST);
    randomise(x, LONGEST, &state);
    randomise(y, LONGEST, &state);
    struct space *plain = create(REDUCTIONS_REPRODUCIBLE), *twice = create(REDUCTIONS_COMPENSATED);
    for (int k = 0; k < LENGTHS; k++) {
        int64_t n = lengths[k];
        double wanted = reference(n, x, y), first = 0;
        for (int t = 0; t < THREAD_COUNTS; t++) {
            threads_use(thread_counts[t]);
            expect_bits(dot(plain, n, x, y), wanted, "dot", n, thread_counts[t]);
            double compensated = dot(twice, n, x, y);
            if (t == 0)
                first = compensated;
            expect_bits(compensated, first, "compensated dot", n, thread_counts[t]);
        }
    }
    plain->operations->destroy(plain);
    twice->operations->destroy(twice);
    memory_free(x);
    memory_free(y);
}
END_TEST

/* The inputs and results of test_cpu_sum, through the space. */
START_TEST(the_bits_are_pinned)
{
    uint64_t state = 20240229;
    double *x = vector(LONGEST), *y = vector(LONGEST);
    randomise(x, LONGEST, &state);
    randomise(y, LONGEST, &state);
    struct space *plain = create(REDUCTIONS_REPRODUCIBLE), *twice = create(REDUCTIONS_COMPENSATED);
    threads_use(3);
    expect_bits(dot(plain, LONGEST, x, y), 0x1.e382079b6f389p+44, "dot", LONGEST, 3);
    expect_bits(dot(twice, LONGEST, x, y), 0x1.e382079b6f386p+44, "compensated", LONGEST, 3);
    plain->operations->destroy(plain);
    twice->operations->destroy(twice);
    memory_free(x);
    memory_free(y);
}
END_TEST

/* The second half takes the first one back; what is left is the last term, 3. The inputs are always
 * the same ones, because others may be lucky with a plain sum. */
START_TEST(compensated_dots_survive_cancellation)
{
    enum { HALF = 100000, N = 2 * HALF + 1 };
    uint64_t state = 5;
    double *x = vector(N), *y = vector(N);
    randomise(x, HALF, &state);
    randomise(y, HALF, &state);
    for (int64_t i = 0; i < HALF; i++) {
        x[HALF + (i + 11) % HALF] = x[i] * 0x1p10;
        y[HALF + (i + 11) % HALF] = -y[i] * 0x1p-10;
    }
    x[N - 1] = 3;
    y[N - 1] = 1;
    struct space *plain = create(REDUCTIONS_REPRODUCIBLE), *twice = create(REDUCTIONS_COMPENSATED);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        threads_use(thread_counts[t]);
        double error = fabs(dot(twice, N, x, y) - 3), plain_error = fabs(dot(plain, N, x, y) - 3);
        ck_assert_msg(error < 1e-12, "compensated is off by %g", error);
        ck_assert_msg(plain_error > 1e-6, "the case is not ill-conditioned: %g", plain_error);
    }
    plain->operations->destroy(plain);
    twice->operations->destroy(twice);
    memory_free(x);
    memory_free(y);
}
END_TEST

/* y = fma(-a, x, y) with the quotient rounded once, and the norm of the new y: the bits of the
 * separate dot, where a dot has bits of its own. */
static void fused_norm(struct space *space, int64_t n, int threads, uint64_t *state)
{
    struct error error;
    double *x = vector(n), *y = vector(n), *wanted = vector(n), *kept = vector(n);
    double numerator = 1 + test_random(state), denominator = 3, norm = NAN;
    randomise(x, n, state);
    randomise(y, n, state);
    memcpy(kept, x, (size_t)n * sizeof *x);
    double a = numerator / denominator;
    for (int64_t i = 0; i < n; i++)
        wanted[i] = fma(-a, x[i], y[i]);
    expect_ok(space->operations->axmy_norm_squared(
                  space, n, (struct quotient){&numerator, &denominator}, x, y, &norm, &error),
              &error);
    ck_assert_mem_eq(y, wanted, (size_t)n * sizeof *y);
    ck_assert_mem_eq(x, kept, (size_t)n * sizeof *x);
    expect_near(space->reductions, n, y, y, norm);
    if (space->reductions == REDUCTIONS_REPRODUCIBLE)
        expect_bits(norm, reference(n, y, y), "fused norm", n, threads);
    if (space->reductions == REDUCTIONS_COMPENSATED || space->reductions == REDUCTIONS_EXACT)
        expect_bits(norm, dot(space, n, y, y), "fused norm", n, threads);
    memory_free(x);
    memory_free(y);
    memory_free(wanted);
    memory_free(kept);
}

START_TEST(fused_norms_are_the_separate_ones)
{
    uint64_t state = test_seed();
    for (int r = 0; r < KINDS; r++) {
        struct space *space = create(all_reductions[r]);
        for (int k = 0; k < LENGTHS; k++) {
            threads_use(thread_counts[(k + r) % THREAD_COUNTS]);
            fused_norm(space, lengths[k], thread_counts[(k + r) % THREAD_COUNTS], &state);
        }
        space->operations->destroy(space);
    }
}
END_TEST

/* Two updates and a norm at once are the same three one by one, in every kind of reduction. */
START_TEST(recurrences_are_two_updates_and_a_norm)
{
    struct error error;
    uint64_t state = test_seed();
    double *x = vector(LONGEST), *u = vector(LONGEST), *y = vector(LONGEST), *v = vector(LONGEST);
    for (int k = 0; k < LENGTHS * KINDS; k++) {
        int64_t n = lengths[k / KINDS];
        int threads = thread_counts[k % THREAD_COUNTS];
        struct space *space = create(all_reductions[k % KINDS]);
        double a = 2 * test_random(&state) - 1, b = 2 * test_random(&state) - 1, norm = NAN;
        bool two = k % 3 > 0;
        randomise(x, n, &state);
        randomise(u, n, &state);
        randomise(y, n, &state);
        for (int64_t i = 0; i < n; i++)
            v[i] = two ? fma(-b, u[i], fma(-a, x[i], y[i])) : fma(-a, x[i], y[i]);
        threads_use(space->reductions == REDUCTIONS_ATOMIC ? 1 : threads);
        expect_ok(space->operations->axmy_axmy_norm_squared(space, n, &a, x, two ? &b : NULL,
                                                            two ? u : NULL, y, &norm, &error),
                  &error);
        ck_assert_mem_eq(y, v, (size_t)n * sizeof *y);
        expect_bits(norm, dot(space, n, v, v), "a recurrence's norm", n, threads);
        space->operations->destroy(space);
    }
    memory_free(x);
    memory_free(u);
    memory_free(y);
    memory_free(v);
}
END_TEST

/* As cgsolve/space.h writes it, one operation a line, where the scalars say that they move; else
 * nothing does. */
START_TEST(steps_of_minimal_residuals)
{
    struct error error;
    uint64_t state = test_seed();
    struct space *space = create(REDUCTIONS_REPRODUCIBLE);
    static struct solver_rows rows;
    for (int k = 0; k < 3 * LENGTHS; k++) {
        int64_t n = lengths[k / 3];
        double *v = vector(9 * n), *before = v + n, *d = before + n, *x = d + n, *w = x + n;
        double *next = w + n, *d_wanted = next + n, *x_wanted = d_wanted + n;
        double *next_wanted = x_wanted + n;
        struct minres_scalars s = {.tolerance = 1e-300, .max_iterations = 9, .rows = &rows};
        s.iteration = 1;
        s.phi = s.target = 2;
        s.cosine = s.cosine_before = 0.6;
        s.sine = s.sine_before = 0.8;
        s.upper = 0.3;
        s.alpha = test_random(&state) - 2;
        s.norm_squared = 1 + test_random(&state);
        s.ended = k % 3 == 2;
        randomise(v, 6 * n, &state);
        memcpy(d_wanted, d, (size_t)n * sizeof *d);
        memcpy(x_wanted, x, (size_t)n * sizeof *d);
        memcpy(next_wanted, next, (size_t)n * sizeof *d);
        struct minres_scalars then = s;
        minres_scalars_advance(&then);
        ck_assert_int_eq(then.moves, k % 3 != 2);
        for (int64_t i = 0; i < n && then.moves; i++) {
            double part = k % 3 == 0 ? fma(-then.delta, before[i], v[i]) : v[i];
            d_wanted[i] = fma(-then.epsilon, d[i], part) * then.inverse_gamma;
            x_wanted[i] = fma(then.tau, d_wanted[i], x[i]);
            next_wanted[i] = w[i] * then.inverse_beta;
        }
        struct minres_vectors vectors = {v, k % 3 == 0 ? before : NULL, d, x, w, next};
        threads_use(thread_counts[k % THREAD_COUNTS]);
        expect_ok(space->operations->minres_step(space, n, &vectors, &s, &error), &error);
        ck_assert_mem_eq(d, d_wanted, (size_t)n * sizeof *d);
        ck_assert_mem_eq(x, x_wanted, (size_t)n * sizeof *d);
        ck_assert_mem_eq(next, next_wanted, (size_t)n * sizeof *d);
        ck_assert_mem_eq(&s, &then, sizeof s);
        memory_free(v);
    }
    space->operations->destroy(space);
}
END_TEST

START_TEST(steps_are_two_fused_operations)
{
    struct error error;
    uint64_t state = test_seed();
    struct space *space = create(REDUCTIONS_REPRODUCIBLE);
    for (int k = 0; k < LENGTHS; k++) {
        int64_t n = lengths[k];
        double *r = vector(6 * n), *p = r + n, *x = p + n;
        double alpha = 1 + test_random(&state), beta = test_random(&state);
        randomise(r, 3 * n, &state);
        double *r_kept = x + n, *p_wanted = r_kept + n, *x_wanted = p_wanted + n;
        memcpy(r_kept, r, (size_t)n * sizeof *r);
        for (int64_t i = 0; i < n; i++) {
            x_wanted[i] = fma(alpha, p[i], x[i]);
            p_wanted[i] = fma(beta, p[i], r[i]);
        }
        threads_use(thread_counts[k % THREAD_COUNTS]);
        expect_ok(space->operations->axpy_xpby(space, n, &alpha, &beta, r, p, x, &error), &error);
        ck_assert_mem_eq(r, r_kept, (size_t)n * sizeof *r);
        ck_assert_mem_eq(p, p_wanted, (size_t)n * sizeof *p);
        ck_assert_mem_eq(x, x_wanted, (size_t)n * sizeof *x);
        for (int64_t i = 0; i < n; i++)
            x_wanted[i] = fma(-0.3, p[i], x[i]);
        expect_ok(space->operations->axpy(space, n, -0.3, p, x, &error), &error);
        ck_assert_mem_eq(x, x_wanted, (size_t)n * sizeof *x);
        memory_free(r);
    }
    space->operations->destroy(space);
}
END_TEST

/* Wherever it stands, in a whole tile or in the rest. */
START_TEST(not_a_number_is_not_lost)
{
    enum { N = 1000 };
    double ones[N], v[N];
    for (int i = 0; i < N; i++)
        ones[i] = v[i] = 1;
    for (int r = 0; r < KINDS; r++) {
        struct space *space = create(all_reductions[r]);
        for (int i = 0; i < N; i += 37) {
            v[i] = NAN;
            ck_assert(isnan(dot(space, N, ones, v)) && isnan(dot(space, N, v, v)));
            v[i] = 1e200;
            ck_assert(!isfinite(dot(space, N, v, v)));
            v[i] = 1;
        }
        ck_assert(dot(space, N, ones, v) == N);
        space->operations->destroy(space);
    }
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct space *space;
    enum status status = space_cpu_create(*(enum reductions *)context, &space, error);
    if (status) {
        ck_assert_ptr_null(space);
        return status;
    }
    double one = 1, result, *v, *w = NULL;
    status = space->operations->allocate(space, 3, "the vector v", &v, error);
    if (!status)
        status = space->operations->allocate(space, 2000, "the vector w", &w, error);
    if (!status)
        status = space->operations->dot(space, 1, &one, &one, &result, error);
    if (!status) /* more tiles than the first dot made room for */
        status = space->operations->fill(space, 2000, 1, w, error);
    if (!status)
        status = space->operations->dot(space, 2000, w, w, &result, error);
    if (!status)
        ck_assert(result == 2000);
    space->operations->release(space, v);
    space->operations->release(space, w);
    space->operations->destroy(space);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    for (int r = 0; r < KINDS; r++)
        walk_allocation_failures(attempt, (void *)&all_reductions[r]);
    struct error error;
    struct space *space = create(REDUCTIONS_BLAS);
    double *v;
    expect_error(space->operations->allocate(space, INT64_MAX, "the vector r", &v, &error),
                 STATUS_MEMORY, &error, "the vector r", NULL);
    ck_assert_ptr_null(v);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {copies_are_complete,
                            dots_are_right,
                            reproducible_dots_follow_the_order,
                            the_bits_are_pinned,
                            compensated_dots_survive_cancellation,
                            fused_norms_are_the_separate_ones,
                            recurrences_are_two_updates_and_a_norm,
                            steps_of_minimal_residuals,
                            steps_are_two_fused_operations,
                            not_a_number_is_not_lost,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("space/cpu", tests);
}
