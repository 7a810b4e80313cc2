#include "spmv/symmetric/diagonals/sym_stencils.h"

#include "base/memory.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "spmv/symmetric/sym_order.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 4 * SYM_STENCILS_MAX, /* of a hash table that is never more than a quarter full */
    STENCIL_MAX = 2 * SYM_DIAGONALS_MAX - 1,
};

/* Stencils that were met, and how often. */
struct set {
    int count, width;
    double *rows;         /* [SYM_STENCILS_MAX width] */
    int64_t *often;       /* [SYM_STENCILS_MAX] */
    int16_t slots[SLOTS]; /* -1, or a place in rows */
};

struct source {
    const struct csr *A;
    const int32_t *distances;
    int64_t diagonals;
};

/* The entry (i, j), j >= i, of the upper triangle, or 0. */
static double entry(const struct csr *A, int64_t i, int64_t j)
{
    int64_t k = i < 0 ? -1 : csr_find_entry(A, i, j);
    return k < 0 ? 0 : A->values[k];
}

static void stencil_of(const struct source *source, int64_t i, double *row)
{
    int m = (int)source->diagonals - 1;
    double sign = source->A->kind == CSR_SKEW ? -1 : 1;
    for (int k = 1; k <= m; k++)
        row[m - k] = sign * entry(source->A, i - source->distances[k], i);
    for (int k = 0; k <= m; k++)
        row[m + k] = entry(source->A, i, i + source->distances[k]);
}

