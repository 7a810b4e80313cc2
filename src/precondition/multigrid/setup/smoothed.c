#include "precondition/multigrid/setup/smoothed.h"

#include "precondition/multigrid/setup/distance2.h"
#include "precondition/multigrid/setup/graph.h"
#include "precondition/multigrid/setup/smoothed_rows.h"
#include "space/rows.h"
#include "spmv/device_csr.h"
#include "spmv/lower_rows.h"

static const char what[] = "smoothed aggregation";

/* Couplings of nodes that are as weak as this beside their diagonal blocks do not count. */
static const float THRESHOLD = 0.01F;

/* So many lanes share the blocks of a row of A_c; what a row of P or of A P, and of A_c, is put
 * together from. */
enum { ROW_LANES = 4, LIST_LANES = 4, COARSE_LIST_LANES = 32 };

int64_t smoothed_bytes(const struct csr *A, const struct near_null_vectors *vectors)
{
    enum { ENTRY = 48, BLOCKS = 32 }; /* of P and A P, a node */
    int64_t row = vectors->width * (int64_t)sizeof(double);
    return A->nnz < INT32_MAX ? A->nnz * ENTRY + A->n * row * BLOCKS : -1;
}

/* A level while it is made: what is in `by`, and what is freed after it. */
struct making {
    struct space *space;
    struct graph graph;
    struct smoothed by;
    int64_t nodes, coarse; /* how many */
};

static enum status run(const struct making *m, const struct pass *pass, int64_t n,
                       struct error *error)
{
    return rows_run(m->space, pass, n, &m->by, error);
}

/* By that many lanes an element. */
static enum status run_lanes(struct making *m, const struct pass *pass, int64_t n, int64_t lanes,
                             struct error *error)
{
    m->by.lanes = (int)lanes;
    return run(m, pass, n, error);
}

static enum status array(const struct making *m, int64_t count, size_t size, void **made,
                         struct error *error)
{
    return rows_array(m->space, count, size, what, made, error);
}

/* Offsets and columns of n rows, by two passes of that many lanes a row; *blocks of them. */
static enum status list_blocks(struct making *m, const struct pass *counting,
                               const struct pass *listing, int64_t n, int64_t lanes,
                               struct block_rows *rows, int64_t *blocks, struct error *error)
{
    enum status status = array(m, n + 1, sizeof *rows->offsets, (void **)&rows->offsets, error);
    if (!status)
        status = run_lanes(m, counting, n, lanes, error);
    if (!status)
        status = rows_scan(m->space, n, rows->offsets, error);
    if (!status)
        status = rows_download(m->space, sizeof *blocks, rows->offsets + n, blocks, error);
    if (!status)
        status = array(m, *blocks, sizeof *rows->columns, (void **)&rows->columns, error);
    return status ? status : run_lanes(m, listing, n, lanes, error);
}

/* Then their values, by blocks of `block` rows and `width` columns. */
static enum status make_blocks(struct making *m, const struct pass *counting,
                               const struct pass *listing, const struct pass *making,
                               struct block_rows *rows, int64_t *blocks, struct error *error)
{
    int64_t lanes = m->by.block * m->by.width;
    enum status status =
        list_blocks(m, counting, listing, m->nodes, LIST_LANES, rows, blocks, error);
    if (!status)
        status = array(m, *blocks * lanes, sizeof *rows->values, (void **)&rows->values, error);
    return status ? status : run_lanes(m, making, m->nodes, lanes, error);
}

static void free_blocks(const struct making *m, struct block_rows *rows)
{
    rows_release(m->space, rows->offsets);
    rows_release(m->space, rows->columns);
    rows_release(m->space, rows->values);
    *rows = (struct block_rows){0};
}

/* The blocks by coarse nodes. */
static enum status list_columns(const struct making *m, struct interpolation *P,
                                struct error *error)
{
    int32_t *rows = NULL;
    enum status status = array(m, P->blocks, sizeof *P->nodes, (void **)&P->nodes, error);
    if (!status)
        status = array(m, P->blocks, sizeof *rows, (void **)&rows, error);
    if (!status)
        status = array(m, P->blocks, sizeof *P->order, (void **)&P->order, error);
    if (!status)
        status = array(m, P->coarse + 2, sizeof *P->begins, (void **)&P->begins, error);
    if (!status)
        status = rows_number(m->space, P->fine, P->offsets, rows, error);
    if (!status)
        status = rows_sort(m->space, P->blocks, P->columns, P->coarse, P->order, P->begins, error);
    if (!status)
        status = rows_run(m->space, &pass_ordering, P->blocks,
                          &(struct ordering){rows, P->order, P->nodes}, error);
    rows_release(m->space, rows);
    return status;
}

