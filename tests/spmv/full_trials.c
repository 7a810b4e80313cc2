#include "spmv/full_trials.h"

#include "support.h"

#include "matrices.h"
#include "spmv/host_product.h"
#include "spmv/reference.h"
#include "spmv/rounded.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- matrices ---------------------------------------------------------------------------------- */

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
    expect_ok(csr_create_rectangular(A, n, width, nnz, &error), &error);
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

/* n rows of `length`, but `first` and `last` of them without entries, and one row of all columns, or -1. */
struct shape {
    const char *name;
    int64_t n, width, length, first, last, dense;
};

static const struct shape shapes[] = {
    {"one entry", 1, 1, 1, 0, 0, -1},
    {"one empty row", 1, 1, 0, 0, 0, -1},
    {"no entry at all", 3000, 7, 0, 0, 0, -1},
    {"one row", 1, 150000, 150000, 0, 0, -1},
    {"one column", 5000, 1, 1, 0, 0, -1},
    {"wide", 40, 30000, 90, 0, 0, -1},
    {"empty at the begin and the end", 900, 50, 7, 300, 300, -1},
    {"only the last row", 700, 9000, 0, 0, 0, 699},
    {"only the first row", 700, 9000, 0, 0, 0, 0},
    {"one long row among short ones", 800, 40000, 3, 0, 0, 397},
    {"rows of 4", 2048, 64, 4, 0, 0, -1},
    {"rows of 32", 640, 64, 32, 0, 0, -1},
    {"rows of 128", 160, 300, 128, 0, 0, -1},
    {"rows of 512", 40, 600, 512, 0, 0, -1},
    {"rows of 1024", 20, 1100, 1024, 0, 0, -1},
    {"rows of 4096", 11, 4096, 4096, 0, 0, -1},
};

