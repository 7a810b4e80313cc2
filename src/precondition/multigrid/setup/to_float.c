#include "precondition/multigrid/setup/to_float.h"

#include "base/memory.h"
#include "precondition/diagonal.h"
#include "precondition/multigrid/setup/level_rows.h"
#include "space/rows.h"
#include "space/values.h"
#include "spmv/kernel.h"
#include "spmv/single.h"

#include <math.h>
#include <stdlib.h>

/* A diagonal around 2^-WITHIN to 2^WITHIN has room enough on both sides, and needs no copy of A. */
enum { WITHIN = 32 };

static enum status refuse(const char *name, const struct linear_operator *spmv, struct error *error)
{
    bool on_host = spmv->space->operations->kind == SPACE_CPU;
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: precision = \"float\": %s does not multiply in single "
                     "precision: take another kernel, such as %s, or precision = \"double\"",
                     name, spmv->name, on_host ? "cpu_csr" : "cuda_csr_subwarp");
}

enum status to_float_check(const char *name, const struct linear_operator *spmv,
                           struct error *error)
{
    struct kernel_options options = spmv->options;
    return kernel_set_precision(spmv->kernel, PRECISION_FLOAT, &options)
               ? STATUS_OK
               : refuse(name, spmv, error);
}

enum status to_float_exponent(const struct csr *A, struct ranks *ranks, int *exponent,
                              struct error *error)
{
    struct found found;
    enum status status =
        space_find(A->space, &find_extremes, A->n, &(struct level_rows){.A = *A}, &found, error);
    if (!status)
        status = ranks_join_found(ranks, &found, error);
    if (status)
        return status;
    int middle = (ilogb(found.most[0]) + ilogb(-found.most[1])) / 2;
    *exponent = abs(middle) <= WITHIN ? 0 : middle;
    return STATUS_OK;
}

enum status to_float_scaled(const struct csr *A, int exponent, struct csr *scaled,
                            struct error *error)
{
    struct values_scaling work = {.exponent = -exponent, .from = A->values};
    *scaled = *A;
    scaled->maker = NULL;
    scaled->host = NULL;
    scaled->repeated.codes = NULL;
    scaled->exponent = 0;
    enum status status = rows_array(A->space, A->nnz, sizeof *A->values, "the scaled matrix",
                                    (void **)&scaled->values, error);
    work.to = scaled->values;
    return status ? status : rows_run(A->space, &pass_values_scaling, A->nnz, &work, error);
}

void to_float_free(struct csr *scaled)
{
    rows_release(scaled->space, scaled->values);
    *scaled = (struct csr){0};
}

enum status to_float_failed(const struct to_float *by, enum status status, const struct error *why,
                            struct error *error)
{
    return error_set(error, status, "preconditioner %s: precision = \"float\": level %d: %s",
                     by->name, by->level, why->text);
}

enum status to_float_operator(const struct to_float *by, const struct csr *A,
                              struct linear_operator *made, struct error *error)
{
    const struct kernel *kernel = by->spmv->kernel;
    struct kernel_options options = by->spmv->options, defaults = kernel_defaults(kernel);
    struct error why;
    kernel_set_precision(kernel, PRECISION_FLOAT, &options);
    kernel_set_precision(kernel, PRECISION_FLOAT, &defaults);
    if (kernel_check(kernel, A, &options, &why))
        options = defaults;
    enum status status = operator_create(kernel, A, &options, by->space, made, &why);
    if (status)
        return to_float_failed(by, status, &why, error);
    return made->can & OPERATOR_SINGLES ? STATUS_OK : refuse(by->name, by->spmv, error);
}

enum status to_float_refuse_diagonal(const struct to_float *by, struct error *error)
{
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: precision = \"float\": the diagonal of level %d spans "
                     "more than single precision does: take precision = \"double\"",
                     by->name, by->level);
}

enum status to_float_invert(const struct to_float *by, const struct csr *A,
                            const struct diagonal_nothing *nothing, float *inverse, bool *fits,
                            struct error *error)
{
    struct diagonal_options options = {.nothing = *nothing, .singles = true};
    struct diagonal_found found;
    enum status status = diagonal_invert(by->space, A, &options, inverse, &found, error);
    *fits = status || found.wrong == A->n;
    return status;
}

enum status to_float_diagonal(const struct to_float *by, const struct csr *A,
                              const struct diagonal_nothing *nothing, float *inverse,
                              struct error *error)
{
    bool fits;
    enum status status = to_float_invert(by, A, nothing, inverse, &fits, error);
    return status || fits ? status : to_float_refuse_diagonal(by, error);
}

enum status to_float_inverse(const char *name, const double *inverse, int64_t count,
                             float **singles, struct error *error)
{
    *singles = memory_array(count, sizeof **singles, "the inverse of the last level", error);
    if (!*singles)
        return STATUS_MEMORY;
    single_narrow(inverse, count, *singles);
    for (int64_t k = 0; k < count; k++)
        if (!isfinite((*singles)[k]))
            return error_set(error, STATUS_CONFIG,
                             "preconditioner %s: precision = \"float\": the inverse of the last "
                             "level has the element %g, too large for single precision: take "
                             "precision = \"double\"",
                             name, inverse[k]);
    return STATUS_OK;
}
