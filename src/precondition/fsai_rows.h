/* The rows of G of a factorised sparse approximate inverse (fsai.c), as passes over slots
 * (space/elements.h), in any space. A slot makes neighbouring rows one after the other, in a room
 * of its own; rows do not depend on each other.
 *
 * Row i is 1 / psi^{1/2} times (g, 1). Its pattern P has columns left of i, and g on P makes
 *
 *     psi = (g, 1) A (g, 1)' = a_ii + 2 g A_Pi + g A_PP g'
 *
 * least: A_PP g = -A_Pi. Then G A G' has a unit diagonal, and the least ratio of the means of its
 * eigenvalues, arithmetic to geometric, that any G of these patterns gives: Kaporin's number
 * (Kolotilina and Yeremin 1993; Kaporin 1994, Numer. Linear Algebra Appl. 1).
 *
 * P grows by looks (adaptive FSAI: Janna and Ferronato 2011, SIAM J. Sci. Comput. 33). A look
 * finds the gradient of psi, 2 r_j with
 *
 *     r_j = a_ij + sum over p in P of g_p a_pj,   j < i,  j not in P
 *
 * and takes the columns of the largest |r_j| / a_jj^{1/2}, `step` of them; of equal ones that with
 * the lesser j. (r_j^2 / a_jj is what psi loses by j alone, g_P fixed.) It takes only those above
 * threshold psi^{1/2}. P is complete after `looks` of them, or where one takes none. One
 * look makes a pattern of A's own lower triangle, static but for the largest entries.
 *
 * The sum r_j has the term of row i first, and then those of P in the order in which they were
 * taken. Rows p of more than FSAI_LONGEST entries in both triangles are left out of it. A room
 * holds sums for FSAI_SUMS_MOST columns; what comes after that many is left out as well.
 *
 * Cholesky's factor L of A_PP, by rows, in the order of P, each sum one chain in that order:
 *
 *     l_qk = (a_qk - l_q1 l_k1 - l_q2 l_k2 - ...) / l_kk,   l_qq = (a_qq - l_q1^2 - ...)^{1/2}
 *     y_q  = (a_qi - l_q1 y_1 - ...) / l_qq,                psi  = a_ii - y_1^2 - y_2^2 - ...
 *     g_q  = (-y_q - l_mq g_m - ...) / l_qq,  m from the last one down to q + 1
 *
 * A pivot ends row i where l_qq^2 <= 2^-43 a_qq, where psi would be <= 2^-43 a_ii, or where one of
 * both is not finite. Then the column is not taken, and P is complete. If it is the first column,
 * row i of G has 1 / a_ii^{1/2} on its diagonal alone. */
#ifndef PRECONDITION_FSAI_ROWS_H
#define PRECONDITION_FSAI_ROWS_H

#include "matrix/csr.h"
#include "space/elements.h"
#include "space/find.h"

#include <math.h>

struct ranks;

enum {
    FSAI_MOST = 64, /* columns of P */
    FSAI_LONGEST = 512,
    FSAI_SUMS_BITS = 10,
    FSAI_SUMS = 1 << FSAI_SUMS_BITS, /* places */
    FSAI_SUMS_MOST = FSAI_SUMS / 4 * 3
};

/* What a slot works in. */
struct fsai_room {
    int32_t count; /* of P */
    int32_t used;  /* places of sums */
    int32_t ranked;
    double psi;
    bool ended;              /* by a pivot */
    int32_t rows[FSAI_MOST]; /* P */
    double y[FSAI_MOST], g[FSAI_MOST];
    double l[FSAI_MOST * (FSAI_MOST + 1) / 2]; /* l_qk at q (q + 1) / 2 + k */
    int32_t best[FSAI_MOST];                   /* the columns that a look takes, */
    double gains[FSAI_MOST];                   /* and |r_j| / a_jj^{1/2} */
    int32_t keys[FSAI_SUMS], places[FSAI_SUMS_MOST];
    double sums[FSAI_SUMS];
};

/* How patterns grow. */
struct fsai_growth {
    int64_t looks, step; /* looks step <= FSAI_MOST */
    double threshold;
};

struct fsai_rows {
    struct csr A, lower;      /* lower: left of the diagonal */
    int64_t first, count;     /* the rows first <= i < first + count of G are made */
    double *inverse, *scales; /* [n]: 1 / a_ii^{1/2}; [count]: row i's 1 / psi^{1/2} */
    struct fsai_room *rooms;  /* [slots] */
    int64_t slots;
    struct fsai_growth growth;
    int64_t entries; /* looks step: room of a row left of its diagonal */
    /* [count entries], of row first + i from i entries on: the columns, ascending, and the
     * values. */
    int32_t *columns;
    double *values;
    bool *ended;  /* [count]: by a pivot */
    struct csr G; /* its offsets hold the lengths of its rows, then their ends */
};

PASS_FUNCTION double fsai_entry(const struct csr *A, int64_t i, int64_t j)
{
    int64_t row = i < j ? i : j, column = i < j ? j : i, k = csr_find_entry_from(A, row, column);
    return k < A->offsets[row + 1] && A->columns[k] == column ? A->values[k] : 0;
}

