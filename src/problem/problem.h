/* A problem is a component that makes a matrix: a generator of this directory, or a file. One
 * constant `struct problem problem_<name>` and one line in problems.def. docs/architecture.md has
 * the steps, and docs/example/ring.c is a small one. */
#ifndef PROBLEM_PROBLEM_H
#define PROBLEM_PROBLEM_H

#include "base/component.h"
#include "io/market/matrix_market.h"
#include "matrix/csr.h"
#include "matrix/near_null.h"

#include <stdio.h>

struct problem {
    struct component component; /* of COMPONENT_PROBLEM */

    /* The rows of the matrix, for parameters that are each in range; -1: too many. NULL: known only
     * when the matrix is made. */
    int64_t (*rows)(const void *options);

    /* Make A. The caller owns it; on failure it is all zero. Errors: STATUS_CONFIG,
     * STATUS_MEMORY. */
    enum status (*make)(const void *options, struct csr *A, struct error *error);

    /* Or a maker of any rows of a symmetric A, which then need not be stored (csr.h); `rows` is set
     * too. suits_maker: whether the maker takes these options; else `make` is called. NULL: it
     * takes all. */
    const struct csr_maker *maker;
    bool (*suits_maker)(const void *options);

    /* The near-null space of A; NULL: unknown. The caller calls near_null_free. Errors:
     * STATUS_MEMORY. */
    enum status (*near_null)(const void *options, struct near_null *near_null, struct error *error);

    /* Whether A sends what near_null makes to 0 but for rounding: it is singular. NULL: no. */
    bool (*is_free)(const void *options);

    /* Print the problem in a few words: "grid2d, 3 x 4". */
    void (*describe)(const void *options, FILE *stream);

    /* For a matrix from files. shape replaces rows: before the matrix is read it gives kind, n,
     * width, and the least number of entries as nnz; no arrays. read replaces make: if the file can
     * have several kinds, the kind is `wanted`. ranks: NULL, or ranks that read a symmetric or
     * skew-symmetric matrix together. *report is zeroed before. Errors: STATUS_INPUT,
     * STATUS_MEMORY; of ranks STATUS_RANK. */
    enum status (*shape)(const void *options, struct csr *shape, struct error *error);
    enum status (*read)(const void *options, enum csr_kind wanted,
                        const struct matrix_market_ranks *ranks, struct csr *A,
                        struct matrix_market_report *report, struct error *error);
};

#define PROBLEM(name) extern const struct problem problem_##name;
#include "problem/problems.def"
#undef PROBLEM

/* The slots, for options of a problem, which A may borrow. The shape of a problem with a maker is
 * the matrix, not stored; the shape of another generator is a symmetric matrix with its rows and a
 * diagonal. ranks: NULL, or ranks that read the files of a problem together. A description includes
 * the report, which may be zeroed. */
enum status problem_shape(const struct options *options, struct csr *shape, struct error *error);
enum status problem_make(const struct options *options, enum csr_kind wanted,
                         const struct matrix_market_ranks *ranks, struct csr *A,
                         struct matrix_market_report *report, struct error *error);
/* The near-null space; zeroed if unknown. The caller calls near_null_free. Errors:
 * STATUS_MEMORY. */
enum status problem_near_null(const struct options *options, struct near_null *near_null,
                              struct error *error);
bool problem_knows_near_null(const struct options *options);
bool problem_is_free(const struct options *options);
void problem_describe(const struct options *options, const struct matrix_market_report *report,
                      FILE *stream);

/* The path of the matrix file, which ranks may read together, and its key unless `key` is NULL.
 * NULL: the matrix is generated. */
const char *problem_file(const struct options *options, const char **key);

/* Check the options, a struct of generators.h; make and store A, which borrows nothing. The caller
 * owns A. Errors: STATUS_CONFIG, whose message names a parameter as problem.NAME; STATUS_INPUT (a
 * file); STATUS_MEMORY. */
enum status problem_create(const struct problem *problem, const void *options, struct csr *A,
                           struct error *error);

/* The name of the problem that reads a file. */
#define PROBLEM_OF_FILES "mtx"

#endif
