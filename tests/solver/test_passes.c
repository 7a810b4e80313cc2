/* The passes of conjugate gradients, of minimal residuals and of the recurrence on the CPU: as
 * their headers write them, one operation a line, in every kind of reduction and number of
 * threads. */
#include "support.h"

#include "solver/cg/passes.h"
#include "solver/drift.h"
#include "solver/minres/passes.h"
#include "solver/minres/preconditioned_passes.h"
#include "solver/recurrence.h"
#include "space/exact.h"
#include "space/trials.h"
#include "spaces.h"

#include <math.h>
#include <string.h>

static const double bad[] = {0, -1, INFINITY, NAN};

/* r = fma(-alpha, q, r) with the quotient rounded once, and the norm of the new r: the bits of the
 * separate dot, where a dot has bits of its own. A curvature that must not be divided by leaves r
 * as it is, and its norm is taken all the same. */
static void residual_and_norm(struct space *space, int64_t n, double curvature, uint64_t *state)
{
    double *q = vector(n), *r = vector(n), *wanted = vector(n), *kept = vector(n);
    struct cg_scalars s = {.rho = 1 + test_random(state), .curvature = 3, .residual_squared = NAN};
    struct cg_vectors v = {.r = r, .q = q, .z = kept, .scalars = &s};
    randomise(q, n, state);
    randomise(r, n, state);
    memcpy(kept, q, (size_t)n * sizeof *q);
    double alpha = s.rho / s.curvature;
    for (int64_t i = 0; i < n; i++)
        wanted[i] = fma(-alpha, q[i], r[i]);
    struct cg_scalars then = s;
    run_pass(space, &cg_residual, n, &v);
    ck_assert_mem_eq(r, wanted, (size_t)n * sizeof *r);
    ck_assert_mem_eq(q, kept, (size_t)n * sizeof *q);
    expect_sum(space, n, r, r, s.residual_squared);
    then.residual_squared = s.residual_squared; /* with an M, no other scalar moves */
    ck_assert_mem_eq(&s, &then, sizeof s);
    s.curvature = curvature;
    s.residual_squared = NAN;
    run_pass(space, &cg_residual, n, &v);
    ck_assert_mem_eq(r, wanted, (size_t)n * sizeof *r);
    expect_sum(space, n, r, r, s.residual_squared);
    memory_free(q);
    memory_free(r);
    memory_free(wanted);
    memory_free(kept);
}

START_TEST(residuals_and_their_norms)
{
    uint64_t state = test_seed();
    for (int r = 0; r < KINDS; r++) {
        struct space *space = test_space(SPACE_CPU, all_reductions[r], 1);
        for (int k = 0; k < LENGTHS; k++) {
            test_space_threads(&space, thread_counts[(k + r) % THREAD_COUNTS]);
            residual_and_norm(space, lengths[k], bad[(k + r) % 4], &state);
        }
        space->operations->destroy(space);
    }
}
END_TEST

/* Without an M the norm is the next rho, and the row follows at once; with one it follows by a pass
 * of its own. */
START_TEST(the_next_row_follows_the_norm)
{
    enum { N = 5000 };
    uint64_t state = test_seed();
    static struct solver_rows rows;
    double *q = vector(N), *r = vector(N);
    for (int k = 0; k < 2 * KINDS; k++) {
        struct space *space = test_space(SPACE_CPU, all_reductions[k / 2], 1);
        bool preconditioned = k % 2;
        struct cg_scalars s = {.loop = {.max_iterations = 9, .rows = &rows, .iteration = 3},
                               .preconditioned = preconditioned,
                               .rho = 1 + test_random(&state),
                               .curvature = 3,
                               .next_rho = preconditioned ? 0.5 : NAN,
                               .residual_squared = NAN,
                               .xx = 1,
                               .xp = 2,
                               .pp = 3};
        struct cg_scalars then = s;
        struct cg_vectors v = {.r = r, .q = q, .z = preconditioned ? q : NULL, .scalars = &s};
        test_space_threads(&space, thread_counts[k % THREAD_COUNTS]);
        randomise(q, N, &state);
        randomise(r, N, &state);
        run_pass(space, &cg_residual, N, &v);
        double norm = preconditioned ? s.residual_squared : s.rho; /* rho = next_rho by now */
        expect_sum(space, N, r, r, norm);
        ck_assert_int_eq(s.loop.iteration, preconditioned ? 3 : 4);
        if (preconditioned)
            run_pass(space, &cg_advance, N, &v);
        *(preconditioned ? &then.residual_squared : &then.next_rho) = norm;
        cg_scalars_advance(&then);
        ck_assert_mem_eq(&s, &then, sizeof s);
        space->operations->destroy(space);
    }
    memory_free(q);
    memory_free(r);
}
END_TEST

