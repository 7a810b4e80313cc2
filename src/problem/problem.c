#include "problem/problem.h"

/* A component is the first member of its problem. */
static const struct problem *problem_of(const struct options *options)
{
    return (const struct problem *)options->component;
}

enum status problem_shape(const struct options *options, struct csr *shape, struct error *error)
{
    const struct problem *problem = problem_of(options);
    if (problem->shape)
        return problem->shape(options->values, shape, error);
    int64_t n = problem->rows ? problem->rows(options->values) : 0;
    *shape = (struct csr){.kind = CSR_SYMMETRIC, .n = n, .width = n, .nnz = n};
    return STATUS_OK;
}

enum status problem_make(const struct options *options, enum csr_kind wanted, struct csr *A,
                         struct matrix_market_report *report, struct error *error)
{
    *report = (struct matrix_market_report){0};
    return problem_of(options)->make(options->values, wanted, A, report, error);
}

void problem_describe(const struct options *options, const struct matrix_market_report *report,
                      FILE *stream)
{
    problem_of(options)->describe(options->values, report, stream);
}
