/* x_0 from a file, such as a solution that was written: a column for each right-hand side, or one
 * for all. */
#include "problem/start.h"
#include "problem/vector_file.h"

#include <inttypes.h>
#include <string.h>

struct file {
    char *path;
};

static enum status fill(const void *options, int64_t n, const struct rhs_part *part, double *X,
                        struct error *error)
{
    const char *path = ((const struct file *)options)->path;
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

static const struct parameter parameters[] = {PARAMETERS_OF(struct file, path, rhs_path), {0}};

const struct start start_file = {{COMPONENT_START, "file", "a Matrix Market, .npy or text file",
                                  parameters, sizeof(struct file), NULL},
                                 fill};
