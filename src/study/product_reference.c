#include "study/product_reference.h"

#include "base/memory.h"
#include "solver/residual.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* copy[k] = fl(values[k]) as doubles. */
static double *rounded(const double *values, int64_t count, const char *what, struct error *error)
{
    double *copy = memory_array(count, sizeof *copy, what, error);
    for (int64_t k = 0; copy && k < count; k++)
        copy[k] = (double)(float)values[k];
    return copy;
}

/* size[i] = S_i, and length[i] = L, in the order of the entries. */
static void add_sizes(const struct csr *A, const double *x, double *size, int32_t *length)
{
    bool mirrors = A->kind != CSR_GENERAL;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int32_t j = A->columns[k];
            double value = fabs(A->values[k]);
            size[i] += value * fabs(x[j]);
            length[i]++;
            if (mirrors && j != i) {
                size[j] += value * fabs(x[i]);
                length[j]++;
            }
        }
}

double product_gamma(int64_t m, double u)
{
    double mu = (double)m * u;
    return mu < 1 ? mu / (1 - mu) : INFINITY;
}

/* Whether no sum overflows; a NaN may. */
static bool fits(double size, bool single)
{
    return size < (single ? FLT_MAX : DBL_MAX) / 2;
}

double product_bound(int64_t length, double size, bool single)
{
    double u = single ? FLT_EPSILON / 2 : DBL_EPSILON / 2, eta = single ? 0x1p-149 : 0x1p-1074;
    double gamma = product_gamma(length + 3, u);
    if (!fits(size, single) || isinf(gamma))
        return INFINITY;
    return length ? gamma * size + ((double)length + 1) * eta : 0;
}

/* Without u |y|. */
static double compensated_bound(int64_t length, double size)
{
    double u = DBL_EPSILON / 2;
    double gammas = 2 * product_gamma(2 * length, u) * product_gamma(length, u);
    return fits(size, false) ? gammas * size : INFINITY;
}

static void make_bounds(struct product_reference *reference, const int32_t *length, bool single)
{
    for (int64_t i = 0; i < reference->n; i++) {
        double size = reference->bound[i];
        reference->bound[i] = reference->u > 0 ? compensated_bound(length[i], size)
                                               : product_bound(length[i], size, single);
        reference->unjudged += isinf(reference->bound[i]);
    }
}

static enum status create(struct threads *threads, const struct csr *A, const double *x,
                          bool single, struct product_reference *reference, struct error *error)
{
    int32_t *length = memory_zeros(A->n, sizeof *length, "the row lengths", error);
    reference->n = A->n;
    reference->negative = memory_zeros(A->n, sizeof *reference->negative, "the reference", error);
    reference->bound = memory_zeros(A->n, sizeof *reference->bound, "its bounds", error);
    enum status status =
        length && reference->negative && reference->bound ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        residual_subtract_product(threads, A, x, reference->negative);
        add_sizes(A, x, reference->bound, length);
        make_bounds(reference, length, single);
    } else {
        product_reference_free(reference);
    }
    memory_free(length);
    return status;
}

enum status product_reference_create(struct threads *threads, const struct csr *A, const double *x,
                                     enum precision precision, enum product_sums sums,
                                     struct product_reference *reference, struct error *error)
{
    *reference = (struct product_reference){.u = sums == SUMS_COMPENSATED ? DBL_EPSILON / 2 : 0};
    if (precision == PRECISION_DOUBLE)
        return create(threads, A, x, false, reference, error);
    struct csr single = *A;
    single.maker = NULL;
    double *x_single = NULL;
    enum status status = STATUS_OK;
    single.values = rounded(A->values, A->nnz, "the values in single precision", error);
    if (precision == PRECISION_FLOAT)
        x_single = rounded(x, A->width, "x in single precision", error);
    if (!single.values || (precision == PRECISION_FLOAT && !x_single))
        status = STATUS_MEMORY;
    else
        status = create(threads, &single, x_single ? x_single : x, precision == PRECISION_FLOAT,
                        reference, error);
    memory_free(single.values);
    memory_free(x_single);
    return status;
}

void product_reference_free(struct product_reference *reference)
{
    memory_free(reference->negative);
    memory_free(reference->bound);
    *reference = (struct product_reference){0};
}

double product_share_of_bound(double y, struct compensated negative, double bound)
{
    if (isinf(bound))
        return 0;
    double distance = fabs((y + negative.sum) + negative.error);
    if (distance == 0)
        return 0;
    double share = distance / bound;
    return isnan(share) ? INFINITY : share;
}

struct judging {
    const struct product_reference *reference;
    const double *y;
    int64_t stride;
    pthread_mutex_t lock; /* of what is found */
    struct product_error found;
};

static void judge(void *context, int64_t begin, int64_t end)
{
    struct judging *judging = context;
    const struct product_reference *reference = judging->reference;
    struct product_error mine = {.row = -1}, *found = &judging->found;
    for (int64_t i = begin; i < end; i++) {
        double y = judging->y[i * judging->stride], bound = reference->bound[i];
        if (reference->u > 0 && isfinite(y))
            bound += reference->u * fabs(y);
        double share = product_share_of_bound(y, reference->negative[i], bound);
        if (share > mine.worst)
            mine = (struct product_error){share, i, 0};
    }
    pthread_mutex_lock(&judging->lock);
    if (mine.worst > found->worst ||
        (mine.row >= 0 && mine.worst == found->worst && mine.row < found->row))
        *found = mine;
    pthread_mutex_unlock(&judging->lock);
}

struct product_error product_reference_judge(const struct product_reference *reference,
                                             const double *y, int64_t stride)
{
    struct judging judging = {reference, y, stride, PTHREAD_MUTEX_INITIALIZER, {.row = -1}};
    threads_each(threads_lent(), reference->n, judge, &judging);
    return judging.found;
}
