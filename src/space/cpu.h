/* The CPU space's own, and its vector operations (see cgsolve/space.h), for its table of
 * operations. */
#ifndef SPACE_CPU_H
#define SPACE_CPU_H

#include "cgsolve/space.h"
#include "space/compensated.h"

struct space_cpu {
    struct space base;
    struct compensated *tiles; /* one term a tile of the vector being summed; .error is used by
                                  the compensated reductions only */
    int64_t tiles_capacity;
    space_work *work; /* what was recorded */
    void *context;
    int times;
};

static inline struct space_cpu *space_cpu_of(struct space *space)
{
    return (struct space_cpu *)space;
}

enum status cpu_fill(struct space *space, int64_t n, double value, double *v, struct error *error);
enum status cpu_copy(struct space *space, int64_t n, const double *x, double *y,
                     struct error *error);
enum status cpu_dot(struct space *space, int64_t n, const double *x, const double *y,
                    double *result, struct error *error);
enum status cpu_axmy_norm_squared(struct space *space, int64_t n, struct quotient a,
                                  const double *x, double *y, double *result, struct error *error);
enum status cpu_axmy_axmy_norm_squared(struct space *space, int64_t n, const double *a,
                                       const double *x, const double *b, const double *u, double *y,
                                       double *result, struct error *error);
enum status cpu_axpy_xpby(struct space *space, int64_t n, const double *a, const double *b,
                          const double *r, double *p, double *x, struct error *error);
enum status cpu_axpy(struct space *space, int64_t n, double a, const double *x, double *y,
                     struct error *error);
enum status cpu_panel_dot(struct space *space, int64_t n, const struct panel *V, const double *w,
                          double *c, struct error *error);
enum status cpu_panel_axmy_norm_squared(struct space *space, int64_t n, const struct panel *V,
                                        const double *c, double *w, double *result,
                                        struct error *error);
enum status cpu_panel_multiply(struct space *space, int64_t n, const struct panel *V,
                               const double *S, int64_t wanted, struct error *error);
enum status cpu_normalise(struct space *space, int64_t n, const double *norm_squared, double *norm,
                          double *v, struct error *error);
enum status cpu_cg_advance(struct space *space, struct cg_scalars *scalars, struct error *error);
enum status cpu_cg_step(struct space *space, int64_t n, const double *q, double *r,
                        struct cg_scalars *scalars, struct error *error);
enum status cpu_minres_step(struct space *space, int64_t n, const struct minres_vectors *vectors,
                            struct minres_scalars *scalars, struct error *error);

#endif
