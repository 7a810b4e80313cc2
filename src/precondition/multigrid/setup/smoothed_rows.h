/* Smoothed aggregation (smoothed.h), as passes over nodes and aggregates in any space. */
#ifndef PRECONDITION_MULTIGRID_SETUP_SMOOTHED_ROWS_H
#define PRECONDITION_MULTIGRID_SETUP_SMOOTHED_ROWS_H

#include "matrix/near_null.h"
#include "precondition/multigrid/setup/matching_rows.h"
#include "space/find.h"

#include <math.h>

/* The blocks of rows of nodes. */
struct block_rows {
    int64_t *offsets; /* [nodes + 1] */
    int32_t *columns; /* ascending in a row */
    double *values;
};

struct smoothed {
    int64_t block, width; /* rows of a node, of a coarse node */
    int64_t wide;         /* near_null_wide(width) */
    const double *T;      /* [n width] */

    struct csr upper, lower; /* A by its rows */
    struct csr upper_nodes, lower_nodes;
    const float *weights, *lower_weights; /* of the couplings of nodes */
    float threshold;
    double omega, nothing; /* where a_ii is at most that, P = T */

    const int32_t *map; /* the aggregates of the nodes */

    struct block_rows P, product, coarse; /* P, A P; the blocks of A_c, without values */
    const int32_t *column_nodes;          /* of struct interpolation */
    const uint32_t *order, *column_begins;
    struct csr A_c;
    int lanes;
    int64_t enough; /* columns of a row, where more need not be counted */
};

/* --- the pieces of the rows of a node --------------------------------------------------------- */

/* The entries of node i's rows with the columns of one node, in one triangle. Those left of the
 * diagonal come first; so node i itself comes twice in turn. */
struct piece {
    int64_t node;
    bool is_upper, strong;
};

PASS_FUNCTION int64_t pieces_of(const struct smoothed *by, int64_t i)
{
    const int64_t *lower = by->lower_nodes.offsets, *upper = by->upper_nodes.offsets;
    return lower[i + 1] - lower[i] + 1 + upper[i + 1] - upper[i];
}

PASS_FUNCTION struct piece piece_of(const struct smoothed *by, int64_t i, int64_t at)
{
    int64_t k = by->lower_nodes.offsets[i] + at, over = k - by->lower_nodes.offsets[i + 1];
    struct piece piece = {i, over > 0, true};
    if (over < 0) {
        piece.node = by->lower_nodes.columns[k];
        piece.strong = by->lower_weights[k] > by->threshold;
    } else if (over > 1) { /* after the diagonal */
        k = by->upper_nodes.offsets[i] + over - 1;
        piece.node = by->upper_nodes.columns[k];
        piece.strong = by->weights[k] > by->threshold;
    }
    return piece;
}

/* The part of a block that a lane makes: PASS_PARTS(rows) of its rows from `row` on, and columns
 * likewise. A GPU has a lane for each element of a block of `width` columns. */
struct lane_part {
    int64_t row, column;
};

PASS_FUNCTION struct lane_part lane_part(int64_t lane, int64_t width)
{
    return (struct lane_part){lane / width, lane % width};
}

/* Of each of the lane's rows of a node the entries of the piece at hand, first <= k < last. */
struct walk {
    int64_t first[PASS_PARTS(NEAR_NULL_MAX)], last[PASS_PARTS(NEAR_NULL_MAX)];
};

/* On to the next piece of node i; the first one has `at` = 0. */
PASS_FUNCTION void walk_on(const struct smoothed *by, int64_t i, int64_t at,
                           const struct piece *piece, const struct lane_part *part,
                           struct walk *walk)
{
    const struct csr *rows = piece->is_upper ? &by->upper : &by->lower;
    int64_t next = (piece->node + 1) * by->block;
    bool turns = piece->is_upper && piece->node == i;
    for (int64_t c = 0; c < PASS_PARTS(by->block); c++) {
        int64_t row = i * by->block + part->row + c, end = rows->offsets[row + 1];
        int64_t k = at == 0 || turns ? rows->offsets[row] : walk->last[c];
        walk->first[c] = k;
        while (k < end && rows->columns[k] < next)
            k++;
        walk->last[c] = k;
    }
}

