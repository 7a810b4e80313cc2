#include "precondition/multigrid/sweeps.cuh"

static enum status before(const struct linear_operator *A, bool, const struct smooth *first,
                          const struct smooth *second, struct error *error)
{
    return sweeps_launch(A, sweep_before<double, false>{*first, *second}, NULL, NULL, error);
}

static enum status last(const struct linear_operator *A, bool, const struct smooth *step,
                        struct error *error)
{
    return sweeps_launch(A, sweep_last<double, false>{*step}, NULL, step->dot, error);
}

const struct sweeps *sweeps_cuda(const struct linear_operator *A)
{
    static const struct sweeps sweeps = {before, sweeps_residual<double>, sweeps_up<double>, last};
    return sweeps_suit<double>(A) ? &sweeps : NULL;
}
