#include "solver/cg/spectrum.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>

/* --- row by row ------------------------------------------------------------------------------- */

/* The larger eigenvalue of [a b; b c], a and c >= 0, and its eigenvector (*u, *v) of norm 1.
 * Divided by the larger of a and c first, so that nothing overflows in between. */
static double larger_eigenvalue(double a, double b, double c, double *u, double *v)
{
    double scale = a > c ? a : c;
    double half = 0.5 * (a / scale - c / scale), off = b / scale;
    double root = sqrt(half * half + off * off);
    *u = half >= 0 ? half + root : off; /* never the difference of two that are nearly equal */
    *v = half >= 0 ? off : root - half;
    double norm = sqrt(*u * *u + *v * *v);
    bool any = norm > 0; /* a = c, b = 0: every vector is one */
    *u = any ? *u / norm : 0;
    *v = any ? *v / norm : 1;
    return (half >= 0 ? c / scale + half + root : a / scale - half + root) * scale;
}

/* L_k' gets the column (0, ..., 0, s, m)', s = sqrt(beta / alpha_before), m = 1 / sqrt(alpha). */
static void grow_high(struct norm_estimate *high, double alpha_before, double alpha, double beta)
{
    double m = sqrt(1 / alpha), along = high->last * sqrt(beta / alpha_before), u;
    high->squared =
        larger_eigenvalue(high->squared + along * along, along * m, m * m, &u, &high->last);
}

/* Its inverse gets the column (-(L_k')^-1 (0, ..., 0, s)', 1)' / m. */
static void grow_low(struct norm_estimate *low, double alpha_before, double alpha, double beta)
{
    double m = sqrt(alpha), along = -low->last * sqrt(alpha / alpha_before * beta), u, v;
    low->squared = larger_eigenvalue(low->squared + along * along, along * m, alpha, &u, &v);
    low->last = u * along + v * m;
}

/* Whether T_k can grow by these. */
static bool is_of_lanczos(double alpha, double beta)
{
    return alpha > 0 && alpha <= DBL_MAX && 1 / alpha <= DBL_MAX && beta >= 0 && beta <= DBL_MAX;
}

/* Room for k of them. */
static enum status reserve(struct cg_spectrum *spectrum, int64_t k, struct error *error)
{
    static const char what[] = "the coefficients of the iteration";
    enum status status = memory_grow((void **)&spectrum->alphas, &spectrum->alphas_capacity, k,
                                     sizeof *spectrum->alphas, what, error);
    return status ? status
                  : memory_grow((void **)&spectrum->betas, &spectrum->betas_capacity, k,
                                sizeof *spectrum->betas, what, error);
}

static enum status grow(struct cg_spectrum *spectrum, double alpha, double beta,
                        struct error *error)
{
    int64_t k = spectrum->count;
    enum status status = reserve(spectrum, k + 1, error);
    if (status)
        return status;
    if (k == 0) {
        spectrum->high = (struct norm_estimate){1 / alpha, 1};
        spectrum->low = (struct norm_estimate){alpha, sqrt(alpha)};
    } else {
        grow_high(&spectrum->high, spectrum->alpha, alpha, beta);
        grow_low(&spectrum->low, spectrum->alpha, alpha, beta);
    }
    spectrum->alphas[k] = spectrum->alpha = alpha;
    spectrum->betas[k] = beta;
    spectrum->count++;
    return STATUS_OK;
}

static double finite_or_nan(double value)
{
    return isfinite(value) ? value : NAN;
}

static void tell(const struct cg_spectrum *spectrum, double rho, double values[CG_SERIES])
{
    double low = 1 / spectrum->low.squared, high = spectrum->high.squared;
    if (!(low > 0 && low <= DBL_MAX && high > 0 && high <= DBL_MAX))
        return;
    values[CG_RITZ_LOW] = low;
    values[CG_RITZ_HIGH] = high;
    values[CG_CONDITION] = finite_or_nan(high / low);
    values[CG_ERROR_NORM] = finite_or_nan(sqrt(rho / spectrum->shape / low));
}

enum status cg_spectrum_take(struct cg_spectrum *spectrum, const struct solver_row *row,
                             double values[CG_SERIES], struct error *error)
{
    for (int s = CG_RITZ_LOW; s <= CG_ERROR_NORM; s++)
        values[s] = NAN;
    if (row->iteration == 0) {
        spectrum->shape = 1;
        spectrum->rho = row->rho;
        return STATUS_OK;
    }
    spectrum->lost = spectrum->lost || !is_of_lanczos(row->alpha, row->beta);
    if (spectrum->lost)
        return STATUS_OK;
    enum status status = grow(spectrum, row->alpha, row->beta, error);
    if (status)
        return status;
    /* ||p_k||^2 = rho_k + beta_k^2 ||p_{k-1}||^2, by rho_k = beta_k rho_{k-1} */
    spectrum->shape = 1 + row->rho / spectrum->rho * spectrum->shape;
    spectrum->rho = row->rho;
    tell(spectrum, row->rho, values);
    return STATUS_OK;
}

void cg_spectrum_extremes(const struct cg_spectrum *spectrum, double *low, double *high)
{
    *low = *high = NAN;
    if (spectrum->count > 0 && !spectrum->lost)
        cg_ritz_extremes(spectrum->alphas, spectrum->betas, spectrum->count, low, high);
}

static enum status keep_coefficients(struct cg_spectrum *s, struct archive *archive,
                                     struct error *error)
{
    int64_t bytes = s->count * (int64_t)sizeof(double);
    enum status status = reserve(s, s->count, error);
    if (!status)
        status = archive_bytes(archive, "alphas", s->alphas, bytes, error);
    if (!status)
        status = archive_bytes(archive, "betas", s->betas, bytes, error);
    for (int64_t k = 0; k < s->count && !status; k++)
        if (!is_of_lanczos(s->alphas[k], s->betas[k]))
            status = error_set(error, STATUS_INPUT,
                               "the saved solve has coefficients that it cannot have");
    return status;
}

