#include "spmv/symmetric/entries/cuda_sym_entries.h"

#include "base/memory.h"
#include "base/threads.h"
#include "spmv/symmetric/transpose_index.h"

#include <algorithm>
#include <stdio.h>
#include <string.h>

/* What set-up makes on the host. */
struct host_lists {
    const struct csr *A;
    struct transpose_index mirror;
    uint32_t *moved; /* [nnz]: the place within its slice of an entry of A */
    struct entries_tile *tile;
    uint8_t *ranks;
    struct cuda_entries *kept; /* how long they are */
    uint16_t *columns;
    uint32_t *places, *steps;
};

static const char *const what = "the lists of entries";

static void free_lists(struct host_lists *lists)
{
    transpose_index_free(&lists->mirror);
    memory_free(lists->moved);
    memory_free(lists->tile);
    memory_free(lists->ranks);
    memory_free(lists->columns);
    memory_free(lists->places);
    memory_free(lists->steps);
}

/* The order of a slice's rows in the steps of a list. */
struct slice_order {
    int64_t count[ENTRIES_SLICE]; /* of row first + r */
    int row[ENTRIES_SLICE];       /* by rank */
    int rows;
    int64_t steps, total; /* the largest count, and the sum */
};

static struct slice_order order_slice(const struct host_lists *lists, int64_t slice, int list)
{
    const int64_t *offsets = list == ENTRIES_UPPER ? lists->A->offsets : lists->mirror.offsets;
    struct slice_order order = {};
    int64_t first = slice * ENTRIES_SLICE;
    order.rows = (int)std::min<int64_t>(ENTRIES_SLICE, lists->A->n - first);
    for (int r = 0; r < order.rows; r++) {
        order.row[r] = r;
        order.count[r] = offsets[first + r + 1] - offsets[first + r] - (list == ENTRIES_UPPER);
        order.total += order.count[r];
        order.steps = std::max(order.steps, order.count[r]);
    }
    std::sort(order.row, order.row + order.rows, [&](int a, int b) {
        return order.count[a] != order.count[b] ? order.count[a] > order.count[b] : a < b;
    });
    return order;
}

/* Calls number(r, k) for number k of the slice's row r, by steps, and step(k, rows) before each. */
template <typename Step, typename Number>
static void each_step(const struct slice_order &order, Step step, Number number)
{
    int rows = order.rows;
    for (int64_t k = 0; k < order.steps; k++) {
        while (order.count[order.row[rows - 1]] <= k)
            rows--;
        step(k, rows);
        for (int rank = 0; rank < rows; rank++)
            number(order.row[rank], k);
    }
}

static void move_slice(struct host_lists *lists, int64_t slice)
{
    const struct csr *A = lists->A;
    int64_t first = slice * ENTRIES_SLICE;
    struct slice_order order = order_slice(lists, slice, ENTRIES_UPPER);
    uint32_t next = 0;
    for (; next < (uint32_t)order.rows; next++)
        lists->moved[A->offsets[first + next]] = next;
    each_step(
        order, [](int64_t, int) {},
        [&](int r, int64_t k) { lists->moved[A->offsets[first + r] + 1 + k] = next++; });
}

/* Of the mirrored entry q, its value's place. */
static int64_t mirrored_place(const struct host_lists *lists, int64_t q)
{
    int64_t slice = lists->mirror.columns[q] / ENTRIES_SLICE;
    return lists->A->offsets[slice * ENTRIES_SLICE] + lists->moved[lists->mirror.places[q]];
}

/* Number k of row i in a list: the difference from the column before. */
static int64_t column_step(const struct host_lists *lists, int64_t tile, int list, int64_t i,
                           int64_t k)
{
    const struct transpose_index *mirror = &lists->mirror;
    if (list == ENTRIES_UPPER) {
        const int32_t *columns = lists->A->columns + lists->A->offsets[i];
        return (int64_t)columns[k + 1] - columns[k];
    }
    const int32_t *columns = mirror->columns + mirror->offsets[i];
    return (int64_t)columns[k] - (k ? columns[k - 1] : lists->tile[tile].least_column);
}

/* The words of a list's counts behind the first, with the 0 behind the last. */
static int64_t more_words(const struct slice_order &order)
{
    return order.steps / ENTRIES_COUNTS;
}

