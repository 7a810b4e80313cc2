/* A graph whose nodes have features, rows of K numbers: the Laplacian of its edges, each weighted
 * by how near the features of its ends are:
 *
 *     A = D - W + shift I,   w_ij = f(d_ij),   d_ij^2 = |x_i - x_j|^2,   D_ii = the sum of w_ij
 *     f = exp(-d^2 / (2 sigma^2)), "gaussian",   or 1 / (1 + d^2 / sigma^2), "rational"
 *
 * v' A v = the sum of w_ij (v_i - v_j)^2 over the edges + shift |v|^2, and no weight is negative:
 * so A is positive definite, with `shift` for its smallest eigenvalue, and singular where that is
 * 0. That is up to rounding: a shift below about 1e-16 D_ii times the edges of a node may be lost
 * in A_ii.
 *
 * The graph is the pattern of a Matrix Market file, a symmetric matrix, whose values and diagonal
 * mean nothing more. Or it is made, a small world (Newman and Watts 1999): nodes on a ring, each
 * joined to the next `near` on both sides, and to `far` nodes anywhere. Order t of the nodes
 * (problem/pattern.h), of splitmix64(seed, 4 + 2 t), t = 0, ..., far - 1, joins node i to the
 * node at its place i. An edge that comes twice is one. Features are the rows of a NumPy file, or
 * drawn, x_ic = random_uniform(splitmix64(seed, 2), K i + c), in [-1, 1).
 *
 * The bits are the same everywhere. x_i . x_j are sampled products (matrix/sddmm.h) on the upper
 * triangle, whose diagonal has the x_i . x_i; then
 *
 *     d^2 = fma(-2, x_i . x_j, x_i . x_i + x_j . x_j), and 0 where that is below 0
 *
 * so d^2 of near features has cancellation: its error is some 1e-16 (x_i . x_i + x_j . x_j). e^x is
 * that of base/exponential.h; D_ii adds the weights of row i in ascending columns to +0, and A_ii =
 * D_ii + shift. */
#include "base/exponential.h"
#include "base/memory.h"
#include "base/multiversion.h"
#include "base/random.h"
#include "base/text.h"
#include "base/threads.h"
#include "io/market/matrix_market.h"
#include "io/market/symmetry.h"
#include "io/npy_file.h"
#include "matrix/sddmm.h"
#include "problem/generators.h"
#include "problem/pattern.h"

#include <inttypes.h>
#include <math.h>

/* ---- the graph ------------------------------------------------------------------------------- */

struct small_world {
    const struct feature_graph *graph;
    struct random_order orders[FEATURE_GRAPH_EDGES_MAX];
};

/* An edge of the row, in the upper triangle. */
static void insert(int64_t row, int64_t column, int64_t *columns, int *count)
{
    if (column > row)
        pattern_insert(column, columns, count);
}

static int64_t fill_row(const void *generator, int64_t row, int32_t *columns)
{
    const struct small_world *world = generator;
    int64_t n = world->graph->n, found[4 * FEATURE_GRAPH_EDGES_MAX];
    int count = 0;
    for (int64_t d = 1; d <= world->graph->near; d++) {
        insert(row, (row + d) % n, found, &count);
        insert(row, (row + n - d % n) % n, found, &count);
    }
    for (int64_t t = 0; t < world->graph->far; t++) {
        insert(row, random_order_at(&world->orders[t], row), found, &count);
        insert(row, random_order_of(&world->orders[t], row), found, &count);
    }
    return pattern_give(found, count, columns);
}

static enum status make_edges(const struct feature_graph *graph, struct csr *A, struct error *error)
{
    const struct pattern_options options = {
        .kind = PATTERN_SYMMETRIC, .shift = 1, .seed = graph->seed};
    struct small_world world = {.graph = graph};
    for (int64_t t = 0; t < graph->far; t++)
        world.orders[t] =
            random_order_make(splitmix64((uint64_t)graph->seed, 4 + 2 * (uint64_t)t), graph->n);
    return pattern_create(&options, graph->n, fill_row, &world, A, error);
}

static enum status read_edges(const struct feature_graph *graph, struct csr *A, struct error *error)
{
    enum status status = matrix_market_read(graph->graph, CSR_SYMMETRIC, ASYMMETRY_OF_ROUNDING,
                                            NULL, A, NULL, error);
    if (status || A->kind == CSR_SYMMETRIC)
        return status;
    csr_free(A);
    return error_set(error, STATUS_INPUT, "%s: is skew-symmetric, but a graph is symmetric",
                     graph->graph);
}

/* ---- the features ---------------------------------------------------------------------------- */

