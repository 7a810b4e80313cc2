/* The range of numbers, and their scaling by powers of two (matrix/scale.h), in any memory. */
#ifndef SPACE_VALUES_H
#define SPACE_VALUES_H

#include "space/elements.h"
#include "space/find.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of v[n] in the memory of the space, NULL: of the host. *largest: the largest |v_i|, infinite if a
 * v_i is not finite. *least: the least nonzero |v_i|, infinite if none. Errors: those of
 * space_find. */
enum status values_range(struct space *space, int64_t n, const double *v, double *least,
                         double *largest, struct error *error);

#ifdef __cplusplus
}
#endif

/* to_i = 2^exponent from_i; both may be one vector. */
struct values_scaling {
    int exponent;
    const double *from;
    double *to;
};
PASS_DECLARE(pass_values_scaling);

#endif
