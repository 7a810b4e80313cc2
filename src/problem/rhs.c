#include "problem/rhs.h"

enum status rhs_fill(const struct options *options, const struct csr *A, double shift, double *b,
                     struct error *error)
{
    return ((const struct rhs *)options->component)->fill(options->values, A, shift, b, error);
}

const struct parameter rhs_seed[] = {{"seed", "of what is random", "1", .type = PARAMETER_INTEGER,
                                      .size = sizeof(int64_t), .most = INT64_MAX},
                                     {0}};
