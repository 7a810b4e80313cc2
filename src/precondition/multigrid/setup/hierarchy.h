/* The levels of a multigrid: the system's matrix, and coarser and coarser ones.
 * builder.h says which files make them. */
#ifndef PRECONDITION_MULTIGRID_SETUP_HIERARCHY_H
#define PRECONDITION_MULTIGRID_SETUP_HIERARCHY_H

#include "matrix/csr.h"
#include "matrix/near_null.h"
#include "precondition/multigrid/cycle/legs.h"
#include "precondition/multigrid/setup/aggregates.h"
#include "precondition/multigrid/setup/cells.h"
#include "precondition/multigrid/setup/interpolation.h"
#include "precondition/multigrid/setup/level_fsai.h"
#include "spmv/kernel.h"
#include "spmv/operator.h"

#include <stdint.h>

enum aggregation {
    AGGREGATION_AUTO, /* of a grid where the places of the entries tell one, else by matching */
    AGGREGATION_GRID,
    AGGREGATION_MATCHING,
};

/* P of a level. */
enum transfer {
    TRANSFER_AUTO,     /* smoothed where A has a near-null space, else constant */
    TRANSFER_CONSTANT, /* it copies the value of an aggregate to its rows */
    TRANSFER_SMOOTHED, /* of smoothed aggregation (smoothed.h) */
};

/* What a smoother multiplies residuals by. */
enum smoother {
    SMOOTHER_JACOBI, /* D^-1 */
    SMOOTHER_FSAI,   /* level_fsai.h */
};

/* What set-up for other values on the same pattern takes from the one before. */
enum reuse {
    REUSE_NONE,
    REUSE_AGGREGATES,
};

struct multigrid_options {
    enum aggregation aggregates;
    enum transfer transfer;
    int64_t passes;    /* of a matching: at most 2^passes nodes an aggregate */
    double correction; /* of rescale.h; 0: by the aggregates */
    enum smoother smoother;
    int64_t degree;    /* of its polynomial */
    int64_t coarsest;  /* rows of a matrix that is solved directly; 0: by hierarchy_coarsest */
    int64_t precision; /* of the cycle: PRECISION_DOUBLE or PRECISION_FLOAT */
    enum reuse reuse;
    enum legs_choice legs;
    enum near_null_choice near_null;
    char *coordinates, *vectors; /* files that near_null is made of; NULL: there is none */
    /* Not parameters; tests set them. */
    bool apart;     /* no launch of several levels (fused_levels.h) */
    bool on_host;   /* ranks set up slabs there (slabs.h), as where a device has no room */
    int64_t shared; /* rows that each rank has at least of a coarser level that ranks share
                       (distribute.h); 0: the default */
};

/* How the aggregates of a level came about, for set-up with other values. The sums of several
 * passes have an order that the map alone does not tell. */
struct joining {
    bool on_device;       /* in the memory of a device: so are the maps of the passes, which have no
                             lists then; else all of it is on the host */
    int distance;         /* of smoothed aggregation: aggregates.h */
    struct cells cells;   /* the grid of the next level; n[0] = 0: none */
    struct passes passes; /* of a matching, where aggregates are reused */
};

struct level {
    struct space *space; /* of its vectors: the hierarchy's, or that of a rank */
    int number;          /* 0: of the system */
    int64_t n, nnz;
    /* The level's matrix on the host. Zeroed if set-up made none on the host, and of level 0 if
     * that is the caller's A. */
    struct csr coarse;
    struct csr kept; /* a copy of `coarse` in the memory of the space, if the hierarchy keeps one */
    /* The operator over this matrix, in the precision of the cycle; of level 0 only if that is
     * single. */
    struct linear_operator own;
    struct linear_operator *spmv;
    const struct fused_smoothing
        *fused_smoothing; /* of fused_smoothing.h, to the next level and back; NULL: passes */
    struct legs legs;     /* in its place */
    bool is_m_matrix;     /* no entry right of the diagonal is above 0 */
    double lmax;          /* of D^-1 A: an upper bound, or 1.1 times an estimate (bound.h) */

    struct level_fsai fsai; /* of a smoother by it, else zeroed */

    /* In the space, [n], of the precision of the cycle; of doubles while set-up is at the level. */
    void *inverse;   /* 1 / a_ii; with fsai 1 */
    void *b, *x;     /* of level 0 only where they are singles: the caller's are doubles */
    void *q, *d, *r; /* a product, a step, a residual */