/* All of a tile but where its lists begin. False when a number needs more than 32 bits. */
static bool measure(struct host_lists *lists, int64_t tile, struct entries_lengths *lengths)
{
    const struct csr *A = lists->A;
    const struct transpose_index *mirror = &lists->mirror;
    struct entries_tile *t = &lists->tile[tile];
    int64_t begin = tile * SUM_TILE, end = std::min<int64_t>(begin + SUM_TILE, A->n);
    *t = {};
    *lengths = {};
    t->values = A->offsets[begin];
    t->places = mirror->offsets[begin];
    int64_t least = INT64_MAX, greatest = 0, least_column = INT32_MAX;
    for (int64_t q = mirror->offsets[begin]; q < mirror->offsets[end]; q++) {
        least = std::min(least, mirrored_place(lists, q));
        greatest = std::max(greatest, mirrored_place(lists, q));
        least_column = std::min<int64_t>(least_column, mirror->columns[q]);
    }
    t->least_place = std::min(least, greatest);
    t->least_column = (int32_t)least_column;
    bool fits = greatest - t->least_place <= UINT32_MAX;
    for (int list = 0; list < ENTRIES_LISTS; list++) {
        int64_t total = 0, largest = 0;
        for (int64_t first = begin; first < end; first += ENTRIES_SLICE) {
            int64_t slice = first / ENTRIES_SLICE;
            struct slice_order order = order_slice(lists, slice, list);
            struct entries_slice *s = &t->slice[slice % ENTRIES_SLICES];
            s->first[list] = (uint32_t)total;
            s->more[list] = (uint32_t)lengths->steps;
            total += order.total;
            lengths->steps += more_words(order);
            for (int rank = 0; rank < order.rows; rank++) {
                int r = order.row[rank];
                lists->ranks[ENTRIES_LISTS * (first + r) + list] = (uint8_t)rank;
                for (int64_t k = 0; k < order.count[r]; k++)
                    largest = std::max(largest, column_step(lists, tile, list, first + r, k));
            }
        }
        bool wide = largest > UINT16_MAX;
        t->wide |= (uint32_t)wide << list;
        lengths->columns[list] = entries_columns(total, wide);
        fits = fits && total <= UINT32_MAX - SUM_TILE;
    }
    return fits;
}

static void fill_slice(struct host_lists *lists, int64_t tile, int64_t first, int list)
{
    const struct transpose_index *mirror = &lists->mirror;
    struct entries_tile *t = &lists->tile[tile];
    struct entries_slice *s = &t->slice[first / ENTRIES_SLICE % ENTRIES_SLICES];
    struct slice_order order = order_slice(lists, first / ENTRIES_SLICE, list);
    uint16_t *narrow = lists->columns + t->columns[list];
    uint32_t *more = lists->steps + s->more[list];
    uint32_t next = s->first[list];
    memset(more, 0, (size_t)more_words(order) * sizeof *more);
    each_step(
        order,
        [&](int64_t k, int rows) {
            uint32_t *word = k < ENTRIES_COUNTS ? &s->steps[list] : more + k / ENTRIES_COUNTS - 1;
            *word |= (uint32_t)rows << 8 * (k % ENTRIES_COUNTS);
        },
        [&](int r, int64_t k) {
            int64_t step = column_step(lists, tile, list, first + r, k);
            if (t->wide >> list & 1)
                ((uint32_t *)(void *)narrow)[next] = (uint32_t)step;
            else
                narrow[next] = (uint16_t)step;
            if (list == ENTRIES_MIRRORED)
                lists->places[t->places + next] =
                    (uint32_t)(mirrored_place(lists, mirror->offsets[first + r] + k) -
                               t->least_place);
            next++;
        });
}

enum status cuda_entries_place(struct entries_tile *tile, const struct entries_lengths *lengths,
                               struct cuda_entries *kept, struct error *error)
{
    for (int64_t k = 0; k < kept->tiles; k++) {
        struct entries_tile *t = &tile[k];
        for (int list = 0; list < ENTRIES_LISTS; list++) {
            t->columns[list] = kept->columns_length;
            kept->columns_length += lengths[k].columns[list];
            for (int s = 0; s < ENTRIES_SLICES; s++)
                t->slice[s].more[list] += (uint32_t)kept->steps_length;
        }
        kept->steps_length += lengths[k].steps;
        if (kept->steps_length > UINT32_MAX)
            return error_set(error, STATUS_MEMORY, "%s: there are more than 2^34 steps", what);
    }
    kept->columns_length += 2 * ENTRIES_SLICE;
    kept->places_length = kept->nnz - kept->n + ENTRIES_SLICE;
    return STATUS_OK;
}

