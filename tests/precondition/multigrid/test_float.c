/* Multigrid with a cycle in single precision: near the cycle without rounding, the same for
 * every scale of A and b, and what it refuses. */
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "options.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/setup/hierarchy.h"
#include "precondition/preconditioned.h"
#include "problem/generators.h"
#include "solver/solve.h"
#include "spaces.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 4096 };

static const char *const ways[] = {"aggregates=auto", "aggregates=matching"};

/* M^-1, with a coarsest matrix of 8 rows unless `other` says else. */
struct made {
    struct space *space;
    struct linear_operator spmv, M;
};

static struct options options_of(const char *way, const char *other)
{
    return test_options(COMPONENT_PRECONDITIONER, "multigrid", "precision=float", "coarsest=8",
                        way ? way : other, way ? other : NULL, NULL);
}

static enum status try_to_make(const struct csr *A, const char *kernel,
                               const struct options *options, struct made *made,
                               struct error *error)
{
    const struct space_options two_threads = {.threads = 2};
    *made = (struct made){0};
    enum status status = space_create(SPACE_CPU, &two_threads, &made->space, error);
    if (!status)
        status = operator_create(kernel_find(kernel), A, NULL, made->space, &made->spmv, error);
    return status ? status : preconditioner_create(options, A, NULL, &made->spmv, &made->M, error);
}

static void destroy(struct made *made)
{
    operator_destroy(&made->M);
    operator_destroy(&made->spmv);
    if (made->space)
        made->space->operations->destroy(made->space);
}

static void make(const struct csr *A, const char *way, const char *other, struct made *made)
{
    struct error error;
    struct options options = options_of(way, other);
    expect_ok(try_to_make(A, "cpu_csr", &options, made, &error), &error);
    options_free(&options);
}

/* z = M^-1 r, over NaN; the dot product is that of the space, and r . r may be given. */
static void apply(struct made *made, const double *r, double *z)
{
    static double again[MOST];
    struct error error;
    int64_t n = made->M.n;
    double dot = NAN, dot_again = NAN, squared = ordered_dot(n, r, r);
    for (int64_t i = 0; i < n; i++)
        z[i] = again[i] = NAN;
    expect_ok(operator_apply_dot(&made->M, r, z, &dot, &error), &error);
    expect_ok(operator_apply_to(
                  &made->M,
                  &(struct operands){.x = r, .y = again, .squared = &squared, .dot = &dot_again},
                  &error),
              &error);
    ck_assert(dot == ordered_dot(n, r, z) && dot_again == dot);
    ck_assert_mem_eq(z, again, (size_t)n * sizeof *z);
    for (int64_t i = 0; i < n; i++)
        again[i] = NAN;
    expect_ok(operator_apply(&made->M, r, again, &error), &error);
    ck_assert_mem_eq(z, again, (size_t)n * sizeof *z);
}

static void random_of(int64_t n, uint64_t *state, double *v)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = 2 * test_random(state) - 1;
}

/* --- a cycle without rounding, and how far one with rounding can be from it ------------------- */

/* A number as it is without rounding, and a bound of what single precision makes of it less that:
 * of each operation  (what its operands are off by, carried through it) + U |result| + TINY, which
 * is half of the least positive number (Higham 2002, section 3.3: a running error analysis). U has
 * room for the rounding of the doubles in which all this is computed. */
struct near {
    double v, e;
};

static const double U = 0x1p-24 + 0x1p-50, TINY = 0x1p-149;

static struct near rounded(double v, double e)
{
    return (struct near){v, e + U * (fabs(v) + e) + TINY};
}

/* a + sign b, c a, c a + b, of c that are known without error. */
static struct near sum(struct near a, double sign, struct near b)
{
    return rounded(a.v + sign * b.v, a.e + b.e);
}

static struct near times(double c, struct near a)
{
    return rounded(c * a.v, fabs(c) * a.e);
}

static struct near fused(double c, struct near a, struct near b)
{
    return rounded(c * a.v + b.v, fabs(c) * a.e + b.e);
}

static double fl(double v)
{
    return (double)(float)v;
}

/* A level by itself. */
struct plain {
    struct csr full; /* of fl(A) */
    const struct level *level;
    struct near *b, *x, *q, *d, *r;
};

