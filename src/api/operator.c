#include "api/handles.h"
#include "base/memory.h"
#include "cgsolve/kernel.h"

static enum status set_up(struct cgs_operator *made, const struct api_operator_options *options,
                          struct error *error)
{
    const struct kernel *kernel = (const struct kernel *)options->kernel.component;
    const struct kernel_options *parameters = options->kernel.values;
    enum status status = api_space(made->matrix->context, options->reductions, &made->space, error);
    if (!status)
        status =
            operator_create(kernel, &made->matrix->A, parameters, made->space, &made->spmv, error);
    if (!status)
        made->guarantee = kernel_guarantee(kernel, parameters);
    return status;
}

static enum status create(struct cgs_matrix *matrix, const char *const *texts,
                          struct cgs_operator **made, struct error *error)
{
    struct options options = {0};
    struct cgs_operator *own = memory_zeros(1, sizeof *own, "an operator", error);
    if (!own)
        return STATUS_MEMORY;
    own->matrix = matrix;
    enum status status = api_operator_read(matrix->context, texts, &options, error);
    if (!status)
        status = set_up(own, options.values, error);
    options_free(&options);
    if (status)
        cgs_operator_destroy(own);
    else
        *made = own;
    return status;
}

enum cgs_status cgs_operator_create(struct cgs_matrix *matrix, const char *const *options,
                                    struct cgs_operator **made, struct cgs_error *error)
{
    *made = NULL;
    return api_status(create(matrix, options, made, api_error(error)));
}

void cgs_operator_destroy(struct cgs_operator *kernel)
{
    if (!kernel)
        return;
    operator_destroy(&kernel->spmv);
    if (kernel->space) {
        space_release(kernel->space, kernel->x);
        space_release(kernel->space, kernel->y);
        kernel->space->operations->destroy(kernel->space);
    }
    memory_free(kernel);
}

enum cgs_guarantee api_guarantee(enum kernel_guarantee guarantee)
{
    static const enum cgs_guarantee guarantees[] = {[GUARANTEE_NONE] = CGS_NO_BITS,
                                                    [GUARANTEE_ACCURATE] = CGS_USUAL_BITS,
                                                    [GUARANTEE_RUN] = CGS_EQUAL_IN_RUN,
                                                    [GUARANTEE_BITWISE] = CGS_EQUAL_BITS};
    return guarantees[guarantee];
}

enum cgs_guarantee cgs_operator_guarantee(const struct cgs_operator *kernel)
{
    return api_guarantee(kernel->guarantee);
}

/* The host's memory is the space's: but a kernel may want its alignment. */
static enum status multiply(struct cgs_operator *kernel, const double *x, double *y,
                            struct error *error)
{
    int64_t n = kernel->spmv.n;
    enum status status = STATUS_OK;
    if (!kernel->x)
        status = space_vector(kernel->space, n, "the vector x", &kernel->x, error);
    if (!status && !kernel->y)
        status = space_vector(kernel->space, n, "the vector y", &kernel->y, error);
    if (!status)
        status = space_upload(kernel->space, n, x, kernel->x, error);
    if (!status)
        status = operator_apply(&kernel->spmv, kernel->x, kernel->y, error);
    return status ? status : space_download(kernel->space, n, kernel->y, y, error);
}

enum cgs_status cgs_multiply(struct cgs_operator *kernel, const double *x, double *y,
                             struct cgs_error *error)
{
    return api_status(multiply(kernel, x, y, api_error(error)));
}