static enum status make_tiles(struct host_lists *lists, struct error *error)
{
    struct cuda_entries *kept = lists->kept;
    int64_t tiles = kept->tiles;
    struct entries_lengths *lengths =
        (struct entries_lengths *)memory_array(tiles, sizeof *lengths, what, error);
    if (!lengths)
        return STATUS_MEMORY;
    bool fits = true;
    each_index(tiles, [&](int64_t tile) {
        if (!measure(lists, tile, &lengths[tile]))
            __atomic_store_n(&fits, false, __ATOMIC_RELAXED);
    });
    enum status status =
        fits ? cuda_entries_place(lists->tile, lengths, kept, error)
             : error_set(error, STATUS_MEMORY, "%s: %d rows have 2^32 of them, or as far apart",
                         what, SUM_TILE);
    memory_free(lengths);
    double words = (double)kept->places_length + (double)kept->steps_length;
    return status ? status
                  : memory_fits(2.0 * (double)kept->columns_length + 4.0 * words, what, error);
}

static enum status make_lists(struct host_lists *lists, struct error *error)
{
    const struct csr *A = lists->A;
    struct cuda_entries *kept = lists->kept;
    enum status status =
        transpose_index_create(A->n, A->offsets, A->columns, &lists->mirror, error);
    if (!status)
        status = memory_fits(4.0 * (double)A->nnz, what, error);
    if (status)
        return status;
    int64_t tiles = kept->tiles = sum_tiles(A->n);
    lists->tile = (struct entries_tile *)memory_array(tiles, sizeof *lists->tile, what, error);
    lists->ranks = (uint8_t *)memory_array(A->n * ENTRIES_LISTS, sizeof(uint8_t), what, error);
    lists->moved = (uint32_t *)memory_array(A->nnz, sizeof(uint32_t), what, error);
    if (!lists->tile || !lists->ranks || !lists->moved)
        return STATUS_MEMORY;
    int64_t slices = (A->n + ENTRIES_SLICE - 1) / ENTRIES_SLICE;
    each_index(slices, [&](int64_t slice) { move_slice(lists, slice); });
    status = make_tiles(lists, error);
    if (status)
        return status;
    lists->columns = (uint16_t *)memory_zeros(kept->columns_length, sizeof(uint16_t), what, error);
    lists->places = (uint32_t *)memory_zeros(kept->places_length, sizeof(uint32_t), what, error);
    lists->steps = (uint32_t *)memory_array(kept->steps_length, sizeof(uint32_t), what, error);
    if (!lists->columns || !lists->places || !lists->steps)
        return STATUS_MEMORY;
    each_index(tiles, [&](int64_t tile) {
        for (int64_t first = tile * SUM_TILE; first < std::min((tile + 1) * SUM_TILE, A->n);
             first += ENTRIES_SLICE)
            for (int list = 0; list < ENTRIES_LISTS; list++)
                fill_slice(lists, tile, first, list);
    });
    return STATUS_OK;
}

static enum status put_lists(struct space_cuda *space, const struct host_lists *lists,
                             struct cuda_entries *kept, struct error *error)
{
    const struct {
        const void *host;
        int64_t count;
        size_t size;
        void **device;
    } arrays[] = {
        {lists->tile, kept->tiles, sizeof *lists->tile, (void **)&kept->tile},
        {lists->ranks, kept->n * ENTRIES_LISTS, sizeof(uint8_t), (void **)&kept->ranks},
        {lists->columns, kept->columns_length, sizeof(uint16_t), (void **)&kept->columns},
        {lists->places, kept->places_length, sizeof(uint32_t), (void **)&kept->places},
        {lists->steps, kept->steps_length, sizeof(uint32_t), (void **)&kept->steps},
    };
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && !status; k++)
        status = cuda_put(space, arrays[k].host, arrays[k].count, arrays[k].size, what,
                          arrays[k].device, error);
    return status;
}

