/* Singular systems: what is found of A's null space, what becomes of a b in its range and out of
 * it, and that x is the solution of least norm, beside dense ones in long double. */
#include "study/singular.h"

#include "made.h"
#include "matrices.h"
#include "options.h"
#include "ranks.h"
#include "spaces.h"
#include "support.h"

#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "matrix/permute.h"
#include "problem/problem.h"
#include "solver/cg/cg.h"
#include "solver/minres/minres.h"
#include "solver/null_space.h"
#include "solver/richardson/richardson.h"
#include "spmv/lower_rows.h"

#include <math.h>
#include <string.h>

enum { N = SINGULAR_N, COLUMNS = 3 };

static struct singular given;

/* A way to solve. */
struct way {
    const char *kernel;
    const struct method *method;
    const char *M[4]; /* a preconditioner and its options; NULL: none */
    double tolerance;
    enum null_space_use null_space;
    int threads;
    bool started;
    bool kept; /* A makes the rows that it keeps, as those of a rank */
};

static const struct way standard = {"cpu_sym_bitwise", &method_cg, {"none"}, 1e-10,
                                    NULL_SPACE_AUTO,   2,          false,    false};

/* What a solve leaves. */
struct left {
    struct solver_result result[COLUMNS];
    uint64_t history[COLUMNS], solution[COLUMNS];
    double x[COLUMNS * N];
};

struct seen {
    int64_t count;
    double *x;
};

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct seen *seen = context;
    (void)error;
    if (event->kind == EVENT_SOLUTION)
        memcpy(seen->x + event->first, event->values, (size_t)event->count * sizeof(double));
    return STATUS_OK;
}

/* In a space, which is destroyed. */
static enum status try_in(struct space *space, const struct way *way, const struct csr *A,
                          const double *b, const double *x0, int64_t columns, struct left *left,
                          struct error *error)
{
    struct study_kernel results[COLUMNS];
    struct study_entry entry = {.kernel = kernel_find(way->kernel), .label = way->kernel};
    struct seen seen = {columns * A->n, left->x};
    struct observer observer = {.wants = 1u << EVENT_SOLUTION, .see = see, .context = &seen};
    struct solver_options options = {.method = way->method,
                                     .tolerance = way->tolerance,
                                     .max_iterations = 20000,
                                     .relaxation = 0.5, /* a cycle may be too strong by itself */
                                     .null_space = way->null_space};
    struct study_system system = {A, b, NULL, way->started ? x0 : NULL, columns};
    entry.options = kernel_defaults(entry.kernel);
    enum status status = options_create(component_find(COMPONENT_PRECONDITIONER, way->M[0]),
                                        &entry.preconditioner, error);
    for (int k = 1; k < 4 && way->M[k] && !status; k++) {
        char key[32];
        const char *value = strchr(way->M[k], '=');
        snprintf(key, sizeof key, "%.*s", (int)(value - way->M[k]), way->M[k]);
        status = options_set(&entry.preconditioner, key, value + 1, error);
    }
    if (!status)
        status = study_kernel_run(&entry, &system, space, &options, 1, &observer, results, error);
    for (int64_t j = 0; j < columns && !status; j++) {
        left->result[j] = results[j].runs[0].result;
        left->history[j] = results[j].runs[0].history_hash;
        left->solution[j] = results[j].runs[0].solution_hash;
        study_kernel_free(&results[j]);
    }
    options_free(&entry.preconditioner);
    space->operations->destroy(space);
    return status;
}

static enum status try_columns(const struct way *way, const struct csr *A, const double *b,
                               const double *x0, int64_t columns, struct left *left,
                               struct error *error)
{
    struct space *space;
    struct space_options wanted = {.threads = way->threads};
    for (int64_t i = 0; i < COLUMNS * N; i++)
        left->x[i] = NAN;
    enum status status = space_create(SPACE_CPU, &wanted, &space, error);
    return status ? status : try_in(space, way, A, b, x0, columns, left, error);
}

static void solve(const struct way *way, const struct csr *A, const double *b, const double *x0,
                  struct left *left)
{
    struct error error;
    expect_ok(try_columns(way, A, b, x0, 1, left, &error), &error);
}

/* --- the null space --------------------------------------------------------------------------- */

/* The basis is orthonormal, and spans what is known: each has its norm in the other. Row i of the
 * problem is row number[i] there. */
