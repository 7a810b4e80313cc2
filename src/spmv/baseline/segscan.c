#include "spmv/baseline/segscan.h"

#include "base/memory.h"
#include "base/threads.h"

#include <inttypes.h>

static const char *const what = "the shares of the entries";

int segscan_values_per_thread(int64_t nnz, bool single)
{
    return nnz < INT64_C(1) << 18 ? 4 : single ? 16 : 10;
}

void segscan_free(struct segscan *scan)
{
    memory_free(scan->begins);
    memory_free(scan->words);
    memory_free(scan->values);
    memory_free(scan->first);
    memory_free(scan->joins);
    memory_free(scan->rows);
    memory_free(scan->empty);
    *scan = (struct segscan){0};
}

static int64_t bytes_of_blocks(int64_t blocks, int V, bool narrow)
{
    int64_t entry = (int64_t)sizeof(uint32_t) + (int64_t)(narrow ? sizeof(float) : sizeof(double));
    return blocks * (segscan_block(V) * entry + SEGSCAN_WARPS * (int64_t)sizeof(int32_t) +
                     (int64_t)sizeof(uint32_t));
}

int64_t segscan_bytes_of(int64_t nnz, int V, bool narrow)
{
    int64_t block = segscan_block(V);
    return bytes_of_blocks(nnz > 0 ? (nnz - 1) / block + 1 : 1, V, narrow);
}

int64_t segscan_bytes(const struct segscan *scan)
{
    return bytes_of_blocks(scan->blocks, scan->values_per_thread, scan->narrow) +
           (scan->listed + scan->empties) * (int64_t)sizeof(int32_t);
}

