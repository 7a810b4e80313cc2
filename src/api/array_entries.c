#include "api/array_entries.h"

#include "api/array_rows.h"
#include "io/market/symmetry_pair.h"
#include "space/define_pass.h"
#include "space/rows.h"
#include "spmv/device_csr.h"

#ifndef __CUDA_ARCH__
#include "base/threads.h"
#endif

struct array_entries {
    struct cgs_matrix_data data;
    /* [nnz]: of an entry or of its mirror image in the upper triangle, row and column, */
    int32_t *rows, *columns;
    uint32_t *places; /* [nnz]: the entries, sorted by these, */
    uint32_t *begins; /* [n + 2]: and where the rows begin */
    struct csr A;     /* that is made of them */
    double *largest;  /* [n] m_i of io/market/symmetry.h */
    double *coupled;  /* [n] 1: row i is no rounding */
};

/* The values at one place of the triangle and at its mirror image; 0 if absent. */
struct array_pair {
    int64_t column;
    double upper, lower;
    double wanted; /* the wanted value of upper: lower, or -lower; upper if lower is not given */
};

PASS_FUNCTION void put_place(const struct array_entries *work, int64_t i, int64_t k)
{
    int64_t j = column_at(&work->data, k);
    work->rows[k] = (int32_t)(i < j ? i : j);
    work->columns[k] = (int32_t)(i < j ? j : i);
}

/* The number of entries with a fault, and the places of the other entries. */
FIND_AT(places_of_entries, array_entries)
{
    int64_t row = integer_at(&work->data, &work->data.rows, i);
    if (entry_fault(&work->data, row, i))
        found->sum++;
    else
        put_place(work, row, i);
}

/* The same for row i: 1 for a row with a fault. */
FIND_AT(places_of_rows, array_entries)
{
    const struct cgs_matrix_data *data = &work->data;
    for (int64_t k = offset_at(data, i), end = offset_at(data, i + 1); k < end; k++) {
        if (entry_fault(data, i, k)) {
            found->sum++;
            return;
        }
        put_place(work, i, k);
    }
}

/* A sum that starts with its first value: -0 stays. */
struct array_sum {
    double value;
    bool has_one;
};

PASS_FUNCTION void add_to(struct array_sum *sum, double value)
{
    sum->value = sum->has_one ? sum->value + value : value;
    sum->has_one = true;
}

/* The pair at the sorted entry k; returns the index of the next pair. A lower triangle alone is
 * mirrored into the upper one. */
PASS_FUNCTION int64_t next_pair(const struct array_entries *work, int64_t k, int64_t end,
                                struct array_pair *pair)
{
    const struct cgs_matrix_data *data = &work->data;
    struct array_sum upper = {0, false}, lower = {0, false};
    bool negative = data->part == CGS_LOWER && data->kind == CGS_SKEW;
    pair->column = work->columns[work->places[k]];
    for (; k < end && work->columns[work->places[k]] == pair->column; k++) {
        int64_t entry = work->places[k];
        double value = value_at(data, entry);
        bool mirrored = data->part == CGS_FULL && column_at(data, entry) < pair->column;
        add_to(mirrored ? &lower : &upper, negative ? -value : value);
    }
    pair->upper = upper.value;
    pair->lower = lower.value;
    pair->wanted = data->kind == CGS_SKEW ? -pair->lower : pair->lower;
    return k;
}

/* Of the same row i; on the diagonal an entry is its own mirror image. */
PASS_FUNCTION bool is_unequal(const struct array_entries *work, int64_t i,
                              const struct array_pair *pair)
{
    return work->data.part == CGS_FULL && pair->column != i && pair->upper != pair->wanted;
}

/* The length of row i of the triangle, with its diagonal; and the number of sums that are not
 * finite. */
