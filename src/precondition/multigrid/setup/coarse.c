/* A coarse matrix on the host, by strips of its rows: a sort of all terms, as in the memory of a
 * device (coarse_sort.c), takes ten times as long there. */
#include "precondition/multigrid/setup/aggregates.h"

#include "base/memory.h"
#include "base/threads.h"
#include "matrix/permute.h"
#include "spmv/device_csr.h"

#include <stdbool.h>
#include <string.h>

/* Entries whose row lies in a later aggregate than their column: they belong to a row of A_c that
 * does not come to them by its own rows. Aggregates of a grid of 7 points have none, so they are
 * looked for when the first one is met. */
struct turned {
    int64_t *offsets; /* [count + 1] */
    struct place {
        int32_t row;
        int64_t k; /* in A */
    } * places;    /* of each aggregate, ascending */
};

/* Neighbouring rows of A_c, made by one thread. */
struct strip {
    int64_t *row_ends; /* of all strips, [n] of A_c: where a row ends in its strip */
    int32_t *columns;
    double *values;
    int64_t count, columns_capacity, values_capacity;
    bool meets_turned;
    int32_t *place; /* [n] of A_c: where in the row at hand the column stands, if it does */
    enum status status;
    struct error error;
};

/* What is shared by rows: those of A, or the strips of A_c. */
struct shared {
    const struct csr *A;
    const struct aggregates *a;
    const struct turned *turned;
    int64_t shares, *next; /* next[shares][count]: of each aggregate's places */
    struct strip *strips;
};

/* Those of the rows begin <= i < end: count them, next[I]++, or note them there. */
static void take_turned(const struct csr *A, const struct aggregates *a, int64_t begin, int64_t end,
                        int64_t *next, struct place *places)
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int32_t J = a->map[A->columns[k]];
            if (J == IN_NO_AGGREGATE || J >= a->map[i])
                continue;
            int64_t at = next[J]++;
            if (places)
                places[at] = (struct place){(int32_t)i, k};
        }
}

static void take_shares(void *context, int64_t s, int64_t last)
{
    const struct shared *by = context;
    for (; s < last; s++)
        take_turned(by->A, by->a, by->A->n * s / by->shares, by->A->n * (s + 1) / by->shares,
                    by->next + s * by->a->count, by->turned->places);
}

/* By shares of the rows, each with a cursor of its own for every aggregate. */
static enum status find_turned(const struct csr *A, const struct aggregates *a,
                               struct turned *turned, struct error *error)
{
    enum { SHARES_MAX = 16 };
    static const char *const what = "a coarse matrix";
    int64_t shares = threads_count(threads_lent()), at = 0;
    shares = shares < SHARES_MAX ? shares : SHARES_MAX;
    int64_t *next = memory_zeros(shares * a->count, sizeof *next, what, error);
    turned->offsets = memory_array(a->count + 1, sizeof *turned->offsets, what, error);
    struct shared by = {.A = A, .a = a, .turned = turned, .shares = shares, .next = next};
    enum status status = next && turned->offsets ? STATUS_OK : STATUS_MEMORY;
    for (int pass = 0; pass < 2 && !status; pass++) {
        threads_each(threads_lent(), shares, take_shares, &by);
        for (int64_t I = 0; I < a->count && pass == 0; I++) {
            turned->offsets[I] = at;
            for (int64_t s = 0; s < shares; s++) {
                int64_t count = next[s * a->count + I];
                next[s * a->count + I] = at;
                at += count;
            }
        }
        turned->offsets[a->count] = at;
        if (pass == 0)
            turned->places = memory_array(at, sizeof *turned->places, what, error);
        status = turned->places ? STATUS_OK : STATUS_MEMORY;
    }
    memory_free(next);
    return status;
}

/* (A_c)_{I,column} += value; there is room. `first`: where the row begins in the strip. */
static inline void add(struct strip *strip, int64_t first, int32_t column, double value)
{
    int64_t at = first + strip->place[column];
    if (at >= strip->count || strip->columns[at] != column) {
        at = strip->count++;
        strip->place[column] = (int32_t)(at - first);
        strip->columns[at] = column;
        strip->values[at] = 0;
    }
    strip->values[at] += value;
}

static void add_row(const struct csr *A, const struct aggregates *a, struct strip *strip,
                    int64_t first, int32_t i)
{
    int32_t I = a->map[i];
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
        int32_t j = A->columns[k], J = a->map[j];
        if (J >= I)
            add(strip, first, J, J == I && j > i ? 2 * A->values[k] : A->values[k]);
        else if (J != IN_NO_AGGREGATE)
            strip->meets_turned = true;
    }
}

static enum status make_room(struct strip *strip, int64_t entries, struct error *error)
{
    enum status status = memory_grow((void **)&strip->columns, &strip->columns_capacity, entries,
                                     sizeof *strip->columns, "a coarse matrix", error);
    return status ? status
                  : memory_grow((void **)&strip->values, &strip->values_capacity, entries,
                                sizeof *strip->values, "a coarse matrix", error);
}

