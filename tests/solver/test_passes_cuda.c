/* The passes of conjugate gradients, of minimal residuals and of the recurrence on a GPU: the bits
 * of the CPU's. */
#include "support.h"

#include "cuda_device.h"
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

static void *put_bytes(struct space *space, int64_t bytes, const void *host)
{
    struct error error;
    void *there;
    const struct space_operations *d = space->operations;
    expect_ok(d->allocate(space, bytes, 1, "scalars", &there, &error), &error);
    expect_ok(d->upload(space, bytes, host, there, &error), &error);
    return there;
}

static void get(struct space *space, int64_t n, const double *v, double *host)
{
    struct error error;
    expect_ok(space_download(space, n, v, host, &error), &error);
}

/* Every pass on vectors of n elements, one after the other: out[3 n + 3] are r, p, x and the
 * sums. */
static void passes(struct space *space, int64_t n, int64_t seed, double *out)
{
    double *there[4], unset[2] = {NAN, NAN}, ab[2] = {0.7, 0.2};
    for (int k = 0; k < 4; k++) {
        double *host = randoms(n, seed + k);
        there[k] = put(space, n, host);
        memory_free(host);
    }
    struct cg_scalars scalars = {
        .rho = 0.7, .curvature = 3.1, .alpha = 0.7, .beta = 0.2, .residual_squared = NAN};
    struct cg_scalars *s = put_bytes(space, sizeof scalars, &scalars);
    double *sums = put(space, 2, unset), *a = put(space, 2, ab), *b = a + 1;
    double *q = there[0], *r = there[1], *p = there[2], *x = there[3];
    struct cg_vectors with_M = {x, r, p, q, r, s}, along_r = {x, r, p, q, NULL, s};
    run_pass(space, &cg_residual, n, &with_M);
    run_pass(space, &cg_direction, n, &along_r);
    run_pass(space, &cg_direction, n, &(struct cg_vectors){x, NULL, p, q, q, s});
    struct recurrence two = {a, p, b, x, r, sums}, one = {b, x, NULL, NULL, r, sums + 1};
    run_pass(space, &two_terms, n, &two);
    run_pass(space, &one_term, n, &one);
    struct drift_sums of = {1, {0.4, -0.2}};
    struct drift drift = {
        .count = 2, .q = {q, x}, .r = r, .scalars = put_bytes(space, sizeof of, &of)};
    run_pass(space, &drift_removal, n, &drift);
    get(space, n, r, out);
    get(space, n, p, out + n);
    get(space, n, x, out + 2 * n);
    get(space, 2, sums, out + 3 * n);
    get(space, 1, &s->residual_squared, out + 3 * n + 2);
    space_release(space, drift.scalars);
    for (int k = 0; k < 4; k++)
        space_release(space, there[k]);
    space_release(space, s);
    space_release(space, sums);
    space_release(space, a);
}

START_TEST(same_bits_as_the_cpu)
{
    if (cuda_device_is_there())
        compare_all_with_cpu(&(struct trial){passes, 3, 3, 16});
}
END_TEST

enum { CG_WORDS = sizeof(struct cg_scalars) / sizeof(double) };

/* Without an M: two rows of conjugate gradients, each made by the pass that takes the norm, and one
 * made by a pass of its own: out[2 n + CG_WORDS] are r, x and the scalars, but for the address of
 * the rows. */
static void rows_of_cg(struct space *space, int64_t n, int64_t seed, double *out)
{
    struct error error;
    const struct space_operations *d = space->operations;
    struct solver_rows *rows;
    double *there[4];
    for (int k = 0; k < 4; k++) {
        double *host = randoms(n, seed + k);
        there[k] = put(space, n, host);
        memory_free(host);
    }
    expect_ok(d->allocate_shared(space, sizeof *rows, "the rows", (void **)&rows, &error), &error);
    struct cg_scalars scalars = {
        .loop = {.tolerance = 1e-300, .max_iterations = 9, .rows = rows, .iteration = -1},
        .rho = 0.7,
        .curvature = 31};
    struct cg_scalars *s = put_bytes(space, sizeof scalars, &scalars);
    struct cg_vectors v = {there[3], there[1], there[2], there[0], NULL, s};
    run_pass(space, &cg_advance, n, &v);
    for (int k = 0; k < 2; k++) {
        run_pass(space, &cg_residual, n, &v);
        run_pass(space, &cg_direction, n, &v);
    }
    get(space, n, v.r, out);
    get(space, n, v.x, out + n);
    expect_ok(d->download(space, sizeof scalars, s, &scalars, &error), &error);
    ck_assert(scalars.loop.iteration == 2 && !scalars.loop.ended && scalars.loop.rows == rows);
    scalars.loop.rows = NULL;
    memcpy(out + 2 * n, &scalars, sizeof scalars);
    for (int k = 0; k < 4; k++)
        space_release(space, there[k]);
    space_release(space, s);
    d->release_shared(space, rows);
}

