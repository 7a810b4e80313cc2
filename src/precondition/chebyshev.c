/* Chebyshev's polynomial in A: M^-1 = s(A) with s of degree m, so that 1 - t s(t) is the polynomial
 * of degree m + 1 that is 1 at t = 0 and least in size on [low, high] (Saad 2003, section 12.3.2;
 * Golub and Varga 1961):
 *
 *     1 - t s(t) = T_{m+1}((theta - t) / delta) / T_{m+1}(sigma)
 *     theta = (high + low) / 2,  delta = (high - low) / 2,  sigma = theta / delta > 1
 *
 * with T_{m+1} Chebyshev's polynomial. Applied as the iteration of Saad's algorithm 12.1 from
 * z_0 = r / theta:
 *
 *     rho_0 = 1 / sigma,   rho_k = 1 / (2 sigma - rho_{k-1})
 *     z_k = z_{k-1} + rho_k rho_{k-1} (z_{k-1} - z_{k-2}) + (2 rho_k / delta) (r - A z_{k-1}),
 *         k = 1 ... m
 *
 * in one pass over four vectors behind each product, and less for the first two. No sum of it has
 * to be waited for but r . z.
 *
 * Where s is positive. In [low, high] |1 - t s| <= 1 / T_{m+1}(sigma) < 1. Below low, negative t
 * too, (theta - t) / delta lies above 1, where T_{m+1} grows: 1 - t s is below 1 for t > 0 and
 * above for t < 0, so s > 0. Above high, to high + low, |theta - t| / delta < sigma, so |1 - t
 * s| < 1 again; beyond that an odd m makes s negative, an even one never does. So M is positive
 * definite if all eigenvalues of A lie below high + low, and low need not bound them: it says only
 * where the polynomial is best.
 *
 * An eigenvalue t < 0 of A becomes t s(t) = 1 - T_{m+1}((theta - t) / delta) / T_{m+1}(sigma) of
 * M^-1 A, which grows with m like (x + (x^2 - 1)^{1/2})^{m+1}, x = (theta - t) / delta, while those
 * above 0 come near 1. Where the least theta of the estimate shows an eigenvalue for which the
 * quotient is above GROWTH_MOST, the degree is refused: a higher one then takes more iterations,
 * not fewer. Where both bounds are given there is no estimate.
 *
 * The estimates (precondition/spectrum.h): high = SAFETY (theta_max + its residual bound), the
 * upper bound of Zhou, Saad, Tiago and Chelikowsky 2006 (Phys. Rev. E 74, 066704) in the sharper
 * form of Zhou and Li 2011 (Linear Algebra Appl. 435). A short Lanczos run does not promise it: the
 * factor, which is the one that PETSc's KSPCHEBYSHEV takes by default, is the reserve.
 *
 * low = theta_min, but at least SHARE high / (m + 1)^2, where T_{m+1}(sigma) is about 3: for small
 * low / high sigma = 1 + 2 low / high and T_{m+1}(sigma) = cosh(2 (m + 1) (low / high)^{1/2}),
 * which is 3 for a share of 0.78. A lower one would let t s(t) come near 0 and 2 in the middle of
 * the spectrum: eigenvalues that lie together, which conjugate gradients take at once, would be
 * spread. Those below low lose little by it: s(0) over the largest t s(t) is then about 0.8 of what
 * any low allows. It also keeps s far from 0, and so positive in spite of the roundings of an
 * apply. */
#include "base/memory.h"
#include "precondition/chebyshev_pass.h"
#include "precondition/spectrum.h"
#include "space/ranks/ranks.h"
#include "spmv/preconditioner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double SAFETY = 1.1, SHARE = 0.8, GROWTH_MOST = 64;

enum { DEGREE_MAX = 64 };

struct chebyshev_options {
    int64_t degree;
    double low, high; /* where the polynomial is near 1/t; 0: set-up estimates it */
};

struct chebyshev {
    struct linear_operator *spmv;
    int64_t degree;
    double low, high;
    int estimated;                           /* products that estimates took */
    struct chebyshev_pass steps[DEGREE_MAX]; /* their c */
    /* In the space, [n] or multivectors: a product, and every second z_k; `other` from degree 2 on.
     */
    double *y, *other;
    int columns; /* for which they have room */
};

/* low, where the options leave it out. */
static double low_of(const struct chebyshev_options *options, const struct spectrum *spectrum,
                     int64_t degree, double high)
{
    double least = SHARE * high / (double)((degree + 1) * (degree + 1));
    return options->low > 0 ? options->low : fmax(spectrum->low, least);
}

/* 1 - t s(t) for t < 0 */
static double growth(double low, double high, int64_t degree, double t)
{
    double theta = 0.5 * high + 0.5 * low, delta = 0.5 * high - 0.5 * low;
    double at_t = acosh((theta - t) / delta), at_zero = acosh(theta / delta);
    double m = (double)(degree + 1);
    return exp(m * (at_t - at_zero)) * (1 + exp(-2 * m * at_t)) / (1 + exp(-2 * m * at_zero));
}

