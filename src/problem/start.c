#include "problem/start.h"

static const struct start *start_of(const struct options *options)
{
    return (const struct start *)options->component;
}

bool start_is_zero(const struct options *options)
{
    return !options->component || !start_of(options)->fill;
}

enum status start_fill_part(const struct options *options, int64_t n, const struct rhs_part *part,
                            double *X, struct error *error)
{
    return start_of(options)->fill(options->values, n, part, X, error);
}
