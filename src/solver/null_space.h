/* Vectors that a symmetric A sends to 0, so that A x = b has a solution only for a b orthogonal to
 * them, and then many.
 *
 * A's rows fall into connected components, by its entries that are not 0. Candidates are the
 * constant 1 and, if A has them, the vectors of near_null. Each is looked at in each component by
 * itself: it is a null vector there if every row i of the component has
 *
 *     |s_i| <= m_i 2^-52 t_i  of the constant,  |s_i| <= 2^-40 t_i  of a given vector v,
 *     s_i = the chain of fma(a_ij, v_j, .) by ascending j,  t_i likewise of |a_ij| and |v_j|
 *
 * with m_i entries in row i of both triangles: a diagonal that is the rounded sum of the row's
 * other entries, in any order, passes. So do two free bodies with the six modes of both together,
 * and one free body beside one that is held.
 *
 * Of each component the null vectors are made orthonormal by Gram and Schmidt, each twice to those
 * before it; sums are chains of Dot2 (space/sum/compensated.h has the step) by ascending rows. What
 * is left with less than 2^-20 of its norm depends on them, and is no vector more. */
#ifndef SOLVER_NULL_SPACE_H
#define SOLVER_NULL_SPACE_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* On the host. A zeroed one: A is not known to be singular. */
struct null_space {
    int64_t n;
    int64_t dimension;  /* null vectors, of all components */
    int64_t components; /* that have one */
    int64_t width;      /* the most null vectors of a component */
    /* [n]: 0 ... components - 1 by ascending first rows; -1: of a row in none. NULL: all rows are
     * one component, and its vector is `constant` in each */
    int32_t *component;
    double *basis; /* [n width]: values[i width + v] of vector v of row i's component; 0 where that
                      has fewer; or NULL, likewise */
    double constant;
};

static inline int32_t null_space_component(const struct null_space *of, int64_t i)
{
    return of->component ? of->component[i] : 0;
}

static inline double null_space_value(const struct null_space *of, int64_t i, int64_t v)
{
    return of->basis ? of->basis[i * of->width + v] : of->constant;
}

/* Whether A, or the matrix on the host that it is of, is known to be one component
 * (csr_maker.connected). */
bool null_space_is_connected(const struct csr *A);

/* *made = that of constants, of a matrix of one component: nothing is allocated. */
void null_space_of_constants(int64_t n, struct null_space *made);

/* Whether rows 0 ... rows - 1 alone leave a candidate that may be a null vector of all of A; *A has
 * these rows, stored or by its maker, and all entries in them. It stops at the first row that
 * leaves none: in most matrices that are not singular one of the first. number: as below. Errors:
 * STATUS_MEMORY. */
enum status null_space_may_be(const struct csr *A, int64_t rows, const int32_t *number, bool *may,
                              struct error *error);

/* Whether the constant, and any given vector, is a null vector in all rows of an A in the memory of
 * any space, of which lower is the lower triangle (spmv/lower_rows.h). Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status null_space_look(const struct csr *A, const struct csr *lower, const int32_t *number,
                            bool *constants, bool *others, struct error *error);

/* The null space of a symmetric A on the host, stored or by its maker. each: of each component;
 * else only candidates that are null vectors in all rows of A, and it begins as null_space_may_be.
 * number[n] or NULL: row i of the problem, which near_null follows, is row number[i] of A. The
 * caller calls null_space_free; on failure the result is zeroed. Errors: STATUS_MEMORY;
 * STATUS_CONFIG (more than INT32_MAX rows, and one vector is left). */
enum status null_space_find(const struct csr *A, const int32_t *number, bool each,
                            struct null_space *made, struct error *error);

void null_space_free(struct null_space *of); /* accepts a zeroed one, and zeroes it */

/* v -= Q Q'v, for v[n] and the basis Q; once more where that took more than half of ||v||^2 of the
 * rows in components. *removed = ||Q'v||_2. Sums: Dot2 by ascending rows. Errors: STATUS_MEMORY. */
enum status null_space_project(const struct null_space *of, double *v, double *removed,
                               struct error *error);

#ifdef __cplusplus
}
#endif
#endif
