/* The CUDA space against the CPU's: the same bits for every vector operation and every sum in a
 * written order, and the same residual histories. */
#include "support.h"

#include "base/random.h"
#include "cgsolve/cg.h"
#include "cgsolve/minres.h"
#include "cgsolve/solver.h"
#include "cgsolve/sum_order.h"
#include "cuda_device.h"
#include "problem/convection3d.h"
#include "problem/poisson3d.h"
#include "spmv/upper/sym_order.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Below 3000 tiles, 1439520 elements, a warp has its whole tile on its way at once. */
static const int64_t sizes[] = {1,   2,    31,     32,     33,      479,     480,     481,
                                960, 5000, 230400, 230401, 1000003, 1439520, 3932161, 1439521};
enum { SIZES = sizeof sizes / sizeof *sizes };

static struct space *make(enum space_kind kind, enum reductions reductions)
{
    struct error error;
    struct space *space;
    expect_ok(space_create(kind, reductions, &space, &error), &error);
    return space;
}

static double *put(struct space *space, int64_t n, const double *host)
{
    struct error error;
    double *there;
    expect_ok(space->operations->allocate(space, n, "a vector", &there, &error), &error);
    expect_ok(space->operations->upload(space, n, host, there, &error), &error);
    return there;
}

static double *randoms(int64_t n, int64_t seed)
{
    struct error error;
    double *v = memory_array(n, sizeof *v, "a vector", &error);
    ck_assert_ptr_nonnull(v);
    random_vector(seed, n, v);
    return v;
}

/* What a space makes of every operation on vectors of n elements, one after the other: out[3 n + 5]
 * are y, p, x and five sums. */
static void operations(struct space *space, int64_t n, int64_t seed, double *out)
{
    struct error error;
    const struct space_operations *d = space->operations;
    double *host[4], *there[4];
    for (int k = 0; k < 4; k++) {
        host[k] = randoms(n, seed + k);
        there[k] = put(space, n, host[k]);
    }
    double scalars[8] = {0.7, 3.1, 0.2, NAN, NAN, NAN, NAN, NAN}, *s = put(space, 8, scalars);
    double *q = there[0], *y = there[1], *p = there[2], *x = there[3];
    expect_ok(d->dot(space, n, q, y, s + 3, &error), &error);
    expect_ok(d->axmy_norm_squared(space, n, (struct quotient){s, s + 1}, q, y, s + 4, &error),
              &error);
    expect_ok(d->axpy_xpby(space, n, s, s + 2, y, p, x, &error), &error);
    expect_ok(d->axpy(space, n, -0.3, p, x, &error), &error);
    expect_ok(d->dot(space, n, p, p, s + 5, &error), &error);
    expect_ok(d->axmy_axmy_norm_squared(space, n, s, p, s + 2, x, y, s + 6, &error), &error);
    expect_ok(d->axmy_axmy_norm_squared(space, n, s + 2, x, NULL, NULL, y, s + 7, &error), &error);
    expect_ok(d->download(space, n, y, out, &error), &error);
    expect_ok(d->download(space, n, p, out + n, &error), &error);
    expect_ok(d->download(space, n, x, out + 2 * n, &error), &error);
    expect_ok(d->download(space, 5, s + 3, out + 3 * n, &error), &error);
    for (int k = 0; k < 4; k++) {
        memory_free(host[k]);
        d->release(space, there[k]);
    }
    d->release(space, s);
}

enum { MINRES_WORDS = sizeof(struct minres_scalars) / sizeof(double) };

/* Three steps of minimal residuals, the first with nothing but w, one with d_before and one
 * without: out[5 n] are v, d_before, d, x and v_next. `alpha` and `beta` are those of both later
 * steps. */
static void minres_steps(struct space *space, int64_t n, int64_t seed, double *out)
{
    struct error error;
    const struct space_operations *d = space->operations;
    struct solver_rows *rows;
    double *there[6], words[MINRES_WORDS];
    for (int k = 0; k < 6; k++) {
        double *host = randoms(n, seed + k);
        there[k] = put(space, n, host);
        memory_free(host);
    }
    expect_ok(d->allocate_shared(space, sizeof *rows, "the rows", (void **)&rows, &error), &error);
    struct minres_scalars scalars = {.tolerance = 1e-8,
                                     .max_iterations = 9,
                                     .rows = rows,
                                     .alpha = 0.3,
                                     .iteration = -1,
                                     .norm_squared = 0.7};
    memcpy(words, &scalars, sizeof words);
    double *s = put(space, MINRES_WORDS, words);
    struct minres_vectors first = {.w = there[4], .v_next = there[0]};
    struct minres_vectors second = {there[0], there[1], there[2], there[3], there[4], there[5]};
    struct minres_vectors third = {there[5], NULL, there[1], there[3], there[2], there[0]};
    const struct minres_vectors *steps[] = {&first, &second, &third};
    for (int k = 0; k < 3; k++)
        expect_ok(d->minres_step(space, n, steps[k], (struct minres_scalars *)s, &error), &error);
    static const int kept[] = {0, 1, 2, 3, 5};
    for (int k = 0; k < 5; k++)
        expect_ok(d->download(space, n, there[kept[k]], out + k * n, &error), &error);
    expect_ok(d->download(space, MINRES_WORDS, s, words, &error), &error);
    memcpy(&scalars, words, sizeof words);
    ck_assert(scalars.iteration == 2 && !scalars.ended && scalars.moves);
    for (int k = 0; k < 6; k++)
        d->release(space, there[k]);
    d->release(space, s);
    d->release_shared(space, rows);
}

