#include "precondition/multigrid/cycle/fused_smoothing.h"

#include "base/cuda_part.h"

/* The sums are those of REDUCTIONS_REPRODUCIBLE. */
const struct fused_smoothing *fused_smoothing_find(const struct linear_operator *A, bool in_single)
{
    const struct space *space = A->space;
    bool sums =
        space->operations->kind == SPACE_CUDA && space->reductions == REDUCTIONS_REPRODUCIBLE;
    return sums ? CUDA_PART(fused_smoothing_cuda)(A, in_single) : NULL;
}
