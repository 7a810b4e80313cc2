/* The calls that every user of a preconditioner goes through. */
#include "cgsolve/preconditioner.h"

#include "base/threads.h"
#include "spmv/csr_there.h"

/* A component is the first member of its preconditioner. */
static const struct preconditioner *preconditioner_of(const struct options *options)
{
    return (const struct preconditioner *)options->component;
}

bool preconditioner_is_set(const struct options *options)
{
    return options->component && preconditioner_of(options)->setup;
}

enum status preconditioner_create(const struct options *options, const struct csr *A,
                                  const int32_t *number, struct linear_operator *spmv,
                                  struct linear_operator *made, struct error *error)
{
    const char *name = options->component->name;
    *made = (struct linear_operator){0};
    if (A->kind != CSR_SYMMETRIC) {
        csr_there_free(spmv->space, &spmv->brought);
        return error_set(error, STATUS_CONFIG, "preconditioner %s: the matrix is not symmetric",
                         name);
    }
    *made = (struct linear_operator){.name = name, .space = spmv->space, .n = A->n, .width = A->n};
    space_enter(spmv->space);
    int before = threads_openmp_use(threads_count(spmv->space->threads));
    enum status status =
        preconditioner_of(options)->setup(options->values, A, number, spmv, made, error);
    threads_openmp_use(before);
    csr_there_free(spmv->space, &spmv->brought);
    if (status)
        operator_destroy(made);
    else {
        if (made->memory_bytes == 0)
            made->memory_bytes = preconditioner_memory_bytes(options, A);
        made->fuses_dot = true;
    }
    return status;
}

int64_t preconditioner_memory_bytes(const struct options *options, const struct csr *A)
{
    return preconditioner_is_set(options)
               ? preconditioner_of(options)->setup_bytes(options->values, A)
               : 0;
}

/* Without set-up: the solver goes without. */
const struct preconditioner preconditioner_none = {
    .component = {COMPONENT_PRECONDITIONER, "none", "no preconditioner"}};
