/* The CUDA space against the CPU's: the same bits for every operation on vectors and every sum in a
 * written order, and the same residual histories. */
#include "made.h"
#include "support.h"

#include "base/random.h"
#include "cuda_device.h"
#include "rows.h"
#include "solver/cg/cg.h"
#include "solver/minres/minres.h"
#include "solver/solver.h"
#include "space/sum/sum_order.h"
#include "space/trials.h"
#include "spaces.h"
#include "spmv/symmetric/sym_order.h"

#include <math.h>
#include <string.h>

/* Every operation on vectors, one after the other: out[3 n + 2] are two vectors, what a copy and a
 * fill leave of a third, and two sums. */
static void operations(struct space *space, int64_t n, int64_t seed, double *out)
{
    struct error error;
    double unset[2] = {NAN, NAN}, *there[3], *sums = put(space, 2, unset);
    for (int k = 0; k < 3; k++) {
        double *host = randoms(n, seed + k);
        there[k] = put(space, n, host);
        memory_free(host);
    }
    double *x = there[0], *y = there[1], *z = there[2];
    expect_ok(space_dot(space, n, x, y, sums, &error), &error);
    expect_ok(space_axpy(space, n, -0.3, y, x, &error), &error);
    expect_ok(space_copy(space, n, x, z, &error), &error);
    expect_ok(space_fill(space, (n + 1) / 2, 0.7, z, &error), &error);
    expect_ok(space_dot(space, n, x, x, sums + 1, &error), &error);
    for (int k = 0; k < 3; k++) {
        expect_ok(space_download(space, n, there[k], out + k * n, &error), &error);
        space_release(space, there[k]);
    }
    expect_ok(space_download(space, 2, sums, out + 3 * n, &error), &error);
    space_release(space, sums);
}

START_TEST(same_bits_as_the_cpu)
{
    if (cuda_device_is_there())
        compare_all_with_cpu(&(struct trial){operations, 3, 2, 2});
}
END_TEST

/* Around the sizes from which copies go in pieces, and the ends of pieces. */
START_TEST(large_copies)
{
    static const int64_t sizes[] = {1 << 21, (1 << 21) - 1, (1 << 21) + 1, 5 << 19, (7 << 19) - 1};
    if (!cuda_device_is_there())
        return;
    struct space *space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct error error;
        int64_t n = sizes[k];
        double *host = randoms(n, (int64_t)(test_seed() >> 1) + n), *back = vector(n + 1);
        double *x = put(space, n, host), *y = put(space, n, host);
        expect_ok(space_fill(space, n, 0.7, y, &error), &error);
        expect_ok(space_copy(space, n, x, y, &error), &error);
        poison(back, n + 1);
        expect_ok(space_download(space, n, y, back, &error), &error);
        expect_same_vectors(host, back, n, "there and back");
        ck_assert(isnan(back[n]));
        space_release(space, x);
        space_release(space, y);
        memory_free(host);
        memory_free(back);
    }
    space->operations->destroy(space);
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
            struct space *space = test_space(kind, sums[s], 0);
            double *x = put(space, n, host), *dot = put(space, 1, &unset);
            expect_ok(space_dot(space, n, x, x, dot, &error), &error);
            expect_ok(space_download(space, 1, dot, &dots[kind], &error), &error);
            space_release(space, x);
            space_release(space, dot);
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
        struct space *space = test_space(kind, REDUCTIONS_REPRODUCIBLE, 0);
        double unset = NAN, sum = NAN, *dot = put(space, 1, &unset);
        double *x = put(space, N, host[0]), *y = put(space, N, host[1]);
        expect_ok(space_dot(space, N, x, y, dot, &error), &error);
        expect_ok(space_download(space, 1, dot, &sum, &error), &error);
        ck_assert(sum == 0 && !signbit(sum));
        space_release(space, x);
        space_release(space, y);
        space_release(space, dot);
        space->operations->destroy(space);
    }
}
END_TEST

