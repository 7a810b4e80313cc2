/* The starts. */
#include "problem/start.h"

#include <inttypes.h>
#include <string.h>

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

/* x_0 = 0: a method begins with b itself. */
const struct start start_zero = {{COMPONENT_START, "zero", "x_0 = 0", NULL, 0, NULL}, NULL};

/* x_i uniform in [-1, 1), as rhs_random draws b. */
static enum status draw(const void *options, int64_t n, const struct rhs_part *part, double *X,
                        struct error *error)
{
    (void)error;
    rhs_draw(*(const int64_t *)options, n, part, X);
    return STATUS_OK;
}

const struct start start_random = {
    {COMPONENT_START, "random", "x_i uniform in [-1, 1)", rhs_seed, sizeof(int64_t), NULL}, draw};

/* x_0 from a file, such as a solution that was written: a column for each right-hand side, or one
 * for all. */
static enum status read_file(const void *options, int64_t n, const struct rhs_part *part, double *X,
                             struct error *error)
{
    const char *path = *(char *const *)options;
    int64_t count, columns = part->columns, first = part->first, last = part->last;
    enum status status = vector_file_columns(path, n, &count, error);
    if (!status && count != columns && count != 1)
        status = error_set(error, STATUS_INPUT,
                           "%s: has %" PRId64 " columns, and the right-hand side has %" PRId64,
                           path, count, columns);
    if (!status)
        status = vector_file_read(path, n, &(struct rhs_part){count, first, last}, X, error);
    for (int64_t j = count; j < columns && !status; j++)
        memcpy(X + j * n + first, X + first, (size_t)(last - first) * sizeof *X);
    return status;
}

const struct start start_file = {{COMPONENT_START, "file",
                                  "a Matrix Market, .npy, PETSc or text file", rhs_path,
                                  sizeof(char *), NULL},
                                 read_file};
