#include "solver/start.h"

#include "base/clock.h"
#include "solver/column_space.h"
#include "solver/krylov.h"
#include "space/ranks/ranks.h"

#include <math.h>
#include <string.h>

enum status solver_start_method(struct solver *solver, const double *b, const double *x0,
                                struct error *error)
{
    double called = clock_seconds();
    solver->started = true;
    solver->ended = false;
    solver->result = (struct solver_result){.rhs_norm = solver->result.rhs_norm,
                                            .curvature = NAN,
                                            .true_residual = NAN,
                                            .ritz_low = NAN,
                                            .ritz_high = NAN,
                                            .eigen_rounding = NAN,
                                            .reason = REASON_INTERRUPTED};
    const struct method *method = solver->method;
    enum status status = (method->begin ? method->begin : krylov_begin)(solver, b, x0, error);
    solver->result.start_seconds = clock_seconds() - called;
    return status;
}

enum status solver_end_method(struct solver *solver, const struct csr *A, const double *b,
                              double *solution, struct error *error)
{
    solver->space->operations->forget(solver->space); /* what is still on its way does nothing */
    solver->space->ended = NULL;
    const struct method *method = solver->method;
    enum status status = (method->end ? method->end : krylov_end)(solver, A, b, solution, error);
    solver_stop(solver); /* to free memory a device's driver waits for its kernels: ranks_barrier */
    struct ranks *ranks = ranks_of(solver->space);
    return ranks ? ranks_barrier(ranks, status, error) : status;
}

void solver_stop(struct solver *solver)
{
    if (!solver->started)
        return;
    (solver->method->destroy ? solver->method->destroy : krylov_destroy)(solver);
    space_release(solver->space, solver->b_device);
    solver->b_device = NULL;
    solver->x_device = NULL;
    memset((char *)solver + sizeof *solver, 0, solver->method->size - sizeof *solver);
    solver->started = false;
    solver->spmv = solver->restart_by.spmv;
    solver->space = solver->spmv->space;
    solver->options.preconditioner = solver->restart_by.preconditioner;
}

/* b, which r holds, for a confirmation on the device, if there is room for all that it takes. */
static void keep_b(struct solver *solver, const double *x, const double *r)
{
    struct space *space = solver->space;
    int64_t n = solver->n, bytes = solver->confirming_bytes;
    struct error ignored;
    if (bytes == 0 || solver->options.memory || /* it is there */
        space->operations->fits(space, bytes + n * (int64_t)sizeof *r, "", &ignored) ||
        space_vector(space, n, "b", &solver->b_device, &ignored))
        return;
    if (space_copy(space, n, r, solver->b_device, &ignored)) {
        space_release(space, solver->b_device);
        solver->b_device = NULL;
    }
    solver->x_device = x;
}

enum status solver_bring(struct solver *solver, const double *v, double *held, struct error *error)
{
    struct space *space = solver->space, *memory = solver->options.memory;
    if (memory && memory != space)
        return column_bring(space, v, held, error);
    return (memory ? space_copy : space_upload)(space, solver->n, v, held, error);
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
    enum status status = solver_bring(solver, x0, x, error);
    if (!status)
        status = operator_apply(solver->spmv, x, product, error);
    if (!status)
        status = space_axpy(space, n, -1, product, r, error);
    if (!status && shift != 0)
        status = space_axpy(space, n, -shift, x, r, error);
    return status;
}