static void shape_build(const struct shape *shape, uint64_t *state, struct csr *A)
{
    int64_t *lengths = lengths_of(shape->n);
    for (int64_t i = shape->first; i < shape->n - shape->last; i++)
        lengths[i] = shape->length;
    if (shape->dense >= 0)
        lengths[shape->dense] = shape->width;
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

/* ---- bounds ------------------------------------------------------------------------------------ */

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

/* gamma_{L+1} S_i with the unit roundoff of the sums. */
static double allowed(const struct reference_row *row, enum precision precision)
{
    double mu = (double)(row->length + 1) * (precision == PRECISION_FLOAT ? 0x1p-24 : 0x1p-53);
    return mu / (1 - mu) * row->magnitude;
}

/* A and x are rounded in place. */
static void expect_bounds(const struct trial *trial, const char *name, struct csr *A, double *x,
                          int value, enum precision precision)
{
    struct reference reference;
    double *y = poisoned(A->n);
    trial->twin->multiply(A, value, precision, x, y);
    for (int64_t k = 0; k < A->nnz; k++)
        A->values[k] = rounded_value(precision, A->values[k]);
    for (int64_t j = 0; j < A->width; j++)
        x[j] = rounded_element(precision, x[j]);
    reference_create(A, name, x, &reference);
    for (int64_t i = 0; i < A->n; i++) {
        double distance = fabs(reference_distance(&reference.rows[i], y[i]));
        if (!(distance <= allowed(&reference.rows[i], precision)))
            ck_abort_msg("the twin of %s with %d, precision %s, on %s: row %d: %.17g, off by %.3g",
                         trial->twin->kernel, value, kernel_precisions[precision], name, (int)i,
                         y[i], distance);
    }
    reference_free(&reference);
    memory_free(y);
}

static void bounds(void *context, const char *name, const struct csr *A)
{
    struct trial *trial = context;
    double *x = random_x(trial, A);
    for (int p = PRECISION_DOUBLE; p <= PRECISION_FLOAT_DOUBLE; p++) {
        for (int v = 0; v < trial->twin->count; v++) {
            struct error error;
            struct csr mine;
            double *my_x = host_vector(A->width);
            memcpy(my_x, x, (size_t)A->width * sizeof *x);
            expect_ok(csr_expand(A, &mine, &error), &error);
            expect_bounds(trial, name, &mine, my_x, trial->twin->values[v], p);
            csr_free(&mine);
            memory_free(my_x);
        }
    }
    memory_free(x);
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

/* ---- the kernel on a device -------------------------------------------------------------------- */

static double *there(struct space *space, int64_t count)
{
    struct error error;
    double *vector;
    expect_ok(space->operations->allocate(space, count, "a test's vector", &vector, &error),
              &error);
    expect_ok(space->operations->fill(space, count, NAN, vector, &error), &error);
    return vector;
}

static void product(struct spmv *spmv, const double *x, double *y)
{
    struct error error;
    struct space *space = spmv->space;
    double *x_there = there(space, spmv->width), *y_there = there(space, spmv->n);
    expect_ok(space->operations->upload(space, spmv->width, x, x_there, &error), &error);
    expect_ok(spmv_apply(spmv, x_there, y_there, &error), &error);
    expect_ok(space->operations->download(space, spmv->n, y_there, y, &error), &error);
    space->operations->release(space, x_there);
    space->operations->release(space, y_there);
}

/* By vectors of single precision, which go there and back two in a double. */
static void product_float(struct spmv *spmv, const double *x, double *y)
{
    struct error error;
    struct space *space = spmv->space;
    int64_t x_pairs = (spmv->width + 1) / 2, y_pairs = (spmv->n + 1) / 2;
    double *x_there = there(space, x_pairs), *y_there = there(space, y_pairs);
    float *x_here = memory_zeros(x_pairs, 2 * sizeof *x_here, "x", &error);
    float *y_here = memory_zeros(y_pairs, 2 * sizeof *y_here, "y", &error);
    ck_assert(x_here && y_here);
    for (int64_t j = 0; j < spmv->width; j++)
        x_here[j] = (float)x[j];
    expect_ok(space->operations->upload(space, x_pairs, (double *)x_here, x_there, &error), &error);
    expect_ok(spmv_apply_float(spmv, (float *)x_there, (float *)y_there, &error), &error);
    expect_ok(space->operations->download(space, y_pairs, y_there, (double *)y_here, &error),
              &error);
    for (int64_t i = 0; i < spmv->n; i++)
        y[i] = (double)y_here[i];
    memory_free(x_here);
    memory_free(y_here);
    space->operations->release(space, x_there);
    space->operations->release(space, y_there);
}

static void same_as_twin(struct trial *trial, const char *name, const struct csr *A,
                         const double *x, struct kernel_options *options, int value)
{
    struct error error;
    struct spmv spmv;
    const struct kernel *kernel = kernel_find(trial->twin->kernel);
    double *wanted = poisoned(A->n), *y = poisoned(A->n);
    enum precision precision = kernel_precision(kernel, options);
    trial->twin->multiply(A, value, precision, x, wanted);
    expect_ok(spmv_create(kernel, A, options, trial->space, &spmv, &error), &error);
    for (int repeat = 0; repeat < 3; repeat++) { /* the slots are empty again, each time */
        product(&spmv, x, y);
        expect_same_bits(kernel->name, name, value, A->n, wanted, y);
    }
    if (precision == PRECISION_FLOAT) {
        product_float(&spmv, x, y);
        expect_same_bits(kernel->name, name, value, A->n, wanted, y);
    }
    spmv_destroy(&spmv);
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
            if (trial->twin->has_parameter)
                options.values[0] = trial->twin->values[v];
            options.values[trial->twin->has_parameter] = p;
            same_as_twin(trial, name, A, x, &options, trial->twin->values[v]);
        }
    }
    memory_free(x);
}

void full_trial_device(const struct full_twin *twin)
{
    struct error error;
    struct trial trial = {.twin = twin, .state = test_seed()};
    expect_ok(space_create(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, &trial.space, &error), &error);
    full_matrices(device, &trial);
    trial.space->operations->destroy(trial.space);
}
