/* A preconditioner that is not made by rows, over ranks (space/ranks/ranks.h). Each rank holds all
 * of A and M^-1. It fetches all rows of r, applies M^-1, and keeps its own rows of z; of several
 * columns at once where M^-1 takes them. The bits are those of one rank, and so are time and
 * memory. */
#ifndef PRECONDITION_REPLICATED_H
#define PRECONDITION_REPLICATED_H

#include "space/ranks/ranks.h"
#include "spmv/operator.h"

/* Sets up M^-1 for A by the spmv, as preconditioner_create does; `context` is the caller's. */
typedef enum status replicated_setup(const void *context, const struct csr *A,
                                     struct linear_operator *spmv, struct linear_operator *made,
                                     struct error *error);

/* M^-1 in the space of the spmv, which is a rank's. On failure *made is zeroed. Errors: those of
 * setup and of operator_create, STATUS_RANK. */
enum status replicated_create(replicated_setup *setup, const void *context, const struct csr *A,
                              const struct linear_operator *spmv, struct linear_operator *made,
                              struct error *error);

#endif
