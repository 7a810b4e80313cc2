#include "spmv/row_parts.h"

#include "base/memory.h"
#include "base/threads.h"

#include <inttypes.h>
#include <string.h>

/* Rows that one thread takes at a time. */
enum { CHUNK = 4096 };

/* What a chunk of rows has; then, where each begins. */
struct counts {
    int64_t parts[ROW_PARTS_CLASSES_MAX], slots, joins;
};

static const char *const what = "the parts of the rows";

void row_parts_free(struct row_parts *parts)
{
    memory_free(parts->parts);
    memory_free(parts->columns);
    memory_free(parts->values);
    memory_free(parts->joins);
    *parts = (struct row_parts){0};
}

static int64_t entry_bytes(bool narrow)
{
    return (int64_t)sizeof(int32_t) + (int64_t)(narrow ? sizeof(float) : sizeof(double));
}

int64_t row_parts_bytes(const struct row_parts *parts)
{
    return parts->nnz * entry_bytes(parts->narrow) +
           row_parts_count(parts) * (int64_t)sizeof *parts->parts +
           parts->joined * (int64_t)sizeof *parts->joins;
}

int64_t row_parts_bytes_least(int64_t n, int64_t nnz, bool narrow)
{
    return nnz * entry_bytes(narrow) + n * (int64_t)sizeof(struct row_part);
}

/* The length of the next part of a row of which that many entries are left. */
static int next_length(struct row_cuts cuts, int64_t left)
{
    int longest = row_parts_length(cuts, 0);
    if (left >= longest)
        return longest;
    return (int)(left < cuts.block ? left : left - left % cuts.block);
}

/* Returns how many parts it has, at least 1. */
static int64_t count_row(struct row_cuts cuts, int64_t length, struct counts *counts)
{
    int64_t parts = 0;
    do {
        int part = next_length(cuts, length);
        counts->parts[row_parts_class(cuts, part)]++;
        length -= part;
        parts++;
    } while (length > 0);
    return parts;
}

static int64_t chunk_end(const struct csr *full, int64_t chunk)
{
    return (chunk + 1) * CHUNK < full->n ? (chunk + 1) * CHUNK : full->n;
}

struct making {
    const struct csr *full;
    struct row_parts *parts;
    struct counts *counts; /* of each chunk */
};

static void count_chunks(void *context, int64_t chunk, int64_t last)
{
    const struct making *making = context;
    const struct csr *full = making->full;
    for (; chunk < last; chunk++) {
        struct counts *counts = &making->counts[chunk];
        *counts = (struct counts){{0}, 0, 0};
        for (int64_t i = chunk * CHUNK; i < chunk_end(full, chunk); i++) {
            int64_t length = full->offsets[i + 1] - full->offsets[i];
            int64_t parts = count_row(making->parts->cuts, length, counts);
            counts->slots += parts - 1;
            counts->joins += parts > 2;
        }
    }
}

/* *count becomes *total, and *total grows by what it was. */
static void begin_at(int64_t *count, int64_t *total)
{
    int64_t here = *count;
    *count = *total;
    *total += here;
}

/* From counts to places, class after class, and in a class chunk after chunk. */
static void place(struct row_parts *parts, struct counts *counts, int64_t chunks)
{
    int64_t part = 0, entry = 0;
    int classes = row_cuts_classes(parts->cuts);
    for (int c = 0; c < classes; c++) {
        parts->first_part[c] = part;
        parts->first_entry[c] = entry;
        for (int64_t k = 0; k < chunks; k++)
            begin_at(&counts[k].parts[c], &part);
        entry += (part - parts->first_part[c]) * row_parts_length(parts->cuts, c);
    }
    parts->first_part[classes] = part;
    parts->first_entry[classes] = entry;
    for (int64_t k = 0; k < chunks; k++) {
        begin_at(&counts[k].slots, &parts->slots);
        begin_at(&counts[k].joins, &parts->joined);
    }
}

