#include "spmv/distributed/exchanged_rows.h"

#include "base/memory.h"
#include "matrix/implicit_rows.h"
#include "space/rows.h"
#include "spmv/device_csr.h"
#include "spmv/distributed/moved_rows.h"

#include <stdbool.h>

static const char what[] = "rows of other ranks";

/* Elements begin <= k < end of an array. */
struct range {
    int64_t begin, end;
};

struct exchanged {
    const struct partition *partition;
    const struct wanted_rows *wanted;
    const struct csr *A;
    struct csr *made;
    struct range *ranges;          /* [2 ranks]: to each rank, and from each */
    struct exchange_piece *pieces; /* likewise, twice: where the rows are, and on the host */
};

static int64_t within(const struct wanted_rows *wanted, int64_t row)
{
    return row < wanted->first ? wanted->first : row > wanted->last ? wanted->last : row;
}

/* The rows of rank r that rank `to` wants, counted from row `base`. */
static struct range rows_of(const struct exchanged *by, int r, int to, int64_t base)
{
    const int64_t *begin = by->partition->begin;
    return (struct range){within(&by->wanted[to], begin[r]) - base,
                          within(&by->wanted[to], begin[r + 1]) - base};
}

static void take_rows(const struct exchanged *by)
{
    int rank = by->partition->exchange->rank, count = by->partition->exchange->count;
    for (int r = 0; r < count; r++) {
        by->ranges[r] = rows_of(by, rank, r, by->wanted[rank].base);
        by->ranges[count + r] = rows_of(by, r, rank, by->wanted[rank].first);
    }
}

/* The same entries of these rows. */
static enum status take_entries(const struct exchanged *by, struct error *error)
{
    int count = by->partition->exchange->count;
    enum status status = STATUS_OK;
    for (int r = 0; r < 2 * count && !status; r++) {
        const struct csr *of = r < count ? by->A : by->made;
        struct range *range = &by->ranges[r], rows = *range;
        *range = (struct range){0, 0};
        if (rows.begin == rows.end)
            continue;
        int64_t before = 0;
        status = rows_entries(of, 0, rows.begin, &before, error);
        if (!status)
            status = rows_entries(of, rows.begin, rows.end, &range->end, error);
        range->begin = before;
        range->end += before;
    }
    return status;
}

/* To or from the host, what travels to other ranks or comes from them. */
static enum status stage(const struct exchanged *by, bool comes, struct error *error)
{
    int count = by->partition->exchange->count, first = comes ? count : 0;
    struct space *space = by->A->space;
    enum status status = STATUS_OK;
    for (int r = first; r < first + count && !status; r++) {
        const struct exchange_piece *there = &by->pieces[r], *here = &by->pieces[2 * count + r];
        if (here->bytes > 0)
            status = comes ? rows_upload(space, here->bytes, here->memory, there->memory, error)
                           : rows_download(space, here->bytes, there->memory, here->memory, error);
    }
    return status;
}

/* In a device's memory own rows stay there, and others travel by the host. */
static enum status swap_staged(const struct exchanged *by, struct error *error)
{
    struct exchange *exchange = by->partition->exchange;
    int count = exchange->count;
    struct exchange_piece *there = by->pieces, *here = there + 2 * count;
    const struct exchange_piece *own = &there[exchange->rank];
    int64_t bytes = 0;
    for (int k = 0; k < 2 * count; k++) {
        here[k] = (struct exchange_piece){NULL, k % count == exchange->rank ? 0 : there[k].bytes};
        bytes += here[k].bytes;
    }
    char *memory = memory_array(bytes, 1, what, error);
    if (!memory)
        return STATUS_MEMORY;
    for (int64_t k = 0, at = 0; k < 2 * count; at += here[k++].bytes)
        here[k].memory = memory + at;
    enum status status = stage(by, false, error);
    if (!status)
        status = exchange->operations->swap(exchange, here, here + count, error);
    if (!status)
        status = stage(by, true, error);
    if (!status && own->bytes > 0)
        status = rows_copy(by->A->space, own->bytes, own->memory, own[count].memory, error);
    memory_free(memory);
    return status;
}

/* What each rank has, to those that want it: elements of the ranges. */
static enum status swap(const struct exchanged *by, size_t size, const void *own, void *made,
                        struct error *error)
{
    struct exchange *exchange = by->partition->exchange;
    int count = exchange->count;
    for (int k = 0; k < 2 * count; k++) {
        struct range range = by->ranges[k];
        char *array = k < count ? (char *)own : made;
        int64_t elements = range.end - range.begin;
        by->pieces[k] = elements == 0 ? (struct exchange_piece){NULL, 0}
                                      : (struct exchange_piece){array + range.begin * (int64_t)size,
                                                                elements * (int64_t)size};
    }
    return by->A->space
               ? swap_staged(by, error)
               : exchange->operations->swap(exchange, by->pieces, by->pieces + count, error);
}