static enum status make_row(const struct csr *A, const struct aggregates *a,
                            const struct turned *turned, struct strip *strip, int64_t I,
                            struct error *error)
{
    int64_t first = strip->count, t = turned->offsets ? turned->offsets[I] : 0;
    int64_t last = turned->offsets ? turned->offsets[I + 1] : 0;
    int64_t most = strip->count + last - t;
    for (int32_t m = a->offsets[I]; m < a->offsets[I + 1]; m++)
        most += A->offsets[a->members[m] + 1] - A->offsets[a->members[m]];
    enum status status = make_room(strip, most, error);
    if (status)
        return status;
    for (int32_t m = a->offsets[I]; m < a->offsets[I + 1]; m++) {
        int32_t i = a->members[m];
        for (; t < last && turned->places[t].row < i; t++)
            add(strip, first, a->map[turned->places[t].row], A->values[turned->places[t].k]);
        add_row(A, a, strip, first, i);
    }
    for (; t < last; t++)
        add(strip, first, a->map[turned->places[t].row], A->values[turned->places[t].k]);
    csr_sort_row(strip->count - first, strip->columns + first, strip->values + first);
    strip->row_ends[I] = strip->count;
    return STATUS_OK;
}

static enum status make_strip(const struct csr *A, const struct aggregates *a,
                              const struct turned *turned, struct strip *strip, int64_t begin,
                              int64_t end, struct error *error)
{
    if (!strip->place)
        strip->place = memory_zeros(a->count, sizeof *strip->place, "a coarse matrix", error);
    if (!strip->place)
        return STATUS_MEMORY;
    strip->count = 0;
    strip->meets_turned = false;
    enum status status = make_room(strip, (end - begin) * (A->nnz / A->n + 1), error);
    for (int64_t I = begin; I < end && !status; I++) {
        status = make_row(A, a, turned, strip, I, error);
        if (strip->meets_turned && !turned->offsets)
            break;
    }
    return status;
}

/* The strips one behind the other. */
static enum status join(const struct strip *strips, int count, int64_t rows, struct csr *coarse,
                        struct error *error)
{
    int64_t nnz = 0;
    for (int s = 0; s < count; s++)
        nnz += strips[s].count;
    enum status status = csr_create(coarse, CSR_SYMMETRIC, rows, nnz, error);
    if (status)
        return status;
    int64_t before = 0;
    coarse->offsets[0] = 0;
    for (int s = 0; s < count; s++) {
        const struct strip *strip = &strips[s];
        for (int64_t I = rows * s / count; I < rows * (s + 1) / count; I++)
            coarse->offsets[I + 1] = before + strip->row_ends[I];
        if (strip->count > 0) {
            memcpy(coarse->columns + before, strip->columns,
                   (size_t)strip->count * sizeof *strip->columns);
            memcpy(coarse->values + before, strip->values,
                   (size_t)strip->count * sizeof *strip->values);
        }
        before += strip->count;
    }
    return STATUS_OK;
}

static void make_each_strip(void *context, int64_t s, int64_t last)
{
    const struct shared *by = context;
    for (; s < last; s++) {
        struct strip *strip = &by->strips[s];
        strip->status = make_strip(by->A, by->a, by->turned, strip, by->a->count * s / by->shares,
                                   by->a->count * (s + 1) / by->shares, &strip->error);
    }
}

/* All strips; *again: some entry is turned, and is not known yet. */
static enum status make_strips(const struct csr *A, const struct aggregates *a,
                               const struct turned *turned, struct strip *strips, int count,
                               bool *again, struct error *error)
{
    threads_each(threads_lent(), count, make_each_strip,
                 &(struct shared){A, a, turned, count, NULL, strips});
    *again = false;
    for (int s = 0; s < count; s++) {
        *again = *again || (strips[s].meets_turned && !turned->offsets);
        if (strips[s].status) {
            *error = strips[s].error;
            return strips[s].status;
        }
    }
    return STATUS_OK;
}

static void free_strips(struct strip *strips, int count)
{
    for (int s = 0; strips && s < count; s++) {
        memory_free(strips[s].columns);
        memory_free(strips[s].values);
        memory_free(strips[s].place);
    }
    memory_free(strips);
}

enum status coarse_matrix(const struct csr *A, const struct aggregates *a, struct csr *coarse,
                          struct error *error)
{
    if (A->space)
        return coarse_matrix_by_sort(A, a, coarse, error);
    *coarse = (struct csr){0};
    int count = threads_count(threads_lent());
    bool again = false;
    struct turned turned = {0};
    struct strip *strips = memory_zeros(count, sizeof *strips, "a coarse matrix", error);
    int64_t *row_ends = memory_array(a->count, sizeof *row_ends, "a coarse matrix", error);
    enum status status = strips && row_ends ? STATUS_OK : STATUS_MEMORY;
    for (int s = 0; s < count && !status; s++)
        strips[s].row_ends = row_ends;
    if (!status)
        status = make_strips(A, a, &turned, strips, count, &again, error);
    if (!status && again) {
        status = find_turned(A, a, &turned, error);
        if (!status)
            status = make_strips(A, a, &turned, strips, count, &again, error);
    }
    if (!status)
        status = join(strips, count, a->count, coarse, error);
    free_strips(strips, count);
    memory_free(row_ends);
    memory_free(turned.offsets);
    memory_free(turned.places);
    return status;
}

enum status coarse_matrix_by_passes(const struct csr *A, const struct passes *passes,
                                    struct csr *coarse, struct error *error)
{
    enum status status = coarse_matrix(A, &passes->of[0], coarse, error);
    for (int p = 1; p < passes->count && !status; p++) {
        struct csr before = *coarse;
        status = coarse_matrix(&before, &passes->of[p], coarse, error);
        device_csr_free(&before);
    }
    return status;
}
