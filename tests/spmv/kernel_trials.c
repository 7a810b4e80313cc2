#include "spmv/kernel_trials.h"

#include "support.h"

#include "matrices.h"
#include "spaces.h"
#include "spmv/host_product.h"
#include "spmv/kernel.h"
#include "spmv/precision.h"
#include "spmv/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

/* How many of them matter: a device does not know the host's threads. */
static int thread_counts_in(enum space_kind kind)
{
    return kind == SPACE_CPU ? THREAD_COUNTS : 1;
}

/* A kernel with one choice of parameters, over one matrix. */
struct trial {
    const struct kernel *kernel;
    struct kernel_options options;
    const char *matrix;
    const struct csr *A;
    uint64_t *state;
    struct space *const *spaces; /* [thread_counts_in(kernel->space)] */
};

static enum precision precision_of(const struct trial *trial)
{
    return kernel_precision(trial->kernel, &trial->options);
}

/* The kernel with its precision, for a message. */
static const char *name_of(const struct trial *trial)
{
    static char name[128];
    snprintf(name, sizeof name, "%s (%s)", trial->kernel->component.name,
             kernel_precisions[precision_of(trial)]);
    return name;
}

/* By the bounds that spmv/reference.h derives: a plain kernel may have halved the diagonal; one
 * that calls itself accurate has to be so. */
static void expect_near(const struct trial *trial, const struct reference *reference,
                        const double *y)
{
    bool accurate = kernel_guarantee(trial->kernel, &trial->options) == GUARANTEE_ACCURATE;
    expect_within(reference, name_of(trial), accurate ? bound_of_compensated : bound_of_halves, y);
}

/* The byte model of several columns: padding is moved, and a sweep takes 32. */
static void columns_bytes(const struct linear_operator *spmv)
{
    int64_t one = spmv->bytes_per_apply, vectors = 8 * (spmv->n + spmv->width);
    int64_t column = vectors + spmv->bytes_per_column;
    ck_assert_int_eq(operator_columns_bytes(spmv, 1), one);
    ck_assert(spmv->bytes_per_column >= 0 && spmv->bytes_per_column <= one - vectors);
    if (operator_sweeps(spmv)) {
        ck_assert_int_eq(operator_columns_bytes(spmv, 3), one + 3 * column);
        ck_assert_int_eq(operator_columns_bytes(spmv, 4), one + 3 * column);
        ck_assert_int_eq(operator_columns_bytes(spmv, 33), 2 * one + 31 * column);
    } else {
        ck_assert_int_eq(operator_columns_bytes(spmv, 3), 3 * (one + 2 * vectors));
    }
}

/* What holds of every operator, and what those that there are cannot. */
static void contract(const struct trial *trial, struct linear_operator *spmv)
{
    struct error error;
    const struct operator_table *table = spmv->table;
    double dot;
    struct operands columns = {.columns = 2}, singles = {.singles = true};
    struct operands direction = {.direction = &(struct direction){.r = NULL}};
    ck_assert_str_eq(spmv->name, trial->kernel->component.name);
    ck_assert(spmv->n == trial->A->n && spmv->width == trial->A->width && spmv->products == 1);
    ck_assert(table->apply && table->destroy);
    ck_assert_msg(!(spmv->can & OPERATOR_SINGLES) == (precision_of(trial) != PRECISION_FLOAT),
                  "%s: single sums and vectors of singles go together", name_of(trial));
    table->destroy(NULL);
    ck_assert(!(spmv->can & OPERATOR_COLUMNS) || !(spmv->can & OPERATOR_APART));
    if (!operator_sweeps(spmv)) {
        expect_error(operator_apply_to(spmv, &columns, &error), STATUS_CONFIG, &error, spmv->name,
                     "one vector at a time", NULL);
    }
    if (!(spmv->can & OPERATOR_SINGLES))
        expect_error(operator_apply_to(spmv, &singles, &error), STATUS_CONFIG, &error, spmv->name,
                     "vectors of doubles", NULL);
    if (!(spmv->can & OPERATOR_DIRECTION))
        expect_error(operator_apply_to(spmv, &direction, &error), STATUS_CONFIG, &error, spmv->name,
                     "no directions", NULL);
    columns.dot = singles.dot = &dot;
    for (int k = 0; k < 2; k++)
        if (spmv->can & (k == 0 ? OPERATOR_COLUMNS : OPERATOR_SINGLES))
            expect_error(operator_apply_to(spmv, k == 0 ? &columns : &singles, &error),
                         STATUS_CONFIG, &error, spmv->name, "one vector of doubles", NULL);
    columns_bytes(spmv);
}