/* Whatever the vectors are; and where the curvature is zero, negative, infinite or NaN, r stays as
 * it is, and its norm is taken all the same. */
START_TEST(norms_are_exact)
{
    enum { N = 5003 };
    uint64_t state = test_seed();
    double *q = vector(N), *r = vector(N), *wanted = vector(N);
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_EXACT, 1);
    for (enum exact_kind kind = 0; kind < EXACT_KINDS; kind++) {
        if (kind == EXACT_FULL) /* its norm is infinite */
            continue;
        for (int t = 0; t < THREAD_COUNTS; t++) {
            struct cg_scalars s = {.rho = 1 + test_random(&state), .curvature = 3};
            struct cg_vectors v = {.r = r, .q = q, .z = q, .scalars = &s};
            s.residual_squared = NAN;
            test_space_threads(&space, thread_counts[t]);
            exact_vectors(kind, N, q, r, &state);
            for (int64_t i = 0; i < N; i++)
                wanted[i] = fma(-(s.rho / s.curvature), q[i], r[i]);
            run_pass(space, &cg_residual, N, &v);
            ck_assert_mem_eq(r, wanted, N * sizeof *r);
            expect_bits(s.residual_squared, exact_reference(N, r, r), "fused norm", N, (int)kind);
            s.curvature = bad[t];
            s.residual_squared = NAN;
            run_pass(space, &cg_residual, N, &v);
            ck_assert_mem_eq(r, wanted, N * sizeof *r);
            expect_bits(s.residual_squared, exact_reference(N, r, r), "norm alone", N, (int)kind);
        }
    }
    space->operations->destroy(space);
    memory_free(q);
    memory_free(r);
    memory_free(wanted);
}
END_TEST

/* Along r, or along z = M^-1 r. */
START_TEST(directions_are_two_fused_operations)
{
    uint64_t state = test_seed();
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    for (int k = 0; k < 2 * LENGTHS; k++) {
        int64_t n = lengths[k / 2];
        double *r = vector(6 * n), *p = r + n, *x = p + n;
        struct cg_scalars s = {.alpha = 1 + test_random(&state), .beta = test_random(&state)};
        randomise(r, 3 * n, &state);
        double *r_kept = x + n, *p_wanted = r_kept + n, *x_wanted = p_wanted + n;
        memcpy(r_kept, r, (size_t)n * sizeof *r);
        for (int64_t i = 0; i < n; i++) {
            x_wanted[i] = fma(s.alpha, p[i], x[i]);
            p_wanted[i] = fma(s.beta, p[i], r[i]);
        }
        struct cg_vectors v = {.x = x, .r = r, .p = p, .scalars = &s};
        if (k % 2) { /* then r is not read */
            v.z = r;
            v.r = NULL;
        }
        test_space_threads(&space, thread_counts[k % THREAD_COUNTS]);
        run_pass(space, &cg_direction, n, &v);
        ck_assert_mem_eq(r, r_kept, (size_t)n * sizeof *r);
        ck_assert_mem_eq(p, p_wanted, (size_t)n * sizeof *p);
        ck_assert_mem_eq(x, x_wanted, (size_t)n * sizeof *x);
        memory_free(r);
    }
    space->operations->destroy(space);
}
END_TEST

/* Two updates and a norm at once are the same three one by one, in every kind of reduction. */
START_TEST(recurrences_are_two_updates_and_a_norm)
{
    uint64_t state = test_seed();
    double *x = vector(LONGEST), *u = vector(LONGEST), *y = vector(LONGEST), *v = vector(LONGEST);
    for (int k = 0; k < LENGTHS * KINDS; k++) {
        int64_t n = lengths[k / KINDS];
        int threads = thread_counts[k % THREAD_COUNTS];
        struct space *space = test_space(SPACE_CPU, all_reductions[k % KINDS], 1);
        double a = 2 * test_random(&state) - 1, b = 2 * test_random(&state) - 1;
        double squared = NAN;
        bool two = k % 3 > 0;
        randomise(x, n, &state);
        randomise(u, n, &state);
        randomise(y, n, &state);
        for (int64_t i = 0; i < n; i++)
            v[i] = two ? fma(-b, u[i], fma(-a, x[i], y[i])) : fma(-a, x[i], y[i]);
        test_space_threads(&space, space->reductions == REDUCTIONS_ATOMIC ? 1 : threads);
        struct recurrence work = {&a, x, two ? &b : NULL, two ? u : NULL, y, &squared};
        run_pass(space, two ? &two_terms : &one_term, n, &work);
        ck_assert_mem_eq(y, v, (size_t)n * sizeof *y);
        expect_bits(squared, dot(space, n, v, v), "a recurrence's norm", n, threads);
        space->operations->destroy(space);
    }
    memory_free(x);
    memory_free(u);
    memory_free(y);
    memory_free(v);
}
END_TEST

