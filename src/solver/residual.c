#include "solver/residual.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "space/vector_norm.h"

#include <stdbool.h>

/* r_i -= (A x)_i for begin <= i < end, from the stored rows before `end`; the terms of each r_i
 * come in the order of the rows, and then of the columns of its own. */
MULTIVERSION static void subtract_rows(const struct csr *A, const double *x, int64_t begin,
                                       int64_t end, struct compensated *r)
{
    bool mirrors = A->kind != CSR_GENERAL;
    double sign = A->kind == CSR_SKEW ? -1 : 1;
    for (int64_t i = mirrors ? 0 : begin; i < end; i++) {
        int64_t stop = A->offsets[i + 1];
        bool own = i >= begin;
        if (!own && A->columns[stop - 1] < begin)
            continue;
        double mirrored =
            mirrors ? sign * x[i] : 0; /* a general matrix may have more rows than columns */
        struct compensated sum = own ? r[i] : (struct compensated){0, 0};
        for (int64_t k = A->offsets[i]; k < stop; k++) {
            int32_t j = A->columns[k];
            if (own)
                sum = compensated_add_product(sum, -A->values[k], x[j]);
            if (mirrors && j != i && j >= begin && j < end)
                r[j] = compensated_add_product(r[j], -A->values[k], mirrored);
        }
        if (own)
            r[i] = sum;
    }
}

struct subtraction {
    const struct csr *A;
    const double *x;
    struct compensated *r;
};

static void subtract(void *context, int64_t begin, int64_t end)
{
    const struct subtraction *work = context;
    subtract_rows(work->A, work->x, begin, end, work->r);
}

/* Each thread has rows of its own. */
void residual_subtract_product(struct threads *threads, const struct csr *A, const double *x,
                               struct compensated *r)
{
    threads_each(threads, A->n, subtract, &(struct subtraction){A, x, r});
}

enum status residual_norm(struct threads *threads, const struct csr *A, double shift,
                          const double *b, const double *x, double *norm, struct error *error)
{
    struct compensated *r = memory_array(A->n, sizeof *r, "the true residual", error);
    if (!r)
        return STATUS_MEMORY;
    for (int64_t i = 0; i < A->n; i++) {
        r[i] = (struct compensated){b ? b[i] : 0, 0};
        if (shift != 0)
            r[i] = compensated_add_product(r[i], -shift, x[i]);
    }
    residual_subtract_product(threads, A, x, r);
    double *rounded = (double *)r;
    for (int64_t i = 0; i < A->n; i++)
        rounded[i] = r[i].sum + r[i].error;
    *norm = vector_norm(threads, A->n, rounded);
    memory_free(r);
    return STATUS_OK;
}