START_TEST(steps_of_minimal_residuals_are_the_cpu_s)
{
    if (!cuda_device_is_there())
        return;
    struct space *cpu = make(SPACE_CPU, REDUCTIONS_REPRODUCIBLE);
    struct space *cuda = make(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE);
    for (int k = 0; k < SIZES; k++) {
        if (test_is_slow() && k >= SIZES - 4)
            continue;
        int64_t n = sizes[k];
        double *expected = randoms(5 * n, 0), *found = randoms(5 * n, 1);
        minres_steps(cpu, n, 200 + k, expected);
        minres_steps(cuda, n, 200 + k, found);
        ck_assert_msg(!memcmp(expected, found, (size_t)(5 * n) * sizeof *found), "n = %d", (int)n);
        memory_free(expected);
        memory_free(found);
    }
    cpu->operations->destroy(cpu);
    cuda->operations->destroy(cuda);
}
END_TEST

static void compare_operations(enum reductions reductions, bool sums_too)
{
    struct space *cpu = make(SPACE_CPU, reductions), *cuda = make(SPACE_CUDA, reductions);
    for (int k = 0; k < SIZES; k++) {
        if (test_is_slow() && k >= SIZES - 4 && k != SIZES - 1)
            continue;
        int64_t n = sizes[k], count = 3 * n + 5;
        double *expected = randoms(count, 0), *found = randoms(count, 1);
        operations(cpu, n, 100 + k, expected);
        for (int repeat = 0; repeat < (test_is_slow() ? 1 : 3); repeat++) {
            operations(cuda, n, 100 + k, found);
            int64_t exact = sums_too ? count : 3 * n;
            for (int64_t i = 0; i < exact; i++)
                if (memcmp(&expected[i], &found[i], sizeof *found) != 0)
                    ck_abort_msg("n = %d, place %d: CPU %a, GPU %a", (int)n, (int)i, expected[i],
                                 found[i]);
            for (int64_t i = 3 * n; i < count; i++) /* sums in another order: n u, generously */
                ck_assert_msg(fabs(expected[i] - found[i]) <=
                                  2 * (double)n * DBL_EPSILON * (double)n,
                              "n = %d: CPU %a, GPU %a", (int)n, expected[i], found[i]);
        }
        memory_free(expected);
        memory_free(found);
    }
    cpu->operations->destroy(cpu);
    cuda->operations->destroy(cuda);
}

START_TEST(same_bits_as_the_cpu)
{
    if (!cuda_device_is_there())
        return;
    compare_operations(REDUCTIONS_REPRODUCIBLE, true);
    compare_operations(REDUCTIONS_COMPENSATED, true);
    compare_operations(REDUCTIONS_EXACT, true);
    compare_operations(REDUCTIONS_ATOMIC, false);
    compare_operations(REDUCTIONS_BLAS, false);
}
END_TEST

/* So many tiles that their sums are summed in three levels: SUM_TILE^3 elements, and one. */
START_TEST(three_levels)
{
    if (test_is_slow() || !cuda_device_is_there())
        return;
    const int64_t n = (int64_t)SUM_TILE * SUM_TILE * SUM_TILE + 1;
    static const enum reductions sums[] = {REDUCTIONS_REPRODUCIBLE, REDUCTIONS_COMPENSATED};
    double *host = randoms(n, 4);
    for (int s = 0; s < 2; s++) {
        const double unset = NAN;
        double dots[2];
        for (enum space_kind kind = SPACE_CPU; kind <= SPACE_CUDA; kind++) {
            struct error error;
            struct space *space = make(kind, sums[s]);
            double *x = put(space, n, host), *dot = put(space, 1, &unset);
            expect_ok(space->operations->dot(space, n, x, x, dot, &error), &error);
            expect_ok(space->operations->download(space, 1, dot, &dots[kind], &error), &error);
            space->operations->release(space, x);
            space->operations->release(space, dot);
            space->operations->destroy(space);
        }
        ck_assert_msg(dots[SPACE_CPU] == dots[SPACE_CUDA], "CPU %a, GPU %a", dots[SPACE_CPU],
                      dots[SPACE_CUDA]);
    }
    memory_free(host);
}
END_TEST

