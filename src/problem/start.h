/* A start is a component that fills x_0, where a solve begins, of each column: one constant `struct
 * start start_<name>` and one line in start.def. */
#ifndef PROBLEM_START_H
#define PROBLEM_START_H

#include "base/component.h"
#include "problem/rhs.h"

struct start {
    struct component component; /* of COMPONENT_START */

    /* Fill that part of X[columns][n]. NULL: X = 0, and there is nothing to fill. Errors:
     * STATUS_INPUT, STATUS_MEMORY. */
    enum status (*fill)(const void *options, int64_t n, const struct rhs_part *part, double *X,
                        struct error *error);
};

#define START(name) extern const struct start start_##name;
#include "problem/start.def"
#undef START

/* Whether these options, or zeroed ones, leave x at 0. */
bool start_is_zero(const struct options *options);

/* The slot, for options of a start that is not zero. */
enum status start_fill_part(const struct options *options, int64_t n, const struct rhs_part *part,
                            double *X, struct error *error);

#endif
