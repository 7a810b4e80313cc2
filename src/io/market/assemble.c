/* A counting sort by row, then a stable sort in each row. Every thread owns a range of rows and
 * reads the list's rows for them: 4 bytes an entry and thread, little beside parsing. So the order
 * in a row is that of the file for any number of threads. */
#include "io/market/assemble.h"

#include "base/memory.h"
#include "base/threads.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* Bit of a row's count: the list has its diagonal entry. */
#define DIAGONAL (INT64_C(1) << 62)

enum { LONG_ROW = 4096 }; /* longer rows are sorted one after another, with one scratch array */

struct scratch {
    uint32_t *columns;
    double *values;
};

struct assembling {
    const struct entry_list *list;
    struct csr *A;
    int64_t *next; /* [n]: where the next entry of a row goes */
    struct assembly *met;
    pthread_mutex_t lock; /* of *met */
};

/* --- rows and threads ------------------------------------------------------------------------- */

struct row_range {
    int64_t begin, end;
};

/* The first row that begins at or after entry k. */
static int64_t row_at(const int64_t *offsets, int64_t n, int64_t k)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (offsets[middle] < k)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The rows of the thread whose share of A's entries is begin <= k < end: those that begin there,
 * and for the last one the empty rows after them. */
static struct row_range rows_of_share(const struct csr *A, int64_t begin, int64_t end)
{
    return (struct row_range){row_at(A->offsets, A->n, begin),
                              end == A->nnz ? A->n : row_at(A->offsets, A->n, end)};
}

static void count_rows(void *context, int64_t begin, int64_t end)
{
    const struct assembling *work = context;
    const struct entry_list *list = work->list;
    int64_t *counts = work->next;
    uint32_t width = (uint32_t)(end - begin);
    for (int64_t k = 0; k < list->count; k++) {
        int64_t i = list->rows[k];
        if ((uint32_t)(i - begin) >= width)
            continue;
        counts[i]++;
        if (i == (int64_t)(list->columns[k] & ~MIRRORED))
            counts[i] |= DIAGONAL;
    }
}

/* From counts to offsets. next[i] becomes the place of the list's first entry in row i, after a
 * diagonal entry that the list lacks. */
static void count_to_offsets(struct csr *A, int64_t *next, bool diagonal)
{
    int64_t offset = 0;
    for (int64_t i = 0; i < A->n; i++) {
        int64_t count = next[i] & ~DIAGONAL;
        bool missing = diagonal && !(next[i] & DIAGONAL);
        A->offsets[i] = offset;
        next[i] = offset + missing;
        offset += count + missing;
    }
    A->offsets[A->n] = A->nnz = offset;
}

/* Forward: next[i] ends at the end of row i. */
static void scatter_columns(void *context, int64_t begin, int64_t end)
{
    const struct assembling *work = context;
    const struct entry_list *list = work->list;
    const struct csr *A = work->A;
    struct row_range mine = rows_of_share(A, begin, end);
    uint32_t width = (uint32_t)(mine.end - mine.begin), *columns = (uint32_t *)A->columns;
    for (int64_t i = mine.begin; i < mine.end; i++)
        if (work->next[i] > A->offsets[i])
            columns[A->offsets[i]] = (uint32_t)i;
    for (int64_t k = 0; k < list->count; k++) {
        int64_t i = list->rows[k];
        if ((uint32_t)(i - mine.begin) < width)
            columns[work->next[i]++] = list->columns[k];
    }
}

/* Backward, so that next[i] comes back to where it was. */
static void scatter_values(void *context, int64_t begin, int64_t end)
{
    const struct assembling *work = context;
    const struct entry_list *list = work->list;
    const struct csr *A = work->A;
    struct row_range mine = rows_of_share(A, begin, end);
    uint32_t width = (uint32_t)(mine.end - mine.begin);
    for (int64_t k = list->count - 1; k >= 0; k--) {
        int64_t i = list->rows[k];
        if ((uint32_t)(i - mine.begin) < width)
            A->values[--work->next[i]] = list->values[k];
    }
    for (int64_t i = mine.begin; i < mine.end; i++)
        if (work->next[i] > A->offsets[i])
            A->values[A->offsets[i]] = 0;
}

/* --- sorting one row -------------------------------------------------------------------------- */

enum { ROW_SHORT = 24 };

static inline uint32_t column_of(uint32_t stored)
{
    return stored & ~MIRRORED;
}

/* Whether the columns increase strictly; their MIRRORED bits do not count. */
static bool row_is_sorted(const uint32_t *columns, int64_t count)
{
    int64_t k = 1;
    while (k < count && column_of(columns[k - 1]) < column_of(columns[k]))
        k++;
    return k >= count;
}

