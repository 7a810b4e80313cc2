#include "study/kernel_trials.h"

#include "base/memory.h"
#include "base/parameter.h"
#include "base/text.h"
#include "study/product_columns.h"
#include "study/test_matrices.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const int thread_counts[] = KERNEL_TRIALS_THREADS;
enum { THREADS = sizeof thread_counts / sizeof *thread_counts, REPEATS = 3, SEED = 1 };
enum { SEVERAL = 5, MANY = 35 }; /* columns: one sweep with padding, and two */

struct trials {
    const struct kernel *kernel;
    struct kernel_trials *found;
    struct space *spaces[THREADS];
    int spaces_count;
    uint64_t random; /* the state of the stream of matrices */
    /* The matrix of now: */
    const char *matrix;
    const struct csr *A;
    struct product_columns one, several, many; /* whose first column is that of `one` */
    double *back, *first; /* [x_elements of many]: X after a product; [n]: y with promised bits */
    bool taken;
    /* The operator of now: */
    struct kernel_options options;
    int threads; /* of thread_counts; which */
    bool has_first;
};

static bool holds(const struct trials *trials)
{
    return !*trials->found->broken;
}

/* "form = general, precision = double, " */
static void options_text(const struct trials *trials, char *text, size_t size)
{
    char value[64];
    size_t length = 0;
    *text = '\0';
    for (int k = 0; k < kernel_parameter_count(trials->kernel) && length < size; k++) {
        const struct parameter *parameter = &trials->kernel->component.parameters[k];
        length += (size_t)snprintf(
            text + length, size - length, "%s = %s, ", parameter->name,
            parameter_text(parameter, &trials->options.values[k], value, sizeof value));
    }
}

static void __attribute__((format(printf, 2, 3)))
broken(struct trials *trials, const char *format, ...)
{
    char what[512], options[256], where[32];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    options_text(trials, options, sizeof options);
    int threads = thread_counts[trials->threads];
    snprintf(where, sizeof where, "%d thread%s", threads, text_plural(threads));
    snprintf(trials->found->broken, sizeof trials->found->broken,
             "%s (%s, %" PRId64 " x %" PRId64 "), %s%s: %s", trials->matrix,
             csr_kind_name(trials->A->kind), trials->A->n, trials->A->width, options,
             trials->kernel->space == SPACE_CPU ? where : "on the device", what);
}

static enum kernel_guarantee promised(const struct trials *trials)
{
    return kernel_guarantee(trials->kernel, &trials->options);
}

static bool promises_bits(const struct trials *trials)
{
    return promised(trials) == GUARANTEE_RUN || promised(trials) == GUARANTEE_BITWISE;
}

/* y, element i at y[i stride], has the promised bits; `what` multiplied. */
static void check_bits(struct trials *trials, const char *what, const double *y, int64_t stride)
{
    int64_t i = 0, n = trials->A->n;
    while (i < n && memcmp(&y[i * stride], &trials->first[i], sizeof *y) == 0)
        i++;
    if (i < n)
        broken(trials, "%s: row %" PRId64 " is %a, and was %a in a product before", what, i,
               y[i * stride], trials->first[i]);
}

/* --- one product ------------------------------------------------------------------------------ */

/* X and Y in the space, with one element more behind Y. */
struct place {
    double *X, *Y, *dot;
};

static enum status place_make(struct space *space, const struct product_columns *columns,
                              struct place *made, struct error *error)
{
    *made = (struct place){0};
    enum status status = space_vector(space, columns->x_elements, "X", &made->X, error);
    if (!status)
        status = space_vector(space, columns->y_elements + 1, "Y", &made->Y, error);
    if (!status)
        status = space_scalars(space, 1, "x . y", &made->dot, error);
    if (!status)
        status = space_upload(space, columns->x_elements, columns->X, made->X, error);
    return status ? status : space_fill(space, columns->y_elements + 1, NAN, made->Y, error);
}

static void place_free(struct space *space, struct place *place)
{
    space_release(space, place->X);
    space_release(space, place->Y);
    space_release(space, place->dot);
}

/* Y from the space, and whether nothing else has changed. */
static enum status take(struct trials *trials, struct space *space, struct product_columns *columns,
                        const struct place *place, struct error *error)
{
    double behind;
    int64_t elements = columns->x_elements;
    enum status status = space_download(space, columns->y_elements, place->Y, columns->Y, error);
    if (!status)
        status = space_download(space, 1, place->Y + columns->y_elements, &behind, error);
    if (!status)
        status = space_download(space, elements, place->X, trials->back, error);
    if (status)
        return status;
    trials->found->products++;
    if (!isnan(behind))
        broken(trials, "it writes past the end of y");
    if (memcmp(trials->back, columns->X, (size_t)elements * sizeof *trials->back) != 0)
        broken(trials, "it changes x");
    return STATUS_OK;
}

