/* A matrix on a grid: its rows are the cells of a box, numbered along x first, y second, z last,
 * with `block` unknowns in each, and a cell is coupled to the 26 around it at the most. */
#ifndef PRECONDITION_MULTIGRID_SETUP_GRID_H
#define PRECONDITION_MULTIGRID_SETUP_GRID_H

#include "precondition/multigrid/setup/aggregates.h"
#include "precondition/multigrid/setup/cells.h"
#include "space/space.h"
#include "spmv/operator.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct slab;

/* What couples the cells along each axis, as far as they are neighbours: sums in tiles
 * of survey_tile cells, of which lane l = 0, ..., 31 adds the entries of the cells l,
 * l + 32, ...; then the lanes one after the other, then the tiles. */
struct survey {
    double sum[3];
    int64_t count[3];
    bool fits; /* whether every entry couples neighbours; else the sums are unfinished */
};

/* Of a matrix on these cells, the tiles first <= t < last: of[t], on the host. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
struct surveyor;
typedef enum status surveys(const struct surveyor *by, const struct cells *cells, int64_t first,
                            int64_t last, struct survey *of, struct error *error);

/* Where A lies. */
struct surveyor {
    surveys *survey;
    struct space *space;
    const struct csr *A;
    const struct slab *slab; /* of whose grid A's rows are; NULL: all rows are here */
};

surveys survey_host; /* of A on the host; it needs no space */

/* Cells of a tile: so many that there are at most SURVEY_TILES (cells.h). */
static inline int64_t survey_tile(int64_t nodes)
{
    return (nodes / ((int64_t)SURVEY_TILES * SURVEY_STEP) + 1) * SURVEY_STEP;
}

static inline int64_t survey_tiles(int64_t nodes)
{
    return (nodes + survey_tile(nodes) - 1) / survey_tile(nodes);
}

/* The cell of A's first row. */
int64_t survey_base(const struct surveyor *by, const struct cells *cells);

/* The strengths, of a matrix on the cells, those of all rows. Errors: those of a survey;
 * STATUS_RANK. */
enum status cells_measure(const struct surveyor *by, struct cells *cells, struct error *error);

/* The grid of nodes of `block` rows that the places of A's entries tell; n[0] = 0: none. A is
 * looked at in samples first. Errors: those of a survey. */
enum status cells_find(const struct surveyor *by, int64_t block, struct cells *cells,
                       struct error *error);

/* The grid of aggregates of 2 cells along each axis that is `halved`; at the end of an odd one a
 * cell is left by itself, or joins the two before it where it has at most half their width. */
void cells_halve(struct cells *cells, const bool halved[3]);

/* The same, and the aggregates, in the memory of the space, NULL: of the host. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status cells_aggregate(struct cells *cells, const bool halved[3], struct space *space,
                            struct aggregates *aggregates, struct error *error);

/* Those aggregates by tiles of the rows before (spmv/operator.h): each one is of the tile of its
 * last row. *made is zeroed where they reach over many of all tiles. The caller frees made->begin
 * with memory_free. Errors: STATUS_MEMORY. */
enum status cells_by_tiles(const struct cells *cells, struct tiled_elements *made,
                           struct error *error);

#ifdef __cplusplus
}
#endif

#endif
