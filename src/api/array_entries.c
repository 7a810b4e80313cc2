#include "api/array_entries.h"

#include "api/array_rows.h"
#include "base/memory.h"
#include "io/market/symmetry_pair.h"
#include "space/define_pass.h"
#include "space/space.h"
#include "spmv/device_csr.h"

#ifndef __CUDA_ARCH__
#include "base/threads.h"
#endif

/* A key is the place of an entry or of its mirror image in the upper triangle, row and column, and
 * in the last bit whether it is the mirror image. */
struct array_entries {
    struct cgs_matrix_data data;
    int width; /* bits of a row, and of a column */
    uint64_t *keys;
    uint32_t *places; /* of the entries in the caller's arrays */
    struct csr A;     /* that is made of them */
    double *largest;  /* [n] m_i of io/market/symmetry.h */
    double *coupled;  /* [n] 1: row i is no rounding */
};

/* What stands at one place of the triangle, and at its mirror image; 0 where nothing does. */
struct array_pair {
    int64_t column;
    double upper, lower;
    double wanted; /* what lower says of upper: lower, or -lower; upper, where it is not given */
};

PASS_FUNCTION void put_key(const struct array_entries *work, int64_t i, int64_t k)
{
    int64_t j = column_at(&work->data, k), first = i < j ? i : j, last = i < j ? j : i;
    uint64_t mirrored = work->data.part == CGS_FULL && j < i;
    work->keys[k] = ((uint64_t)first << work->width | (uint64_t)last) << 1 | mirrored;
    work->places[k] = (uint32_t)k;
}

/* How many entries have a fault; of the others the keys. */
FIND_AT(keys_of_entries, array_entries)
{
    int64_t row = integer_at(&work->data, &work->data.rows, i);
    if (entry_fault(&work->data, row, i))
        found->sum++;
    else
        put_key(work, row, i);
}

/* The same of row i; of a row that has some, 1. */
FIND_AT(keys_of_rows, array_entries)
{
    const struct cgs_matrix_data *data = &work->data;
    for (int64_t k = offset_at(data, i), end = offset_at(data, i + 1); k < end; k++) {
        if (entry_fault(data, i, k)) {
            found->sum++;
            return;
        }
        put_key(work, i, k);
    }
}

