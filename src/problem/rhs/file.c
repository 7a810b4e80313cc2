/* b from a file, a column for each right-hand side. */
#include "problem/rhs.h"
#include "problem/vector_file.h"

struct file {
    char *path;
};

static enum status fill(const void *options, const struct csr *A, double shift,
                        const struct rhs_part *part, double *B, struct error *error)
{
    (void)shift;
    return vector_file_read(((const struct file *)options)->path, A->n, part, B, error);
}

static enum status columns_of(const void *options, int64_t n, int64_t *columns, struct error *error)
{
    return vector_file_columns(((const struct file *)options)->path, n, columns, error);
}

static const struct parameter parameters[] = {PARAMETERS_OF(struct file, path, rhs_path), {0}};

const struct rhs rhs_file = {{COMPONENT_RHS, "file", "a Matrix Market, .npy or text file",
                              parameters, sizeof(struct file), NULL},
                             fill,
                             columns_of};
