/* A matrix from the rows of several ranks. Each entry is sent to the ranks that keep it; the rest
 * is the code for a file that ranks read together. */
#include "api/arrays.h"
#include "api/integers.h"
#include "base/memory.h"
#include "io/market/entries.h"

#include <inttypes.h>

static enum status check_offsets(const struct cgs_matrix_data *data, struct error *error)
{
    int64_t first = given_at(&data->offsets, 0), own = data->own_rows;
    int64_t last = given_at(&data->offsets, own), end = data->columns.rows + data->base;
    if (first != data->base || last != end)
        return error_set(error, STATUS_INPUT,
                         "the offsets of the matrix go from %" PRId64 " to %" PRId64
                         ", not from %d to nnz = %" PRId64,
                         first, last, data->base, end);
    for (int64_t i = 0; i < own; i++)
        if (given_at(&data->offsets, i + 1) < given_at(&data->offsets, i))
            return error_set(error, STATUS_INPUT,
                             "row %" PRId64 " of the matrix ends before it begins",
                             data->first_row + i + 1);
    return STATUS_OK;
}

static enum status add_entry(const struct cgs_matrix_data *data, int64_t i, int64_t k,
                             struct entry_list *list, struct error *error)
{
    enum status status = arrays_check_entry(data, i, k, error);
    if (status)
        return status;
    list->rows[list->count] = (int32_t)i;
    list->columns[list->count] = (uint32_t)column_at(data, k);
    list->values[list->count++] = value_at(data, k);
    return STATUS_OK;
}

static enum status list_rows(const struct cgs_matrix_data *data, struct entry_list *list,
                             struct error *error)
{
    enum status status = check_offsets(data, error);
    for (int64_t i = 0; i < data->own_rows && !status; i++)
        for (int64_t k = offset_at(data, i); k < offset_at(data, i + 1) && !status; k++)
            status = add_entry(data, data->first_row + i, k, list, error);
    return status;
}

static enum status list_entries(const struct cgs_matrix_data *data, struct entry_list *list,
                                struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < data->columns.rows && !status; k++) {
        int64_t i = integer_at(data, &data->rows, k), first = data->first_row;
        if (i >= 0 && i < data->n && (i < first || i - first >= data->own_rows))
            return error_set(error, STATUS_INPUT,
                             "entry %" PRId64 " of the matrix is of row %" PRId64
                             ": this rank gives %" PRId64 " rows from row %" PRId64 " on",
                             k + 1, i + 1, data->own_rows, first + 1);
        status = add_entry(data, i, k, list, error);
    }
    return status;
}

/* All entries of this rank, in their given order. */
static enum status list_own(const struct cgs_matrix_data *data, struct entry_list *list,
                            struct error *error)
{
    enum status status = arrays_create_list(data->columns.rows, list, error);
    if (status || (!data->offsets.data && !data->rows.data))
        return status;
    return data->rows.data ? list_entries(data, list, error) : list_rows(data, list, error);
}

enum status arrays_read_shared(const struct cgs_matrix_data *data,
                               const struct matrix_market_ranks *ranks, enum status status,
                               struct csr *A, struct asymmetry *found, struct error *error)
{
    struct entry_list mine = {0};
    struct two_lists lists;
    enum entry_mode mode = data->part == CGS_FULL ? ENTRIES_SPLIT : ENTRIES_FOLD;
    *A = (struct csr){0};
    *found = (struct asymmetry){0};
    if (!status)
        status = list_own(data, &mine, error);
    status = entries_share(ranks, status, &mine, mode, data->kind == CGS_SKEW, &lists.upper,
                           &lists.lower, error);
    if (!status)
        status = arrays_assemble(data, ranks, &lists, A, found, error);
    entry_list_free(&lists.upper);
    entry_list_free(&lists.lower);
    if (status)
        csr_free(A);
    return status;
}

enum status arrays_join(const struct cgs_matrix_data *data, struct exchange *exchange,
                        struct csr *A, struct asymmetry *found, struct error *error)
{
    struct asymmetry all = {0},
                     *each = memory_array(exchange->count, sizeof *each, "the ranks", error);
    enum status status =
        each ? exchange_gather_each(exchange, found, sizeof *found, each, error) : STATUS_MEMORY;
    for (int r = 0; r < exchange->count && !status; r++) {
        int64_t pairs = all.unequal_pairs + each[r].counted;
        if (asymmetry_is_worse(&each[r], &all))
            all = each[r];
        all.unequal_pairs = pairs;
    }
    memory_free(each);
    *found = all;
    if (!status)
        status = arrays_judge(data, found, error);
    if (status)
        csr_free(A);
    return status;
}