/* ||v||^2. The space also allocates `words` words of shared memory, which must be zeros. */
static double square(struct space *space, int64_t n, const double *v, int64_t words)
{
    struct error error;
    const double unset = NAN;
    double result = NAN;
    int64_t *shared = NULL;
    const struct space_operations *space_do = space->operations;
    expect_ok(space_do->allocate_shared(space, words * (int64_t)sizeof *shared, "words",
                                        (void **)&shared, &error),
              &error);
    for (int64_t k = 0; k < words; k++) {
        ck_assert_int_eq(shared[k], 0);
        shared[k] = -1;
    }
    double *x = put(space, n, v), *sum = put(space, 1, &unset);
    expect_ok(space_dot(space, n, x, x, sum, &error), &error);
    expect_ok(space_download(space, 1, sum, &result, &error), &error);
    space_release(space, x);
    space_release(space, sum);
    space_do->release_shared(space, shared);
    return result;
}

static void follow_each_other(enum reductions reductions, const double *v, int64_t longest)
{
    enum { SPACES = 3 };
    struct space *cpu = test_space(SPACE_CPU, reductions, 1), *cuda[SPACES];
    for (int k = 0; k < SPACES; k++)
        cuda[k] = test_space(SPACE_CUDA, reductions, 0);
    for (int k = 0; k < SPACES; k++) {
        int64_t n = longest >> 5 * k;
        double got = square(cuda[k], n, v, 8 + k);
        expect_near(reductions, n, v, v, got);
        if (reductions != REDUCTIONS_ATOMIC && reductions != REDUCTIONS_BLAS)
            expect_bits(got, square(cpu, n, v, 8), "a square", n, 1);
    }
    for (int k = 0; k < SPACES; k++)
        cuda[k]->operations->destroy(cuda[k]);
    cpu->operations->destroy(cpu);
}

/* A space takes over the stream, memory and scratch of one that ended, whatever its reductions and
 * vectors were, and while more are at work than become idle. */
START_TEST(spaces_follow_each_other)
{
    enum { N = 70001 };
    if (!cuda_device_is_there())
        return;
    double *v = randoms(N, (int64_t)(test_seed() >> 1));
    for (int turn = 0; turn < 3 * KINDS; turn++) {
        follow_each_other(all_reductions[turn % KINDS], v, N);
        if (turn % 4 == 3)
            space_empty_cache();
    }
    memory_free(v);
}
END_TEST

struct rows {
    struct kept_row *row;
    int64_t count;
    const struct method *method;
};

static enum status keep(void *context, const struct event *event, struct error *error)
{
    struct rows *rows = context;
    (void)error;
    ck_assert_int_eq(event->iteration, rows->count);
    rows->row[rows->count++] = row_kept(rows->method, event);
    return STATUS_OK;
}

enum { ROWS = 4000 };

static struct solver_result solve(const struct csr *A, const struct method *method,
                                  const char *kernel, int64_t parameter, enum reductions reductions,
                                  double tolerance, struct rows *rows, double *x)
{
    struct error error;
    const struct kernel *found = kernel_find(kernel);
    struct space *space = test_space(found->space, reductions, 0);
    struct kernel_options options = {{parameter}};
    struct linear_operator spmv;
    expect_ok(operator_create(found, A, &options, space, &spmv, &error), &error);
    double *b = randoms(A->n, 5);
    rows->count = 0;
    struct solver_options wanted = {.method = method,
                                    .tolerance = tolerance,
                                    .max_iterations = ROWS - 1,
                                    .shift = method == &method_skew ? 0.3 : 0};
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = keep, .context = rows};
    struct solver_result result;
    expect_ok(solver_solve(&spmv, A, b, NULL, &wanted, &observer, x, &result, &error), &error);
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
    struct rows cpu = {memory_array(ROWS, sizeof(struct kept_row), "rows", &error), 0, method};
    struct rows cuda = {memory_array(ROWS, sizeof(struct kept_row), "rows", &error), 0, method};
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
    struct poisson3d poisson = {{24, 20, 18}, {1, 1, 1}, 1e3, 0, POISSON3D_DIRICHLET};
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
    expect_ok(problem_create(&problem_convection3d, &convection, &A, &error), &error);
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
                            large_copies,
                            spaces_follow_each_other,
                            three_levels,
                            zero_is_positive,
                            same_histories_as_the_cpu,
                            skew_histories_are_the_cpu_s,
                            NULL};
    return suite_of("space/cuda", tests);
}