/* Whether Y is near A X. */
static enum status judge(struct trials *trials, struct product_columns *columns,
                         struct error *error)
{
    struct product_error found;
    int64_t unjudged;
    enum precision precision = kernel_precision(trials->kernel, &trials->options);
    if (!holds(trials))
        return STATUS_OK;
    enum status status = product_columns_judge(columns, precision, &found, &unjudged, error);
    if (!status && found.worst > 1)
        broken(trials,
               "row %" PRId64 " of column %" PRId64 " of %" PRId64 " is off by %.3g times "
               "what rounding explains",
               found.row, found.column, columns->count, found.worst);
    return status;
}

/* y = A x, and x . y where the operator makes it, which has the bits of a sum apart. */
static enum status multiply(struct trials *trials, const struct linear_operator *spmv, bool dot,
                            struct error *error)
{
    struct space *space = spmv->space;
    struct product_columns *one = &trials->one;
    struct place place;
    double together = 0, apart = 0;
    enum status status = place_make(space, one, &place, error);
    if (!status)
        status = dot ? operator_apply_dot(spmv, place.X, place.Y, place.dot, error)
                     : operator_apply(spmv, place.X, place.Y, error);
    if (!status && dot)
        status = space_download(space, 1, place.dot, &together, error);
    if (!status && dot)
        status = space_dot(space, one->A->n, place.X, place.Y, place.dot, error);
    if (!status && dot)
        status = space_download(space, 1, place.dot, &apart, error);
    if (!status)
        status = take(trials, space, one, &place, error);
    place_free(space, &place);
    if (!status && memcmp(&together, &apart, sizeof apart) != 0)
        broken(trials, "x . y comes with the product as %a, and is %a", together, apart);
    return status ? status : judge(trials, one, error);
}

/* Y = A X: judged, and where bits are promised its first column is y. */
static enum status multiply_columns(struct trials *trials, const struct linear_operator *spmv,
                                    struct product_columns *columns, struct error *error)
{
    struct space *space = spmv->space;
    struct operator_columns product = {0};
    struct place place;
    char what[64];
    enum status status = place_make(space, columns, &place, error);
    if (!status)
        status = operator_columns_create(spmv, columns->count, &product, error);
    if (!status)
        status = operator_columns_apply(&product, place.X, place.Y, error);
    if (!status)
        status = take(trials, space, columns, &place, error);
    operator_columns_destroy(&product);
    place_free(space, &place);
    if (!status)
        status = judge(trials, columns, error);
    snprintf(what, sizeof what, "column 0 of %" PRId64, columns->count);
    if (!status && holds(trials) && promises_bits(trials) && !(spmv->can & OPERATOR_APART))
        check_bits(
            trials, what, columns->Y,
            columns_stride(columns->count < COLUMNS_AT_ONCE ? columns->count : COLUMNS_AT_ONCE));
    return status;
}

/* The same x and y as singles: y has the same bits. x[width + n + 1] is room. */
static enum status multiply_singles(struct trials *trials, const struct linear_operator *spmv,
                                    float *x, struct error *error)
{
    int64_t n = trials->A->n, width = trials->A->width;
    struct space *space = spmv->space;
    float *y = x + width, *there = NULL;
    for (int64_t j = 0; j < width; j++)
        x[j] = (float)trials->one.X[j];
    for (int64_t i = 0; i <= n; i++)
        y[i] = NAN;
    /* y is aligned as a vector is */
    int64_t at = (width + 15) / 16 * 16;
    enum status status = space_vector_float(space, at + n + 1, "x and y", &there, error);
    if (!status)
        status = space_upload_float(space, width, x, there, error);
    if (!status)
        status = space_upload_float(space, n + 1, y, there + at, error);
    struct operands operands = {.x = there, .y = there + at, .singles = true};
    if (!status)
        status = operator_apply_to(spmv, &operands, error);
    if (!status)
        status = space_download_float(space, n + 1, there + at, y, error);
    space_release(space, there);
    if (status)
        return status;
    trials->found->products++;
    if (!isnan(y[n]))
        broken(trials, "it writes past the end of y, a vector of singles");
    for (int64_t i = 0; i < n; i++)
        trials->one.Y[i] = y[i];
    status = judge(trials, &trials->one, error);
    if (!status && holds(trials) && promises_bits(trials))
        check_bits(trials, "vectors of singles", trials->one.Y, 1);
    return status;
}

