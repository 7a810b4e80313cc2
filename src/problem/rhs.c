#include "problem/rhs.h"

#include "base/random.h"
#include "base/text.h"

#include <inttypes.h>

static const struct rhs *rhs_of(const struct options *options)
{
    return (const struct rhs *)options->component;
}

enum status rhs_fill_part(const struct options *options, const struct csr *A, double shift,
                          const struct rhs_part *part, double *B, struct error *error)
{
    return rhs_of(options)->fill(options->values, A, shift, part, B, error);
}

enum status rhs_fill(const struct options *options, const struct csr *A, double shift,
                     int64_t columns, double *B, struct error *error)
{
    return rhs_fill_part(options, A, shift, &(struct rhs_part){columns, 0, A->n}, B, error);
}

enum status rhs_columns(const struct options *options, int64_t n, int64_t wanted, int64_t *columns,
                        struct error *error)
{
    const struct rhs *rhs = rhs_of(options);
    *columns = wanted > 0 ? wanted : 1;
    enum status status =
        rhs->columns ? rhs->columns(options->values, n, columns, error) : STATUS_OK;
    if (status)
        return status;
    const char *path = options_file(options, 0, NULL);
    if (wanted > 0 && *columns != wanted)
        return error_set(error, STATUS_CONFIG,
                         "rhs.columns = %" PRId64 ": %s has %" PRId64 " column%s", wanted, path,
                         *columns, text_plural(*columns));
    if (*columns > RHS_COLUMNS_MOST)
        return error_set(error, STATUS_INPUT,
                         "%s: has %" PRId64 " columns, and at most %d are solved together", path,
                         *columns, RHS_COLUMNS_MOST);
    return STATUS_OK;
}

void rhs_draw(int64_t seed, int64_t n, const struct rhs_part *part, double *B)
{
    for (int64_t j = 0; j < part->columns; j++)
        random_vector_part((int64_t)((uint64_t)seed + (uint64_t)j), part->first, part->last,
                           B + j * n);
}

const struct parameter rhs_seed[] = {{"seed", "the seed; column j = 0, 1, ... uses seed + j", "1",
                                      .type = PARAMETER_INTEGER, .size = sizeof(int64_t),
                                      .most = INT64_MAX},
                                     {0}};

const struct parameter rhs_path[] = {
    {"path", "a Matrix Market, .npy or text file, with one column for each right-hand side", NULL,
     .type = PARAMETER_FILE, .size = sizeof(char *)},
    {0}};