static void multiply(const struct plain *plain, const struct near *x)
{
    const struct csr *full = &plain->full;
    for (int64_t i = 0; i < full->n; i++) {
        struct near s = {0, 0};
        for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++)
            s = fused(fl(full->values[k]), x[full->columns[k]], s);
        plain->q[i] = s;
    }
}

/* x = S(x, b), by the formula in src/precondition/multigrid/cycle/cycle.h. */
static void smooth(const struct plain *plain, int degree, bool from_zero)
{
    static const double two[] = {1.02387287570313, 1.26408905371085},
                        four[] = {1.00391310427285, 1.04035811188593, 1.14863498546254,
                                  1.38268869241000};
    const float *inverse = plain->level->inverse;
    int64_t n = plain->full.n;
    for (int k = 0; k < degree; k++) {
        double beta = degree == 2 ? two[k] : degree == 4 ? four[k] : 1;
        double of_d = fl((2.0 * k - 1) / (2.0 * k + 3));
        double of_r = fl((8.0 * k + 4) / ((2.0 * k + 3) * plain->level->lmax));
        bool at_zero = from_zero && k == 0;
        if (!at_zero)
            multiply(plain, k == 0 ? plain->x : plain->d);
        for (int64_t i = 0; i < n; i++) {
            struct near from = k == 0 ? plain->b[i] : plain->r[i];
            plain->r[i] = at_zero ? from : sum(from, -1, plain->q[i]);
            struct near step = times(of_r, times((double)inverse[i], plain->r[i]));
            plain->d[i] = k == 0 ? step : fused(of_d, plain->d[i], step);
            plain->x[i] =
                at_zero ? times(fl(beta), plain->d[i]) : fused(fl(beta), plain->d[i], plain->x[i]);
        }
    }
}

static void solve_directly(const struct plain *plain, const float *inverse)
{
    int64_t n = plain->full.n;
    for (int64_t i = 0; i < n; i++) {
        struct near s = times((double)inverse[i], plain->b[0]);
        for (int64_t j = 1; j < n; j++)
            s = fused((double)inverse[j * n + i], plain->b[j], s);
        plain->x[i] = s;
    }
}

static void restrict_residual(const struct plain *plain, const struct plain *below)
{
    const struct aggregates *a = &plain->level->aggregates;
    multiply(plain, plain->x);
    for (int64_t I = 0; I < a->count; I++)
        for (int32_t k = a->offsets[I]; k < a->offsets[I + 1]; k++) {
            int32_t i = a->members[k];
            struct near rest = sum(plain->b[i], -1, plain->q[i]);
            below->b[I] = k == a->offsets[I] ? rest : sum(below->b[I], 1, rest);
        }
}

static void cycle(struct plain *plain, int count, int degree, const float *inverse)
{
    if (count == 1 && inverse) {
        solve_directly(plain, inverse);
        return;
    }
    if (count == 1) {
        for (int k = 0; k < 4; k++)
            smooth(plain, degree, k == 0);
        return;
    }
    const struct aggregates *a = &plain->level->aggregates;
    smooth(plain, degree, true);
    restrict_residual(plain, plain + 1);
    cycle(plain + 1, count - 1, degree, inverse);
    for (int64_t i = 0; i < plain->full.n; i++)
        if (a->map[i] >= 0)
            plain->x[i] = sum(plain->x[i], 1, plain[1].x[a->map[i]]);
    smooth(plain, degree, false);
}

static void take_plain(const struct csr *A, const struct level *level, struct plain *plain)
{
    struct error error;
    struct near **vectors[] = {&plain->b, &plain->x, &plain->q, &plain->d, &plain->r};
    plain->level = level;
    expect_ok(csr_expand(A, &plain->full, &error), &error);
    for (int k = 0; k < 5; k++)
        *vectors[k] = memory_zeros(A->n, sizeof(struct near), "a vector", &error);
}

static void free_plain(struct plain *plain)
{
    csr_free(&plain->full);
    struct near *vectors[] = {plain->b, plain->x, plain->q, plain->d, plain->r};
    for (int k = 0; k < 5; k++)
        memory_free(vectors[k]);
}

