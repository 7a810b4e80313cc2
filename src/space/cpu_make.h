/* The operations of the CPU space that make a vector for a preconditioner and take a dot product
 * with it, both on a tile while it is in the first-level cache (cgsolve/space.h, for its table of
 * operations). */
#ifndef SPACE_CPU_MAKE_H
#define SPACE_CPU_MAKE_H

#include "cgsolve/space.h"

enum status cpu_apply_blocks(struct space *space, int64_t n, int64_t block, const double *values,
                             const double *r, double *z, double *dot, struct error *error);
enum status cpu_combine(struct space *space, int64_t n, const struct combination *combination,
                        struct error *error);

/* Makes the elements begin ... end - 1 of a vector, on any thread. */
typedef void cpu_make(const void *context, int64_t begin, int64_t end);

/* Every tile is made, and *result = x . y by the space's reductions: y is what is made, or x is.
 * Errors: STATUS_MEMORY. */
enum status cpu_make_and_dot(struct space *space, int64_t n, cpu_make *make, const void *context,
                             const double *x, const double *y, double *result, struct error *error);

#endif
