/* The own rows of G' for ranks that have their own rows of a lower triangular G (fsai.c), with
 * passes over rows and entries, in any space (space/elements.h). Columns are counted from the first
 * own row, so those of other ranks' rows are negative, or `own` and more:
 *
 *     limiting  columns_k = -1 where column k is none of an own row
 *
 * and a look (space/find.h) for the greatest row that has an entry in the columns of a rank. */
#ifndef PRECONDITION_SHARED_TRANSPOSED_H
#define PRECONDITION_SHARED_TRANSPOSED_H

#include "matrix/csr.h"
#include "space/elements.h"
#include "space/find.h"
#include "space/ranks/ranks.h"

struct limiting {
    int32_t *columns, own;
};

/* Whether rows have entries in the columns begin <= j < end. */
struct reaching {
    struct csr rows;
    int64_t begin, end;
};

PASS_AT(limiting, limiting)
{
    int32_t j = work->columns[i];
    work->columns[i] = j >= 0 && j < work->own ? j : -1;
}

FIND_AT(reaching, reaching)
{
    const struct csr *rows = &work->rows;
    int64_t k = csr_find_entry_from(rows, i, work->begin);
    if (k < rows->offsets[i + 1] && rows->columns[k] < work->end)
        found_most(found, 0, (double)i);
}

PASS_DECLARE(pass_limiting);

#ifdef __cplusplus
extern "C" {
#endif

/* *transposed = the own rows of G' from the own ones of G, both general, in the memory of G->space;
 * NULL: of the host, which is the same in all ranks. For a while a rank has all rows of G up to the
 * last one with an entry in its columns. All ranks call it; the caller calls device_csr_free.
 * Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK. */
enum status shared_transposed(struct ranks *ranks, const struct csr *G, struct csr *transposed,
                              struct error *error);

#ifdef __cplusplus
}
#endif
#endif
