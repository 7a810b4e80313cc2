#include "io/market/matrix_market.h"

#include "base/text.h"
#include "io/market/assemble.h"
#include "io/market/entries.h"
#include "io/market/line_numbers.h"
#include "io/market/symmetry.h"
#include "matrix/symmetry.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

/* --- symmetric and skew-symmetric files ------------------------------------------------------- */

/* The entries as one matrix, which the caller owns. */
static enum status read_rows(const struct market_file *file, const struct text_reader *reader,
                             enum entry_mode mode, enum csr_kind kind, bool diagonal, struct csr *A,
                             struct assembly *met, struct error *error)
{
    struct entry_list entries;
    enum status status = entries_read(file, reader, mode, &entries, NULL, error);
    if (!status)
        status = entries_assemble(&entries, file->header.rows, kind, diagonal, file->part, A, met,
                                  error);
    entry_list_free(&entries);
    return status;
}

static enum status read_folded(const struct market_file *file, const struct text_reader *reader,
                               struct csr *A, struct matrix_market_report *report,
                               struct error *error)
{
    struct assembly met;
    enum csr_kind kind = file->header.symmetry == SYMMETRY_SKEW ? CSR_SKEW : CSR_SYMMETRIC;
    enum status status = read_rows(file, reader, ENTRIES_FOLD, kind, true, A, &met, error);
    if (status)
        return status;
    report->duplicates = met.counted;
    if (met.mirrored > 0)
        return market_refuse_mirrored(file, A, error);
    return met.overflow_row < 0
               ? STATUS_OK
               : market_refuse_overflow(file, met.overflow_row, met.overflow_column, error);
}

/* --- general files ---------------------------------------------------------------------------- */

enum { ENTRY_TEXT = 192 };

static void describe_entry(const struct market_file *file, int64_t i, int64_t j, double value,
                           char text[ENTRY_TEXT])
{
    char where[ARRAYS_PLACE];
    int64_t place = market_place_of(file, i, j);
    market_place_text(file, place, where);
    if (place > 0)
        snprintf(text, ENTRY_TEXT, "a(%" PRId64 ",%" PRId64 ") = %.17g (%s)", i + 1, j + 1, value,
                 where);
    else
        snprintf(text, ENTRY_TEXT, "a(%" PRId64 ",%" PRId64 ") is not in the file", i + 1, j + 1);
}

/* Names the method for a matrix of another kind than wanted, or "". */
static const char *hint_at_method(const struct csr *upper, const struct csr *lower,
                                  enum csr_kind wanted)
{
    struct csr A;
    struct asymmetry found;
    enum csr_kind other = wanted == CSR_SKEW ? CSR_SYMMETRIC : CSR_SKEW;
    bool is_other = symmetry_merge(upper, lower, other, 0, NULL, &A, &found, NULL) == STATUS_OK &&
                    found.worst == 0;
    csr_free(&A);
    return !is_other           ? ""
           : other == CSR_SKEW ? "; it is skew-symmetric, as the method \"skew\" wants it"
                               : "; it is symmetric, as the method \"minres\" wants it";
}

static enum status refuse_asymmetry(const struct market_file *file, const struct asymmetry *found,
                                    enum csr_kind wanted, double limit, const char *hint,
                                    struct error *error)
{
    char upper[ENTRY_TEXT], lower[ENTRY_TEXT];
    describe_entry(file, found->row, found->column, found->upper, upper);
    describe_entry(file, found->column, found->row, found->lower, lower);
    if (wanted != CSR_SKEW)
        return error_set(error, STATUS_INPUT,
                         "%s: the matrix is not symmetric: of %" PRId64
                         " unequal pair%s the worst is "
                         "%s, %s: a relative asymmetry of %.3g, and %.3g is allowed (asymmetry)%s",
                         file->path, found->unequal_pairs, text_plural(found->unequal_pairs), upper,
                         lower, found->worst, limit, hint);
    if (found->row == found->column)
        return error_set(error, STATUS_INPUT,
                         "%s: the matrix is not skew-symmetric: %s on the diagonal is not 0%s",
                         file->path, upper, hint);
    return error_set(error, STATUS_INPUT,
                     "%s: the matrix is not exactly skew-symmetric: a_ij = -a_ji is not so for "
                     "%s, %s%s",
                     file->path, upper, lower, hint);
}