static enum status try_singles(struct trials *trials, const struct linear_operator *spmv,
                               struct error *error)
{
    int64_t room = trials->A->n + trials->A->width + 1;
    float *x = memory_array(room, sizeof *x, "vectors of singles", error);
    enum status status = x ? multiply_singles(trials, spmv, x, error) : STATUS_MEMORY;
    memory_free(x);
    return status;
}

/* --- one operator ----------------------------------------------------------------------------- */

static void check_slots(struct trials *trials, const struct linear_operator *spmv)
{
    const struct csr *A = trials->A;
    bool float_sums = kernel_precision(trials->kernel, &trials->options) == PRECISION_FLOAT;
    int64_t vectors = (int64_t)sizeof(double) * (A->n + A->width);
    trials->found->can |= spmv->can;
    if (!spmv->table || !spmv->table->apply || !spmv->table->destroy)
        broken(trials, "the operator has no table, apply or destroy");
    else if (spmv->n != A->n || spmv->width != A->width || spmv->products != 1)
        broken(trials, "set-up changes the operator's n, width or products");
    else if (!(spmv->can & OPERATOR_SINGLES) == float_sums)
        broken(trials, "OPERATOR_SINGLES is for sums of single precision, and for these always");
    else if (spmv->can & OPERATOR_COLUMNS && spmv->can & OPERATOR_APART)
        broken(trials, "OPERATOR_COLUMNS and OPERATOR_APART exclude each other");
    else if (spmv->bytes_per_apply <= 0 || spmv->bytes_per_column < 0 ||
             (operator_sweeps(spmv) && spmv->bytes_per_column > spmv->bytes_per_apply - vectors))
        broken(trials, "bytes_per_apply or bytes_per_column is not possible");
    else
        spmv->table->destroy(NULL);
}

/* Products with one vector, on the same x. */
static enum status try_vector(struct trials *trials, const struct linear_operator *spmv,
                              struct error *error)
{
    enum status status = STATUS_OK;
    int64_t n = trials->A->n;
    bool square = trials->A->width == n && spmv->can & OPERATOR_DOT;
    for (int repeat = 0; repeat < REPEATS && !status && holds(trials); repeat++) {
        status = multiply(trials, spmv, square && repeat == REPEATS - 1, error);
        if (status || !holds(trials) || !promises_bits(trials))
            continue;
        if (!trials->has_first)
            memcpy(trials->first, trials->one.Y, (size_t)n * sizeof *trials->first);
        trials->has_first = true;
        check_bits(trials, "y", trials->one.Y, 1);
    }
    return status;
}

static enum status try_operator(struct trials *trials, struct error *error)
{
    struct linear_operator spmv;
    struct error why;
    struct space *space = trials->spaces[trials->threads];
    enum status status =
        operator_create(trials->kernel, trials->A, &trials->options, space, &spmv, &why);
    if (status == STATUS_CONFIG && !trials->has_first)
        return STATUS_OK; /* this form is for other matrices */
    if (status == STATUS_MEMORY || status == STATUS_DEVICE)
        return error_set(error, status, "%s", why.text);
    if (status) {
        broken(trials, "set-up ends with: %s", why.text);
        return STATUS_OK;
    }
    trials->taken = true;
    check_slots(trials, &spmv);
    if (holds(trials))
        status = try_vector(trials, &spmv, error);
    if (!status && holds(trials))
        status = multiply_columns(trials, &spmv, &trials->several, error);
    if (!status && holds(trials) && trials->threads == trials->spaces_count - 1)
        status = multiply_columns(trials, &spmv, &trials->many, error);
    if (!status && holds(trials) && spmv.can & OPERATOR_SINGLES)
        status = try_singles(trials, &spmv, error);
    operator_destroy(&spmv);
    return status;
}

/* With each number of threads, set up twice. */
static enum status try_options(struct trials *trials, struct error *error)
{
    enum status status = STATUS_OK;
    trials->has_first = false;
    for (int k = 0; k < 2 * trials->spaces_count && !status && holds(trials); k++) {
        trials->threads = k / 2;
        if (k % 2 == 0 && promised(trials) == GUARANTEE_RUN)
            trials->has_first = false;
        status = try_operator(trials, error);
    }
    return status;
}

