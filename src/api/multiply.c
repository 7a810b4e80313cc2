/* Y = A X and Z = M^-1 R of one or several columns. */
#include "api/ranks.h"
#include "api/strided.h"
#include "base/hash.h"
#include "base/memory.h"
#include "space/ranks/rank_vector.h"
#include "space/ranks/ranks.h"
#include "spmv/columns.h"

/* --- one column without gaps ------------------------------------------------------------------ */

/* The operator's own vectors, because the caller's may overlap, and may be unaligned. */
static enum status ready(struct cgs_operator *kernel, struct error *error)
{
    int64_t n = kernel->A->n;
    enum status status = STATUS_OK;
    if (!kernel->x)
        status = space_vector(kernel->space, n, "the vector x", &kernel->x, error);
    if (!status && !kernel->y)
        status = space_vector(kernel->space, n, "the vector y", &kernel->y, error);
    return status;
}

static enum status multiply_one(struct cgs_operator *kernel, const struct linear_operator *by,
                                const struct cgs_array *x, const struct cgs_array *y,
                                struct error *error)
{
    struct space *space = kernel->space;
    int64_t n = kernel->A->n;
    enum status status = ready(kernel, error);
    if (!status)
        status = x->place == CGS_CPU ? space_upload(space, n, x->data, kernel->x, error)
                                     : space_copy(space, n, x->data, kernel->x, error);
    if (!status)
        status = operator_apply(by, kernel->x, kernel->y, error);
    if (!status)
        status = api_operator_rescale(by, n, kernel->y, kernel->x, error);
    if (!status)
        status = y->place == CGS_CPU ? space_download(space, n, kernel->y, y->data, error)
                                     : space_copy(space, n, kernel->y, y->data, error);
    if (x->place == CGS_CUDA || y->place == CGS_CUDA)
        space->operations->forget(space); /* it waits */
    return status;
}

/* --- several ---------------------------------------------------------------------------------- */

/* Into packed, or back. Columns [first, first + count) form a multivector (spmv/operator.h). */
static void pack(struct cgs_array array, double *packed, bool back)
{
    int64_t columns = array.columns;
    for (int64_t first = 0; first < columns; first += COLUMNS_AT_ONCE) {
        int64_t left = columns - first, count = left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE;
        const struct cgs_array group = {.data = packed + first * array.rows,
                                        .rows = array.rows,
                                        .columns = count,
                                        .row_stride = columns_stride(count),
                                        .column_stride = 1};
        array.columns = count;
        strided_copy(back ? &group : &array, back ? &array : &group);
        array.data = (double *)array.data + count * array.column_stride;
    }
}

/* Copies between an array in the memory of the space and a multivector, column by column through
 * v[n]: to the multivector, or back. */
static enum status move(struct space *space, const struct cgs_array *array, double *multivector,
                        double *v, bool back, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t n = array->rows;
    for (int64_t j = 0; j < array->columns && !status; j++) {
        int64_t first = j - j % COLUMNS_AT_ONCE, left = array->columns - first;
        struct column_work theirs = {(double *)array->data + j * array->column_stride, v,
                                     array->row_stride};
        struct column_work own = {multivector + first * n + j % COLUMNS_AT_ONCE, v,
                                  columns_stride(left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE)};
        status = space_run(space, &pass_column_take, n, back ? &own : &theirs, error);
        if (!status)
            status = space_run(space, &pass_column_put, n, back ? &theirs : &own, error);
    }
    return status;
}

/* Multivectors in the space; and for x and y in turn, one multivector on the host, or a column in
 * the space. */
struct product {
    struct operator_columns of;
    int64_t elements;
    double *packed, *column, *x, *y;
};

static enum status create(const struct linear_operator *by, int64_t columns, bool on_device,
                          struct product *made, struct error *error)
{
    enum status status = operator_columns_create(by, columns, &made->of, error);
    if (status)
        return status;
    made->elements = columns_elements(by->n, columns);
    if (on_device)
        status = space_vector(by->space, by->n, "a column", &made->column, error);
    else
        made->packed = memory_zeros(made->elements, sizeof *made->packed, "columns", error);
    if (!made->packed && !made->column)
        return STATUS_MEMORY;
    status = space_vector(by->space, made->elements, "the columns X", &made->x, error);
    return status ? status
                  : space_vector(by->space, made->elements, "the columns Y", &made->y, error);
}

static void destroy(struct space *space, struct product *product)
{
    operator_columns_destroy(&product->of);
    space_release(space, product->x);
    space_release(space, product->y);
    space_release(space, product->column);
    memory_free(product->packed);
}

static enum status apply(const struct linear_operator *by, const struct product *product,
                         struct error *error)
{
    enum status status = operator_columns_apply(&product->of, product->x, product->y, error);
    return status ? status
                  : api_operator_rescale(by, product->elements, product->y, product->x, error);
}

static enum status multiply_on_device(const struct linear_operator *by, const struct strided *x,
                                      const struct strided *y, struct error *error)
{
    struct space *space = by->space;
    struct product product = {.packed = NULL};
    enum status status = create(by, x->at.columns, true, &product, error);
    if (!status) /* padding is multiplied, too */
        status = space_fill(space, product.elements, 0, product.x, error);
    if (!status)
        status = move(space, &x->at, product.x, product.column, false, error);
    if (!status)
        status = apply(by, &product, error);
    if (!status)
        status = move(space, &y->at, product.y, product.column, true, error);
    space->operations->forget(space); /* it waits */
    destroy(space, &product);
    return status;
}

