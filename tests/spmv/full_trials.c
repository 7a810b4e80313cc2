#include "spmv/full_trials.h"

#include "csr_check.h"
#include "support.h"

#include "matrices.h"
#include "spaces.h"
#include "spmv/host_product.h"
#include "spmv/precision.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- matrices -------------------------------------------------------------------------------- */

/* Of the columns left, each as likely as any other to be among those still wanted. */
static void random_columns(int64_t width, int64_t wanted, uint64_t *state, int32_t *columns)
{
    for (int64_t j = 0; wanted > 0; j++) {
        if (test_random_below(state, width - j) < wanted) {
            *columns++ = (int32_t)j;
            wanted--;
        }
    }
}

void full_matrix(int64_t n, int64_t width, const int64_t *lengths, uint64_t *state, struct csr *A)
{
    struct error error;
    int64_t nnz = 0;
    for (int64_t i = 0; i < n; i++)
        nnz += lengths[i];
    expect_ok(csr_create(A, CSR_GENERAL, n, nnz, &error), &error);
    A->width = width;
    A->offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        A->offsets[i + 1] = A->offsets[i] + lengths[i];
        random_columns(width, lengths[i], state, A->columns + A->offsets[i]);
    }
    for (int64_t k = 0; k < nnz; k++)
        A->values[k] = (2 * test_random(state) - 1) * (k % 13 == 5 ? 1e4 : 1);
    expect_ok(csr_check(A, &error), &error);
}

static int64_t *lengths_of(int64_t n)
{
    struct error error;
    int64_t *lengths = memory_zeros(n, sizeof *lengths, "a test matrix's rows", &error);
    ck_assert_ptr_nonnull(lengths);
    return lengths;
}

void full_matrix_random(uint64_t *state, struct csr *A)
{
    static const int64_t longest[] = {1, 3, 7, 33, 70, 200, 1500};
    int64_t n = 1 + test_random_below(state, 600), width = 1 + test_random_below(state, 3000);
    int64_t limit = longest[test_random_below(state, 7)];
    bool equal = test_random(state) < 0.3;
    double empty = test_random(state) < 0.5 ? 0 : 0.9 * test_random(state);
    double all = test_random(state) < 0.5 ? 0 : 2.0 / (double)n;
    int64_t *lengths = lengths_of(n), same = 1 + test_random_below(state, limit), left = 20000;
    bool skip = false;
    for (int64_t i = 0; i < n; i++) {
        if (test_random(state) < 0.3)
            skip = test_random(state) < empty;
        int64_t wanted = equal ? same : 1 + test_random_below(state, limit);
        if (test_random(state) < all)
            wanted = width;
        wanted = skip || wanted > left ? 0 : wanted < width ? wanted : width;
        lengths[i] = wanted;
        left -= wanted;
    }
    full_matrix(n, width, lengths, state, A);
    memory_free(lengths);
}

/* What test_rectangles have not: rows that cross many shares, or end with one. n rows of `length`,
 * and one of all columns, or -1. */
static const struct shape {
    const char *name;
    int64_t n, width, length, dense;
} shapes[] = {
    {"one entry", 1, 1, 1, -1},
    {"one very long row", 1, 150000, 150000, -1},
    {"only the last row", 700, 9000, 0, 699},
    {"only the first row", 700, 9000, 0, 0},
    {"one very long row among short ones", 800, 40000, 3, 397},
    {"rows of 4", 2048, 64, 4, -1},
    {"rows of 128", 160, 300, 128, -1},
    {"rows of 512", 40, 600, 512, -1},
    {"rows of 1024", 20, 1100, 1024, -1},
    {"rows of 4096", 11, 4096, 4096, -1},
};

static void shape_build(const struct shape *shape, uint64_t *state, struct csr *A)
{
    int64_t *lengths = lengths_of(shape->n);
    for (int64_t i = 0; i < shape->n; i++)
        lengths[i] = i == shape->dense ? shape->width : shape->length;
    full_matrix(shape->n, shape->width, lengths, state, A);
    memory_free(lengths);
}

void full_matrices(void (*check)(void *context, const char *name, const struct csr *A),
                   void *context)
{
    uint64_t state = test_seed();
    struct csr A;
    for (int m = 0; m < test_matrices_count; m++) {
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_GENERAL; kind *= 2) {
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            check(context, test_matrices[m].name, &A);
            csr_free(&A);
        }
    }
    for (int m = 0; m < test_rectangles_count; m++) {
        test_rectangle_build(&test_rectangles[m], &state, &A);
        check(context, test_rectangles[m].name, &A);
        csr_free(&A);
    }
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        shape_build(&shapes[s], &state, &A);
        check(context, shapes[s].name, &A);
        csr_free(&A);
    }
    for (int trial = 0; trial < (test_is_slow() ? 5 : 60); trial++) {
        full_matrix_random(&state, &A);
        check(context, "a random matrix", &A);
        csr_free(&A);
    }
}

