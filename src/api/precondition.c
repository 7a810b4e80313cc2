/* Z = M^-1 R alone. */
#include "api/handles.h"
#include "api/ranks.h"

static enum status precondition(struct cgs_solver *solver, const struct cgs_array *r,
                                const struct cgs_array *z, struct error *error)
{
    static const char *const names[] = {"r", "z"};
    enum status status = api_solver_refresh(solver, error);
    if (!status && !solver->M.table)
        status = error_set(error, STATUS_CONFIG, "the solver has no preconditioner");
    status = api_ranks_end(solver->kernel->context, status, error);
    return status ? status : api_multiply(solver->kernel, &solver->M, names, r, z, error);
}

enum cgs_status cgs_precondition(struct cgs_solver *solver, struct cgs_array r, struct cgs_array z,
                                 struct cgs_error *error)
{
    bool alone = solver && !solver->kernel->context->exchange;
    if (!solver || (alone && (!r.data || !z.data)))
        return api_missing(!solver ? "a solver" : !r.data ? "r" : "z", error);
    if (!api_begin(solver->kernel, error))
        return CGS_BAD_OPTION;
    return api_end(solver->kernel, precondition(solver, &r, &z, api_error(error)));
}