/* z[n]: what the cycle without rounding makes of r, over the levels that set-up builds for these
 * options, and the bounds. */
static void cycle_of(const struct csr *A, const struct multigrid_options *options, const double *r,
                     struct near *z)
{
    static struct plain plain[OPERATOR_LEVELS];
    struct error error;
    struct linear_operator spmv;
    struct hierarchy h = {0};
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    expect_ok(operator_create(kernel_find("cpu_csr"), A, NULL, space, &spmv, &error), &error);
    expect_ok(hierarchy_build("multigrid", options, A, NULL, &spmv, &h, &error), &error);
    int k = 0;
    frexp(ordered_dot(A->n, r, r), &k);
    k = (int)floor(k / 2.0);
    for (int l = 0; l < h.count; l++)
        take_plain(l > 0        ? &h.levels[l].coarse
                   : h.exponent ? &h.scaled
                                : A,
                   &h.levels[l], &plain[l]);
    for (int64_t i = 0; i < A->n; i++)
        plain[0].b[i] = rounded(ldexp(r[i], -k), 0);
    cycle(plain, h.count, (int)options->degree, h.coarsest_inverse);
    for (int64_t i = 0; i < A->n; i++) {
        z[i].v = ldexp(plain[0].x[i].v, k - h.exponent);
        z[i].e = ldexp(plain[0].x[i].e, k - h.exponent);
    }
    for (int l = 0; l < h.count; l++)
        free_plain(&plain[l]);
    hierarchy_free(&h);
    operator_destroy(&spmv);
    space->operations->destroy(space);
}

/* The greatest bound, in parts of the greatest element. */
static double expect_near(const struct csr *A, int way, const char *other,
                          const struct multigrid_options *options, double scale, uint64_t *state,
                          const char *what)
{
    static double r[MOST], z[MOST];
    static struct near wanted[MOST];
    struct made made;
    double bound = 0, most = 0;
    ck_assert_int_le(A->n, MOST);
    random_of(A->n, state, r);
    for (int64_t i = 0; i < A->n; i++)
        r[i] *= scale;
    make(A, ways[way], other, &made);
    apply(&made, r, z);
    cycle_of(A, options, r, wanted);
    for (int64_t i = 0; i < A->n; i++) {
        ck_assert_msg(fabs(z[i] - wanted[i].v) <= wanted[i].e, "%s, row %d: %g instead of %g +- %g",
                      what, (int)i, z[i], wanted[i].v, wanted[i].e);
        bound = fmax(bound, wanted[i].e);
        most = fmax(most, fabs(wanted[i].v));
    }
    destroy(&made);
    return bound / most;
}

