/* How far a vector is from being constant between neighbours, in the energy of A:
 *
 *     mu = sum |a_ij| (x_i - x_j)^2 / (x . A x)
 *
 * over the entries i < j whose rows are of the same unknown of a node: j - i is a multiple of
 * `block`. Of an A with a_ij <= 0 and row sums of 0, mu = 1 for every x. Piecewise constant
 * corrections suit A where mu is near 1, or below, for the errors that a smoother leaves: there the
 * energy of these errors is that of their differences. Where it is far above, entries of both signs
 * cancel in A x, and a correction that is constant on neighbours has more energy than the error.
 *
 * The sum has no order: each row adds a whole number of units of the mean row, 2^-10 of it rounded
 * down, so every space and every number of threads finds the same. */
#ifndef PRECONDITION_AUTOMATIC_ROUGHNESS_H
#define PRECONDITION_AUTOMATIC_ROUGHNESS_H

#include "matrix/csr.h"
#include "space/find.h"
#include "space/space.h"

struct roughness {
    struct csr A;
    const double *x; /* where A is */
    int64_t block;
    double scale, most; /* units: scale times an energy, at most `most` of a row */
};

FIND_DECLARE(find_roughness);

/* mu of x, a vector of the space, whose x . A x is `energy` > 0; A on the host or in a device's
 * memory. All ranks call it, each with all rows of A. Errors: STATUS_MEMORY, STATUS_DEVICE,
 * STATUS_RANK. */
enum status roughness_of(const struct csr *A, int64_t block, struct space *space, const double *x,
                         double energy, double *mu, struct error *error);

#endif
