/* A solve by the Lanczos method while it goes on: what lanczos.c and the confirmation share. */
#ifndef SOLVER_LANCZOS_WORK_H
#define SOLVER_LANCZOS_WORK_H

#include "solver/lanczos/basis.h"
#include "solver/lanczos/lanczos.h"
#include "solver/lanczos/ritz.h"

struct lanczos {
    struct solver base;
    struct lanczos_basis basis;
    struct ritz ritz;
    double *border; /* [most] */
    double *known;  /* [known_count], ascending: Ritz values whose vectors were good since the last
                       restart */
    int64_t known_count;
    double *locked; /* [wanted], ascending: the eigenvalues that the round began with */
    int64_t rounds; /* how many have begun behind the first */
    int64_t restarts;
    int64_t renewed;  /* how often the basis went on with a random vector */
    bool confined;    /* what has been found may lack what b has nothing of */
    bool shown;       /* row 0 */
    bool goes_on;     /* what follows from the last step for the basis is still to be done */
    bool vanished;    /* that step left no vector */
    bool round_over;  /* it found the last of the wanted ones that this round finds */
    bool starts_over; /* it found one that what is locked is not good enough for */
    bool interrupted; /* by the observer */
    int64_t vectors;  /* of the basis, summed over the steps */
    double dropped;   /* the root of the sum of the beta^2 that vanished */
    double projected; /* seconds of the projected matrix */
};

/* Whether a basis of this size is the whole space, so that no next vector is left: n vectors that
 * may be copies of each other need not be. */
bool lanczos_spans_all(const struct lanczos *lanczos, int64_t size);

/* How the wanted ones, which have all converged, are known to be the first ones at their ends. */
enum eigen_list lanczos_list(const struct lanczos *lanczos);

/* Whether there can be a next round: what is locked has to stay so, and leave room for others. */
bool lanczos_can_search(const struct lanczos *lanczos);

/* All wanted ones have converged: whether some are others than those that the round began with. */
bool lanczos_round_is_over(const struct lanczos *lanczos);

/* The basis becomes the best of it, coupled to the next vector; or, for the next round, the wanted
 * ones alone, where a vector orthogonal to them has to follow. Errors: STATUS_DEVICE, and those of
 * ritz_vectors. */
enum status lanczos_restart(struct lanczos *lanczos, bool next_round, struct error *error);

/* The basis becomes one vector, which has all that was found, and the first round begins again.
 * Errors: those of lanczos_restart. */
enum status lanczos_start_over(struct lanczos *lanczos, struct error *error);

/* The wanted eigenpairs of the basis as it is, into the result and eigenvalues[]: each is looked at
 * on the host. The vectors of the basis are used up. Errors: STATUS_MEMORY, STATUS_DEVICE, and the
 * observer's. */
enum status lanczos_confirm(struct lanczos *lanczos, const struct csr *A, double *eigenvalues,
                            struct error *error);

#endif
