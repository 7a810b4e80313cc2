#include "spmv/symmetric/diagonals/sym_stencils.h"

#include "base/memory.h"
#include "base/threads.h"
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

enum status sym_stencils_create(const struct csr *A, const int32_t *distances, int64_t diagonals,
                                struct sym_stencils *stencils, struct error *error)
{
    *stencils = (struct sym_stencils){0};
    if (diagonals > SYM_DIAGONALS_MAX)
        return STATUS_OK;
    struct source source = {A, distances, diagonals};
    int width = 2 * (int)diagonals - 1;
    struct set *set = NULL;
    enum status status = set_create(width, &set, error);
    if (!status)
        status = collect_all(&source, set, error);
    int64_t bytes = set ? (int64_t)set->count * width * (int64_t)sizeof(double) : 0;
    if (!status && set->count > 0 && bytes <= SYM_STENCILS_BYTES) {
        stencils->count = set->count;
        stencils->width = width;
        stencils->table =
            memory_array(set->count * (int64_t)width, sizeof(double), "the stencils", error);
        stencils->codes = memory_array(A->n, 1, "the codes of the rows", error);
        status = stencils->table && stencils->codes ? STATUS_OK : STATUS_MEMORY;
        if (!status) {
            rank(set, stencils->table);
            threads_each(threads_lent(), A->n, encode,
                         &(struct encoding){&source, set, stencils->codes});
        }
    }
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