static enum status merge_triangles(const struct market_file *file, const struct csr *upper,
                                   const struct csr *lower, enum csr_kind kind, double limit,
                                   struct csr *A, struct matrix_market_report *report,
                                   struct error *error)
{
    struct asymmetry found;
    enum status status = symmetry_merge(upper, lower, kind, limit, file->ranks, A, &found, error);
    if (status)
        return status;
    if (!(found.worst <= limit) && file->part)
        return market_leave_unsaid(file, error);
    if (!(found.worst <= limit))
        return refuse_asymmetry(file, &found, kind, limit, hint_at_method(upper, lower, kind),
                                error);
    report->asymmetry = found.worst;
    report->averaged_pairs = found.counted;
    return STATUS_OK;
}

/* The lists' arrays are freed. */
static enum status assemble_triangles(const struct market_file *file, struct entry_list *above,
                                      struct entry_list *below, struct csr *upper,
                                      struct csr *lower, struct matrix_market_report *report,
                                      struct error *error)
{
    int64_t n = file->header.rows;
    struct assembly met_upper, met_lower;
    enum status status =
        entries_assemble(above, n, CSR_SYMMETRIC, 1, file->part, upper, &met_upper, error);
    if (status == STATUS_OK)
        status = entries_assemble(below, n, CSR_GENERAL, 0, file->part, lower, &met_lower, error);
    entry_list_free(above);
    entry_list_free(below);
    if (status)
        return status;
    report->duplicates = met_upper.counted + met_lower.counted;
    if (met_upper.overflow_row >= 0)
        return market_refuse_overflow(file, met_upper.overflow_row, met_upper.overflow_column,
                                      error);
    if (met_lower.overflow_row >= 0)
        return market_refuse_overflow(file, met_lower.overflow_column, met_lower.overflow_row,
                                      error);
    return STATUS_OK;
}

static enum status read_general(const struct market_file *file, const struct text_reader *reader,
                                enum csr_kind kind, double limit, struct csr *A,
                                struct matrix_market_report *report, struct error *error)
{
    struct entry_list above, below;
    struct csr upper = {0}, lower = {0};
    enum status status = entries_read(file, reader, ENTRIES_SPLIT, &above, &below, error);
    if (status) {
        entry_list_free(&above);
        entry_list_free(&below);
        return status;
    }
    status = assemble_triangles(file, &above, &below, &upper, &lower, report, error);
    if (status == STATUS_OK)
        status = merge_triangles(file, &upper, &lower, kind, limit, A, report, error);
    else if (file->ranks)
        entries_leave_shared(file->ranks);
    csr_free(&upper);
    csr_free(&lower);
    return status;
}

/* Unchanged, rectangular or not; only the triangle if it is exactly symmetric or skew-symmetric. */
static enum status read_kept(const struct market_file *file, const struct text_reader *reader,
                             struct csr *A, struct matrix_market_report *report,
                             struct error *error)
{
    struct assembly met;
    struct csr general;
    enum status status =
        read_rows(file, reader, ENTRIES_RAW, CSR_GENERAL, false, &general, &met, error);
    if (status)
        return status;
    general.width = file->header.columns;
    report->duplicates = met.duplicates;
    enum csr_kind kind = CSR_GENERAL;
    if (met.overflow_row >= 0)
        status = market_refuse_overflow(file, met.overflow_row, met.overflow_column, error);
    else
        kind = csr_kind_in_fact(&general);
    if (status == STATUS_OK && kind != CSR_GENERAL) {
        status = csr_fold(&general, kind, A, error);
    } else if (status == STATUS_OK) {
        *A = general;
        return STATUS_OK;
    }
    csr_free(&general);
    return status;
}

/* --- what is public --------------------------------------------------------------------------- */