/* Products that underflow to -0 in every lane of a single tile. */
START_TEST(zero_is_positive)
{
    enum { N = 32 };
    double host[2][N];
    for (int i = 0; i < N; i++) {
        host[0][i] = -1e-200;
        host[1][i] = 1e-200;
    }
    for (enum space_kind kind = SPACE_CPU; kind <= SPACE_CUDA; kind++) {
        if (kind == SPACE_CUDA && !cuda_device_is_there())
            return;
        struct error error;
        struct space *space = make(kind, REDUCTIONS_REPRODUCIBLE);
        double unset = NAN, sum = NAN, *dot = put(space, 1, &unset);
        double *x = put(space, N, host[0]), *y = put(space, N, host[1]);
        expect_ok(space->operations->dot(space, N, x, y, dot, &error), &error);
        expect_ok(space->operations->download(space, 1, dot, &sum, &error), &error);
        ck_assert(sum == 0 && !signbit(sum));
        space->operations->release(space, x);
        space->operations->release(space, y);
        space->operations->release(space, dot);
        space->operations->destroy(space);
    }
}
END_TEST

/* Where the denominator is zero, negative, infinite or NaN, the vectors stay as they are. */
START_TEST(bad_quotients_move_nothing)
{
    static const double bad[] = {0, -1, INFINITY, NAN};
    enum { N = 1000 };
    for (enum space_kind kind = SPACE_CPU; kind <= SPACE_CUDA; kind++) {
        if (kind == SPACE_CUDA && !cuda_device_is_there())
            return;
        struct space *space = make(kind, REDUCTIONS_REPRODUCIBLE);
        const struct space_operations *d = space->operations;
        struct error error;
        double *host = randoms(N, 1), *back = randoms(N, 2), sum, norm;
        for (int k = 0; k < 4; k++) {
            double scalars[4] = {1, bad[k], NAN, NAN}, *s = put(space, 4, scalars);
            double *q = put(space, N, back), *y = put(space, N, host);
            struct quotient a = {s, s + 1};
            expect_ok(d->dot(space, N, y, y, s + 2, &error), &error);
            expect_ok(d->axmy_norm_squared(space, N, a, q, y, s + 3, &error), &error);
            expect_ok(d->download(space, 1, s + 2, &sum, &error), &error);
            expect_ok(d->download(space, 1, s + 3, &norm, &error), &error);
            ck_assert(sum == norm);
            double *seen = randoms(N, 3);
            expect_ok(d->download(space, N, y, seen, &error), &error);
            ck_assert_int_eq(memcmp(seen, host, N * sizeof *host), 0);
            memory_free(seen);
            d->release(space, s);
            d->release(space, q);
            d->release(space, y);
        }
        memory_free(host);
        memory_free(back);
        d->destroy(space);
    }
}
END_TEST

struct rows {
    struct history_row *row;
    int64_t count;
};

static enum status keep(void *context, const struct history_row *row, struct error *error)
{
    struct rows *rows = context;
    (void)error;
    ck_assert_int_eq(row->iteration, rows->count);
    rows->row[rows->count++] = *row;
    return STATUS_OK;
}

enum { ROWS = 4000 };

static struct solver_result solve(const struct csr *A, const struct method *method,
                                  const char *kernel, int64_t parameter, enum reductions reductions,
                                  double tolerance, struct rows *rows, double *x)
{
    struct error error;
    const struct kernel *found = kernel_find(kernel);
    struct space *space = make(found->space, reductions);
    struct kernel_options options = {{parameter}};
    struct linear_operator spmv;
    expect_ok(operator_create(found, A, &options, space, &spmv, &error), &error);
    double *b = randoms(A->n, 5);
    rows->count = 0;
    struct solver_options wanted = {.method = method,
                                    .tolerance = tolerance,
                                    .max_iterations = ROWS - 1,
                                    .shift = method == &method_skew ? 0.3 : 0};
    struct solver_observer observer = {.row = keep, .context = rows};
    struct solver_result result;
    expect_ok(solver_solve(&spmv, A, b, &wanted, &observer, x, &result, &error), &error);
    memory_free(b);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return result;
}

/* What adds in the order of cpu_csr: cuda_csr_subwarp with one thread a row, and cuda_sym_bitwise
 * in any form (0: the matrix chooses). */