static void expect_space(const struct singular *of, const int32_t *number,
                         const struct null_space *found)
{
    ck_assert_int_eq(found->dimension, of->count);
    for (int64_t k = 0; k < of->count; k++) {
        long double square = 0;
        for (int64_t c = 0; c < found->components; c++)
            for (int64_t a = 0; a < found->width; a++) {
                long double along = 0;
                for (int64_t i = 0; i < found->n; i++)
                    if (null_space_component(found, number[i]) == c)
                        along += null_space_value(found, number[i], a) * of->null[k][i];
                square += along * along;
            }
        ck_assert_double_eq_tol((double)square, 1, 1e-12);
    }
    for (int64_t i = 0; i < found->n; i++)
        for (int64_t j = 0; j < i; j++)
            if (null_space_component(found, number[i]) >= 0 &&
                null_space_component(found, number[j]) >= 0)
                ck_assert((null_space_component(found, number[i]) ==
                           null_space_component(found, number[j])) == (of->part[i] == of->part[j]));
}

/* A is renumbered too: what is given of it follows the problem's numbering. */
START_TEST(null_vectors_are_found)
{
    uint64_t state = test_seed();
    for (int k = 0; k < 24; k++) {
        struct error error;
        struct null_space found;
        bool bodies = k % 3 == 2, each = k % 2;
        int parts = 1 + (int)test_random_below(&state, bodies ? 2 : SINGULAR_PARTS);
        unsigned held = each ? (unsigned)test_random_below(&state, 1 << parts) : 0;
        (bodies ? singular_bodies : singular_graph)(&state, parts, held, &given);
        int32_t *number = test_random_numbering(given.A.n, &state);
        struct csr permuted;
        expect_ok(csr_permute(&given.A, number, &permuted, &error), &error);
        permuted.near_null = given.A.near_null;
        expect_ok(null_space_find(&permuted, number, each, &found, &error), &error);
        expect_space(&given, number, &found);
        null_space_free(&found);
        memory_free(number);
        csr_free(&permuted);
        singular_release(&given);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A row that is tied to the ground leaves nothing to look for, unless each component is wanted; a
 * part that is nearly tied is none that is free. */
START_TEST(matrices_that_are_not_singular)
{
    uint64_t state = test_seed();
    for (int k = 0; k < 12; k++) {
        struct error error;
        struct null_space found;
        bool may;
        singular_graph(&state, 1 + k % SINGULAR_PARTS, ~0u, &given);
        if (k % 2) {
            double *a = &given.A.values[given.A.offsets[test_random_below(&state, given.A.n)]];
            *a *= 1 + 1e-12;
        }
        expect_ok(null_space_find(&given.A, NULL, true, &found, &error), &error);
        ck_assert(found.dimension == 0 && !found.component);
        expect_ok(null_space_may_be(&given.A, given.A.n, NULL, &may, &error), &error);
        ck_assert(!may);
        singular_release(&given);
        singular_graph(&state, 2, 1, &given);
        expect_ok(null_space_find(&given.A, NULL, false, &found, &error), &error);
        ck_assert(found.dimension == 0);
        singular_release(&given);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Rows that read both triangles, as on a device, say of all rows what is known of them; and a part
 * that is tied to the ground is seen. */
START_TEST(rows_of_both_triangles)
{
    uint64_t state = test_seed();
    for (int k = 0; k < 24; k++) {
        struct error error;
        struct csr lower, permuted;
        bool constants, others, bodies = k % 2;
        unsigned held = k % 4 < 2 ? 0 : 1;
        (bodies ? singular_bodies : singular_graph)(&state, 1 + k % 3 % 2, held, &given);
        int32_t *number = test_random_numbering(given.A.n, &state);
        expect_ok(csr_permute(&given.A, number, &permuted, &error), &error);
        permuted.near_null = given.A.near_null;
        expect_ok(lower_rows(&permuted, &lower, &error), &error);
        expect_ok(null_space_look(&permuted, &lower, number, &constants, &others, &error), &error);
        ck_assert(others == (bodies && !held));
        ck_assert(bodies ? constants <= !held : constants == !held);
        csr_free(&lower);
        csr_free(&permuted);
        memory_free(number);
        singular_release(&given);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Not stored; it borrows the options. */
static struct csr neumann(const struct poisson3d *poisson)
{
    const int64_t *n = poisson->n;
    return csr_made(CSR_SYMMETRIC, n[0] * n[1] * n[2], problem_poisson3d.maker, poisson);
}

static void expect_constant(const struct csr *A, int threads, bool each)
{
    struct error error;
    struct null_space found;
    struct threads *before;
    expect_ok(threads_begin(threads, &before, &error), &error);
    expect_ok(null_space_find(A, NULL, each, &found, &error), &error);
    threads_end(before);
    ck_assert(found.dimension == 1 && !found.component && !found.basis);
    ck_assert(found.constant == 1 / sqrt((double)A->n));
    null_space_free(&found);
}

/* Whether its maker says that A is one component, or its entries do; stored or not; by threads
 * whose rows begin anywhere. A part that nothing couples is not said to be one. */
START_TEST(constants_of_one_component)
{
    uint64_t state = test_seed();
    for (int k = 0; k < 8; k++) {
        struct error error;
        struct csr A;
        struct poisson3d poisson = {{0}, {1, 0.3, 1e-3}, k % 2 ? 1e4 : 1, 0, POISSON3D_NEUMANN};
        for (int a = 0; a < 3; a++)
            poisson.n[a] = 1 + (int64_t)test_random_below(&state, 30);
        struct csr made = neumann(&poisson);
        A = made;
        expect_ok(csr_store(&A, &error), &error);
        ck_assert(null_space_is_connected(&A));
        struct csr stored = A;
        stored.maker = NULL;
        for (int threads = 1; threads <= 4; threads++) {
            expect_constant(&A, threads, threads % 2);
            expect_constant(&made, threads, threads % 2);
            expect_constant(&stored, threads, threads % 2);
        }
        double *a = &stored.values[stored.offsets[test_random_below(&state, A.n)]];
        *a += 1e-9;
        struct null_space found;
        expect_ok(null_space_find(&stored, NULL, true, &found, &error), &error);
        ck_assert(found.dimension == 0);
        csr_free(&A);
        poisson.n[k % 3] += 1;
        poisson.weights[k % 3] = 0;
        A = neumann(&poisson);
        expect_ok(csr_store(&A, &error), &error);
        ck_assert(!null_space_is_connected(&A));
        expect_ok(null_space_find(&A, NULL, false, &found, &error), &error);
        ck_assert_int_eq(found.dimension, poisson.n[k % 3]);
        null_space_free(&found);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A projection leaves at most 4 u of ||v|| along each null vector, also of a v that is one, and is
 * the same the second time but for rounding. */
START_TEST(projections_are_exact_to_rounding)
{
    uint64_t state = test_seed();
    for (int k = 0; k < 16; k++) {
        struct error error;
        struct null_space found;
        static double v[N], before[N];
        double removed, norm = 0;
        (k % 2 ? singular_bodies : singular_graph)(&state, 1 + k % 2, 0, &given);
        expect_ok(null_space_find(&given.A, NULL, false, &found, &error), &error);
        for (int64_t i = 0; i < given.A.n; i++) {
            v[i] = before[i] =
                k % 4 < 2 ? test_random(&state) - 0.5 : (double)given.null[0][i] * 1e3;
            norm = hypot(norm, v[i]);
        }
        expect_ok(null_space_project(&found, v, &removed, &error), &error);
        double wanted = (double)singular_project(&given, before);
        ck_assert_double_eq_tol(removed / norm, wanted, 1e-14);
        double left = 0;
        for (int64_t i = 0; i < given.A.n; i++) {
            ck_assert(fabs(v[i] - before[i]) <= 1e-14 * norm);
            left = hypot(left, v[i]);
        }
        expect_ok(null_space_project(&found, v, &removed, &error), &error);
        ck_assert(removed <= 0x1p-50 * (k % 4 < 2 ? norm : left + 1e-13 * norm));
        null_space_free(&found);
        singular_release(&given);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- solutions -------------------------------------------------------------------------------- */

static void fill(uint64_t *state, double *b)
{
    for (int64_t i = 0; i < given.A.n; i++)
        b[i] = 2 * test_random(state) - 1;
}

static double norm_of(const double *v)
{
    double norm = 0;
    for (int64_t i = 0; i < given.A.n; i++)
        norm = hypot(norm, v[i]);
    return norm;
}

/* With G = A + Q Q',  x - x* = G^-1 (A x - b + Q Q'x)  for a b in the range: what the true residual
 * and Q'x are says how near x is. Q'x is rounding: x was projected, and each element of that is
 * rounded twice. */
static void expect_least_norm(const struct way *way, const double *b, const struct left *left)
{
    static long double wanted[N];
    static double in_range[N];
    const struct solver_result *result = &left->result[0];
    memcpy(in_range, b, sizeof in_range);
    double outside = (double)singular_project(&given, in_range), norm = norm_of(in_range);
    ck_assert_msg(result->reason == REASON_CONVERGED, "%s, %s %s %s: %s",
                  way->method->component.name, way->M[0], way->M[1] ? way->M[1] : "",
                  way->M[2] ? way->M[2] : "", reason_name(result->reason));
    ck_assert_int_eq(result->null_vectors, given.count);
    ck_assert_double_eq_tol(result->outside, outside, 1e-14);
    ck_assert(result->projected);
    ck_assert_double_eq_tol(result->rhs_norm, norm, 1e-13 * norm_of(b));
    long double of_inverse = singular_solution(&given, in_range, wanted);
    double along = 16 * 0x1p-53 * norm_of(left->x), off = 0;
    for (int64_t k = 0; k < given.count; k++) {
        long double sum = 0;
        for (int64_t i = 0; i < given.A.n; i++)
            sum += given.null[k][i] * left->x[i];
        ck_assert_msg(fabsl(sum) <= along, "%s: %Lg of %g", way->M[0], sum, along);
    }
    for (int64_t i = 0; i < given.A.n; i++)
        off = hypot(off, (double)(left->x[i] - wanted[i]));
    double most = (double)of_inverse * (1.1 * way->tolerance * norm * (1 + 1e-9) +
                                        sqrt((double)given.count) * along + 1e-15 * norm_of(b));
    ck_assert_msg(off <= most, "%s, %s: %g, not %g", way->method->component.name, way->M[0], off,
                  most);
}

/* Of a free part beside others, with any M, from 0 and from another x_0, and b as it comes. */
START_TEST(solutions_have_the_least_norm)
{
    static const struct method *const methods[] = {&method_cg, &method_minres, &method_richardson};
    static const char *const Ms[][4] = {
        {"none"},
        {"jacobi"},
        {"chebyshev", "degree=4"},
        {"block_jacobi", "block=2"},
        {"multigrid", "coarsest=4"},
        {"multigrid", "coarsest=4", "precision=float"},
        {"multigrid", "coarsest=300"},
        {"multigrid", "coarsest=1", "aggregates=matching", "passes=1"},
    };
    uint64_t state = test_seed();
    static double b[N], x0[N];
    static struct left left;
    for (int k = 0; k < 16; k++) {
        if (!test_case_runs(k, 3))
            continue;
        int parts = 1 + (int)test_random_below(&state, SINGULAR_PARTS);
        bool bodies = k % 4 == 3;
        unsigned held = k % 2 ? 1 : 0;
        parts = bodies ? 2 : parts + (parts == 1 && held);
        (bodies ? singular_bodies : singular_graph)(&state, parts, held, &given);
        for (size_t m = 0; m < sizeof Ms / sizeof *Ms; m++)
            for (int s = 0; s < 3; s++) {
                struct way way = standard;
                way.method = methods[s];
                memcpy(way.M, Ms[m], sizeof way.M);
                way.kernel = m % 2 ? "cpu_csr" : "cpu_sym_bitwise";
                way.null_space = NULL_SPACE_PROJECT;
                way.started = (k + m) % 2;
                way.tolerance = k % 3 ? 1e-8 : 1e-12;
                if (s == 2 && (m < 4 || bodies || way.tolerance < 1e-8)) /* it would diverge */
                    continue;
                fill(&state, b);
                fill(&state, x0);
                solve(&way, &given.A, b, x0, &left);
                expect_least_norm(&way, b, &left);
            }
        singular_release(&given);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- b out of the range ----------------------------------------------------------------------- */

START_TEST(b_out_of_the_range)
{
    uint64_t state = test_seed();
    static double b[N], in_range[N];
    static struct left left;
    for (int k = 0; k < 12; k++) {
        struct error error;
        struct way way = standard;
        (k % 2 ? singular_bodies : singular_graph)(&state, 1 + k % 2, 0, &given);
        fill(&state, b);
        memcpy(in_range, b, sizeof b);
        way.M[0] = k % 3 ? "none" : "multigrid";
        singular_project(&given, in_range);
        solve(&way, &given.A, in_range, NULL, &left); /* all but rounding of it is in the range */
        expect_least_norm(&way, in_range, &left);
        for (int64_t i = 0; i < given.A.n; i++) /* more than the tolerance, and less */
            b[i] = in_range[i] + (double)given.null[0][i] * 1e-6 * norm_of(in_range);
        expect_error(try_columns(&way, &given.A, b, NULL, 1, &left, &error), STATUS_CONFIG, &error,
                     "A is singular", "not in its range", "1e-06 ||b||", "null_space = \"project\"",
                     NULL);
        way.tolerance = 1e-5;
        solve(&way, &given.A, b, NULL, &left);
        expect_least_norm(&way, b, &left);
        way.tolerance = 1e-8;
        way.null_space = NULL_SPACE_PROJECT;
        solve(&way, &given.A, b, NULL, &left);
        expect_least_norm(&way, b, &left);
        way.method = &method_minres; /* which takes any b */
        way.null_space = NULL_SPACE_AUTO;
        solve(&way, &given.A, b, NULL, &left);
        ck_assert_int_eq(left.result[0].null_vectors, given.count);
        ck_assert(!left.result[0].projected && left.result[0].reason != REASON_CONVERGED);
        ck_assert_double_eq_tol(left.result[0].outside, 1e-6, 1e-9);
        ck_assert_msg(left.result[0].true_residual <= 2e-6 * left.result[0].rhs_norm, "%s %s: %g",
                      way.M[0], reason_name(left.result[0].reason),
                      left.result[0].true_residual / left.result[0].rhs_norm);
        way.null_space = NULL_SPACE_NONE;
        solve(&way, &given.A, b, NULL, &left);
        ck_assert_int_eq(left.result[0].null_vectors, 0);
        singular_release(&given);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Nothing of b, or only rounding, is in the range: then x is 0, whatever x_0 is. */
START_TEST(b_in_the_null_space)
{
    uint64_t state = test_seed();
    static double b[N], x0[N];
    static struct left left;
    for (int k = 0; k < 8; k++) {
        struct way way = standard;
        (k % 2 ? singular_bodies : singular_graph)(&state, 1 + k % 2, 0, &given);
        for (int64_t i = 0; i < given.A.n; i++)
            b[i] = k < 4 ? (double)(3 * given.null[0][i] + given.null[given.count - 1][i]) : 0;
        fill(&state, x0);
        way.null_space = NULL_SPACE_PROJECT;
        way.started = k % 4 < 2 && k < 4;
        solve(&way, &given.A, b, x0, &left);
        ck_assert_int_eq(left.result[0].iterations, 0);
        ck_assert_int_eq(left.result[0].reason, REASON_CONVERGED);
        for (int64_t i = 0; i < given.A.n; i++)
            ck_assert(left.x[i] == 0);
        singular_release(&given);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- the same bits ---------------------------------------------------------------------------- */

static void expect_same(const struct left *a, const struct left *b, int64_t columns)
{
    for (int64_t j = 0; j < columns; j++) {
        ck_assert_uint_eq(a->history[j], b->history[j]);
        ck_assert_uint_eq(a->solution[j], b->solution[j]);
        ck_assert(a->result[j].outside == b->result[j].outside);
        ck_assert_int_eq(a->result[j].null_vectors, b->result[j].null_vectors);
        ck_assert(a->result[j].true_residual == b->result[j].true_residual);
    }
}

/* By threads, in columns beside each other and alone, and by every kernel of one order. */
START_TEST(bits_are_the_same)
{
    static const char *const kernels[] = {"cpu_sym_bitwise", "cpu_sym", "cpu_csr", "cpu_merge",
                                          "cpu_sym_exact"};
    uint64_t state = test_seed();
    static double b[COLUMNS * N];
    static struct left left, other;
    for (int k = 0; k < 10; k++) {
        struct error error;
        struct way way = standard;
        way.kernel = kernels[k / 2];
        way.M[0] = k % 2 ? "multigrid" : "jacobi";
        way.M[1] = k % 2 ? "coarsest=8" : NULL;
        way.null_space = NULL_SPACE_PROJECT;
        way.tolerance = k % 3 ? 1e-10 : 1e-17; /* below what rounding leaves: r drifts */
        way.method = k % 4 == 3 ? &method_minres : &method_cg;
        singular_graph(&state, 1 + k % SINGULAR_PARTS, 0, &given);
        for (int64_t i = 0; i < COLUMNS * given.A.n; i++)
            b[i] = test_random(&state) - 0.5;
        expect_ok(try_columns(&way, &given.A, b, NULL, COLUMNS, &left, &error), &error);
        for (int threads = 1; threads <= 3; threads++) {
            way.threads = threads;
            expect_ok(try_columns(&way, &given.A, b, NULL, COLUMNS, &other, &error), &error);
            expect_same(&left, &other, COLUMNS);
        }
        solve(&way, &given.A, b, NULL, &other);
        expect_same(&left, &other, 1);
        singular_release(&given);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Columns with a b in the range and one out of it, which is solved for as it is. */
START_TEST(columns_in_and_out_of_the_range)
{
    uint64_t state = test_seed();
    static double b[COLUMNS * N];
    static struct left left, other;
    for (int k = 0; k < 6; k++) {
        struct error error;
        struct way way = standard;
        way.method = &method_minres;
        way.M[0] = k % 3 ? "multigrid" : "none";
        way.tolerance = k % 2 ? 1e-10 : 1e-17;
        (k % 2 ? singular_bodies : singular_graph)(&state, 1, 0, &given);
        int64_t n = given.A.n;
        for (int64_t i = 0; i < COLUMNS * n; i++)
            b[i] = test_random(&state) - 0.5;
        singular_project(&given, b + n);
        expect_ok(try_columns(&way, &given.A, b, NULL, COLUMNS, &left, &error), &error);
        for (int64_t j = 0; j < COLUMNS; j++) {
            ck_assert(left.result[j].projected == (j == 1));
            solve(&way, &given.A, b + j * n, NULL, &other);
            ck_assert_uint_eq(left.history[j], other.history[0]);
            ck_assert_uint_eq(left.solution[j], other.solution[0]);
        }
        singular_release(&given);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

struct rank {
    struct exchange *exchange;
    const struct way *way;
    const struct csr *A;
    const double *b;
    struct left left;
    struct error error;
    enum status status;
};

static void *solve_rank(void *context)
{
    struct rank *rank = context;
    struct space *space;
    struct partial_csr kept;
    struct csr own = *rank->A;
    struct space_options wanted = {.threads = 1, .exchange = rank->exchange, .rows = own.n};
    if (rank->way->kept) {
        own = partial_csr_of(rank->A, 0, own.n, &kept);
        own.near_null = rank->A->near_null;
    }
    rank->status = space_create(SPACE_CPU, &wanted, &space, &rank->error);
    if (!rank->status)
        rank->status = try_in(space, rank->way, &own, rank->b, NULL, 1, &rank->left, &rank->error);
    if (rank->status && rank->status != STATUS_CONFIG)
        rank->exchange->operations->abandon(rank->exchange, 1, rank->error.text);
    return NULL;
}

/* Of a matrix that each rank has, and of one of which it keeps rows; and all refuse the same b. */
START_TEST(ranks_have_the_bits_of_one)
{
    enum { RANKS = 4 };
    uint64_t state = test_seed();
    static double b[N];
    static struct left left;
    static struct rank ranks[RANKS];
    for (int k = 0; k < 12; k++) {
        struct way way = standard;
        bool refused = k == 11;
        way.M[0] = k % 2 ? "multigrid" : "none";
        way.M[1] = k % 2 ? "coarsest=8" : NULL;
        way.M[2] = k % 2 ? "transfer=constant" : NULL; /* a smoothed one wants all rows */
        way.kernel = "cpu_csr";
        way.kept = k % 4 >= 2;
        way.null_space = refused ? NULL_SPACE_AUTO : NULL_SPACE_PROJECT;
        way.tolerance = k % 5 == 1 ? 1e-17 : standard.tolerance; /* r drifts */
        (k % 3 == 2 ? singular_bodies : singular_graph)(&state, 2, k % 3 == 1 ? 1 : 0, &given);
        fill(&state, b);
        if (!refused)
            solve(&way, &given.A, b, NULL, &left);
        int count = 2 + k % (RANKS - 1);
        for (int r = 0; r < count; r++)
            ranks[r] = (struct rank){.way = &way, .A = &given.A, .b = b};
        test_ranks(count, solve_rank, ranks, sizeof *ranks);
        for (int r = 0; r < count; r++)
            if (refused) {
                expect_error(ranks[r].status, STATUS_CONFIG, &ranks[r].error, "not in its range",
                             NULL);
            } else {
                expect_ok(ranks[r].status, &ranks[r].error);
                expect_same(&left, &ranks[r].left, 1);
            }
        singular_release(&given);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- Poisson's equation with Neumann's conditions --------------------------------------------- */

/* The iterations hardly grow, on a grid and by matching, in either precision; layers that nothing
 * couples end as rows of zeros on coarser levels. */
START_TEST(neumann_is_solved_by_multigrid)
{
    static const struct {
        struct poisson3d poisson;
        const char *M[4];
        int64_t null_vectors, most;
        double tight; /* with half as many iterations more */
    } cases[] = {
        {{{20, 20, 20}, {1, 1, 1}, 1, 0, POISSON3D_NEUMANN}, {"multigrid"}, 1, 11, 1e-12},
        {{{20, 20, 20}, {1, 1, 1}, 1, 0, POISSON3D_NEUMANN},
         {"multigrid", "precision=float"},
         1,
         11,
         1e-12},
        {{{20, 20, 20}, {1, 1, 1}, 1, 0, POISSON3D_NEUMANN},
         {"multigrid", "aggregates=matching"},
         1,
         18,
         1e-12},
        {{{20, 20, 20}, {1, 1, 1}, 1e6, 0, POISSON3D_NEUMANN}, {"multigrid"}, 1, 14, 1e-9},
        {{{9, 8, 150}, {1, 1, 0}, 1, 0, POISSON3D_NEUMANN}, {"multigrid"}, 150, 14, 1e-12},
        {{{9, 8, 150}, {1, 1, 0}, 1, 0, POISSON3D_NEUMANN},
         {"multigrid", "precision=float"},
         150,
         14,
         1e-12},
        {{{9, 8, 150}, {1, 1, 0}, 1, 0, POISSON3D_NEUMANN},
         {"multigrid", "aggregates=matching", "coarsest=10"},
         150,
         20,
         1e-12},
        {{{200, 200, 1}, {1, 1, 1}, 1, 0, POISSON3D_NEUMANN}, {"none"}, 1, 1000, 1e-12},
    };
    uint64_t state = test_seed();
    for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++)
        for (int tight = 0; tight < 2 && test_case_runs(k, 3); tight++) {
            struct error error;
            struct csr A;
            struct study_kernel result;
            expect_ok(poisson3d_create(&cases[k].poisson, &A, &error), &error);
            double *b = memory_array(A.n, sizeof *b, "b", &error);
            for (int64_t i = 0; i < A.n; i++)
                b[i] = test_random(&state);
            struct study_entry entry = {.kernel = kernel_find(standard.kernel), .label = "neumann"};
            entry.options = kernel_defaults(entry.kernel);
            entry.preconditioner = test_options(COMPONENT_PRECONDITIONER, cases[k].M[0],
                                                cases[k].M[1], cases[k].M[2], cases[k].M[3], NULL);
            struct solver_options options = {.method = &method_cg,
                                             .tolerance = tight ? cases[k].tight : 1e-8,
                                             .max_iterations = 5000,
                                             .null_space = NULL_SPACE_PROJECT};
            struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
            struct study_system system = {&A, b, NULL, NULL, 1};
            expect_ok(study_kernel_run(&entry, &system, space, &options, 1, NULL, &result, &error),
                      &error);
            const struct solver_result *found = &result.runs[0].result;
            ck_assert_msg(found->reason == REASON_CONVERGED, "case %d: %s", k,
                          reason_name(found->reason));
            ck_assert_int_eq(found->null_vectors, cases[k].null_vectors);
            ck_assert_msg(2 * found->iterations <= (2 + tight) * cases[k].most,
                          "case %d: %d iterations", k, (int)found->iterations);
            study_kernel_free(&result);
            options_free(&entry.preconditioner);
            space->operations->destroy(space);
            memory_free(b);
            csr_free(&A);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Of a tolerance below what rounding leaves: r would keep what rounded products add along the null
 * vector, and a p . A p of that alone be negative. Without it b - A x ends near n u ||A|| ||x||. */
START_TEST(no_drift_is_left)
{
    static const char *const Ms[][3] = {{"multigrid"},
                                        {"multigrid", "precision=float"},
                                        {"multigrid", "aggregates=matching"},
                                        {"jacobi"}};
    uint64_t state = test_seed();
    for (int k = 0; k < 16; k++) {
        struct error error;
        struct csr A;
        struct study_kernel result;
        int64_t side = 12 + (int64_t)test_random_below(&state, 9), n = side * side * side;
        struct poisson3d poisson = {{side, side, side}, {1, 1, 1}, 1e6, 0, POISSON3D_NEUMANN};
        expect_ok(poisson3d_create(&poisson, &A, &error), &error);
        double *b = memory_array(n, sizeof *b, "b", &error), norm = 0, *x;
        x = memory_array(n, sizeof *x, "x", &error);
        for (int64_t i = 0; i < n; i++)
            b[i] = 2 * test_random(&state) - 1;
        const char *const *M = Ms[k / 2 % 4];
        struct study_entry entry = {.kernel = kernel_find(standard.kernel), .label = "drift"};
        entry.options = kernel_defaults(entry.kernel);
        entry.preconditioner = test_options(COMPONENT_PRECONDITIONER, M[0], M[1], M[2], NULL);
        struct solver_options options = {.method = k % 2 ? &method_minres : &method_cg,
                                         .tolerance = 1e-12,
                                         .max_iterations = 2000,
                                         .null_space = NULL_SPACE_PROJECT};
        struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
        struct study_system system = {&A, b, NULL, NULL, 1};
        struct seen seen = {n, x};
        struct observer observer = {.wants = 1u << EVENT_SOLUTION, .see = see, .context = &seen};
        expect_ok(study_kernel_run(&entry, &system, space, &options, 1, &observer, &result, &error),
                  &error);
        const struct solver_result *found = &result.runs[0].result;
        for (int64_t i = 0; i < n; i++)
            norm = hypot(norm, x[i]);
        ck_assert_msg(found->reason == REASON_CONVERGED || found->reason == REASON_RESIDUAL_GAP ||
                          found->reason == REASON_STAGNATION,
                      "%d^3, way %d: %s", (int)side, k, reason_name(found->reason));
        ck_assert_msg(found->true_residual <= 16 * 0x1p-53 * 12e6 * norm, "%d^3, way %d: %g of %g",
                      (int)side, k, found->true_residual, norm);
        study_kernel_free(&result);
        options_free(&entry.preconditioner);
        space->operations->destroy(space);
        memory_free(b);
        memory_free(x);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- a free body ------------------------------------------------------------------------------ */

/* All six rigid body modes are found, b loses them, and x has none of them; multigrid's last level
 * has a pseudo-inverse. */
START_TEST(free_bodies_are_solved)
{
    static const struct {
        const char *M[3];
        const struct method *method;
        int64_t most; /* iterations */
    } ways[] = {{{"multigrid"}, &method_cg, 25},
                {{"multigrid", "precision=float"}, &method_cg, 25},
                {{"multigrid", "aggregates=matching"}, &method_minres, 25},
                {{"multigrid", "near_null=constant"}, &method_cg, 60},
                {{"block_jacobi", "block=3"}, &method_cg, 1000},
                {{"none"}, &method_minres, 1000}};
    uint64_t state = test_seed();
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        struct error error;
        struct csr A;
        struct near_null modes;
        struct study_kernel result;
        struct elasticity3d body = {.spacing = {1, 1, 1},
                                    .poisson_ratio = 0.4 * test_random(&state),
                                    .jump = k % 2 ? 100 : 1,
                                    .support = ELASTICITY3D_FREE};
        for (int a = 0; a < 3; a++)
            body.n[a] = 3 + (int64_t)test_random_below(&state, 5);
        const struct options options = {&problem_elasticity3d.component, &body};
        expect_ok(problem_create(&problem_elasticity3d, &body, &A, &error), &error);
        expect_ok(problem_near_null(&options, &modes, &error), &error);
        ck_assert(problem_is_free(&options));
        A.near_null = &modes;
        double *b = memory_array(A.n, sizeof *b, "b", &error), *x, norm = 0;
        x = memory_array(A.n, sizeof *x, "x", &error);
        for (int64_t i = 0; i < A.n; i++)
            b[i] = 2 * test_random(&state) - 1;
        struct study_entry entry = {.kernel = kernel_find(standard.kernel), .label = "free"};
        entry.options = kernel_defaults(entry.kernel);
        entry.preconditioner =
            test_options(COMPONENT_PRECONDITIONER, ways[k].M[0], ways[k].M[1], ways[k].M[2], NULL);
        struct solver_options solver = {.method = ways[k].method,
                                        .tolerance = 1e-10,
                                        .max_iterations = 5000,
                                        .null_space = NULL_SPACE_PROJECT};
        struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
        struct study_system system = {&A, b, NULL, NULL, 1};
        struct seen seen = {A.n, x};
        struct observer observer = {.wants = 1u << EVENT_SOLUTION, .see = see, .context = &seen};
        expect_ok(study_kernel_run(&entry, &system, space, &solver, 1, &observer, &result, &error),
                  &error);
        const struct solver_result *found = &result.runs[0].result;
        ck_assert_int_eq(found->null_vectors, 6);
        ck_assert_msg(found->reason == REASON_CONVERGED && found->iterations <= ways[k].most,
                      "way %d: %s, %d iterations", (int)k, reason_name(found->reason),
                      (int)found->iterations);
        for (int64_t i = 0; i < A.n; i++)
            norm = hypot(norm, x[i]);
        for (int64_t m = 0; m < modes.count; m++) {
            double along = 0, size = 0;
            for (int64_t i = 0; i < A.n; i++) {
                along = fma(modes.values[i * modes.count + m], x[i], along);
                size = hypot(size, modes.values[i * modes.count + m]);
            }
            ck_assert(fabs(along) <= 1e-12 * size * norm);
        }
        study_kernel_free(&result);
        options_free(&entry.preconditioner);
        space->operations->destroy(space);
        near_null_free(&modes);
        memory_free(b);
        memory_free(x);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- failures --------------------------------------------------------------------------------- */

struct attempt {
    struct way way;
    const double *b, *x0;
};

static enum status attempt(void *context, struct error *error)
{
    static struct left left;
    struct attempt *of = context;
    return try_columns(&of->way, &given.A, of->b, of->x0, 1, &left, error);
}

START_TEST(failures_leave_nothing)
{
    uint64_t state = test_seed();
    static double b[N], x0[N];
    for (int k = 0; k < 4; k++) {
        struct attempt of = {standard, b, x0};
        of.way.M[0] = k % 2 ? "multigrid" : "none";
        of.way.null_space = NULL_SPACE_PROJECT;
        of.way.threads = 1;
        of.way.started = k % 2;
        of.way.method = k < 2 ? &method_cg : &method_minres;
        (k < 2 ? singular_graph : singular_bodies)(&state, 2, k % 2, &given);
        fill(&state, b);
        fill(&state, x0);
        walk_allocation_failures(attempt, &of);
        singular_release(&given);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {null_vectors_are_found,
                            matrices_that_are_not_singular,
                            rows_of_both_triangles,
                            constants_of_one_component,
                            projections_are_exact_to_rounding,
                            solutions_have_the_least_norm,
                            b_out_of_the_range,
                            b_in_the_null_space,
                            bits_are_the_same,
                            columns_in_and_out_of_the_range,
                            ranks_have_the_bits_of_one,
                            neumann_is_solved_by_multigrid,
                            no_drift_is_left,
                            free_bodies_are_solved,
                            failures_leave_nothing,
                            NULL};
    return suite_of("study/singular", tests);
}
