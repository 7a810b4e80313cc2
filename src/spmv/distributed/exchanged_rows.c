#include "spmv/distributed/exchanged_rows.h"

#include "base/memory.h"
#include "matrix/implicit_rows.h"

#include <stdbool.h>

static const char what[] = "rows of other ranks";

struct exchanged {
    const struct partition *partition;
    const struct wanted_rows *wanted;
    const struct csr *A;
    struct csr *made;
    struct exchange_piece *pieces; /* [2 ranks] */
};

static int64_t within(const struct wanted_rows *wanted, int64_t row)
{
    return row < wanted->first ? wanted->first : row > wanted->last ? wanted->last : row;
}

/* The elements of an array that are those of rows of rank r that rank `to` wants: one of each row,
 * or of each entry where A has offsets. The array begins with row `base`. */
static struct exchange_piece piece(const struct exchanged *by, int r, int to, const void *array,
                                   size_t size, const int64_t *offsets, int64_t base)
{
    int64_t begin = within(&by->wanted[to], by->partition->begin[r]) - base;
    int64_t end = within(&by->wanted[to], by->partition->begin[r + 1]) - base;
    if (begin == end)
        return (struct exchange_piece){NULL, 0};
    begin = offsets ? offsets[begin] : begin;
    end = offsets ? offsets[end] : end;
    return (struct exchange_piece){(char *)array + begin * (int64_t)size,
                                   (end - begin) * (int64_t)size};
}

/* What each rank has, to those that want it. */
static enum status swap(const struct exchanged *by, bool entries, size_t size, const void *own,
                        void *made, struct error *error)
{
    struct exchange *exchange = by->partition->exchange;
    int rank = exchange->rank;
    struct exchange_piece *send = by->pieces, *receive = send + exchange->count;
    for (int r = 0; r < exchange->count; r++) {
        send[r] =
            piece(by, rank, r, own, size, entries ? by->A->offsets : NULL, by->wanted[rank].base);
        receive[r] = piece(by, r, rank, made, size, entries ? by->made->offsets : NULL,
                           by->wanted[rank].first);
    }
    return exchange->operations->swap(exchange, send, receive, error);
}

/* made->offsets: the lengths of rows travel. */
static enum status swap_offsets(const struct exchanged *by, struct error *error)
{
    const struct csr *A = by->A;
    int64_t *offsets = by->made->offsets,
            *lengths = memory_array(A->n, sizeof *lengths, what, error);
    for (int64_t i = 0; i < A->n && lengths; i++)
        lengths[i] = A->offsets[i + 1] - A->offsets[i];
    enum status status =
        lengths ? swap(by, false, sizeof *lengths, lengths, offsets + 1, error) : STATUS_MEMORY;
    memory_free(lengths);
    offsets[0] = 0;
    for (int64_t i = 0; i < by->made->n && !status; i++)
        offsets[i + 1] += offsets[i];
    return status;
}

/* Columns come as each rank counts them. */
static void shift_columns(const struct exchanged *by)
{
    const struct partition *partition = by->partition;
    const struct wanted_rows *own = &by->wanted[partition->exchange->rank];
    const int64_t *offsets = by->made->offsets;
    for (int r = 0; r < partition->exchange->count; r++) {
        int64_t begin = within(own, partition->begin[r]) - own->first;
        int64_t end = within(own, partition->begin[r + 1]) - own->first;
        for (int64_t k = offsets[begin]; k < offsets[end]; k++)
            by->made->columns[k] += (int32_t)(by->wanted[r].base - own->first);
    }
}

static enum status swap_rows(const struct exchanged *by, struct error *error)
{
    const struct csr *A = by->A;
    struct csr *made = by->made;
    made->offsets = memory_array(made->n + 1, sizeof *made->offsets, what, error);
    enum status status = made->offsets ? swap_offsets(by, error) : STATUS_MEMORY;
    if (status)
        return status;
    made->columns = memory_array(made->offsets[made->n], sizeof *made->columns, what, error);
    made->values = memory_array(made->offsets[made->n], sizeof *made->values, what, error);
    if (!made->columns || !made->values)
        return STATUS_MEMORY;
    status = swap(by, true, sizeof *made->columns, A->columns, made->columns, error);
    if (!status)
        status = swap(by, true, sizeof *made->values, A->values, made->values, error);
    if (!status)
        shift_columns(by);
    return status;
}

static enum status exchange(const struct partition *partition, const struct wanted_rows *wanted,
                            const struct csr *A, struct csr *made, struct error *error)
{
    const struct wanted_rows *own = &wanted[partition->exchange->rank];
    struct exchange_piece *pieces =
        memory_array(2 * (int64_t)partition->exchange->count, sizeof *pieces, what, error);
    *made = (struct csr){
        .kind = A->kind, .n = own->last - own->first, .width = partition->n - own->first};
    enum status status =
        pieces ? swap_rows(&(struct exchanged){partition, wanted, A, made, pieces}, error)
               : STATUS_MEMORY;
    memory_free(pieces);
    if (status)
        csr_free(made);
    else
        made->nnz = made->offsets[made->n];
    return status;
}

enum status exchange_rows(const struct partition *partition, const struct wanted_rows *wanted,
                          const struct csr *A, struct csr *made, struct error *error)
{
    enum status status = exchange(partition, wanted, A, made, error);
    if (!status)
        csr_cut(made);
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
