/* Solves that are saved between two iterations and go on elsewhere, and solves in portions: for
 * every space, the bits of one that was never interrupted. */
#ifndef TESTS_SOLVER_STATES_H
#define TESTS_SOLVER_STATES_H

#include "rows.h"
#include "solver/memory_archive.h"
#include "solver/method.h"

/* What a method is given to solve. */
enum given {
    GIVEN_GRID,       /* a cube whose cells differ; a skew matrix of its pattern */
    GIVEN_INDEFINITE, /* the same, with a sign that is wrong in one place */
    GIVEN_FEW,        /* a diagonal with six eigenvalues: no vector has more than that of its own */
};

/* A way to solve. */
struct way {
    const char *name;
    const struct method *method;
    const char *kernel; /* "directing": of tests/solver/solve.h */
    enum given given;
    bool makes_direction; /* as the kernel must */
    enum reductions reductions;
    const char *preconditioner; /* NULL: none */
    const char *option;         /* of it, "KEY=VALUE", or NULL */
    double relaxation;          /* where the method takes one */
    bool traces;                /* all vectors, in every third iteration */
    enum reorthogonalization reorthogonalization;
    int64_t restart;
    int device;
    int ahead;        /* turns that the space replays at once; 0: its own number */
    enum reason ends; /* the whole solve */
    int64_t at_least; /* iterations of it */
};

enum { STATES_CUBE = 5, STATES_N = STATES_CUBE * STATES_CUBE * STATES_CUBE, STATES_MOST = 600 };

/* What solves have shown, one going on where the other was left. It is large: make it static. */
struct shown {
    const struct method *method;
    int64_t asks_at; /* in which row the observer asks for the end; -1: never */
    int64_t rows, looks;
    struct kept_row row[STATES_MOST];
    struct {
        int64_t iteration, place;
        double values[STATES_N];
    } look[2 * STATES_MOST];
    double x[STATES_N];
    struct solver_result result; /* made by shown_end; the test calls solver_result_free */
};

/* All that a solve by this way is given. */
struct setting {
    const struct way *way;
    struct csr A;
    double b[STATES_N];
    struct space *space;
    struct space_operations operations; /* of the space, with another number of turns at once */
    const struct space_operations *usual;
    struct linear_operator spmv, M;
    struct solver_options options;
    struct observer observer;
};

void setting_create(const struct way *way, struct setting *setting);
void setting_free(struct setting *setting);

/* A solve that shows what it does there; which is emptied by the second. */
struct solver *setting_begin(struct setting *setting, struct shown *shown);
void shown_clear(const struct setting *setting, struct shown *shown);

/* These must succeed. shown_advance: whether it has ended; shown_end: the solver is freed. */
bool shown_advance(struct solver *solver, int64_t iterations);
void shown_save(const struct setting *setting, struct solver *solver,
                struct memory_archive *memory);
void shown_load(const struct setting *setting, struct solver *solver,
                struct memory_archive *memory);
void shown_end(struct setting *setting, struct solver *solver, struct shown *shown);

/* A solve without interruption. */
void shown_whole(struct setting *setting, struct shown *shown);

/* Fail the test unless both are the same in every bit; reasons_too: and curvature, which one that
 * was interrupted does not tell. */
void expect_same_shown(const struct shown *one, const struct shown *two, bool reasons_too);

/* Saved behind every iteration, and once more by the solve that has loaded it. */
void check_every_iteration(const struct way *way);

/* Brought forward by 1, 2, 3, 5, 16, 17 and 33 at a time. */
void check_portions(const struct way *way);

/* A state has nothing of what was in its memory before: behind each of the first iterations it is
 * the same, whatever malloc gives. */
void check_what_is_written(const struct way *way);

#endif