/* On thread_counts[t] threads. */
static struct linear_operator create(const struct trial *trial, int t)
{
    struct error error;
    struct linear_operator spmv;
    expect_ok(
        operator_create(trial->kernel, trial->A, &trial->options, trial->spaces[t], &spmv, &error),
        &error);
    contract(trial, &spmv);
    return spmv;
}

/* y by vectors of single precision: right, and where bits are promised those of apply. */
static void product_float(const struct trial *trial, struct linear_operator *spmv, int threads,
                          const struct reference *reference, const double *x, const double *wanted)
{
    double *y = host_vector(trial->A->n);
    host_product_float(spmv, x, y);
    expect_near(trial, reference, y);
    if (kernel_guarantee(trial->kernel, &trial->options) >= GUARANTEE_RUN)
        expect_same_bits(name_of(trial), trial->matrix, threads, trial->A->n, wanted, y);
    memory_free(y);
}

/* y is complete and right, x is left alone, and the bits are what the guarantee says. */
static void product(const struct trial *trial)
{
    int64_t n = trial->A->n, width = trial->A->width;
    double *x = host_vector(width), *y = host_vector(n), *first = host_vector(n);
    host_randomise(x, width, trial->state);
    struct reference reference;
    reference_create(trial->A, trial->matrix, precision_of(trial), x, &reference);
    for (int t = 0; t < thread_counts_in(trial->kernel->space); t++) {
        struct linear_operator spmv = create(trial, t);
        for (int repeat = 0; repeat < (test_is_slow() ? 1 : 3); repeat++) {
            host_product(&spmv, x, y, NULL);
            expect_near(trial, &reference, y);
            bool fresh =
                (t == 0 && repeat == 0) ||
                (kernel_guarantee(trial->kernel, &trial->options) == GUARANTEE_RUN && repeat == 0);
            if (fresh)
                memcpy(first, y, (size_t)n * sizeof *y);
            if (kernel_guarantee(trial->kernel, &trial->options) >= GUARANTEE_RUN)
                expect_same_bits(name_of(trial), trial->matrix, thread_counts[t], n, first, y);
            if (precision_of(trial) == PRECISION_FLOAT)
                product_float(trial, &spmv, thread_counts[t], &reference, x, y);
        }
        operator_destroy(&spmv);
    }
    reference_free(&reference);
    memory_free(x);
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
 * may cancel, so the bound takes the product with the absolute values. x and y are numbers that the
 * precision does not round; what underflows in single precision does so for every one of the
 * entries. */
static void symmetry(const struct trial *trial)
{
    if (trial->A->kind == CSR_GENERAL)
        return;
    struct error error;
    enum precision precision = precision_of(trial);
    int64_t n = trial->A->n;
    double *x = host_vector(n), *y = host_vector(n), *Ax = host_vector(n), *Ay = host_vector(n);
    host_randomise(x, n, trial->state);
    host_randomise(y, n, trial->state);
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        x[i] = reference_x(precision, x[i]);
        y[i] = reference_x(precision, y[i]);
        largest = fmax(largest, fmax(fabs(x[i]), fabs(y[i])));
    }
    struct linear_operator spmv = create(trial, thread_counts_in(trial->kernel->space) - 1);
    host_product(&spmv, x, Ax, NULL);
    host_product(&spmv, y, Ay, NULL);
    operator_destroy(&spmv);
    double unused;
    double left = dot(x, Ay, n, &unused), right = dot(y, Ax, n, &unused);
    if (trial->A->kind == CSR_SKEW)
        right = -right;
    struct csr absolute;
    expect_ok(csr_expand(trial->A, &absolute, &error), &error);
    double magnitude = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = absolute.offsets[i]; k < absolute.offsets[i + 1]; k++)
            magnitude += fabs(x[i] * reference_value(precision, absolute.values[k]) *
                              y[absolute.columns[k]]);
    double underflow =
        precision == PRECISION_FLOAT ? (double)(absolute.nnz + n) * 0x1p-149 * largest : 0;
    double bound = 2 * (reference_gamma(n + 2, reference_unit(precision)) * magnitude + underflow);
    ck_assert_msg(fabs(left - right) <= bound, "%s on %s: x'Ay = %.17g, y'Ax = %.17g",
                  name_of(trial), trial->matrix, left, right);
    csr_free(&absolute);
    memory_free(x);
    memory_free(y);
    memory_free(Ax);
    memory_free(Ay);
}

