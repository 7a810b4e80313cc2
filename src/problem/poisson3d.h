/* The 7-point finite-volume discretisation of  -div(kappa grad u)  on a box of nx x ny x nz cells
 * with homogeneous Dirichlet boundaries, h = 1 (the spacing is left out of the matrix).
 *
 * Unknown (i, j, k), 0 <= i < nx, ..., is row  i + nx (j + ny k).  Along each axis a, with its
 * weight w_a, neighbouring cells c and d are coupled by
 *
 *     A[c][d] = -w_a kappa_cd,    kappa_cd = 2 kappa_c kappa_d / (kappa_c + kappa_d)
 *
 * (the harmonic mean; Patankar 1980, section 4.2-3), a boundary face by w_a kappa_c, and A[c][c] is
 * the sum of its six face coefficients: 6 and -1 when all weights and kappa are 1. kappa = jump in
 * the block of cells whose three indices satisfy n_a <= 4 i_a < 3 n_a (the middle half of each
 * axis), 1 elsewhere. `shift` is added to the diagonal: a negative one makes A indefinite. An axis
 * of weight 0 has no entries. Only + - * / are used, so every machine makes the same bits. */
#ifndef PROBLEM_POISSON3D_H
#define PROBLEM_POISSON3D_H

#include "base/status.h"
#include "matrix/csr.h"

struct poisson3d {
    int64_t n[3];      /* nx, ny, nz >= 1 */
    double weights[3]; /* 0 to 1e100, not all 0 */
    double jump;       /* 1e-100 to 1e100 */
    double shift;      /* -1e100 to 1e100 */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Rows in a device's memory, as csr.h says; options: a struct poisson3d. In a build with CUDA. */
enum status poisson3d_cuda(const void *options, void *stream, int64_t first, int64_t base,
                           const struct csr *rows, struct error *error);

#ifdef __cplusplus
}
#endif

#endif
