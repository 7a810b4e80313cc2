/* A right-hand side is a component that fills b: one constant `struct rhs rhs_<name>` in
 * src/problem/rhs/ and one line in rhs.def. */
#ifndef PROBLEM_RHS_H
#define PROBLEM_RHS_H

#include "cgsolve/component.h"
#include "cgsolve/csr.h"

struct rhs {
    struct component component; /* of COMPONENT_RHS */

    /* Fill b[A->n] of (shift I + A) x = b. A is borrowed. Errors: STATUS_CONFIG, STATUS_INPUT,
     * STATUS_MEMORY. */
    enum status (*fill)(const void *options, const struct csr *A, double shift, double *b,
                        struct error *error);
};

#define RHS(name) extern const struct rhs rhs_##name;
#include "problem/rhs.def"
#undef RHS

/* The slot, for options of a right-hand side. */
enum status rhs_fill(const struct options *options, const struct csr *A, double shift, double *b,
                     struct error *error);

/* What right-hand sides and starts (problem/start.h) share: "seed" of what is random, an int64_t;
 * "path" of the file of a vector, a char *. */
extern const struct parameter rhs_seed[], rhs_path[];

#endif
