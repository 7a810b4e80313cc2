/* Two nodes that a penalty ties together, as a rigid link or an ideal wire is often modelled: a
 * network of n nodes (problem/network.c says what that is) in which the last two, t and u, are
 * joined by a conductance of 2^52, and each of the other n - 2 is joined to both of them and to the
 * ground:
 *
 *     A[k][t] = A[k][u] = -c_k,   A[k][k] = ground + 2 c_k                      for k < n - 2
 *     A[t][t] = A[u][u] = 2^52 + (n - 2) / 2,   A[t][u] = -2^52
 *     c_2i = f_i,   c_2i+1 = 1 - f_i,   f_i = ((splitmix64(seed, i) >> 12) | 1) 2^-52
 *
 * (base/random.h). The c of a pair add up to 1, so A[t][t] is exact: the rows of t and u add up
 * to 0, and those of the others to ground, but for the rounding of A[k][k]. A is positive definite.
 *
 * Purpose: t and u have the same neighbours. So if b_t = b_u, then x_t = x_u, and conjugate
 * gradients never notice the tie, if the sums of the two rows are equal; they are if each is
 * rounded once. The next product multiplies a difference of one bit by 2^52. The terms of a row
 * span some 158 bits. A sum with twice the digits of double loses some of them, depending on the
 * order. */
#include "base/random.h"
#include "base/threads.h"
#include "problem/generators.h"

#include <inttypes.h>
#include <stddef.h>

static const double TIE = 0x1p52;

static double conductance(const struct tied *tied, int64_t node)
{
    uint64_t bits = splitmix64((uint64_t)tied->seed, (uint64_t)(node / 2)) >> 12 | 1;
    double f = (double)bits * 0x1p-52;
    return node % 2 == 0 ? f : 1 - f;
}

struct filling {
    const struct tied *tied;
    struct csr *A;
};

/* Rows of nodes that are not tied. */
static void fill_rows(void *context, int64_t begin, int64_t end)
{
    const struct filling *filling = context;
    const struct tied *tied = filling->tied;
    const struct csr *A = filling->A;
    for (int64_t k = begin; k < end; k++) {
        int64_t place = A->offsets[k] = 3 * k;
        double c = conductance(tied, k);
        A->columns[place] = (int32_t)k;
        A->columns[place + 1] = (int32_t)(tied->n - 2);
        A->columns[place + 2] = (int32_t)(tied->n - 1);
        A->values[place] = tied->ground + 2 * c;
        A->values[place + 1] = A->values[place + 2] = -c;
    }
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct tied *tied = options;
    int64_t others = tied->n - 2, t = others, u = others + 1;
    enum status status = csr_create(A, CSR_SYMMETRIC, tied->n, 3 * others + 3, error);
    if (status)
        return status;
    threads_each(threads_lent(), others, fill_rows, &(struct filling){tied, A});
    int64_t place = A->offsets[t] = 3 * others;
    A->offsets[u] = place + 2;
    A->offsets[tied->n] = place + 3;
    A->columns[place] = (int32_t)t;
    A->columns[place + 1] = A->columns[place + 2] = (int32_t)u;
    A->values[place] = A->values[place + 2] = TIE + (double)(others / 2);
    A->values[place + 1] = -TIE;
    return STATUS_OK;
}

/* ---- the component --------------------------------------------------------------------------- */

static int64_t rows(const void *options)
{
    return ((const struct tied *)options)->n;
}

static const char *complain(const void *options, const char **parameter)
{
    *parameter = "n";
    return rows(options) % 2 != 0 ? "an even number of nodes, from 4 on, is wanted" : NULL;
}

static void describe(const void *options, FILE *stream)
{
    const struct tied *tied = options;
    fprintf(stream, "tied, %" PRId64 " nodes, ground %.6g, seed %" PRId64, tied->n, tied->ground,
            tied->seed);
}

static const struct parameter parameters[] = {
    {"n", "nodes, the two tied ones among them; even", NULL,
     TAKES_INTEGER(struct tied, n, 4, INT32_MAX)},
    {"ground", "the conductance from each other node to the ground", "1",
     TAKES_REAL(struct tied, ground, 0, 1e15), .above = true},
    {"seed", "seed of the conductances", "1", TAKES_INTEGER(struct tied, seed, 0, INT64_MAX)},
    {0}};

const struct problem problem_tied = {{COMPONENT_PROBLEM, "tied",
                                      "conductances, with two nodes tied by a penalty", parameters,
                                      sizeof(struct tied), complain},
                                     .rows = rows,
                                     .make = make,
                                     .describe = describe};
