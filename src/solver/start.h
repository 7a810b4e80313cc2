/* Where a solve for a vector begins. */
#ifndef SOLVER_START_H
#define SOLVER_START_H

#include "cgsolve/method.h"

/* x = x_0, and r, which is b, becomes b - (shift I + A) x_0, by a product that is counted in the
 * result, in product[n]; x0[n] on the host, all else in the space. x0 = NULL: x = 0, r stays, and
 * there is no product. Of x and b it keeps what solver_confirm looks at on a device. Errors:
 * STATUS_DEVICE. */
enum status solver_start(struct solver *solver, const double *x0, double *product, double *x,
                         double *r, struct error *error);

#endif
