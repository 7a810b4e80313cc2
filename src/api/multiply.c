/* Y = A X of several columns, on the host. */
#include "api/strides.h"
#include "base/memory.h"

/* Columns [first, first + count) are a multivector of their own (spmv/operator.h). */
static int64_t group_of(int64_t columns, int64_t first)
{
    return columns - first < COLUMNS_AT_ONCE ? columns - first : COLUMNS_AT_ONCE;
}

static void pack(const struct api_layout *layout, const double *array, double *packed)
{
    struct cgs_strides strides = layout->strides;
    for (int64_t first = 0; first < layout->columns; first += COLUMNS_AT_ONCE) {
        int64_t count = group_of(layout->columns, first), stride = columns_stride(count);
        double *group = packed + first * layout->n;
        for (int64_t i = 0; i < layout->n; i++)
            for (int64_t j = 0; j < count; j++)
                group[i * stride + j] = array[i * strides.row + (first + j) * strides.column];
    }
}

static void unpack(const struct api_layout *layout, const double *packed, double *array)
{
    struct cgs_strides strides = layout->strides;
    for (int64_t first = 0; first < layout->columns; first += COLUMNS_AT_ONCE) {
        int64_t count = group_of(layout->columns, first), stride = columns_stride(count);
        const double *group = packed + first * layout->n;
        for (int64_t i = 0; i < layout->n; i++)
            for (int64_t j = 0; j < count; j++)
                array[i * strides.row + (first + j) * strides.column] = group[i * stride + j];
    }
}

/* What a product needs: multivectors in the space, and one on the host for both, in turn. */
struct product {
    struct operator_columns of;
    int64_t elements;
    double *packed, *x, *y;
};

static enum status create(struct cgs_operator *kernel, int64_t columns, struct product *made,
                          struct error *error)
{
    enum status status = api_operator_refresh(kernel, error);
    if (!status)
        status = operator_columns_create(&kernel->spmv, columns, &made->of, error);
    if (status)
        return status;
    made->elements = columns_elements(kernel->A->n, columns);
    made->packed = memory_zeros(made->elements, sizeof *made->packed, "columns", error);
    if (!made->packed)
        return STATUS_MEMORY;
    status = space_vector(kernel->space, made->elements, "the columns X", &made->x, error);
    return status ? status
                  : space_vector(kernel->space, made->elements, "the columns Y", &made->y, error);
}

static void destroy(struct cgs_operator *kernel, struct product *product)
{
    operator_columns_destroy(&product->of);
    space_release(kernel->space, product->x);
    space_release(kernel->space, product->y);
    memory_free(product->packed);
}

static enum status multiply(struct cgs_operator *kernel, const struct api_layout *x,
                            const double *X, const struct api_layout *y, double *Y,
                            struct error *error)
{
    struct space *space = kernel->space;
    struct product product = {.packed = NULL};
    enum status status = create(kernel, x->columns, &product, error);
    if (!status) {
        pack(x, X, product.packed);
        status = space_upload(space, product.elements, product.packed, product.x, error);
    }
    if (!status)
        status = operator_columns_apply(&product.of, product.x, product.y, error);
    if (!status)
        status = api_operator_rescale(kernel, product.elements, product.y, product.x, error);
    if (!status)
        status = space_download(space, product.elements, product.y, product.packed, error);
    if (!status)
        unpack(y, product.packed, Y);
    destroy(kernel, &product);
    return status;
}

enum cgs_status cgs_multiply_columns(struct cgs_operator *kernel, int64_t columns, const double *X,
                                     struct cgs_strides of_X, double *Y, struct cgs_strides of_Y,
                                     struct cgs_error *error)
{
    if (!kernel || !X || !Y)
        return api_missing(!kernel ? "an operator" : !X ? "X" : "Y", error);
    if (!api_begin(kernel, error))
        return CGS_BAD_OPTION;
    const struct api_layout x = {kernel->A->n, columns, of_X}, y = {kernel->A->n, columns, of_Y};
    int64_t span;
    enum status status = strides_check(&x, "X", &span, api_error(error));
    if (!status)
        status = strides_check(&y, "Y", &span, api_error(error));
    if (!status)
        status = multiply(kernel, &x, X, &y, Y, api_error(error));
    return api_end(kernel, status);
}
