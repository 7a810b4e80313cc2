/* Rows with increasing columns, as most programs have them, are copied. All else takes the path of
 * entries of a Matrix Market file. */
#include "api/arrays.h"

#include "api/array_entries.h"
#include "api/integers.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/market/assemble.h"
#include "io/market/entries.h"
#include "io/market/symmetry.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

double arrays_limit(double asymmetry, enum cgs_type type)
{
    double rounding = type == CGS_FLOAT ? ASYMMETRY_OF_ROUNDING_SINGLE : ASYMMETRY_OF_ROUNDING;
    return asymmetry == 0 ? rounding : fmax(asymmetry, 0);
}

static double limit_of(const struct cgs_matrix_data *data)
{
    return data->kind == CGS_SKEW ? 0 : arrays_limit(data->asymmetry, data->values.type);
}

enum status arrays_check_entry(const struct cgs_matrix_data *data, int64_t i, int64_t k,
                               struct error *error)
{
    int64_t j = column_at(data, k);
    double value = value_at(data, k);
    switch (entry_fault(data, i, k)) {
    case ENTRY_IS_GOOD:
        return STATUS_OK;
    case ENTRY_IS_OUTSIDE:
        return integers_refuse_place(data, i, k, error);
    case ENTRY_IS_NOT_FINITE:
        return error_set(error, STATUS_INPUT, "a(%" PRId64 ",%" PRId64 ") = %g is not finite",
                         i + 1, j + 1, value);
    case ENTRY_IS_OF_OTHER_TRIANGLE:
        return error_set(error, STATUS_INPUT,
                         "a(%" PRId64 ",%" PRId64 ") is not of the %s triangle", i + 1, j + 1,
                         data->part == CGS_UPPER ? "upper" : "lower");
    case ENTRY_IS_ON_SKEW_DIAGONAL:
        return error_set(error, STATUS_INPUT,
                         "a(%" PRId64 ",%" PRId64
                         ") = %g: the diagonal of a skew-symmetric matrix is 0",
                         i + 1, j + 1, value);
    }
    return STATUS_OK;
}

enum status arrays_check(const struct cgs_matrix_data *data, struct array_rows_seen *seen,
                         struct error *error)
{
    *seen = (struct array_rows_seen){0};
    enum status status = data->offsets.data ? array_rows_see(NULL, data, seen, error) : STATUS_OK;
    if (status || !data->offsets.data)
        return status;
    if (seen->first != data->base || seen->last != data->columns.rows + data->base)
        return error_set(error, STATUS_INPUT,
                         "the offsets of the matrix go from %" PRId64 " to %" PRId64
                         ", not from %d to nnz = %" PRId64,
                         seen->first, seen->last, data->base, data->columns.rows + data->base);
    if (seen->backward < data->n)
        return error_set(error, STATUS_INPUT, "row %" PRId64 " of the matrix ends before it begins",
                         seen->backward + 1);
    for (int64_t k = seen->bad < data->n ? offset_at(data, seen->bad) : 0;
         seen->bad < data->n && !status; k++)
        status = arrays_check_entry(data, seen->bad, k, error);
    return status;
}

/* --- entries in any order --------------------------------------------------------------------- */

enum status arrays_create_list(int64_t count, struct entry_list *list, struct error *error)
{
    static const char *const what = "the entries of the matrix";
    *list = (struct entry_list){0};
    list->rows = memory_array(count, sizeof *list->rows, what, error);
    if (list->rows)
        list->columns = memory_array(count, sizeof *list->columns, what, error);
    if (list->columns)
        list->values = memory_array(count, sizeof *list->values, what, error);
    return list->values ? STATUS_OK : STATUS_MEMORY;
}

static void add(struct entry_list *list, int64_t i, int64_t j, double value)
{
    list->rows[list->count] = (int32_t)i;
    list->columns[list->count] = (uint32_t)j;
    list->values[list->count++] = value;
}

/* A lower triangle alone is mirrored into the upper one. */
static void add_entry(const struct cgs_matrix_data *data, int64_t i, int64_t k,
                      struct two_lists *lists)
{
    int64_t j = column_at(data, k);
    double value = value_at(data, k);
    if (j >= i)
        add(&lists->upper, i, j, value);
    else if (data->part == CGS_FULL)
        add(&lists->lower, j, i, value);
    else
        add(&lists->upper, j, i, data->kind == CGS_SKEW ? -value : value);
}

/* The entries of rows have been checked. */
static enum status list_entries(const struct cgs_matrix_data *data, struct two_lists *lists,
                                struct error *error)
{
    int64_t below = data->part == CGS_FULL ? data->columns.rows : 0;
    enum status status = arrays_create_list(data->columns.rows, &lists->upper, error);
    if (!status)
        status = arrays_create_list(below, &lists->lower, error);
    for (int64_t i = 0; i < data->n && !status && data->offsets.data; i++)
        for (int64_t k = offset_at(data, i); k < offset_at(data, i + 1); k++)
            add_entry(data, i, k, lists);
    for (int64_t k = 0; k < data->columns.rows && !status && data->rows.data; k++) {
        int64_t i = integer_at(data, &data->rows, k);
        status = arrays_check_entry(data, i, k, error);
        if (!status)
            add_entry(data, i, k, lists);
    }
    return status;
}

static enum status refuse_overflow(int64_t i, int64_t j, struct error *error)
{
    return error_set(error, STATUS_INPUT,
                     "a(%" PRId64 ",%" PRId64
                     ") comes more than once, and the sum is beyond the range of double",
                     i + 1, j + 1);
}