/* The only i < count with begins[i] <= k < begins[i + 1]. */
static int64_t interval_of(const int64_t *begins, int64_t count, int64_t k)
{
    int64_t low = 0, high = count; /* begins[low] <= k < begins[high] */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (begins[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The row with entry k. */
static int64_t row_of(const struct csr *full, int64_t k)
{
    return interval_of(full->offsets, full->n, k);
}

/* The next row that has entries. */
static int64_t row_after(const struct csr *full, int64_t row)
{
    do
        row++;
    while (row < full->n && full->offsets[row] == full->offsets[row + 1]);
    return row;
}

/* Where the block that begins with entry `begin` ends. */
static int64_t block_end(const struct csr *full, int V, int64_t begin)
{
    int64_t block = segscan_block(V), end = begin + block;
    if (end >= full->nnz)
        return full->nnz;
    int64_t row_begin = full->offsets[row_of(full, end)];
    return row_begin >= end - block / SEGSCAN_LEFT_FREE ? row_begin : end;
}

/* The first entry of a share, if there are so many in its block. */
static int64_t share_begin(const struct segscan *scan, int64_t share)
{
    return scan->begins[share / SEGSCAN_WARPS] +
           share % SEGSCAN_WARPS * segscan_share(scan->values_per_thread);
}

static enum status cut_blocks(const struct csr *full, struct segscan *scan, struct error *error)
{
    int V = scan->values_per_thread;
    int64_t block = segscan_block(V), least = block - block / SEGSCAN_LEFT_FREE;
    scan->begins = memory_zeros(full->nnz / least + 2, sizeof *scan->begins, what, error);
    if (!scan->begins)
        return STATUS_MEMORY;
    do {
        scan->begins[scan->blocks + 1] = block_end(full, V, scan->begins[scan->blocks]);
        scan->blocks++;
    } while (scan->begins[scan->blocks] < full->nnz);
    return STATUS_OK;
}

static void put(struct segscan *scan, int64_t share, int lane, int v, uint32_t word, double value)
{
    int V = scan->values_per_thread;
    int64_t begin = share * segscan_share(V);
    scan->words[begin + segscan_place(SEGSCAN_GROUP(V, 4), lane, v)] = word;
    if (scan->narrow)
        ((float *)scan->values)[begin + segscan_place(SEGSCAN_GROUP(V, 4), lane, v)] = (float)value;
    else
        ((double *)scan->values)[begin + segscan_place(SEGSCAN_GROUP(V, 8), lane, v)] = value;
}

/* Returns how many rows end in the share; *listed becomes that too, if they need a list, else 0. */
static int fill_share(const struct csr *full, struct segscan *scan, int64_t share, int64_t *listed)
{
    int V = scan->values_per_thread, ended = 0;
    int64_t k = share_begin(scan, share), behind = scan->begins[share / SEGSCAN_WARPS + 1];
    int64_t row = k < behind ? row_of(full, k) : 0, first = row, last = row;
    for (int lane = 0; lane < SEGSCAN_LANES; lane++) {
        int offset = ended;
        for (int v = 0; v < V; v++, k++) {
            bool exists = k < behind, ends = exists && k + 1 == full->offsets[row + 1];
            put(scan, share, lane, v, segscan_word(exists ? full->columns[k] : 0, ends, offset, v),
                exists ? full->values[k] : 0);
            if (ends) {
                ended++;
                last = row;
                row = row_after(full, row);
            }
        }
    }
    scan->first[share] = (int32_t)first;
    *listed = ended > 0 && last - first + 1 != ended ? ended : 0;
    return ended;
}

struct making {
    const struct csr *full;
    struct segscan *scan;
    int64_t *listed; /* of each share: the length of its list */
};

static void fill_shares(void *context, int64_t share, int64_t end)
{
    const struct making *making = context;
    int ends_max = 0;
    for (; share < end; share++) {
        int ended = fill_share(making->full, making->scan, share, &making->listed[share]);
        ends_max = ended > ends_max ? ended : ends_max;
    }
    ATOMIC_MOST(&making->scan->ends_max, ends_max);
}

static void list_rows(void *context, int64_t share, int64_t end)
{
    const struct making *making = context;
    const struct segscan *scan = making->scan;
    for (; share < end; share++) {
        if (!making->listed[share])
            continue;
        int64_t row = row_of(making->full, share_begin(scan, share));
        for (int64_t r = 0; r < making->listed[share]; r++, row = row_after(making->full, row))
            scan->rows[~scan->first[share] + r] = (int32_t)row;
    }
}

static enum status make_lists(struct making *making, struct error *error)
{
    struct segscan *scan = making->scan;
    const int64_t *listed = making->listed;
    int64_t shares = scan->blocks * SEGSCAN_WARPS;
    for (int64_t share = 0; share < shares; share++) {
        if (listed[share])
            scan->first[share] = (int32_t)~scan->listed;
        scan->listed += listed[share];
    }
    scan->rows = memory_array(scan->listed, sizeof *scan->rows, what, error);
    if (!scan->rows)
        return STATUS_MEMORY;
    threads_each(threads_lent(), shares, list_rows, making);
    return STATUS_OK;
}

static void count_empty_rows(void *context, int64_t i, int64_t end)
{
    const struct making *making = context;
    int64_t empties = 0;
    for (; i < end; i++)
        empties += making->full->offsets[i] == making->full->offsets[i + 1];
    __atomic_fetch_add(&making->scan->empties, empties, __ATOMIC_RELAXED);
}

static enum status list_empty_rows(struct making *making, struct error *error)
{
    const struct csr *full = making->full;
    struct segscan *scan = making->scan;
    threads_each(threads_lent(), full->n, count_empty_rows, making);
    scan->empty = memory_array(scan->empties, sizeof *scan->empty, what, error);
    if (!scan->empty)
        return STATUS_MEMORY;
    int64_t place = 0;
    for (int64_t i = 0; place < scan->empties; i++)
        if (full->offsets[i] == full->offsets[i + 1])
            scan->empty[place++] = (int32_t)i;
    return STATUS_OK;
}

static void join_blocks(void *context, int64_t b, int64_t last)
{
    const struct making *making = context;
    const struct csr *full = making->full;
    struct segscan *scan = making->scan;
    for (; b < last; b++) {
        int64_t begin = scan->begins[b], end = scan->begins[b + 1];
        uint32_t joins = 0;
        if (begin < end) {
            int64_t row = row_of(full, begin);
            if (full->offsets[row] < begin && full->offsets[row + 1] <= end)
                joins = (uint32_t)(b - interval_of(scan->begins, scan->blocks, full->offsets[row]));
        }
        if (end < full->nnz && full->offsets[row_of(full, end)] < end)
            joins |= SEGSCAN_CONTINUES;
        scan->joins[b] = joins;
    }
}

static enum status allocate(struct segscan *scan, struct error *error)
{
    int64_t places = scan->blocks * segscan_block(scan->values_per_thread);
    enum status status = memory_fits((double)segscan_bytes(scan), what, error);
    if (status)
        return status;
    scan->words = memory_array(places, sizeof *scan->words, what, error);
    if (scan->words)
        scan->values =
            memory_array(places, scan->narrow ? sizeof(float) : sizeof(double), what, error);
    if (scan->values)
        scan->first = memory_array(scan->blocks * SEGSCAN_WARPS, sizeof *scan->first, what, error);
    if (scan->first)
        scan->joins = memory_array(scan->blocks, sizeof *scan->joins, what, error);
    return scan->joins ? STATUS_OK : STATUS_MEMORY;
}

enum status segscan_check(const struct csr *A, int64_t V, struct error *error)
{
    if (V != 0 && V != 4 && V != 6 && V != 8 && V != 10 && V != 12 && V != 16)
        return error_set(error, STATUS_CONFIG,
                         "values_per_thread = %" PRId64 " is not 4, 6, 8, 10, 12 or 16", V);
    if (A->width <= INT64_C(1) << SEGSCAN_COLUMN_BITS)
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG,
                     "%" PRId64 " columns are more than 2^%d: 4 of the 32 bits of an index hold "
                     "the ends and the offsets of the rows",
                     A->width, SEGSCAN_COLUMN_BITS);
}

static enum status make(const struct csr *full, struct segscan *scan, struct error *error)
{
    enum status status = cut_blocks(full, scan, error);
    if (!status)
        status = allocate(scan, error);
    if (status)
        return status;
    int64_t *listed = memory_array(scan->blocks * SEGSCAN_WARPS, sizeof *listed, what, error);
    if (!listed)
        return STATUS_MEMORY;
    struct making making = {full, scan, listed};
    threads_each(threads_lent(), scan->blocks * SEGSCAN_WARPS, fill_shares, &making);
    threads_each(threads_lent(), scan->blocks, join_blocks, &making);
    status = make_lists(&making, error);
    memory_free(listed);
    return status ? status : list_empty_rows(&making, error);
}

enum status segscan_create(const struct csr *full, int V, bool narrow, struct segscan *scan,
                           struct error *error)
{
    *scan =
        (struct segscan){.n = full->n, .nnz = full->nnz, .values_per_thread = V, .narrow = narrow};
    enum status status = make(full, scan, error);
    if (status)
        segscan_free(scan);
    return status;
}
