#include "spmv/distributed/moved_rows.h"

#include "space/define_pass.h"
#include "space/rows.h"

#define PASS_OF_ROWS(its, work)                                                                    \
    ELEMENTS_AT(its, work)                                                                         \
    PASS(pass_##its, its, work, .name = "rows of other ranks", .always = true)

PASS_OF_ROWS(measuring, measuring)
PASS_OF_ROWS(renumbering, renumbering)
PASS_OF_ROWS(cut_measuring, cutting)
PASS_OF_ROWS(cut_taking, cutting)
PASS_OF_ROWS(cut_returning, cutting)
PASS_OF_ROWS(cut_ending, cutting)
FIND(find_cut, cut, cutting, "rows of other ranks")

#ifndef __CUDACC__
enum status rows_entries(const struct csr *A, int64_t begin, int64_t end, int64_t *count,
                         struct error *error)
{
    int64_t from = 0, to = 0;
    enum status status = rows_download(A->space, sizeof from, A->offsets + begin, &from, error);
    if (!status)
        status = rows_download(A->space, sizeof to, A->offsets + end, &to, error);
    *count = to - from;
    return status;
}

/* The last rows, `count` of them. */
static enum status cut(struct cutting *work, int64_t count, struct error *error)
{
    static const char what[] = "rows of other ranks";
    struct csr *rows = &work->rows;
    struct space *space = rows->space;
    int64_t kept = 0;
    enum status status =
        rows_array(space, count + 1, sizeof *work->ends, what, (void **)&work->ends, error);
    if (!status)
        status = rows_download(space, sizeof work->begin, rows->offsets + work->first, &work->begin,
                               error);
    if (!status)
        status = rows_run(space, &pass_cut_measuring, count, work, error);
    if (!status)
        status = rows_scan(space, count, work->ends, error);
    if (!status)
        status = rows_download(space, sizeof kept, work->ends + count, &kept, error);
    if (!status)
        status =
            rows_array(space, kept, sizeof *work->columns, what, (void **)&work->columns, error);
    if (!status)
        status = rows_array(space, kept, sizeof *work->values, what, (void **)&work->values, error);
    if (!status)
        status = rows_run(space, &pass_cut_taking, count, work, error);
    if (!status)
        status = rows_run(space, &pass_cut_returning, kept, work, error);
    if (!status)
        status = rows_run(space, &pass_cut_ending, count + 1, work, error);
    rows->nnz = work->begin + kept;
    return status;
}

enum status rows_cut(struct csr *rows, struct error *error)
{
    struct cutting work = {.rows = *rows};
    struct found found;
    enum status status = space_find(rows->space, &find_cut, rows->n, &work, &found, error);
    int64_t count = !status && found.most[0] > 0 ? (int64_t)found.most[0] : 0;
    work.first = rows->n - count;
    if (count > 0)
        status = cut(&work, count, error);
    rows_release(rows->space, work.ends);
    rows_release(rows->space, work.columns);
    rows_release(rows->space, work.values);
    rows->nnz = work.rows.nnz;
    rows->width = rows->n;
    return status;
}
#endif
