/* The settings of a run: what the config says, every default filled in.
 *
 * Reading is strict: an unknown, repeated or wrongly typed key is an error with file, line and the
 * nearest known key, and so is a key that means nothing for the chosen type. A whole number is
 * taken where a real is wanted, never a real where a whole number is; a number that overflows is an
 * error; a list may stand in ( ) or [ ] and mix both; @include is refused. All keys stand in one
 * table in settings_keys.c, from which --help, the reader, the overrides and settings.cfg are all
 * made. A key that means nothing for the chosen type leaves its field zero. */
#ifndef PROGRAM_CONFIG_SETTINGS_H
#define PROGRAM_CONFIG_SETTINGS_H

#include "cgsolve/kernel.h"
#include "cgsolve/method.h"
#include "cgsolve/preconditioner.h"
#include "cgsolve/status.h"
#include "problem/chains.h"
#include "problem/convection3d.h"
#include "problem/fe_brick.h"
#include "problem/fe_mesh.h"
#include "problem/grid2d.h"
#include "problem/lattice4d.h"
#include "problem/layers.h"
#include "problem/network.h"
#include "problem/pattern.h"
#include "problem/poisson3d.h"
#include "problem/power_law.h"
#include "problem/rhs.h"
#include "problem/stand_in.h"
#include "problem/tied.h"
#include "study/comparison.h"

#include <stdbool.h>
#include <stdio.h>

enum problem_type {
    PROBLEM_POISSON3D,
    PROBLEM_FE_SHEET,
    PROBLEM_FE_CUBE,
    PROBLEM_NETWORK,
    PROBLEM_TIED,
    PROBLEM_LAYERS,
    PROBLEM_FE_BRICK,
    PROBLEM_LATTICE4D,
    PROBLEM_GRID2D,
    PROBLEM_POWER_LAW,
    PROBLEM_CHAINS,
    PROBLEM_STAND_IN,
    PROBLEM_CONVECTION3D,
    PROBLEM_MTX,
};

enum reorder {
    REORDER_NONE,
    REORDER_RCM,
};

struct problem_settings {
    enum problem_type type;
    struct poisson3d poisson3d; /* for PROBLEM_POISSON3D: n (a list of three, or one for all),
                                   anisotropy = the weights (default 1, 1, 1), jump (1),
                                   shift (0) */
    struct fe_mesh fe_mesh;     /* for PROBLEM_FE_SHEET: n (a list of two, or one for all), unknowns
                                   (default 5), and PROBLEM_FE_CUBE: n (a list of three, or one for
                                   all), unknowns (4); shift (1e-3), seed (1), diagonals
                                   (regular), numbering (natural) */
    struct network network;     /* for PROBLEM_NETWORK: n (a list of three, or one for all), decades
                                   (default 8), ground (1e-6), scaling (0), seed (1) */
    struct tied tied;           /* for PROBLEM_TIED: n, ground (default 1), seed (1) */
    struct layers layers;       /* for PROBLEM_LAYERS: n (a list of two), joined (16) */
    /* For the six types from PROBLEM_FE_BRICK on: kind (default symmetric; fe_brick has no other),
     * rows (drawn), shift (1), seed (1). */
    struct pattern_options pattern;
    struct fe_brick fe_brick;   /* n (a list of three, or one for all), unknowns (default 3),
                                   reach (1), density (1, 1), hubs (0), fixed (0), numbering
                                   (natural) */
    struct lattice4d lattice4d; /* n (a list of four, or one for all) */
    struct grid2d grid2d;       /* n (a list of two, or one for all) */
    struct power_law power_law; /* n, mean (default 8), deviation (16), longest (1000), tail (0.5),
                                   span (1), empty (0), dense (0) */
    struct chains chains;       /* n, cuts (default 0.098), branches (0.163), numbering (natural) */
    struct stand_in stand_in;   /* name, scale (default 1) */
    struct convection3d
        convection3d;     /* n (a list of three, or one for all), velocity (default 1, 1, 1) */
    char *path;           /* for PROBLEM_MTX */
    double asymmetry;     /* for PROBLEM_MTX: the largest relative |a_ij - a_ji| that a general file
                             may have to be taken as symmetric; default 0 */
    enum reorder reorder; /* the numbering in which the system is solved; default none: its own */
};

/* One entry of the study: of the list `kernels`, or a combination that `vary` makes of one
 * (settings_vary.h). */
struct kernel_settings {
    const struct kernel *kernel;
    struct kernel_options options;
    char *label;                /* unique; default: the kernel's name */
    char *place;                /* where it was written: `FILE:LINE: entry "LABEL"` */
    bool has_reductions;        /* of its own */
    enum reductions reductions; /* of its own, else those of the solver */
    int64_t threads;            /* its own number, at least 1; 0: that of the settings */
};

/* The history that every run is held against (program/record/history_check.h). */
struct reference_settings {
    char *history;               /* a file, or NULL: nothing is compared */
    struct comparison_rule rule; /* defaults: COMPARISON_BITWISE, iterations 0; without default: the
                                    tolerance, ulps or relative by the mode */
};