START_TEST(rows_are_the_cpu_s)
{
    if (!cuda_device_is_there())
        return;
    const struct trial trial = {rows_of_cg, 2, CG_WORDS, INFINITY};
    compare_with_cpu(REDUCTIONS_REPRODUCIBLE, true, &trial);
    compare_with_cpu(REDUCTIONS_COMPENSATED, true, &trial);
    compare_with_cpu(REDUCTIONS_EXACT, true, &trial);
}
END_TEST

/* Three steps of minimal residuals, the first with nothing but w, one with d_before and one
 * without: out[5 n] are v, d_before, d, x and v_next. `alpha` and `beta` are those of both later
 * steps. */
static void minres_steps(struct space *space, int64_t n, int64_t seed, double *out)
{
    struct error error;
    const struct space_operations *d = space->operations;
    struct solver_rows *rows;
    double *there[6];
    for (int k = 0; k < 6; k++) {
        double *host = randoms(n, seed + k);
        there[k] = put(space, n, host);
        memory_free(host);
    }
    expect_ok(d->allocate_shared(space, sizeof *rows, "the rows", (void **)&rows, &error), &error);
    struct minres_scalars scalars = {
        .loop = {.tolerance = 1e-8, .max_iterations = 9, .rows = rows, .iteration = -1},
        .alpha = 0.3,

        .norm_squared = 0.7};
    struct minres_scalars *s = put_bytes(space, sizeof scalars, &scalars);
    struct minres_vectors steps[] = {
        {.w = there[4], .v_next = there[0], .scalars = s},
        {there[0], there[1], there[2], there[3], there[4], there[5], s},
        {there[5], NULL, there[1], there[3], there[2], there[0], s}};
    for (int k = 0; k < 3; k++) {
        run_pass(space, &minres_advance, n, &steps[k]);
        run_pass(space, k < 2 ? &minres_step : &minres_skew_step, n, &steps[k]);
    }
    static const int kept[] = {0, 1, 2, 3, 5};
    for (int k = 0; k < 5; k++)
        get(space, n, there[kept[k]], out + k * n);
    expect_ok(d->download(space, sizeof scalars, s, &scalars, &error), &error);
    ck_assert(scalars.loop.iteration == 2 && !scalars.loop.ended && scalars.moves);
    for (int k = 0; k < 6; k++)
        space_release(space, there[k]);
    space_release(space, s);
    d->release_shared(space, rows);
}

START_TEST(steps_of_minimal_residuals_are_the_cpu_s)
{
    if (cuda_device_is_there())
        compare_with_cpu(REDUCTIONS_REPRODUCIBLE, true, &(struct trial){minres_steps, 5, 0, 0});
}
END_TEST

/* With a preconditioner, the products left out: row 0 and two steps; out[6 n + 6] are both y, both
 * d, x, r, the norms and the quotients that follow from them. */
static void preconditioned_steps(struct space *space, int64_t n, int64_t seed, double *out)
{
    struct error error;
    const struct space_operations *d = space->operations;
    struct solver_rows *rows;
    double *there[9];
    for (int k = 0; k < 9; k++) {
        double *host = randoms(n, seed + k);
        there[k] = put(space, n, host);
        memory_free(host);
    }
    expect_ok(d->allocate_shared(space, sizeof *rows, "the rows", (void **)&rows, &error), &error);
    struct minres_preconditioned_scalars scalars = {
        .of = {.loop = {.tolerance = 1e-8, .max_iterations = 9, .rows = rows, .iteration = -1},
               .norm_squared = 0.7},
        .zq = 0.3,
        .residual_squared = 0.5};
    struct minres_preconditioned_scalars *s = put_bytes(space, sizeof scalars, &scalars);
    struct minres_preconditioned steps[] = {
        {there[6], there[7], there[0], there[1], there[2], there[3], there[4], there[5], s},
        {there[8], there[6], there[1], there[0], there[3], there[2], there[4], there[5], s}};
    run_pass(space, &minres_rotate, n, &steps[0]);
    for (int k = 0; k < 2; k++) {
        run_pass(space, &minres_lanczos, n, &steps[k]);
        run_pass(space, &minres_rotate, n, &steps[k]);
        run_pass(space, &minres_follow, n, &steps[k]);
    }
    for (int k = 0; k < 6; k++)
        get(space, n, there[k], out + k * n);
    expect_ok(d->download(space, sizeof scalars, s, &scalars, &error), &error);
    ck_assert(scalars.of.loop.iteration == 2 && !scalars.of.loop.ended && scalars.turns == 2);
    const double numbers[] = {scalars.qq,    scalars.zz,          scalars.residual_squared,
                              scalars.of.xx, scalars.matrix_norm, scalars.back};
    memcpy(out + 6 * n, numbers, sizeof numbers);
    for (int k = 0; k < 9; k++)
        space_release(space, there[k]);
    space_release(space, s);
    d->release_shared(space, rows);
}

