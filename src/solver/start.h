/* Where a solve begins and where it ends; a restart begins it anew (solver/restart.h). */
#ifndef SOLVER_START_H
#define SOLVER_START_H

#include "solver/method.h"

/* The method's begin, with the solver's operators, options and observer, and ||b|| in its result
 * if x0 is not NULL; all else of the result is replaced. */
enum status solver_start_method(struct solver *solver, const double *b, const double *x0,
                                struct error *error);

/* The method's end, with nothing on its way; then solver_stop. */
enum status solver_end_method(struct solver *solver, const struct csr *A, const double *b,
                              double *solution, struct error *error);

/* Give back what the method has, if it has been started. It can be started again then, with the
 * solver's restart_by. The result stays. */
void solver_stop(struct solver *solver);

/* The two halves of solver_end: what the method has found, which needs its memory; and restarts,
 * scales and the result. The second one is called after a failure as well, with its status. */
enum status solver_find(struct solver *solver, const struct csr *A, const double *b,
                        double *solution, struct error *error);
enum status solver_settle(struct solver *solver, enum status status, const struct csr *A,
                          const double *b, double *solution, struct solver_result *result,
                          struct error *error);

/* held = v[n]: v is in the memory of the solver's given vectors, `held` in its space. Errors:
 * STATUS_DEVICE. */
enum status solver_bring(struct solver *solver, const double *v, double *held, struct error *error);

/* x = x_0, and r, which is b, becomes b - (shift I + A) x_0, by a product that is counted in the
 * result, in product[n]; x0[n] as it was given, all else in the space. x0 = NULL: x = 0, r stays,
 * and there is no product. Of x and b it keeps what solver_confirm looks at on a device. Errors:
 * STATUS_DEVICE. */
enum status solver_start(struct solver *solver, const double *x0, double *product, double *x,
                         double *r, struct error *error);

#endif
