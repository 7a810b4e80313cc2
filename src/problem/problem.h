/* A problem is a component that makes a matrix: a generator of this directory, or a file. One
 * constant `struct problem problem_<name>` and one line in problems.def. docs/architecture.md walks
 * through it. */
#ifndef PROBLEM_PROBLEM_H
#define PROBLEM_PROBLEM_H

#include "cgsolve/component.h"
#include "cgsolve/csr.h"
#include "io/market/matrix_market.h"

#include <stdio.h>

struct problem {
    struct component component; /* of COMPONENT_PROBLEM */

    /* The rows that the matrix will have. NULL: only making it tells. */
    int64_t (*rows)(const void *options);

    /* What is known of the matrix before it is made: its kind, n, width, and as nnz what it has at
     * the least; no arrays. NULL: a symmetric one of `rows` rows with a diagonal. Errors: those of
     * make. */
    enum status (*shape)(const void *options, struct csr *shape, struct error *error);

    /* Make A. `wanted` is what is to be taken from a source that could be read as several kinds, as
     * a general file; what a generator makes does not depend on it. *report is zeroed, and for who
     * reads a file. The caller owns A; on failure it is all zero. Errors: STATUS_CONFIG,
     * STATUS_INPUT, STATUS_MEMORY. */
    enum status (*make)(const void *options, enum csr_kind wanted, struct csr *A,
                        struct matrix_market_report *report, struct error *error);

    /* Print it in a few words: "grid2d, 3 x 4". report: what make has left there, or zeroed. */
    void (*describe)(const void *options, const struct matrix_market_report *report, FILE *stream);
};

/* The slots, for options of a problem; rows and shape as they are where the slot is NULL. */
enum status problem_shape(const struct options *options, struct csr *shape, struct error *error);
enum status problem_make(const struct options *options, enum csr_kind wanted, struct csr *A,
                         struct matrix_market_report *report, struct error *error);
void problem_describe(const struct options *options, const struct matrix_market_report *report,
                      FILE *stream);

#endif
