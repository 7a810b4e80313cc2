/* Conjugate gradients as one launch for many iterations, on a GPU that holds all of a small system:
 * x, r, p and q stay in the registers and in the shared memory of its processors. A launch of one
 * iteration waits for the launches before it and for memory, which takes longer than the work of a
 * small system. The rows, x, r, p and q have the bits of the iterations of solver/cg/cg.h.
 *
 * That is for A in the form of cuda_sym_bitwise by diagonals with few different rows, sums of
 * doubles that are reproducible, one column, one device, and no preconditioner. A block for each
 * processor has 16 tiles of 480 rows at the most, which is Poisson's matrix up to 100^3 on an H200.
 * The kernel and its protocol are in solver/cg/resident.cuh.
 *
 * Every wait ends. If a block is missing or late, the launch gives up and leaves x, r, p and q as
 * they were. Launches of single iterations then continue. */
#ifndef SOLVER_CG_RESIDENT_H
#define SOLVER_CG_RESIDENT_H

#include "base/status.h"
#include "space/solver_rows.h"
#include "spmv/operator.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cg_scalars;
struct resident;

/* A solve between two iterations, an even number of which has been done: p is p[0] of struct cg.
 * All in the memory of A's space, but the rows, which the host shares. */
struct resident_system {
    const struct linear_operator *A; /* borrowed */
    double *x, *r, *p, *q;
    struct cg_scalars *scalars;
    struct solver_rows *rows;
};

enum { RESIDENT_ITERATIONS = 256 }; /* of a launch at most */

/* *made is NULL where the system does not suit. The caller calls cg_resident_destroy. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status cg_resident_create(const struct resident_system *system, struct resident **made,
                               struct error *error);
void cg_resident_destroy(struct resident *resident); /* waits for launches; accepts NULL */

/* Launches `count` iterations, or those until the solve ends, and the product that follows them.
 * Errors: STATUS_DEVICE. */
enum status cg_resident_send(struct resident *resident, int64_t count, struct error *error);

/* For tests: a fault of later launches. The block begins `cycles` cycles late; below 0 it ends at
 * once, and does nothing. A wait ends after `looks` looks; 0: the usual number. */
struct resident_fault {
    int block; /* -1: none */
    int64_t cycles, looks;
};
void cg_resident_fault(const struct resident_fault *fault);

#ifdef __cplusplus
}
#endif
#endif