/* Whether the negative end of the spectrum bears the degree. */
static enum status check_growth(const struct chebyshev *c, const struct chebyshev_options *options,
                                const struct spectrum *spectrum, struct error *error)
{
    double t = spectrum->low, grown = t < 0 ? growth(c->low, c->high, c->degree, t) : 1;
    int64_t most = c->degree;
    if (!(grown > GROWTH_MOST))
        return STATUS_OK;
    do
        most--;
    while (most > 0 &&
           growth(low_of(options, spectrum, most, c->high), c->high, most, t) > GROWTH_MOST);
    char advice[64] = "take jacobi or none";
    if (most > 0)
        snprintf(advice, sizeof advice, "take degree = %" PRId64 " at the most", most);
    return error_set(error, STATUS_CONFIG,
                     "preconditioner chebyshev: A has an eigenvalue of %g or below, for which the "
                     "polynomial of degree %" PRId64 " grows to %.3g: %s",
                     t, c->degree, grown, advice);
}

/* The bounds that the options leave out. */
static enum status bounds(struct chebyshev *c, const struct chebyshev_options *options,
                          const int32_t *number, struct error *error)
{
    int exponent = c->spmv->exponent;
    c->low = ldexp(options->low, -exponent);
    c->high = ldexp(options->high, -exponent);
    if (!(c->low > 0 && c->high > 0)) {
        struct spectrum spectrum;
        enum status status = spectrum_estimate(c->spmv, number, SPECTRUM_STEPS, &spectrum, error);
        if (status)
            return status;
        c->estimated = spectrum.steps;
        if (!(c->high > 0))
            c->high = SAFETY * (spectrum.high + spectrum.bound);
        c->low = low_of(options, &spectrum, c->degree, c->high);
        if (c->low > 0 && c->low < c->high && isfinite(c->high))
            return check_growth(c, options, &spectrum, error);
    }
    if (c->low > 0 && c->low < c->high && isfinite(c->high))
        return STATUS_OK;
    if (!(options->high > 0) && c->high <= 0)
        return error_set(
            error, STATUS_CONFIG,
            "preconditioner chebyshev: A has no positive eigenvalue, as estimated by %d "
            "steps: take none",
            c->estimated);
    return error_set(error, STATUS_CONFIG,
                     "preconditioner chebyshev: low = %g and high = %g (%s) are not 0 < low < high",
                     ldexp(c->low, exponent), ldexp(c->high, exponent),
                     options->low > 0 && options->high > 0 ? "as given"
                     : c->estimated > 0 && !(options->low > 0) && !(options->high > 0)
                         ? "as estimated"
                         : "one of them estimated");
}

/* z_k = c[0] z_{k-1} + c[1] z_{k-2} + c[2] r + c[3] A z_{k-1}. In the first step A r stands for A
 * z_0, and z_0 for r / theta, in the second z_0 too. */
static void coefficients(struct chebyshev *c)
{
    double theta = 0.5 * c->high + 0.5 * c->low, delta = 0.5 * c->high - 0.5 * c->low;
    double sigma = theta / delta, rho = 1 / sigma;
    for (int64_t k = 0; k < c->degree; k++) {
        double before = rho;
        rho = 1 / (2 * sigma - before);
        double along = rho * before, across = 2 * rho / delta, *made = c->steps[k].c;
        made[0] = k == 0 ? (1 + along) / theta + across : 1 + along;
        made[1] = k == 0 || k == 1 ? 0 : -along;
        made[2] = k == 0 ? 0 : k == 1 ? across - along / theta : across;
        made[3] = k == 0 ? -across / theta : -across;
    }
}

static void release_vectors(struct chebyshev *c)
{
    space_release(c->spmv->space, c->y);
    space_release(c->spmv->space, c->other);
    c->y = c->other = NULL;
    c->columns = 0;
}

static void destroy(void *state)
{
    struct chebyshev *c = state;
    if (c)
        release_vectors(c);
    memory_free(c);
}

static enum status allocate_vectors(struct chebyshev *c, int columns, struct error *error)
{
    struct space *space = c->spmv->space;
    int64_t n = c->spmv->n;
    if (columns <= c->columns)
        return STATUS_OK;
    release_vectors(c);
    enum status status = ranks_multivector(
        space, n, columns, sizeof *c->y, "a product of the preconditioner", (void **)&c->y, error);
    if (!status && c->degree > 1)
        status = ranks_multivector(space, n, columns, sizeof *c->other,
                                   "a vector of the preconditioner", (void **)&c->other, error);
    c->columns = status ? 0 : columns;
    return status;
}

