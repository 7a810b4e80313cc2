#include "io/vectors.h"

#include "base/number.h"
#include "base/text.h"
#include "io/text_source.h"

#include <inttypes.h>
#include <string.h>

enum { WINDOW = 1 << 20 };

/* A file whose rows are read in their order. */
struct rows {
    const char *path;
    struct text_source *source;
    struct text_reader reader;
};

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

static const char *word_end(const char *p, const char *end)
{
    while (p < end && *p != ' ' && *p != '\t')
        p++;
    return p;
}

/* The caller calls text_source_close, also after a failure. */
static enum status open_rows(const char *path, struct rows *rows, struct error *error)
{
    *rows = (struct rows){.path = path};
    enum status status = text_source_open(path, WINDOW, &rows->source, error);
    if (!status)
        rows->reader = text_reader_start(rows->source);
    return status;
}

/* [begin, end): the next row from its first number on; begin = NULL after the last one. */
static enum status next_row(struct rows *rows, const char **begin, const char **end,
                            struct error *error)
{
    enum status status;
    do {
        status = text_reader_next(&rows->reader, begin, end, error);
        if (status || !*begin)
            return status;
        *begin = skip_blanks(*begin, *end);
    } while (*begin == *end);
    return STATUS_OK;
}

static int64_t count_words(const char *p, const char *end)
{
    int64_t count = 0;
    for (; p < end; p = skip_blanks(word_end(p, end), end))
        count++;
    return count;
}

static enum status begins(const char *path, bool *is_text, struct error *error)
{
    struct rows rows;
    const char *begin = NULL, *end = NULL, *after;
    double value;
    enum status status = open_rows(path, &rows, error);
    if (!status)
        status = next_row(&rows, &begin, &end, error);
    *is_text = !status && begin && number_read_fortran(begin, end, &value, &after) == NUMBER_OK &&
               after == word_end(begin, end);
    text_source_close(rows.source);
    return status;
}

static enum status count_columns(const char *path, int64_t n, int64_t *columns, struct error *error)
{
    (void)n;
    struct rows rows;
    const char *begin = NULL, *end = NULL;
    enum status status = open_rows(path, &rows, error);
    if (!status)
        status = next_row(&rows, &begin, &end, error);
    *columns = begin ? count_words(begin, end) : 0;
    text_source_close(rows.source);
    return status;
}

/* values[columns] with the stride, of one row. */
static enum status read_row(const struct rows *rows, const char *begin, const char *end,
                            int64_t columns, int64_t stride, double *values, struct error *error)
{
    char quoted[TEXT_QUOTED];
    int64_t count = count_words(begin, end);
    if (count != columns)
        return error_at(error, rows->path, rows->reader.line,
                        "%" PRId64 " number%s instead of %" PRId64, count, text_plural(count),
                        columns);
    for (int64_t j = 0; j < columns; j++) {
        const char *last = word_end(begin, end), *after;
        enum number_fault fault = number_read_fortran(begin, last, &values[j * stride], &after);
        if (fault || after != last)
            return error_at(error, rows->path, rows->reader.line, "%s %s",
                            text_quote(begin, last, quoted),
                            fault == NUMBER_OVERFLOW    ? "is beyond the range of double"
                            : fault == NUMBER_UNDERFLOW ? "is too small for a double"
                                                        : "is not a finite number");
        begin = skip_blanks(last, end);
    }
    return STATUS_OK;
}

static enum status read_rows(struct rows *rows, int64_t n, int64_t columns, int64_t first,
                             int64_t last, double *B, struct error *error)
{
    const char *begin = NULL, *end = NULL;
    int64_t i = 0;
    enum status status = next_row(rows, &begin, &end, error);
    for (; !status && begin && i < n; i++) {
        if (i >= first && i < last)
            status = read_row(rows, begin, end, columns, n, B + i, error);
        if (!status)
            status = next_row(rows, &begin, &end, error);
    }
    if (status || (!begin && i == n))
        return status;
    return error_at(error, rows->path, rows->reader.line,
                    "%s %" PRId64 " rows, but must have %" PRId64, begin ? "has more than" : "has",
                    i, n);
}

static enum status read_vectors(const char *path, int64_t n, int64_t columns, int64_t first,
                                int64_t last, double *B, struct error *error)
{
    struct rows rows;
    enum status status = open_rows(path, &rows, error);
    if (!status)
        status = read_rows(&rows, n, columns, first, last, B, error);
    text_source_close(rows.source);
    return status;
}

const struct vector_format text_vectors = {begins, count_columns, read_vectors};
