#include "api/array_rows.h"

#include "space/define_pass.h"
#include "space/rows.h"
#include "spmv/device_csr.h"

struct array_rows {
    struct cgs_matrix_data data;
    struct csr A; /* that is made of them */
};

/* The greatest n - i of a row i that ends before it begins. */
FIND_AT(backward, array_rows)
{
    if (offset_at(&work->data, i + 1) < offset_at(&work->data, i))
        found_most(found, 0, (double)(work->data.n - i));
}

/* The greatest n - i of a row i with a fault, and 1 where columns do not increase. */
FIND_AT(faults, array_rows)
{
    const struct cgs_matrix_data *data = &work->data;
    int64_t before = -1;
    for (int64_t k = offset_at(data, i), end = offset_at(data, i + 1); k < end; k++) {
        int64_t j = column_at(data, k);
        if (entry_fault(data, i, k)) {
            found_most(found, 0, (double)(data->n - i));
            return;
        }
        if (j <= before)
            found_most(found, 1, 1);
        before = j;
    }
}

/* The first entry of a sorted row i that is in column j or after it. */
PASS_FUNCTION int64_t find_column(const struct cgs_matrix_data *data, int64_t i, int64_t j)
{
    int64_t low = offset_at(data, i), high = offset_at(data, i + 1);
    while (high - low > 8) {
        int64_t middle = low + (high - low) / 2;
        if (column_at(data, middle) < j)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < high && column_at(data, low) < j)
        low++;
    return low;
}

/* The number of entries off the diagonal without a mirror image; as 1 for a row with any. */
FIND_AT(lonely, array_rows)
{
    const struct cgs_matrix_data *data = &work->data;
    double sign = data->kind == CGS_SKEW ? -1 : 1;
    for (int64_t k = offset_at(data, i), end = offset_at(data, i + 1); k < end; k++) {
        int64_t j = column_at(data, k), other = find_column(data, j, i);
        if (j != i && (other == offset_at(data, j + 1) || column_at(data, other) != i ||
                       value_at(data, other) != sign * value_at(data, k))) {
            found->sum++;
            return;
        }
    }
}

/* The length of row i of the triangle, with its diagonal. */
FIND_AT(lengths, array_rows)
{
    const struct cgs_matrix_data *data = &work->data;
    int64_t k = find_column(data, i, i), end = offset_at(data, i + 1);
    work->A.offsets[i + 1] = end - k + !(k < end && column_at(data, k) == i);
    if (i == 0)
        work->A.offsets[0] = 0;
}

/* Row i of the triangle, its diagonal first. */
FIND_AT(copies, array_rows)
{
    const struct cgs_matrix_data *data = &work->data;
    const struct csr *A = &work->A;
    int64_t k = find_column(data, i, i), end = offset_at(data, i + 1), to = A->offsets[i];
    bool stored = k < end && column_at(data, k) == i;
    A->columns[to] = (int32_t)i;
    A->values[to++] = stored ? value_at(data, k) : 0;
    for (k += stored; k < end; k++) {
        A->columns[to] = (int32_t)column_at(data, k);
        A->values[to++] = value_at(data, k);
    }
}

struct patterns {
    struct csr A, other; /* with as many rows and entries */
};

/* How many offsets and columns differ. */
FIND_AT(differences, patterns)
{
    const struct csr *A = &work->A, *other = &work->other;
    found->sum += i <= A->n && A->offsets[i] != other->offsets[i];
    found->sum += i < A->nnz && A->columns[i] != other->columns[i];
}

FIND(find_backward, backward, array_rows, "the offsets of the matrix")
FIND(find_faults, faults, array_rows, "the entries of the matrix")
FIND(find_lonely, lonely, array_rows, "the symmetry of the matrix")
FIND(find_lengths, lengths, array_rows, "the rows of the matrix")
FIND(find_copies, copies, array_rows, "the rows of the matrix")
FIND(find_differences, differences, patterns, "the pattern of the matrix")

#ifndef __CUDACC__

