/* What CUDA kernels have in common: how set-up begins, arrays that go to the device together, and
 * tables for products in several precisions. For .cu files. */
#ifndef SPMV_CUDA_KERNEL_H
#define SPMV_CUDA_KERNEL_H

#include "base/memory.h"
#include "space/cuda/cuda.h"
#include "spmv/kernel.h"

/* made->state, zeroed but for its space, with a table that can destroy it. NULL: STATUS_MEMORY. */
template <typename State>
State *cuda_state_create(const struct operator_table *table, struct linear_operator *made,
                         struct error *error)
{
    State *state = (State *)memory_zeros(1, sizeof *state, "the kernel's state", error);
    if (state)
        state->space = space_cuda_of(made->space);
    made->table = table;
    made->state = state;
    return state;
}

/* Of x and y. */
static inline int64_t cuda_vector_bytes(const struct linear_operator *made)
{
    return (made->n + made->width) * (int64_t)sizeof(double);
}

/* An array on its way: cuda_put's. */
struct cuda_piece {
    const void *host;
    int64_t count;
    size_t size;
    void *device; /* the address of a pointer */
};

/* cuda_put of each of them. */
template <size_t COUNT>
enum status cuda_put_pieces(struct space_cuda *space, const struct cuda_piece (&pieces)[COUNT],
                            const char *what, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t k = 0; k < COUNT && !status; k++)
        status = cuda_put(space, pieces[k].host, pieces[k].count, pieces[k].size, what,
                          (void **)pieces[k].device, error);
    return status;
}

/* launch<Value, Sum, Vector>(): the types of the values, the sums, and of x and y. */
template <typename Launch>
void cuda_with_types(enum precision precision, const struct operands *operands, Launch launch)
{
    if (precision == PRECISION_DOUBLE)
        launch.template operator()<double, double, double>();
    else if (precision == PRECISION_FLOAT_DOUBLE)
        launch.template operator()<float, double, double>();
    else if (operands->singles)
        launch.template operator()<float, float, float>();
    else
        launch.template operator()<float, float, double>();
}

/* The strides of multivectors, 2, 4, ..., 32, as 0, 1, ..., 4: for what is kept for each. */
enum { CUDA_STRIDES = 5 };

static inline int cuda_stride_place(int columns)
{
    int place = 0;
    for (int stride = 2; stride < columns; stride *= 2)
        place++;
    return place;
}

/* launch<COLUMNS>() of a stride. */
template <typename Launch> void cuda_with_columns(int columns, Launch launch)
{
    switch (columns) {
    case 2:
        return launch.template operator()<2>();
    case 4:
        return launch.template operator()<4>();
    case 8:
        return launch.template operator()<8>();
    case 16:
        return launch.template operator()<16>();
    default:
        return launch.template operator()<32>();
    }
}

#endif
