/* What the vector operations of the CUDA space do to a tile, for the files that sum it. */
#ifndef SPACE_CUDA_WORK_CUH
#define SPACE_CUDA_WORK_CUH

#include "space/cuda.h"

/* What happens to a tile before its terms x_i y_i are summed: y_i = fma(-a, q_i, y_i) when q is
 * given, and then x = y = updated. */
struct tile_work {
    int64_t n;
    struct quotient a;
    const double *q;
    double *updated;
    const double *x, *y;
    const int64_t *ended;
};

__device__ static inline bool is_over(const int64_t *ended)
{
    return ended && *ended;
}

/* *result = the exact sum of the terms, rounded once, by the kernels of cuda_exact.cu. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_exact_run(struct space_cuda *cuda, const struct tile_work *work, double *result,
                           struct error *error);

#endif