/* x . y in the space, of vectors on the host. */
static double separate_dot(struct space *space, int64_t n, const double *x, const double *y)
{
    struct error error;
    double *there, result;
    expect_ok(space_vector(space, 2 * n + 1, "x, y and x . y", &there, &error), &error);
    expect_ok(space_upload(space, n, x, there, &error), &error);
    expect_ok(space_upload(space, n, y, there + n, &error), &error);
    expect_ok(space_dot(space, n, there, there + n, there + 2 * n, &error), &error);
    expect_ok(space_download(space, 1, there + 2 * n, &result, &error), &error);
    space_release(space, there);
    return result;
}

/* The dot that comes with the product has the bits of the separate one, and y those of apply. */
static void fused(const struct trial *trial)
{
    if (trial->A->width != trial->A->n)
        return;
    int64_t n = trial->A->n;
    double *x = host_vector(n), *y = host_vector(n), *alone = host_vector(n);
    host_randomise(x, n, trial->state);
    for (int t = 0; t < thread_counts_in(trial->kernel->space); t++) {
        struct linear_operator spmv = create(trial, t);
        double together = NAN;
        host_product(&spmv, x, y, &together);
        host_product(&spmv, x, alone, NULL);
        double apart = separate_dot(trial->spaces[t], n, x, alone);
        if (spmv.can & OPERATOR_DOT) {
            expect_same_bits(name_of(trial), trial->matrix, thread_counts[t], n, alone, y);
            ck_assert_msg(memcmp(&together, &apart, sizeof apart) == 0,
                          "%s on %s: fused dot %a, separate %a", name_of(trial), trial->matrix,
                          together, apart);
        }
        operator_destroy(&spmv);
    }
    memory_free(x);
    memory_free(y);
    memory_free(alone);
}

/* Y = A X beside the products with each column, where it promises their bits; else within the
 * bound. */
static void multiply_columns(const struct trial *trial, struct linear_operator *spmv, int threads,
                             int64_t columns)
{
    int64_t n = trial->A->n, width = trial->A->width;
    double *x = host_vector(columns * width), *y = host_vector(columns * n);
    double *alone = host_vector(n);
    char matrix[128];
    snprintf(matrix, sizeof matrix, "%s, %d columns", trial->matrix, (int)columns);
    host_randomise(x, columns * width, trial->state);
    host_product_columns(spmv, columns, x, y);
    bool alike = !(spmv->can & OPERATOR_APART) &&
                 kernel_guarantee(trial->kernel, &trial->options) >= GUARANTEE_RUN;
    for (int64_t j = 0; j < columns; j++) {
        if (alike) {
            host_product(spmv, x + j * width, alone, NULL);
            expect_same_bits(name_of(trial), matrix, threads, n, alone, y + j * n);
            continue;
        }
        struct reference reference;
        reference_create(trial->A, matrix, precision_of(trial), x + j * width, &reference);
        expect_near(trial, &reference, y + j * n);
        reference_free(&reference);
    }
    memory_free(x);
    memory_free(y);
    memory_free(alone);
}

/* One number of columns: any stride is as likely as the others. */
static void some_columns(const struct trial *trial)
{
    int t = (int)test_random_below(trial->state, thread_counts_in(trial->kernel->space));
    struct linear_operator spmv = create(trial, t);
    int64_t above = INT64_C(1) << test_random_below(trial->state, 6);
    multiply_columns(trial, &spmv, thread_counts[t],
                     above + 1 + test_random_below(trial->state, above));
    operator_destroy(&spmv);
}

/* Whether it takes this matrix with these parameters: a form may suit some only. */
static bool accepts(const struct trial *trial)
{
    struct error error;
    struct linear_operator spmv;
    enum status status =
        operator_create(trial->kernel, trial->A, &trial->options, trial->spaces[0], &spmv, &error);
    operator_destroy(&spmv);
    if (status != STATUS_CONFIG)
        expect_ok(status, &error);
    return !status;
}

/* Every number near the small end of its range, where a kernel has to cut a matrix into many parts,
 * and every choice of the parameters from k on. */
static void with_choices(struct trial *trial, int k, int64_t number,
                         void (*check)(const struct trial *))
{
    if (k == kernel_parameter_count(trial->kernel)) {
        if (accepts(trial))
            check(trial);
        return;
    }
    const struct parameter *parameter = &trial->kernel->component.parameters[k];
    int64_t value = number > parameter->least ? number : parameter->least;
    int64_t last = parameter_last(parameter), first = value < last ? value : last;
    if (parameter->choices)
        first = 0;
    else
        last = first;
    for (int64_t v = first; v <= last; v++) {
        trial->options.values[k] = v;
        with_choices(trial, k + 1, number, check);
    }
}

static bool has_numbers(const struct kernel *kernel)
{
    for (int k = 0; k < kernel_parameter_count(kernel); k++)
        if (!kernel->component.parameters[k].choices)
            return true;
    return false;
}