START_TEST(it_is_near_the_cycle_without_rounding)
{
    static const struct {
        const char *text;
        int64_t degree, coarsest;
    } others[] = {{NULL, 2, 8},
                  {"degree=4", 4, 8},
                  {"degree=6", 6, 8},
                  {"coarsest=1", 2, 1},
                  {"coarsest=200", 2, 200}};
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        for (int k = 0; k < 2; k++) {
            int o = (2 * t + k) % 5;
            struct multigrid_options options = {.aggregates =
                                                    k ? AGGREGATION_MATCHING : AGGREGATION_AUTO,
                                                .passes = 3,
                                                .degree = others[o].degree,
                                                .coarsest = others[o].coarsest,
                                                .precision = PRECISION_FLOAT};
            expect_near(&A, k, others[o].text, &options, k ? 0x1p-400 : 1, &state,
                        test_matrices[t].name);
        }
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A bound that tells something: a wrong coefficient, or a step left out, is off by more. */
START_TEST(the_bound_is_small)
{
    struct multigrid_options options = {
        .passes = 3, .degree = 2, .coarsest = 100, .precision = PRECISION_FLOAT};
    uint64_t state = test_seed();
    for (int k = 0; k < 4; k++) {
        struct csr A;
        make_poisson(9 + k, 8, 7, &A);
        double bound =
            expect_near(&A, 0, "coarsest=100", &options, ldexp(1, 100 * k), &state, "a box");
        ck_assert_msg(bound < 0.01, "the bound is %g of the greatest element", bound);
        csr_free(&A);
    }
}
END_TEST

/* --- scales ----------------------------------------------------------------------------------- */

static void scale_matrix(struct csr *A, int exponent)
{
    for (int64_t k = 0; k < A->nnz; k++)
        A->values[k] = ldexp(A->values[k], exponent);
}

/* Powers of two change no bit: each residual is that of the system itself times the power of b, and
 * the steps are the same up to that of A. */
START_TEST(histories_do_not_depend_on_scales)
{
    static const int powers[][2] = {{300, 0},  {-300, 0},   {301, 0},     {0, 20},     {0, -32},
                                    {0, 40},   {0, -41},    {-99, 200},   {100, -300}, {0, 600},
                                    {0, -700}, {150, -401}, {-200, -101}, {450, 401}};
    static struct preconditioned_history usual, scaled;
    static double b[SOLVE_N], x[SOLVE_N], y[SOLVE_N];
    struct csr A;
    uint64_t seed = test_seed();
    make_poisson(17, 15, 9, &A);
    struct preconditioned choice = {.kernel = "cpu_csr", .tolerance = 1e-10, .threads = 2};
    for (int way = 0; way < 2; way++) {
        choice.options = test_options(COMPONENT_PRECONDITIONER, "multigrid", "precision=float",
                                      "coarsest=20", ways[way], NULL);
        random_vector((int64_t)(seed >> 1), A.n, b);
        solve_preconditioned(&choice, &A, b, &usual, x);
        ck_assert_int_eq(usual.result.reason, REASON_CONVERGED);
        for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
            int of_b = powers[p][0], of_A = powers[p][1];
            for (int64_t i = 0; i < A.n; i++)
                b[i] = ldexp(b[i], of_b);
            scale_matrix(&A, of_A);
            solve_preconditioned(&choice, &A, b, &scaled, y);
            scale_matrix(&A, -of_A);
            for (int64_t i = 0; i < A.n; i++) {
                b[i] = ldexp(b[i], -of_b);
                ck_assert_msg(y[i] == ldexp(x[i], of_b - of_A), "2^%d b, 2^%d A", of_b, of_A);
            }
            ck_assert_int_eq(scaled.count, usual.count);
            for (int64_t k = 0; k < usual.count; k++) {
                ck_assert(scaled.rows[k].residual == ldexp(usual.rows[k].residual, of_b));
                ck_assert(k == 0 || (scaled.rows[k].alpha == usual.rows[k].alpha &&
                                     scaled.rows[k].beta == usual.rows[k].beta));
            }
        }
        options_free(&choice.options);
    }
    csr_free(&A);
}
END_TEST

/* 0, and what is not finite: they come out as they are in double precision. */
START_TEST(special_residuals_end_a_cycle)
{
    static double r[MOST], z[MOST];
    struct error error;
    struct csr A;
    struct made made;
    double dot = NAN;
    make_poisson(9, 8, 7, &A);
    for (int k = 0; k < 2; k++) {
        make(&A, ways[0], k ? "coarsest=2048" : NULL, &made);
        memset(r, 0, sizeof r);
        apply(&made, r, z);
        for (int64_t i = 0; i < A.n; i++)
            ck_assert(z[i] == 0);
        r[3] = NAN;
        expect_ok(operator_apply_dot(&made.M, r, z, &dot, &error), &error);
        ck_assert(isnan(z[3]) && isnan(dot));
        r[3] = INFINITY;
        expect_ok(operator_apply_dot(&made.M, r, z, &dot, &error), &error);
        ck_assert(!isfinite(z[3]) && !isfinite(dot));
        destroy(&made);
    }
    csr_free(&A);
}
END_TEST

/* --- what is refused, and what it costs ------------------------------------------------------- */

static void expect_refused(const struct csr *A, const char *kernel, const char *named,
                           const char *advice)
{
    struct error error;
    struct made made;
    struct options options = options_of(NULL, NULL);
    expect_error(try_to_make(A, kernel, &options, &made, &error), STATUS_CONFIG, &error,
                 "preconditioner multigrid: precision = \"float\": ", named, advice, NULL);
    options_free(&options);
    destroy(&made);
}