PASS_FUNCTION double fsai_diagonal(const struct csr *A, int64_t i)
{
    return A->values[A->offsets[i]];
}

PASS_FUNCTION void fsai_begin(const struct fsai_rows *work, int64_t i, struct fsai_room *room)
{
    room->count = 0;
    room->ended = false;
    room->psi = fsai_diagonal(&work->A, i);
}

/* Whether what is left of a diagonal entry is above 0 beyond doubt. */
PASS_FUNCTION bool fsai_is_pivot(double left, double diagonal)
{
    const double least = 0x1p-43;
    return left > least * diagonal && isfinite(left);
}

/* Row q of L. */
PASS_FUNCTION double *fsai_factor(struct fsai_room *room, int32_t q)
{
    return room->l + q * (q + 1) / 2;
}

/* P takes column q, if its pivot is one. */
PASS_FUNCTION bool fsai_take(const struct fsai_rows *work, int64_t i, int32_t q,
                             struct fsai_room *room)
{
    const struct csr *A = &work->A;
    int32_t count = room->count;
    double *row = fsai_factor(room, count), y = fsai_entry(A, i, q);
    double diagonal = fsai_diagonal(A, q), pivot = diagonal;
    for (int32_t k = 0; k < count; k++)
        row[k] = fsai_entry(A, q, room->rows[k]);
    for (int32_t k = 0; k < count; k++) {
        row[k] /= fsai_factor(room, k)[k];
        pivot -= row[k] * row[k];
        y -= row[k] * room->y[k];
        for (int32_t m = k + 1; m < count; m++)
            row[m] -= row[k] * fsai_factor(room, m)[k];
    }
    if (!fsai_is_pivot(pivot, diagonal))
        return false;
    row[count] = sqrt(pivot);
    room->y[count] = y / row[count];
    double psi = room->psi - room->y[count] * room->y[count];
    if (!fsai_is_pivot(psi, fsai_diagonal(A, i)))
        return false;
    room->psi = psi;
    room->rows[count] = q;
    room->count = count + 1;
    return true;
}

PASS_FUNCTION void fsai_solve(struct fsai_room *room)
{
    for (int32_t q = 0; q < room->count; q++)
        room->g[q] = -room->y[q];
    for (int32_t m = room->count - 1; m >= 0; m--) {
        const double *row = fsai_factor(room, m);
        room->g[m] /= row[m];
        for (int32_t q = 0; q < m; q++)
            room->g[q] -= row[q] * room->g[m];
    }
}

/* --- sums by columns: a column's place is the first free one from its hash on ----------------- */

/* The place of column j, or the free one where it would be. */
PASS_FUNCTION uint32_t fsai_place(const struct fsai_room *room, int32_t j)
{
    uint32_t place = ((uint32_t)j * 2654435769u) >> (32 - FSAI_SUMS_BITS);
    while (room->keys[place] >= 0 && room->keys[place] != j)
        place = (place + 1) % FSAI_SUMS;
    return place;
}

/* The terms factor a_pj of the entries of row p, of A or of its lower triangle, left of i. */
PASS_FUNCTION void fsai_add(const struct csr *rows, int64_t p, int64_t i, double factor,
                            struct fsai_room *room)
{
    for (int64_t k = rows->offsets[p]; k < rows->offsets[p + 1] && rows->columns[k] < i; k++) {
        uint32_t place = fsai_place(room, rows->columns[k]);
        if (room->keys[place] < 0) {
            if (room->used == FSAI_SUMS_MOST)
                continue;
            room->keys[place] = rows->columns[k];
            room->sums[place] = 0;
            room->places[room->used++] = (int32_t)place;
        }
        room->sums[place] += factor * rows->values[k];
    }
}

/* r of all columns outside of P that have room; inside it is 0. */
PASS_FUNCTION void fsai_look(const struct fsai_rows *work, int64_t i, struct fsai_room *room)
{
    const struct csr *A = &work->A, *lower = &work->lower;
    fsai_add(lower, i, i, 1, room);
    for (int32_t k = 0; k < room->count; k++) {
        int64_t p = room->rows[k], length = lower->offsets[p + 1] - lower->offsets[p] +
                                            A->offsets[p + 1] - A->offsets[p];
        if (length > FSAI_LONGEST)
            continue;
        fsai_add(lower, p, i, room->g[k], room);
        fsai_add(A, p, i, room->g[k], room);
    }
    for (int32_t k = 0; k < room->count; k++) {
        uint32_t place = fsai_place(room, room->rows[k]);
        if (room->keys[place] >= 0)
            room->sums[place] = 0;
    }
}

