/* The options of the generators, for code that makes a matrix without a config: problem_create. The
 * formula of a generator is at the top of its source, problem/<name>.c. */
#ifndef PROBLEM_GENERATORS_H
#define PROBLEM_GENERATORS_H

#include "problem/pattern.h"
#include "problem/problem.h"

enum chains_numbering { CHAINS_NATURAL, CHAINS_RANDOM };

struct chains {
    int64_t n;             /* 1 to INT32_MAX */
    double cuts, branches; /* 0 to 1 */
    enum chains_numbering numbering;
    struct pattern_options pattern;
};

struct convection3d {
    int64_t n[3];       /* n_x, n_y, n_z >= 1 */
    double velocity[3]; /* the weights w, of any sign, |w| <= 1e100, not all 0 */
};

enum elasticity3d_shape { ELASTICITY3D_CUBE, ELASTICITY3D_BEAM, ELASTICITY3D_PLATE };

enum elasticity3d_support { ELASTICITY3D_CLAMPED, ELASTICITY3D_FREE };

enum { ELASTICITY3D_LONG = 8 }; /* a long edge of a shape, in short ones */

struct elasticity3d {
    int64_t n[3];                  /* elements: nx, ny, nz >= 1; or {n, 0, 0} by the shape */
    enum elasticity3d_shape shape; /* ELASTICITY3D_CUBE where each n is given */
    double spacing[3];             /* 1e-30 to 1e30 */
    double poisson_ratio;          /* -1 < nu < 1/2 */
    double jump;                   /* 1e-100 to 1e100 */
    enum elasticity3d_support support;
};

enum { FE_BRICK_UNKNOWNS_MAX = 16, FE_BRICK_REACH_MAX = 2 };

enum fe_brick_numbering { FE_BRICK_NATURAL, FE_BRICK_RANDOM_LINES };

struct fe_brick {
    int64_t n[3];      /* nx, ny, nz >= 1 */
    int64_t unknowns;  /* k, 1 to FE_BRICK_UNKNOWNS_MAX */
    int64_t reach;     /* 1 to FE_BRICK_REACH_MAX */
    double density[2]; /* low <= high, 0 to 1 */
    double hubs;       /* 0 to 1 */
    double fixed;      /* 0 to 1 */
    enum fe_brick_numbering numbering;
    struct pattern_options pattern;
};

enum { FE_MESH_UNKNOWNS_MAX = 8 };

enum fe_mesh_diagonals { FE_MESH_REGULAR, FE_MESH_RANDOM_DIAGONALS };

enum fe_mesh_numbering { FE_MESH_NATURAL, FE_MESH_RANDOM_NUMBERING };

struct fe_mesh {
    int64_t n[3];     /* nx, ny >= 1; nz >= 1, or 0 for a sheet */
    int64_t unknowns; /* k, 1 to FE_MESH_UNKNOWNS_MAX */
    double shift;     /* 1e-10 to 1e100 */
    int64_t seed;
    enum fe_mesh_diagonals diagonals;
    enum fe_mesh_numbering numbering;
};

enum feature_weight { FEATURE_GAUSSIAN, FEATURE_RATIONAL };

enum { FEATURE_GRAPH_EDGES_MAX = 64, FEATURE_GRAPH_DIMENSIONS_MAX = 1 << 20 };

struct feature_graph {
    char *graph;        /* a Matrix Market file, or NULL */
    char *features;     /* an .npy file of doubles, a row a node, each within 1e100; or NULL */
    int64_t n;          /* nodes of one that is made, else 0 */
    int64_t near, far;  /* edges, 0 to FEATURE_GRAPH_EDGES_MAX */
    int64_t dimensions; /* K of features that are made */
    enum feature_weight weight;
    double sigma, shift; /* 1e-100 to 1e100; 0 to 1e100 */
    int64_t seed;
};

struct grid2d {
    int64_t n[2]; /* nx, ny >= 1 */
    struct pattern_options pattern;
};

struct lattice4d {
    int64_t n[4]; /* nx, ny, nz >= 3; nt >= 2 and even */
    struct pattern_options pattern;
};

struct layers {
    int64_t n[2];   /* layers, width >= 1 */
    int64_t joined; /* d: even, from 2 to width */
};

enum { NETWORK_DECADES_MAX = 100 };

struct network {
    int64_t n[3];             /* nx, ny, nz >= 1 */
    int64_t decades, scaling; /* 0 to NETWORK_DECADES_MAX */
    double ground;            /* above 0, up to 1e100 */
    int64_t seed;
};

enum poisson3d_boundary { POISSON3D_DIRICHLET, POISSON3D_NEUMANN };

struct poisson3d {
    int64_t n[3];      /* nx, ny, nz >= 1 */
    double weights[3]; /* 0 to 1e100, not all 0 */
    double jump;       /* 1e-100 to 1e100 */
    double shift;      /* -1e100 to 1e100 */
    enum poisson3d_boundary boundary;
};

struct power_law {
    int64_t n;              /* 1 to INT32_MAX */
    double mean, deviation; /* of the entries a row, the lower triangle and the diagonal included */
    int64_t longest;        /* at least 1; n where it is more */
    double tail;            /* 0.01 to 0.99 */
    double span;            /* above 0, up to 1 */
    double empty;           /* 0 to 1; general only */
    int64_t dense;          /* 0 to n; general only */
    struct pattern_options pattern;
};

enum stand_in_name {
    STAND_IN_PROTEIN,
    STAND_IN_SPHERES,
    STAND_IN_CANTILEVER,
    STAND_IN_WIND_TUNNEL,
    STAND_IN_HARBOR,
    STAND_IN_QCD,
    STAND_IN_SHIP,
    STAND_IN_ECONOMICS,
    STAND_IN_EPIDEMIOLOGY,
    STAND_IN_ACCELERATOR,
    STAND_IN_CIRCUIT,
    STAND_IN_WEBBASE,
    STAND_IN_POWER_LAW,
    STAND_IN_DENSE_ROW,
    STAND_IN_EMPTY_ROWS,
    STAND_IN_KMER,
    STAND_IN_CIRCUIT5M,
    STAND_INS,
};

/* "protein", ...; [STAND_INS + 1], ended by NULL. */
extern const char *const stand_in_names[];

struct stand_in {
    enum stand_in_name name;
    double scale; /* 1e-6 to 1e6: the matrix has about `scale` times the rows, with rows of the same
                     kind. A size stops at the smallest one that its generator makes */
    struct pattern_options pattern;
};

struct tied {
    int64_t n;     /* nodes: even, at least 4 */
    double ground; /* above 0, up to 1e15 */
    int64_t seed;
};

#endif
