#include "solver/start.h"

enum status solver_start(struct solver *solver, const double *x0, double *product, double *x,
                         double *r, struct error *error)
{
    struct space *space = solver->space;
    int64_t n = solver->n;
    double shift = solver->options.shift;
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