static void insertion_sort(uint32_t *columns, double *values, int64_t count)
{
    for (int64_t k = 1; k < count; k++) {
        uint32_t column = columns[k];
        double value = values[k];
        int64_t place = k;
        for (; place > 0 && column_of(columns[place - 1]) > column_of(column); place--) {
            columns[place] = columns[place - 1];
            values[place] = values[place - 1];
        }
        columns[place] = column;
        values[place] = value;
    }
}

/* Merge [0, middle) and [middle, count) into `to`; of equals the left one goes first. */
static void merge(const uint32_t *columns, const double *values, int64_t middle, int64_t count,
                  uint32_t *to_columns, double *to_values)
{
    int64_t left = 0, right = middle;
    for (int64_t k = 0; k < count; k++) {
        int take_left = left < middle &&
                        (right == count || column_of(columns[left]) <= column_of(columns[right]));
        int64_t from = take_left ? left++ : right++;
        to_columns[k] = columns[from];
        to_values[k] = values[from];
    }
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Sort by column, MIRRORED bits not counted, and keep the order of entries that share one. Rows of
 * more than ROW_SHORT entries need scratch arrays of `count` elements. */
static void row_sort(uint32_t *columns, double *values, int64_t count, uint32_t *scratch_columns,
                     double *scratch_values)
{
    for (int64_t begin = 0; begin < count; begin += ROW_SHORT)
        insertion_sort(columns + begin, values + begin, smaller(ROW_SHORT, count - begin));
    for (int64_t width = ROW_SHORT; width < count; width *= 2) {
        for (int64_t begin = 0; begin < count; begin += 2 * width) {
            int64_t length = smaller(2 * width, count - begin);
            merge(columns + begin, values + begin, smaller(width, length), length,
                  scratch_columns + begin, scratch_values + begin);
        }
        memcpy(columns, scratch_columns, (size_t)count * sizeof *columns);
        memcpy(values, scratch_values, (size_t)count * sizeof *values);
    }
}

/* --- sorting and adding up -------------------------------------------------------------------- */

static bool row_is_long(const struct csr *A, int64_t i)
{
    return A->offsets[i + 1] - A->offsets[i] > LONG_ROW;
}

/* Sort row i, add entries of equal columns, and clear the MIRRORED bits; row_end[i] = its new
 * end. */
static void finish_row(struct csr *A, int64_t i, int64_t *row_end, struct scratch scratch,
                       struct assembly *met)
{
    int64_t begin = A->offsets[i], count = A->offsets[i + 1] - begin;
    uint32_t *columns = (uint32_t *)A->columns + begin;
    double *values = A->values + begin;
    row_end[i] = A->offsets[i + 1];
    if (row_is_sorted(columns, count)) {
        for (int64_t k = 0; k < count; k++)
            columns[k] &= ~MIRRORED;
        return;
    }
    row_sort(columns, values, count, scratch.columns, scratch.values);
    int64_t last = 0;
    uint32_t stored = columns[0]; /* of the first entry of this column, with its bit */
    columns[0] &= ~MIRRORED;
    for (int64_t k = 1; k < count; k++) {
        if ((columns[k] & ~MIRRORED) != columns[last]) {
            stored = columns[k];
            columns[++last] = stored & ~MIRRORED;
            values[last] = values[k];
            continue;
        }
        met->duplicates++;
        met->counted += i >= met->first && i < met->last;
        met->mirrored += columns[k] != stored;
        values[last] += values[k];
        if (!isfinite(values[last]) && met->overflow_row < 0) {
            met->overflow_row = i;
            met->overflow_column = columns[last];
        }
    }
    row_end[i] = begin + last + 1;
}

static struct assembly nothing_met(int64_t first, int64_t last)
{
    return (struct assembly){
        .overflow_row = -1, .overflow_column = -1, .first = first, .last = last};
}

/* The sums of two threads; of two overflows the one in the smaller row. */
static void add_assembly(struct assembly *all, const struct assembly *part)
{
    all->duplicates += part->duplicates;
    all->counted += part->counted;
    all->mirrored += part->mirrored;
    if (part->overflow_row >= 0 &&
        (all->overflow_row < 0 || part->overflow_row < all->overflow_row)) {
        all->overflow_row = part->overflow_row;
        all->overflow_column = part->overflow_column;
    }
}

static enum status scratch_create(struct scratch *scratch, int64_t count, struct error *error)
{
    *scratch = (struct scratch){0};
    scratch->columns = memory_array(count, sizeof *scratch->columns, "sorting the rows", error);
    if (scratch->columns)
        scratch->values = memory_array(count, sizeof *scratch->values, "sorting the rows", error);
    return scratch->values ? STATUS_OK : STATUS_MEMORY;
}

static void finish_short_rows(void *context, int64_t begin, int64_t end)
{
    struct assembling *work = context;
    struct row_range mine = rows_of_share(work->A, begin, end);
    uint32_t columns[LONG_ROW];
    double values[LONG_ROW];
    struct assembly part = nothing_met(work->met->first, work->met->last);
    for (int64_t i = mine.begin; i < mine.end; i++)
        if (!row_is_long(work->A, i))
            finish_row(work->A, i, work->next, (struct scratch){columns, values}, &part);
    pthread_mutex_lock(&work->lock);
    add_assembly(work->met, &part);
    pthread_mutex_unlock(&work->lock);
}

static enum status finish_long_rows(struct csr *A, int64_t *row_end, struct assembly *met,
                                    struct error *error)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < A->n; i++) {
        int64_t count = A->offsets[i + 1] - A->offsets[i];
        if (count > longest && count > LONG_ROW &&
            !row_is_sorted((uint32_t *)A->columns + A->offsets[i], count))
            longest = count;
    }
    struct scratch scratch;
    enum status status = scratch_create(&scratch, longest, error);
    for (int64_t i = 0; status == STATUS_OK && i < A->n; i++) {
        struct assembly part = nothing_met(met->first, met->last);
        if (row_is_long(A, i))
            finish_row(A, i, row_end, scratch, &part);
        add_assembly(met, &part);
    }
    memory_free(scratch.columns);
    memory_free(scratch.values);
    return status;
}

