/* Lists of aggregates for a rank (distribute.h), as passes over their elements (space/elements.h):
 *
 *     sampling    first_k = the first row of aggregate begin + k step
 *     gathering   gathered_r = list_i of local row r, which is row i; -1 where it is empty
 *     surrounding the same of doubles, or of singles; 0 where it is empty
 *     shifting    shifted_k = list_k - by
 *     unfolding   rows_k = the rows of the nodes of a list, each of `block` rows
 *     folding nodes_k = the node of row k block of a list of rows
 *     naming      codes_i = names[own_i], and the element i of a vector is that number
 *     reading     codes_i = the element i of a vector */
#ifndef PRECONDITION_MULTIGRID_DISTRIBUTED_DISTRIBUTE_ROWS_H
#define PRECONDITION_MULTIGRID_DISTRIBUTED_DISTRIBUTE_ROWS_H

#include "space/elements.h"
#include "spmv/distributed/ghost_rows.h"

struct sampling {
    const int32_t *offsets, *members; /* of struct aggregates */
    int64_t begin, step;
    int32_t *first;
};

struct gathering {
    const int32_t *list;       /* of all rows */
    struct rank_places places; /* its arrays are in the space too */
    int64_t own;               /* local rows from places.below on */
    int32_t *gathered;
};

struct surrounding {
    const void *values;        /* of all rows */
    struct rank_places places; /* its arrays are in the space too */
    int64_t own;
    void *made;
    bool singles; /* both are */
};

struct blocking {
    const int32_t *list;
    int64_t block;
    int32_t *made;
};

/* Codes (cycle/legs.h), which ranks exchange as elements of vectors. */
struct naming {
    const uint8_t *own, *names;
    uint8_t *codes;
    void *vector;
    bool singles;
};

struct shifting {
    const int32_t *list;
    int32_t by, *shifted;
};

PASS_AT(sampling, sampling)
{
    work->first[i] = work->members[work->offsets[work->begin + i * work->step]];
}

/* Local row i, which of all; -1: it is empty. */
PASS_FUNCTION int64_t local_row_of_all(const struct rank_places *places, int64_t own, int64_t i)
{
    int64_t at = i - places->below;
    if (at >= 0 && at < own)
        return places->first + at;
    int64_t k = rank_places_find(places, true, i);
    return k < places->count && places->place[k] == i ? places->others[k] : -1;
}

PASS_AT(gathering, gathering)
{
    int64_t row = local_row_of_all(&work->places, work->own, i);
    work->gathered[i] = row < 0 ? -1 : work->list[row];
}

PASS_AT(surrounding, surrounding)
{
    int64_t row = local_row_of_all(&work->places, work->own, i);
    if (work->singles)
        ((float *)work->made)[i] = row < 0 ? 0 : ((const float *)work->values)[row];
    else
        ((double *)work->made)[i] = row < 0 ? 0 : ((const double *)work->values)[row];
}

PASS_AT(shifting, shifting)
{
    work->shifted[i] = work->list[i] - work->by;
}

PASS_AT(unfolding, blocking)
{
    int64_t node = i / work->block;
    work->made[i] = (int32_t)(work->list[node] * work->block + i - node * work->block);
}

PASS_AT(folding, blocking)
{
    work->made[i] = (int32_t)(work->list[i * work->block] / work->block);
}

PASS_AT(naming, naming)
{
    uint8_t code = work->codes[i] = work->names[work->own[i]];
    if (work->singles)
        ((float *)work->vector)[i] = code;
    else
        ((double *)work->vector)[i] = code;
}

PASS_AT(reading, naming)
{
    work->codes[i] = (uint8_t)(work->singles ? ((const float *)work->vector)[i]
                                             : ((const double *)work->vector)[i]);
}

PASS_DECLARE(pass_naming);
PASS_DECLARE(pass_reading);
PASS_DECLARE(pass_unfolding);
PASS_DECLARE(pass_folding);
PASS_DECLARE(pass_sampling);
PASS_DECLARE(pass_gathering);
PASS_DECLARE(pass_surrounding);
PASS_DECLARE(pass_shifting);
#endif
