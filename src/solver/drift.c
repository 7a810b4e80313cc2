#include "solver/drift.h"

#define PASSES_OVER_COLUMNS
#include "space/define_pass.h"

PASS_WITHOUT_SUMS(drift_removal, drift, 1, .name = "r without its part in the null space",
                  .reads = 2, .writes = 1)

#ifndef __CUDACC__
#include "base/memory.h"
#include "solver/method.h"
#include "solver/null_space.h"

/* The next null vector from number *next on of component and vector; false: there are no more. */
static bool next_vector(const struct null_space *of, int64_t *next, double *v)
{
    bool found = false;
    for (; !found && *next < of->components * of->width; ++*next)
        for (int64_t i = 0; i < of->n; i++) {
            bool inside = null_space_component(of, i) == *next / of->width;
            v[i] = inside ? null_space_value(of, i, *next % of->width) : 0;
            found = found || v[i] != 0;
        }
    return found;
}

enum status drift_begin(struct solver *solver, struct drift *drift, struct error *error)
{
    const struct null_space *of = solver->singular.space;
    struct space *space = solver->space;
    *drift = (struct drift){0};
    if (!of || of->dimension > DRIFT_VECTORS)
        return STATUS_OK;
    drift->most = solver->singular.projected ? 0x1p-40 : INFINITY; /* columns have like turns */
    double *v = memory_array(of->n, sizeof *v, "a null vector", error);
    enum status status = v ? STATUS_OK : STATUS_MEMORY;
    for (int64_t next = 0; !status && next_vector(of, &next, v);) {
        double **q = &drift->q[drift->count];
        status = space_vector(space, of->n, "a null vector", q, error);
        if (!status)
            status = space_upload(space, of->n, v, *q, error);
        drift->count += !status;
    }
    memory_free(v);
    if (!status)
        status = space->operations->allocate(space, 1, sizeof *drift->scalars, "a drift",
                                             (void **)&drift->scalars, error);
    return status;
}

void drift_end(struct solver *solver, struct drift *drift)
{
    for (int k = 0; k < DRIFT_VECTORS; k++)
        space_release(solver->space, drift->q[k]);
    space_release(solver->space, drift->scalars);
    *drift = (struct drift){0};
}

enum status drift_take_off(struct solver *solver, const struct drift *drift, double *r,
                           struct error *error)
{
    struct drift work = *drift;
    if (drift->count == 0)
        return STATUS_OK;
    work.r = r;
    enum status status = space_dot(solver->space, solver->n, r, r, &drift->scalars->square, error);
    for (int k = 0; k < drift->count && !status; k++)
        status =
            space_dot(solver->space, solver->n, drift->q[k], r, &drift->scalars->along[k], error);
    return status ? status : space_run(solver->space, &drift_removal, solver->n, &work, error);
}
#endif
