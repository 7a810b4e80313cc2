/* y = A x and Y = A X by kernels. */
#include "base/memory.h"
#include "study/product_columns.h"
#include "study/product_table.h"

#include <math.h>
#include <string.h>

struct prepared {
    struct linear_operator spmv;
    struct operator_columns product;
    enum precision precision; /* of the vectors */
};

static int64_t setup_bytes(const struct csr *A, const struct product_contestant *contestant)
{
    const struct kernel *kernel = contestant->kernel;
    return kernel->kinds & A->kind && kernel->setup_bytes
               ? kernel->setup_bytes(A, &contestant->options)
               : 0;
}

/* ---- on the host ----------------------------------------------------------------------------- */

static void end(struct product_host *host)
{
    if (host->own)
        product_columns_free(host->own);
    memory_free(host->own);
    *host = (struct product_host){0};
}

static enum status begin(struct product_bench *bench, const struct csr *A, int64_t count,
                         int64_t more, struct product_host *host, struct error *error)
{
    struct product_columns *columns =
        memory_zeros(1, sizeof *columns, "the columns of a bench", error);
    *host = (struct product_host){.own = columns};
    if (!columns)
        return STATUS_MEMORY;
    enum status status = product_columns_create(product_bench_threads(bench), A, bench->rule.seed,
                                                count, more, columns, error);
    host->x = columns->X;
    host->y = columns->Y;
    host->x_elements = columns->x_elements;
    host->y_elements = columns->y_elements;
    if (status)
        end(host);
    return status;
}

static uint64_t hash(struct product_host *host)
{
    return product_columns_hash(host->own);
}

static enum status judge(struct product_host *host, const struct product_contestant *contestant,
                         struct product_result *result, struct error *error)
{
    (void)contestant;
    struct product_error found;
    enum status status =
        product_columns_judge(host->own, result->precision, &found, &result->unjudged, error);
    if (!status)
        product_result_add(result, found);
    return status;
}

/* ---- in a space ------------------------------------------------------------------------------ */

static void destroy(void *product)
{
    struct prepared *kernel = product;
    if (!kernel)
        return;
    operator_columns_destroy(&kernel->product);
    operator_destroy(&kernel->spmv);
    memory_free(kernel);
}

static enum status set_up(const struct csr *A, const struct product_contestant *contestant,
                          struct space *space, void **product, struct error *error)
{
    struct prepared *kernel = memory_zeros(1, sizeof *kernel, "a kernel", error);
    *product = kernel;
    if (!kernel)
        return STATUS_MEMORY;
    enum status status =
        operator_create(contestant->kernel, A, &contestant->options, space, &kernel->spmv, error);
    if (!status)
        return STATUS_OK;
    memory_free(kernel);
    *product = NULL;
    return status;
}

static enum status enter(void *product, const struct csr *A,
                         const struct product_contestant *contestant, struct product_result *result,
                         enum precision *vectors, struct error *error)
{
    struct prepared *kernel = product;
    const struct linear_operator *spmv = &kernel->spmv;
    int64_t columns = contestant->columns;
    result->precision = kernel_precision(contestant->kernel, &contestant->options);
    kernel->precision = result->operation == PRODUCT_SPMV ? result->precision : PRECISION_DOUBLE;
    *vectors = kernel->precision;
    result->flops = 2 * (double)csr_entries(A) * (double)columns;
    result->bytes = operator_columns_bytes(spmv, columns);
    result->memory_bytes = spmv->memory_bytes;
    memcpy(result->form, spmv->description, sizeof result->form);
    return operator_columns_create(spmv, columns, &kernel->product, error);
}

static enum status multiply(void *product, const struct product_vectors *v, struct error *error)
{
    const struct prepared *kernel = product;
    if (kernel->precision == PRECISION_FLOAT)
        return operator_apply_to(
            &kernel->spmv, &(struct operands){.x = v->x_single, .y = v->y_single, .singles = true},
            error);
    return operator_columns_apply(&kernel->product, v->x, v->y, error);
}

const struct product_table product_multiply = {
    .poison = NAN,
    .vector_bytes = product_columns_bytes,
    .setup_bytes = setup_bytes,
    .begin = begin,
    .end = end,
    .set_up = set_up,
    .destroy = destroy,
    .enter = enter,
    .multiply = multiply,
    .hash = hash,
    .judge = judge,
};