enum trace_keep {
    TRACE_HASH,   /* a hash for each HASH_BLOCK elements (base/hash.h) */
    TRACE_VALUES, /* every element */
};

/* The vectors that are looked at on the way (struct cg_trace of cgsolve/cg.h), and what is kept of
 * them. */
struct trace_settings {
    int64_t every;        /* default 0: none */
    unsigned vectors;     /* bits 1u << enum cg_vector; default r and x */
    enum trace_keep keep; /* default TRACE_HASH */
};

enum solution_format {
    SOLUTION_NONE,
    SOLUTION_NPY,
    SOLUTION_MTX,
    SOLUTION_TXT,
};

enum solution_of {
    SOLUTION_OF_FIRST, /* the first run of each kernel */
    SOLUTION_OF_ALL,
};

/* A key that means something too when it is left out. */
enum switch_state {
    SWITCH_UNSET,
    SWITCH_OFF,
    SWITCH_ON,
};

/* How `cgsolve bench` measures (study/product_study.h), and where its rows go. */
struct bench_settings {
    int64_t rounds;         /* default 11 */
    int64_t products;       /* default 0: as many as take `seconds` */
    double seconds;         /* default 0.01 */
    enum switch_state cold; /* left out: no */
    int64_t seed;           /* default 1 */
    char *baseline;         /* a label; NULL: that of the first kernel */
    char *csv;              /* NULL: bench.csv in the output directory where the matrices are a
                               directory's, else none */
};

struct settings {
    struct problem_settings problem;
    struct rhs rhs;  /* default: ones; random for eigenvalues, whose first vector it is */
    unsigned method; /* the place of solver.method in method_list */
    /* Defaults: method "cg", tolerance 1e-8, max_iterations 10000; shift 0; eigen: 10, smallest,
     * 1e-10, full, 0. */
    struct solver_options solver;
    /* Type (default none), block (4), degree (4); low, high without default. */
    struct preconditioner_options preconditioner;
    enum switch_state eigenvectors; /* left out: no */
    enum reductions reductions;     /* default: reproducible */
    struct kernel_settings *kernels;
    int kernels_count;             /* at least 1 */
    int64_t repeats;               /* default 1, at least 1 */
    int64_t threads;               /* default 0: as many as the machine offers */
    char *output_directory;        /* default "results" */
    enum solution_format solution; /* default SOLUTION_NONE, and nothing else for eigenvalues */
    enum solution_of solution_of;  /* which of them are written; default SOLUTION_OF_FIRST */
    enum switch_state report;      /* report.html; left out: unless the call is quiet */
    struct reference_settings reference;
    struct trace_settings trace;
    struct bench_settings bench;
};

/* One --set KEY=VALUE, e.g. "solver.tolerance=1e-10"; VALUE is written as in a config, and what is
 * none there (a bare word) is taken as a text. A group or a list is replaced as a whole:
 * kernels=("cpu_sym"). Messages name it as --set KEY=VALUE instead of file and line. */
struct settings_override {
    const char *text;
};

/* Read a config file (NULL: none, the overrides are all), apply the overrides in order, fill in the
 * defaults, check everything that can be checked without reading the problem. Relative paths in the
 * config are kept as they are (they are relative to the working directory). On failure *settings is
 * zeroed. The caller calls settings_free. Errors: STATUS_CONFIG (every fault, an unreadable config
 * as well), STATUS_MEMORY. */
enum status settings_read(const char *path, const struct settings_override *overrides,
                          int overrides_count, struct settings *settings, struct error *error);

/* Accepts a zeroed one. */
void settings_free(struct settings *settings);

/* Whether every kernel takes A with its options (kernel_check); the message begins with the place of
 * the one that does not. */
enum status kernels_check(const struct settings *settings, const struct csr *A,
                          struct error *error);

/* Write the settings as a config that settings_read takes, with every key that means something for
 * the chosen types present, and reals with enough digits to come back equal. Errors are left in
 * ferror(file). */
void settings_write(const struct settings *settings, FILE *file);

/* kernels = ( ... ) of so many of them, as a config says it. */
void settings_write_kernels(const struct kernel_settings *kernels, int count, FILE *file);

/* "ones", "random", ...; "reproducible", ...; for settings.cfg and summary.json. */
const char *rhs_type_name(enum rhs_type type);
const char *reductions_name(enum reductions reductions);
const char *problem_type_name(enum problem_type type);
const char *reorder_name(enum reorder reorder);
const char *eigen_which_name(enum eigen_which which);
const char *reorthogonalization_name(enum reorthogonalization reorthogonalization);

/* The texts of enum comparison_mode, enum reductions, enum solution_format (also the ends of names)
 * and enum cg_vector, each ended by a NULL. */
extern const char *const comparison_modes[];
extern const char *const solution_formats[];
extern const char *const reductions_names[];
extern const char *const vector_names[];

/* How many threads can be asked for. */
enum { THREADS_MAX = 4096 };

#endif
