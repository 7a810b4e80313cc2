#include "program/config/metis_numbering.h"

#ifdef CGSOLVE_METIS

#include "base/memory.h"
#include "matrix/rcm.h"

#include <inttypes.h>
#include <metis.h>

enum { SEED = 1 };

const char *metis_missing(void)
{
    return NULL;
}

/* The neighbours of row i are neighbours[k], offsets[i] <= k < offsets[i + 1]. Ascending, filled in
 * by one thread, because METIS's cut depends on their order. */
struct graph {
    idx_t *offsets;    /* [n + 2] */
    idx_t *neighbours; /* [arcs] */
};

static int64_t arcs_of(const struct csr *A)
{
    return 2 * (A->nnz - A->n);
}

static void graph_fill(const struct csr *A, struct graph *graph)
{
    idx_t *next = graph->offsets + 1; /* the place of the next neighbour of a row */
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++) {
            graph->offsets[i + 2]++;
            graph->offsets[A->columns[k] + 2]++;
        }
    for (int64_t i = 0; i < A->n; i++)
        next[i + 1] += next[i];
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++) {
            graph->neighbours[next[i]++] = A->columns[k];
            graph->neighbours[next[A->columns[k]]++] = (idx_t)i;
        }
}

static enum status graph_create(const struct csr *A, struct graph *graph, struct error *error)
{
    int64_t arcs = arcs_of(A);
    /* Beside the graph METIS has weights, a coarser copy and two halves. */
    double bytes = sizeof(idx_t) * (12.0 * (double)A->n + 5.0 * (double)arcs);
    enum status status = memory_fits(bytes, "the graph of the matrix that METIS cuts", error);
    if (status)
        return status;
    graph->offsets = memory_zeros(A->n + 2, sizeof *graph->offsets, "the graph's offsets", error);
    if (graph->offsets)
        graph->neighbours = memory_array(arcs, sizeof *graph->neighbours, "the graph", error);
    if (!graph->neighbours)
        return STATUS_MEMORY;
    graph_fill(A, graph);
    return STATUS_OK;
}

/* part[i] = the part of row i. By recursive bisection for any number of parts: its parts differ by
 * a few rows, where METIS_PartGraphKway allows 3 %, and neighbouring parts lie together. */
static enum status cut(const struct csr *A, idx_t parts, idx_t *part, struct error *error)
{
    struct graph graph = {0};
    enum status status = graph_create(A, &graph, error);
    if (!status) {
        idx_t n = (idx_t)A->n, constraints = 1, crossing, options[METIS_NOPTIONS];
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_SEED] = SEED;
        int code =
            METIS_PartGraphRecursive(&n, &constraints, graph.offsets, graph.neighbours, NULL, NULL,
                                     NULL, &parts, NULL, NULL, options, &crossing, part);
        if (code == METIS_ERROR_MEMORY)
            status = error_set(error, STATUS_MEMORY, "out of memory: METIS, for the parts of A");
        else if (code != METIS_OK) /* the input is sound: it has caught a SIGTERM */
            status = error_set(error, STATUS_MEMORY,
                               "METIS could not cut the graph of the matrix (its error %d)", code);
    }
    memory_free(graph.offsets);
    memory_free(graph.neighbours);
    return status;
}

/* Of numbers within the matrix those part by part. next[parts], zeroed, and order[n] are
 * scratch. */
static void number_parts(int64_t n, int64_t parts, const idx_t *part, int32_t *next, int32_t *order,
                         int32_t *number)
{
    for (int64_t i = 0; i < n; i++) {
        order[number[i]] = (int32_t)i;
        next[part[i]]++;
    }
    for (int64_t p = parts - 1, end = n; p >= 0; p--)
        next[p] = (int32_t)(end -= next[p]);
    for (int64_t k = 0; k < n; k++)
        number[order[k]] = next[part[order[k]]]++;
}

enum status metis_numbering(const struct csr *A, int64_t parts, int32_t *number,
                            struct error *error)
{
    if ((idx_t)arcs_of(A) != arcs_of(A))
        return error_set(error, STATUS_MEMORY,
                         "METIS has indices of %d bits here, too few for %" PRId64
                         " entries off the diagonal",
                         IDXTYPEWIDTH, arcs_of(A));
    enum status status = rcm_numbering(A, number, error);
    parts = parts < A->n ? parts : A->n; /* of more METIS complains on the standard output */
    if (status || parts < 2)
        return status;
    idx_t *part = memory_array(A->n, sizeof *part, "the parts of the rows", error);
    int32_t *next = memory_zeros(parts, sizeof *next, "the parts", error);
    int32_t *order = memory_array(A->n, sizeof *order, "the order of the rows", error);
    status = part && next && order ? cut(A, (idx_t)parts, part, error) : STATUS_MEMORY;
    if (!status)
        number_parts(A->n, parts, part, next, order, number);
    memory_free(order);
    memory_free(next);
    memory_free(part);
    return status;
}

#else

const char *metis_missing(void)
{
    return "this build has no METIS, which cuts the graph (make METIS=1)";
}

enum status metis_numbering(const struct csr *A, int64_t parts, int32_t *number,
                            struct error *error)
{
    (void)A, (void)parts, (void)number;
    return error_set(error, STATUS_UNAVAILABLE, "%s", metis_missing());
}

#endif
