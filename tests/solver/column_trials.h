/* Several right-hand sides: each column beside its own solve, for every space. */
#ifndef TESTS_SOLVER_COLUMN_TRIALS_H
#define TESTS_SOLVER_COLUMN_TRIALS_H

#include "solver/method.h"

/* A way to solve. */
struct columns_way {
    const char *name;
    const struct method *method;
    const char *kernel; /* that promises bits */
    enum reductions reductions;
    const char *preconditioner; /* NULL: none */
    const char *its_option;     /* or NULL */
    double shift, relaxation;   /* where the method takes one */
    bool started;               /* from an x_0 other than 0 */
    bool indefinite;            /* A has a sign that is wrong in one place */
    bool restarts;              /* a row of A is nearly 0 and alone */
    bool other_sums;            /* the kernel's sweep for several columns has other bits */
    bool by_products;           /* the entries of A are not told */
    int64_t most;               /* iterations; 0: enough */
    bool apart;                 /* one column after the other; else together */
    int ahead;                  /* turns that the space replays at once; 0: its own number */
};

/* For 1, 2, 3, 5, 8 and 33 columns, of which one is 0, two are equal, one is a multiple of
 * another and the others are random: rows, results and solutions have the bits of single solves. */
void trial_columns_of(const struct columns_way *way);

/* A wish of the observer for the end ends all columns, each with the x of its last row. */
void trial_interrupted_columns(const struct columns_way *way);

/* Whether 4 columns of A, by that kernel and preconditioner, or with NULL none, are solved together
 * where the bytes of an iteration say how: then a row of a column comes behind one of a later
 * column. */
bool columns_are_together(const struct csr *A, const char *kernel, const struct method *method,
                          const char *preconditioner);

/* Every allocation on the host may fail. */
void trial_failing_columns(const struct columns_way *way);

#endif
