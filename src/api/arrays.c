/* Rows whose columns increase, as most programs keep them, are copied as they are. All else goes
 * the way of the entries of a Matrix Market file. */
#include "api/arrays.h"

#include "api/integers.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/threads.h"
#include "io/market/assemble.h"
#include "io/market/symmetry.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* --- the arrays ------------------------------------------------------------------------------- */

static inline int64_t offset_at(const struct cgs_matrix_data *data, int64_t i)
{
    return integer_at(data, &data->offsets, i);
}

static inline int64_t column_at(const struct cgs_matrix_data *data, int64_t k)
{
    return integer_at(data, &data->columns, k);
}

static inline double value_at(const struct cgs_matrix_data *data, int64_t k)
{
    return data->values.type == CGS_FLOAT ? (double)((const float *)data->values.data)[k]
                                          : ((const double *)data->values.data)[k];
}

double arrays_limit(double asymmetry, enum cgs_type type)
{
    double rounding = type == CGS_FLOAT ? ASYMMETRY_OF_ROUNDING_SINGLE : ASYMMETRY_OF_ROUNDING;
    return asymmetry == 0 ? rounding : fmax(asymmetry, 0);
}

static double limit_of(const struct cgs_matrix_data *data)
{
    return data->kind == CGS_SKEW ? 0 : arrays_limit(data->asymmetry, data->values.type);
}

/* --- entries, one by one ---------------------------------------------------------------------- */

