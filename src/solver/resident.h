/* Many iterations as one launch, on a GPU that holds all of a small system: the vectors stay in the
 * registers and in the shared memory of its processors. A launch of one iteration waits for the
 * launches before it and for memory, which takes longer than the work of a small system. The rows
 * of the history, x, and the vectors that later iterations read have the bits of the launches of
 * single iterations.
 *
 * That is for conjugate gradients (solver/cg/cg.h), with no M but a diagonal, and for minimal
 * residuals (solver/minres/minres.h) without an M; for A in the form of cuda_sym_bitwise by
 * diagonals with few different rows, sums of doubles that are reproducible, one column and one
 * device. A block for each processor has 16 tiles of 480 rows at the most, and its vectors in its
 * shared memory: Poisson's matrix up to 100^3 on an H200; with an M, or by minimal residuals, 80^3.
 * The kernel and its protocol are in solver/resident/resident.cuh.
 *
 * Every wait ends. If a block is missing or late, the launch gives up and leaves the vectors as
 * they were. Launches of single iterations then continue. */
#ifndef SOLVER_RESIDENT_H
#define SOLVER_RESIDENT_H

#include "base/status.h"
#include "space/solver_rows.h"
#include "spmv/operator.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cg_scalars;
struct minres_scalars;
struct resident;

/* A solve between two iterations, an even number of which has been done. All in the memory of A's
 * space, but the rows, which the host shares. */
struct resident_system {
    const struct linear_operator *A; /* borrowed */
    struct solver_rows *rows;
    double *p, *q; /* what A multiplies, p[0] of struct cg or v[0] of struct minres; the product */
    double *x;

    /* The method is the one that has scalars here. */
    struct {
        struct cg_scalars *scalars;
        double *r, *z;         /* z: where there is an M */
        const double *inverse; /* the diagonal of M^-1; NULL: M = I */
    } cg;
    struct {
        struct minres_scalars *scalars;
        double *v_before, *d[2];
    } minres;
};

enum { RESIDENT_ITERATIONS = 256 }; /* of a launch at most */

/* *made is NULL where the system does not suit. The caller calls resident_destroy. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status resident_create(const struct resident_system *system, struct resident **made,
                            struct error *error);
void resident_destroy(struct resident *resident); /* waits for launches; accepts NULL */

/* Launches `count` iterations, or those until the solve ends, and the product that follows them.
 * Errors: STATUS_DEVICE. */
enum status resident_send(struct resident *resident, int64_t count, struct error *error);

/* For tests: a fault of later launches. The block begins `cycles` cycles late; below 0 it ends at
 * once, and does nothing. A wait ends after `looks` looks; 0: the usual number. */
struct resident_fault {
    int block; /* -1: none */
    int64_t cycles, looks;
};
void resident_set_fault(const struct resident_fault *fault);

#ifdef __cplusplus
}
#endif
#endif
