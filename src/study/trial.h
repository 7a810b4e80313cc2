/* Trials of a component test the contract of its kind. Our tests try the components that are built
 * in, and `cgsolve bench --prove` those of a plug-in. Kernels: study/kernel_trials.h;
 * preconditioners: study/preconditioner_trials.h; methods: study/method_trials.h. */
#ifndef STUDY_TRIAL_H
#define STUDY_TRIAL_H

#include "base/component.h"
#include "base/status.h"
#include "matrix/csr.h"
#include "space/space.h"
#include "spmv/kernel.h"

#include <stdbool.h>
#include <stdint.h>

enum { TRIALS_QUICK = 4 };

struct trials_options {
    uint64_t seed; /* of matrices and vectors */
    bool quick;    /* one of TRIALS_QUICK matrices, one set of numbers, no repetitions */
};

struct trials_found {
    const char *trial; /* the current one, or the last one */
    int64_t matrices;  /* a matrix counts once, if the component took it */
    int64_t done;      /* products, applications, solves */
    unsigned can;      /* of all operators, or-ed: enum operator_can */
    char broken[1024]; /* the first failure, in a sentence; "": none */
};

/* The numbers of threads for a component of the CPU. */
enum { TRIAL_TEAMS = 4 };
extern const int trial_threads[TRIAL_TEAMS];

/* On a CPU a space with each number of threads, on a device one space. The caller calls
 * trial_spaces_destroy, also after a failure. Errors: those of space_create. */
struct trial_spaces {
    struct space *with[TRIAL_TEAMS];
    int teams; /* how many spaces */
};
enum status trial_spaces_create(enum space_kind kind, enum reductions reductions,
                                struct trial_spaces *spaces, struct error *error);
void trial_spaces_destroy(struct trial_spaces *spaces); /* accepts a zeroed one */

/* The input of one trial: a component with one choice of its parameters, and one matrix. */
struct trial_case {
    const struct component *component; /* tried, */
    const void *values;                /* with these options, for a sentence */
    const char *matrix;                /* its name */
    const struct csr *A;
    struct trial_spaces spaces;
    int team;                      /* the current space */
    const struct kernel *kernel;   /* tried, or multiplies by A, */
    struct kernel_options options; /* with these */
    bool every_column;             /* of a kernel: try every number of columns, not one */
    struct options with;           /* of a preconditioner that is tried; borrowed */
    double condition;              /* a bound of A's condition number, if known */
    bool quick;
    uint64_t random; /* the state of the stream */
    bool taken;      /* some options took the current matrix */
    struct trials_found *found;
};

/* Of a component with the kernel's defaults, before its first matrix. *found: nothing yet. */
struct trial_case trial_case_of(const struct component *component, const struct kernel *kernel,
                                const struct trials_options *options, struct trials_found *found);

bool trial_holds(const struct trial_case *of);

/* Keeps the first failure, as a sentence with matrix, options and threads. */
void trial_broken(struct trial_case *of, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* It ends at the first failure. Errors: STATUS_MEMORY, STATUS_DEVICE. */
struct trial {
    const char *name; /* "products" */
    enum status (*run)(struct trial_case *of, struct error *error);
};

/* Runs the list, which ends with a NULL name, up to the first failure. */
enum status trials_run(const struct trial *list, struct trial_case *of, struct error *error);

/* The same after `set_up` in the first space, unless that refuses the matrix or the options
 * (STATUS_CONFIG), as it may; any other failure of it is broken. Errors: STATUS_MEMORY,
 * STATUS_DEVICE, also the set-up's. */
enum status trials_of_options(const struct trial *list, struct trial_case *of,
                              enum status (*set_up)(struct trial_case *of, struct error *error),
                              struct error *error);

/* Runs `attempt` until it succeeds; each time one more of its allocations on the host succeeds, and
 * the next fails. A failed attempt must end with STATUS_MEMORY, and release all its memory. An
 * attempt that uses memory it did not get ends the process. */
enum status trial_allocations(struct trial_case *of,
                              enum status (*attempt)(struct trial_case *of, struct error *error),
                              struct error *error);

/* Whether a trial may run hundreds of times: on a CPU, of at most 500 rows. */
bool trial_is_small(const struct trial_case *of);

/* A random integer k, 0 <= k < count. */
int64_t trial_below(struct trial_case *of, int64_t count);

#endif