static enum status allocate(int64_t n, int64_t columns, double **x, struct error *error)
{
    static const char *const what = "the array of features";
    enum status status = memory_fits((double)n * (double)columns * sizeof **x, what, error);
    if (status)
        return status;
    *x = memory_array(n * columns, sizeof **x, what, error);
    return *x ? STATUS_OK : STATUS_MEMORY;
}

static enum status draw(const struct feature_graph *graph, int64_t n, double **x, int64_t *columns,
                        struct error *error)
{
    *columns = graph->dimensions;
    enum status status = allocate(n, *columns, x, error);
    if (!status)
        random_vector((int64_t)splitmix64((uint64_t)graph->seed, 2), n * *columns, *x);
    return status;
}

static enum status read_rows(const struct npy_file *file, double *x, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < file->rows && !status; i++) {
        double *row = x + i * file->columns;
        status = npy_read(file, i, row, error);
        for (int64_t c = 0; c < file->columns && !status; c++)
            if (!(fabs(row[c]) <= 1e100))
                status = error_set(error, STATUS_INPUT,
                                   "%s: row %" PRId64 ", column %" PRId64
                                   ": %g, but a feature lies within -1e100 to 1e100",
                                   file->path, i + 1, c + 1, row[c]);
    }
    return status;
}

static enum status read(const char *path, int64_t n, double **x, int64_t *columns,
                        struct error *error)
{
    struct npy_file file;
    enum status status = npy_open(path, &file, error);
    if (status)
        return status;
    if (file.rows != n || file.columns < 1)
        status = error_set(error, STATUS_INPUT,
                           "%s: has %" PRId64 " rows of %" PRId64 ", but the graph has %" PRId64
                           " nodes, each with a row of features",
                           path, file.rows, file.columns, n);
    *columns = file.columns;
    if (!status)
        status = allocate(n, *columns, x, error);
    if (!status)
        status = read_rows(&file, *x, error);
    npy_abandon(&file);
    return status;
}

/* ---- the weights ----------------------------------------------------------------------------- */

enum { PIECE = 4096, ROWS = 256 }; /* entries, and rows, of a thread at a time */

struct filling {
    const struct feature_graph *graph;
    struct sddmm_operands of;
    double *norms; /* [n] x_i . x_i; then the 1 that W is multiplied with */
    double *sums;  /* [n] of the full rows of W */
    struct csr *A; /* its pattern gets values */
};

static void sample(void *context, int64_t begin, int64_t end)
{
    const struct filling *filling = context;
    sddmm_entries(filling->A, &filling->of, begin, end, filling->A->values);
}

static void copy_norms(void *context, int64_t begin, int64_t end)
{
    const struct filling *filling = context;
    const struct csr *A = filling->A;
    for (int64_t i = begin; i < end; i++)
        filling->norms[i] = A->values[A->offsets[i]];
}

/* The products of row i become weights, and that on the diagonal 0. norms[j] = x_j . x_j */
MULTIVERSION static void weigh(const struct feature_graph *graph, const double *norms, int64_t i,
                               struct csr *A)
{
    int64_t begin = A->offsets[i], end = A->offsets[i + 1];
    double *w = A->values, square = graph->sigma * graph->sigma;
    w[begin] = 0;
    for (int64_t k = begin + 1; k < end; k++) {
        double d = fma(-2, w[k], norms[i] + norms[A->columns[k]]);
        w[k] = d > 0 ? d : 0;
    }
    if (graph->weight == FEATURE_GAUSSIAN)
        for (int64_t k = begin + 1; k < end; k++)
            w[k] = exponential(-w[k] / (2 * square));
    else
        for (int64_t k = begin + 1; k < end; k++)
            w[k] = 1 / (1 + w[k] / square);
}

static void weigh_rows(void *context, int64_t begin, int64_t end)
{
    const struct filling *filling = context;
    for (int64_t i = begin; i < end; i++)
        weigh(filling->graph, filling->norms, i, filling->A);
}

/* W becomes shift I + D - W. */
static void finish_rows(void *context, int64_t begin, int64_t end)
{
    const struct filling *filling = context;
    const struct csr *A = filling->A;
    for (int64_t i = begin; i < end; i++) {
        A->values[A->offsets[i]] = filling->sums[i] + filling->graph->shift;
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++)
            A->values[k] = 0 - A->values[k];
    }
}

/* The pattern of A gets its values. W (1, ..., 1)' are the sums of its full rows in their order.
 * numbers[2 n] is memory. */