/* ---- bounds ---------------------------------------------------------------------------------- */

struct trial {
    const struct full_twin *twin;
    uint64_t state;
    struct space *space; /* of a device's trial */
};

static double *random_x(struct trial *trial, const struct csr *A)
{
    double *x = host_vector(A->width);
    host_randomise(x, A->width, &trial->state);
    return x;
}

static double *poisoned(int64_t n)
{
    double *y = host_vector(n);
    for (int64_t i = 0; i < n; i++)
        y[i] = NAN;
    return y;
}

static void bounds(void *context, const char *name, const struct csr *A)
{
    struct trial *trial = context;
    double *x = random_x(trial, A), *y = poisoned(A->n);
    for (int p = PRECISION_DOUBLE; p <= PRECISION_FLOAT_DOUBLE; p++) {
        struct product_reference reference;
        host_reference(A, x, (enum precision)p, SUMS_PLAIN, &reference);
        for (int v = 0; v < trial->twin->count; v++) {
            char what[128];
            snprintf(what, sizeof what, "the twin of %s with %d (%s)", trial->twin->kernel,
                     trial->twin->values[v], kernel_precisions[p]);
            trial->twin->multiply(A, trial->twin->values[v], (enum precision)p, x, y);
            expect_product(&reference, what, name, y);
        }
        product_reference_free(&reference);
    }
    memory_free(x);
    memory_free(y);
}

void full_trial_bounds(const struct full_twin *twin)
{
    struct trial trial = {.twin = twin, .state = test_seed()};
    full_matrices(bounds, &trial);
}

static void not_a_number(void *context, const char *name, const struct csr *A)
{
    struct error error;
    struct trial *trial = context;
    struct csr full;
    double *x = random_x(trial, A), *y = poisoned(A->n);
    int64_t bad = test_random(&trial->state) < 0.5 ? 0 : test_random_below(&trial->state, A->width);
    x[bad] = NAN;
    expect_ok(csr_expand(A, &full, &error), &error);
    for (int v = 0; v < trial->twin->count; v++) {
        trial->twin->multiply(A, trial->twin->values[v], PRECISION_DOUBLE, x, y);
        for (int64_t i = 0; i < full.n; i++) {
            bool met = false;
            for (int64_t k = full.offsets[i]; k < full.offsets[i + 1]; k++)
                met |= full.columns[k] == bad;
            if (isnan(y[i]) != met)
                ck_abort_msg("the twin of %s on %s: row %d: %g", trial->twin->kernel, name, (int)i,
                             y[i]);
        }
    }
    csr_free(&full);
    memory_free(x);
    memory_free(y);
}

void full_trial_not_a_number(const struct full_twin *twin)
{
    struct trial trial = {.twin = twin, .state = test_seed()};
    full_matrices(not_a_number, &trial);
}

/* ---- the kernel on a device ------------------------------------------------------------------ */

static void same_as_twin(struct trial *trial, const char *name, const struct csr *A,
                         const double *x, struct kernel_options *options, int value)
{
    struct error error;
    struct linear_operator spmv;
    const struct kernel *kernel = kernel_find(trial->twin->kernel);
    double *wanted = poisoned(A->n), *y = poisoned(A->n);
    enum precision precision = kernel_precision(kernel, options);
    trial->twin->multiply(A, value, precision, x, wanted);
    expect_ok(operator_create(kernel, A, options, trial->space, &spmv, &error), &error);
    for (int repeat = 0; repeat < 3; repeat++) { /* the slots are empty again, each time */
        host_product(&spmv, x, y, NULL);
        expect_same_bits(kernel->component.name, name, value, A->n, wanted, y);
    }
    if (precision == PRECISION_FLOAT) {
        host_product_float(&spmv, x, y);
        expect_same_bits(kernel->component.name, name, value, A->n, wanted, y);
    }
    expect_column(kernel->component.name, name, &spmv, &trial->state, x, wanted);
    operator_destroy(&spmv);
    memory_free(wanted);
    memory_free(y);
}

static void device(void *context, const char *name, const struct csr *A)
{
    struct trial *trial = context;
    const struct kernel *kernel = kernel_find(trial->twin->kernel);
    double *x = random_x(trial, A);
    for (int v = 0; v < trial->twin->count; v++) {
        for (int p = PRECISION_DOUBLE; p <= PRECISION_FLOAT_DOUBLE; p++) {
            struct kernel_options options = kernel_defaults(kernel);
            trial->twin->choose(trial->twin->values[v], &options);
            ck_assert(choose_precision(kernel, (enum precision)p, &options));
            same_as_twin(trial, name, A, x, &options, trial->twin->values[v]);
        }
    }
    memory_free(x);
}

void full_trial_device(const struct full_twin *twin)
{
    struct trial trial = {.twin = twin, .state = test_seed()};
    trial.space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    full_matrices(device, &trial);
    trial.space->operations->destroy(trial.space);
}
