#include "study/trial_products.h"

#include "base/memory.h"
#include "study/test_matrices.h"

#include <math.h>
#include <string.h>

void trial_vector(double *v, int64_t n, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = (2 * test_stream(state) - 1) * (i % 5 == 2 ? 1e6 : 1);
}

int64_t trial_other_bits(int64_t n, const double *wanted, const double *y)
{
    int64_t i = 0;
    while (i < n && memcmp(&wanted[i], &y[i], sizeof *y) == 0)
        i++;
    return i;
}

/* --- products that fail ----------------------------------------------------------------------- */

static enum status fail(void *state, const struct operands *operands, struct error *error)
{
    struct trial_fault *fault = state;
    if (fault->left-- == 0)
        return error_set(error, STATUS_DEVICE, "a product that fails");
    return fault->A->table->apply(fault->A->state, operands, error);
}

static enum status prepare(void *state, int columns, struct error *error)
{
    return operator_prepare(((struct trial_fault *)state)->A, columns, error);
}

static void destroy(void *state)
{
    (void)state;
}

struct linear_operator trial_failing(struct trial_fault *fault)
{
    static const struct operator_table table = {
        .apply = fail, .prepare = prepare, .destroy = destroy};
    struct linear_operator made = *fault->A;
    made.table = &table;
    made.state = fault;
    return made;
}

/* --- vectors of either precision -------------------------------------------------------------- */

/* X, and Y with one element more, in the space (x, y) and on the host. */
struct room {
    struct space *space;
    bool singles;
    int64_t columns, x_elements, y_elements;
    void *x, *y, *dot;
    void *x_host, *y_host, *back; /* back: X after the product */
};

static enum status vector(const struct room *room, int64_t count, const char *what, void **made,
                          struct error *error)
{
    return room->singles ? space_vector_float(room->space, count, what, (float **)made, error)
                         : space_vector(room->space, count, what, (double **)made, error);
}

static enum status upload(const struct room *room, int64_t count, const void *from, void *to,
                          struct error *error)
{
    return room->singles ? space_upload_float(room->space, count, from, to, error)
                         : space_upload(room->space, count, from, to, error);
}

static enum status download(const struct room *room, int64_t count, const void *from, void *to,
                            struct error *error)
{
    return room->singles ? space_download_float(room->space, count, from, to, error)
                         : space_download(room->space, count, from, to, error);
}

static size_t size_of(const struct room *room)
{
    return room->singles ? sizeof(float) : sizeof(double);
}

static void put(const struct room *room, void *v, int64_t k, double value)
{
    if (room->singles)
        ((float *)v)[k] = (float)value;
    else
        ((double *)v)[k] = value;
}

static double get(const struct room *room, const void *v, int64_t k)
{
    return room->singles ? ((const float *)v)[k] : ((const double *)v)[k];
}

/* Where element i of column j is in a multivector of n rows. */
static int64_t place_of(const struct room *room, int64_t n, int64_t i, int64_t j)
{
    int64_t first = j / COLUMNS_AT_ONCE * COLUMNS_AT_ONCE, left = room->columns - first;
    return first * n + i * columns_stride(left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE) + j -
           first;
}

static enum status room_make(struct room *room, struct error *error)
{
    size_t size = size_of(room);
    room->x_host = memory_array(room->x_elements, size, "X", error);
    room->back = memory_array(room->x_elements, size, "X", error);
    room->y_host = memory_array(room->y_elements, size, "Y", error);
    if (!room->x_host || !room->back || !room->y_host)
        return STATUS_MEMORY;
    enum status status = vector(room, room->x_elements, "X", &room->x, error);
    if (!status)
        status = vector(room, room->y_elements, "Y", &room->y, error);
    return status ? status : space_scalars(room->space, 1, "x . y", (double **)&room->dot, error);
}

static void room_free(struct room *room)
{
    space_release(room->space, room->x);
    space_release(room->space, room->y);
    space_release(room->space, room->dot);
    memory_free(room->x_host);
    memory_free(room->back);
    memory_free(room->y_host);
}

/* --- the product ------------------------------------------------------------------------------ */

static enum status bring(const struct linear_operator *A, const struct trial_product *product,
                         struct room *room, struct error *error)
{
    for (int64_t k = 0; k < room->x_elements; k++)
        put(room, room->x_host, k, NAN);
    for (int64_t k = 0; k < room->y_elements; k++)
        put(room, room->y_host, k, NAN);
    for (int64_t j = 0; j < room->columns; j++)
        for (int64_t i = 0; i < A->width; i++)
            put(room, room->x_host, place_of(room, A->width, i, j), product->x[j * A->width + i]);
    enum status status = upload(room, room->x_elements, room->x_host, room->x, error);
    return status ? status : upload(room, room->y_elements, room->y_host, room->y, error);
}

static enum status multiply_columns(const struct linear_operator *A, struct room *room,
                                    struct error *error)
{
    struct operator_columns columns = {0};
    enum status status = operator_columns_create(A, room->columns, &columns, error);
    if (!status)
        status = operator_columns_apply(&columns, room->x, room->y, error);
    operator_columns_destroy(&columns);
    return status;
}

static enum status multiply_dot(const struct linear_operator *A, struct trial_product *product,
                                struct room *room, struct error *error)
{
    enum status status = operator_apply_dot(A, room->x, room->y, room->dot, error);
    if (!status)
        status = space_download(room->space, 1, room->dot, &product->with, error);
    if (!status)
        status = space_dot(room->space, A->n, room->x, room->y, room->dot, error);
    return status ? status : space_download(room->space, 1, room->dot, &product->apart, error);
}

static enum status take(const struct linear_operator *A, struct trial_product *product,
                        struct room *room, struct error *error)
{
    enum status status = download(room, room->x_elements, room->x, room->back, error);
    if (!status)
        status = download(room, room->y_elements, room->y, room->y_host, error);
    if (status)
        return status;
    if (!isnan(get(room, room->y_host, room->y_elements - 1)))
        product->wrong = "it writes past the end of y";
    else if (memcmp(room->x_host, room->back, (size_t)room->x_elements * size_of(room)) != 0)
        product->wrong = "it changes x";
    for (int64_t j = 0; j < room->columns; j++)
        for (int64_t i = 0; i < A->n; i++)
            product->y[j * A->n + i] = get(room, room->y_host, place_of(room, A->n, i, j));
    return STATUS_OK;
}

enum status trial_multiply(const struct linear_operator *A, struct trial_product *product,
                           struct error *error)
{
    int64_t columns = product->columns > 1 ? product->columns : 1;
    struct room room = {.space = A->space,
                        .singles = product->singles,
                        .columns = columns,
                        .x_elements = columns_elements(A->width, columns),
                        .y_elements = columns_elements(A->n, columns) + 1};
    int stride = columns > 1 ? columns_stride(columns) : 1;
    struct operands singles = {.singles = true, .columns = stride, .used = (int)columns};
    product->wrong = NULL;
    enum status status = room_make(&room, error);
    if (!status)
        status = bring(A, product, &room, error);
    singles.x = room.x;
    singles.y = room.y;
    if (!status && product->singles && columns > 1)
        status = operator_prepare(A, stride, error);
    if (!status)
        status = product->singles ? operator_apply_to(A, &singles, error)
                 : product->dot   ? multiply_dot(A, product, &room, error)
                 : columns > 1    ? multiply_columns(A, &room, error)
                                  : operator_apply(A, room.x, room.y, error);
    if (!status)
        status = take(A, product, &room, error);
    room_free(&room);
    return status;
}
