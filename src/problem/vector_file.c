#include "problem/vector_file.h"

#include "io/market/matrix_market.h"
#include "io/npy_vectors.h"
#include "io/text_vectors.h"

enum kind {
    MARKET,
    NPY,
    TEXT,
};

static enum status find_kind(const char *path, enum kind *kind, struct error *error)
{
    bool is_npy, is_text = false;
    enum status status = npy_vectors_are_there(path, &is_npy, error);
    if (!status && !is_npy)
        status = text_vectors_are_there(path, &is_text, error);
    *kind = is_npy ? NPY : is_text ? TEXT : MARKET;
    return status;
}

enum status vector_file_columns(const char *path, int64_t n, int64_t *columns, struct error *error)
{
    enum kind kind;
    enum status status = find_kind(path, &kind, error);
    if (status)
        return status;
    return kind == NPY    ? npy_vectors_columns(path, n, columns, error)
           : kind == TEXT ? text_vectors_columns(path, columns, error)
                          : matrix_market_columns(path, n, columns, error);
}

enum status vector_file_read(const char *path, int64_t n, const struct rhs_part *part, double *B,
                             struct error *error)
{
    enum kind kind;
    enum status status = find_kind(path, &kind, error);
    if (status)
        return status;
    int64_t columns = part->columns, first = part->first, last = part->last;
    return kind == NPY    ? npy_vectors_read(path, n, columns, first, last, B, error)
           : kind == TEXT ? text_vectors_read(path, n, columns, first, last, B, error)
                          : matrix_market_read_vectors(path, n, columns, first, last, B, error);
}
