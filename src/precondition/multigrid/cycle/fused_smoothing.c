#include "precondition/multigrid/cycle/fused_smoothing.h"

/* The sums are those of REDUCTIONS_REPRODUCIBLE. */
const struct fused_smoothing *fused_smoothing_find(const struct linear_operator *A, bool in_single)
{
#ifdef CGSOLVE_CUDA
    const struct space *space = A->space;
    if (space->operations->kind == SPACE_CUDA && space->reductions == REDUCTIONS_REPRODUCIBLE)
        return fused_smoothing_cuda(A, in_single);
#endif
    (void)A, (void)in_single;
    return NULL;
}