static void fill(const struct feature_graph *graph, const double *x, int64_t columns,
                 double *numbers, struct csr *A)
{
    struct filling filling = {
        graph, {x, x, A->n, A->n, columns, columns, columns}, numbers, numbers + A->n, A};
    struct threads *threads = threads_lent();
    double *ones = numbers;
    threads_take(threads, A->nnz, PIECE, sample, &filling);
    threads_each(threads, A->n, copy_norms, &filling);
    threads_take(threads, A->n, ROWS, weigh_rows, &filling);
    for (int64_t i = 0; i < A->n; i++)
        ones[i] = 1;
    csr_multiply(A, ones, filling.sums);
    threads_take(threads, A->n, ROWS, finish_rows, &filling);
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct feature_graph *graph = options;
    enum status status = graph->graph ? read_edges(graph, A, error) : make_edges(graph, A, error);
    if (status)
        return status;
    double *x = NULL, *numbers = NULL;
    int64_t columns;
    status = graph->features ? read(graph->features, A->n, &x, &columns, error)
                             : draw(graph, A->n, &x, &columns, error);
    if (!status) {
        numbers = memory_array(2 * A->n, sizeof *numbers, "the sums of the weights", error);
        status = numbers ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status)
        fill(graph, x, columns, numbers, A);
    else
        csr_free(A);
    memory_free(x);
    memory_free(numbers);
    return status;
}

/* ---- the component --------------------------------------------------------------------------- */

static const char *const weights[] = {
    [FEATURE_GAUSSIAN] = "gaussian", [FEATURE_RATIONAL] = "rational", NULL};

static enum status shape(const void *options, struct csr *shape, struct error *error)
{
    const struct feature_graph *graph = options;
    if (graph->graph)
        return matrix_market_shape(graph->graph, shape, error);
    int64_t n = graph->n;
    *shape = (struct csr){.kind = CSR_SYMMETRIC, .n = n, .width = n, .nnz = n};
    return STATUS_OK;
}

static const char *complain(const void *options, const char **parameter)
{
    const struct feature_graph *graph = options;
    *parameter = "n";
    if (graph->graph)
        return graph->n > 0 ? "leave it out: the file problem.graph has the number of nodes" : NULL;
    return graph->n == 0 ? "give the number of nodes, or a file problem.graph" : NULL;
}

static void describe(const void *options, FILE *stream)
{
    const struct feature_graph *graph = options;
    char shown[1024];
    fputs("feature_graph, ", stream);
    if (graph->graph)
        fputs(shown_text(graph->graph, shown, sizeof shown), stream);
    else
        fprintf(stream, "%" PRId64 " nodes, near %" PRId64 ", far %" PRId64, graph->n, graph->near,
                graph->far);
    if (graph->features)
        fprintf(stream, ", features of %s", shown_text(graph->features, shown, sizeof shown));
    else
        fprintf(stream, ", %" PRId64 " dimension%s", graph->dimensions,
                text_plural(graph->dimensions));
    fprintf(stream, ", %s, sigma %.6g, shift %.6g, seed %" PRId64, weights[graph->weight],
            graph->sigma, graph->shift, graph->seed);
}

static const struct parameter parameters[] = {
    {"graph", "a Matrix Market file whose pattern has the edges; else generated ones", NULL,
     TAKES_FILE(struct feature_graph, graph), .optional = true},
    {"n", "nodes; to be given where problem.graph is not, and only there", "0",
     TAKES_INTEGER(struct feature_graph, n, 0, INT32_MAX)},
    {"near", "how many of the next nodes on either side a node is joined to", "2",
     TAKES_INTEGER(struct feature_graph, near, 0, FEATURE_GRAPH_EDGES_MAX)},
    {"far", "edges from a node to anywhere", "1",
     TAKES_INTEGER(struct feature_graph, far, 0, FEATURE_GRAPH_EDGES_MAX)},
    {"features", "a NumPy file of doubles, a row a node; left out: they are drawn", NULL,
     TAKES_FILE(struct feature_graph, features), .optional = true},
    {"dimensions", "how many features of a node are drawn, uniform in [-1, 1)", "8",
     TAKES_INTEGER(struct feature_graph, dimensions, 1, FEATURE_GRAPH_DIMENSIONS_MAX)},
    {"weight",
     "the weight of an edge of length d: exp(-d^2 / (2 sigma^2)); 1 / (1 + d^2 / sigma^2)",
     "gaussian", TAKES_CHOICE(struct feature_graph, weight, weights)},
    {"sigma", "the length scale of the weights", "1",
     TAKES_REAL(struct feature_graph, sigma, 1e-100, 1e100)},
    {"shift", "what is added to the diagonal: the smallest eigenvalue; with 0 A is singular",
     "1e-3", TAKES_REAL(struct feature_graph, shift, 0, 1e100)},
    {"seed", "seed of the far edges and of the features", "1",
     TAKES_INTEGER(struct feature_graph, seed, 0, INT64_MAX)},
    {0}};

const struct problem problem_feature_graph = {
    {COMPONENT_PROBLEM, "feature_graph", "a graph weighted by the features of its nodes",
     parameters, sizeof(struct feature_graph), complain},
    .make = make,
    .describe = describe,
    .shape = shape,
};
