#include "problem/problem.h"

#include "base/parameter.h"
#include "base/text.h"

#include <inttypes.h>

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
    const struct problem *problem = problem_of(options);
    *report = (struct matrix_market_report){0};
    if (problem->read)
        return problem->read(options->values, wanted, A, report, error);
    enum status status = problem->make(options->values, A, error);
    bool suits = !problem->suits_maker || problem->suits_maker(options->values);
    A->maker = !status && suits ? problem->maker : NULL;
    A->maker_options = options->values;
    return status;
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

enum status problem_check(const struct problem *problem, const void *options, struct error *error)
{
    struct options made = {&problem->component, (void *)options};
    return options_check_below(&made, "problem.", error);
}
