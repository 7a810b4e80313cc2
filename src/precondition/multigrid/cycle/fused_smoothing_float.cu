#include "precondition/multigrid/cycle/fused_smoothing.cuh"

static enum status before(const struct linear_operator *A, bool enters, const struct smooth *first,
                          const struct smooth *second, struct error *error)
{
    if (enters)
        return fused_smoothing_launch(A, sweep_before<float, true>{*first, *second}, NULL, NULL,
                                      error);
    return fused_smoothing_launch(A, sweep_before<float, false>{*first, *second}, NULL, NULL,
                                  error);
}

static enum status last(const struct linear_operator *A, bool leaves, const struct smooth *step,
                        struct error *error)
{
    if (leaves)
        return fused_smoothing_launch(A, sweep_last<float, true>{*step}, NULL,
                                      step->float_scaling.dot, error);
    return fused_smoothing_launch(A, sweep_last<float, false>{*step}, NULL, NULL, error);
}

const struct fused_smoothing *fused_smoothing_float_cuda(const struct linear_operator *A)
{
    static const struct fused_smoothing fused_smoothing = {before, fused_smoothing_residual<float>,
                                                           fused_smoothing_up<float>, last};
    return fused_smoothing_suit<float>(A) ? &fused_smoothing : NULL;
}
