/* Every kernel of the registry, on every test matrix, against cpu_csr. */
#include "support.h"

#include "base/threads.h"
#include "cgsolve/kernel.h"
#include "matrices.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

/* A kernel with one choice of parameters, over one matrix. */
struct trial {
    const struct kernel *kernel;
    struct kernel_options options;
    const char *matrix;
    const struct csr *A;
    uint64_t *state;
    struct space *space;
};

static void fill(double *v, int64_t n, double value)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = value;
}

static void randomise(double *v, int64_t n, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = (2 * test_random(state) - 1) * (i % 5 == 2 ? 1e6 : 1);
}

static double *vector(int64_t n)
{
    struct error error;
    double *v = memory_array(n, sizeof *v, "a test vector", &error);
    ck_assert_ptr_nonnull(v);
    return v;
}

/* gamma_m = m u / (1 - m u), Higham 2002, section 3.1. */
static double gamma_of(int64_t m)
{
    double mu = (double)m * (DBL_EPSILON / 2);
    return mu / (1 - mu);
}

/* The bound: a row with L entries has L products and at most L additions of them or of partial
 * sums, in whatever order, so every product passes through at most L + 1 roundings, and |y_i -
 * exact| <= gamma_{L+1} sum_j |a_ij| |x_j|. The same holds for cpu_csr, so the two may differ by
 * twice that. A compensated product meets it too. */
static void expect_near(const struct trial *trial, const double *x, const double *y)
{
    struct error error;
    struct csr full;
    expect_ok(csr_expand(trial->A, &full, &error), &error);
    double *reference = vector(full.n);
    csr_multiply(&full, x, reference);
    for (int64_t i = 0; i < full.n; i++) {
        double magnitude = 0;
        for (int64_t k = full.offsets[i]; k < full.offsets[i + 1]; k++)
            magnitude += fabs(full.values[k] * x[full.columns[k]]);
        int64_t length = full.offsets[i + 1] - full.offsets[i];
        double bound = 2 * gamma_of(length + 1) * magnitude;
        ck_assert_msg(fabs(y[i] - reference[i]) <= bound,
                      "%s on %s: row %d: %.17g instead of %.17g, bound %.3g", trial->kernel->name,
                      trial->matrix, (int)i, y[i], reference[i], bound);
    }
    memory_free(reference);
    csr_free(&full);
}

static void expect_same_bits(const struct trial *trial, const double *a, const double *b,
                             int threads)
{
    for (int64_t i = 0; i < trial->A->n; i++)
        ck_assert_msg(memcmp(&a[i], &b[i], sizeof *a) == 0,
                      "%s on %s with %d threads: row %d: %a instead of %a", trial->kernel->name,
                      trial->matrix, threads, (int)i, b[i], a[i]);
}

static struct spmv create(const struct trial *trial)
{
    struct error error;
    struct spmv spmv;
    expect_ok(spmv_create(trial->kernel, trial->A, &trial->options, trial->space, &spmv, &error),
              &error);
    return spmv;
}

/* y is complete and right, x is left alone, and the bits are what the guarantee says. */
static void product(const struct trial *trial)
{
    struct error error;
    int64_t n = trial->A->n;
    double *x = vector(n), *kept = vector(n), *y = vector(n), *first = vector(n);
    randomise(x, n, trial->state);
    memcpy(kept, x, (size_t)n * sizeof *x);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        threads_use(thread_counts[t]);
        struct spmv spmv = create(trial);
        for (int repeat = 0; repeat < 3; repeat++) {
            fill(y, n, NAN);
            expect_ok(spmv_apply(&spmv, x, y, &error), &error);
            expect_near(trial, x, y);
            expect_same_bits(trial, kept, x, thread_counts[t]);
            bool fresh = (t == 0 && repeat == 0) ||
                         (trial->kernel->guarantee == GUARANTEE_RUN && repeat == 0);
            if (fresh)
                memcpy(first, y, (size_t)n * sizeof *y);
            if (trial->kernel->guarantee >= GUARANTEE_RUN)
                expect_same_bits(trial, first, y, thread_counts[t]);
        }
        spmv_destroy(&spmv);
    }
    memory_free(x);
    memory_free(kept);
    memory_free(y);
    memory_free(first);
}