START_TEST(other_kernels_are_refused)
{
    struct csr A;
    make_poisson(9, 8, 7, &A);
    expect_refused(&A, "cpu_sym_exact", "cpu_sym_exact does not multiply in single precision",
                   "such as cpu_csr, or precision = \"double\"");
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The diagonal spans more than single precision does, however it is scaled, or not quite; and an
 * inverse alone does, that of a matrix that is nearly singular. */
START_TEST(values_beyond_single_precision_are_refused)
{
    struct csr A;
    make_poisson(5, 4, 3, &A);
    A.values[A.offsets[7]] = 0x1p200;
    A.values[A.offsets[8]] = 0x1p-100;
    expect_refused(&A, "cpu_csr", "level 0: kernel cpu_csr: precision: a value of size",
                   "single precision");
    A.values[A.offsets[7]] = 0x1p126;
    A.values[A.offsets[8]] = 0x1p-128;
    expect_refused(&A, "cpu_csr", "the diagonal of level 0", "take precision = \"double\"");
    csr_free(&A);
    double least = 0x1p-110;
    test_matrix_from_dense(3, (double[]){least, -least * (1 - 0x1p-20), 0, least, 0, 0x1p110},
                           CSR_SYMMETRIC, &A);
    expect_refused(&A, "cpu_csr", "the inverse of the last level", "take precision = \"double\"");
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

struct attempt {
    struct csr A;
    struct options options;
};

static enum status attempt(void *context, struct error *error)
{
    const struct attempt *attempt = context;
    struct made made;
    enum status status = try_to_make(&attempt->A, "cpu_csr", &attempt->options, &made, error);
    destroy(&made);
    return status;
}

/* Where A is scaled too, and a level is solved. */
START_TEST(every_failed_allocation_is_survived)
{
    struct attempt context = {.options = options_of(NULL, NULL)};
    make_poisson(5, 4, 3, &context.A);
    scale_matrix(&context.A, 200);
    walk_allocation_failures(attempt, &context);
    csr_free(&context.A);
    options_free(&context.options);
}
END_TEST

/* Of two levels, with a smoother of degree 2, in the vectors of singles that each piece reads and
 * writes: the first smoothing 5 (two for the doubles of r) and 5, the residual 3 of the fine level
 * with the map of members and 2 of the coarse one, the correction 3 and 1, the second smoothing 5
 * and 9; and four products of level 0. */
START_TEST(costs_are_counted)
{
    struct csr A;
    struct made made;
    make_poisson(4, 4, 4, &A);
    make(&A, ways[0], NULL, &made);
    const struct operator_levels *levels = &made.M.levels;
    ck_assert(levels->count == 2 && levels->level[1].rows == 8);
    int64_t n = A.n, entries = 2 * A.nnz - n, coarse = 8, coarse_nnz = levels->level[1].entries;
    int64_t coarse_entries = 2 * coarse_nnz - coarse;
    int64_t product = 8 * entries + 8 * (n + 1) + 2 * 4 * n;
    ck_assert_int_eq(made.M.products, 4);
    ck_assert_int_eq(made.M.bytes_per_apply, 4 * product + 4 * n * (5 + 5 + 3 + 3 + 5 + 9) +
                                                 4 * coarse * (2 + 1) + 4 * coarse * (coarse + 2));
    /* Six vectors and full rows of each level, lists, the matrix of level 1 in double precision and
     * its inverse; and what a kernel has besides. */
    int64_t held = 6 * 4 * (n + coarse) + 8 * (entries + coarse_entries) + 8 * (n + coarse + 2) +
                   4 * (n + coarse + 1 + n) + 12 * coarse_nnz + 8 * (coarse + 1) +
                   4 * coarse * coarse;
    ck_assert_int_ge(made.M.memory_bytes, held);
    ck_assert_int_le(made.M.memory_bytes, held + 1024);
    destroy(&made);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {it_is_near_the_cycle_without_rounding,
                            the_bound_is_small,
                            histories_do_not_depend_on_scales,
                            special_residuals_end_a_cycle,
                            other_kernels_are_refused,
                            values_beyond_single_precision_are_refused,
                            every_failed_allocation_is_survived,
                            costs_are_counted,
                            NULL};
    return suite_of("precondition/multigrid/float", tests);
}
