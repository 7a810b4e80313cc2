/* b_i uniform in [-1, 1): random_vector of base/random.h. */
#include "base/random.h"
#include "problem/rhs.h"

struct drawn {
    int64_t seed;
};

static enum status fill(const void *options, const struct csr *A, double shift, double *b,
                        struct error *error)
{
    (void)shift, (void)error;
    random_vector(((const struct drawn *)options)->seed, A->n, b);
    return STATUS_OK;
}

static const struct parameter parameters[] = {PARAMETERS_OF(struct drawn, seed, rhs_seed), {0}};

const struct rhs rhs_random = {
    {COMPONENT_RHS, "random", "b_i uniform in [-1, 1)", parameters, sizeof(struct drawn), NULL},
    fill};
