/* x_0 from a Matrix Market file, such as a solution that was written. */
#include "io/market/matrix_market.h"
#include "problem/rhs.h"
#include "problem/start.h"

struct file {
    char *path;
};

static enum status fill(const void *options, int64_t n, double *x, struct error *error)
{
    return matrix_market_read_vector(((const struct file *)options)->path, n, x, error);
}

static const struct parameter parameters[] = {PARAMETERS_OF(struct file, path, rhs_path), {0}};

const struct start start_file = {
    {COMPONENT_START, "file", "a Matrix Market file", parameters, sizeof(struct file), NULL}, fill};