static void copy_entries(const struct csr *full, int64_t from, int length, struct row_parts *parts,
                         int64_t to)
{
    memcpy(parts->columns + to, full->columns + from, (size_t)length * sizeof *full->columns);
    if (parts->narrow)
        for (int k = 0; k < length; k++)
            ((float *)parts->values)[to + k] = (float)full->values[from + k];
    else
        memcpy((double *)parts->values + to, full->values + from,
               (size_t)length * sizeof *full->values);
}

/* The link of the last of `count` parts, whose slots begin at `slot`. */
static int32_t last_link(struct row_parts *parts, int64_t count, int64_t slot, struct counts *next)
{
    if (count == 1)
        return 0;
    if (count == 2)
        return (int32_t)(2 * slot + 1);
    parts->joins[next->joins] =
        (struct row_join){.first = (int32_t)slot, .count = (int32_t)(count - 1)};
    return (int32_t)(2 * ++next->joins);
}

static void fill_row(const struct csr *full, int64_t row, struct row_parts *parts,
                     struct counts *next)
{
    int64_t k = full->offsets[row], end = full->offsets[row + 1], first_slot = next->slots;
    int length;
    do {
        length = next_length(parts->cuts, end - k);
        int c = row_parts_class(parts->cuts, length);
        int64_t part = next->parts[c]++;
        bool last = k + length == end;
        parts->parts[part] = (struct row_part){
            .row = (int32_t)row,
            .link = last ? last_link(parts, next->slots - first_slot + 1, first_slot, next)
                         : (int32_t)~next->slots};
        next->slots += !last;
        copy_entries(full, k, length, parts,
                     parts->first_entry[c] + (part - parts->first_part[c]) * length);
        k += length;
    } while (k < end);
}

static void fill_chunks(void *context, int64_t chunk, int64_t last)
{
    const struct making *making = context;
    for (; chunk < last; chunk++)
        for (int64_t i = chunk * CHUNK; i < chunk_end(making->full, chunk); i++)
            fill_row(making->full, i, making->parts, &making->counts[chunk]);
}

static enum status allocate(struct row_parts *parts, struct error *error)
{
    if (parts->slots > INT32_MAX / 2 || row_parts_count(parts) > INT32_MAX)
        return error_set(error, STATUS_CONFIG,
                         "the rows have %" PRId64 " parts, of which %" PRId64
                         " are to be joined: more than 2^30",
                         row_parts_count(parts), parts->slots);
    enum status status = memory_fits((double)row_parts_bytes(parts), what, error);
    if (status)
        return status;
    parts->parts = memory_array(row_parts_count(parts), sizeof *parts->parts, what, error);
    if (parts->parts)
        parts->columns = memory_array(parts->nnz, sizeof *parts->columns, what, error);
    if (parts->columns)
        parts->values =
            memory_array(parts->nnz, parts->narrow ? sizeof(float) : sizeof(double), what, error);
    if (parts->values)
        parts->joins = memory_array(parts->joined, sizeof *parts->joins, what, error);
    return parts->joins ? STATUS_OK : STATUS_MEMORY;
}

static enum status make(const struct csr *full, struct counts *counts, int64_t chunks,
                        struct row_parts *parts, struct error *error)
{
    struct making making = {full, parts, counts};
    threads_each(threads_lent(), chunks, count_chunks, &making);
    place(parts, counts, chunks);
    enum status status = allocate(parts, error);
    if (!status)
        threads_take(threads_lent(), chunks, 1, fill_chunks, &making);
    return status;
}

enum status row_parts_create(const struct csr *full, struct row_cuts cuts, bool narrow,
                             struct row_parts *parts, struct error *error)
{
    *parts = (struct row_parts){.n = full->n, .nnz = full->nnz, .narrow = narrow, .cuts = cuts};
    int64_t chunks = (full->n - 1) / CHUNK + 1;
    struct counts *counts = memory_array(chunks, sizeof *counts, what, error);
    enum status status = counts ? make(full, counts, chunks, parts, error) : STATUS_MEMORY;
    memory_free(counts);
    if (status)
        row_parts_free(parts);
    return status;
}
