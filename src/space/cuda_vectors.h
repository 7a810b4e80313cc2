/* The vector operations of the CUDA space (see cgsolve/space.h), for its table of operations. */
#ifndef SPACE_CUDA_VECTORS_H
#define SPACE_CUDA_VECTORS_H

#include "cgsolve/space.h"

enum status cuda_fill(struct space *space, int64_t n, double value, double *v, struct error *error);
enum status cuda_copy(struct space *space, int64_t n, const double *x, double *y,
                      struct error *error);
enum status cuda_dot(struct space *space, int64_t n, const double *x, const double *y,
                     double *result, struct error *error);
enum status cuda_axmy_norm_squared(struct space *space, int64_t n, struct quotient a,
                                   const double *x, double *y, double *result, struct error *error);
enum status cuda_axmy_axmy_norm_squared(struct space *space, int64_t n, const double *a,
                                        const double *x, const double *b, const double *u,
                                        double *y, double *result, struct error *error);
enum status cuda_axpy_xpby(struct space *space, int64_t n, const double *a, const double *b,
                           const double *r, double *p, double *x, struct error *error);
enum status cuda_axpy(struct space *space, int64_t n, double a, const double *x, double *y,
                      struct error *error);
enum status cuda_panel_dot(struct space *space, int64_t n, const struct panel *V, const double *w,
                           double *c, struct error *error);
enum status cuda_panel_axmy_norm_squared(struct space *space, int64_t n, const struct panel *V,
                                         const double *c, double *w, double *result,
                                         struct error *error);
enum status cuda_panel_multiply(struct space *space, int64_t n, const struct panel *V,
                                const double *S, int64_t wanted, struct error *error);
enum status cuda_normalise(struct space *space, int64_t n, const double *norm_squared, double *norm,
                           double *v, struct error *error);
enum status cuda_cg_step(struct space *space, int64_t n, const double *q, double *r,
                         struct cg_scalars *scalars, struct error *error);
enum status cuda_cg_advance(struct space *space, struct cg_scalars *scalars, struct error *error);
enum status cuda_minres_step(struct space *space, int64_t n, const struct minres_vectors *vectors,
                             struct minres_scalars *scalars, struct error *error);

#endif