/* The values by steps, and behind them numbers that are read but take no part. */
static double *move_values(const struct host_lists *lists, int64_t length, struct error *error)
{
    const struct csr *A = lists->A;
    double *values = (double *)memory_array(length, sizeof *values, "the values", error);
    if (!values)
        return nullptr;
    each_index(A->n, [&](int64_t i) {
        double *slice = values + A->offsets[i / ENTRIES_SLICE * ENTRIES_SLICE];
        for (int64_t p = A->offsets[i]; p < A->offsets[i + 1]; p++)
            slice[lists->moved[p]] = A->values[p];
    });
    std::fill(values + A->nnz, values + length, A->values[0]);
    return values;
}

static enum status put_values(struct space_cuda *space, const struct host_lists *lists,
                              const struct sym_choice *choice, struct cuda_entries *kept,
                              struct error *error)
{
    int64_t length = kept->values_length = kept->nnz + ENTRIES_SLICE;
    double *values = move_values(lists, length, error);
    struct value_dictionary codes = {};
    enum status status = values ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = value_dictionary_choose(choice, values, 1, length, &codes, error);
    kept->width = codes.width;
    kept->table_bytes = value_dictionary_table_bytes(&codes);
    if (!status && codes.table)
        status = cuda_put(space, codes.table, kept->table_bytes, 1, "the table of the values",
                          &kept->table, error);
    if (!status)
        status = cuda_put(space, codes.width ? codes.codes : values, length,
                          codes.width ? (size_t)codes.width : sizeof(double), "the values",
                          &kept->values, error);
    value_dictionary_free(&codes);
    memory_free(values);
    return status;
}

void cuda_entries_free(struct space_cuda *space, struct cuda_entries *entries)
{
    cuda_free(space, entries->values);
    cuda_free(space, entries->table);
    cuda_free(space, entries->tile);
    cuda_free(space, entries->ranks);
    cuda_free(space, entries->columns);
    cuda_free(space, entries->places);
    cuda_free(space, entries->steps);
    *entries = {};
}

enum status cuda_entries_create(struct space_cuda *space, const struct csr *A,
                                const struct sym_choice *choice, struct cuda_entries *entries,
                                struct error *error)
{
    *entries = {};
    entries->n = A->n;
    entries->nnz = A->nnz;
    entries->skew = A->kind == CSR_SKEW;
    struct host_lists lists = {};
    lists.A = A;
    lists.kept = entries;
    enum status status = make_lists(&lists, error);
    transpose_index_free(&lists.mirror);
    if (!status)
        status = put_lists(space, &lists, entries, error);
    if (!status)
        status = put_values(space, &lists, choice, entries, error);
    free_lists(&lists);
    if (status)
        cuda_entries_free(space, entries);
    return status;
}

/* Of the lists, in the device's memory. */
static int64_t list_bytes(const struct cuda_entries *entries)
{
    return entries->tiles * (int64_t)sizeof(struct entries_tile) + entries->n * ENTRIES_LISTS +
           entries->columns_length * (int64_t)sizeof(uint16_t) +
           (entries->places_length + entries->steps_length) * (int64_t)sizeof(uint32_t);
}

void cuda_entries_tell(const struct cuda_entries *entries, struct linear_operator *made)
{
    int64_t value = entries->width ? entries->width : (int64_t)sizeof(double);
    made->memory_bytes =
        entries->values_length * value + entries->table_bytes + list_bytes(entries);
    made->bytes_per_apply = made->memory_bytes + cuda_vector_bytes(made);
    snprintf(made->description, sizeof made->description, "rows, %.3g bytes of indices an entry%s",
             (double)list_bytes(entries) / (double)entries->nnz,
             value_dictionary_text(entries->width));
}

/* Codes of one byte, and differences of 16 bits. */
int64_t cuda_entries_least_bytes(const struct csr *A)
{
    return A->nnz + (A->nnz - A->n) * (int64_t)(2 * sizeof(uint16_t) + sizeof(uint32_t)) +
           A->n * ENTRIES_LISTS + sum_tiles(A->n) * (int64_t)sizeof(struct entries_tile);
}