static enum status prepare(void *state, int columns, struct error *error)
{
    struct chebyshev *c = state;
    enum status status = allocate_vectors(c, columns, error);
    return status ? status : operator_prepare(c->spmv, columns, error);
}

/* z_k alternates between z and `other`, so that the last one is in z. A multivector is a vector of
 * more elements. */
static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    struct chebyshev *c = state;
    struct space *space = c->spmv->space;
    int64_t elements = c->spmv->n * (operands->columns > 1 ? operands->columns : 1);
    struct operands product = {.columns = operands->columns, .used = operands->used};
    const double *r = operands->x, *last = r;
    double *z = operands->y;
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < c->degree && !status; k++) {
        bool ends = k + 1 == c->degree;
        double *next = (c->degree - k) % 2 ? z : c->other;
        struct chebyshev_pass step = c->steps[k];
        step.v[0] = last;
        step.v[1] = k < 2 ? r : next; /* k < 2: times 0 */
        step.v[2] = r;
        step.v[3] = c->y;
        step.z = next;
        step.dot = ends ? operands->dot : NULL;
        product.x = last;
        product.y = c->y;
        status = operator_apply_to(c->spmv, &product, error);
        if (!status)
            status = space_run(space, &chebyshev_pass, elements, &step, error);
        last = next;
    }
    return status;
}

static const struct operator_table table = {.apply = apply, .prepare = prepare, .destroy = destroy};

static void describe(const struct chebyshev *c, struct linear_operator *made)
{
    int exponent = c->spmv->exponent;
    int length =
        snprintf(made->description, sizeof made->description, "degree %" PRId64 " on [%.6g, %.6g]",
                 c->degree, ldexp(c->low, exponent), ldexp(c->high, exponent));
    if (c->estimated > 0)
        snprintf(made->description + length, sizeof made->description - (size_t)length,
                 ", estimated by %d products", c->estimated);
}

/* A pass reads r and y and writes z; from the second on it reads the z before, from the third on
 * the one before that too. */
static enum status setup(const void *given, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    const struct chebyshev_options *options = given;
    struct space *space = spmv->space;
    int64_t n = A->n, m = options->degree;
    struct chebyshev *c = made->state = memory_zeros(1, sizeof *c, "the preconditioner", error);
    if (!c)
        return STATUS_MEMORY;
    made->table = &table;
    made->can = spmv->can & OPERATOR_COLUMNS;
    c->spmv = spmv;
    c->degree = m;
    int64_t vectors =
        3 * m + (m - 1) + (m > 2 ? m - 2 : 0) + (space->reductions == REDUCTIONS_BLAS ? 2 : 0);
    made->products = m;
    int64_t own = vectors * n * (int64_t)sizeof(double), ends = 2 * n * (int64_t)sizeof(double);
    made->bytes_per_apply = m * spmv->bytes_per_apply + own;
    made->bytes_per_column = m * (spmv->bytes_per_column + ends) + own - ends;
    enum status status = bounds(c, options, number, error);
    if (!status)
        status = allocate_vectors(c, 1, error);
    if (status)
        return status;
    coefficients(c);
    describe(c, made);
    return STATUS_OK;
}

static int64_t setup_bytes(const void *options, const struct csr *A)
{
    const struct chebyshev_options *given = options;
    return (given->degree > 1 ? 2 : 1) * A->n * (int64_t)sizeof(double);
}

static const char *complain(const void *options, const char **parameter)
{
    const struct chebyshev_options *given = options;
    *parameter = "low";
    return given->low > 0 && given->high > 0 && !(given->low < given->high) ? "must lie below high"
                                                                            : NULL;
}

static const struct parameter parameters[] = {
    {"degree", "degree of the polynomial: as many more products in each iteration", "4",
     TAKES_INTEGER(struct chebyshev_options, degree, 1, DEGREE_MAX)},
    {"low",
     "where the polynomial begins to be best; left out: estimated by a short Lanczos run, at least "
     "0.8 high / (degree + 1)^2",
     NULL, TAKES_REAL(struct chebyshev_options, low, 0, INFINITY), .above = true, .optional = true},
    {"high",
     "where it ends, which should be above the largest eigenvalue; left out: estimated by the same "
     "run",
     NULL, TAKES_REAL(struct chebyshev_options, high, 0, INFINITY), .above = true,
     .optional = true},
    {0}};

static bool by_rows(const void *options, const struct csr *A)
{
    (void)options, (void)A;
    return true;
}

const struct preconditioner preconditioner_chebyshev = {
    .component = {COMPONENT_PRECONDITIONER, "chebyshev",
                  "a polynomial in A that is near its inverse", parameters,
                  sizeof(struct chebyshev_options), complain},
    .setup_bytes = setup_bytes,
    .setup = setup,
    .by_rows = by_rows,
    .leaves_rows = true,
    .device_rows = true, /* it looks at none */
};