static double dot(const double *a, const double *b, int64_t n, double *magnitude)
{
    long double sum = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (long double)a[i] * b[i];
        size += fabsl((long double)a[i] * b[i]);
    }
    *magnitude = (double)size;
    return (double)sum;
}

/* x'(Ay) = y'(Ax), or minus it: each side is off by at most gamma |x|'|A||y|, and |x|'|Ay| alone
 * may cancel, so the bound takes the product with the absolute values. */
static void symmetry(const struct trial *trial)
{
    struct error error;
    int64_t n = trial->A->n;
    double *x = vector(n), *y = vector(n), *Ax = vector(n), *Ay = vector(n);
    randomise(x, n, trial->state);
    randomise(y, n, trial->state);
    struct spmv spmv = create(trial);
    expect_ok(spmv_apply(&spmv, x, Ax, &error), &error);
    expect_ok(spmv_apply(&spmv, y, Ay, &error), &error);
    spmv_destroy(&spmv);
    double unused;
    double left = dot(x, Ay, n, &unused), right = dot(y, Ax, n, &unused);
    if (trial->A->kind == CSR_SKEW)
        right = -right;
    struct csr absolute;
    expect_ok(csr_expand(trial->A, &absolute, &error), &error);
    double magnitude = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = absolute.offsets[i]; k < absolute.offsets[i + 1]; k++)
            magnitude += fabs(x[i] * absolute.values[k] * y[absolute.columns[k]]);
    double bound = 2 * gamma_of(n + 2) * magnitude;
    ck_assert_msg(fabs(left - right) <= bound, "%s on %s: x'Ay = %.17g, y'Ax = %.17g",
                  trial->kernel->name, trial->matrix, left, right);
    csr_free(&absolute);
    memory_free(x);
    memory_free(y);
    memory_free(Ax);
    memory_free(Ay);
}

/* The dot that comes with the product has the bits of the separate one, and y those of apply. */
static void fused(const struct trial *trial)
{
    if (!trial->kernel->apply_dot)
        return;
    struct error error;
    int64_t n = trial->A->n;
    double *x = vector(n), *y = vector(n), *alone = vector(n);
    randomise(x, n, trial->state);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        threads_use(thread_counts[t]);
        struct spmv spmv = create(trial);
        double together = NAN, apart;
        fill(y, n, NAN);
        expect_ok(spmv_apply_dot(&spmv, x, y, &together, &error), &error);
        expect_ok(spmv_apply(&spmv, x, alone, &error), &error);
        expect_ok(trial->space->operations->dot(trial->space, n, x, alone, &apart, &error), &error);
        expect_same_bits(trial, alone, y, thread_counts[t]);
        ck_assert_msg(memcmp(&together, &apart, sizeof apart) == 0,
                      "%s on %s: fused dot %a, separate %a", trial->kernel->name, trial->matrix,
                      together, apart);
        spmv_destroy(&spmv);
    }
    memory_free(x);
    memory_free(y);
    memory_free(alone);
}

/* Every parameter at its default, then all near the small end of their ranges, where a kernel has
 * to cut a matrix into many parts. */
static void with_parameters(struct trial *trial, void (*check)(const struct trial *))
{
    static const int64_t tries[] = {1, 37};
    trial->options = kernel_defaults(trial->kernel);
    check(trial);
    int count = kernel_parameter_count(trial->kernel);
    for (int t = 0; count > 0 && t < 2; t++) {
        for (int k = 0; k < count; k++) {
            const struct kernel_parameter *parameter = &trial->kernel->parameters[k];
            int64_t value = tries[t];
            if (value < parameter->minimum)
                value = parameter->minimum;
            if (value > parameter->maximum)
                value = parameter->maximum;
            trial->options.values[k] = value;
        }
        check(trial);
    }
}

