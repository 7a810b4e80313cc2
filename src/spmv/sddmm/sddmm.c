/* SDDMM on the host: equal shares of the entries, wherever rows begin, because each of them is a
 * sum of its own. */
#include "spmv/sddmm/sddmm.h"

#include "base/cuda_part.h"
#include "base/memory.h"
#include "base/threads.h"
#include "matrix/sddmm.h"
#include "spmv/operator.h"

struct cpu {
    const struct csr *pattern; /* borrowed */
    struct threads *threads;   /* the space's */
    struct sddmm_operands operands;
};

struct product {
    const struct csr *pattern;
    struct sddmm_operands operands;
    double *values;
};

static void multiply(void *context, int64_t begin, int64_t end)
{
    const struct product *product = context;
    sddmm_entries(product->pattern, &product->operands, begin, end, product->values);
}

static enum status apply(void *state, const double *X, const double *Y, double *values,
                         struct error *error)
{
    const struct cpu *cpu = state;
    struct product product = {cpu->pattern, cpu->operands, values};
    product.operands.x = X;
    product.operands.y = Y;
    threads_each(cpu->threads, cpu->pattern->nnz, multiply, &product);
    (void)error;
    return STATUS_OK;
}

static const struct sddmm_table table = {apply, memory_free};

static enum status create(const struct csr *pattern, struct sddmm *made, struct error *error)
{
    struct cpu *cpu = memory_array(1, sizeof *cpu, "a product's state", error);
    if (!cpu)
        return STATUS_MEMORY;
    int64_t rest = made->columns % COLUMNS_AT_ONCE;
    *cpu = (struct cpu){pattern,
                        made->space->threads,
                        {.n = made->n,
                         .width = made->width,
                         .columns = made->columns,
                         .group = COLUMNS_AT_ONCE,
                         .last = rest ? columns_stride(rest) : COLUMNS_AT_ONCE}};
    made->name = "CPU";
    made->table = &table;
    made->state = cpu;
    return STATUS_OK;
}

struct sddmm sddmm_of(struct space *space, const struct csr *pattern, int64_t columns)
{
    int64_t n = pattern->n, width = pattern->width, nnz = pattern->nnz;
    int64_t vectors = columns * (n + width) * (int64_t)sizeof(double);
    return (struct sddmm){.space = space,
                          .n = n,
                          .width = width,
                          .nnz = nnz,
                          .columns = columns,
                          .bytes_per_apply = csr_bytes(pattern) + vectors};
}

enum status sddmm_create(struct space *space, const struct csr *pattern, int64_t columns,
                         struct sddmm *made, struct error *error)
{
    *made = sddmm_of(space, pattern, columns);
    space_enter(space);
    enum status status = space->operations->kind == SPACE_CUDA
                             ? CUDA_PART(sddmm_cuda_create)(pattern, made, error)
                             : create(pattern, made, error);
    if (status)
        sddmm_destroy(made);
    return status;
}

void sddmm_destroy(struct sddmm *made)
{
    if (made->table) {
        space_enter(made->space);
        made->table->destroy(made->state);
    }
    *made = (struct sddmm){0};
}

enum status sddmm_apply(const struct sddmm *of, const double *X, const double *Y, double *values,
                        struct error *error)
{
    space_enter(of->space);
    return of->table->apply(of->state, X, Y, values, error);
}
