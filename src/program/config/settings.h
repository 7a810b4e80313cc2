/* The settings of a run: the config, with all defaults.
 *
 * Reading is strict: an unknown, repeated or wrongly typed key is an error with file, line and the
 * nearest known key, and so is a key that is invalid for the chosen type. A real may be a whole
 * number, but not conversely; a number that overflows is an error; a list may have ( ) or [ ] and
 * mix integers and reals; @include is refused. All keys are in keys.c, or with their component:
 * --help, the reader, the overrides and settings.cfg follow them. A key that is invalid for the
 * chosen type leaves its field zero.
 *
 * The text of a config goes through grammar.c and tree.h to settings.c. Then system.h makes or
 * reads the system. */
#ifndef PROGRAM_CONFIG_SETTINGS_H
#define PROGRAM_CONFIG_SETTINGS_H

#include "base/component.h"
#include "base/status.h"
#include "solver/method.h"
#include "spmv/kernel.h"
#include "spmv/preconditioner.h"
#include "study/comparison.h"
#include "study/product_bench.h"

#include <stdbool.h>
#include <stdio.h>

enum reorder { REORDER_NONE, REORDER_RCM, REORDER_METIS };

/* One entry of the study: of the list `kernels`, or a combination that `vary` makes of one
 * (vary.c). */
struct kernel_settings {
    const struct kernel *kernel;
    struct kernel_options options;
    char *label;                /* unique; default: the kernel's name */
    char *place;                /* where it was written: `FILE:LINE: entry "LABEL"` */
    bool has_reductions;        /* of its own */
    enum reductions reductions; /* of its own, else those of the solver */
    int64_t threads;            /* its own number, at least 1; 0: that of the settings */
};

/* The reference history of every run (program/record/history_check.h). */
struct reference_settings {
    char *history;               /* a file, or NULL: nothing is compared */
    struct comparison_rule rule; /* defaults: COMPARISON_BITWISE, iterations 0; without default: the
                                    tolerance, ulps or relative by the mode */
};

enum trace_keep {
    TRACE_HASH,   /* a hash for each HASH_BLOCK elements (base/hash.h) */
    TRACE_VALUES, /* every element */
};

/* The traced vectors, and their kept form. */
struct trace_settings {
    int64_t every;        /* default 0: none */
    unsigned vectors;     /* bits 1u << place in the method's list; default r and x */
    enum trace_keep keep; /* default TRACE_HASH */
};

enum solution_format { SOLUTION_NONE, SOLUTION_NPY, SOLUTION_MTX, SOLUTION_TXT };

enum solution_of {
    SOLUTION_OF_FIRST, /* the first run of each kernel */
    SOLUTION_OF_ALL,
};

/* The most numbers of columns of a bench, and the largest. */
enum { BENCH_COLUMNS = 16, BENCH_COLUMNS_MOST = 128 };

/* The options and the output of `cgsolve bench` (study/product_bench.h). */
struct bench_settings {
    enum product_operation operation; /* default PRODUCT_SPMV */
    int64_t columns[BENCH_COLUMNS];   /* but of PRODUCT_SPMV; default 8; the rest is 0 */
    int64_t rounds;                   /* default 11 */
    int64_t products;                 /* default 0: as many as take `seconds` */
    double seconds;                   /* default 0.01 */
    enum switch_state cold;           /* left out: no */
    int64_t seed;                     /* default 1 */
    char *baseline;                   /* a label; NULL: that of the first kernel */
    char *csv; /* NULL: bench.csv in the output directory where the matrices are a
                               directory's, else none */
};

/* How many threads can be asked for, and how many devices. */
enum { THREADS_MAX = 4096, DEVICES_MAX = 32 };

/* The system: A, b and x_0 (program/config/system.h). */
struct problem_settings {
    struct options matrix; /* problem/problem.h */
    enum reorder reorder;  /* the numbering in which the system is solved; default none: its own */
    int64_t parts;         /* of REORDER_METIS; default 8; else 0 */
    struct options rhs;    /* problem/rhs.h; default: ones; random for eigenvalues, whose first
                              vector it is */
    int64_t rhs_columns;   /* default 0: those of a file, else one */
    struct options start;  /* problem/start.h; default: zero */
};

/* How it is solved, by every kernel. */
struct solver_settings {
    struct options method; /* default "cg"; options.method points to it */
    /* Defaults: tolerance 1e-8, max_iterations 10000; shift 0; eigen: 10, smallest, 1e-10, full,
     * 0. */
    struct solver_options options;
    struct options preconditioner; /* default: "none" */
    enum reductions reductions;    /* default: reproducible */
};

/* The runs: kernels, repeats, devices and traces. */
struct study_settings {
    struct kernel_settings *kernels;
    int kernels_count;            /* at least 1 */
    int64_t repeats;              /* default 1, at least 1 */
    int64_t threads;              /* default 0: as many as the machine offers */
    int64_t devices[DEVICES_MAX]; /* of CUDA, each once; the rest is -1; default 0 alone */
    struct trace_settings trace;
};

/* What is written. */
struct output_settings {
    char *directory;                /* default "results" */
    enum solution_format solution;  /* default SOLUTION_NONE, and nothing else for eigenvalues */
    enum solution_of solution_of;   /* which of them are written; default SOLUTION_OF_FIRST */
    enum switch_state eigenvectors; /* left out: no */
    enum switch_state report;       /* report.html; left out: unless the call is quiet */
};

/* All of a config. A command passes its parts on. */
struct settings {
    struct problem_settings problem;
    struct solver_settings solver;
    struct study_settings study;
    struct output_settings output;
    struct reference_settings reference;
    struct bench_settings bench;
};

/* One --set KEY=VALUE, e.g. "solver.tolerance=1e-10"; VALUE is written as in a config; a bare word
 * is a text. A group or a list is replaced completely: kernels=("cpu_sym"). */
struct settings_override {
    const char *text;
    const char *place; /* what messages call it, instead of file and line; NULL: --set KEY=VALUE */
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

/* Whether a kernel of the study is one of a GPU. */
bool settings_use_cuda(const struct study_settings *study);

/* The number of devices for a solve with the kernel: 1 on the CPU. */
int settings_devices(const struct study_settings *study, const struct kernel *kernel);

/* The same for the kernel of the study that has the most. */
int settings_devices_most(const struct study_settings *study);

/* Whether every kernel takes A with its options (kernel_check); the message begins with the place
 * of a kernel that does not. */
enum status kernels_check(const struct study_settings *study, const struct csr *A,
                          struct error *error);

/* Write the settings as a config that settings_read takes, with every key that means something for
 * the chosen types present, and reals with enough digits to come back equal. Errors are left in
 * ferror(file). */
void settings_write(const struct settings *settings, FILE *file);

/* The same as a text, which the caller frees by free; NULL without memory. */
char *settings_text(const struct settings *settings);

/* A hash of that text of each; 0 without memory. */
uint64_t settings_hash(const struct settings *settings, int count);

/* text[length] as a config has it: in quotes, which it escapes, as it does control characters. */
void settings_write_text(const char *text, size_t length, FILE *file);

/* kernels = ( ... ) of so many of them, as a config says it. */
void settings_write_kernels(const struct kernel_settings *kernels, int count, FILE *file);

/* "none", "rcm", "metis" */
const char *reorder_name(enum reorder reorder);

/* The texts of the enums, each list in the order of its enum and ended by a NULL; those of enum
 * solution_format are also the ends of names. */
extern const char *const comparison_modes[];
extern const char *const solution_formats[];
extern const char *const reorder_names[];
extern const char *const solution_ofs[];
extern const char *const trace_keeps[];

#endif