FIND_AT(lengths_of_pairs, array_entries)
{
    int64_t k = work->begins[i], end = work->begins[i + 1], length = 0;
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

/* Row i of the triangle, its diagonal first; and the number of unequal pairs. */
FIND_AT(rows_of_pairs, array_entries)
{
    const struct csr *A = &work->A;
    int64_t k = work->begins[i], end = work->begins[i + 1], to = A->offsets[i];
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

/* *place = max(*place, value), for a value that is not negative. */
PASS_FUNCTION void raise_to(double *place, double value)
{
#ifdef __CUDA_ARCH__
    if (value > *(volatile double *)place)
        atomicMax((unsigned long long *)place, (unsigned long long)__double_as_longlong(value));
#elif !defined __CUDACC__
    ATOMIC_MOST(place, value);
#endif
}

PASS_AT(clearing_scales, array_entries)
{
    work->largest[i] = work->coupled[i] = 0;
}

FIND_AT(largest_of_rows, array_entries)
{
    int64_t k = work->begins[i], end = work->begins[i + 1];
    for (struct array_pair pair; k < end;) {
        k = next_pair(work, k, end, &pair);
        double size = fmax(fabs(pair.upper), fabs(pair.lower));
        raise_to(&work->largest[i], size);
        raise_to(&work->largest[pair.column], size);
    }
}

FIND_AT(coupled_rows, array_entries)
{
    int64_t k = work->begins[i], end = work->begins[i + 1];
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
    int64_t k = work->begins[i], end = work->begins[i + 1];
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

FIND(find_places_of_entries, places_of_entries, array_entries, "the entries of the matrix")
FIND(find_places_of_rows, places_of_rows, array_entries, "the entries of the matrix")
FIND(find_lengths_of_pairs, lengths_of_pairs, array_entries, "the rows of the matrix")
FIND(find_rows_of_pairs, rows_of_pairs, array_entries, "the rows of the matrix")
ELEMENTS_AT(clearing_scales, array_entries)
PASS(pass_clearing_scales, clearing_scales, array_entries, .name = "the symmetry of the matrix",
     .always = true)
FIND(find_largest_of_rows, largest_of_rows, array_entries, "the symmetry of the matrix")
FIND(find_coupled_rows, coupled_rows, array_entries, "the symmetry of the matrix")
FIND(find_asymmetry_of_rows, asymmetry_of_rows, array_entries, "the symmetry of the matrix")

#ifndef __CUDACC__

static const char what[] = "the entries of the matrix";

/* The rows and columns of the entries. *faults: of the entries. */
static enum status place_entries(struct space *space, struct array_entries *work, uint64_t *faults,
                                 struct error *error)
{
    const struct cgs_matrix_data *data = &work->data;
    int64_t count = data->columns.rows;
    struct found found = {{0}, 0};
    enum status status =
        rows_array(space, count, sizeof *work->rows, what, (void **)&work->rows, error);
    if (!status)
        status =
            rows_array(space, count, sizeof *work->columns, what, (void **)&work->columns, error);
    if (!status)
        status = data->rows.data
                     ? space_find(space, &find_places_of_entries, count, work, &found, error)
                     : space_find(space, &find_places_of_rows, data->n, work, &found, error);
    *faults = found.sum;
    return status;
}

static enum status sort_entries(struct space *space, struct array_entries *work,
                                struct error *error)
{
    int64_t count = work->data.columns.rows, n = work->data.n;
    enum status status =
        rows_array(space, count, sizeof *work->places, what, (void **)&work->places, error);
    if (!status)
        status =
            rows_array(space, n + 2, sizeof *work->begins, what, (void **)&work->begins, error);
    if (!status)
        status = rows_sort_pairs(space, count, work->rows, work->columns, n, work->places,
                                 work->begins, error);
    rows_release(space, work->rows);
    work->rows = NULL;
    return status;
}

/* Computes found->worst if some pairs are unequal. */
static enum status measure(struct space *space, struct array_entries *work,
                           struct asymmetry *asymmetry, struct error *error)
{
    int64_t n = work->data.n;
    struct found found = {{0}, 0};
    enum status status =
        rows_array(space, n, sizeof *work->largest, what, (void **)&work->largest, error);
    if (!status)
        status = rows_array(space, n, sizeof *work->coupled, what, (void **)&work->coupled, error);
    if (!status)
        status = rows_run(space, &pass_clearing_scales, n, work, error);
    if (!status)
        status = space_find(space, &find_largest_of_rows, n, work, &found, error);
    if (!status)
        status = space_find(space, &find_coupled_rows, n, work, &found, error);
    if (!status)
        status = space_find(space, &find_asymmetry_of_rows, n, work, &found, error);
    asymmetry->worst = status ? 0 : found.most[0];
    rows_release(space, work->largest);
    rows_release(space, work->coupled);
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

enum status array_entries_read(struct space *space, const struct cgs_matrix_data *data,
                               double limit, struct csr *A, struct asymmetry *found, bool *suits,
                               struct error *error)
{
    struct array_entries work = {.data = *data};
    uint64_t faults = 0;
    *A = (struct csr){0};
    *found = (struct asymmetry){0};
    *suits = data->columns.rows > 0 && data->columns.rows <= UINT32_MAX;
    if (!*suits)
        return STATUS_OK;
    enum status status = place_entries(space, &work, &faults, error);
    *suits = !status && faults == 0;
    if (*suits)
        status = sort_entries(space, &work, error);
    if (*suits && !status)
        status = make_rows(space, &work, found, suits, error);
    *suits = *suits && !status && found->worst <= limit;
    rows_release(space, work.rows);
    rows_release(space, work.columns);
    rows_release(space, work.places);
    rows_release(space, work.begins);
    if (*suits)
        *A = work.A;
    else
        device_csr_free(&work.A);
    return status;
}

#endif
