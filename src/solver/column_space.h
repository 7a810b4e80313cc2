/* The space in which one column of several right-hand sides is solved (solver/columns.c). A method
 * does not know of it: its vectors are columns of multivectors, its scalars its own.
 *
 * What it asks for is done at once, but while turns are collected: then the passes and products of
 * a turn are taken down, one list a column, and done for all columns together. A turn can be
 * collected for the reason for which it can be recorded: which operations it has does not hang on
 * what they come to. */
#ifndef SOLVER_COLUMN_SPACE_H
#define SOLVER_COLUMN_SPACE_H

#include "space/pass.h"
#include "space/space.h"
#include "spmv/operator.h"

#include <stdbool.h>
#include <stdint.h>

struct column_group;

/* A product with A or M^-1. */
struct column_product {
    const struct column_operator *with; /* NULL: the step is a pass */
    const double *x, *squared;          /* as in struct operands */
    double *y, *dot;                    /* NULL: not wanted */
};

/* An operation of a turn. */
struct column_step {
    struct column_product product;
    const struct pass *pass;
    int64_t n;
    uint64_t work[PASS_WORK_MOST / sizeof(uint64_t)];
};

enum { COLUMN_STEPS = 16 }; /* of a turn, at the most */

/* Of one column, A or M^-1 as its method sees it. */
struct column_view {
    struct column *column;
    const struct column_operator *with;
};

struct column {
    struct space base; /* first */
    struct column_group *group;
    int64_t place;   /* 0, 1, ... */
    int64_t vectors; /* that it has asked for */
    struct column_view of_A, of_M;
    struct linear_operator A, M; /* views */
    space_work *turn;            /* what it has recorded */
    void *context;
    struct column_step steps[COLUMN_STEPS];
    int steps_count;
};

/* A or M^-1, for all columns. A zeroed one is none. */
struct column_operator {
    const struct linear_operator *real; /* borrowed */
    struct operator_columns columns;
};

struct column_group {
    struct space *space; /* the real one; borrowed */
    int64_t n;
    int count, stride; /* of columns */
    struct column *columns;
    struct column_operator A, M;
    double **vectors; /* [vectors_count]: multivectors, in the order in which a column asks */
    int64_t vectors_count, vectors_capacity;
    double *one, *other; /* a column, and what is made of it */
    int64_t *over;       /* in the space: 1 when all columns have ended */
    bool collecting;
};

/* Column number `place` of the group, whose operators are there. */
void column_make(struct column_group *group, int64_t place, struct column *column);

/* held = v[n], and v[n] = held: v is in the memory of the real space, `held` a vector of the
 * column's space. Errors: STATUS_DEVICE. */
enum status column_bring(struct space *space, const double *v, double *held, struct error *error);
enum status column_give(struct space *space, const double *held, double *v, struct error *error);

/* The product of one column alone, done at once, of vectors that lie together. Errors:
 * STATUS_DEVICE. */
enum status column_multiply(const struct column *column, const struct column_product *product,
                            struct error *error);

/* --- the group (column_group.c) --------------------------------------------------------------- */

/* Columns 1 <= count <= PASS_COLUMNS of systems with A in its space, M = NULL: none. On failure the
 * caller calls column_group_free all the same. Errors: STATUS_MEMORY, those of
 * operator_columns_create. */
enum status column_group_create(struct linear_operator *A, const struct linear_operator *M,
                                int count, struct column_group *group, struct error *error);

/* Do what the columns have collected, for all of them together, step by step. Errors: those of the
 * steps; STATUS_UNAVAILABLE where the lists are not the same. */
enum status column_group_flush(struct column_group *group, struct error *error);

/* Whether every operator is applied to all columns at once. */
bool column_group_is_together(const struct column_group *group);

/* Look whether all columns have ended: then products need not be made until it is asked again. */
enum status column_group_over(struct column_group *group, struct error *error);

/* The turn of every column, collected and done. On a CPU a column that has ended takes none. */
enum status column_group_turn(struct column_group *group, struct error *error);

void column_group_free(struct column_group *group); /* accepts a zeroed one */

#endif