/* The first of the sorted entries that is in row i of the triangle, or after it. */
PASS_FUNCTION int64_t find_row(const struct array_entries *work, int64_t i)
{
    uint64_t wanted = (uint64_t)i << (work->width + 1);
    int64_t low = 0, high = work->data.columns.rows;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (work->keys[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The sum of the entries from *k on that have this key; 0: there are none. A lower triangle alone
 * is mirrored into the upper one. */
PASS_FUNCTION double sum_of_key(const struct array_entries *work, uint64_t key, int64_t *k,
                                int64_t end)
{
    bool negative = work->data.part == CGS_LOWER && work->data.kind == CGS_SKEW;
    double sum = 0;
    for (int64_t first = *k; *k < end && work->keys[*k] == key; ++*k) {
        double value = value_at(&work->data, work->places[*k]);
        value = negative ? -value : value;
        sum = *k == first ? value : sum + value;
    }
    return sum;
}

/* The pair at the sorted entry k; returns where the next one is. */
PASS_FUNCTION int64_t next_pair(const struct array_entries *work, int64_t k, int64_t end,
                                struct array_pair *pair)
{
    uint64_t upper = work->keys[k] & ~(uint64_t)1;
    pair->column = (int64_t)(upper >> 1 & (((uint64_t)1 << work->width) - 1));
    pair->upper = sum_of_key(work, upper, &k, end);
    pair->lower = sum_of_key(work, upper | 1, &k, end);
    pair->wanted = work->data.kind == CGS_SKEW ? -pair->lower : pair->lower;
    return k;
}

/* Of the same row i; on the diagonal an entry is its own mirror image. */
PASS_FUNCTION bool is_unequal(const struct array_entries *work, int64_t i,
                              const struct array_pair *pair)
{
    return work->data.part == CGS_FULL && pair->column != i && pair->upper != pair->wanted;
}

/* The length of row i of the triangle, with its diagonal, as its end; and how many sums are not
 * finite. */
FIND_AT(lengths_of_pairs, array_entries)
{
    int64_t k = find_row(work, i), end = find_row(work, i + 1), length = 0;
    bool diagonal = false;
    for (struct array_pair pair; k < end; length++) {
        k = next_pair(work, k, end, &pair);
        diagonal = diagonal || pair.column == i;
        found->sum += !isfinite(pair.upper) || !isfinite(pair.lower);
    }
    work->A.offsets[i + 1] = length + !diagonal;
    if (i == 0)
        work->A.offsets[0] = 0;
}

/* Row i of the triangle, its diagonal first; and how many pairs are unequal. */
FIND_AT(rows_of_pairs, array_entries)
{
    const struct csr *A = &work->A;
    int64_t k = find_row(work, i), end = find_row(work, i + 1), to = A->offsets[i];
    A->columns[to] = (int32_t)i;
    A->values[to] = 0;
    for (struct array_pair pair; k < end; to++) {
        k = next_pair(work, k, end, &pair);
        to += to == A->offsets[i] && pair.column != i;
        bool unequal = is_unequal(work, i, &pair);
        A->columns[to] = (int32_t)pair.column;
        A->values[to] = unequal ? symmetry_mean(pair.upper, pair.wanted) : pair.upper;
        found->sum += unequal;
    }
}

/* --- how unequal pairs are -------------------------------------------------------------------- */

/* *place is at least the value, which is not negative. */
PASS_FUNCTION void raise_to(double *place, double value)
{
#ifdef __CUDA_ARCH__
    if (value > *(volatile double *)place)
        atomicMax((unsigned long long *)place, (unsigned long long)__double_as_longlong(value));
#elif !defined __CUDACC__
    ATOMIC_MOST(place, value);
#endif
}

FIND_AT(largest_of_rows, array_entries)
{
    int64_t k = find_row(work, i), end = find_row(work, i + 1);
    for (struct array_pair pair; k < end;) {
        k = next_pair(work, k, end, &pair);
        double size = fmax(fabs(pair.upper), fabs(pair.lower));
        raise_to(&work->largest[i], size);
        raise_to(&work->largest[pair.column], size);
    }
}

FIND_AT(coupled_rows, array_entries)
{
    int64_t k = find_row(work, i), end = find_row(work, i + 1);
    for (struct array_pair pair; k < end;) {
        k = next_pair(work, k, end, &pair);
        if (pair.column == i || !symmetry_couples(pair.upper, pair.wanted, work->largest[i],
                                                  work->largest[pair.column]))
            continue;
        raise_to(&work->coupled[i], 1);
        raise_to(&work->coupled[pair.column], 1);
    }
}

/* The largest asymmetry. */
FIND_AT(asymmetry_of_rows, array_entries)
{
    int64_t k = find_row(work, i), end = find_row(work, i + 1);
    for (struct array_pair pair; k < end;) {
        k = next_pair(work, k, end, &pair);
        if (!is_unequal(work, i, &pair))
            continue;
        double m_i = work->largest[i], m_j = work->largest[pair.column];
        bool is_coupled = work->coupled[m_i < m_j ? i : pair.column] > 0;
        found_most(
            found, 0,
            symmetry_difference(pair.upper, pair.wanted, symmetry_scale(m_i, m_j, is_coupled)));
    }
}

FIND(find_keys_of_entries, keys_of_entries, array_entries, "the entries of the matrix")
FIND(find_keys_of_rows, keys_of_rows, array_entries, "the entries of the matrix")
FIND(find_lengths_of_pairs, lengths_of_pairs, array_entries, "the rows of the matrix")
FIND(find_rows_of_pairs, rows_of_pairs, array_entries, "the rows of the matrix")
FIND(find_largest_of_rows, largest_of_rows, array_entries, "the symmetry of the matrix")
FIND(find_coupled_rows, coupled_rows, array_entries, "the symmetry of the matrix")
FIND(find_asymmetry_of_rows, asymmetry_of_rows, array_entries, "the symmetry of the matrix")

#ifndef __CUDACC__

static enum status take(struct space *space, int64_t count, size_t size, void **array,
                        struct error *error)
{
    static const char *const what = "the entries of the matrix";
    if (space)
        return space->operations->allocate(space, count, size, what, array, error);
    *array = memory_array(count, size, what, error);
    return *array ? STATUS_OK : STATUS_MEMORY;
}

static void release(struct space *space, void *array)
{
    if (space)
        space->operations->release(space, array);
    else
        memory_free(array);
}

/* Zeros. */
static enum status take_scales(struct space *space, int64_t n, double **scales, struct error *error)
{
    enum status status = take(space, n, sizeof **scales, (void **)scales, error);
    if (!status && space)
        return space_fill(space, n, 0, *scales, error);
    for (int64_t i = 0; i < n && !status; i++)
        (*scales)[i] = 0;
    return status;
}

/* Sorted keys and places. *faults: of the entries. */
static enum status sort_entries(struct space *space, array_entries_sort *sort,
                                struct array_entries *work, uint64_t *faults, struct error *error)
{
    const struct cgs_matrix_data *data = &work->data;
    int64_t count = data->columns.rows;
    uint64_t *keys[2] = {NULL, NULL};
    uint32_t *places[2] = {NULL, NULL};
    struct found found;
    enum status status = STATUS_OK;
    for (int k = 0; k < 2 && !status; k++) {
        status = take(space, count, sizeof **keys, (void **)&keys[k], error);
        if (!status)
            status = take(space, count, sizeof **places, (void **)&places[k], error);
    }
    work->keys = keys[0];
    work->places = places[0];
    if (!status)
        status = data->rows.data
                     ? space_find(space, &find_keys_of_entries, count, work, &found, error)
                     : space_find(space, &find_keys_of_rows, data->n, work, &found, error);
    *faults = status ? 0 : found.sum;
    if (!status && *faults == 0)
        status = sort(space, count, 2 * work->width + 1, keys, places, error);
    work->keys = keys[0];
    work->places = places[0];
    release(space, keys[1]);
    release(space, places[1]);
    return status;
}

/* *found->worst of pairs of which some are unequal. */
static enum status measure(struct space *space, struct array_entries *work,
                           struct asymmetry *asymmetry, struct error *error)
{
    int64_t n = work->data.n;
    struct found found = {{0}, 0};
    enum status status = take_scales(space, n, &work->largest, error);
    if (!status)
        status = take_scales(space, n, &work->coupled, error);
    if (!status)
        status = space_find(space, &find_largest_of_rows, n, work, &found, error);
    if (!status)
        status = space_find(space, &find_coupled_rows, n, work, &found, error);
    if (!status)
        status = space_find(space, &find_asymmetry_of_rows, n, work, &found, error);
    asymmetry->worst = status ? 0 : found.most[0];
    release(space, work->largest);
    release(space, work->coupled);
    return status;
}

/* The rows of A. *suits: their sums are finite. */
static enum status make_rows(struct space *space, struct array_entries *work,
                             struct asymmetry *asymmetry, bool *suits, struct error *error)
{
    int64_t n = work->data.n;
    enum csr_kind kind = work->data.kind == CGS_SKEW ? CSR_SKEW : CSR_SYMMETRIC;
    struct found found = {{0}, 0};
    enum status status = device_csr_begin(space, kind, n, &work->A, error);
    if (!status)
        status = space_find(space, &find_lengths_of_pairs, n, work, &found, error);
    *suits = !status && found.sum == 0;
    if (!*suits)
        return status;
    status = device_csr_complete(&work->A, error);
    if (!status)
        status = space_find(space, &find_rows_of_pairs, n, work, &found, error);
    asymmetry->unequal_pairs = status ? 0 : (int64_t)found.sum;
    return status || found.sum == 0 ? status : measure(space, work, asymmetry, error);
}

enum status array_entries_read(struct space *space, array_entries_sort *sort,
                               const struct cgs_matrix_data *data, double limit, struct csr *A,
                               struct asymmetry *found, bool *suits, struct error *error)
{
    struct array_entries work = {.data = *data, .width = 1};
    uint64_t faults = 0;
    *A = (struct csr){0};
    *found = (struct asymmetry){0};
    *suits = data->columns.rows > 0 && data->columns.rows <= UINT32_MAX;
    if (!*suits)
        return STATUS_OK;
    while (data->n > (int64_t)1 << work.width)
        work.width++;
    enum status status = sort_entries(space, sort, &work, &faults, error);
    *suits = !status && faults == 0;
    if (*suits)
        status = make_rows(space, &work, found, suits, error);
    *suits = *suits && !status && found->worst <= limit;
    release(space, work.keys);
    release(space, work.places);
    if (*suits)
        *A = work.A;
    else
        device_csr_free(&work.A);
    return status;
}

#endif