static void with_parameters(struct trial *trial, void (*check)(const struct trial *))
{
    trial->options = kernel_defaults(trial->kernel);
    check(trial);
    if (kernel_parameter_count(trial->kernel) == 0)
        return;
    with_choices(trial, 0, 1, check);
    if (has_numbers(trial->kernel))
        with_choices(trial, 0, 37, check);
}

/* An operator, and products with several vectors. */
static enum status attempt(void *context, struct error *error)
{
    const struct trial *trial = context;
    struct linear_operator spmv;
    struct operator_columns columns = {0};
    enum status status =
        operator_create(trial->kernel, trial->A, &trial->options, trial->spaces[0], &spmv, error);
    if (!status)
        status = operator_columns_create(&spmv, COLUMNS_AT_ONCE + 3, &columns, error);
    operator_columns_destroy(&columns);
    operator_destroy(&spmv);
    return status;
}

static void walk(const struct trial *trial)
{
    walk_allocation_failures(attempt, (void *)trial);
}

static void on_matrix(struct trial *trial, const char *name, struct csr *A,
                      void (*check)(const struct trial *))
{
    trial->matrix = name;
    trial->A = A;
    with_parameters(trial, check);
    csr_free(A);
}

/* Symmetric and skew-symmetric ones, and rectangular ones in the place of general. */
static void on_every_matrix(struct trial *trial, void (*check)(const struct trial *))
{
    struct csr A;
    int step = test_is_slow() ? 2 : 1; /* the seed decides which half */
    for (int m = (int)test_random_below(trial->state, step); m < test_matrices_count; m += step) {
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
            if (!(trial->kernel->kinds & kind))
                continue;
            test_matrix_build(&test_matrices[m], kind, trial->state, &A);
            on_matrix(trial, test_matrices[m].name, &A, check);
        }
    }
    if (!(trial->kernel->kinds & CSR_GENERAL))
        return;
    for (int m = 0; m < test_rectangles_count; m++) {
        test_rectangle_build(&test_rectangles[m], trial->state, &A);
        on_matrix(trial, test_rectangles[m].name, &A, check);
    }
}

/* Every number of columns, with the default parameters, over one matrix of each kind. */
static void all_columns(struct trial *trial)
{
    int m = (int)test_random_below(trial->state, test_matrices_count);
    for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
        struct csr A;
        if (!(trial->kernel->kinds & kind))
            continue;
        test_matrix_build(&test_matrices[m], kind, trial->state, &A);
        trial->matrix = test_matrices[m].name;
        trial->A = &A;
        trial->options = kernel_defaults(trial->kernel);
        struct linear_operator spmv = create(trial, 0);
        for (int64_t columns = 1; columns <= COLUMNS_AT_ONCE + 1;
             columns += test_is_slow() ? 3 : 1) /* each stride but 2 */
            multiply_columns(trial, &spmv, thread_counts[0], columns);
        multiply_columns(trial, &spmv, thread_counts[0], 64);
        multiply_columns(trial, &spmv, thread_counts[0], 128);
        operator_destroy(&spmv);
        csr_free(&A);
    }
}

static void every_kernel(enum space_kind kind, void (*check)(const struct trial *),
                         void (*once)(struct trial *))
{
    uint64_t state = test_seed();
    struct space *spaces[THREAD_COUNTS];
    for (int t = 0; t < thread_counts_in(kind); t++)
        spaces[t] = test_space(kind, REDUCTIONS_REPRODUCIBLE, thread_counts[t]);
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    const char *one = getenv("CGSOLVE_TEST_KERNEL"); /* the others were tried elsewhere */
    ck_assert(!one || kernel_find(one));
    for (int k = 0; k < count; k++) {
        struct trial trial = {.kernel = kernels[k], .state = &state, .spaces = spaces};
        if (kernels[k]->space != kind || (one && strcmp(kernels[k]->component.name, one) != 0))
            continue;
        if (once)
            once(&trial);
        on_every_matrix(&trial, check);
    }
    for (int t = 0; t < thread_counts_in(kind); t++)
        spaces[t]->operations->destroy(spaces[t]);
}

void trial_products(enum space_kind kind)
{
    every_kernel(kind, product, NULL);
}

void trial_symmetry(enum space_kind kind)
{
    every_kernel(kind, symmetry, NULL);
}

void trial_fused_dots(enum space_kind kind)
{
    every_kernel(kind, fused, NULL);
}

void trial_columns(enum space_kind kind)
{
    every_kernel(kind, some_columns, all_columns);
}

void trial_failing_setups(enum space_kind kind)
{
    every_kernel(kind, walk, NULL);
}
