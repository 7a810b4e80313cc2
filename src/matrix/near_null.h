/* The near-null space of a matrix: vectors v with small A v. Multigrid represents them on its
 * coarser levels, with or instead of constants. For an elastic body they are the rigid body modes
 * (Vanek, Mandel and Brezina, Computing 56, 1996). Struct csr has it as `near_null`. */
#ifndef MATRIX_NEAR_NULL_H
#define MATRIX_NEAR_NULL_H

#include "base/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    NEAR_NULL_MAX = 12,
    NEAR_NULL_WIDE = 16 /* near_null_wide of that */
};

/* The least power of two that is not below a number of vectors. A host adds rows of that length:
 * operations on vectors of a constant length. */
static inline int near_null_wide(int64_t count)
{
    int wide = 1;
    while (wide < count)
        wide *= 2;
    return wide;
}

struct near_null {
    int64_t n;      /* rows, as the problem numbers them */
    int64_t block;  /* consecutive rows of a node; divides n. 1: one, or unknown */
    int64_t count;  /* vectors, 1 <= count <= NEAR_NULL_MAX */
    double *values; /* [n count], on the host: vector v has values[i count + v] in row i */
};

/* Which vectors a preconditioner uses. */
enum near_null_choice {
    NEAR_NULL_AUTO, /* those known for A, else constants */
    NEAR_NULL_CONSTANT,
    NEAR_NULL_RIGID_BODY, /* those known for A; required */
    NEAR_NULL_FILE,       /* likewise */
};

/* The choice and its files, as options of a component. */
struct near_null_wanted {
    enum near_null_choice choice;
    const char *coordinates, *vectors; /* borrowed; NULL: there is none */
};

/* The rigid body modes of nodes in `dimensions` = 2 or 3 dimensions, for their displacements: of
 * node i, at x_i = coordinates[i dimensions ...], row i dimensions + a is the displacement along
 * axis a. With y = (x - c) / s, where c is the mean of the x_i and s the largest |x_ia - c_a|, or 1
 * where that is 0, the vectors are
 *
 *     2-D:  (1, 0), (0, 1), (-y_2, y_1)
 *     3-D:  (1, 0, 0), (0, 1, 0), (0, 0, 1), (-y_2, y_1, 0), (0, -y_3, y_2), (y_3, 0, -y_1)
 *
 * c is a sum in ascending order of nodes. The caller calls near_null_free. Errors: STATUS_CONFIG
 * (a coordinate that is not finite), STATUS_MEMORY. */
enum status near_null_rigid_body(int64_t nodes, int dimensions, const double *coordinates,
                                 struct near_null *near_null, struct error *error);

/* `count` copies of given vectors: values[i count + v]. Errors: STATUS_CONFIG (count outside 1 ...
 * NEAR_NULL_MAX, a block that does not divide n or is above that, a value that is not finite, a
 * vector of zeros), STATUS_MEMORY. */
enum status near_null_of(int64_t n, int64_t block, int64_t count, const double *values,
                         struct near_null *near_null, struct error *error);

void near_null_free(struct near_null *near_null); /* accepts a zeroed one, and zeroes it */

#ifdef __cplusplus
}
#endif
#endif
