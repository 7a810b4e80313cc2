/* The preconditioners of preconditioners.def, and the calls that every user of one goes through. */
#include "cgsolve/preconditioner.h"

#include <inttypes.h>

#define PRECONDITIONER(name, NAME) extern const struct preconditioner preconditioner_##name;
#include "cgsolve/preconditioners.def"
#undef PRECONDITIONER

#define PRECONDITIONER(name, NAME) [PRECONDITIONER_##NAME] = &preconditioner_##name,
static const struct preconditioner *const list[PRECONDITIONER_TYPES] = {
#include "cgsolve/preconditioners.def"
};
#undef PRECONDITIONER

#define PRECONDITIONER(name, NAME) [PRECONDITIONER_##NAME] = #name,
const char *const preconditioner_names[] = {[PRECONDITIONER_NONE] = "none",
#include "cgsolve/preconditioners.def"
                                            [PRECONDITIONER_TYPES] = NULL};
#undef PRECONDITIONER

static enum status check(const struct preconditioner_options *options, const struct csr *A,
                         struct error *error)
{
    const char *name = preconditioner_names[options->type];
    if (A->kind != CSR_SYMMETRIC)
        return error_set(error, STATUS_CONFIG, "preconditioner %s: the matrix is not symmetric",
                         name);
    if (options->type == PRECONDITIONER_BLOCK_JACOBI &&
        (options->block < 1 || options->block > PRECONDITIONER_BLOCK_MAX))
        return error_set(error, STATUS_CONFIG,
                         "preconditioner %s: block = %" PRId64 " lies outside 1 to %d", name,
                         options->block, PRECONDITIONER_BLOCK_MAX);
    if (options->type == PRECONDITIONER_CHEBYSHEV &&
        (options->degree < 1 || options->degree > PRECONDITIONER_DEGREE_MAX))
        return error_set(error, STATUS_CONFIG,
                         "preconditioner %s: degree = %" PRId64 " lies outside 1 to %d", name,
                         options->degree, PRECONDITIONER_DEGREE_MAX);
    return STATUS_OK;
}

enum status preconditioner_create(const struct preconditioner_options *options, const struct csr *A,
                                  struct linear_operator *spmv, struct linear_operator *made,
                                  struct error *error)
{
    *made = (struct linear_operator){0};
    enum status status = check(options, A, error);
    if (status)
        return status;
    const struct preconditioner *chosen = list[options->type];
    *made = (struct linear_operator){
        .name = chosen->name, .space = spmv->space, .n = A->n, .width = A->n};
    status = chosen->setup(A, spmv, options, made, error);
    if (status)
        operator_destroy(made);
    else {
        made->memory_bytes = preconditioner_memory_bytes(options, A->n);
        made->fuses_dot = true;
    }
    return status;
}

int64_t preconditioner_memory_bytes(const struct preconditioner_options *options, int64_t n)
{
    return options->type == PRECONDITIONER_NONE ? 0 : list[options->type]->setup_bytes(options, n);
}
