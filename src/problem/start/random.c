/* x_i uniform in [-1, 1), as rhs/random.c makes b. */
#include "problem/start.h"

struct drawn {
    int64_t seed;
};

static enum status fill(const void *options, int64_t n, const struct rhs_part *part, double *X,
                        struct error *error)
{
    (void)error;
    rhs_draw(((const struct drawn *)options)->seed, n, part, X);
    return STATUS_OK;
}

static const struct parameter parameters[] = {PARAMETERS_OF(struct drawn, seed, rhs_seed), {0}};

const struct start start_random = {
    {COMPONENT_START, "random", "x_i uniform in [-1, 1)", parameters, sizeof(struct drawn), NULL},
    fill};