enum status cg_spectrum_keep(struct cg_spectrum *spectrum, int64_t iterations,
                             struct archive *archive, struct error *error)
{
    struct cg_spectrum *s = spectrum;
    int64_t lost = s->lost;
    struct {
        const char *name;
        void *data;
        int64_t bytes;
    } pieces[] = {{"high", &s->high, sizeof s->high},
                  {"low", &s->low, sizeof s->low},
                  {"shape", &s->shape, sizeof s->shape},
                  {"alpha", &s->alpha, sizeof s->alpha},
                  {"rho", &s->rho, sizeof s->rho}};
    enum status status = archive_count(archive, "lost", &lost, 1, error);
    s->lost = lost;
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces && !status; k++)
        status = archive_bytes(archive, pieces[k].name, pieces[k].data, pieces[k].bytes, error);
    if (!status)
        status = archive_count(archive, "coefficients", &s->count, iterations, error);
    return status ? status : keep_coefficients(s, archive, error);
}

void cg_spectrum_free(struct cg_spectrum *spectrum)
{
    memory_free(spectrum->alphas);
    memory_free(spectrum->betas);
    *spectrum = (struct cg_spectrum){0};
}

/* --- at the end ------------------------------------------------------------------------------- */

/* sigmas that are tried in one pass over the coefficients: their chains of divisions do not wait
 * for each other */
enum { SIGMAS = 8 };

/* below[m]: how many eigenvalues are smaller than sigmas[m]. */
static void count_below(const double *alphas, const double *betas, int64_t k,
                        const double sigmas[SIGMAS], int64_t below[SIGMAS])
{
    double s[SIGMAS];
    for (int m = 0; m < SIGMAS; m++) {
        s[m] = -sigmas[m];
        below[m] = 0;
    }
    for (int64_t j = 0; j < k; j++) {
        double next_beta = j + 1 < k ? betas[j + 1] : 0;
        for (int m = 0; m < SIGMAS; m++) {
            double e = 1 + alphas[j] * s[m];
            e = e == 0 ? 0x1p-60 : e; /* as if alpha_j were another by less than an ulp */
            below[m] += e < 0;
            s[m] = next_beta * (s[m] / e) - sigmas[m];
        }
    }
}

/* The eigenvalue that is number `rank` from below, from 1, between low and high; NaN where one of
 * them is. */
static double bisect(const double *alphas, const double *betas, int64_t k, int64_t rank, double low,
                     double high)
{
    for (;;) {
        double sigmas[SIGMAS], step = (high - low) / (SIGMAS + 1);
        int64_t below[SIGMAS];
        if (!(step > DBL_EPSILON * high)) /* within SIGMAS + 1 ulps */
            return low + 0.5 * (high - low);
        for (int m = 0; m < SIGMAS; m++)
            sigmas[m] = low + (m + 1) * step;
        count_below(alphas, betas, k, sigmas, below);
        int first = 0; /* that has the eigenvalue below it */
        while (first < SIGMAS && below[first] < rank)
            first++;
        low = first > 0 ? sigmas[first - 1] : low;
        high = first < SIGMAS ? sigmas[first] : high;
    }
}

/* The first of sigma, 2 sigma, 4 sigma, ... that has `rank` eigenvalues below it; NaN where they
 * become too large. */
static double pass_above(const double *alphas, const double *betas, int64_t k, int64_t rank,
                         double sigma)
{
    double sigmas[SIGMAS];
    int64_t below[SIGMAS];
    for (; sigma <= DBL_MAX; sigma = 2 * sigmas[SIGMAS - 1]) {
        for (int m = 0; m < SIGMAS; m++)
            sigmas[m] = m > 0 ? 2 * sigmas[m - 1] : sigma;
        count_below(alphas, betas, k, sigmas, below);
        for (int m = 0; m < SIGMAS; m++)
            if (below[m] >= rank)
                return sigmas[m] <= DBL_MAX ? sigmas[m] : NAN;
    }
    return NAN;
}

/* The first of sigma, sigma / 2, sigma / 4, ... that has none below it; NaN where they become too
 * small. */
static double pass_below(const double *alphas, const double *betas, int64_t k, double sigma)
{
    double sigmas[SIGMAS];
    int64_t below[SIGMAS];
    for (; sigma >= DBL_MIN; sigma = 0.5 * sigmas[SIGMAS - 1]) {
        for (int m = 0; m < SIGMAS; m++)
            sigmas[m] = m > 0 ? 0.5 * sigmas[m - 1] : sigma;
        count_below(alphas, betas, k, sigmas, below);
        for (int m = 0; m < SIGMAS; m++)
            if (below[m] == 0)
                return sigmas[m] >= DBL_MIN ? sigmas[m] : NAN;
    }
    return NAN;
}

void cg_ritz_extremes(const double *alphas, const double *betas, int64_t k, double *low,
                      double *high)
{
    double smallest = alphas[0];
    for (int64_t j = 1; j < k; j++)
        smallest = alphas[j] < smallest ? alphas[j] : smallest;
    /* T_k(j, j) >= 1 / alpha_j, so the largest one is at least as large; the smallest is at most
     * T_k(0, 0) */
    double above = pass_above(alphas, betas, k, k, 1 / smallest);
    double below = pass_below(alphas, betas, k, 1 / alphas[0]);
    *high = finite_or_nan(bisect(alphas, betas, k, k, 0.5 * above, above));
    *low = finite_or_nan(bisect(alphas, betas, k, 1, below, 2 * below));
}