/* --- which blocks a row has ------------------------------------------------------------------- */

/* How many of columns[0], ..., columns[count - 1], which ascend, are below a column. The host looks
 * at AT_ONCE of them by a vector; the array has a multiple of these, INT32_MAX after the last
 * one. */
enum { AT_ONCE = 16 };
PASS_FUNCTION int columns_below(const int32_t *columns, int count, int32_t column)
{
    int below = 0, all = (count + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
    for (int k = 0; k < all; k++)
        below += columns[k] < column;
    return below;
}

/* The least columns above `below` of all that are put into it, ascending, each once. */
enum { LEAST_MAX = 64 };
struct least {
    int32_t below;
    int count;
    int32_t columns[LEAST_MAX];
};

PASS_FUNCTION void least_begin(struct least *least)
{
    least->count = 0;
    for (int k = 0; k < PASS_PARTS(LEAST_MAX); k++)
        least->columns[k] = INT32_MAX;
}

PASS_FUNCTION int least_place(const struct least *least, int32_t column)
{
#ifdef __CUDA_ARCH__
    int at = least->count;
    while (at > 0 && least->columns[at - 1] >= column)
        at--;
    return at;
#else
    int last = least->count - 1; /* columns often come in ascending order */
    return last < 0 || least->columns[last] < column
               ? last + 1
               : columns_below(least->columns, least->count, column);
#endif
}

PASS_FUNCTION void least_put(struct least *least, int32_t column)
{
    if (column <= least->below)
        return;
    int at = least_place(least, column);
    if (at == LEAST_MAX || (at < least->count && least->columns[at] == column))
        return;
    least->count += least->count < LEAST_MAX;
    for (int k = least->count - 1; k > at; k--)
        least->columns[k] = least->columns[k - 1];
    least->columns[at] = column;
}

PASS_FUNCTION void least_put_row(struct least *least, const struct block_rows *rows, int64_t i)
{
    for (int64_t p = rows->offsets[i]; p < rows->offsets[i + 1]; p++)
        least_put(least, rows->columns[p]);
}

/* Of P: the aggregates of node i and of its strong neighbours. */
PASS_FUNCTION int32_t P_below(const struct smoothed *by PASS_UNUSED, int64_t i PASS_UNUSED)
{
    return -1;
}

PASS_FUNCTION void P_put(const struct smoothed *by, int64_t i, int lane, int lanes,
                         struct least *least)
{
    int64_t count = pieces_of(by, i);
    for (int64_t at = lane; at < count; at += lanes) {
        struct piece piece = piece_of(by, i, at);
        if (piece.strong)
            least_put(least, by->map[piece.node]);
    }
}

/* Of A P: those of P in the rows of node i and of all its neighbours; of these what A_c uses, which
 * is not left of the row of P. */
PASS_FUNCTION int32_t product_below(const struct smoothed *by, int64_t i)
{
    int64_t first = by->P.offsets[i];
    return first < by->P.offsets[i + 1] ? by->P.columns[first] - 1 : INT32_MAX;
}

PASS_FUNCTION void product_put(const struct smoothed *by, int64_t i, int lane, int lanes,
                               struct least *least)
{
    int64_t count = pieces_of(by, i);
    for (int64_t at = lane; at < count; at += lanes)
        least_put_row(least, &by->P, piece_of(by, i, at).node);
}

/* Of A_c: I and those right of it, of A P in the rows of the nodes that P takes to I. */
PASS_FUNCTION int32_t coarse_below(const struct smoothed *by PASS_UNUSED, int64_t I)
{
    return (int32_t)I - 1;
}

PASS_FUNCTION void coarse_put(const struct smoothed *by, int64_t I, int lane, int lanes,
                              struct least *least)
{
    least_put(least, (int32_t)I);
    for (int64_t e = by->column_begins[I] + lane; e < by->column_begins[I + 1]; e += lanes)
        least_put_row(least, &by->product, by->column_nodes[e]);
}

/* columns[count], ...: those that any lane has, up to `last`, ascending; returns how many there are
 * with the `count` before them. columns: NULL, they are counted alone. */
PASS_FUNCTION int64_t least_merge(const struct least *least, int32_t last, int lane, int lanes,
                                  int64_t count, int32_t *columns)
{
    for (int k = 0;; count++) {
        int32_t own = k < least->count ? least->columns[k] : INT32_MAX;
        int32_t next = pass_lanes_least(lanes, own);
        if (next > last || next == INT32_MAX)
            return count;
        if (columns && lane == 0)
            columns[count] = next;
        k += own == next;
    }
}

/* Two passes that count the blocks of each row above `below`, and list them: some at a time. The
 * lanes share the rows that are joined. A count ends when it is `enough` or more. */
#define PASSES_LIST(rows)                                                                          \
    PASS_FUNCTION int64_t rows##_list(const struct smoothed *by, int64_t i, int32_t below,         \
                                      int lane, int lanes, int64_t enough, int32_t *columns)       \
    {                                                                                              \
        struct least least;                                                                        \
        least.below = below;                                                                       \
        int64_t count = 0;                                                                         \
        while (least.below < INT32_MAX && count < enough) {                                        \
            least_begin(&least);                                                                   \
            rows##_put(by, i, lane, lanes, &least);                                                \
            int32_t last = least.count < LEAST_MAX ? INT32_MAX : least.columns[LEAST_MAX - 1];     \
            last = pass_lanes_least(lanes, last);                                                  \
            count = least_merge(&least, last, lane, lanes, count, columns);                        \
            least.below = last;                                                                    \
        }                                                                                          \
        return count;                                                                              \
    }                                                                                              \
    PASS_LANES_AT(counting_##rows, smoothed)                                                       \
    {                                                                                              \
        int64_t count = rows##_list(work, i, rows##_below(work, i), lane, lanes, INT64_MAX, NULL); \
        if (i == 0)                                                                                \
            work->rows.offsets[0] = 0;                                                             \
        if (lane == 0)                                                                             \
            work->rows.offsets[i + 1] = count;                                                     \
    }                                                                                              \
    PASS_LANES_AT(listing_##rows, smoothed)                                                        \
    {                                                                                              \
        rows##_list(work, i, rows##_below(work, i), lane, lanes, INT64_MAX,                        \
                    work->rows.columns + work->rows.offsets[i]);                                   \
    }

PASSES_LIST(P)
PASSES_LIST(product)
PASSES_LIST(coarse)

/* The place of a column that is one of columns[first ... last - 1], which ascend. */
PASS_FUNCTION int64_t place_of_column(const int32_t *columns, int64_t first, int64_t last,
                                      int32_t column)
{
    while (first < last) {
        int64_t middle = first + (last - first) / 2;
        if (columns[middle] < column)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* By the order of a sort. */
struct ordering {
    const int32_t *nodes;
    const uint32_t *order;
    int32_t *ordered;
};

PASS_AT(ordering, ordering)
{
    work->ordered[i] = work->nodes[work->order[i]];
}

/* --- their values ----------------------------------------------------------------------------- */

/* Blocks of a row while they are added up, in rows of `wide`. On a device a lane keeps its elements
 * of a few blocks in registers, so these arrays have constant indices there. */
enum { SUMS_AT_ONCE = PASS_PARTS(28) + 4 };
struct block_sums {
    double values[SUMS_AT_ONCE][PASS_PARTS(NEAR_NULL_MAX * NEAR_NULL_WIDE)];
    int32_t columns[SUMS_AT_ONCE]; /* after the last one: INT32_MAX */
} __attribute__((aligned(64)));

/* Of columns[first], columns[first + step], ..., as far as they lie before columns[last]; blocks of
 * that many elements. */
PASS_FUNCTION void sums_begin(const int32_t *columns, int64_t first, int64_t last, int64_t step,
                              int64_t size, struct block_sums *sums)
{
    for (int t = 0; t < SUMS_AT_ONCE; t++) {
        int64_t at = first + t * step;
        sums->columns[t] = at < last ? columns[at] : INT32_MAX;
        for (int64_t e = 0; e < PASS_PARTS(size) && sums->columns[t] < INT32_MAX; e++)
            sums->values[t][e] = 0;
    }
}

/* The first place at which a column may be. A device looks at all, with constant indices. */
PASS_FUNCTION int sums_from(const struct block_sums *sums PASS_UNUSED, int32_t column PASS_UNUSED)
{
#ifdef __CUDA_ARCH__
    return 0;
#else
    return columns_below(sums->columns, SUMS_AT_ONCE, column);
#endif
}

/* sum += a row[0], row[1], ...: on the host up to a constant length, after the end of the row too.
 * Arrays have room for that, and it is not kept. */
PASS_FUNCTION void wide_add(const struct smoothed *by PASS_UNUSED, double a, const double *row,
                            double *sum)
{
    double x[PASS_PARTS(NEAR_NULL_WIDE)];
    for (int64_t m = 0; m < PASS_PARTS(by->wide); m++)
        x[m] = row[m];
    for (int64_t m = 0; m < PASS_PARTS(by->wide); m++)
        sum[m] = fma(a, x[m], sum[m]);
}

/* += the entries of a piece times rows from[] of T or P. */
PASS_FUNCTION void add_piece(const struct smoothed *by, const struct piece *piece,
                             const struct walk *walk, const struct lane_part *part,
                             const double *from, double *sums)
{
    const struct csr *A = piece->is_upper ? &by->upper : &by->lower;
    from += part->column - piece->node * by->block * by->width;
    for (int64_t c = 0; c < PASS_PARTS(by->block); c++)
        for (int64_t k = walk->first[c]; k < walk->last[c]; k++)
            wide_add(by, A->values[k], from + A->columns[k] * by->width,
                     sums + c * PASS_PARTS(by->wide));
}

PASS_FUNCTION void sums_add_piece(const struct smoothed *by, const struct piece *piece,
                                  const struct walk *walk, const struct lane_part *part,
                                  int32_t column, const double *from, struct block_sums *sums)
{
    for (int t = sums_from(sums, column); t < SUMS_AT_ONCE && sums->columns[t] <= column; t++)
        if (sums->columns[t] == column)
            add_piece(by, piece, walk, part, from, sums->values[t]);
}

/* Column m of the lane's row c of block t. */
PASS_FUNCTION double sums_value(const struct smoothed *by PASS_UNUSED,
                                const struct block_sums *sums, int t, int64_t c, int64_t m)
{
    return sums->values[t][c * PASS_PARTS(by->wide) + m];
}

/* Row c of block p, of rows of `block` and columns of `width`, from the lane's column on. */
PASS_FUNCTION double *block_row(const struct smoothed *by, const struct block_rows *rows, int64_t p,
                                const struct lane_part *part, int64_t c)
{
    return rows->values + (p * by->block + part->row + c) * by->width + part->column;
}

/* The blocks of A_F T that node i's row of P has from number `first` on. */
PASS_FUNCTION void smooth_some(const struct smoothed *by, int64_t i, int64_t first,
                               const struct lane_part *part, struct block_sums *sums)
{
    int64_t count = pieces_of(by, i), size = by->block * by->width;
    struct walk walk;
    sums_begin(by->P.columns, first, by->P.offsets[i + 1], 1, by->block * by->wide, sums);
    for (int64_t at = 0; at < count; at++) {
        struct piece piece = piece_of(by, i, at);
        int64_t from = piece.strong ? piece.node : i;
        walk_on(by, i, at, &piece, part, &walk);
        if (by->map[from] >= 0)
            sums_add_piece(by, &piece, &walk, part, by->map[from], by->T + from * size, sums);
    }
}

/* P = T - omega D^-1 A_F T */
PASS_LANES_AT(smoothing, smoothed)
{
    const struct block_rows *P = &work->P;
    struct lane_part part = lane_part(lane, work->width);
    struct block_sums sums;
    for (int64_t first = P->offsets[i]; first < P->offsets[i + 1]; first += SUMS_AT_ONCE) {
        smooth_some(work, i, first, &part, &sums);
        for (int64_t c = 0; c < PASS_PARTS(work->block); c++) {
            int64_t row = i * work->block + part.row + c;
            double a = work->upper.values[work->upper.offsets[row]];
            double f = a > work->nothing ? work->omega / a : 0;
            const double *T = work->T + row * work->width + part.column;
            for (int t = 0; t < SUMS_AT_ONCE && sums.columns[t] < INT32_MAX; t++)
                for (int64_t m = 0; m < PASS_PARTS(work->width); m++)
                    block_row(work, P, first + t, &part, c)[m] =
                        fma(-f, sums_value(work, &sums, t, c, m),
                            sums.columns[t] == work->map[i] ? T[m] : 0);
        }
    }
}

/* Node i's blocks of A P from number `first` on. */
PASS_FUNCTION void multiply_some(const struct smoothed *by, int64_t i, int64_t first,
                                 const struct lane_part *part, struct block_sums *sums)
{
    const struct block_rows *P = &by->P, *product = &by->product;
    int64_t count = pieces_of(by, i), size = by->block * by->width;
    struct walk walk;
    sums_begin(product->columns, first, product->offsets[i + 1], 1, by->block * by->wide, sums);
    for (int64_t at = 0; at < count; at++) {
        struct piece piece = piece_of(by, i, at);
        walk_on(by, i, at, &piece, part, &walk);
        for (int64_t p = P->offsets[piece.node]; p < P->offsets[piece.node + 1]; p++)
            sums_add_piece(by, &piece, &walk, part, P->columns[p], P->values + p * size, sums);
    }
}

PASS_LANES_AT(multiplying, smoothed)
{
    const struct block_rows *product = &work->product;
    struct lane_part part = lane_part(lane, work->width);
    struct block_sums sums;
    for (int64_t first = product->offsets[i]; first < product->offsets[i + 1];
         first += SUMS_AT_ONCE) {
        multiply_some(work, i, first, &part, &sums);
        for (int t = 0; t < SUMS_AT_ONCE && sums.columns[t] < INT32_MAX; t++)
            for (int64_t c = 0; c < PASS_PARTS(work->block); c++)
                for (int64_t m = 0; m < PASS_PARTS(work->width); m++)
                    block_row(work, product, first + t, &part, c)[m] =
                        sums_value(work, &sums, t, c, m);
    }
}

/* The lengths of the rows of A_c of coarse node i: of its block on the diagonal they have the upper
 * triangle. */
PASS_AT(measuring_coarse, smoothed)
{
    int64_t k = work->width, blocks = work->coarse.offsets[i + 1] - work->coarse.offsets[i];
    if (i == 0)
        work->A_c.offsets[0] = 0;
    for (int64_t c = 0; c < k; c++)
        work->A_c.offsets[i * k + c + 1] = blocks * k - c;
}

PASS_AT(laying, smoothed)
{
    int64_t k = work->width, first = work->coarse.offsets[i], last = work->coarse.offsets[i + 1];
    int64_t at = work->A_c.offsets[i * k];
    for (int64_t c = 0; c < k; c++)
        for (int64_t p = first; p < last; p++)
            for (int64_t m = p == first ? c : 0; m < k; m++)
                work->A_c.columns[at++] = (int32_t)(work->coarse.columns[p] * k + m);
}

/* The place from which row c of block number `at` of coarse node i's row begins, with column 0. */
PASS_FUNCTION double *coarse_row(const struct smoothed *by, int64_t i, int64_t c, int64_t at)
{
    return by->A_c.values + by->A_c.offsets[i * by->width + c] - c + at * by->width;
}

/* += P_{iI}' (A P)_{iJ}, for block p of P and q of A P. */
PASS_FUNCTION void contract_block(const struct smoothed *by, int64_t p, int64_t q,
                                  const struct lane_part *part, double *sums)
{
    const double *left = by->P.values + p * by->block * by->width + part->row;
    const double *right = by->product.values + q * by->block * by->width + part->column;
    for (int64_t r = 0; r < PASS_PARTS(by->width); r++)
        for (int64_t c = 0; c < by->block * by->width; c += by->width)
            wide_add(by, left[c + r], right + c, sums + r * PASS_PARTS(by->wide));
}

/* Coarse node I's blocks of A_c from number `first` on, every `step`th: of all nodes that P takes
 * to I. */
PASS_FUNCTION void contract_some(const struct smoothed *by, int64_t I, int64_t first, int64_t step,
                                 const struct lane_part *part, struct block_sums *sums)
{
    const struct block_rows *product = &by->product;
    sums_begin(by->coarse.columns, first, by->coarse.offsets[I + 1], step, by->width * by->wide,
               sums);
    for (int64_t e = by->column_begins[I]; e < by->column_begins[I + 1]; e++) {
        int64_t node = by->column_nodes[e], last = product->offsets[node + 1];
        int64_t q =
            place_of_column(product->columns, product->offsets[node], last, sums->columns[0]);
        for (; q < last; q++)
            for (int t = sums_from(sums, product->columns[q]);
                 t < SUMS_AT_ONCE && sums->columns[t] <= product->columns[q]; t++)
                if (sums->columns[t] == product->columns[q])
                    contract_block(by, by->order[e], q, part, sums->values[t]);
    }
}

/* The lanes share the elements of a block, and the blocks of the row. The block on the diagonal has
 * its upper triangle alone. */
PASS_LANES_AT(contracting, smoothed)
{
    int64_t k = work->width, step = lanes == 1 ? 1 : lanes / (k * k);
    int64_t begin = work->coarse.offsets[i], end = work->coarse.offsets[i + 1];
    struct lane_part part = lane_part(lane % (k * k), k);
    struct block_sums sums;
    for (int64_t first = begin + lane / (k * k); first < end; first += SUMS_AT_ONCE * step) {
        contract_some(work, i, first, step, &part, &sums);
        for (int t = 0; t < SUMS_AT_ONCE && sums.columns[t] < INT32_MAX; t++)
            for (int64_t r = part.row; r < part.row + PASS_PARTS(k); r++)
                for (int64_t m = part.column; m < part.column + PASS_PARTS(k); m++)
                    if (sums.columns[t] > i || m >= r)
                        coarse_row(work, i, r, first + t * step - begin)[m] =
                            sums_value(work, &sums, t, r - part.row, m - part.column);
    }
}

/* A vector that was dropped leaves a row of zeros; on its diagonal it gets the greatest one of the
 * coarse node i, or 1. */
PASS_AT(filling, smoothed)
{
    double most = 0;
    for (int64_t c = 0; c < work->width; c++)
        most = fmax(most, coarse_row(work, i, c, 0)[c]);
    for (int64_t c = 0; c < work->width; c++) {
        double *diagonal = &coarse_row(work, i, c, 0)[c];
        *diagonal = *diagonal == 0 ? most > 0 ? most : 1 : *diagonal;
    }
}

/* sum: over coarse nodes I, so many blocks at the least has the row of A_c, both triangles counted:
 * those of A P in the row of one node that P takes to I. */
FIND_DECLARE(find_coarse_blocks);

PASS_DECLARE(pass_counting_P);
PASS_DECLARE(pass_listing_P);
PASS_DECLARE(pass_counting_product);
PASS_DECLARE(pass_listing_product);
PASS_DECLARE(pass_counting_coarse);
PASS_DECLARE(pass_listing_coarse);
PASS_DECLARE(pass_ordering);
PASS_DECLARE(pass_smoothing);
PASS_DECLARE(pass_multiplying);
PASS_DECLARE(pass_measuring_coarse);
PASS_DECLARE(pass_laying);
PASS_DECLARE(pass_contracting);
PASS_DECLARE(pass_filling);

#endif
