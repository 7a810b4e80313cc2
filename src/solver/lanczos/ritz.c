#include "solver/lanczos/ritz.h"

#include "base/memory.h"
#include "solver/tridiagonal.h"

#include <math.h>
#include <string.h>

/* What locked vectors may leave of the residuals of others, over what these may be: a part in a
 * direction of its own, so that both together are 1.05 times what one alone is, or 1.1 times, the
 * most that is confirmed. */
static const double LEFT = 0.3, LEFT_MOST = 0.45;

int64_t ritz_wanted(const struct eigen_options *options, int64_t n)
{
    int64_t wanted = options->count * (options->which == EIGEN_BOTH ? 2 : 1);
    return wanted < n ? wanted : n;
}

int64_t ritz_restart(const struct eigen_options *options, int64_t n)
{
    int64_t usual = 2 * ritz_wanted(options, n) + 20;
    int64_t restart = options->restart > 0 ? options->restart : usual > 60 ? usual : 60;
    return restart < n ? restart : n;
}

enum status ritz_begin(struct ritz *ritz, const struct eigen_options *options, int64_t n,
                       struct error *error)
{
    int64_t most = ritz_restart(options, n), wanted = ritz_wanted(options, n);
    int64_t low = options->which == EIGEN_LARGEST    ? 0
                  : options->which == EIGEN_SMALLEST ? wanted
                                                     : (wanted + 1) / 2;
    *ritz = (struct ritz){
        .most = most, .low = low, .high = wanted - low, .tolerance = options->tolerance};
    ritz->strict = INFINITY;
    struct {
        double **array;
        int64_t count;
    } arrays[] = {{&ritz->d, most},     {&ritz->e, most},       {&ritz->turn, most * most},
                  {&ritz->theta, most}, {&ritz->bound, most},   {&ritz->work, most},
                  {&ritz->last, most},  {&ritz->S, most * most}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k].array =
            memory_zeros(arrays[k].count, sizeof(double), "the projected matrix", error);
        if (!*arrays[k].array)
            return STATUS_MEMORY;
    }
    return STATUS_OK;
}

enum status ritz_keep(struct ritz *ritz, struct archive *archive, struct error *error)
{
    enum status status = archive_expect(archive, "eigen.restart", ritz->most, error);
    if (!status)
        status = archive_count(archive, "size", &ritz->size, ritz->most, error);
    if (!status)
        status = archive_count(archive, "kept", &ritz->kept, ritz->size, error);
    if (!status)
        status = archive_count(archive, "locked", &ritz->locked, ritz->size, error);
    if (!status)
        status = archive_bytes(archive, "norm", &ritz->norm, sizeof ritz->norm, error);
    if (!status)
        status = archive_bytes(archive, "left", &ritz->left, sizeof ritz->left, error);
    if (!status)
        status = archive_bytes(archive, "left norm", &ritz->left_norm, sizeof(double), error);
    if (!status)
        status = archive_bytes(archive, "strict", &ritz->strict, sizeof(double), error);
    struct {
        const char *name;
        double *array;
        int64_t count;
    } arrays[] = {{"d", ritz->d, ritz->size},
                  {"e", ritz->e, ritz->size},
                  {"theta", ritz->theta, ritz->size},
                  {"bound", ritz->bound, ritz->size},
                  {"turn", ritz->turn, ritz->kept * ritz->kept}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && !status; k++)
        status = archive_bytes(archive, arrays[k].name, arrays[k].array,
                               arrays[k].count * (int64_t)sizeof(double), error);
    return status;
}

void ritz_free(struct ritz *ritz)
{
    memory_free(ritz->d);
    memory_free(ritz->e);
    memory_free(ritz->turn);
    memory_free(ritz->theta);
    memory_free(ritz->bound);
    memory_free(ritz->work);
    memory_free(ritz->last);
    memory_free(ritz->S);
    *ritz = (struct ritz){0};
}

/* theta = the eigenvalues of T, z[rows x size] turned with them. */
static enum status solve(struct ritz *ritz, double *z, int64_t rows, struct error *error)
{
    size_t bytes = (size_t)ritz->size * sizeof(double);
    memcpy(ritz->theta, ritz->d, bytes);
    memcpy(ritz->work, ritz->e, bytes);
    return tridiagonal_eigen(ritz->size, ritz->theta, ritz->work, z, rows, error);
}

enum status ritz_append(struct ritz *ritz, double alpha, double beta, struct error *error)
{
    int64_t size = ++ritz->size;
    ritz->d[size - 1] = alpha;
    ritz->e[size - 1] = beta;
    for (int64_t i = 0; i < size; i++)
        ritz->last[i] = i == size - 1;
    enum status status = solve(ritz, ritz->last, 1, error);
    for (int64_t i = 0; i < size && !status; i++) {
        ritz->bound[i] = fabs(beta * ritz->last[i]);
        ritz->norm = fmax(ritz->norm, fabs(ritz->theta[i]));
    }
    return status;
}

enum status ritz_vectors(struct ritz *ritz, struct error *error)
{
    int64_t size = ritz->size, kept = ritz->kept;
    for (int64_t j = 0; j < size; j++)
        for (int64_t i = 0; i < size; i++)
            ritz->S[i + size * j] =
                i < kept && j < kept ? ritz->turn[i + kept * j] : (double)(i == j);
    return solve(ritz, ritz->S, size, error);
}

