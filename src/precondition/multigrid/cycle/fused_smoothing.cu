#include "precondition/multigrid/cycle/fused_smoothing.cuh"

static enum status before(const struct linear_operator *A, bool, const struct smooth *first,
                          const struct smooth *second, struct error *error)
{
    return fused_smoothing_launch(A, sweep_before<double, false>{*first, *second}, NULL, NULL,
                                  error);
}

static enum status last(const struct linear_operator *A, bool, const struct smooth *step,
                        struct error *error)
{
    return fused_smoothing_launch(A, sweep_last<double, false>{*step}, NULL, step->dot, error);
}

const struct fused_smoothing *fused_smoothing_cuda(const struct linear_operator *A)
{
    static const struct fused_smoothing fused_smoothing = {before, fused_smoothing_residual<double>,
                                                           fused_smoothing_up<double>, last};
    return fused_smoothing_suit<double>(A) ? &fused_smoothing : NULL;
}