/* One operation a line, where the scalars say that the vectors move; else nothing does. The step of
 * the row that ends the iteration is done. */
START_TEST(steps_of_minimal_residuals)
{
    uint64_t state = test_seed();
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    static struct solver_rows rows;
    for (int k = 0; k < 4 * LENGTHS; k++) {
        int64_t n = lengths[k / 4];
        bool symmetric = k % 2 == 0, moves = k % 4 != 2, ends = k % 4 == 3;
        double *v = vector(9 * n), *before = v + n, *d = before + n, *x = d + n, *w = x + n;
        double *next = w + n, *d_wanted = next + n, *x_wanted = d_wanted + n;
        double *next_wanted = x_wanted + n;
        struct minres_scalars s = {.loop = {.tolerance = 1e-300, .rows = &rows}};
        s.loop.iteration = 1;
        s.loop.max_iterations = ends ? 2 : 9;
        s.phi = s.loop.rhs_norm = s.scale = 2;
        s.cosine = s.cosine_before = 0.6;
        s.sine = s.sine_before = 0.8;
        s.upper = 0.3;
        s.alpha = test_random(&state) - 2;
        s.norm_squared = 1 + test_random(&state);
        s.loop.ended = !moves;
        randomise(v, 6 * n, &state);
        memcpy(d_wanted, d, (size_t)n * sizeof *d);
        memcpy(x_wanted, x, (size_t)n * sizeof *d);
        memcpy(next_wanted, next, (size_t)n * sizeof *d);
        struct minres_scalars then = s;
        minres_scalars_advance(&then);
        ck_assert(then.moves == moves && then.loop.ended == (!moves || ends));
        for (int64_t i = 0; i < n && then.moves; i++) {
            double part = symmetric ? fma(-then.delta, before[i], v[i]) : v[i];
            d_wanted[i] = fma(-then.epsilon, d[i], part) * then.inverse_gamma;
            x_wanted[i] = fma(then.tau, d_wanted[i], x[i]);
            next_wanted[i] = w[i] * then.inverse_beta;
        }
        struct minres_vectors on = {v, symmetric ? before : NULL, d, x, w, next, &s};
        test_space_threads(&space, thread_counts[k % THREAD_COUNTS]);
        space->ended = &s.loop.ended;
        run_pass(space, &minres_advance, n, &on);
        ck_assert_mem_eq(&s, &then, sizeof s);
        run_pass(space, symmetric ? &minres_step : &minres_skew_step, n, &on);
        ck_assert_mem_eq(d, d_wanted, (size_t)n * sizeof *d);
        ck_assert_mem_eq(x, x_wanted, (size_t)n * sizeof *d);
        ck_assert_mem_eq(next, next_wanted, (size_t)n * sizeof *d);
        ck_assert_mem_eq(&s, &then, sizeof s);
        memory_free(v);
    }
    space->operations->destroy(space);
}
END_TEST

/* With a preconditioner: y of three terms and the norm of q, which stays; then d, x and r, three
 * norms, and the row that follows from these. */
