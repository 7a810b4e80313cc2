/* P of a level whose coarser unknowns are not constants of aggregates, by dense blocks: a node of
 * the fine level has `block` rows, a node of the coarse one `width`, and row i = node block + c is
 *
 *     (P x)_i = sum of values[(p block + c) width + m] x_{columns[p] width + m},  0 <= m < width,
 *               offsets[node] <= p < offsets[node + 1]
 *
 * The blocks of a node have ascending columns. Those of coarse node J are the blocks p = order[e]
 * of nodes[e], begins[J] <= e < begins[J + 1], which ascend. */
#ifndef PRECONDITION_MULTIGRID_SETUP_INTERPOLATION_H
#define PRECONDITION_MULTIGRID_SETUP_INTERPOLATION_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct space;

struct interpolation {
    struct space *space; /* whose memory the arrays are in; NULL: the host's */
    int64_t fine, block;
    int64_t coarse, width;
    int64_t blocks;           /* offsets[fine]; 0: there is no P */
    int64_t *offsets;         /* [fine + 1] */
    int32_t *columns, *nodes; /* [blocks] */
    uint32_t *order;          /* [blocks] */
    uint32_t *begins;         /* [coarse + 2] */
    void *values; /* [blocks block width], doubles; in a cycle of single precision floats */
};

/* Move *made, of doubles, to the memory of the space, and round it to floats if `single`. On
 * failure the caller frees both. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status interpolation_keep(struct space *space, bool single, struct interpolation *made,
                               struct interpolation *kept, struct error *error);

/* Held, with values of `element` bytes. */
int64_t interpolation_bytes(const struct interpolation *P, int64_t element);

void interpolation_free(struct interpolation *P); /* accepts a zeroed one, and zeroes it */

#endif
