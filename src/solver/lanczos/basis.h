/* The large side of a Lanczos iteration: the basis and the step of solver/lanczos/lanczos.h, in a
 * space. */
#ifndef SOLVER_LANCZOS_BASIS_H
#define SOLVER_LANCZOS_BASIS_H

#include "solver/lanczos/basis_products.h"
#include "solver/solver.h"
#include "space/archive.h"
#include "spmv/kernel.h"

struct lanczos_basis {
    struct linear_operator *spmv;
    struct space *space;
    int64_t n, most;
    enum reorthogonalization reorthogonalization;
    struct panel
        V; /* [most + 1]: the basis, and the next vector; V.count of it is meant in a call */
    struct panel good; /* [most]: orthonormal Ritz vectors that are good, with selective
                          reorthogonalization */
    double *scalars;   /* of the step, in the space: enum in basis.c */
    double *border;    /* [most], in the space: b of a restart */
    double *S;         /* [most * most], in the space: of a restart */
    double *host;      /* the scalars, on the host */
    int64_t restarted; /* how many vectors the last restart left; 0: none yet */
};

/* What a step comes to. */
struct lanczos_step {
    double alpha, beta;
    double orthogonality;
};

/* v_0 = b / ||b||, *norm = ||b||. On failure the caller calls basis_free all the same. Errors:
 * STATUS_MEMORY, STATUS_DEVICE, STATUS_CONFIG: b is zero, or not finite. */
enum status basis_begin(struct lanczos_basis *basis, struct linear_operator *spmv, int64_t most,
                        enum reorthogonalization reorthogonalization, const double *b, double *norm,
                        struct error *error);

void basis_free(struct lanczos_basis *basis);

/* v_{j+1} from v_0 ... v_j. */
enum status basis_step(struct lanczos_basis *basis, int64_t j, struct lanczos_step *step,
                       struct error *error);

/* v_j becomes a random vector, orthogonal to those before it; beta_{j-1} is then 0. seed: another
 * one each time. */
enum status basis_renew(struct lanczos_basis *basis, int64_t j, int64_t seed, struct error *error);

/* One more good Ritz vector, V s, unless it lies in the span of those that there are, as a copy of
 * one does. s[size] on the host; its sign is changed. */
enum status basis_add_good(struct lanczos_basis *basis, int64_t size, double *s,
                           struct error *error);

/* v_j, of norm 1, loses what it has of the good Ritz vectors: it was made before they were. */
enum status basis_clean(struct lanczos_basis *basis, int64_t j, struct error *error);

/* The first `wanted` columns become V S. S[size * wanted] on the host. */
enum status basis_multiply(struct lanczos_basis *basis, int64_t size, const double *S,
                           int64_t wanted, struct error *error);

/* After that: v_size follows them, coupled by b[kept] on the host. */
enum status basis_restart(struct lanczos_basis *basis, int64_t size, int64_t kept, const double *b,
                          struct error *error);

/* v_0, as it is now, is the first vector again; it gets the norm 1. */
enum status basis_start_over(struct lanczos_basis *basis, struct error *error);

/* v_k to the host. */
enum status basis_download(const struct lanczos_basis *basis, int64_t k, double *v,
                           struct error *error);

/* The state behind step size - 1 (space/archive.h), with v_0 ... v_size, of which the last
 * restart left `kept` <= size. */
enum status basis_keep(struct lanczos_basis *basis, int64_t size, int64_t kept,
                       struct archive *archive, struct error *error);

/* The time of the passes of step j, over and over; v_{j+1} is lost, which stays orthogonal to those
 * before it. Errors: STATUS_DEVICE. */
enum status basis_split_time(struct lanczos_basis *basis, int64_t j,
                             const struct solver_result *result, struct solver_split *split,
                             struct error *error);

#endif