/* Whether a file that is to be of that kind is kept as it is. */
static bool stays_general(const struct market_header *header, enum csr_kind kind)
{
    return kind == CSR_GENERAL && header->symmetry == SYMMETRY_GENERAL;
}

static enum status check_shape(const struct market_file *file, enum csr_kind kind,
                               struct error *error)
{
    const struct market_header *header = &file->header;
    const struct matrix_market_ranks *ranks = file->ranks;
    if (ranks && header->rows != ranks->parts[ranks->exchange->count - 1].last)
        return error_set(error, STATUS_INPUT, "%s: has changed: it has %" PRId64 " rows now",
                         file->path, header->rows);
    if (header->rows == header->columns || stays_general(header, kind))
        return STATUS_OK;
    return market_refuse(file, header->size_line, error,
                         "the matrix is rectangular, %" PRId64 " x %" PRId64 ": it must be square",
                         header->rows, header->columns);
}

/* kind: the wanted kind of a general file. */
static enum status read_matrix(const struct market_file *file, const struct text_reader *reader,
                               enum csr_kind kind, double limit, struct csr *A,
                               struct matrix_market_report *report, struct error *error)
{
    const struct market_header *header = &file->header;
    report->entries = header->entries;
    report->symmetry = market_symmetry_name(header->symmetry);
    report->field = market_field_name(header->field);
    if (stays_general(header, kind))
        return read_kept(file, reader, A, report, error);
    return header->symmetry == SYMMETRY_GENERAL
               ? read_general(file, reader, kind, limit, A, report, error)
               : read_folded(file, reader, A, report, error);
}

enum status matrix_market_shape(const char *path, struct csr *shape, struct error *error)
{
    struct market_file file;
    struct text_reader reader;
    enum status status = market_open(&file, path, MARKET_HEADER_WINDOW, &reader, error);
    const struct market_header *header = &file.header;
    *shape = (struct csr){0};
    if (status == STATUS_OK)
        *shape = (struct csr){.kind = header->symmetry == SYMMETRY_SKEW ? CSR_SKEW : CSR_SYMMETRIC,
                              .n = header->rows,
                              .width = header->columns,
                              .nnz = header->rows};
    market_close(&file);
    return status;
}

static enum status read_as(const char *path, enum csr_kind kind, double asymmetry,
                           const struct matrix_market_ranks *ranks, bool *unsaid, struct csr *A,
                           struct matrix_market_report *report, struct error *error)
{
    struct market_file file;
    struct text_reader reader;
    struct matrix_market_report met = {0};
    *A = (struct csr){0};
    enum status status = market_open(&file, path, MARKET_WINDOW, &reader, error);
    file.ranks = ranks;
    file.part = ranks ? &ranks->parts[ranks->exchange->rank] : NULL;
    file.unsaid = unsaid;
    if (status == STATUS_OK)
        status = check_shape(&file, kind, error);
    if (status && ranks)
        entries_leave_shared(ranks);
    if (status == STATUS_OK)
        status = read_matrix(&file, &reader, kind, asymmetry, A, &met, error);
    market_close(&file);
    if (status)
        csr_free(A);
    else if (report)
        *report = met;
    return status;
}

enum status matrix_market_read(const char *path, enum csr_kind kind, double asymmetry,
                               const struct matrix_market_ranks *ranks, struct csr *A,
                               struct matrix_market_report *report, struct error *error)
{
    double limit = kind == CSR_SKEW ? 0 : asymmetry;
    bool unsaid = false;
    enum status status = read_as(path, kind, limit, ranks, &unsaid, A, report, error);
    if (ranks)
        status = entries_end_shared(ranks, status, &unsaid, error);
    if (status)
        csr_free(A);
    if (!unsaid)
        return status;
    struct csr all;
    enum status of_all = read_as(path, kind, limit, NULL, NULL, &all, NULL, error);
    csr_free(&all);
    if (of_all == STATUS_MEMORY)
        return error_set(error, STATUS_INPUT,
                         "%s: has a fault, and there is no memory to read all of it and say which",
                         path);
    return of_all ? of_all : status;
}
