/* What CUDA kernels have in common: how set-up begins, arrays that go to the device together, and
 * tables for products in several precisions. For .cu files. */
#ifndef SPMV_CUDA_KERNEL_H
#define SPMV_CUDA_KERNEL_H

#include "base/memory.h"
#include "cgsolve/kernel.h"
#include "space/cuda.h"

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
    void *there; /* the address of a pointer */
};

/* cuda_put of each of them. */
template <size_t COUNT>
enum status cuda_put_pieces(struct space_cuda *space, const struct cuda_piece (&pieces)[COUNT],
                            const char *what, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t k = 0; k < COUNT && !status; k++)
        status = cuda_put(space, pieces[k].host, pieces[k].count, pieces[k].size, what,
                          (void **)pieces[k].there, error);
    return status;
}

/* Tables by enum precision, of a slot apply<Value, Sum, Vector>: the types of the values, the sums,
 * and of x and y. */
#define CUDA_TABLES(APPLY, DESTROY)                                                                \
    {                                                                                              \
        {.apply = APPLY<double, double, double>, .destroy = DESTROY},                              \
            {.apply = APPLY<float, float, double>,                                                 \
             .apply_float = APPLY<float, float, float>,                                            \
             .destroy = DESTROY},                                                                  \
            {.apply = APPLY<float, double, double>, .destroy = DESTROY},                           \
    }

#endif
