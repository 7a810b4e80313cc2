/* Rows of a symmetric matrix that go from one place to another, in the memory of any space
 * (space/rows.h), as passes over rows or entries:
 *
 *     measuring    lengths_i = the entries of row i
 *     renumbering  columns_k += by
 *
 * and of the last rows of a matrix, from row `first` on, without the entries behind its last row:
 *
 *     cut_measuring  ends_{i + 1} = how many stay of row first + i; ends_0 = 0
 *     cut_taking     these, one behind the other
 *     cut_returning  the same, where they stood
 *     cut_ending     the offsets of these rows
 *
 * and a look (space/find.h) for the greatest n - i of a row i that has such an entry. */
#ifndef SPMV_DISTRIBUTED_MOVED_ROWS_H
#define SPMV_DISTRIBUTED_MOVED_ROWS_H

#include "matrix/csr.h"
#include "space/elements.h"
#include "space/find.h"

struct measuring {
    const int64_t *offsets;
    int64_t *lengths;
};

struct renumbering {
    int32_t *columns, by;
};

struct cutting {
    struct csr rows;
    int64_t first, begin; /* begin: its offset */
    int64_t *ends;        /* of entries that stay, counted from `begin` */
    int32_t *columns;     /* these */
    double *values;
};

PASS_AT(measuring, measuring)
{
    work->lengths[i] = work->offsets[i + 1] - work->offsets[i];
}

PASS_AT(renumbering, renumbering)
{
    work->columns[i] += work->by;
}

FIND_AT(cut, cutting)
{
    const struct csr *rows = &work->rows;
    if (rows->columns[rows->offsets[i + 1] - 1] >= rows->n)
        found_most(found, 0, (double)(rows->n - i));
}

PASS_AT(cut_measuring, cutting)
{
    const struct csr *rows = &work->rows;
    int64_t row = work->first + i;
    if (i == 0)
        work->ends[0] = 0;
    work->ends[i + 1] = csr_find_entry_from(rows, row, rows->n) - rows->offsets[row];
}

PASS_AT(cut_taking, cutting)
{
    int64_t from = work->rows.offsets[work->first + i];
    for (int64_t k = work->ends[i]; k < work->ends[i + 1]; k++, from++) {
        work->columns[k] = work->rows.columns[from];
        work->values[k] = work->rows.values[from];
    }
}

PASS_AT(cut_returning, cutting)
{
    work->rows.columns[work->begin + i] = work->columns[i];
    work->rows.values[work->begin + i] = work->values[i];
}

PASS_AT(cut_ending, cutting)
{
    work->rows.offsets[work->first + i] = work->begin + work->ends[i];
}

PASS_DECLARE(pass_measuring);
PASS_DECLARE(pass_renumbering);

#ifdef __cplusplus
extern "C" {
#endif

/* Of rows with more columns than rows: the entries between them alone stay. All of it is in the
 * memory of rows->space. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status rows_cut(struct csr *rows, struct error *error);

/* *count = the entries of the rows begin <= i < end. Errors: STATUS_DEVICE. */
enum status rows_entries(const struct csr *A, int64_t begin, int64_t end, int64_t *count,
                         struct error *error);

#ifdef __cplusplus
}
#endif
#endif
