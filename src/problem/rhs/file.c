/* b from a Matrix Market file. */
#include "io/market/matrix_market.h"
#include "problem/rhs.h"

struct file {
    char *path;
};

static enum status fill(const void *options, const struct csr *A, double shift, double *b,
                        struct error *error)
{
    (void)shift;
    return matrix_market_read_vector(((const struct file *)options)->path, A->n, b, error);
}

static const struct parameter parameters[] = {PARAMETERS_OF(struct file, path, rhs_path), {0}};

const struct rhs rhs_file = {
    {COMPONENT_RHS, "file", "a Matrix Market file", parameters, sizeof(struct file), NULL}, fill};