/* Close the gaps of added-up entries. */
static void close_gaps(struct csr *A, const int64_t *row_end)
{
    int64_t to = 0;
    for (int64_t i = 0; i < A->n; i++) {
        int64_t from = A->offsets[i], count = row_end[i] - from;
        memmove(A->columns + to, A->columns + from, (size_t)count * sizeof *A->columns);
        memmove(A->values + to, A->values + from, (size_t)count * sizeof *A->values);
        A->offsets[i] = to;
        to += count;
    }
    A->offsets[A->n] = A->nnz = to;
}

static enum status assemble(struct entry_list *list, struct csr *A, int64_t *next, bool diagonal,
                            struct assembly *met, struct error *error)
{
    struct threads *threads = threads_lent();
    struct assembling work = {list, A, next, met, PTHREAD_MUTEX_INITIALIZER};
    A->offsets = memory_array(A->n + 1, sizeof *A->offsets, "the matrix's row offsets", error);
    if (!A->offsets)
        return STATUS_MEMORY;
    threads_each(threads, A->n, count_rows, &work);
    count_to_offsets(A, next, diagonal);
    A->columns = memory_array(A->nnz, sizeof *A->columns, "the matrix's columns", error);
    if (!A->columns)
        return STATUS_MEMORY;
    threads_each(threads, A->nnz, scatter_columns, &work);
    memory_free(list->columns);
    list->columns = NULL;
    A->values = memory_array(A->nnz, sizeof *A->values, "the matrix's values", error);
    if (!A->values)
        return STATUS_MEMORY;
    threads_each(threads, A->nnz, scatter_values, &work);
    entry_list_free(list);
    threads_each(threads, A->nnz, finish_short_rows, &work);
    enum status status = finish_long_rows(A, next, met, error);
    if (status == STATUS_OK && met->duplicates > 0)
        close_gaps(A, next);
    return status;
}

enum status entries_assemble(struct entry_list *list, int64_t n, enum csr_kind kind, bool diagonal,
                             const struct matrix_market_part *part, struct csr *A,
                             struct assembly *met, struct error *error)
{
    *A = (struct csr){.kind = kind, .n = n, .width = n};
    *met = nothing_met(part ? part->first : 0, part ? part->last : n);
    /* A size line of a few bytes may announce more rows than fit into memory. The list's columns
     * are freed before the values are allocated. */
    double bytes = 16.0 * (double)n + 12.0 * (double)(list->count + (diagonal ? n : 0)) -
                   4.0 * (double)list->count;
    enum status status = memory_fits(bytes, "the matrix", error);
    if (status)
        return status;
    int64_t *next = memory_zeros(n, sizeof *next, "the row counts", error);
    if (!next)
        return STATUS_MEMORY;
    status = assemble(list, A, next, diagonal, met, error);
    memory_free(next);
    if (status)
        csr_free(A);
    return status;
}
