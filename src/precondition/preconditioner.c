/* The calls that every user of a preconditioner goes through. */
#include "spmv/preconditioner.h"

#include "base/threads.h"
#include "precondition/replicated.h"
#include "spmv/device_csr.h"

/* A component is the first member of its preconditioner. */
static const struct preconditioner *preconditioner_of(const struct options *options)
{
    return (const struct preconditioner *)options->component;
}

bool preconditioner_is_set(const struct options *options)
{
    return options->component && preconditioner_of(options)->setup;
}

typedef enum status sets_up(const void *options, const struct csr *A, const int32_t *number,
                            struct linear_operator *spmv, struct linear_operator *made,
                            struct error *error);

/* By a slot; `before`: what it finds in the state. */
static enum status make(sets_up *by, const struct options *options, const struct csr *A,
                        const int32_t *number, struct linear_operator *spmv,
                        struct linear_operator before, struct linear_operator *made,
                        struct error *error)
{
    *made = (struct linear_operator){.name = options->component->name,
                                     .space = spmv->space,
                                     .n = A->n,
                                     .width = A->n,
                                     .exponent = -A->exponent,
                                     .table = before.table,
                                     .state = before.state};
    space_enter(spmv->space);
    struct threads *lent = threads_lend(spmv->space->threads);
    enum status status = by(options->values, A, number, spmv, made, error);
    threads_lend(lent);
    if (status)
        operator_destroy(made);
    else {
        if (made->memory_bytes == 0)
            made->memory_bytes = preconditioner_memory_bytes(options, A);
        made->can |= OPERATOR_DOT;
    }
    return status;
}

/* What make() takes, for ranks. */
struct wanted {
    const struct options *options;
    const int32_t *number;
};

static enum status set_up(const void *context, const struct csr *A, struct linear_operator *spmv,
                          struct linear_operator *made, struct error *error)
{
    const struct wanted *wanted = context;
    const struct preconditioner *preconditioner = preconditioner_of(wanted->options);
    const struct linear_operator none = {0};
    struct csr copy = {0};
    enum status status = STATUS_OK;
    if (!preconditioner->device_rows)
        status = device_csr_on_host(A, &A, &copy, error);
    if (!status)
        status = make(preconditioner->setup, wanted->options, A, wanted->number, spmv, none, made,
                      error);
    csr_free(&copy);
    return status;
}

static bool makes_own_rows(const struct options *options, const struct csr *A)
{
    const struct preconditioner *preconditioner = preconditioner_of(options);
    return preconditioner->by_rows && preconditioner->by_rows(options->values, A);
}

bool preconditioner_reads_rows(const struct options *options, const struct csr *A, bool ranks)
{
    if (!preconditioner_is_set(options))
        return false;
    const struct preconditioner *preconditioner = preconditioner_of(options);
    bool leaves = preconditioner->leaves_rows ||
                  (preconditioner->ranks_leave_rows && ranks && A->maker && !A->maker->kept);
    return !leaves || (ranks && !makes_own_rows(options, A));
}

bool preconditioner_takes_codes(const struct options *options)
{
    return preconditioner_is_set(options) && preconditioner_of(options)->takes_codes;
}

struct near_null_wanted preconditioner_near_null(const struct options *options)
{
    const struct near_null_wanted none = {.choice = NEAR_NULL_CONSTANT};
    return preconditioner_is_set(options) && preconditioner_of(options)->near_null
               ? preconditioner_of(options)->near_null(options->values)
               : none;
}

enum status preconditioner_create(const struct options *options, const struct csr *A,
                                  const int32_t *number, struct linear_operator *spmv,
                                  struct linear_operator *made, struct error *error)
{
    const struct linear_operator none = {0};
    struct wanted wanted = {options, number};
    *made = none;
    bool whole = ranks_of(spmv->space) && !makes_own_rows(options, A);
    if (A->kind == CSR_SYMMETRIC)
        return whole ? replicated_create(set_up, &wanted, A, spmv, made, error)
                     : set_up(&wanted, A, spmv, made, error);
    return error_set(error, STATUS_CONFIG, "preconditioner %s: the matrix is not symmetric",
                     options->component->name);
}

enum status preconditioner_renew(const struct options *options, const struct csr *A,
                                 const int32_t *number, struct linear_operator *spmv,
                                 struct linear_operator *made, struct error *error)
{
    sets_up *renew = preconditioner_of(options)->renew;
    if (made->table && renew && !ranks_of(spmv->space))
        return make(renew, options, A, number, spmv, *made, made, error);
    operator_destroy(made);
    return preconditioner_create(options, A, number, spmv, made, error);
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
