/* b = (shift I + A) x for a known x, all 1 or random: b_i = fma(shift, x_i, (A x)_i), or (A x)_i
 * where shift is 0, by csr_multiply. */
#include "base/memory.h"
#include "base/random.h"
#include "problem/rhs.h"

#include <math.h>

enum known {
    KNOWN_ONES,
    KNOWN_RANDOM,
};

static const char *const knowns[] = {[KNOWN_ONES] = "ones", [KNOWN_RANDOM] = "random", NULL};

struct solution {
    enum known x;
    int64_t seed;
};

static enum status fill(const void *options, const struct csr *A, double shift, double *b,
                        struct error *error)
{
    const struct solution *solution = options;
    double *x = memory_array(A->n, sizeof *x, "the known solution", error);
    if (!x)
        return STATUS_MEMORY;
    if (solution->x == KNOWN_RANDOM)
        random_vector(solution->seed, A->n, x);
    for (int64_t i = 0; i < A->n && solution->x == KNOWN_ONES; i++)
        x[i] = 1;
    csr_multiply(A, x, b);
    for (int64_t i = 0; i < A->n && shift != 0; i++)
        b[i] = fma(shift, x[i], b[i]);
    memory_free(x);
    return STATUS_OK;
}

static const struct parameter parameters[] = {
    PARAMETERS_OF(struct solution, seed, rhs_seed),
    {"x", "the known x", "ones", TAKES_CHOICE(struct solution, x, knowns)},
    {0}};

const struct rhs rhs_solution = {
    {COMPONENT_RHS, "solution", "b = A x for a known x", parameters, sizeof(struct solution), NULL},
    fill};
