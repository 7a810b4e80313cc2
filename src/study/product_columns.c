#include "study/product_columns.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"

/* Column j of a multivector of n rows: element i is v[place + i stride]. */
struct column {
    int64_t place, stride;
};

static struct column column_of(int64_t n, int64_t count, int64_t j)
{
    int64_t first = j / COLUMNS_AT_ONCE * COLUMNS_AT_ONCE, left = count - first;
    return (struct column){first * n + j - first,
                           columns_stride(left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE)};
}

void product_columns_draw(int64_t n, int64_t count, int64_t seed, double *x, double *X)
{
    for (int64_t j = 0; j < count; j++) {
        struct column at = column_of(n, count, j);
        random_vector((int64_t)((uint64_t)seed + (uint64_t)j), n, count > 1 ? x : X);
        for (int64_t i = 0; i < n && count > 1; i++)
            X[at.place + i * at.stride] = x[i];
    }
}

int64_t product_columns_bytes(const struct csr *A, int64_t count)
{
    return (columns_elements(A->width, count) + columns_elements(A->n, count)) *
           (int64_t)sizeof(double);
}

static double reference_bytes(const struct csr *A)
{
    return (double)A->n * (sizeof(struct compensated) + sizeof(double));
}

enum status product_columns_create(struct threads *threads, const struct csr *A, int64_t seed,
                                   int64_t count, int64_t more, struct product_columns *made,
                                   struct error *error)
{
    *made = (struct product_columns){.A = A, .threads = threads, .seed = seed, .count = count};
    struct error unused;
    double wanted = (double)(product_columns_bytes(A, count) + more) + 8.0 * (double)A->width;
    enum status status = memory_fits(wanted + reference_bytes(A), "a bench of products", error);
    if (status)
        return status;
    made->keeps = count == 1 || !memory_fits(wanted + 4 * (double)count * reference_bytes(A),
                                             "the references", &unused);
    made->x_elements = columns_elements(A->width, count);
    made->y_elements = columns_elements(A->n, count);
    made->X = memory_zeros(made->x_elements, sizeof(double), "X", error);
    made->Y = memory_array(made->y_elements, sizeof(double), "Y", error);
    if (count > 1)
        made->x = memory_array(A->width, sizeof(double), "a column of X", error);
    status = made->X && made->Y && (made->x || count == 1) ? STATUS_OK : STATUS_MEMORY;
    for (int k = 0; k <= PRECISION_FLOAT_DOUBLE && !status; k++) {
        made->references[k] =
            memory_zeros(count, sizeof *made->references[k], "the references", error);
        status = made->references[k] ? STATUS_OK : STATUS_MEMORY;
    }
    if (status)
        product_columns_free(made);
    else
        product_columns_draw(A->width, count, seed, made->x, made->X);
    return status;
}

static void forget_references(struct product_columns *columns)
{
    for (int k = 0; k <= PRECISION_FLOAT_DOUBLE; k++)
        for (int64_t j = 0; columns->references[k] && j < columns->count; j++)
            product_reference_free(&columns->references[k][j]);
}

void product_columns_free(struct product_columns *columns)
{
    forget_references(columns);
    for (int k = 0; k <= PRECISION_FLOAT_DOUBLE; k++)
        memory_free(columns->references[k]);
    memory_free(columns->X);
    memory_free(columns->Y);
    memory_free(columns->x);
    *columns = (struct product_columns){0};
}

uint64_t product_columns_hash(struct product_columns *columns)
{
    int64_t n = columns->A->n, first = (columns->count - 1) / COLUMNS_AT_ONCE * COLUMNS_AT_ONCE;
    struct column last = column_of(n, columns->count, first);
    for (int64_t i = 0; i < n; i++) /* all others are full */
        for (int64_t j = columns->count - first; j < last.stride; j++)
            columns->Y[last.place + i * last.stride + j] = 0;
    return hash_vector(columns->threads, columns->Y, columns->y_elements);
}

/* The reference of column j, unless it is there. */
static enum status refer(struct product_columns *columns, int64_t j, enum precision precision,
                         struct product_reference *reference, struct error *error)
{
    if (reference->negative)
        return STATUS_OK;
    int64_t width = columns->A->width;
    struct column at = column_of(width, columns->count, j);
    for (int64_t i = 0; i < width && columns->x; i++)
        columns->x[i] = columns->X[at.place + i * at.stride];
    return product_reference_create(columns->threads, columns->A,
                                    columns->x ? columns->x : columns->X, precision, SUMS_PLAIN,
                                    reference, error);
}

enum status product_columns_judge(struct product_columns *columns, enum precision precision,
                                  struct product_error *found, int64_t *unjudged,
                                  struct error *error)
{
    enum status status = STATUS_OK;
    *found = (struct product_error){.row = -1};
    *unjudged = 0;
    for (int64_t j = 0; j < columns->count && !status; j++) {
        struct product_reference *reference = &columns->references[precision][j];
        struct column at = column_of(columns->A->n, columns->count, j);
        status = refer(columns, j, precision, reference, error);
        if (status == STATUS_MEMORY && columns->keeps) { /* kernels have come between */
            forget_references(columns);
            columns->keeps = false;
            status = refer(columns, j, precision, reference, error);
        }
        if (status)
            return status;
        struct product_error of =
            product_reference_judge(reference, columns->Y + at.place, at.stride);
        of.column = j;
        if (of.worst > found->worst)
            *found = of;
        if (reference->unjudged > *unjudged)
            *unjudged = reference->unjudged;
        if (!columns->keeps)
            product_reference_free(reference);
    }
    return status;
}
