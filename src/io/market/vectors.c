/* Vectors in Matrix Market files. */
#include "base/text.h"
#include "io/market/entries.h"
#include "io/market/line_numbers.h"
#include "io/market/matrix_market.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Whether the file holds vectors of n entries, and how many: each is a column; but one alone may be
 * a row. */
static enum status check_header(const struct market_file *file, int64_t n, int64_t *columns,
                                struct error *error)
{
    const struct market_header *header = &file->header;
    if (header->symmetry != SYMMETRY_GENERAL)
        return market_refuse(file, header->banner_line, error,
                             "a vector cannot be %s: it must be general",
                             market_symmetry_name(header->symmetry));
    *columns = header->rows == n ? header->columns : 1;
    if (header->rows == n || (header->rows == 1 && header->columns == n))
        return STATUS_OK;
    return market_refuse(file, header->size_line, error,
                         "this is %" PRId64 " x %" PRId64 ", but must have %" PRId64
                         " rows, one column for each vector",
                         header->rows, header->columns, n);
}

static enum status check_vectors(const struct market_file *file, int64_t n, int64_t columns,
                                 struct error *error)
{
    int64_t found;
    enum status status = check_header(file, n, &found, error);
    if (status || found == columns)
        return status;
    return market_refuse(file, file->header.size_line, error,
                         "this is %" PRId64 " x %" PRId64 ", but must be %" PRId64
                         " vector%s of %" PRId64 " entries",
                         file->header.rows, file->header.columns, columns, text_plural(columns), n);
}

static enum status read_entries(const struct market_file *file, const struct text_reader *reader,
                                int64_t n, int64_t first, int64_t last, double *B,
                                struct error *error)
{
    bool tall = file->header.rows == n;
    struct entry_list entries;
    enum status status = entries_read(file, reader, ENTRIES_RAW, &entries, NULL, error);
    for (int64_t k = 0; status == STATUS_OK && k < entries.count; k++) {
        int64_t i = entries.rows[k], j = entries.columns[k], row = tall ? i : j;
        double *b = tall ? B + j * n + i : B + j;
        if (row < first || row >= last)
            continue;
        /* 0 + -0 would be 0: the first value is taken as it is. */
        *b = *b == 0 ? entries.values[k] : *b + entries.values[k];
        if (!isfinite(*b))
            status = market_refuse_overflow(file, i, j, error);
    }
    entry_list_free(&entries);
    return status;
}

static enum status count_columns(const char *path, int64_t n, int64_t *columns, struct error *error)
{
    struct market_file file;
    struct text_reader reader;
    enum status status = market_open(&file, path, MARKET_HEADER_WINDOW, &reader, error);
    if (status == STATUS_OK)
        status = check_header(&file, n, columns, error);
    market_close(&file);
    return status;
}

static enum status read_vectors(const char *path, int64_t n, int64_t columns, int64_t first,
                                int64_t last, double *B, struct error *error)
{
    struct market_file file;
    struct text_reader reader;
    enum status status = market_open(&file, path, MARKET_WINDOW, &reader, error);
    if (status == STATUS_OK)
        status = check_vectors(&file, n, columns, error);
    if (status == STATUS_OK) {
        for (int64_t j = 0; j < columns; j++)
            memset(B + j * n + first, 0, (size_t)(last - first) * sizeof *B);
        status = read_entries(&file, &reader, n, first, last, B, error);
    }
    market_close(&file);
    return status;
}

const struct vector_format market_vectors = {NULL, count_columns, read_vectors};