    /* To the next level, in the space. The last level has none. */
    struct aggregates aggregates;      /* of rows; with P of nodes, kept if aggregates are reused */
    int64_t members;                   /* rows that lie in an aggregate */
    struct tiled_elements restricting; /* aggregates of a grid on a CPU, whose restriction follows
                                          the product; begin = NULL: it is a pass of its own */
    struct interpolation P;            /* blocks > 0: of smoothed aggregation */
    struct joining joining;
    struct crossing *crossing; /* the exchange with the next level, if ranks share this one, in
                                     the place of the aggregates (distribute.h); or NULL */
};

struct hierarchy {
    struct space *space;
    bool keeps_matrices;      /* of all coarser levels, in the space or on the host */
    enum precision precision; /* of the cycle */

    /* In single precision all matrices are 2^-exponent those of the system, so that the diagonal is
     * within its range; 0 where it is well within. D^-1 A does not change by it. */
    int exponent;
    struct csr scaled; /* then A, with its own values, and A's columns; else zeroed */

    int count;
    struct level levels[OPERATOR_LEVELS];
    bool stalled;  /* the last level has too many rows for the direct solve, and no aggregates
                           were worth a coarser one */
    bool bounded;  /* the next level would have too many entries (smoothed.h) */
    bool torn;     /* a grid was left, or not taken: its boxes would be torn */
    int by_slabs;  /* levels, from the first one on, that ranks set up together (slabs.h) */
    int on_grid;   /* of so many levels, from the first one on, the aggregates are a grid's */
    int64_t block; /* the unknowns of a node */
    bool smoothed; /* aggregation: each level but the last has P */
    bool renewed;  /* with the aggregates of another one */

    /* A is singular: it is known to be, all its rows sum to 0, or a pivot of the last level was
     * dropped. Then a diagonal of a coarser level counts as 0 if it is at most `nothing` =
     * max(2^-40, n 2^-52) times the largest a_ii of A, in the scale of the cycle (level.c,
     * coarsest.h). */
    bool singular;
    double nothing;
    int64_t dropped; /* pivots */
    void *
        coarsest_inverse; /* of the last level's matrix, [n n] in the space, of the precision of the
                           cycle; NULL: it is smoothed */
    uint64_t hash;        /* of maps and matrices of all levels below 0 */
};

/* What these options take of A's near-null space; NULL: nothing. */
const struct near_null *hierarchy_near_null(const struct multigrid_options *options,
                                            const struct csr *A);

/* Whether these options make levels of A by smoothed aggregation. */
bool hierarchy_is_smoothed(const struct multigrid_options *options, const struct csr *A);

/* At most that many rows are solved directly: as the options say, else 128, of smoothed aggregation
 * 256. */
int64_t hierarchy_coarsest(const struct multigrid_options *options, const struct csr *A);

/* What set-up sees of A's places without options: the unknowns of a node, and the grid of nodes;
 * n[0] = 0: none. A on the host or in a device's memory, with all rows. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status hierarchy_look(const struct csr *A, int64_t *block, struct cells *cells,
                           struct error *error);

/* Build the levels of a symmetric A that spmv multiplies by, in double precision. Each level uses
 * A's kernel; a small level on a GPU uses fused_rows.h, where fused_levels.h can run it. In a
 * device's space they are made in its memory (setup_cuda.h), unless there is no room. For a cycle
 * in single precision, what it uses is then rounded: matrices, 1 / a_ii, the inverse of the last
 * one; level 0 gets an operator of its own. A is borrowed and outlives `hierarchy`, which
 * comes zeroed, but for keeps_matrices; the caller calls hierarchy_free, on failure too. Errors:
 * STATUS_CONFIG (a diagonal that is not positive, a last matrix with a negative eigenvalue,
 * aggregates of a grid where there is none, an spmv of no kernel; a kernel without single
 * precision, a value that is beyond it), STATUS_MEMORY, STATUS_DEVICE. */
enum status hierarchy_build(const char *name, const struct multigrid_options *options,
                            const struct csr *A, const int32_t *number,
                            struct linear_operator *spmv, struct hierarchy *hierarchy,
                            struct error *error);

/* The same for other values of A on the same pattern, in the place of a hierarchy that was built
 * for the same spmv and options. With reuse = "aggregates" the number of levels stays, and each
 * level keeps its aggregates and its rows outside of aggregates. All else is freed first, and on
 * failure the aggregates are lost too. */
enum status hierarchy_renew(const char *name, const struct multigrid_options *options,
                            const struct csr *A, const int32_t *number,
                            struct linear_operator *spmv, struct hierarchy *hierarchy,
                            struct error *error);

void hierarchy_free(struct hierarchy *hierarchy);

#endif
