/* Rutherford-Boeing files (Duff, Grimes, Lewis 1997, RAL-TR-97-031): four lines of header, then the
 * column pointers, the rows and the values, in fixed-width fields with a blank before each number,
 * for readers that split lines at blanks. */
#include "io/arrays/matrix_writers.h"
#include "io/text_file.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINE = 80, DIGITS = 16 /* after the point */, REAL_WIDTH = 25 };

struct content {
    const struct csr *columns; /* row j of it is column j of A */
    bool triangle;             /* the lower one alone */
    int64_t entries;
};

static bool is_written(const struct content *content, int64_t j, int64_t k)
{
    return !content->triangle || content->columns->columns[k] >= j;
}

static int64_t count_entries(const struct content *content)
{
    const struct csr *columns = content->columns;
    int64_t entries = 0;
    for (int64_t j = 0; j < columns->n; j++)
        for (int64_t k = columns->offsets[j]; k < columns->offsets[j + 1]; k++)
            entries += is_written(content, j, k);
    return entries;
}

/* The numbers of one array. */
struct lines {
    struct text_file *file;
    int width;
    int64_t written;
};

static int fields_of(int width)
{
    return LINE / width;
}

static int width_of(int64_t largest)
{
    return 1 + snprintf(NULL, 0, "%" PRId64, largest);
}

static int64_t count_lines(int64_t numbers, int width)
{
    return (numbers + fields_of(width) - 1) / fields_of(width);
}

/* After each number: does its line end? */
static enum status end_number(struct lines *lines, struct error *error)
{
    return ++lines->written % fields_of(lines->width) == 0
               ? text_file_line(lines->file, error, "%s", "")
               : STATUS_OK;
}

static enum status end_array(struct lines *lines, struct error *error)
{
    return lines->written % fields_of(lines->width) != 0
               ? text_file_line(lines->file, error, "%s", "")
               : STATUS_OK;
}

static enum status put_integer(struct lines *lines, int64_t number, struct error *error)
{
    enum status status = text_file_part(lines->file, error, "%*" PRId64, lines->width, number);
    return status ? status : end_number(lines, error);
}

static enum status put_real(struct lines *lines, double number, struct error *error)
{
    enum status status = text_file_part(lines->file, error, "%*.*E", lines->width, DIGITS, number);
    return status ? status : end_number(lines, error);
}

static enum status write_header(const struct content *content, const char *type,
                                struct text_file *file, struct error *error)
{
    const struct csr *columns = content->columns;
    int widths[] = {width_of(content->entries + 1), width_of(columns->width)};
    int64_t lines[] = {count_lines(columns->n + 1, widths[0]),
                       count_lines(content->entries, widths[1]),
                       count_lines(content->entries, REAL_WIDTH)};
    char formats[2][16];
    for (int k = 0; k < 2; k++)
        snprintf(formats[k], sizeof formats[k], "(%dI%d)", fields_of(widths[k]), widths[k]);
    enum status status = text_file_line(file, error, "%-72s%-8s", "written by cgsolve", "A");
    if (!status)
        status = text_file_line(file, error, "%14" PRId64 "%14" PRId64 "%14" PRId64 "%14" PRId64,
                                lines[0] + lines[1] + lines[2], lines[0], lines[1], lines[2]);
    if (!status)
        status = text_file_line(file, error, "%-14s%14" PRId64 "%14" PRId64 "%14" PRId64 "%14d",
                                type, columns->width, columns->n, content->entries, 0);
    return status ? status
                  : text_file_line(file, error, "%-16s%-16s(%dE%d.%d)", formats[0], formats[1],
                                   fields_of(REAL_WIDTH), REAL_WIDTH, DIGITS);
}

static enum status write_offsets(const struct content *content, struct text_file *file,
                                 struct error *error)
{
    const struct csr *columns = content->columns;
    struct lines lines = {.file = file, .width = width_of(content->entries + 1)};
    int64_t place = 1;
    enum status status = put_integer(&lines, place, error);
    for (int64_t j = 0; j < columns->n && !status; j++) {
        for (int64_t k = columns->offsets[j]; k < columns->offsets[j + 1]; k++)
            place += is_written(content, j, k);
        status = put_integer(&lines, place, error);
    }
    return status ? status : end_array(&lines, error);
}

static enum status write_entries(const struct content *content, bool values, struct text_file *file,
                                 struct error *error)
{
    const struct csr *columns = content->columns;
    struct lines lines = {.file = file, .width = values ? REAL_WIDTH : width_of(columns->width)};
    enum status status = STATUS_OK;
    for (int64_t j = 0; j < columns->n; j++)
        for (int64_t k = columns->offsets[j]; k < columns->offsets[j + 1] && !status; k++)
            if (is_written(content, j, k))
                status = values ? put_real(&lines, columns->values[k], error)
                                : put_integer(&lines, columns->columns[k] + INT64_C(1), error);
    return status ? status : end_array(&lines, error);
}

static enum status write_file(const char *path, const char *type, bool triangle,
                              const struct csr *columns, struct error *error)
{
    struct content content = {.columns = columns, .triangle = triangle};
    struct text_file file;
    content.entries = count_entries(&content);
    enum status status = text_file_begin(NULL, path, &file, error);
    if (!status)
        status = write_header(&content, type, &file, error);
    if (!status)
        status = write_offsets(&content, &file, error);
    for (int values = 0; values < 2 && !status; values++)
        status = write_entries(&content, values, &file, error);
    if (!status)
        return text_file_finish(&file, error);
    text_file_abandon(&file);
    return status;
}

enum status write_boeing(const char *path, const struct expanded *from, struct error *error)
{
    const struct csr *A = from->A;
    const char *type = A->kind == CSR_SYMMETRIC ? "rsa"
                       : A->kind == CSR_SKEW    ? "rza"
                       : A->n == A->width       ? "rua"
                                                : "rra";
    return write_file(path, type, A->kind != CSR_GENERAL, &from->full, error);
}

enum status write_boeing_full(const char *path, const struct expanded *from, struct error *error)
{
    return write_file(path, "rua", false, &from->full, error);
}