/* Each choice of the parameters from k on, and `number`, or the least above it, for numbers. */
static enum status try_choices(struct trials *trials, int k, int64_t number, struct error *error)
{
    if (k == kernel_parameter_count(trials->kernel))
        return try_options(trials, error);
    const struct parameter *parameter = &trials->kernel->component.parameters[k];
    int64_t first = 0, last = 0;
    if (parameter->type == PARAMETER_CHOICE)
        while (parameter->choices[last + 1])
            last++;
    else
        first = last = number < parameter->least  ? parameter->least
                       : number > parameter->most ? parameter->most
                                                  : number;
    enum status status = STATUS_OK;
    for (int64_t value = first; value <= last && !status && holds(trials); value++) {
        trials->options.values[k] = value;
        status = try_choices(trials, k + 1, number, error);
    }
    return status;
}

/* --- one matrix ------------------------------------------------------------------------------- */

static enum status begin_matrix(struct trials *trials, struct error *error)
{
    const struct csr *A = trials->A;
    enum status status = product_columns_create(NULL, A, SEED, 1, 0, &trials->one, error);
    if (!status)
        status = product_columns_create(NULL, A, SEED, SEVERAL, 0, &trials->several, error);
    if (!status)
        status = product_columns_create(NULL, A, SEED, MANY, 0, &trials->many, error);
    if (status)
        return status;
    trials->back = memory_array(trials->many.x_elements, sizeof *trials->back, "X", error);
    trials->first = memory_array(A->n, sizeof *trials->first, "y", error);
    return trials->back && trials->first ? STATUS_OK : STATUS_MEMORY;
}

static void end_matrix(struct trials *trials)
{
    product_columns_free(&trials->one);
    product_columns_free(&trials->several);
    product_columns_free(&trials->many);
    memory_free(trials->back);
    memory_free(trials->first);
    trials->back = trials->first = NULL;
}

static enum status try_matrix(struct trials *trials, const char *name, const struct csr *A,
                              struct error *error)
{
    trials->matrix = name;
    trials->A = A;
    trials->taken = false;
    trials->options = kernel_defaults(trials->kernel);
    enum status status = begin_matrix(trials, error);
    if (!status)
        status = try_options(trials, error);
    if (!status && holds(trials) && kernel_parameter_count(trials->kernel) > 0)
        status = try_choices(trials, 0, 1, error);
    if (!status && holds(trials) && kernel_parameter_count(trials->kernel) > 0)
        status = try_choices(trials, 0, 37, error);
    trials->found->matrices += trials->taken;
    end_matrix(trials);
    return status;
}

static enum status try_symmetric(struct trials *trials, enum csr_kind kind, struct error *error)
{
    enum status status = STATUS_OK;
    for (int m = 0; m < test_matrices_count && !status && holds(trials); m++) {
        struct csr A;
        status = test_matrix_make(&test_matrices[m], kind, &trials->random, &A, error);
        if (!status)
            status = try_matrix(trials, test_matrices[m].name, &A, error);
        csr_free(&A);
    }
    return status;
}

static enum status try_general(struct trials *trials, struct error *error)
{
    enum status status = STATUS_OK;
    for (int m = 0; m < test_rectangles_count && !status && holds(trials); m++) {
        struct csr A;
        status = test_rectangle_make(&test_rectangles[m], &trials->random, &A, error);
        if (!status)
            status = try_matrix(trials, test_rectangles[m].name, &A, error);
        csr_free(&A);
    }
    return status;
}

static enum status try_all(struct trials *trials, struct error *error)
{
    unsigned kinds = trials->kernel->kinds;
    enum status status = STATUS_OK;
    if (kinds & CSR_SYMMETRIC)
        status = try_symmetric(trials, CSR_SYMMETRIC, error);
    if (!status && kinds & CSR_SKEW)
        status = try_symmetric(trials, CSR_SKEW, error);
    if (!status && kinds & CSR_GENERAL)
        status = try_general(trials, error);
    if (!status && holds(trials) && trials->found->matrices == 0)
        snprintf(trials->found->broken, sizeof trials->found->broken,
                 "it takes none of the matrices of its kinds");
    return status;
}

enum status kernel_try(const struct kernel *kernel, struct kernel_trials *found,
                       struct error *error)
{
    struct trials trials = {.kernel = kernel, .found = found, .random = SEED};
    enum status status = STATUS_OK;
    int wanted = kernel->space == SPACE_CPU ? THREADS : 1;
    *found = (struct kernel_trials){0};
    for (int k = 0; k < wanted && !status; k++) {
        struct space_options options = {.threads = thread_counts[k]};
        status = space_create(kernel->space, &options, &trials.spaces[k], error);
        trials.spaces_count += !status;
    }
    if (!status)
        status = try_all(&trials, error);
    for (int k = 0; k < trials.spaces_count; k++)
        trials.spaces[k]->operations->destroy(trials.spaces[k]);
    return status;
}
