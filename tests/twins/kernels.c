/* The twins of the CUDA kernels as kernels of the CPU: by the names of the originals, with their
 * parameters, so that a config names them and a history's file says the same of both. */
#include "spmv/kernel.h"

#include "base/memory.h"
#include "spmv/baseline/cuda_merge.h"
#include "spmv/baseline/rode.h"
#include "spmv/baseline/segscan.h"
#include "spmv/cuda_twins.h"
#include "spmv/merge_twin.h"
#include "spmv/rode_twin.h"
#include "spmv/segscan_twin.h"

struct twin {
    const struct csr *A;
    int value;      /* of the first parameter */
    int64_t second; /* of the second one */
    enum precision precision;
    uint64_t products; /* so far: parts of rows arrive in another order in each */
};

static enum status twin_setup(const struct kernel *kernel, const struct csr *A,
                              const struct kernel_options *options,
                              const struct operator_table *table, struct linear_operator *made,
                              struct error *error)
{
    struct twin *twin = made->state = memory_zeros(1, sizeof *twin, "the kernel's state", error);
    if (!twin)
        return STATUS_MEMORY;
    made->table = table;
    twin->A = A;
    twin->value = (int)options->values[0];
    twin->second = options->values[1];
    twin->precision = kernel_precision(kernel, options);
    return STATUS_OK;
}

/* ---- the parameters of the originals --------------------------------------------------------- */

#define WIDE_OFFSETS(k) KERNEL_INTEGER(k, "wide_offsets", "without a meaning here", "0", 0, 1)

static const struct parameter textbook_parameters[] = {
    KERNEL_INTEGER(0, "block_size", "", "256", 32, 1024),
    WIDE_OFFSETS(1),
    KERNEL_PRECISION(2),
    {0},
};

static const char *const loop_choices[] = {"steps", "plain", NULL};

static const struct parameter subwarp_parameters[] = {
    KERNEL_INTEGER(0, "threads_per_row", "", "0", 0, 32),
    WIDE_OFFSETS(1),
    KERNEL_PRECISION(2),
    KERNEL_CHOICE(3, "loop", "", "steps", loop_choices),
    {0},
};

static const struct parameter segscan_parameters[] = {
    KERNEL_INTEGER(0, "values_per_thread", "", "0", 0, SEGSCAN_VALUES_MAX),
    KERNEL_PRECISION(1),
    {0},
};

static const char *const pipeline_choices[] = {"off", "on", NULL};

static const struct parameter rode_parameters[] = {
    KERNEL_INTEGER(0, "split", "", "512", RODE_BLOCK_UNIT, RODE_SPLIT_MAX),
    KERNEL_INTEGER(1, "block", "", "32", RODE_BLOCK_UNIT, RODE_BLOCK_MAX),
    KERNEL_PRECISION(2),
    KERNEL_CHOICE(3, "pipeline", "", "off", pipeline_choices),
    {0},
};

#define ITEMS_TEXT(items) #items,
static const char *const items_choices[] = {CUDA_MERGE_ITEMS(ITEMS_TEXT) NULL};
#define ITEMS_NUMBER(items) items,
static const int items_numbers[] = {CUDA_MERGE_ITEMS(ITEMS_NUMBER)};
static const char *const border_choices[] = {"search", "table", NULL};

static const struct parameter merge_parameters[] = {
    KERNEL_CHOICE(0, "items_per_thread", "", "11", items_choices),
    KERNEL_CHOICE(1, "borders", "", "search", border_choices),
    KERNEL_PRECISION(2),
    WIDE_OFFSETS(3),
    {0},
};

/* ---- the kernels ----------------------------------------------------------------------------- */

#define TWIN(stem, its_parameters, product)                                                        \
    extern const struct kernel kernel_##stem;                                                      \
    static enum status stem##_apply(void *state, const struct operands *operands,                  \
                                    struct error *error)                                           \
    {                                                                                              \
        struct twin *twin = state;                                                                 \
        const double *x = operands->x;                                                             \
        double *y = operands->y;                                                                   \
        (void)error;                                                                               \
        twin->products++;                                                                          \
        product;                                                                                   \
        return STATUS_OK;                                                                          \
    }                                                                                              \
    static enum status stem##_setup(const struct csr *A, const struct kernel_options *options,     \
                                    struct linear_operator *made, struct error *error)             \
    {                                                                                              \
        static const struct operator_table table = {.apply = stem##_apply,                         \
                                                    .destroy = memory_free};                       \
        return twin_setup(&kernel_##stem, A, options, &table, made, error);                        \
    }                                                                                              \
    const struct kernel kernel_##stem = {                                                          \
        .component = KERNEL_COMPONENT(#stem, "its twin in plain C", its_parameters),               \
        .space = SPACE_CPU,                                                                        \
        .storage = STORAGE_FULL,                                                                   \
        .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,                                           \
        .guarantee = GUARANTEE_BITWISE,                                                            \
        .setup = stem##_setup,                                                                     \
    };

TWIN(cuda_csr_scalar, textbook_parameters, twin_csr_scalar(twin->A, twin->precision, x, y))
TWIN(cuda_csr_vector, textbook_parameters,
     twin_csr_vector(twin->A, twin->precision, twin->value, x, y))
TWIN(cuda_csr_subwarp, subwarp_parameters,
     twin_csr_subwarp(twin->A, twin->precision, twin->value, x, y))
TWIN(cuda_segscan, segscan_parameters, twin_segscan(twin->A, twin->value, twin->precision, x, y))
TWIN(cuda_rode, rode_parameters,
     twin_rode(twin->A, twin->value, twin->second, twin->precision, x, y))
TWIN(cuda_merge, merge_parameters,
     merge_twin(twin->A, twin->precision, items_numbers[twin->value], twin->products, x, y))