static const struct {
    const char *kernel;
    int64_t parameter;
} runs[] = {{"cuda_csr_subwarp", 1},
            {"cuda_csr_subwarp", 1},
            {"cuda_sym_bitwise", SYM_FORM_AUTO},
            {"cuda_sym_bitwise", SYM_FORM_GENERAL},
            {"cuda_sym_bitwise", SYM_FORM_BLOCKS}};
enum { RUNS = sizeof runs / sizeof *runs };

/* History and solution are the CPU's, bit for bit, however the solve ends. */
static void compare_solves(const struct csr *A, const struct method *method, double tolerance,
                           enum reason reason)
{
    struct error error;
    struct rows cpu = {memory_array(ROWS, sizeof(struct history_row), "rows", &error), 0};
    struct rows cuda = {memory_array(ROWS, sizeof(struct history_row), "rows", &error), 0};
    double *x = randoms(A->n, 1), *y = randoms(A->n, 2);
    static const enum reductions sums[] = {REDUCTIONS_REPRODUCIBLE, REDUCTIONS_COMPENSATED,
                                           REDUCTIONS_EXACT};
    for (size_t s = 0; s < sizeof sums / sizeof *sums; s++) {
        struct solver_result expected = solve(A, method, "cpu_csr", 0, sums[s], tolerance, &cpu, x);
        ck_assert_int_eq(expected.reason, reason);
        for (int run = 0; run < RUNS; run++) {
            struct solver_result found = solve(A, method, runs[run].kernel, runs[run].parameter,
                                               sums[s], tolerance, &cuda, y);
            const char *name = runs[run].kernel;
            ck_assert_int_eq(found.reason, reason);
            ck_assert_int_eq(found.iterations, expected.iterations);
            ck_assert_int_eq(cuda.count, cpu.count);
            for (int64_t k = 0; k < cpu.count; k++)
                ck_assert_msg(cpu.row[k].residual == cuda.row[k].residual,
                              "%s, row %d: CPU %a, GPU %a", name, (int)k, cpu.row[k].residual,
                              cuda.row[k].residual);
            ck_assert_msg(memcmp(x, y, (size_t)A->n * sizeof *x) == 0, "%s: another x", name);
            ck_assert(found.true_residual == expected.true_residual);
            ck_assert(method != &method_cg || found.curvature == expected.curvature);
        }
    }
    memory_free(cpu.row);
    memory_free(cuda.row);
    memory_free(x);
    memory_free(y);
}

START_TEST(same_histories_as_the_cpu)
{
    if (!cuda_device_is_there())
        return;
    struct error error;
    struct csr A;
    struct poisson3d poisson = {{24, 20, 18}, {1, 1, 1}, 1e3, 0};
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    compare_solves(&A, &method_cg, 0.1, REASON_CONVERGED); /* a few iterations */
    if (!test_is_slow()) {
        compare_solves(&A, &method_cg, 0.05, REASON_CONVERGED);
        compare_solves(&A, &method_cg, 0.5, REASON_CONVERGED);
        compare_solves(&A, &method_cg, 0.9, REASON_CONVERGED);
        compare_solves(&A, &method_cg, 1e-8, REASON_CONVERGED);
        compare_solves(&A, &method_cg, 1e-300, REASON_STAGNATION);
    }
    for (int64_t i = 0; i < A.n; i += 3)
        A.values[A.offsets[i]] = -A.values[A.offsets[i]];
    compare_solves(&A, &method_cg, 1e-8, REASON_NOT_POSITIVE);
    compare_solves(&A, &method_minres, 0.1, REASON_CONVERGED);
    if (!test_is_slow())
        compare_solves(&A, &method_minres, 1e-300, REASON_ITERATION_LIMIT);
    for (int64_t k = 0; k < A.nnz; k++)
        A.values[k] *= 1e200;
    compare_solves(&A, &method_cg, 1e-8, REASON_NOT_POSITIVE);
    csr_free(&A);
}
END_TEST

START_TEST(skew_histories_are_the_cpu_s)
{
    if (!cuda_device_is_there())
        return;
    struct error error;
    struct csr A;
    struct convection3d convection = {{24, 20, 18}, {1, -0.5, 0.3}};
    expect_ok(convection3d_create(&convection, &A, &error), &error);
    compare_solves(&A, &method_skew, 0.1, REASON_CONVERGED);
    compare_solves(&A, &method_skew, 0.05, REASON_CONVERGED);
    if (!test_is_slow())
        compare_solves(&A, &method_skew, 1e-10, REASON_CONVERGED);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {same_bits_as_the_cpu,
                            three_levels,
                            zero_is_positive,
                            bad_quotients_move_nothing,
                            same_histories_as_the_cpu,
                            steps_of_minimal_residuals_are_the_cpu_s,
                            skew_histories_are_the_cpu_s,
                            NULL};
    return suite_of("space/cuda", tests);
}
