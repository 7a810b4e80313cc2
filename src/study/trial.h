/* Trials of a component: whether it keeps the contract of its kind. Our tests put what is built in
 * through them, and `cgsolve bench --prove` what a plug-in brings. Kernels:
 * study/kernel_trials.h; preconditioners: study/preconditioner_trials.h; methods:
 * study/method_trials.h. */
#ifndef STUDY_TRIAL_H
#define STUDY_TRIAL_H

#include "base/component.h"
#include "base/status.h"
#include "matrix/csr.h"
#include "space/space.h"
#include "spmv/kernel.h"

#include <stdbool.h>
#include <stdint.h>

struct trials_options {
    uint64_t seed; /* of matrices and vectors */
    bool quick;    /* every second matrix, and once what is repeated */
};

struct trials_found {
    const char *trial; /* the one of now, or the last one */
    int64_t matrices;  /* a matrix counts once, if the component took it */
    int64_t done;      /* products, applications, solves */
    unsigned can;      /* of all operators, or-ed: enum operator_can */
    char broken[1024]; /* what did not hold, in a sentence; "": all did */
};

/* The threads that a component of the CPU is tried with. */
enum { TRIAL_TEAMS = 4 };
extern const int trial_threads[TRIAL_TEAMS];

/* A space with each of them, of a device one: how many. The caller calls trial_spaces_destroy, also
 * after a failure. Errors: those of space_create. */
struct trial_spaces {
    struct space *with[TRIAL_TEAMS];
    int teams;
};
enum status trial_spaces_create(enum space_kind kind, enum reductions reductions,
                                struct trial_spaces *spaces, struct error *error);
void trial_spaces_destroy(struct trial_spaces *spaces); /* accepts a zeroed one */

/* What one trial is given: a component with one choice of its parameters, over one matrix. */
struct trial_case {
    const struct component *component; /* what is tried, */
    const void *values;                /* and its options, for a sentence */
    const char *matrix;                /* its name */
    const struct csr *A;
    struct trial_spaces spaces;
    int team;                      /* of the spaces: the one of now */
    const struct kernel *kernel;   /* what is tried, or what multiplies by A, */
    struct kernel_options options; /* with these */
    bool every_column;             /* of a kernel: every number of columns, not one of them */
    struct options with;           /* of a preconditioner that is tried; borrowed */
    double condition;              /* A's condition number is not above it; where that is known */
    bool quick;
    uint64_t *random; /* the state of the stream */
    struct trials_found *found;
};

bool trial_holds(const struct trial_case *of);

/* Say what does not hold, once. */
void trial_broken(struct trial_case *of, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Looks until something does not hold. Errors: STATUS_MEMORY, STATUS_DEVICE. */
struct trial {
    const char *name; /* "products" */
    enum status (*run)(struct trial_case *of, struct error *error);
};

/* All of the list, which ends with a NULL name, until something does not hold. */
enum status trials_run(const struct trial *list, struct trial_case *of, struct error *error);

/* What `attempt` does survives the failure of each of its allocations on the host: it ends with
 * STATUS_MEMORY, and nothing is left. An attempt that uses what it could not allocate ends the
 * process. */
enum status trial_allocations(struct trial_case *of,
                              enum status (*attempt)(struct trial_case *of, struct error *error),
                              struct error *error);

/* A whole number from 0 to below `count`. */
int64_t trial_below(struct trial_case *of, int64_t count);

#endif