/* What is wrong with entry k, of row i; both may be anything. */
static enum status check_entry(const struct cgs_matrix_data *data, int64_t i, int64_t k,
                               struct error *error)
{
    int64_t j = column_at(data, k);
    double value = value_at(data, k);
    if (i < 0 || i >= data->n || j < 0 || j >= data->n)
        return integers_refuse_place(data, i, k, error);
    if (!isfinite(value))
        return error_set(error, STATUS_INPUT, "a(%" PRId64 ",%" PRId64 ") = %g is not finite",
                         i + 1, j + 1, value);
    if ((data->part == CGS_UPPER && j < i) || (data->part == CGS_LOWER && j > i))
        return error_set(error, STATUS_INPUT,
                         "a(%" PRId64 ",%" PRId64 ") is not of the %s triangle", i + 1, j + 1,
                         data->part == CGS_UPPER ? "upper" : "lower");
    if (data->kind == CGS_SKEW && i == j && value != 0)
        return error_set(error, STATUS_INPUT,
                         "a(%" PRId64 ",%" PRId64
                         ") = %g: the diagonal of a skew-symmetric matrix is 0",
                         i + 1, j + 1, value);
    return STATUS_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Whether row i is as it should be; *sorted is left or becomes false. */
typedef bool row_check(const struct cgs_matrix_data *data, int64_t i, bool *sorted);

struct checking {
    const struct cgs_matrix_data *data;
    row_check *is_good;
    int64_t bad; /* the first row that is not good, or n */
    int disorder;
};

static void check_share(void *context, int64_t begin, int64_t end)
{
    struct checking *checking = context;
    bool sorted = true;
    int64_t i = begin;
    while (i < end && checking->is_good(checking->data, i, &sorted))
        i++;
    if (i < end)
        ATOMIC_LEAST(&checking->bad, i);
    if (!sorted)
        ATOMIC_MOST(&checking->disorder, 1);
}

/* The first row that is not good, or n. */
static int64_t find_bad_row(const struct cgs_matrix_data *data, row_check *is_good, bool *sorted)
{
    struct checking checking = {data, is_good, data->n, 0};
    threads_each(threads_lent(), data->n, check_share, &checking);
    *sorted = !checking.disorder;
    return checking.bad;
}

static bool row_has_an_end(const struct cgs_matrix_data *data, int64_t i, bool *sorted)
{
    (void)sorted;
    return offset_at(data, i + 1) >= offset_at(data, i);
}

static enum status check_offsets(const struct cgs_matrix_data *data, struct error *error)
{
    bool sorted;
    if (offset_at(data, 0) != 0 || offset_at(data, data->n) != data->columns.rows)
        return error_set(error, STATUS_INPUT,
                         "the offsets of the matrix go from %" PRId64 " to %" PRId64
                         ", not from %d to nnz = %" PRId64,
                         given_at(&data->offsets, 0), given_at(&data->offsets, data->n), data->base,
                         data->columns.rows + data->base);
    int64_t bad = find_bad_row(data, row_has_an_end, &sorted);
    return bad == data->n
               ? STATUS_OK
               : error_set(error, STATUS_INPUT,
                           "row %" PRId64 " of the matrix ends before it begins", bad + 1);
}

static bool row_is_good(const struct cgs_matrix_data *data, int64_t i, bool *sorted)
{
    int64_t before = -1;
    for (int64_t k = offset_at(data, i); k < offset_at(data, i + 1); k++) {
        int64_t j = column_at(data, k);
        if (check_entry(data, i, k, NULL))
            return false;
        *sorted = *sorted && j > before;
        before = j;
    }
    return true;
}

static enum status check_rows(const struct cgs_matrix_data *data, bool *sorted, struct error *error)
{
    enum status status = check_offsets(data, error);
    if (status)
        return status;
    int64_t bad = find_bad_row(data, row_is_good, sorted);
    if (bad == data->n)
        return STATUS_OK;
    for (int64_t k = offset_at(data, bad); !status; k++)
        status = check_entry(data, bad, k, error);
    return status;
}

/* The first entry of a sorted row i that is in column j or behind it. */
static int64_t find_column(const struct cgs_matrix_data *data, int64_t i, int64_t j)
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

/* Whether each entry of row i off the diagonal has its mirror image. */
static bool row_is_mirrored(const struct cgs_matrix_data *data, int64_t i, bool *sorted)
{
    (void)sorted;
    double sign = data->kind == CGS_SKEW ? -1 : 1;
    for (int64_t k = offset_at(data, i); k < offset_at(data, i + 1); k++) {
        int64_t j = column_at(data, k), other = find_column(data, j, i);
        if (j != i && (other == offset_at(data, j + 1) || column_at(data, other) != i ||
                       value_at(data, other) != sign * value_at(data, k)))
            return false;
    }
    return true;
}

static bool is_mirrored(const struct cgs_matrix_data *data)
{
    bool sorted;
    return find_bad_row(data, row_is_mirrored, &sorted) == data->n;
}

/* Row i of the triangle, its diagonal first, from entry `to` on. */
static void copy_row(const struct cgs_matrix_data *data, int64_t i, const struct csr *A)
{
    int64_t k = find_column(data, i, i), end = offset_at(data, i + 1), to = A->offsets[i];
    bool found = k < end && column_at(data, k) == i;
    A->columns[to] = (int32_t)i;
    A->values[to++] = found ? value_at(data, k) : 0;
    for (k += found; k < end; k++) {
        A->columns[to] = (int32_t)column_at(data, k);
        A->values[to++] = value_at(data, k);
    }
}

struct copying {
    const struct cgs_matrix_data *data;
    int64_t *offsets; /* [n + 1] */
    const struct csr *A;
};

static void measure_rows(void *context, int64_t begin, int64_t end)
{
    const struct copying *copying = context;
    const struct cgs_matrix_data *data = copying->data;
    for (int64_t i = begin; i < end; i++) {
        int64_t k = find_column(data, i, i), stop = offset_at(data, i + 1);
        copying->offsets[i + 1] = stop - k + !(k < stop && column_at(data, k) == i);
    }
}

static void copy_share(void *context, int64_t begin, int64_t end)
{
    const struct copying *copying = context;
    for (int64_t i = begin; i < end; i++)
        copy_row(copying->data, i, copying->A);
}

/* Of sorted rows, of the upper triangle or both. */
static enum status copy_rows(const struct cgs_matrix_data *data, enum csr_kind kind, struct csr *A,
                             struct error *error)
{
    int64_t n = data->n, *offsets = memory_array(n + 1, sizeof *offsets, "the matrix", error);
    if (!offsets)
        return STATUS_MEMORY;
    struct copying copying = {data, offsets, A};
    threads_each(threads_lent(), n, measure_rows, &copying);
    offsets[0] = 0;
    for (int64_t i = 0; i < n; i++)
        offsets[i + 1] += offsets[i];
    enum status status = csr_create(A, kind, n, offsets[n], error);
    if (!status) {
        memcpy(A->offsets, offsets, (size_t)(n + 1) * sizeof *offsets);
        threads_each(threads_lent(), n, copy_share, &copying);
    }
    memory_free(offsets);
    return status;
}

/* --- entries in any order --------------------------------------------------------------------- */

/* Those of the upper triangle and those of the lower one, transposed. */
struct two_lists {
    struct entry_list upper, lower;
};

static enum status create_list(int64_t count, struct entry_list *list, struct error *error)
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

/* Of rows it is known that their entries are good. */
static enum status list_entries(const struct cgs_matrix_data *data, struct two_lists *lists,
                                struct error *error)
{
    int64_t below = data->part == CGS_FULL ? data->columns.rows : 0;
    enum status status = create_list(data->columns.rows, &lists->upper, error);
    if (!status)
        status = create_list(below, &lists->lower, error);
    for (int64_t i = 0; i < data->n && !status && data->offsets.data; i++)
        for (int64_t k = offset_at(data, i); k < offset_at(data, i + 1); k++)
            add_entry(data, i, k, lists);
    for (int64_t k = 0; k < data->columns.rows && !status && data->rows.data; k++) {
        int64_t i = integer_at(data, &data->rows, k);
        status = check_entry(data, i, k, error);
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

static enum status refuse_asymmetry(const struct cgs_matrix_data *data,
                                    const struct asymmetry *found, struct error *error)
{
    return error_set(
        error, STATUS_INPUT,
        "the matrix is not %ssymmetric: of %" PRId64 " unequal pair%s the worst is a(%" PRId64
        ",%" PRId64 ") = %.17g and a(%" PRId64 ",%" PRId64
        ") = %.17g: a relative asymmetry of %.3g, and %.3g is allowed (asymmetry)",
        data->kind == CGS_SKEW ? "skew-" : "", found->unequal_pairs,
        text_plural(found->unequal_pairs), found->row + 1, found->column + 1, found->upper,
        found->column + 1, found->row + 1, found->lower, found->worst, limit_of(data));
}

static enum status merge(const struct cgs_matrix_data *data, struct csr *upper, struct csr *lower,
                         struct csr *A, struct asymmetry *found, struct error *error)
{
    enum status status =
        symmetry_merge(upper, lower, upper->kind, limit_of(data), NULL, A, found, error);
    if (!status && !(found->worst <= limit_of(data)))
        status = refuse_asymmetry(data, found, error);
    return status;
}

static enum status assemble(const struct cgs_matrix_data *data, enum csr_kind kind,
                            struct two_lists *lists, struct csr *A, struct asymmetry *found,
                            struct error *error)
{
    struct csr upper = {0}, lower = {0};
    struct assembly met = {0}, met_lower = {0};
    bool full = data->part == CGS_FULL;
    enum status status =
        entries_assemble(&lists->upper, data->n, kind, 1, NULL, &upper, &met, error);
    if (!status && full)
        status = entries_assemble(&lists->lower, data->n, CSR_GENERAL, 0, NULL, &lower, &met_lower,
                                  error);
    if (!status && met.overflow_row >= 0)
        status = refuse_overflow(met.overflow_row, met.overflow_column, error);
    else if (!status && full && met_lower.overflow_row >= 0)
        status = refuse_overflow(met_lower.overflow_column, met_lower.overflow_row, error);
    if (!status && full)
        status = merge(data, &upper, &lower, A, found, error);
    else if (!status) {
        *A = upper;
        upper = (struct csr){0};
    }
    csr_free(&upper);
    csr_free(&lower);
    return status;
}

static enum status read_entries(const struct cgs_matrix_data *data, enum csr_kind kind,
                                struct csr *A, struct asymmetry *found, struct error *error)
{
    struct two_lists lists = {{0}, {0}};
    enum status status = list_entries(data, &lists, error);
    if (!status)
        status = assemble(data, kind, &lists, A, found, error);
    entry_list_free(&lists.upper);
    entry_list_free(&lists.lower);
    return status;
}

enum status arrays_check(const struct cgs_matrix_data *data, bool *sorted, struct error *error)
{
    *sorted = false;
    return data->offsets.data ? check_rows(data, sorted, error) : STATUS_OK;
}

enum status arrays_read(const struct cgs_matrix_data *data, struct csr *A, struct asymmetry *found,
                        struct error *error)
{
    enum csr_kind kind = data->kind == CGS_SKEW ? CSR_SKEW : CSR_SYMMETRIC;
    bool sorted;
    *A = (struct csr){0};
    *found = (struct asymmetry){0};
    enum status status = arrays_check(data, &sorted, error);
    if (status)
        return status;
    bool copies =
        sorted && (data->part == CGS_UPPER || (data->part == CGS_FULL && is_mirrored(data)));
    status = copies ? copy_rows(data, kind, A, error) : read_entries(data, kind, A, found, error);
    if (status)
        csr_free(A);
    return status;
}
