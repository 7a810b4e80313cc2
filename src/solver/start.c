#include "solver/start.h"

/* b, which r holds, for a confirmation on the device, if there is room for all that it takes. */
static void keep_b(struct solver *solver, const double *x, const double *r)
{
    struct space *space = solver->space;
    int64_t n = solver->n, bytes = solver->confirming_bytes;
    struct error ignored;
    if (bytes == 0 ||
        space->operations->fits(space, bytes + n * (int64_t)sizeof *r, "", &ignored) ||
        space_vector(space, n, "b", &solver->b_there, &ignored))
        return;
    if (space_copy(space, n, r, solver->b_there, &ignored)) {
        space_release(space, solver->b_there);
        solver->b_there = NULL;
    }
    solver->x_there = x;
}

enum status solver_start(struct solver *solver, const double *x0, double *product, double *x,
                         double *r, struct error *error)
{
    struct space *space = solver->space;
    int64_t n = solver->n;
    double shift = solver->options.shift;
    keep_b(solver, x, r);
    if (!x0)
        return space_fill(space, n, 0, x, error);
    solver->result.products++;
    enum status status = space_upload(space, n, x0, x, error);
    if (!status)
        status = operator_apply(solver->spmv, x, product, error);
    if (!status)
        status = space_axpy(space, n, -1, product, r, error);
    if (!status && shift != 0)
        status = space_axpy(space, n, -shift, x, r, error);
    return status;
}