START_TEST(steps_of_preconditioned_minimal_residuals)
{
    uint64_t state = test_seed();
    static struct solver_rows rows;
    for (int k = 0; k < LENGTHS * KINDS; k++) {
        int64_t n = lengths[k / KINDS];
        struct space *space = test_space(SPACE_CPU, all_reductions[k % KINDS], 1);
        double *z = vector(12 * n), *q = z + n, *y = q + n, *next = y + n, *before = next + n;
        double *d = before + n, *x = d + n, *r = x + n, *kept = r + n;
        struct minres_preconditioned_scalars s = {
            .zq = test_random(&state), .scale = 0.5 + test_random(&state), .back = 0.3};
        s.qq = s.zz = s.residual_squared = s.of.xx = NAN;
        s.of.loop.rows = &rows;
        s.of.loop.iteration = 2;
        s.of.loop.max_iterations = 9;
        s.of.delta = 0.3;
        s.of.epsilon = 0.2 + test_random(&state);
        s.of.inverse_gamma = 0.7;
        s.of.inverse_beta = 0.9;
        s.of.tau = 0.5 + test_random(&state);
        s.of.sine = 0.6;
        s.of.phi = s.of.upper = 1.5;
        randomise(z, 8 * n, &state);
        memcpy(kept, d, (size_t)(3 * n) * sizeof *d); /* d, x and r */
        memcpy(kept + 3 * n, next, (size_t)n * sizeof *d);
        struct minres_preconditioned work = {z, q, y, next, before, d, x, r, &s};
        test_space_threads(
            &space, space->reductions == REDUCTIONS_ATOMIC ? 1 : thread_counts[k % THREAD_COUNTS]);
        run_pass(space, &minres_lanczos, n, &work);
        double share = s.zq * s.scale * s.scale * s.scale;
        for (int64_t i = 0; i < n; i++)
            ck_assert(next[i] == fma(-s.back, kept[3 * n + i], fma(-share, y[i], s.scale * q[i])));
        expect_sum(space, n, q, q, s.qq);
        struct minres_preconditioned_scalars then = s;
        run_pass(space, &minres_follow, n, &work);
        for (int64_t i = 0; i < n; i++) {
            double part = fma(-then.of.delta, before[i], z[i] * then.scale);
            double wanted = fma(-then.of.epsilon, kept[i], part) * then.of.inverse_gamma;
            ck_assert(d[i] == wanted);
            ck_assert(x[i] == fma(then.of.tau, wanted, kept[n + i]));
            ck_assert(r[i] == fma(-(then.of.tau * then.of.inverse_gamma), next[i],
                                  then.of.sine * then.of.sine * kept[2 * n + i]));
        }
        expect_sum(space, n, r, r, s.residual_squared);
        expect_sum(space, n, x, x, s.of.xx);
        expect_sum(space, n, z, z, s.zz);
        then.residual_squared = s.residual_squared;
        then.of.xx = s.of.xx;
        then.zz = s.zz;
        minres_preconditioned_finish(&then);
        ck_assert_mem_eq(&s, &then, sizeof s);
        memory_free(z);
        space->operations->destroy(space);
    }
}
END_TEST

/* r without its parts along null vectors where they are large enough; else r stays. */
START_TEST(a_drift_is_taken_off)
{
    enum { MOST = 3001 };
    uint64_t state = test_seed();
    double *q[DRIFT_VECTORS], *r = vector(MOST), *kept = vector(MOST);
    for (int k = 0; k < DRIFT_VECTORS; k++)
        q[k] = vector(MOST);
    for (int t = 0; t < 6 * KINDS; t++) {
        struct space *space =
            test_space(SPACE_CPU, all_reductions[t % KINDS], thread_counts[t % THREAD_COUNTS]);
        int64_t n = 1 + (int64_t)test_random_below(&state, MOST);
        struct drift_sums sums;
        struct drift work = {.count = 1 + t % DRIFT_VECTORS, .r = r, .scalars = &sums};
        double along = 0;
        randomise(r, n, &state);
        memcpy(kept, r, (size_t)n * sizeof *r);
        for (int k = 0; k < work.count; k++) {
            randomise(q[k], n, &state);
            work.q[k] = q[k];
        }
        sums.square = test_random(&state);
        for (int k = 0; k < DRIFT_VECTORS; k++) { /* of more vectors than there are, too */
            sums.along[k] = k < work.count ? test_random(&state) - 0.5 : NAN;
            along = k < work.count ? fma(sums.along[k], sums.along[k], along) : along;
        }
        work.most = t % 3 == 0 ? INFINITY : along / sums.square * (1 + 1e-14);
        run_pass(space, &drift_removal, n, &work);
        ck_assert_mem_eq(r, kept, (size_t)n * sizeof *r);
        work.most = along / sums.square * (1 - 1e-14);
        run_pass(space, &drift_removal, n, &work);
        for (int64_t i = 0; i < n; i++) {
            for (int k = 0; k < work.count; k++)
                kept[i] = fma(-sums.along[k], q[k][i], kept[i]);
            ck_assert(r[i] == kept[i]);
        }
        space->operations->destroy(space);
    }
    for (int k = 0; k < DRIFT_VECTORS; k++)
        memory_free(q[k]);
    memory_free(r);
    memory_free(kept);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {residuals_and_their_norms,
                            the_next_row_follows_the_norm,
                            norms_are_exact,
                            directions_are_two_fused_operations,
                            recurrences_are_two_updates_and_a_norm,
                            steps_of_minimal_residuals,
                            steps_of_preconditioned_minimal_residuals,
                            a_drift_is_taken_off,
                            NULL};
    return suite_of("solver/passes", tests);
}
