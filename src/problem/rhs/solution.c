/* b = (shift I + A) x for a known x, all 1 or random: b_i = fma(shift, x_i, (A x)_i), or (A x)_i
 * where shift is 0, by csr_multiply. The random x of column j has seed + j. */
#include "base/memory.h"
#include "matrix/store.h"
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

static enum status fill(const void *options, const struct csr *A, double shift, int64_t columns,
                        double *B, struct error *error)
{
    const struct solution *solution = options;
    enum status status = csr_store(A, error);
    double *x = status ? NULL : memory_array(A->n, sizeof *x, "the known solution", error);
    if (!x)
        return status ? status : STATUS_MEMORY;
    for (int64_t i = 0; i < A->n && solution->x == KNOWN_ONES; i++)
        x[i] = 1;
    for (int64_t j = 0; j < columns; j++) {
        double *b = B + j * A->n;
        if (solution->x == KNOWN_RANDOM)
            rhs_draw((int64_t)((uint64_t)solution->seed + (uint64_t)j), A->n, 1, x);
        csr_multiply(A, x, b);
        for (int64_t i = 0; i < A->n && shift != 0; i++)
            b[i] = fma(shift, x[i], b[i]);
    }
    memory_free(x);
    return STATUS_OK;
}

static const struct parameter parameters[] = {
    PARAMETERS_OF(struct solution, seed, rhs_seed),
    {"x", "the known x", "ones", TAKES_CHOICE(struct solution, x, knowns)},
    {0}};

const struct rhs rhs_solution = {
    {COMPONENT_RHS, "solution", "b = A x for a known x", parameters, sizeof(struct solution), NULL},
    fill,
    NULL};
