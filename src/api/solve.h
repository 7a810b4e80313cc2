/* A solve of one or several columns. */
#ifndef API_SOLVE_H
#define API_SOLVE_H

#include "api/handles.h"

/* The input and output, column after column. x overlaps neither b nor, with several columns, x0. */
struct api_system {
    int64_t columns;
    struct space *memory; /* of b, x0 and x: the operator's; NULL: the host's */
    const double *b, *x0; /* x0 = NULL: 0; ignored if ||b|| is 0 or not finite */
    bool starts;          /* over ranks, with the caller's rows of b, x0 and x: a rank has an x0 */
    double *x;
    double *vectors;            /* of eigenvalues; NULL: not wanted */
    struct cgs_result *results; /* [columns], with the size of each; NULL: not wanted */
};

/* api_begin of a call that solves. A cancellation from here on is not lost. */
bool api_solve_begin(struct cgs_solver *solver, struct cgs_error *error);

/* cgs_solve between api_solve_begin and api_end. */
enum status api_solve_arrays(struct cgs_solver *solver, const struct cgs_array *b,
                             const struct cgs_array *x0, const struct cgs_array *x,
                             struct cgs_result *results, struct error *error);

/* `status`: from the check of the arrays; all ranks get the error of one. Errors: `status`,
 * STATUS_CONFIG, and those of solver_solve. */
enum status api_solve(struct cgs_solver *solver, enum status status,
                      const struct api_system *system, struct error *error);

/* A part of it: consecutive columns, all from x0 or none; `first`: the first of them in the solve.
 * Errors: those of solver_solve. */
enum status api_solve_part(struct cgs_solver *solver, const struct api_system *part, int64_t first,
                           struct solver_result *found, struct error *error);

/* All columns of several ranks, one after the other. All of them call it. Likewise. */
enum status api_solve_over_ranks(struct cgs_solver *solver, const struct api_system *system,
                                 struct solver_result *found, struct error *error);

/* STATUS_CONFIG: the solver's method lacks that trait, and is for `instead`. */
enum status api_expect_method(const struct cgs_solver *solver, unsigned trait, const char *instead,
                              struct error *error);

#endif
