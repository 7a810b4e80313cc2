#include "problem/vector_file.h"

#include "io/market/matrix_market.h"
#include "io/npy_vectors.h"

enum status vector_file_columns(const char *path, int64_t n, int64_t *columns, struct error *error)
{
    bool is_npy;
    enum status status = npy_vectors_are_there(path, &is_npy, error);
    if (status)
        return status;
    return is_npy ? npy_vectors_columns(path, n, columns, error)
                  : matrix_market_columns(path, n, columns, error);
}

enum status vector_file_read(const char *path, int64_t n, const struct rhs_part *part, double *B,
                             struct error *error)
{
    bool is_npy;
    enum status status = npy_vectors_are_there(path, &is_npy, error);
    if (status)
        return status;
    int64_t columns = part->columns, first = part->first, last = part->last;
    return is_npy ? npy_vectors_read(path, n, columns, first, last, B, error)
                  : matrix_market_read_vectors(path, n, columns, first, last, B, error);
}