enum status arrays_judge(const struct cgs_matrix_data *data, const struct asymmetry *found,
                         struct error *error)
{
    if (found->worst <= limit_of(data))
        return STATUS_OK;
    return error_set(
        error, STATUS_INPUT,
        "the matrix is not %ssymmetric: of %" PRId64 " unequal pair%s the worst is a(%" PRId64
        ",%" PRId64 ") = %.17g and a(%" PRId64 ",%" PRId64
        ") = %.17g: a relative asymmetry of %.3g, and %.3g is allowed (asymmetry)",
        data->kind == CGS_SKEW ? "skew-" : "", found->unequal_pairs,
        text_plural(found->unequal_pairs), found->row + 1, found->column + 1, found->upper,
        found->column + 1, found->row + 1, found->lower, found->worst, limit_of(data));
}

static enum status merge(const struct cgs_matrix_data *data,
                         const struct matrix_market_ranks *ranks, const struct csr *upper,
                         const struct csr *lower, struct csr *A, struct asymmetry *found,
                         struct error *error)
{
    enum status status =
        symmetry_merge(upper, lower, upper->kind, limit_of(data), ranks, A, found, error);
    return status || ranks ? status : arrays_judge(data, found, error);
}

static enum status assemble_lists(const struct cgs_matrix_data *data,
                                  const struct matrix_market_ranks *ranks, struct two_lists *lists,
                                  struct csr *upper, struct csr *lower, struct error *error)
{
    struct assembly met = {0}, met_lower = {0};
    enum csr_kind kind = data->kind == CGS_SKEW ? CSR_SKEW : CSR_SYMMETRIC;
    const struct matrix_market_part *part = ranks ? &ranks->parts[ranks->exchange->rank] : NULL;
    bool full = data->part == CGS_FULL;
    enum status status =
        entries_assemble(&lists->upper, data->n, kind, 1, part, upper, &met, error);
    if (!status && full)
        status = entries_assemble(&lists->lower, data->n, CSR_GENERAL, 0, part, lower, &met_lower,
                                  error);
    if (!status && met.overflow_row >= 0)
        status = refuse_overflow(met.overflow_row, met.overflow_column, error);
    else if (!status && full && met_lower.overflow_row >= 0)
        status = refuse_overflow(met_lower.overflow_column, met_lower.overflow_row, error);
    return status;
}

enum status arrays_assemble(const struct cgs_matrix_data *data,
                            const struct matrix_market_ranks *ranks, struct two_lists *lists,
                            struct csr *A, struct asymmetry *found, struct error *error)
{
    struct csr upper = {0}, lower = {0};
    bool full = data->part == CGS_FULL;
    enum status status = assemble_lists(data, ranks, lists, &upper, &lower, error);
    if (!status && full)
        status = merge(data, ranks, &upper, &lower, A, found, error);
    else if (status && full && ranks)
        entries_leave_shared(ranks);
    else if (!status) {
        *A = upper;
        upper = (struct csr){0};
    }
    csr_free(&upper);
    csr_free(&lower);
    return status;
}

static enum status read_entries(const struct cgs_matrix_data *data, struct csr *A,
                                struct asymmetry *found, struct error *error)
{
    struct two_lists lists = {{0}, {0}};
    enum status status = list_entries(data, &lists, error);
    if (!status)
        status = arrays_assemble(data, NULL, &lists, A, found, error);
    entry_list_free(&lists.upper);
    entry_list_free(&lists.lower);
    return status;
}

enum status arrays_read(const struct cgs_matrix_data *data, struct csr *A, struct asymmetry *found,
                        struct error *error)
{
    struct array_rows_seen seen;
    *A = (struct csr){0};
    *found = (struct asymmetry){0};
    enum status status = arrays_check(data, &seen, error);
    if (status)
        return status;
    status = data->offsets.data && array_rows_suit(data, &seen)
                 ? array_rows_copy(NULL, data, A, error)
                 : read_entries(data, A, found, error);
    if (status)
        csr_free(A);
    return status;
}

static bool all_on_device(const struct cgs_matrix_data *data)
{
    const struct cgs_array *rows = data->offsets.data ? &data->offsets : &data->rows;
    return rows->place == CGS_CUDA && data->columns.place == CGS_CUDA &&
           data->values.place == CGS_CUDA;
}

static enum status read_on_device(struct space *space, const struct cgs_matrix_data *data,
                                  struct csr *A, struct asymmetry *found, bool *suits,
                                  struct error *error)
{
    struct array_rows_seen seen = {.backward = data->n, .bad = data->n};
    enum status status = data->offsets.data ? array_rows_see(space, data, &seen, error) : STATUS_OK;
    *suits = !status && data->offsets.data && array_rows_suit(data, &seen);
    if (*suits)
        return array_rows_copy(space, data, A, error);
    if (status || (data->offsets.data && !array_rows_are_entries(data, &seen)))
        return status;
    return array_entries_read(space, data, limit_of(data), A, found, suits, error);
}

enum status arrays_read_on_device(struct space *space, const struct cgs_matrix_data *data,
                                  struct csr *A, struct asymmetry *found, bool *suits,
                                  struct error *error)
{
    *A = (struct csr){0};
    *found = (struct asymmetry){0};
    *suits = false;
    if (!space || !all_on_device(data))
        return STATUS_OK;
    enum status status = read_on_device(space, data, A, found, suits, error);
    *suits = *suits && !status;
    return status == STATUS_MEMORY ? STATUS_OK : status;
}
