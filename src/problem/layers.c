/* A source and layers of nodes after it: node 0 is joined to each node of the first layer by a
 * conductance of 2, and node j of a layer to the nodes j, j + 1, ..., j + d - 1 (mod `width`) of
 * the next one by 1. Node j of layer l = 1, 2, ..., `layers` is row 1 + (l - 1) width + j, and
 *
 *     A[0][0] = 4 width,   A[0][j] = -2,   A[v][v] = 2 d + 1 in the first layer,
 *         5 d / 2 in the others,
 *     A[v][w] = -1 for v and w joined
 *
 * with d = `joined` even: whole numbers, strictly diagonally dominant from d = 2 on.
 *
 * Purpose: with b = e_0 (rhs = "unit") residual k of conjugate gradients is (2 width)^-1 2^-(k-1)
 * on layer k and 0 elsewhere, the coefficients are alpha_0 = 1 / (4 width), then alpha = 1 / (2 d),
 * beta_0 = 1 / (4 width), then beta = 1/4, and q is 0 but on two layers. Where `width` and d are
 * powers of two, all of these, and every partial sum in any order, are exact in double precision:
 * nothing is rounded but x. */
#include "base/threads.h"
#include "problem/generators.h"
#include "problem/grid.h"

#include <inttypes.h>
#include <stddef.h>

static int64_t rows(const void *options)
{
    const struct layers *layers = options;
    int64_t nodes = grid_rows((const int64_t[]){layers->n[0], layers->n[1], 1});
    return nodes < 0 || nodes == INT32_MAX ? -1 : nodes + 1;
}

/* Node j of a layer whose first row is `first`: the diagonal; then the nodes of the next layer that
 * wrap around, which are its first nodes; then the nodes from j on. */
static void fill_node(const struct layers *layers, int64_t first, int64_t j, int64_t place,
                      struct csr *A)
{
    int64_t width = layers->n[1], d = layers->joined, next = first + width;
    int64_t wrapped = j + d > width ? j + d - width : 0;
    A->columns[place] = (int32_t)(first + j);
    A->values[place++] = (double)(first == 1 ? 2 * d + 1 : 5 * d / 2);
    if (next > layers->n[0] * width)
        return;
    for (int64_t k = 0; k < d; k++, place++) {
        A->columns[place] = (int32_t)(k < wrapped ? next + k : next + j + k - wrapped);
        A->values[place] = -1;
    }
}

struct filling {
    const struct layers *layers;
    struct csr *A;
};

/* Rows of the layers: each but row 0. */
static void fill_rows(void *context, int64_t begin, int64_t end)
{
    const struct filling *filling = context;
    const struct layers *layers = filling->layers;
    struct csr *A = filling->A;
    int64_t width = layers->n[1], row_length = layers->joined + 1, last = A->n - width;
    for (int64_t k = begin; k < end; k++) {
        int64_t j = k % width, row = k + 1, long_rows = (row < last ? row : last) - 1;
        A->offsets[row] = 1 + width + long_rows * row_length + (k - long_rows);
        fill_node(layers, row - j, j, A->offsets[row], A);
    }
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct layers *layers = options;
    int64_t width = layers->n[1], row_length = layers->joined + 1;
    int64_t n = rows(layers), last = n - width;
    int64_t last_place = 1 + width + (last - 1) * row_length;
    enum status status = csr_create(A, CSR_SYMMETRIC, n, last_place + width, error);
    if (status)
        return status;
    A->offsets[0] = 0;
    A->columns[0] = 0;
    A->values[0] = 4 * (double)width;
    for (int64_t j = 1; j <= width; j++) {
        A->columns[j] = (int32_t)j;
        A->values[j] = -2;
    }
    threads_each(threads_lent(), n - 1, fill_rows, &(struct filling){layers, A});
    A->offsets[n] = last_place + width;
    return STATUS_OK;
}

/* ---- the component --------------------------------------------------------------------------- */

static const char *complain(const void *options, const char **parameter)
{
    const struct layers *layers = options;
    *parameter = "n";
    if (rows(layers) < 0)
        return grid_too_large;
    *parameter = "joined";
    return layers->joined % 2 != 0 || layers->joined > layers->n[1]
               ? "an even number from 2 to the width of a layer is wanted"
               : NULL;
}

static void describe(const void *options, FILE *stream)
{
    const struct layers *layers = options;
    fprintf(stream, "layers, %" PRId64 " of %" PRId64 " nodes, joined with %" PRId64, layers->n[0],
            layers->n[1], layers->joined);
}

static const struct parameter parameters[] = {
    {"n", "layers, nodes of each", NULL, TAKES_INTEGER(struct layers, n, 1, INT32_MAX), .count = 2},
    {"joined", "nodes of the next layer that a node is joined with; even", "16",
     TAKES_INTEGER(struct layers, joined, 2, INT32_MAX)},
    {0}};

const struct problem problem_layers = {{COMPONENT_PROBLEM, "layers",
                                        "layers of nodes, all whole numbers", parameters,
                                        sizeof(struct layers), complain},
                                       .rows = rows,
                                       .make = make,
                                       .describe = describe};
