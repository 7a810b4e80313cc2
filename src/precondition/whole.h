/* A preconditioner over ranks (space/ranks.h) that is not made by rows: each rank has the whole of
 * M^-1, and of A for it. r comes of all rows, the rank applies M^-1, and keeps its own rows of z.
 * The bits are those of one rank. It takes the time and the memory of one rank. */
#ifndef PRECONDITION_WHOLE_H
#define PRECONDITION_WHOLE_H

#include "cgsolve/operator.h"
#include "space/ranks.h"

/* Sets up M^-1 for A by the spmv, as struct preconditioner's setup does; `context` is the
 * caller's. */
typedef enum status whole_setup(const void *context, struct linear_operator *spmv,
                                struct linear_operator *made, struct error *error);

/* M^-1 in the space of the spmv, which is a rank's. On failure *made is zeroed. Errors: those of
 * setup and of operator_create, STATUS_RANK. */
enum status whole_create(whole_setup *setup, const void *context, const struct csr *A,
                         const struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error);

#endif