START_TEST(preconditioned_steps_are_the_cpu_s)
{
    static const enum reductions ordered[] = {REDUCTIONS_REPRODUCIBLE, REDUCTIONS_COMPENSATED,
                                              REDUCTIONS_EXACT};
    if (!cuda_device_is_there())
        return;
    for (int k = 0; k < 3; k++)
        compare_with_cpu(ordered[k], true, &(struct trial){preconditioned_steps, 6, 6, 0});
}
END_TEST

/* r = y before, and what it and r . r become, with that curvature. */
static double residual(struct space *space, int64_t n, double curvature, const double *x, double *y)
{
    struct cg_scalars scalars = {.rho = 0.7, .curvature = curvature, .residual_squared = NAN};
    struct cg_scalars *s = put_bytes(space, sizeof scalars, &scalars);
    double *q = put(space, n, x), *r = put(space, n, y), norm;
    run_pass(space, &cg_residual, n, &(struct cg_vectors){.r = r, .q = q, .z = q, .scalars = s});
    get(space, n, r, y);
    get(space, 1, &s->residual_squared, &norm);
    space_release(space, s);
    space_release(space, q);
    space_release(space, r);
    return norm;
}

/* Where the curvature is zero, negative, infinite or NaN, r stays as it is; its norm is taken. */
START_TEST(bad_curvatures_move_nothing)
{
    static const double bad[] = {0, -1, INFINITY, NAN};
    enum { N = 1000 };
    for (int k = 0; k < 4 * KINDS; k++)
        for (enum space_kind kind = SPACE_CPU; kind <= SPACE_CUDA; kind++) {
            if (kind == SPACE_CUDA && !cuda_device_is_there())
                return;
            struct space *space = test_space(kind, all_reductions[k / 4], 0);
            struct space *cpu = test_space(SPACE_CPU, all_reductions[k / 4], 1);
            double *q = randoms(N, 2), *r = randoms(N, 1), *kept = randoms(N, 1);
            double norm = residual(space, N, bad[k % 4], q, r);
            ck_assert_mem_eq(r, kept, N * sizeof *r);
            expect_sum(cpu, N, r, r, norm);
            memory_free(q);
            memory_free(r);
            memory_free(kept);
            cpu->operations->destroy(cpu);
            space->operations->destroy(space);
        }
}
END_TEST

/* By every way that a tile of an exact sum can take. */
START_TEST(exact_norms_are_the_cpu_s)
{
    static const int64_t sizes[] = {1,   2,    31,   32,   33,    479,    480,
                                    481, 3839, 3840, 3841, 70001, 1200007};
    enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 1200007 };
    static const double curvatures[] = {3, 0, INFINITY};
    if (!cuda_device_is_there())
        return;
    struct space *cpu = test_space(SPACE_CPU, REDUCTIONS_EXACT, 1);
    struct space *cuda = test_space(SPACE_CUDA, REDUCTIONS_EXACT, 0);
    uint64_t state = test_seed();
    double *q = vector(LARGEST), *r = vector(LARGEST), *there = vector(LARGEST);
    for (enum exact_kind kind = 0; kind < EXACT_KINDS; kind++)
        for (int k = 0; k < (test_is_slow() ? SIZES - 2 : SIZES); k++) {
            int64_t n = sizes[k];
            exact_vectors(kind, n, q, r, &state);
            memcpy(there, r, (size_t)n * sizeof *r);
            double wanted = residual(cpu, n, curvatures[k % 3], q, r);
            double got = residual(cuda, n, curvatures[k % 3], q, there);
            expect_bits(got, wanted, "fused norm", n, (int)kind);
            ck_assert_mem_eq(there, r, (size_t)n * sizeof *r);
        }
    memory_free(q);
    memory_free(r);
    memory_free(there);
    cpu->operations->destroy(cpu);
    cuda->operations->destroy(cuda);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {same_bits_as_the_cpu,
                            rows_are_the_cpu_s,
                            steps_of_minimal_residuals_are_the_cpu_s,
                            preconditioned_steps_are_the_cpu_s,
                            bad_curvatures_move_nothing,
                            exact_norms_are_the_cpu_s,
                            NULL};
    return suite_of("solver/passes_cuda", tests);
}
