#include "precondition/multigrid/cycle/cycle_columns.h"

#include "base/memory.h"
#include "precondition/multigrid/distributed/distribute.h"
#include "space/ranks/ranks.h"

bool cycle_takes_columns(const struct multigrid *m)
{
    unsigned each = cycle_is_float(m) ? OPERATOR_SINGLE_COLUMNS : OPERATOR_COLUMNS;
    bool takes = true;
    for (int k = 0; k < m->hierarchy.count; k++)
        takes = takes && m->hierarchy.levels[k].spmv->can & each;
    return takes;
}

int cycle_shift(int columns)
{
    int shift = 0;
    while (1 << shift < columns)
        shift++;
    return shift;
}

static size_t element_of(const struct multigrid *m)
{
    return cycle_is_float(m) ? sizeof(float) : sizeof(double);
}

/* Level 0 may have the caller's b and x. */
static enum status allocate(const struct multigrid *m, const struct level *level, int columns,
                            struct level *made, struct error *error)
{
    void **vectors[] = {&made->q, &made->d, &made->r, &made->b, &made->x};
    int count = cycle_is_callers(m, level) ? 3 : 5;
    enum status status = STATUS_OK;
    *made = *level;
    made->fused_smoothing = NULL;
    made->legs = (struct legs){0};
    for (int k = 0; k < 5; k++)
        *vectors[k] = NULL;
    for (int k = 0; k < count && !status; k++)
        status = ranks_multivector(level->space, level->n, columns, element_of(m),
                                   "a level of a multigrid", vectors[k], error);
    made->fsai.t = made->fsai.b = NULL;
    void **smoothers[] = {&made->fsai.t, &made->fsai.b};
    for (int k = 0; k < 2 && cycle_by_fsai(level) && !status; k++)
        status = ranks_multivector(level->space, level->n, columns, element_of(m),
                                   "a smoother of a multigrid", smoothers[k], error);
    return status;
}

static void release(struct level *levels, int count)
{
    for (int k = 0; k < count && levels; k++) {
        void *vectors[] = {levels[k].q, levels[k].d,      levels[k].r,     levels[k].b,
                           levels[k].x, levels[k].fsai.t, levels[k].fsai.b};
        for (int v = 0; v < 7; v++)
            if (levels[k].space)
                space_release(levels[k].space, vectors[v]);
    }
    memory_free(levels);
}

enum status cycle_prepare_columns(struct multigrid *m, int columns, struct error *error)
{
    const struct hierarchy *h = &m->hierarchy;
    struct level **made = &m->columns[cycle_shift(columns) - 1];
    if (*made)
        return STATUS_OK;
    *made = memory_zeros(h->count, sizeof **made, "the levels for several columns", error);
    enum status status = *made ? STATUS_OK : STATUS_MEMORY;
    for (int k = 0; k < h->count && !status; k++) {
        status = operator_prepare(h->levels[k].spmv, columns, error);
        if (!status)
            status = distribute_prepare(&h->levels[k], columns, error);
        if (!status)
            status = allocate(m, &h->levels[k], columns, &(*made)[k], error);
    }
    if (status) {
        release(*made, h->count);
        *made = NULL;
    }
    return status;
}

static int64_t vectors_bytes(const struct multigrid *m, int64_t vectors, int64_t n)
{
    return vectors * n * (int64_t)element_of(m);
}

/* `count` products with the level's matrix, whose kernel counts vectors of doubles. */
static void add_products(const struct multigrid *m, const struct level *level, int64_t count,
                         int64_t *once, int64_t *each)
{
    const struct linear_operator *spmv = level->spmv;
    int64_t doubles = 2 * level->n * (int64_t)sizeof(double);
    *once += count * (spmv->bytes_per_apply - doubles - spmv->bytes_per_column);
    *each += count * (vectors_bytes(m, 2, level->n) + spmv->bytes_per_column);
}

static void add_smoothing(const struct multigrid *m, const struct level *level, bool from_zero,
                          int64_t *once, int64_t *each)
{
    add_products(m, level, m->degree - from_zero, once, each);
    if (cycle_by_fsai(level)) {
        *once += m->degree * level_fsai_bytes(level);
        *each += m->degree * level_fsai_bytes_per_column(level, element_of(m));
    }
    int64_t inverse = vectors_bytes(m, 1, level->n); /* of all columns */
    bool is_last = level->number == 0 && !from_zero;
    for (int64_t k = 0; k < m->degree; k++) {
        const struct pass *pass = cycle_pass(m, cycle_kind(m, level, k, from_zero, is_last));
        *once += inverse;
        *each += space_bytes(level->space, pass, level->n) - inverse;
    }
}

void cycle_columns_bytes(const struct multigrid *m, int64_t *once, int64_t *each)
{
    const struct hierarchy *h = &m->hierarchy;
    const struct level *level = h->levels, *last = &h->levels[h->count - 1];
    *once = 0;
    *each = cycle_is_float(m) ? space_bytes(level->space, &pass_dot, level->n) : 0;
    for (; level < last; level++) {
        add_smoothing(m, level, true, once, each);
        add_smoothing(m, level, false, once, each);
        add_products(m, level, 1, once, each);
        if (level->P.blocks > 0)
            *once += 2 * interpolation_bytes(&level->P, (int64_t)element_of(m));
        else
            *once += (level->members + 2 * level->n) * (int64_t)sizeof(int32_t);
        *each += vectors_bytes(m, 2 + 2, level->n) + vectors_bytes(m, 2, level[1].n);
    }
    if (h->coarsest_inverse) {
        *once += vectors_bytes(m, last->n, last->n);
        *each += vectors_bytes(m, 2, last->n);
    }
    for (int k = 0; k < LAST_SMOOTHINGS && !h->coarsest_inverse; k++)
        add_smoothing(m, last, k == 0, once, each);
}

int64_t cycle_columns_launches(const struct multigrid *m)
{
    enum { LEGS = 2, FUSED = 5 }; /* of a level with legs; of one with fused smoothing */
    const struct hierarchy *h = &m->hierarchy;
    int64_t products_and_steps = 4 * m->degree, transfers = 2, more = 0;
    for (int k = 0; k + 1 < h->count; k++) {
        bool one_launch = m->fused_levels.count > 0 && k >= m->fused_levels.first;
        const struct level *level = &h->levels[k];
        int64_t alone = level->legs.table        ? LEGS + (k == 0)
                        : level->fused_smoothing ? FUSED
                                                 : products_and_steps + transfers;
        more += products_and_steps + transfers - (one_launch ? 0 : alone);
    }
    return more;
}

void cycle_free_columns(struct multigrid *m)
{
    for (int s = 0; s < CYCLE_STRIDES; s++) {
        release(m->columns[s], m->hierarchy.count);
        m->columns[s] = NULL;
    }
}
