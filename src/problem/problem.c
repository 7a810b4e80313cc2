#include "problem/problem.h"

#include "base/parameter.h"
#include "base/text.h"
#include "matrix/implicit_rows.h"

#include <inttypes.h>

/* A component is the first member of its problem. */
static const struct problem *problem_of(const struct options *options)
{
    return (const struct problem *)options->component;
}

static bool has_maker(const struct problem *problem, const void *options)
{
    return problem->maker && (!problem->suits_maker || problem->suits_maker(options));
}

enum status problem_shape(const struct options *options, struct csr *shape, struct error *error)
{
    const struct problem *problem = problem_of(options);
    if (problem->shape)
        return problem->shape(options->values, shape, error);
    int64_t n = problem->rows ? problem->rows(options->values) : 0;
    if (has_maker(problem, options->values))
        *shape = csr_made(CSR_SYMMETRIC, n, problem->maker, options->values);
    else
        *shape = (struct csr){.kind = CSR_SYMMETRIC, .n = n, .width = n, .nnz = n};
    return STATUS_OK;
}

enum status problem_make(const struct options *options, enum csr_kind wanted,
                         const struct matrix_market_ranks *ranks, struct csr *A,
                         struct matrix_market_report *report, struct error *error)
{
    const struct problem *problem = problem_of(options);
    *report = (struct matrix_market_report){0};
    if (problem->read)
        return problem->read(options->values, wanted, ranks, A, report, error);
    if (!has_maker(problem, options->values))
        return problem->make(options->values, A, error);
    enum status status = problem_shape(options, A, error);
    return status ? status : csr_store(A, error);
}

enum status problem_near_null(const struct options *options, struct near_null *near_null,
                              struct error *error)
{
    const struct problem *problem = problem_of(options);
    *near_null = (struct near_null){0};
    return problem->near_null ? problem->near_null(options->values, near_null, error) : STATUS_OK;
}

bool problem_knows_near_null(const struct options *options)
{
    return problem_of(options)->near_null;
}

bool problem_is_free(const struct options *options)
{
    const struct problem *problem = problem_of(options);
    return problem->is_free && problem->is_free(options->values);
}

const char *problem_file(const struct options *options, const char **key)
{
    return problem_of(options)->read ? options_file(options, 0, key) : NULL;
}

void problem_describe(const struct options *options, const struct matrix_market_report *report,
                      FILE *stream)
{
    problem_of(options)->describe(options->values, stream);
    if (!report->field)
        return;
    fprintf(stream, ", %s %s, %" PRId64 " entries", report->field, report->symmetry,
            report->entries);
    if (report->duplicates > 0)
        fprintf(stream, ", %" PRId64 " of them duplicate%s, added up", report->duplicates,
                text_plural(report->duplicates));
    if (report->averaged_pairs > 0)
        fprintf(stream, ", %" PRId64 " pair%s replaced by their mean (asymmetry up to %.3g)",
                report->averaged_pairs, text_plural(report->averaged_pairs), report->asymmetry);
}

enum status problem_create(const struct problem *problem, const void *options, struct csr *A,
                           struct error *error)
{
    const struct options made = {&problem->component, (void *)options};
    enum status status = options_check_below(&made, "problem.", error);
    if (status)
        return status;
    if (!has_maker(problem, options))
        return problem->make(options, A, error);
    *A = csr_made(CSR_SYMMETRIC, problem->rows(options), problem->maker, options);
    status = csr_store(A, error);
    A->maker = NULL;
    return status;
}
