/* The operations of the CUDA space that make a vector for a preconditioner and take a dot product
 * with it (cgsolve/space.h, for its table of operations). */
#ifndef SPACE_CUDA_MAKE_H
#define SPACE_CUDA_MAKE_H

#include "cgsolve/space.h"

enum status cuda_apply_blocks(struct space *space, int64_t n, int64_t block, const double *values,
                              const double *r, double *z, double *dot, struct error *error);
enum status cuda_combine(struct space *space, int64_t n, const struct combination *combination,
                         struct error *error);

#endif