static enum status interpolate(struct making *m, struct interpolation *P, struct error *error)
{
    struct smoothed *by = &m->by;
    *P = (struct interpolation){.space = m->space,
                                .fine = m->nodes,
                                .block = by->block,
                                .coarse = m->coarse,
                                .width = by->width};
    enum status status = make_blocks(m, &pass_counting_P, &pass_listing_P, &pass_smoothing, &by->P,
                                     &P->blocks, error);
    P->offsets = by->P.offsets;
    P->columns = by->P.columns;
    P->values = by->P.values;
    if (!status)
        status = list_columns(m, P, error);
    by->column_nodes = P->nodes;
    by->order = P->order;
    by->column_begins = P->begins;
    return status;
}

/* A_c */
static enum status contract(struct making *m, struct csr *coarse, struct error *error)
{
    struct smoothed *by = &m->by;
    int64_t k = by->width, blocks;
    enum status status = list_blocks(m, &pass_counting_coarse, &pass_listing_coarse, m->coarse,
                                     COARSE_LIST_LANES, &by->coarse, &blocks, error);
    if (!status)
        status = device_csr_begin(m->space, CSR_SYMMETRIC, m->coarse * k, &by->A_c, error);
    if (!status)
        status = run(m, &pass_measuring_coarse, m->coarse, error);
    if (!status)
        status = device_csr_complete(&by->A_c, error);
    *coarse = by->A_c;
    if (!status)
        status = run(m, &pass_laying, m->coarse, error);
    if (!status)
        status = run_lanes(m, &pass_contracting, m->coarse, k * k * ROW_LANES, error);
    return status ? status : run(m, &pass_filling, m->coarse, error);
}

static enum status make_level(struct making *m, const struct near_null_vectors *vectors,
                              const struct aggregates *aggregates, struct interpolation *P,
                              struct csr *coarse, struct near_null_vectors *below,
                              struct error *error)
{
    struct smoothed *by = &m->by;
    int64_t products;
    double *T;
    enum status status = near_null_orthogonalize(vectors, aggregates, &T, below, error);
    by->T = T;
    by->map = aggregates->map;
    if (!status)
        status = interpolate(m, P, error);
    if (!status)
        status = make_blocks(m, &pass_counting_product, &pass_listing_product, &pass_multiplying,
                             &by->product, &products, error);
    if (!status)
        status = contract(m, coarse, error);
    rows_release(m->space, T);
    free_blocks(m, &by->product);
    free_blocks(m, &by->coarse);
    return status;
}

/* A by its rows and by its nodes, and what couples these. */
static enum status look_at_rows(struct making *m, const struct csr *A, struct error *error)
{
    struct smoothed *by = &m->by;
    enum status status = graph_make(A, by->block, &m->graph, error);
    m->nodes = m->graph.upper.n;
    if (!status && by->block > 1)
        status = lower_rows(A, &by->lower, error);
    if (by->block == 1)
        by->lower = m->graph.lower;
    by->upper = *A;
    by->upper_nodes = m->graph.upper;
    by->lower_nodes = m->graph.lower;
    by->weights = m->graph.weights;
    by->lower_weights = m->graph.lower_weights;
    return status;
}

enum status smoothed_coarsen(const struct smoothing *smoothing, struct aggregates *aggregates,
                             struct interpolation *P, struct csr *coarse,
                             struct near_null_vectors *below, struct error *error)
{
    const struct near_null_vectors *vectors = smoothing->vectors;
    struct making m = {.space = smoothing->A->space,
                       .by = {.block = vectors->block,
                              .width = vectors->width,
                              .threshold = THRESHOLD,
                              .omega = 4 / (3 * smoothing->lmax),
                              .nothing = smoothing->nothing}};
    *P = (struct interpolation){0};
    *coarse = (struct csr){0};
    *below = (struct near_null_vectors){0};
    enum status status = look_at_rows(&m, smoothing->A, error);
    if (!status && !aggregates->map)
        status = distance2_aggregate(&m.graph, THRESHOLD, aggregates, error);
    m.coarse = aggregates->count;
    if (!status && m.coarse > 0)
        status = make_level(&m, vectors, aggregates, P, coarse, below, error);
    if (m.by.block > 1)
        device_csr_free(&m.by.lower);
    graph_free(&m.graph);
    return status;
}