/* Column j among the best ones, by falling gains, as far as there is room for `step`. */
PASS_FUNCTION void fsai_rank(int64_t step, int32_t j, double gain, struct fsai_room *room)
{
    int32_t at = room->ranked < step ? room->ranked++ : (int32_t)step - 1;
    for (; at > 0 &&
           (room->gains[at - 1] < gain || (room->gains[at - 1] == gain && room->best[at - 1] > j));
         at--) {
        room->gains[at] = room->gains[at - 1];
        room->best[at] = room->best[at - 1];
    }
    room->gains[at] = gain;
    room->best[at] = j;
}

/* The best columns above `least`; the table is empty then. */
PASS_FUNCTION void fsai_choose(const struct fsai_rows *work, double least, struct fsai_room *room)
{
    int64_t step = work->growth.step;
    room->ranked = 0;
    for (int32_t u = 0; u < room->used; u++) {
        int32_t place = room->places[u], j = room->keys[place], last = room->ranked - 1;
        double gain = fabs(room->sums[place]) * work->inverse[j];
        room->keys[place] = -1;
        if (gain > least && (room->ranked < step || gain > room->gains[last] ||
                             (gain == room->gains[last] && j < room->best[last])))
            fsai_rank(step, j, gain, room);
    }
    room->used = 0;
}

/* Up to `step` columns more; false: P is complete. */
PASS_FUNCTION bool fsai_grow(const struct fsai_rows *work, int64_t i, struct fsai_room *room)
{
    fsai_solve(room);
    fsai_look(work, i, room);
    fsai_choose(work, work->growth.threshold * sqrt(room->psi), room);
    for (int32_t u = 0; u < room->ranked; u++)
        if (!fsai_take(work, i, room->best[u], room)) {
            room->ended = true;
            return false;
        }
    return room->ranked > 0;
}

/* Row i, complete. */
PASS_FUNCTION void fsai_write(const struct fsai_rows *work, int64_t i, struct fsai_room *room)
{
    int64_t row = i - work->first;
    int32_t *columns = work->columns + row * work->entries;
    double *values = work->values + row * work->entries, scale = 1 / sqrt(room->psi);
    fsai_solve(room);
    for (int32_t k = 0; k < room->count; k++) {
        int32_t at = k, q = room->rows[k];
        for (; at > 0 && columns[at - 1] > q; at--) {
            columns[at] = columns[at - 1];
            values[at] = values[at - 1];
        }
        columns[at] = q;
        values[at] = room->g[k] * scale;
    }
    work->scales[row] = scale;
    work->ended[row] = room->ended;
    work->G.offsets[row + 1] = room->count + 1;
}

/* The rows of slot s. */
PASS_FUNCTION int64_t fsai_first(const struct fsai_rows *work, int64_t s)
{
    int64_t share = work->count / work->slots, rest = work->count % work->slots;
    return work->first + s * share + (s < rest ? s : rest);
}

PASS_AT(growing_rows, fsai_rows)
{
    struct fsai_room *room = work->rooms + i;
    for (int32_t place = 0; place < FSAI_SUMS; place++)
        room->keys[place] = -1;
    room->used = 0;
    for (int64_t row = fsai_first(work, i); row < fsai_first(work, i + 1); row++) {
        fsai_begin(work, row, room);
        for (int64_t look = 0; look < work->growth.looks && fsai_grow(work, row, room); look++)
            ;
        fsai_write(work, row, room);
    }
}

PASS_AT(gathering_rows, fsai_rows)
{
    int64_t begin = work->G.offsets[i], end = work->G.offsets[i + 1] - 1;
    for (int64_t k = begin; k < end; k++) {
        work->G.columns[k] = work->columns[i * work->entries + k - begin] - (int32_t)work->first;
        work->G.values[k] = work->values[i * work->entries + k - begin];
    }
    work->G.columns[end] = (int32_t)i;
    work->G.values[end] = work->scales[i];
}

PASS_DECLARE(pass_growing_rows);
PASS_DECLARE(pass_gathering_rows);

struct fsai_found {
    int64_t
        wrong; /* the first row whose diagonal entry is not above 0, or has no inverse; n: none */
    int64_t ended; /* rows that a pivot has ended */
};

/* The rows first <= i < first + count of G, their columns counted from `first` too, in the memory
 * of A->space; NULL: of the host. On failure, and where a row of A is wrong, *G is zeroed; the
 * caller calls device_csr_free. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status fsai_make_rows(const struct csr *A, int64_t first, int64_t count,
                           struct fsai_growth growth, struct csr *G, struct fsai_found *found,
                           struct error *error);

/* G and the rows of G' for the preconditioner of that name: where A is, or on the host if a device
 * has no room, or cannot sort as many entries. ranks: each of which makes its
 * own rows of both (shared_transposed.h has their columns), all on devices or all on hosts; NULL:
 * there are none. The caller calls device_csr_free for both, on failure too. Errors: STATUS_CONFIG
 * (a diagonal entry that is not above 0; G has 2^32 entries or more), STATUS_MEMORY, STATUS_DEVICE,
 * STATUS_RANK. */
enum status fsai_make_both(const char *name, struct fsai_growth growth, const struct csr *A,
                           struct ranks *ranks, struct csr *G, struct csr *transposed,
                           struct fsai_found *found, struct error *error);

#endif
