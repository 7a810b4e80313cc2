/* A space: where vectors live, and the fused vector operations of a solver over them.
 *
 * A solver is written once, over this interface. Vectors and scalars live in the space's memory;
 * the solver hands their addresses around and never reads through them. The host learns scalars by
 * `download`. Every element of every vector operation is computed by the same correctly rounded
 * operations in every space, so its bits are the same everywhere; the sums follow the reductions
 * that the space was made with.
 *
 * Scalars that a recurrence divides are passed as a quotient, and the division happens where the
 * vectors live, once: alpha = numerator / denominator, correctly rounded. */
#ifndef CGSOLVE_SPACE_H
#define CGSOLVE_SPACE_H

#include "cgsolve/cg_scalars.h"
#include "cgsolve/minres_scalars.h"
#include "cgsolve/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a dot product is summed. */
enum reductions {
    REDUCTIONS_REPRODUCIBLE, /* the fixed tree of cgsolve/sum_order.h: the same bits for any number
                                of threads, on every CPU and GPU */
    REDUCTIONS_ATOMIC,       /* tiles of the same tree, added in the order in which they finish:
                                other bits on every run */
    REDUCTIONS_BLAS,         /* the vendor's dot product, with its own promises */
    REDUCTIONS_COMPENSATED,  /* Dot2 (Ogita, Rump, Oishi 2005) in the lanes, TwoSum in the tree of
                                cgsolve/sum_order.h: nearly twice the precision, the same bits for
                                any number of threads */
    REDUCTIONS_EXACT, /* the exact sum of the exact products, rounded once to nearest even: bits
                         that depend on the pairs (x_i, y_i) alone, and not on their order */
};

enum space_kind {
    SPACE_CPU,
    SPACE_CUDA,
};

/* A scalar that is the quotient of two scalars in the space's memory. Where the denominator is not
 * positive and finite (cg_may_divide), an operation leaves its vectors as they are. */
struct quotient {
    const double *numerator;
    const double *denominator;
};

/* Vectors side by side: column k is values[k stride] ... values[k stride + n - 1]. */
struct panel {
    double *values;
    int64_t stride; /* >= n */
    int64_t count;  /* of the columns that are meant */
};

/* z_i = fma(c[0], v[0]_i, fma(c[1], v[1]_i, fma(c[2], v[2]_i, c[3] v[3]_i))), and then, unless dot
 * is NULL, *dot = v[2] . z. The v may be one another, and v[1] may be z. (A step of a recurrence of
 * polynomials in A: v are the last two vectors, r, and A times the last one.) c is on the host. */
struct combination {
    double c[4];
    const double *v[4];
    double *z, *dot;
};

/* The vectors of a step of minimal residuals; v = NULL: there is none yet, and only w is normed. */
struct minres_vectors {
    const double *v;        /* v_k */
    const double *d_before; /* d_{k-1}; NULL: that term is 0 */
    double *d;              /* d_{k-2}, becomes d_k */
    double *x;
    const double *w;
    double *v_next; /* becomes v_{k+1} */
};

struct space;

/* A piece of work in the space's order of operations that is done over and over. */
typedef enum status space_work(void *context, struct error *error);

