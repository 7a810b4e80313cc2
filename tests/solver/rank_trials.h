/* Solves over ranks that are threads, beside the solve of one. */
#ifndef TESTS_SOLVER_RANK_TRIALS_H
#define TESTS_SOLVER_RANK_TRIALS_H

#include "solver/solver.h"

enum { RANK_COLUMNS = 5 };

struct rank_way {
    const char *name, *kernel; /* kernel = NULL: `directing` */
    const struct method *method;
    const char *form; /* an option of the kernel, or NULL */
    const char *preconditioner, *block;
    enum reductions reductions;
    bool started;
    double shift, relaxation;
    int columns;
    bool apart;             /* the columns are solved one after the other */
    int64_t interrupted_at; /* this iteration; 0: never */
    bool restarts;          /* a row of the grid is nearly 0 and alone */
    int exponent;           /* b and x0 are multiplied by 2^exponent */
};

/* Of a grid with 9 tiles of rows, and of rows that have entries with all ranks: for each of the
 * `counts`, which end with a 0, every rank has the bits of one alone. */
void rank_trial_grid(const struct rank_way *way, const int *counts);
void rank_trial_anywhere(const struct rank_way *way, const int *counts);

/* The same of a generator's matrix that is not stored, and need not be: number 0 or 1. */
enum { RANK_GENERATORS = 2 };
void rank_trial_made(const struct rank_way *way, int which, const int *counts);

/* A matrix that a preconditioner refuses, for its first row: no rank names another one. */
void rank_trial_refused(const char *kernel, const char *preconditioner, int ranks);

/* The same of every kernel there that promises bits, unless it is refused. The rows have many
 * entries, so that a kernel may cut them. */
void rank_trial_kernels(enum space_kind kind, const int *counts);

#endif
