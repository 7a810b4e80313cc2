/* A hierarchy while it is built, for the files that build it:
 *
 *     hierarchy.c                all levels, down to one that is small, or stalls
 *     level.c, bound.c           one level: its operator, 1 / a_ii, lmax
 *       level_fsai.c             G'G in the place of 1 / a_ii
 *     coarsen.c                  the next level's matrix; renew.c: the same by known aggregates
 *       grid.c                     is A on a grid; cells_aggregate.c: aggregates of its cells
 *       matching.c                 aggregates by matching along strong couplings
 *       coarse.c, coarse_sort.c    A_c = P^T A P, by strips on a host, by sorts on a device
 *       rescale.c                  divides the couplings of A_c: longer corrections
 *     coarsen_smoothed.c         likewise by smoothed aggregation
 *       distance2.c                aggregates around nodes that are far apart
 *       near_null_vectors.c        what the coarser level keeps, and the tentative transfer
 *       smoothed.c                 P and A_c = P^T A P
 *     coarsest.c                 the inverse of the last one
 *     to_float.c                 what a cycle in single precision uses
 *
 * builder->A is the matrix of the current level. Comments call it the matrix at hand. */
#ifndef PRECONDITION_MULTIGRID_SETUP_BUILDER_H
#define PRECONDITION_MULTIGRID_SETUP_BUILDER_H

#include "precondition/diagonal.h"
#include "precondition/multigrid/cycle/fused_levels.h"
#include "precondition/multigrid/setup/cells.h"
#include "precondition/multigrid/setup/grid.h"
#include "precondition/multigrid/setup/hierarchy.h"
#include "precondition/multigrid/setup/setup_cuda.h"
#include "precondition/multigrid/setup/slab.h"
#include "precondition/multigrid/setup/smoothed.h"

#include <stdbool.h>

/* The aggregates of an earlier hierarchy: what is taken from it is zeroed. */
struct maps {
    int64_t block;
    bool stalled, bounded, torn;
    int count; /* levels that have a coarser one */
    struct {
        struct aggregates aggregates;
        int64_t members;
        struct joining joining;
    } levels[OPERATOR_LEVELS];
};

struct builder {
    const char *name;
    const struct multigrid_options *options;
    int64_t coarsest; /* rows that are solved directly */
    struct hierarchy *hierarchy;
    struct linear_operator *spmv; /* over A of level 0 */
    const struct csr *given;      /* the caller's matrix of level 0 */
    /* Its copy on the host, if set-up goes to the host and `given` is on a device. */
    struct csr fetched;
    /* In the hierarchy's space: the arrays of `given`, if that is on a device; else no arrays, but
     * the codes of its form. */
    struct csr seen;
    /* The matrix at hand: `given`, `fetched`, `seen`, `brought`, or the last level's `coarse`. */
    const struct csr *A;
    /* A is in the memory of the space, and set-up goes on in it; NULL: on the host. */
    const struct device_setup *device_setup;
    /* Then the matrix at hand, unless that is the caller's. */
    struct csr brought;
    struct cells cells;               /* n[0] = 0: no grid */
    struct near_null_vectors vectors; /* of A, by smoothed aggregation */
    bool halved[3];                   /* the axes along which pairs of cells are joined next */
    int64_t block;
    const struct slab *slab;          /* the slab at hand; NULL: all rows */
    struct maps *maps;                /* that are to be used; NULL: none */
    struct fused_levels_limits small; /* which levels are kept for one launch of them all */
};

/* Who looks at the matrix at hand. */
struct surveyor surveyor_of(const struct builder *builder);

/* A of level 0, on the host, is the matrix at hand. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status builder_return(struct builder *builder, struct error *error);

/* A of level 0 gets arrays on the device, if it has codes alone. Errors: likewise. */
enum status builder_store(struct builder *builder, struct error *error);

/* The unknowns of a node of the system's matrix; the matrix at hand has rows of it. Errors:
 * STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK. */
enum status look_for_block(struct builder *builder, struct error *error);

/* The axes along which pairs of cells, those of all rows, are joined; or the grid is left, and the
 * builder has no cells. Errors: those of a survey. */
enum status choose_axes(struct builder *builder, struct cells *cells, struct error *error);

/* The matrix at hand as one more level, and those below it. number: of level 0, as
 * spectrum_estimate takes it. Errors: those of hierarchy_build. */
enum status hierarchy_go_on(struct builder *builder, const int32_t *number, struct error *error);

/* The matrix at hand as one more level. Errors: likewise. */
enum status level_add(struct builder *builder, const int32_t *number, struct error *error);

/* What is taken for 0 on the diagonal of the last level so far. */
struct diagonal_nothing level_nothing(const struct hierarchy *hierarchy);

/* level->inverse of the matrix at hand. Errors: likewise, STATUS_RANK. */
enum status take_diagonal(const struct builder *builder, struct level *level, struct error *error);

/* The matrix at hand comes to the host, and set-up goes on there. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status level_come_back(struct builder *builder, struct error *error);

/* The matrix of the last level stays with it, if it is there and is to be kept; nobody uses it
 * through the builder any more. */
void level_keep(struct builder *builder);

void level_free_aggregates(struct space *space, struct aggregates *aggregates);
void level_free_passes(struct space *space, struct joining *joining);
void level_free(struct space *space, struct level *level);

/* One more level below the last one. *done: a coarser level would not pay, and none was added.
 * Errors: as above. */
enum status descend(struct builder *builder, bool *done, struct error *error);

/* As descend, but it adds no level: it makes the matrix, and the aggregates of `above`. */
enum status go_below(struct builder *builder, struct level *above, struct csr *coarse, bool *done,
                     struct error *error);

/* The matrix of a level from A by its aggregates, or by their passes, NULL: there are none; *coarse
 * is zeroed or A_c. Errors: as above. */
enum status coarse_level(const struct builder *builder, const struct aggregates *aggregates,
                         const struct passes *passes, struct csr *coarse, struct error *error);

/* Of smoothed aggregation: the near-null vectors of A, the matrix at hand of level 0, and as
 * go_below, also by maps. Errors: as above, and STATUS_CONFIG for a near-null space of another
 * matrix. */
enum status vectors_begin(struct builder *builder, const int32_t *number, struct error *error);
enum status go_below_smoothed(struct builder *builder, struct level *above, struct csr *coarse,
                              bool *done, struct error *error);

/* Whether no level below `above` has that number of rows. */
bool stalls(struct hierarchy *hierarchy, const struct level *above, int64_t count);

/* The matrix of a level below `above`, by the maps. Errors: as above. */
enum status renew_below(struct builder *builder, struct level *above, struct csr *coarse,
                        struct error *error);

/* Aggregates of the memory of a device, with their lists, on the host. The caller calls
 * aggregates_free. Errors: likewise. */
enum status aggregates_bring(struct space *space, const struct aggregates *device,
                             struct aggregates *host, struct error *error);

void maps_take(struct hierarchy *hierarchy, struct maps *maps); /* and free the rest */
void maps_free(struct maps *maps);

/* How A_c becomes the matrix of the next level. */
struct rescaling rescaling_of(const struct builder *builder);

/* The hash grows by a level: by the map to it, and by its matrix. Both are where that is. */
enum status hash_level(const struct builder *builder, const struct aggregates *made,
                       const struct csr *coarse, struct error *error);

#endif
