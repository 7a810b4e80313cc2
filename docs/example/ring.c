/* A closed chain of n nodes, each tied to the next one by `stiffness` and to the ground by `shift`:
 *
 *     A[i][i] = 2 stiffness + shift,    A[i][(i + 1) mod n] = A[(i + 1) mod n][i] = -stiffness
 *
 * An example for docs/architecture.md: this file, and PROBLEM(ring) in src/problem/problems.def. */
#include "problem/problem.h"

#include <inttypes.h>

struct ring {
    int64_t n;
    double stiffness, shift;
};

static int64_t rows(const void *options)
{
    return ((const struct ring *)options)->n;
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct ring *ring = options;
    int64_t n = ring->n, place = 0;
    enum status status = csr_create(A, CSR_SYMMETRIC, n, 2 * n, error);
    if (status)
        return status;
    for (int64_t i = 0; i < n; i++) {
        A->offsets[i] = place;
        A->columns[place] = (int32_t)i;
        A->values[place++] = 2 * ring->stiffness + ring->shift;
        for (int64_t j = i + 1; j < n; j += i == 0 ? n - 2 : n) { /* the next one; of node 0 the
                                                                      last one too */
            A->columns[place] = (int32_t)j;
            A->values[place++] = -ring->stiffness;
        }
    }
    A->offsets[n] = place;
    return STATUS_OK;
}

static void describe(const void *options, FILE *stream)
{
    const struct ring *ring = options;
    fprintf(stream, "ring, %" PRId64 " nodes, stiffness %g, shift %g", ring->n, ring->stiffness,
            ring->shift);
}

static const struct parameter parameters[] = {
    {"n", "nodes", NULL, TAKES_INTEGER(struct ring, n, 3, INT32_MAX)},
    {"stiffness", "of the tie to the next node", "1", TAKES_REAL(struct ring, stiffness, 0, 1e6),
     .above = true},
    {"shift", "the tie to the ground: the smallest eigenvalue", "1e-3",
     TAKES_REAL(struct ring, shift, 0, 1e6)},
    {0}};

const struct problem problem_ring = {
    {COMPONENT_PROBLEM, "ring", "a closed chain of nodes", parameters, sizeof(struct ring), NULL},
    .rows = rows,
    .make = make,
    .describe = describe,
};