static void every_kernel(void (*check)(const struct trial *))
{
    uint64_t state = test_seed();
    struct error error;
    struct space *space;
    expect_ok(space_cpu_create(REDUCTIONS_REPRODUCIBLE, &space, &error), &error);
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        if (kernels[k]->space != SPACE_CPU)
            continue;
        for (int m = 0; m < test_matrices_count; m++) {
            for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
                if (!(kernels[k]->kinds & kind))
                    continue;
                struct csr A;
                test_matrix_build(&test_matrices[m], kind, &state, &A);
                struct trial trial = {.kernel = kernels[k],
                                      .matrix = test_matrices[m].name,
                                      .A = &A,
                                      .state = &state,
                                      .space = space};
                with_parameters(&trial, check);
                csr_free(&A);
            }
        }
    }
    space->operations->destroy(space);
}

START_TEST(products_are_right)
{
    every_kernel(product);
}
END_TEST

START_TEST(products_are_symmetric)
{
    every_kernel(symmetry);
}
END_TEST

START_TEST(fused_dots_are_the_separate_ones)
{
    every_kernel(fused);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    const struct trial *trial = context;
    struct spmv spmv;
    enum status status =
        spmv_create(trial->kernel, trial->A, &trial->options, trial->space, &spmv, error);
    spmv_destroy(&spmv);
    return status;
}

static void walk(const struct trial *trial)
{
    if (strcmp(trial->kernel->name, "cpu_sym") != 0) /* which allocates nothing */
        walk_allocation_failures(attempt, (void *)trial);
}

START_TEST(setup_survives_every_failed_allocation)
{
    every_kernel(walk);
}
END_TEST

START_TEST(contract_is_complete)
{
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    ck_assert_int_ge(count, 5);
    for (int k = 0; k < count; k++) {
        const struct kernel *kernel = kernels[k];
        ck_assert_ptr_eq(kernel_find(kernel->name), kernel);
        if (kernel_unavailable(kernel))
            continue;
        ck_assert(kernel->setup && kernel->apply && kernel->destroy);
        ck_assert(kernel->bytes_per_apply && kernel->memory_bytes);
        ck_assert(kernel->summary[0] && kernel->kinds);
        ck_assert_int_le(kernel_parameter_count(kernel), KERNEL_PARAMETERS_MAX);
        kernel->destroy(NULL);
    }
    ck_assert_ptr_null(kernel_find("cpu_nothing"));
}
END_TEST

START_TEST(misuse_is_refused)
{
    struct error error;
    struct spmv spmv;
    struct space *space;
    struct csr general, A;
    uint64_t state = 1;
    expect_ok(space_cpu_create(REDUCTIONS_REPRODUCIBLE, &space, &error), &error);
    test_matrix_build(&test_matrices[2], CSR_SYMMETRIC, &state, &A);
    expect_ok(csr_expand(&A, &general, &error), &error);
    expect_error(spmv_create(kernel_find("cpu_sym"), &general, NULL, space, &spmv, &error),
                 STATUS_CONFIG, &error, "cpu_sym", "general", NULL);
    struct kernel_options options = {{0}};
    expect_error(spmv_create(kernel_find("cpu_sym_atomic"), &A, &options, space, &spmv, &error),
                 STATUS_CONFIG, &error, "cpu_sym_atomic", "chunk = 0", NULL);
    csr_free(&A);
    csr_free(&general);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {products_are_right,
                            products_are_symmetric,
                            fused_dots_are_the_separate_ones,
                            setup_survives_every_failed_allocation,
                            contract_is_complete,
                            misuse_is_refused,
                            NULL};
    return suite_of("spmv/kernels", tests);
}