static unsigned int hash(const double *row, int width)
{
    uint64_t h = 0;
    for (int k = 0; k < width; k++) {
        uint64_t bits;
        memcpy(&bits, &row[k], sizeof bits);
        h = (h ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (unsigned int)(h % SLOTS);
}

/* The place of a stencil, or -1; *slot is where it stands or would stand. */
static int find(const struct set *set, const double *row, unsigned int *slot)
{
    size_t bytes = (size_t)set->width * sizeof *row;
    unsigned int s = hash(row, set->width);
    while (set->slots[s] >= 0 && memcmp(set->rows + set->slots[s] * set->width, row, bytes) != 0)
        s = (s + 1) % SLOTS;
    *slot = s;
    return set->slots[s];
}

/* False when the set is full. */
static bool add(struct set *set, const double *row, int64_t often)
{
    unsigned int slot;
    int place = find(set, row, &slot);
    if (place < 0) {
        if (set->count == SYM_STENCILS_MAX)
            return false;
        place = set->count++;
        set->slots[slot] = (int16_t)place;
        memcpy(set->rows + place * set->width, row, (size_t)set->width * sizeof *row);
        set->often[place] = 0;
    }
    set->often[place] += often;
    return true;
}

static enum status set_create(int width, struct set **set, struct error *error)
{
    *set = memory_zeros(1, sizeof **set, "the stencils", error);
    if (!*set)
        return STATUS_MEMORY;
    (*set)->width = width;
    (*set)->rows =
        memory_array((int64_t)SYM_STENCILS_MAX * width, sizeof(double), "the stencils", error);
    (*set)->often = memory_array(SYM_STENCILS_MAX, sizeof(int64_t), "the stencils", error);
    memset((*set)->slots, -1, sizeof(*set)->slots);
    return (*set)->rows && (*set)->often ? STATUS_OK : STATUS_MEMORY;
}

static void set_free(struct set *set)
{
    if (!set)
        return;
    memory_free(set->rows);
    memory_free(set->often);
    memory_free(set);
}

/* The stencils of the rows begin <= i < end. False when they are too many. */
static bool collect(const struct source *source, int64_t begin, int64_t end, struct set *set)
{
    double row[STENCIL_MAX];
    for (int64_t i = begin; i < end; i++) {
        stencil_of(source, i, row);
        if (!add(set, row, 1))
            return false;
    }
    return true;
}

enum { PARTS = 64 }; /* of the rows */

struct collection {
    const struct source *source;
    struct set *all;
    bool fits;
    enum status status;
    struct error *error;
    pthread_mutex_t lock; /* what is above belongs to one thread at a time */
};

/* own: what became of the set of a part; fits: it has all of the part's stencils. */
static void take_part(struct collection *by, const struct set *set, enum status own, bool fits,
                      const struct error *error)
{
    pthread_mutex_lock(&by->lock);
    for (int k = 0; fits && by->fits && k < set->count; k++)
        by->fits = add(by->all, set->rows + k * set->width, set->often[k]);
    by->fits = by->fits && (own || fits);
    if (own && !by->status) {
        by->status = own;
        *by->error = *error;
    }
    pthread_mutex_unlock(&by->lock);
}

static void collect_parts(void *context, int64_t part, int64_t last)
{
    struct collection *by = context;
    int64_t n = by->source->A->n;
    for (; part < last; part++) {
        struct error error;
        struct set *set = NULL;
        enum status own = set_create(by->all->width, &set, &error);
        bool fits = !own && collect(by->source, n * part / PARTS, n * (part + 1) / PARTS, set);
        take_part(by, set, own, fits, &error);
        set_free(set);
    }
}

/* All stencils of the matrix, in no order; an empty set when they are too many. */
static enum status collect_all(const struct source *source, struct set *all, struct error *error)
{
    struct collection by = {source, all, true, STATUS_OK, error, PTHREAD_MUTEX_INITIALIZER};
    threads_take(threads_lent(), PARTS, 1, collect_parts, &by);
    pthread_mutex_destroy(&by.lock);
    if (!by.fits)
        all->count = 0;
    return by.status;
}

struct ranked {
    const double *row;
    int64_t often;
    int width;
};

static int compare(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->often != b->often)
        return a->often < b->often ? 1 : -1;
    return memcmp(a->row, b->row, (size_t)a->width * sizeof *a->row);
}

void sym_stencils_rank(const double *rows, const int64_t *often, int count, int width, int *order)
{
    struct ranked ranked[SYM_STENCILS_MAX];
    for (int k = 0; k < count; k++)
        ranked[k] = (struct ranked){rows + k * width, often[k], width};
    qsort(ranked, (size_t)count, sizeof *ranked, compare);
    for (int k = 0; k < count; k++)
        order[k] = (int)((ranked[k].row - rows) / width);
}

/* The table in its order; the set's slots then lead to places in it. */
static void rank(struct set *set, double *table)
{
    int order[SYM_STENCILS_MAX], count = set->count, width = set->width;
    sym_stencils_rank(set->rows, set->often, count, width, order);
    for (int k = 0; k < count; k++)
        memcpy(table + k * width, set->rows + order[k] * width, (size_t)width * sizeof *table);
    set->count = 0;
    memset(set->slots, -1, sizeof set->slots);
    for (int k = 0; k < count; k++)
        add(set, table + k * width, 0);
}

struct encoding {
    const struct source *source;
    const struct set *set;
    uint8_t *codes;
};

static void encode(void *context, int64_t i, int64_t end)
{
    const struct encoding *by = context;
    for (; i < end; i++) {
        double row[STENCIL_MAX];
        unsigned int slot;
        stencil_of(by->source, i, row);
        by->codes[i] = (uint8_t)find(by->set, row, &slot);
    }
}

/* The set as a table, unless it would take too much; and room for that many codes. */
static enum status take_table(struct set *set, int64_t codes, struct sym_stencils *stencils,
                              struct error *error)
{
    int64_t entries = set->count * (int64_t)set->width;
    if (set->count == 0 || entries * (int64_t)sizeof(double) > SYM_STENCILS_BYTES)
        return STATUS_OK;
    stencils->count = set->count;
    stencils->width = set->width;
    stencils->table = memory_array(entries, sizeof(double), "the stencils", error);
    stencils->codes = memory_array(codes, 1, "the codes of the rows", error);
    if (!stencils->table || !stencils->codes)
        return STATUS_MEMORY;
    rank(set, stencils->table);
    return STATUS_OK;
}

enum status sym_stencils_create(const struct csr *A, const int32_t *distances, int64_t diagonals,
                                struct sym_stencils *stencils, struct error *error)
{
    *stencils = (struct sym_stencils){0};
    if (diagonals > SYM_DIAGONALS_MAX)
        return STATUS_OK;
    struct source source = {A, distances, diagonals};
    struct set *set = NULL;
    enum status status = set_create(2 * (int)diagonals - 1, &set, error);
    if (!status)
        status = collect_all(&source, set, error);
    if (!status)
        status = take_table(set, A->n, stencils, error);
    if (!status && stencils->count > 0)
        threads_each(threads_lent(), A->n, encode,
                     &(struct encoding){&source, set, stencils->codes});
    set_free(set);
    if (status)
        sym_stencils_free(stencils);
    return status;
}

/* --- of kinds --------------------------------------------------------------------------------- */

/* One row of a generator: its entries at ahead[k] from the diagonal. */
struct one_row {
    int64_t offsets[2];
    int32_t ahead[SYM_DIAGONALS_MAX];
    double values[SYM_DIAGONALS_MAX];
};

/* False when it has too many entries. */
static bool make_row(const struct csr *A, int64_t i, struct one_row *row)
{
    struct csr of = {.n = 1, .offsets = row->offsets};
    A->maker->rows(A->maker_options, i, i, &of);
    if (row->offsets[1] > SYM_DIAGONALS_MAX)
        return false;
    of.columns = row->ahead;
    of.values = row->values;
    csr_fill_rows(A, i, i, &of);
    return true;
}

/* Adds the row's distances to the ascending ones. False when they become too many. */
static bool add_distances(const struct one_row *row, int32_t *distances, int64_t *count)
{
    for (int64_t k = 0; k < row->offsets[1]; k++) {
        int64_t at = 0;
        while (at < *count && distances[at] < row->ahead[k])
            at++;
        if (at < *count && distances[at] == row->ahead[k])
            continue;
        if (*count == SYM_DIAGONALS_MAX)
            return false;
        memmove(distances + at + 1, distances + at, (size_t)(*count - at) * sizeof *distances);
        distances[at] = row->ahead[k];
        ++*count;
    }
    return true;
}

/* The row's entry at a distance, or 0. */
static double entry_at(const struct one_row *row, int32_t distance)
{
    for (int64_t k = 0; k < row->offsets[1]; k++)
        if (row->ahead[k] == distance)
            return row->values[k];
    return 0;
}

/* stencil_of, by rows that are made. */
static void make_stencil(const struct source *source, int64_t i, double *stencil)
{
    int m = (int)source->diagonals - 1;
    double sign = source->A->kind == CSR_SKEW ? -1 : 1;
    struct one_row row;
    for (int k = m; k >= 0; k--) {
        int32_t distance = source->distances[k];
        double value =
            i >= distance && make_row(source->A, i - distance, &row) ? entry_at(&row, distance) : 0;
        stencil[m - k] = sign * value;
    }
    for (int k = 0; k <= m; k++) /* the last row made is row i */
        stencil[m + k] = entry_at(&row, source->distances[k]);
}

static bool find_distances(const struct csr *A, const struct row_kinds *kinds, int32_t *distances,
                           int64_t *count)
{
    struct one_row row;
    int64_t often;
    bool fits = true;
    *count = 0;
    for (int kind = 0; kind < row_kinds_count(kinds) && fits; kind++)
        fits = make_row(A, row_kinds_first(kinds, kind, &often), &row) &&
               add_distances(&row, distances, count);
    return fits;
}

/* The stencil of each kind. An empty set when they are too many. *entries: of the upper triangle,
 * that are not 0. */
static void collect_kinds(const struct source *source, const struct row_kinds *kinds,
                          struct set *set, double *stencils, int64_t *entries)
{
    bool fits = true;
    *entries = 0;
    for (int kind = 0; kind < row_kinds_count(kinds) && fits; kind++) {
        int64_t often, i = row_kinds_first(kinds, kind, &often);
        double *stencil = stencils + (int64_t)kind * set->width;
        make_stencil(source, i, stencil);
        for (int k = set->width / 2; k < set->width; k++)
            *entries += stencil[k] != 0 ? often : 0;
        fits = add(set, stencil, often);
    }
    if (!fits)
        set->count = 0;
}

enum status sym_stencils_of_kinds(const struct csr *A, const struct row_kinds *kinds,
                                  int32_t **distances, int64_t *count,
                                  struct sym_stencils *stencils, struct error *error)
{
    static const char *const what = "the stencils";
    int64_t entries = 0;
    struct set *set = NULL;
    double *rows = NULL;
    *stencils = (struct sym_stencils){0};
    *distances = memory_array(SYM_DIAGONALS_MAX, sizeof **distances, "the diagonals", error);
    if (!*distances)
        return STATUS_MEMORY;
    if (!find_distances(A, kinds, *distances, count))
        return STATUS_OK;
    int width = 2 * (int)*count - 1, all = row_kinds_count(kinds);
    enum status status = set_create(width, &set, error);
    if (!status) {
        rows = memory_array(all * (int64_t)width, sizeof *rows, what, error);
        status = rows ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status) {
        collect_kinds(&(struct source){A, *distances, *count}, kinds, set, rows, &entries);
        status = take_table(set, all, stencils, error);
    }
    unsigned int slot;
    for (int kind = 0; kind < all && !status && stencils->count > 0; kind++)
        stencils->codes[kind] = (uint8_t)find(set, rows + (int64_t)kind * width, &slot);
    stencils->exact = stencils->count > 0 && entries == A->nnz;
    memory_free(rows);
    set_free(set);
    if (status)
        sym_stencils_free(stencils);
    return status;
}

void sym_stencils_free(struct sym_stencils *stencils)
{
    memory_free(stencils->table);
    memory_free(stencils->codes);
    *stencils = (struct sym_stencils){0};
}