/* made->offsets: the lengths of rows travel, and *made has room for the entries then. */
static enum status swap_offsets(const struct exchanged *by, struct error *error)
{
    const struct csr *A = by->A;
    struct space *space = A->space;
    const int64_t none = 0;
    struct measuring work = {A->offsets, NULL};
    enum status status =
        rows_array(space, A->n, sizeof *work.lengths, what, (void **)&work.lengths, error);
    if (!status)
        status = rows_run(space, &pass_measuring, A->n, &work, error);
    take_rows(by);
    if (!status)
        status = swap(by, sizeof *work.lengths, work.lengths, by->made->offsets + 1, error);
    rows_release(space, work.lengths);
    if (!status)
        status = rows_upload(space, sizeof none, &none, by->made->offsets, error);
    return status ? status : device_csr_complete(by->made, error);
}

/* Columns come as each rank counts them. */
static enum status shift_columns(const struct exchanged *by, struct error *error)
{
    struct exchange *exchange = by->partition->exchange;
    int64_t first = by->wanted[exchange->rank].first;
    enum status status = STATUS_OK;
    for (int r = 0; r < exchange->count && !status; r++) {
        struct range range = by->ranges[exchange->count + r];
        struct renumbering work = {by->made->columns + range.begin,
                                   (int32_t)(by->wanted[r].base - first)};
        if (range.begin < range.end)
            status =
                rows_run(by->made->space, &pass_renumbering, range.end - range.begin, &work, error);
    }
    return status;
}

static enum status swap_rows(const struct exchanged *by, struct error *error)
{
    const struct csr *A = by->A;
    struct csr *made = by->made;
    enum status status = swap_offsets(by, error);
    if (!status)
        status = take_entries(by, error);
    if (!status)
        status = swap(by, sizeof *made->columns, A->columns, made->columns, error);
    if (!status)
        status = swap(by, sizeof *made->values, A->values, made->values, error);
    return status ? status : shift_columns(by, error);
}

/* Where all ranks have their rows in the memory of one kind of space. */
static enum status exchange(const struct partition *partition, const struct wanted_rows *wanted,
                            const struct csr *A, struct csr *made, struct error *error)
{
    const struct wanted_rows *own = &wanted[partition->exchange->rank];
    int64_t count = partition->exchange->count;
    struct range *ranges = memory_array(2 * count, sizeof *ranges, what, error);
    struct exchange_piece *pieces = memory_array(4 * count, sizeof *pieces, what, error);
    enum status status = ranges && pieces ? STATUS_OK : STATUS_MEMORY;
    *made = (struct csr){0};
    if (!status)
        status = csr_check_rows(own->last - own->first, error);
    if (!status)
        status = device_csr_begin(A->space, A->kind, own->last - own->first, made, error);
    if (!status)
        status = swap_rows(&(struct exchanged){partition, wanted, A, made, ranges, pieces}, error);
    made->width = partition->n - own->first;
    memory_free(ranges);
    memory_free(pieces);
    if (status)
        device_csr_free(made);
    return status;
}

enum status exchange_rows(const struct partition *partition, const struct wanted_rows *wanted,
                          const struct csr *A, struct csr *made, struct error *error)
{
    enum status status = exchange(partition, wanted, A, made, error);
    if (!status)
        status = rows_cut(made, error);
    if (status)
        device_csr_free(made);
    return status;
}

enum status exchange_made_rows(const struct partition *partition, struct wanted_rows *wanted,
                               const struct csr *A, struct csr *made, struct error *error)
{
    struct csr own;
    int64_t first = partition_first(partition);
    *made = (struct csr){0};
    for (int r = 0; r < partition->exchange->count; r++)
        wanted[r].base = partition->begin[r];
    enum status status = csr_make_rows(A, first, first + partition_rows(partition), &own, error);
    if (!status)
        status = exchange(partition, wanted, &own, made, error);
    csr_free(&own);
    return status;
}

enum status exchange_all_rows(const struct partition *partition, const struct csr *A,
                              struct csr *all, struct error *error)
{
    int count = partition->exchange->count;
    struct wanted_rows *wanted = memory_array(count, sizeof *wanted, what, error);
    *all = (struct csr){0};
    for (int r = 0; r < count && wanted; r++)
        wanted[r] = (struct wanted_rows){.last = A->n};
    enum status status =
        wanted ? exchange_made_rows(partition, wanted, A, all, error) : STATUS_MEMORY;
    if (!status) {
        all->exponent = A->exponent;
        all->near_null = A->near_null;
    }
    memory_free(wanted);
    return status;
}
