/* A solve by the Lanczos method while it goes on: what lanczos.c and the confirmation share. */
#ifndef SOLVER_LANCZOS_WORK_H
#define SOLVER_LANCZOS_WORK_H

#include "cgsolve/lanczos.h"
#include "solver/lanczos/basis.h"
#include "solver/lanczos/ritz.h"

struct lanczos {
    struct solver base;
    struct lanczos_basis basis;
    struct ritz ritz;
    double *border; /* [most] */
    double *known;  /* [known_count], ascending: Ritz values whose vectors were good since the last
                       restart */
    int64_t known_count;
    int64_t restarts;
    int64_t renewed;  /* how often the basis went on with a random vector */
    bool confined;    /* what has been found may lack what b has nothing of */
    bool shown;       /* row 0 */
    bool goes_on;     /* what follows from the last step for the basis is still to be done */
    bool vanished;    /* that step left no vector */
    bool interrupted; /* by the observer */
    int64_t vectors;  /* of the basis, summed over the steps */
    double projected; /* seconds of the projected matrix */
};

/* The wanted eigenpairs of the basis as it is, into the result and eigenvalues[]: each is looked at
 * on the host. The vectors of the basis are used up. Errors: STATUS_MEMORY, STATUS_DEVICE, and the
 * observer's. */
enum status lanczos_confirm(struct lanczos *lanczos, const struct csr *A, double *eigenvalues,
                            struct error *error);

#endif
