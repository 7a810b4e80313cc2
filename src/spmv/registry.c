/* The kernels of kernels.def and of plug-ins, and the calls that every user of a kernel goes
 * through. */
#include "spmv/kernel.h"

#include "base/cuda_part.h"
#include "base/parameter.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "spmv/device_csr.h"
#include "spmv/distributed/rank_operator.h"
#include "spmv/single.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define KERNEL(name) extern const struct kernel kernel_##name;
/* A name without a kernel: setup is NULL. */
#define CUDA_KERNEL(stem)                                                                          \
    static const struct kernel kernel_##stem = {                                                   \
        .component = KERNEL_COMPONENT(#stem, "not in this build", NULL),                           \
        .space = SPACE_CUDA,                                                                       \
        .unavailable = cuda_part_missing,                                                          \
    };
#include "spmv/kernels.def"
#undef KERNEL
#undef CUDA_KERNEL

#define KERNEL(name) {&kernel_##name, NULL},
#define CUDA_KERNEL(name) {&kernel_##name, "kernel_" #name},
/* A kernel stands here itself, or for the one of that name in the CUDA part. */
static const struct {
    const struct kernel *kernel;
    const char *in_part;
} built_in[] = {
#include "spmv/kernels.def"
};

enum { BUILT_IN = sizeof built_in / sizeof *built_in };

/* These, and those of plug-ins. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct kernel *kernels[COMPONENTS_MOST];
static const struct component *components[COMPONENTS_MOST];
static atomic_int kernels_count;

static bool add(const struct kernel *kernel)
{
    int count = atomic_load(&kernels_count);
    if (count == COMPONENTS_MOST)
        return false;
    kernels[count] = kernel;
    components[count] = &kernel->component;
    atomic_store(&kernels_count, count + 1); /* now others see it */
    return true;
}

static void find_kernels(void)
{
    for (int k = 0; k < BUILT_IN; k++) {
        const char *name = built_in[k].in_part;
        const struct kernel *found = name ? cuda_part_constant(name) : NULL;
        add(found ? found : built_in[k].kernel);
    }
}

bool kernel_add(const struct kernel *kernel)
{
    pthread_once(&once, find_kernels);
    return add(kernel);
}

const struct kernel *const *kernel_list(int *count)
{
    pthread_once(&once, find_kernels);
    *count = atomic_load(&kernels_count);
    return kernels;
}

const struct component *const *kernel_components(int *count)
{
    pthread_once(&once, find_kernels);
    *count = atomic_load(&kernels_count);
    return components;
}

const struct kernel *kernel_find(const char *name)
{
    return (const struct kernel *)component_find(COMPONENT_KERNEL, name);
}

struct kernel_options kernel_defaults(const struct kernel *kernel)
{
    struct error none; /* numbers and choices take no memory */
    struct kernel_options options = {{0}};
    int count = kernel_parameter_count(kernel);
    for (int k = 0; k < count; k++)
        parameter_default(&kernel->component.parameters[k], &options.values[k], &none);
    return options;
}

enum kernel_guarantee kernel_guarantee(const struct kernel *kernel,
                                       const struct kernel_options *options)
{
    enum kernel_guarantee guarantee = kernel->guarantee;
    const struct kernel_promise *promise = kernel->promises;
    for (; promise && promise->parameter; promise++)
        if (options->values[kernel_parameter_place(kernel, promise->parameter)] == promise->value)
            guarantee = promise->guarantee;
    return guarantee;
}

const char *kernel_unavailable(const struct kernel *kernel)
{
    return kernel->unavailable ? kernel->unavailable() : NULL;
}

const char *kernel_storage_name(enum kernel_storage storage)
{
    return storage == STORAGE_FULL ? "full" : "upper";
}

const char *kernel_guarantee_name(enum kernel_guarantee guarantee)
{
    switch (guarantee) {
    case GUARANTEE_NONE:
        return "none";
    case GUARANTEE_ACCURATE:
        return "accurate";
    case GUARANTEE_RUN:
        return "run";
    case GUARANTEE_BITWISE:
        return "bitwise";
    }
    return "unknown";
}

