/* What the three loops of library_cg.h share. For its .cu files. */
#ifndef BENCH_SUPPORT_LIBRARY_CG_PARTS_H
#define BENCH_SUPPORT_LIBRARY_CG_PARTS_H

#include "bench/support/library_cg.h"

struct library_scalars {
    double rho, next_rho, curvature;
    double alpha, minus_alpha, beta;
    double one, zero;
    double goal; /* for ||r|| */
    int64_t k, max_iterations;
};

/* The same comparison as on the host, so that all loops stop at the same k. */
static __device__ inline bool library_goes_on(const struct library_scalars *s)
{
    return sqrt(s->rho) > s->goal && s->k < s->max_iterations;
}

/* Behind the end nothing moves: a loop that reads ||r|| late makes an iteration too many. */
static __device__ inline void library_advance(struct library_scalars *s, double *history)
{
    s->beta = library_goes_on(s) ? s->next_rho / s->rho : 0;
    s->rho = s->next_rho;
    s->k++;
    history[s->k] = s->rho;
}

enum status library_check_blas(cublasStatus_t result, const char *what, struct error *error);

/* x = 0, r = p = b */
enum status library_start(struct library_cg *cg, struct error *error);

/* ---- library_cg_device.cu -------------------------------------------------------------------- */

enum status library_device_create(struct library_cg *cg, struct error *error);
void library_device_destroy(struct library_cg *cg);

/* Choose `behind` and `product_by_address`. */
enum status library_device_choose(struct library_cg *cg, struct error *error);

/* Whether the libraries read their scalars from the device's memory. */
enum status library_scalars_on_device(struct library_cg *cg, bool on_device, struct error *error);

/* The start, for at most so many iterations; it is over when this returns. */
enum status library_device_start(struct library_cg *cg, int64_t max_iterations,
                                 struct error *error);

/* An iteration is to_residual, up to next_rho = r . r, then a kernel that calls library_advance,
 * then to_direction. Nothing waits for the device. */
enum status library_device_to_residual(struct library_cg *cg, struct error *error);
enum status library_device_to_direction(struct library_cg *cg, struct error *error);

/* How many iterations a solve took by its history, which must agree with the device's count but for
 * `late` ones, and the last r . r. */
enum status library_device_result(struct library_cg *cg, int64_t late, int64_t *iterations,
                                  double *rho, struct error *error);

enum status library_device_solve(struct library_cg *cg, int64_t *iterations, double *rho,
                                 double *seconds, struct error *error);

/* ---- library_cg_graph.cu --------------------------------------------------------------------- */

/* Where it fails, cg->no_graph says why. */
void library_graph_create(struct library_cg *cg);
void library_graph_destroy(struct library_cg *cg);
enum status library_graph_solve(struct library_cg *cg, int64_t *iterations, double *rho,
                                double *seconds, struct error *error);

#endif
