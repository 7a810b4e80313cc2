/* Lists of a warp's rows by steps, as cuda_sym_entries.h describes them, while they are made on the host.
 * For .cu files. */
#ifndef SPMV_CUDA_SYM_STEPS_H
#define SPMV_CUDA_SYM_STEPS_H

#include "spmv/cuda_sym_entries.h"

#include <algorithm>
#include <string.h>

/* The order of a slice's rows in the steps of a list. */
struct slice_order {
    int64_t count[ENTRIES_SLICE]; /* of the slice's row r */
    int row[ENTRIES_SLICE];       /* by rank */
    int rows;
    int64_t steps, total; /* the largest count, and the sum */
};

/* Of the rows [first, first + ENTRIES_SLICE) of n; count(i) is how long row i is. */
template <typename Count> struct slice_order order_slice(int64_t first, int64_t n, Count count)
{
    struct slice_order order = {};
    order.rows = (int)std::min<int64_t>(ENTRIES_SLICE, n - first);
    for (int r = 0; r < order.rows; r++) {
        order.row[r] = r;
        order.count[r] = count(first + r);
        order.total += order.count[r];
        order.steps = std::max(order.steps, order.count[r]);
    }
    std::sort(order.row, order.row + order.rows, [&](int a, int b) {
        return order.count[a] != order.count[b] ? order.count[a] > order.count[b] : a < b;
    });
    return order;
}

/* Calls number(r, k) for number k of the slice's row r, by steps, and step(k, rows) before each. */
template <typename Step, typename Number>
void each_step(const struct slice_order &order, Step step, Number number)
{
    int rows = order.rows;
    for (int64_t k = 0; k < order.steps; k++) {
        while (order.count[order.row[rows - 1]] <= k)
            rows--;
        step(k, rows);
        for (int rank = 0; rank < rows; rank++)
            number(order.row[rank], k);
    }
}

/* The words of a list's counts behind the first, with the 0 behind the last. */
static inline int64_t more_words(const struct slice_order &order)
{
    return order.steps / ENTRIES_COUNTS;
}

/* The counts of a list, the further ones in steps[slice.more]; calls number(r, k) by steps. */
template <typename Number>
void put_steps(const struct slice_order &order, int list, struct entries_slice *slice,
               uint32_t *steps, Number number)
{
    uint32_t *more = steps + slice->more[list];
    memset(more, 0, (size_t)more_words(order) * sizeof *more);
    slice->steps[list] = 0;
    each_step(
        order,
        [&](int64_t k, int rows) {
            uint32_t *word =
                k < ENTRIES_COUNTS ? &slice->steps[list] : more + k / ENTRIES_COUNTS - 1;
            *word |= (uint32_t)rows << 8 * (k % ENTRIES_COUNTS);
        },
        number);
}

#endif
