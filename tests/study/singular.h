/* Singular systems for tests: graphs of several parts, frameworks of springs; and their solutions
 * of least norm in long double. */
#ifndef TESTS_STUDY_SINGULAR_H
#define TESTS_STUDY_SINGULAR_H

#include "matrix/near_null.h"
#include "study/study.h"

enum { SINGULAR_N = 192, SINGULAR_PARTS = 5, SINGULAR_VECTORS = 13 };

/* A and what it sends to 0, by construction. It is large: make it static. */
struct singular {
    struct csr A;
    struct near_null modes; /* of a framework, which A has; else zeroed */
    int64_t count;          /* null vectors, orthonormal: */
    long double null[SINGULAR_VECTORS][SINGULAR_N];
    int64_t part[SINGULAR_N]; /* of each row */
    /* Of A plus the projection on the null space, when it is first asked for. */
    bool inverted;
    long double inverse[SINGULAR_N][SINGULAR_N];
};

/* A weighted Laplacian of `parts` connected graphs of 3 to 38 nodes each, numbered at random. Part
 * p is tied to the ground in a node where bit p of `grounded` is set. Diagonals are summed in any
 * order. The caller calls singular_release. */
void singular_graph(uint64_t *state, int parts, unsigned grounded, struct singular *made);

/* `bodies` frameworks of springs between points in space, 3 unknowns each; body p is held at three
 * points where bit p of `held` is set. A has the six rigid body modes of all points together. */
void singular_bodies(uint64_t *state, int bodies, unsigned held, struct singular *made);

void singular_release(struct singular *made);

/* The part of b outside of the range, over ||b||; and b becomes its part in the range. */
long double singular_project(const struct singular *of, double *b);

/* The solution of least norm of A x = b, for a b in the range; returns the norm of Frobenius of
 * A's pseudo-inverse plus the projection on the null space. */
long double singular_solution(struct singular *of, const double *b, long double *x);

#endif