bool ritz_is_wanted(const struct ritz *ritz, int64_t i)
{
    return i < ritz->low || i >= ritz->size - ritz->high;
}

double ritz_scale(const struct ritz *ritz, double theta)
{
    return fmax(fabs(theta), 0x1.428a2f98d7292p-35 * ritz->norm); /* (2^-52)^(2/3) */
}

bool ritz_has_converged(const struct ritz *ritz, int64_t i)
{
    return ritz->bound[i] <=
           fmax(ritz->tolerance * ritz_scale(ritz, ritz->theta[i]), 0x1p-53 * ritz->norm);
}

int64_t ritz_converged(const struct ritz *ritz)
{
    int64_t converged = 0;
    for (int64_t i = 0; i < ritz->size; i++)
        converged += ritz_is_wanted(ritz, i) && ritz_has_converged(ritz, i);
    return converged;
}

double ritz_residual(const struct ritz *ritz)
{
    double largest = ritz->left;
    for (int64_t i = 0; i < ritz->size; i++) {
        double scale = ritz_scale(ritz, ritz->theta[i]);
        if (ritz_is_wanted(ritz, i) && ritz->bound[i] > 0)
            largest = fmax(largest, ritz->bound[i] / scale);
    }
    return largest;
}

int64_t ritz_ghosts(const struct ritz *ritz)
{
    int64_t ghosts = 0;
    for (int64_t i = 1; i < ritz->size; i++)
        ghosts += ritz->theta[i] - ritz->theta[i - 1] <= ritz->tolerance * ritz->norm;
    return ghosts;
}

/* The first `low` Ritz values and the last of `kept`: their vectors become the first columns of S,
 * T their diagonal, and b couples them to the next vector by beta. */
static void keep_ends(struct ritz *ritz, int64_t kept, int64_t low, double beta, double *b)
{
    int64_t size = ritz->size;
    for (int64_t j = 0; j < kept; j++) {
        int64_t i = j < low ? j : size - kept + j;
        memmove(ritz->S + size * j, ritz->S + size * i, (size_t)size * sizeof(double));
        ritz->d[j] = ritz->theta[i];
        ritz->e[j] = b[j] = beta * ritz->S[size - 1 + size * j];
    }
    for (int64_t k = 0; k < kept * kept; k++)
        ritz->turn[k] = k / kept == k % kept;
    ritz->size = ritz->kept = kept;
    ritz->locked = 0;
}

void ritz_restart_basis(struct ritz *ritz, bool half_of_them, double *b)
{
    int64_t size = ritz->size, wanted = ritz->low + ritz->high, half = (size - wanted) / 2;
    int64_t converged = half_of_them ? half : ritz_converged(ritz);
    int64_t kept = wanted + (converged < half ? converged : half);
    if (kept > size - 1)
        kept = size - 1;
    int64_t low = ritz->high == 0 ? kept : ritz->low == 0 ? 0 : (kept + 1) / 2;
    keep_ends(ritz, kept, low, ritz->e[size - 1], b);
    tridiagonal_from_arrow(kept, ritz->d, ritz->e, ritz->turn, kept);
}

/* The least that a residual of the wanted ones may be. */
static double least_allowed(const struct ritz *ritz)
{
    double least = INFINITY, rounding = (double)ritz->most * 0x1p-53 * ritz->norm;
    for (int64_t i = 0; i < ritz->size; i++)
        if (ritz_is_wanted(ritz, i)) {
            double allowed = ritz->tolerance * ritz_scale(ritz, ritz->theta[i]);
            least = fmin(least, fmax(allowed, rounding));
        }
    return least;
}

/* The root of the sum of the squares of the bounds of the wanted ones, as they were when they were
 * locked. */
static double bounds_norm(const struct ritz *ritz)
{
    double squares = ritz->left_norm * ritz->left_norm;
    for (int64_t i = 0; i < ritz->size; i++)
        if (ritz_is_wanted(ritz, i))
            squares += ritz->bound[i] * ritz->bound[i];
    return sqrt(squares);
}

bool ritz_can_be_locked(const struct ritz *ritz)
{
    return bounds_norm(ritz) <= LEFT * fmin(least_allowed(ritz), ritz->strict);
}

void ritz_lock(struct ritz *ritz, double *b)
{
    ritz->left = ritz_residual(ritz);
    ritz->left_norm = bounds_norm(ritz);
    keep_ends(ritz, ritz->low + ritz->high, ritz->low, 0, b);
    ritz->locked = ritz->size;
}

bool ritz_was_locked_too_soon(const struct ritz *ritz)
{
    return ritz->left_norm > LEFT_MOST * least_allowed(ritz);
}

void ritz_start_over(struct ritz *ritz)
{
    int64_t size = ritz->size;
    double norm = sqrt((double)(ritz->low + ritz->high));
    for (int64_t k = 0; k < size; k++) {
        double sum = 0;
        for (int64_t i = 0; i < size; i++)
            sum += ritz_is_wanted(ritz, i) ? ritz->S[k + size * i] : 0;
        ritz->S[k] = sum / norm;
    }
    ritz->strict = fmin(ritz->strict, least_allowed(ritz));
    ritz->left = ritz->left_norm = 0;
    ritz->size = ritz->kept = ritz->locked = 0;
}
