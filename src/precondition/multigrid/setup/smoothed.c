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
    int64_t products;      /* blocks of A P */
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

/* Their values, by `count` blocks of `block` rows and `width` columns. */
static enum status make_values(struct making *m, const struct pass *making, struct block_rows *rows,
                               int64_t count, struct error *error)
{
    int64_t lanes = m->by.block * m->by.width;
    enum status status = array(m, count * lanes + NEAR_NULL_WIDE, sizeof *rows->values,
                               (void **)&rows->values, error);
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

/* Of A_c with so many blocks in the upper triangle. */
static int64_t entries_of(const struct making *m, int64_t blocks)
{
    int64_t k = m->by.width;
    return blocks * k * k - m->coarse * (k * (k - 1) / 2);
}

/* *entries: at least so many has A_c; enough to see whether they are more than that. A row that is
 * four times as long as the mean of them may be is not counted to its end. */
static enum status bound_entries(struct making *m, int64_t most, int64_t *entries,
                                 struct error *error)
{
    struct found found;
    int64_t mean = most / (m->by.width * m->by.width * m->coarse); /* blocks of a row */
    m->by.enough = mean < INT64_MAX / 16 ? 8 * mean + 1 : INT64_MAX;
    enum status status =
        space_find(m->space, &find_coarse_blocks, m->coarse, &m->by, &found, error);
    *entries = status ? 0 : entries_of(m, ((int64_t)found.sum + m->coarse) / 2);
    return status;
}

/* The blocks of P, of A P and of A_c, and how many entries A_c has: at least that many, and nothing
 * more, where they are above `most`. The caller frees all of it, on failure too. */
static enum status list_level(struct making *m, int64_t most, struct interpolation *P,
                              int64_t *entries, struct error *error)
{
    struct smoothed *by = &m->by;
    int64_t blocks;
    *P = (struct interpolation){.space = m->space,
                                .fine = m->nodes,
                                .block = by->block,
                                .coarse = m->coarse,
                                .width = by->width};
    by->P = (struct block_rows){0};
    enum status status = list_blocks(m, &pass_counting_P, &pass_listing_P, m->nodes, LIST_LANES,
                                     &by->P, &P->blocks, error);
    P->offsets = by->P.offsets;
    P->columns = by->P.columns;
    if (!status)
        status = list_columns(m, P, error);
    by->column_nodes = P->nodes;
    by->order = P->order;
    by->column_begins = P->begins;
    if (!status)
        status = bound_entries(m, most, entries, error);
    if (status || *entries > most)
        return status;
    status = list_blocks(m, &pass_counting_product, &pass_listing_product, m->nodes, LIST_LANES,
                         &by->product, &m->products, error);
    if (!status)
        status = list_blocks(m, &pass_counting_coarse, &pass_listing_coarse, m->coarse,
                             COARSE_LIST_LANES, &by->coarse, &blocks, error);
    *entries = status ? 0 : entries_of(m, blocks);
    return status;
}

/* A_c */
static enum status contract(struct making *m, struct csr *coarse, struct error *error)
{
    struct smoothed *by = &m->by;
    int64_t k = by->width;
    enum status status = device_csr_begin(m->space, CSR_SYMMETRIC, m->coarse * k, &by->A_c, error);
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

/* The values of a level whose blocks are listed. */
static enum status make_level(struct making *m, const struct near_null_vectors *vectors,
                              const struct aggregates *aggregates, struct interpolation *P,
                              struct csr *coarse, struct near_null_vectors *below,
                              struct error *error)
{
    struct smoothed *by = &m->by;
    double *T;
    enum status status = near_null_orthogonalize(vectors, aggregates, &T, below, error);
    by->T = T;
    if (!status)
        status = make_values(m, &pass_smoothing, &by->P, P->blocks, error);
    P->values = by->P.values;
    if (!status)
        status = make_values(m, &pass_multiplying, &by->product, m->products, error);
    if (!status)
        status = contract(m, coarse, error);
    rows_release(m->space, T);
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

/* The blocks of a level by aggregates that are there; without any there are none. */
static enum status list_by(struct making *m, int64_t most, const struct aggregates *aggregates,
                           struct interpolation *P, int64_t *entries, struct error *error)
{
    m->coarse = aggregates->count;
    m->by.map = aggregates->map;
    *entries = 0;
    return m->coarse > 0 ? list_level(m, most, P, entries, error) : STATUS_OK;
}

static void forget_level(struct making *m, struct interpolation *P)
{
    interpolation_free(P);
    free_blocks(m, &m->by.product);
    free_blocks(m, &m->by.coarse);
    m->coarse = 0;
}

/* Aggregates, and the blocks of a level with at most that many entries. m->coarse = 0: there is
 * none. */
static enum status choose(struct making *m, int64_t most, struct aggregates *aggregates,
                          struct interpolation *P, struct error *error)
{
    int64_t entries = 0;
    int distance = 2;
    enum status status = distance2_aggregate(&m->graph, THRESHOLD, distance, aggregates, error);
    if (!status)
        status = list_by(m, most, aggregates, P, &entries, error);
    while (!status && entries > most) {
        forget_level(m, P);
        aggregates_free(aggregates);
        distance += distance / 2;
        aggregates->distance = distance;
        if (distance > SMOOTHED_FARTHEST)
            return STATUS_OK;
        status = graph_begin(&m->graph, error);
        if (!status)
            status = distance2_aggregate(&m->graph, THRESHOLD, distance, aggregates, error);
        if (!status)
            status = list_by(m, most, aggregates, P, &entries, error);
    }
    return status;
}

enum status smoothed_coarsen(const struct smoothed_aggregation *smoothing,
                             struct aggregates *aggregates, struct interpolation *P,
                             struct csr *coarse, struct near_null_vectors *below,
                             struct error *error)
{
    const struct near_null_vectors *vectors = smoothing->vectors;
    struct making m = {.space = smoothing->A->space,
                       .by = {.block = vectors->block,
                              .width = vectors->width,
                              .wide = near_null_wide(vectors->width),
                              .threshold = THRESHOLD,
                              .omega = 5 / (3 * smoothing->lmax),
                              .nothing = smoothing->nothing}};
    int64_t entries;
    *P = (struct interpolation){0};
    *coarse = (struct csr){0};
    *below = (struct near_null_vectors){0};
    enum status status = look_at_rows(&m, smoothing->A, error);
    if (!status)
        status = aggregates->map ? list_by(&m, INT64_MAX, aggregates, P, &entries, error)
                                 : choose(&m, smoothing->most, aggregates, P, error);
    if (!status && m.coarse > 0)
        status = make_level(&m, vectors, aggregates, P, coarse, below, error);
    free_blocks(&m, &m.by.product);
    free_blocks(&m, &m.by.coarse);
    if (m.by.block > 1)
        device_csr_free(&m.by.lower);
    graph_free(&m.graph);
    return status;
}
