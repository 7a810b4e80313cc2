/* What all methods do whose scalars live in the space (space/solver_rows.h). A method names its
 * vectors and scalars in a table, and gives its start and its turn. From the table come memory, the
 * loop over turns, rows of the history, traces, saving, and the time of the pieces. */
#ifndef SOLVER_KRYLOV_H
#define SOLVER_KRYLOV_H

#include "solver/method.h"
#include "solver/resident.h"
#include "solver/trace.h"

#include <stdbool.h>
#include <stddef.h>

/* What is known of a vector of a solve, as bits. */
enum krylov_trait {
    /* only solves for which all of these hold have it: */
    KRYLOV_WITH_M = 1, /* a preconditioner */
    KRYLOV_WITHOUT_M = 2,
    KRYLOV_MAKES_DIRECTION = 4, /* the kernel does (OPERATOR_DIRECTION) */
    KRYLOV_TRACES_X = 8,

    KRYLOV_STATE = 16,          /* the next iteration needs it: it is saved */
    KRYLOV_IS_X = 32,           /* the solution, and what a trace shows as x */
    KRYLOV_IS_R = 64,           /* b - A x_0 at the start, and what a trace shows as r */
    KRYLOV_TAKES_PRODUCT = 128, /* A x_0 at the start */
    KRYLOV_IN_RANGE = 256, /* the r of a recurrence: what rounding adds to it along a known null
                              space is taken off after each turn (solver/drift.h) */
};

struct krylov_vector {
    const char *name; /* "the vector x", in messages and archives */
    size_t at;        /* offset of its double * in the solve; [n], in the space */
    unsigned traits;  /* bits enum krylov_trait */
};

/* The pieces of a turn, of which result.time_split has the times; the context of each is the
 * solver. */
struct krylov_pieces {
    space_work *precondition, *multiply, *update; /* precondition: NULL if there is never an M */
    const struct pass *step[2]; /* the update, without and with an M; NULL where `update` is */
    /* Makes vectors and scalars such that each piece can be repeated and no row ends the loop. The
     * solve has ended, and they are used up. NULL: the vectors stay, and the scalars become these,
     * or zeros, with a loop that no row ends. */
    enum status (*prepare)(struct solver *solver, struct error *error);
    const void *scalars;
};

#define KRYLOV_SCALARS(solve, pointer, first_saved)                                                \
    .scalars = offsetof(solve, pointer), .scalars_bytes = sizeof *((solve *)NULL)->pointer,        \
    .state = offsetof(__typeof__(*((solve *)NULL)->pointer), first_saved)

struct krylov_method {
    const struct krylov_vector *vectors; /* ended by one without a name */
    size_t at; /* offset of what the passes of krylov_run work on: vectors and scalars */
    /* By KRYLOV_SCALARS: the offset of the solve's pointer to them, which begin with a struct
     * solver_scalars; their bytes, a multiple of sizeof(double); the offset in them from which on
     * they are saved, and start sets all before */
    size_t scalars, scalars_bytes, state;

    /* solver_begin, after vectors and scalars were allocated: the vectors and row 0, by
     * krylov_start. */
    enum status (*start)(struct solver *solver, const double *b, const double *x0,
                         struct error *error);
    /* One iteration, which puts one row; its context is the solver. NULL: the pieces, in order. */
    space_work *turn;

    /* The series that a row itself does not bring; values[SERIES_MOST] has residual, alpha, beta
     * and rho. NULL: none. */
    enum status (*take)(struct solver *solver, const struct solver_row *row, double *values,
                        struct error *error);
    /* Shows vectors in the middle of a solve (tracing_show). NULL: r and x, as they are. */
    enum status (*trace)(struct solver *solver, const struct tracing *tracing, struct error *error);

    const struct krylov_pieces *pieces;
    /* After start: whether many iterations may be one launch (solver/resident.h), and then all of
     * *system but A and rows. NULL: they may not. */
    bool (*resident)(const struct solver *solver, struct resident_system *system);
};

/* The slots of a struct method that has none of its own, which may call these too. On failure of
 * krylov_begin krylov_destroy is called all the same. Errors: STATUS_MEMORY, STATUS_DEVICE, those
 * of the method and of the observer. */
enum status krylov_begin(struct solver *solver, const double *b, const double *x0,
                         struct error *error);
enum status krylov_advance(struct solver *solver, int64_t until, struct error *error);
enum status krylov_keep(struct solver *solver, struct archive *archive, struct error *error);
void krylov_destroy(struct solver *solver);

/* The iteration has ended in a burst. */
bool krylov_ended_in_burst(const struct solver *solver);
int64_t krylov_memory_bytes(const struct solver_options *options, int64_t n);

/* Counts the products with A and M^-1 of the turns, then krylov_finish. A turn of which the
 * scalars made no row had its product too. */
enum status krylov_end(struct solver *solver, const struct csr *A, const double *b,
                       double *solution, struct error *error);

/* The end of a method that counts its products itself: the last vectors of a trace, the solution,
 * its confirmation, the time of the pieces. */
enum status krylov_finish(struct solver *solver, const struct csr *A, const double *b,
                          double *solution, struct error *error);

/* Uploads scalars and b; then x = x_0, r = b - A x_0 (solver_start) in the vectors of these
 * traits, r without its drift (solver/drift.h), and *square = r . r, a scalar in the space. The
 * caller has set the method's own scalars; this call sets those of struct solver_scalars.
 * Errors: STATUS_DEVICE. */
enum status krylov_start(struct solver *solver, struct solver_scalars *scalars, const double *b,
                         const double *x0, double *square, struct error *error);

/* Runs a pass over the solve's vectors, on what `at` of the table says. Errors: STATUS_DEVICE. */
enum status krylov_run(struct solver *solver, const struct pass *pass, struct error *error);

/* v[n], in the space, without its drift (solver/drift.h), for methods that keep other vectors in
 * the range of A than an r with KRYLOV_IN_RANGE. It can be recorded. Errors: STATUS_DEVICE. */
enum status krylov_keep_in_range(struct solver *solver, double *v, struct error *error);

/* What a turn of a table with `step` moves: the product, M^-1 and the step. A dot product that
 * comes with the product is not counted (operator_dot_bytes). */
int64_t krylov_bytes(const struct solver_options *options, const struct linear_operator *spmv);

/* All scalars, from and to the host. Their rows are the solve's. Errors: STATUS_DEVICE. */
enum status krylov_put_scalars(struct solver *solver, struct solver_scalars *scalars,
                               struct error *error);
enum status krylov_get_scalars(const struct solver *solver, struct solver_scalars *scalars,
                               struct error *error);

#endif