enum status kernel_check(const struct kernel *kernel, const struct csr *A,
                         const struct kernel_options *options, struct error *error)
{
    struct error why;
    const char *reason = kernel_unavailable(kernel);
    if (reason)
        return error_set(error, STATUS_UNAVAILABLE, "kernel %s: %s", kernel->component.name,
                         reason);
    if (!(kernel->kinds & A->kind))
        return error_set(error, STATUS_CONFIG, "kernel %s does not take a %s matrix",
                         kernel->component.name, csr_kind_name(A->kind));
    enum status status = STATUS_OK;
    int count = kernel_parameter_count(kernel);
    for (int k = 0; k < count && !status; k++) {
        const struct parameter *parameter = &kernel->component.parameters[k];
        status = parameter_check(parameter, parameter->name, &options->values[k], &why);
    }
    bool singles = !status && kernel_precision(kernel, options) != PRECISION_DOUBLE && !A->space;
    if (singles)
        status = csr_check_stored(A, &why);
    if (singles && !status)
        status = single_check(A, &why);
    if (!status && kernel->check)
        status = kernel->check(A, options, &why);
    return status ? error_set(error, status, "kernel %s: %s", kernel->component.name, why.text)
                  : STATUS_OK;
}

enum status kernel_fits(const struct kernel *kernel, const struct csr *A,
                        const struct kernel_options *options, struct space *space, int64_t more,
                        struct error *error)
{
    struct kernel_options defaults = kernel_defaults(kernel);
    if (!options)
        options = &defaults;
    enum status status = kernel_check(kernel, A, options, error);
    if (status)
        return status;
    if (kernel->space != space->operations->kind)
        return error_set(error, STATUS_CONFIG, "kernel %s does not work in the space %s",
                         kernel->component.name, space->operations->name);
    int64_t bytes = kernel->setup_bytes ? kernel->setup_bytes(A, options) : 0;
    if (__builtin_add_overflow(bytes, more, &bytes))
        bytes = INT64_MAX;
    char what[128];
    snprintf(what, sizeof what, "kernel %s%s", kernel->component.name,
             more ? " with the solver" : "");
    return space->operations->fits(space, bytes, what, error);
}

static enum status create(const struct kernel *kernel, const struct csr *A,
                          const struct kernel_options *options, struct space *space,
                          struct linear_operator *made, struct error *error)
{
    struct kernel_options defaults = kernel_defaults(kernel);
    if (!options)
        options = &defaults;
    enum status status = kernel_fits(kernel, A, options, space, 0, error);
    if (!status && !A->space && !(kernel->device_rows && device_csr_makes(space, A)))
        status = csr_check_stored(A, error);
    if (status)
        return status;
    *made = (struct linear_operator){.name = kernel->component.name,
                                     .kernel = kernel,
                                     .options = *options,
                                     .space = space,
                                     .n = A->n,
                                     .width = A->width,
                                     .exponent = A->exponent,
                                     .products = 1};
    status = kernel->setup(A, options, made, error);
    if (status)
        operator_destroy(made);
    else if (space->reductions != REDUCTIONS_REPRODUCIBLE)
        made->can &= ~(unsigned)OPERATOR_DOT;
    return status;
}

enum status operator_create(const struct kernel *kernel, const struct csr *A,
                            const struct kernel_options *options, struct space *space,
                            struct linear_operator *made, struct error *error)
{
    struct ranks *ranks = ranks_of(space);
    struct csr copy = {0};
    enum status status = STATUS_OK;
    *made = (struct linear_operator){0};
    space_enter(space);
    struct threads *before = threads_lend(space->threads);
    if (!kernel->device_rows)
        status = device_csr_on_host(A, &A, &copy, error);
    if (!status)
        status = ranks ? rank_operator_create(kernel, A, options, ranks, made, error)
                       : create(kernel, A, options, space, made, error);
    csr_free(&copy);
    threads_lend(before);
    return status;
}
