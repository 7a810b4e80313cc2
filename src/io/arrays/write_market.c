/* Matrix Market files, coordinate. */
#include "io/arrays/matrix_writers.h"
#include "io/text_file.h"

#include <inttypes.h>

/* A triangle is written as the lower one. */
static bool is_written(const struct expanded *from, int64_t i, int64_t k)
{
    return from->A->kind == CSR_GENERAL || from->full.columns[k] <= i;
}

static enum status write_entries(const struct expanded *from, struct text_file *file,
                                 struct error *error)
{
    const struct csr *full = &from->full;
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < full->n; i++)
        for (int64_t k = full->offsets[i]; k < full->offsets[i + 1] && !status; k++)
            if (is_written(from, i, k))
                status = text_file_line(file, error, "%" PRId64 " %d %.17g", i + 1,
                                        full->columns[k] + 1, full->values[k]);
    return status;
}

enum status write_market(const char *path, const struct expanded *from, struct error *error)
{
    static const char *const symmetries[] = {
        [CSR_GENERAL] = "general", [CSR_SYMMETRIC] = "symmetric", [CSR_SKEW] = "skew-symmetric"};
    const struct csr *full = &from->full;
    struct text_file file;
    int64_t entries = 0;
    for (int64_t i = 0; i < full->n; i++)
        for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++)
            entries += is_written(from, i, k);
    enum status status = text_file_begin(NULL, path, &file, error);
    if (!status)
        status = text_file_line(&file, error,
                                "%%%%MatrixMarket matrix coordinate real %s\n%" PRId64 " %" PRId64
                                " %" PRId64,
                                symmetries[from->A->kind], full->n, full->width, entries);
    if (!status)
        status = write_entries(from, &file, error);
    if (!status)
        return text_file_finish(&file, error);
    text_file_abandon(&file);
    return status;
}
