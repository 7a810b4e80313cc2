#include "problem/rhs.h"

enum status rhs_fill(const struct options *options, const struct csr *A, double shift, double *b,
                     struct error *error)
{
    return ((const struct rhs *)options->component)->fill(options->values, A, shift, b, error);
}

const struct parameter rhs_seed[] = {{"seed", "of what is random", "1", .type = PARAMETER_INTEGER,
                                      .size = sizeof(int64_t), .most = INT64_MAX},
                                     {0}};

const struct parameter rhs_path[] = {{"path", "the Matrix Market file, one column", NULL,
                                      .type = PARAMETER_FILE, .size = sizeof(char *)},
                                     {0}};
