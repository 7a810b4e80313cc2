#include "space/values.h"

#include "space/define_pass.h"

#include <math.h>

struct values {
    const double *v;
};

FIND_AT(range, values)
{
    double size = fabs(work->v[i]);
    found_most(found, 0, isfinite(size) ? size : INFINITY);
    if (size > 0)
        found_most(found, 1, -size);
}

PASS_AT(values_scaling, values_scaling)
{
    work->to[i] = ldexp(work->from[i], work->exponent);
}

FIND(find_range, range, values, "the range of numbers")
ELEMENTS_AT(values_scaling, values_scaling)
PASS(pass_values_scaling, values_scaling, values_scaling, .name = "scaled numbers", .always = true,
     .reads = 1, .writes = 1)

#ifndef __CUDACC__
enum status values_range(struct space *space, int64_t n, const double *v, double *least,
                         double *largest, struct error *error)
{
    struct found found = {{0}, 0};
    const struct values work = {v};
    enum status status = space_find(space, &find_range, n, &work, &found, error);
    *largest = found.most[0] > 0 ? found.most[0] : 0;
    *least = -found.most[1];
    return status;
}
#endif
