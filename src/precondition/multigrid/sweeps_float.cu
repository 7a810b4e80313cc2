#include "precondition/multigrid/sweeps.cuh"

static enum status before(const struct linear_operator *A, bool enters, const struct smooth *first,
                          const struct smooth *second, struct error *error)
{
    if (enters)
        return sweeps_launch(A, sweep_before<float, true>{*first, *second}, NULL, NULL, error);
    return sweeps_launch(A, sweep_before<float, false>{*first, *second}, NULL, NULL, error);
}

static enum status last(const struct linear_operator *A, bool leaves, const struct smooth *step,
                        struct error *error)
{
    if (leaves)
        return sweeps_launch(A, sweep_last<float, true>{*step}, NULL, step->ends.dot, error);
    return sweeps_launch(A, sweep_last<float, false>{*step}, NULL, NULL, error);
}

const struct sweeps *sweeps_float_cuda(const struct linear_operator *A)
{
    static const struct sweeps sweeps = {before, sweeps_residual<float>, sweeps_up<float>, last};
    return sweeps_suit<float>(A) ? &sweeps : NULL;
}