/* The operations of one space. All vectors have n elements and do not overlap unless said; all
 * pointers are into the space's memory except where it says host. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
struct space_operations {
    const char *name;
    enum space_kind kind;

    /* STATUS_MEMORY, with how much is needed and how much there is, when the space has not that
     * many bytes left (a CPU: has not that much memory at all). "`what` needs ..." */
    enum status (*fits)(struct space *space, int64_t bytes, const char *what, struct error *error);
    /* count uninitialised doubles. `what` names them in the message of a failure. */
    enum status (*allocate)(struct space *space, int64_t count, const char *what, double **vector,
                            struct error *error);
    void (*release)(struct space *space, double *vector); /* accepts NULL */

    /* Copies between the host and the space; complete when they return. */
    enum status (*upload)(struct space *space, int64_t count, const double *host, double *vector,
                          struct error *error);
    enum status (*download)(struct space *space, int64_t count, const double *vector, double *host,
                            struct error *error);

    /* v_i = value */
    enum status (*fill)(struct space *space, int64_t n, double value, double *v,
                        struct error *error);
    /* y_i = x_i */
    enum status (*copy)(struct space *space, int64_t n, const double *x, double *y,
                        struct error *error);
    /* *result = x . y; x and y may be the same vector */
    enum status (*dot)(struct space *space, int64_t n, const double *x, const double *y,
                       double *result, struct error *error);
    /* y_i = fma(-a, x_i, y_i), then *result = y . y      (CG: r -= alpha q, rho = r . r) */
    enum status (*axmy_norm_squared)(struct space *space, int64_t n, struct quotient a,
                                     const double *x, double *y, double *result,
                                     struct error *error);
    /* y_i = fma(-*b, u_i, fma(-*a, x_i, y_i)), then *result = y . y
     * (Lanczos: w -= alpha v + beta v_before); u = NULL: without the outer one */
    enum status (*axmy_axmy_norm_squared)(struct space *space, int64_t n, const double *a,
                                          const double *x, const double *b, const double *u,
                                          double *y, double *result, struct error *error);
    /* x_i = fma(*a, p_i, x_i), then p_i = fma(*b, p_i, r_i)
     *                                      (CG: x += alpha p, p = r + beta p, in one pass) */
    enum status (*axpy_xpby)(struct space *space, int64_t n, const double *a, const double *b,
                             const double *r, double *p, double *x, struct error *error);
    /* y_i = fma(a, x_i, y_i), a on the host */
    enum status (*axpy)(struct space *space, int64_t n, double a, const double *x, double *y,
                        struct error *error);

    /* c_k = v_k . w for the columns of V, each with the bits of `dot`. c[V->count] */
    enum status (*panel_dot)(struct space *space, int64_t n, const struct panel *V, const double *w,
                             double *c, struct error *error);
    /* w_i = fma(-c_k, V_ik, w_i) for k = 0, 1, ... in this order, then *result = w . w */
    enum status (*panel_axmy_norm_squared)(struct space *space, int64_t n, const struct panel *V,
                                           const double *c, double *w, double *result,
                                           struct error *error);
    /* V_ij becomes the sum of V_ik S_kj over the columns k of V, in ascending k by fma from +0, for
     * j < wanted <= V->count; what the other columns hold then is not said. S[V->count * wanted],
     * column by column, in the space. Errors: also STATUS_CONFIG, more columns than a device
     * takes. */
    enum status (*panel_multiply)(struct space *space, int64_t n, const struct panel *V,
                                  const double *S, int64_t wanted, struct error *error);
    /* *norm = sqrt(*norm_squared), v_i = v_i / *norm */
    enum status (*normalise)(struct space *space, int64_t n, const double *norm_squared,
                             double *norm, double *v, struct error *error);
    /* z = B r, and *dot = r . z: B has blocks of `block` rows on its diagonal, the last one
     * shorter, and nothing elsewhere. values[block][n]: values[j n + i] is row i's coefficient of
     * the j-th row of its block, so that
     *     z_i = the chain from j = 0 on of  s = values[i] r_f,
     *         s = fma(values[j n + i], r_{f+j}, s)
     * where f is the first row of i's block. */
    enum status (*apply_blocks)(struct space *space, int64_t n, int64_t block, const double *values,
                                const double *r, double *z, double *dot, struct error *error);
    enum status (*combine)(struct space *space, int64_t n, const struct combination *combination,
                           struct error *error);

    /* The recurrence of cgsolve/cg_scalars.h, run where the scalars live. */
    enum status (*cg_advance)(struct space *space, struct cg_scalars *scalars, struct error *error);
    /* axmy_norm_squared with a = rho / curvature into next_rho, and then cg_advance, at once. */
    enum status (*cg_step)(struct space *space, int64_t n, const double *q, double *r,
                           struct cg_scalars *scalars, struct error *error);

    /* The recurrence of cgsolve/minres_scalars.h, run where the scalars live, and then, where it
     * says that they move, in one pass
     *     d_i = fma(-epsilon, d_i, fma(-delta, d_before_i, v_i)) inverse_gamma,
     *         x_i = fma(tau, d_i, x_i),
     *     v_next_i = w_i inverse_beta
     * It heeds scalars->moves, and not space->ended: the step of the row that ends the iteration is
     * done. */
    enum status (*minres_step)(struct space *space, int64_t n, const struct minres_vectors *vectors,
                               struct minres_scalars *scalars, struct error *error);

    /* Memory that the host and the space both see, zeroed; what the space writes, the host reads
     * behind it. */
    enum status (*allocate_shared)(struct space *space, int64_t bytes, const char *what,
                                   void **shared, struct error *error);
    void (*release_shared)(struct space *space, void *shared); /* accepts NULL */

    /* Take down `work(context) times times over`, to be done by replay, in the order of the other
     * operations. A device records its operations here; what context points to must stay. What was
     * on its way is done when it returns. */
    enum status (*record)(struct space *space, space_work *work, void *context, int times,
                          struct error *error);
    /* Do what was recorded, without waiting for it to be done. */
    enum status (*replay)(struct space *space, struct error *error);
    /* The same `times` times over, by the space's own clock: *seconds from before the first to
     * behind the last, all of them done. */
    enum status (*replay_timed)(struct space *space, int64_t times, double *seconds,
                                struct error *error);
    /* Wait until nothing is on its way, and drop the recording, if there is one. */
    void (*forget)(struct space *space);
    /* How many iterations at once pay for vectors of n elements; the solver keeps up to twice as
     * many on their way. At most SOLVER_ROWS / 2; even where record takes work down, because a
     * method may change between two buffers from one iteration to the next. */
    int (*replay_times)(const struct space *space, int64_t n);

    /* STATUS_OK as long as nothing has failed; called while the host waits for shared memory to
     * change. */
    enum status (*poll)(struct space *space, struct error *error);

    void (*destroy)(struct space *space); /* accepts NULL */
};

/* Every space starts with this; what it needs besides is its own. */
struct space {
    const struct space_operations *operations;
    enum reductions reductions;
    /* When not NULL: a flag in the space's memory. While it is not zero, the operations may leave
     * their vectors and results as they are, so that work on its way when an iteration ends does
     * no harm. The solver sets it. */
    const int64_t *ended;
};

/* Whether apply_blocks and combine bring their dot product along in one pass. */
bool space_sums_what_it_makes(const struct space *space);

/* The CUDA device that a space would use, its driver and runtime; or why there is none. */
void space_describe_device(char *text, size_t size);

/* A space of that kind. The caller owns it and calls space->operations->destroy. Errors:
 * STATUS_MEMORY; STATUS_UNAVAILABLE when this build or machine has none. */
enum status space_create(enum space_kind kind, enum reductions reductions, struct space **space,
                         struct error *error);

/* The space of the host's memory and its threads (base/threads.h). The caller owns it and calls
 * space->operations->destroy. Errors: STATUS_MEMORY. */
enum status space_cpu_create(enum reductions reductions, struct space **space, struct error *error);

/* The space of the first CUDA device. Errors: STATUS_MEMORY, STATUS_DEVICE; STATUS_UNAVAILABLE when
 * there is none. Only in a build with CUDA. */
enum status space_cuda_create(enum reductions reductions, struct space **space,
                              struct error *error);
void space_cuda_describe(char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
