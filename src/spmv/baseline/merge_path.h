/* The merge path of a matrix in compressed rows: the ends of its rows and its entries as one list
 * of items, in the order in which a walk along the rows meets them (Merrill, Garland: Merge-based
 * parallel sparse matrix-vector multiplication, SC 2016, section III).
 *
 *     entry k of row i                        is item  k + i
 *     the end of row i, after its entries,   is item  offsets[i+1] + i
 *
 * n rows and nnz entries make n + nnz items, and equal numbers of items are equal work, however the
 * entries spread: an empty row is one item, a full one many. Where a list of items is cut, "at
 * diagonal d", d items lie before the cut. With r the number of rows whose end is among them the
 * entries before it are d - r. r is searched among the ends, which ascend; every step looks at the
 * ends of some rows at once, as many as a warp has lanes on a GPU, or twice: then a search is three
 * loads that wait for each other, or four, not twenty.
 *
 * For host and device: what searches, and its twin in the tests, is the same code. */
#ifndef SPMV_BASELINE_MERGE_PATH_H
#define SPMV_BASELINE_MERGE_PATH_H

#include "base/host_device.h"

#include <stdint.h>

/* The number of rows that end before the diagonal is one of low, ..., high. */
struct merge_window {
    int64_t low, high;
};

/* Nothing looked at: no more rows than items, no more entries than there are. */
CGSOLVE_HOST_AND_DEVICE static inline struct merge_window merge_all(int64_t n, int64_t nnz,
                                                                    int64_t diagonal)
{
    int64_t low = diagonal > nnz ? diagonal - nnz : 0;
    struct merge_window window = {low < n ? low : n, diagonal < n ? diagonal : n};
    return window;
}

/* The rows between two that are looked at in one step of `ways` ways. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t merge_stride(struct merge_window window, int ways)
{
    return (window.high - window.low + ways - 1) / ways;
}

/* The row whose end is looked at, the way'th of them; none if it is not below window.high. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t merge_probe(struct merge_window window, int ways,
                                                          int way)
{
    return window.low + (way + 1) * merge_stride(window, ways) - 1;
}

/* Whether row i, with next = offsets[i + 1], ends before the diagonal. */
CGSOLVE_HOST_AND_DEVICE static inline int merge_ends_before(int64_t row, int64_t next,
                                                            int64_t diagonal)
{
    return next + row < diagonal;
}

/* What is left when the first `passed` of the rows looked at end before the diagonal, and no other
 * does. */
CGSOLVE_HOST_AND_DEVICE static inline struct merge_window merge_narrow(struct merge_window window,
                                                                       int ways, int passed)
{
    int64_t stride = merge_stride(window, ways);
    int64_t low = window.low + passed * stride, high = low + stride - 1;
    struct merge_window narrower = {low < window.high ? low : window.high,
                                    high < window.high ? high : window.high};
    return narrower;
}

/* Where rows are about equally long, the row is near the one that it would be if they were,
 * `guess`; then one step around it, with distances 1, 1, 2, 3, 4, 6, 8, 12, ... to both sides,
 * leaves a window as wide as it is far. The row that the way'th of `ways` ways looks at; one below
 * window.low counts as passed, one from window.high on as not. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t merge_probe_around(int64_t guess, int ways, int way)
{
    int step = way < ways / 2 ? ways / 2 - 1 - way : way - ways / 2;
    int64_t distance = ((int64_t)(2 + (step & 1)) << step / 2) / 2;
    return way < ways / 2 ? guess - distance : guess + distance;
}

/* What that step leaves. */
CGSOLVE_HOST_AND_DEVICE static inline struct merge_window
merge_narrow_around(struct merge_window window, int64_t guess, int ways, int passed)
{
    int64_t low = passed > 0 ? merge_probe_around(guess, ways, passed - 1) + 1 : window.low;
    int64_t high = passed < ways ? merge_probe_around(guess, ways, passed) : window.high;
    struct merge_window narrower = {low > window.low ? low : window.low,
                                    high < window.high ? high : window.high};
    return narrower;
}

/* The rows that end before the diagonal, by one thread: two ways. */
static inline int64_t merge_rows_before(const int64_t *offsets, int64_t n, int64_t nnz,
                                        int64_t diagonal)
{
    enum { WAYS = 2 };
    struct merge_window window = merge_all(n, nnz, diagonal);
    while (window.low < window.high) {
        int passed = 0;
        for (; passed < WAYS; passed++) {
            int64_t row = merge_probe(window, WAYS, passed);
            if (row >= window.high || !merge_ends_before(row, offsets[row + 1], diagonal))
                break;
        }
        window = merge_narrow(window, WAYS, passed);
    }
    return window.low;
}

#endif