static enum status multiply_several(const struct linear_operator *by, struct strided *x,
                                    struct strided *y, struct error *error)
{
    struct space *space = by->space;
    struct product product = {.packed = NULL};
    enum status status = y->at.place == CGS_CUDA ? strided_reserve(y, error) : STATUS_OK;
    if (!status && x->at.place == CGS_CUDA)
        status = strided_read(space, x, NULL, error);
    if (!status)
        status = create(by, x->at.columns, false, &product, error);
    if (!status) {
        pack(x->host ? strided_columns(x) : x->at, product.packed, false);
        status = space_upload(space, product.elements, product.packed, product.x, error);
    }
    if (!status)
        status = apply(by, &product, error);
    if (!status)
        status = space_download(space, product.elements, product.y, product.packed, error);
    if (!status)
        pack(y->host ? strided_columns(y) : y->at, product.packed, true);
    if (!status && y->host)
        status = strided_write(space, y, error);
    destroy(space, &product);
    return status;
}

/* --- over ranks ------------------------------------------------------------------------------- */

/* v[n] with this rank's own rows: x, and then y. */
static enum status multiply_column(struct cgs_operator *kernel, const struct linear_operator *by,
                                   const double *x, double *y, double *v, struct error *error)
{
    const struct api_division *rows = api_division_of(kernel);
    int64_t n = kernel->A->n, first = partition_first(&rows->parts);
    enum status status = api_division_take(rows, x, v + first, error);
    if (!status)
        status = space_upload(kernel->space, n, v, kernel->x, error);
    if (!status)
        status = operator_apply(by, kernel->x, kernel->y, error);
    if (!status)
        status = api_operator_rescale(by, n, kernel->y, kernel->x, error);
    if (!status)
        status = ranks_download_own(kernel->space, n, kernel->y, v, error);
    return status ? status : api_division_give(rows, v + first, y, error);
}

/* One column after the other. */
static enum status multiply_columns(struct cgs_operator *kernel, const struct linear_operator *by,
                                    const struct strided *x, const struct strided *y,
                                    int64_t columns, struct error *error)
{
    const struct partition *parts = &api_division_of(kernel)->parts;
    int64_t n = kernel->A->n, rows = api_given_rows(kernel);
    enum status status = ready(kernel, error);
    double *v = status ? NULL : rank_vector_create(parts, n, sizeof *v, "x of a rank", error);
    if (!status && !v)
        status = STATUS_MEMORY;
    for (int64_t j = 0; j < columns && !status; j++)
        status = multiply_column(kernel, by, (const double *)x->host + j * rows,
                                 (double *)y->host + j * rows, v, error);
    rank_vector_free(parts, n, sizeof *v, v);
    return status;
}

/* `status`: of this rank, from the check of its arrays. */
static enum status multiply_over_ranks(struct cgs_operator *kernel,
                                       const struct linear_operator *by, enum status status,
                                       struct strided *x, struct strided *y, struct error *error)
{
    const struct cgs_context *context = kernel->context;
    int64_t columns = x->at.columns > 0 ? x->at.columns : 1;
    if (!status && api_given_rows(kernel) > 0 && (!x->at.data || !y->at.data))
        status = error_set(error, STATUS_CONFIG, "%s is NULL", x->at.data ? y->what : x->what);
    if (!status)
        status = strided_reserve(y, error);
    if (!status)
        status = strided_read(kernel->space, x, y, error);
    status = api_ranks_agree(context, status, "columns", hash_word(HASH_START, (uint64_t)columns),
                             error);
    if (status)
        return status;
    status = api_ranks_end(context, multiply_columns(kernel, by, x, y, columns, error), error);
    return status || !y->at.data ? status : strided_write(kernel->space, y, error);
}

/* --- all of them ------------------------------------------------------------------------------ */

enum status api_multiply(struct cgs_operator *kernel, const struct linear_operator *by,
                         const char *const names[2], const struct cgs_array *x,
                         const struct cgs_array *y, struct error *error)
{
    struct strided_wanted wanted = {names[0], api_given_rows(kernel), 0, STRIDED_DOUBLES};
    struct strided of_x, of_y = {.what = names[1]};
    enum status status = strided_check(kernel->context, kernel->space, x, &wanted, &of_x, error);
    wanted.what = names[1];
    wanted.columns = of_x.at.columns;
    if (!status)
        status = strided_check(kernel->context, kernel->space, y, &wanted, &of_y, error);
    bool one = of_x.at.columns == 1 && strided_is_dense(&of_x) && strided_is_dense(&of_y);
    bool on_device = of_x.at.place == CGS_CUDA && of_y.at.place == CGS_CUDA;
    if (kernel->context->exchange)
        status = multiply_over_ranks(kernel, by, status, &of_x, &of_y, error);
    else if (!status)
        status = one         ? multiply_one(kernel, by, &of_x.at, &of_y.at, error)
                 : on_device ? multiply_on_device(by, &of_x, &of_y, error)
                             : multiply_several(by, &of_x, &of_y, error);
    strided_free(&of_x);
    strided_free(&of_y);
    return status;
}

static enum status multiply(struct cgs_operator *kernel, const struct cgs_array *x,
                            const struct cgs_array *y, struct error *error)
{
    static const char *const names[] = {"x", "y"};
    enum status status = api_operator_refresh(kernel, error);
    status = api_ranks_end(kernel->context, status, error);
    return status ? status : api_multiply(kernel, &kernel->spmv, names, x, y, error);
}

enum cgs_status cgs_multiply(struct cgs_operator *kernel, struct cgs_array x, struct cgs_array y,
                             struct cgs_error *error)
{
    bool alone = kernel && !kernel->context->exchange;
    if (!kernel || (alone && (!x.data || !y.data)))
        return api_missing(!kernel ? "an operator" : !x.data ? "x" : "y", error);
    if (!api_begin(kernel, error))
        return CGS_BAD_OPTION;
    return api_end(kernel, multiply(kernel, &x, &y, api_error(error)));
}
