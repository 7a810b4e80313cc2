/* One solve of a solver's, for one or several columns. */
#ifndef API_SOLVE_H
#define API_SOLVE_H

#include "api/handles.h"

/* What is solved, column after column. x overlaps neither b nor, of several columns, x0. */
struct api_system {
    int64_t columns;
    struct space *memory; /* that b, x0 and x are in: the operator's; NULL: the host's */
    const double *b, *x0; /* x0 = NULL: 0; it does not count where ||b|| is 0 or not finite */
    bool starts; /* over ranks, whose b, x0 and x are the caller's rows: one of them has an x0 */
    double *x;
    double *vectors;            /* of eigenvalues; NULL: not wanted */
    struct cgs_result *results; /* [columns], with the size of each; NULL: not wanted */
};

/* api_begin of a call that solves. What cancels the solve from here on is not lost. */
bool api_solve_begin(struct cgs_solver *solver, struct cgs_error *error);

/* cgs_solve between api_solve_begin and api_end. */
enum status api_solve_arrays(struct cgs_solver *solver, const struct cgs_array *b,
                             const struct cgs_array *x0, const struct cgs_array *x,
                             struct cgs_result *results, struct error *error);

/* Its arrays came to `status`: several ranks all get what one of them has met. Errors: `status`,
 * STATUS_CONFIG, and those of solver_solve. */
enum status api_solve(struct cgs_solver *solver, enum status status,
                      const struct api_system *system, struct error *error);

/* One part of it: columns side by side, all from x0 or none; `first` of them is the solve's first.
 * Errors: those of solver_solve. */
enum status api_solve_part(struct cgs_solver *solver, const struct api_system *part, int64_t first,
                           struct solver_result *found, struct error *error);

/* All columns of several ranks, one after the other. All of them call it. Likewise. */
enum status api_solve_over_ranks(struct cgs_solver *solver, const struct api_system *system,
                                 struct solver_result *found, struct error *error);

/* STATUS_CONFIG: the solver's method has not that trait, and is for `instead`. */
enum status api_expect_method(const struct cgs_solver *solver, unsigned trait, const char *instead,
                              struct error *error);

#endif
