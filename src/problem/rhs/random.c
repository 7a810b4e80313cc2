/* b_i uniform in [-1, 1): random_vector of base/random.h, column j with seed + j. */
#include "problem/rhs.h"

struct drawn {
    int64_t seed;
};

static enum status fill(const void *options, const struct csr *A, double shift,
                        const struct rhs_part *part, double *B, struct error *error)
{
    (void)shift, (void)error;
    rhs_draw(((const struct drawn *)options)->seed, A->n, part, B);
    return STATUS_OK;
}

static const struct parameter parameters[] = {PARAMETERS_OF(struct drawn, seed, rhs_seed), {0}};

const struct rhs rhs_random = {
    {COMPONENT_RHS, "random", "b_i uniform in [-1, 1)", parameters, sizeof(struct drawn), NULL},
    fill,
    NULL};