/* An offset as given. */
static enum status take_offset(struct space *space, const struct cgs_matrix_data *data, int64_t i,
                               int64_t *offset, struct error *error)
{
    struct cgs_array one = data->offsets;
    int64_t size = one.type == CGS_INT32 ? 4 : 8, room;
    const char *place = (const char *)one.data + i * size;
    enum status status = rows_download(space, size, place, &room, error);
    one.data = &room;
    if (!status)
        *offset = given_at(&one, 0);
    return status;
}

/* Decodes a look's result: the first row, from the greatest n - i; or n. */
static enum status see(struct space *space, const struct find *find, const struct array_rows *rows,
                       struct found *found, int64_t *row, struct error *error)
{
    int64_t n = rows->data.n;
    enum status status = space_find(space, find, n, rows, found, error);
    *row = !status && found->most[0] > 0 ? n - (int64_t)found->most[0] : n;
    return status;
}

static enum status see_entries(struct space *space, const struct array_rows *rows,
                               struct array_rows_seen *seen, struct error *error)
{
    struct found found;
    enum status status = see(space, &find_faults, rows, &found, &seen->bad, error);
    seen->sorted = !status && !(found.most[1] > 0);
    seen->mirrored = rows->data.part != CGS_FULL;
    if (status || seen->mirrored || !seen->sorted || seen->bad < rows->data.n)
        return status;
    status = space_find(space, &find_lonely, rows->data.n, rows, &found, error);
    seen->mirrored = !status && found.sum == 0;
    return status;
}

static bool offsets_fit(const struct cgs_matrix_data *data, const struct array_rows_seen *seen)
{
    return seen->first == data->base && seen->last == data->columns.rows + data->base;
}

bool array_rows_are_entries(const struct cgs_matrix_data *data, const struct array_rows_seen *seen)
{
    return offsets_fit(data, seen) && seen->backward == data->n && seen->bad == data->n;
}

bool array_rows_suit(const struct cgs_matrix_data *data, const struct array_rows_seen *seen)
{
    return array_rows_are_entries(data, seen) && seen->sorted && seen->mirrored &&
           data->part != CGS_LOWER;
}

enum status array_rows_see(struct space *space, const struct cgs_matrix_data *data,
                           struct array_rows_seen *seen, struct error *error)
{
    const struct array_rows rows = {.data = *data};
    struct found found;
    *seen = (struct array_rows_seen){.backward = data->n, .bad = data->n};
    enum status status = take_offset(space, data, 0, &seen->first, error);
    if (!status)
        status = take_offset(space, data, data->n, &seen->last, error);
    if (status || !offsets_fit(data, seen))
        return status;
    status = see(space, &find_backward, &rows, &found, &seen->backward, error);
    return status || seen->backward < data->n ? status : see_entries(space, &rows, seen, error);
}

enum status array_rows_copy(struct space *space, const struct cgs_matrix_data *data, struct csr *A,
                            struct error *error)
{
    struct array_rows rows = {.data = *data};
    struct found none;
    enum csr_kind kind = data->kind == CGS_SKEW ? CSR_SKEW : CSR_SYMMETRIC;
    enum status status = device_csr_begin(space, kind, data->n, &rows.A, error);
    if (!status)
        status = space_find(space, &find_lengths, data->n, &rows, &none, error);
    if (!status)
        status = device_csr_complete(&rows.A, error);
    if (!status)
        status = space_find(space, &find_copies, data->n, &rows, &none, error);
    if (status)
        device_csr_free(&rows.A);
    *A = rows.A;
    return status;
}

enum status array_rows_same_pattern(const struct csr *A, const struct csr *other, bool *same,
                                    struct error *error)
{
    struct found found = {{0}, 0};
    const struct patterns work = {*A, *other};
    enum status status = STATUS_OK;
    *same = A->kind == other->kind && A->n == other->n && A->nnz == other->nnz;
    if (*same)
        status = space_find(A->space, &find_differences, A->nnz > A->n ? A->nnz : A->n + 1, &work,
                            &found, error);
    *same = *same && !status && found.sum == 0;
    return status;
}

#endif
