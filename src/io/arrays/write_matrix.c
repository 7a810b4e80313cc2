#include "io/arrays/write_matrix.h"

#include "io/arrays/matrix_writers.h"

#include <math.h>
#include <string.h>

static const struct format {
    const char *ending;
    matrix_writer *write;
    bool by_columns;
} formats[] = {{".mtx", write_market, false},  {".npz", write_npz, false},
               {".petsc", write_petsc, false}, {".mat", write_matlab, true},
               {".rb", write_boeing, true},    {".rua", write_boeing_full, true}};

/* Without the zeros on the diagonal that only a triangle must store. */
static void drop_zeros(struct csr *full)
{
    int64_t to = 0, k = 0;
    for (int64_t i = 0; i < full->n; i++) {
        for (; k < full->offsets[i + 1]; k++) {
            if (full->columns[k] == i && full->values[k] == 0 && !signbit(full->values[k]))
                continue;
            full->columns[to] = full->columns[k];
            full->values[to++] = full->values[k];
        }
        full->offsets[i + 1] = to;
    }
    full->nnz = to;
}

/* Rows become columns. */
static enum status turn(enum csr_kind kind, struct csr *full, struct error *error)
{
    struct csr transposed;
    for (int64_t k = 0; k < full->nnz && kind == CSR_SKEW; k++)
        full->values[k] = -full->values[k];
    if (kind != CSR_GENERAL)
        return STATUS_OK;
    enum status status = csr_transpose(full, &transposed, error);
    if (status)
        return status;
    csr_free(full);
    *full = transposed;
    return STATUS_OK;
}

static const struct format *format_of(const char *path)
{
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        size_t length = strlen(path), least = strlen(formats[f].ending);
        if (length > least && strcmp(path + length - least, formats[f].ending) == 0)
            return &formats[f];
    }
    return NULL;
}

enum status matrix_write(const char *path, const struct csr *A, struct error *error)
{
    const struct format *format = format_of(path);
    struct expanded from = {.A = A};
    if (!format)
        return error_set(error, STATUS_CONFIG,
                         "%s: the name must end with .mtx, .npz, .petsc, .mat, .rb or .rua", path);
    enum status status = csr_expand(A, &from.full, error);
    if (status)
        return status;
    if (A->kind != CSR_GENERAL)
        drop_zeros(&from.full);
    if (format->by_columns)
        status = turn(A->kind, &from.full, error);
    if (!status)
        status = format->write(path, &from, error);
    csr_free(&from.full);
    return status;
}
