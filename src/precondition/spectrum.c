#include "precondition/spectrum.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "space/ranks/ranks.h"

#include <math.h>
#include <stdbool.h>

enum { K = SPECTRUM_STEPS, SWEEPS = 30 };

/* Below this share of ||T||, what is left of a vector is rounding, and an off-diagonal element
 * nothing. */
static const double NOTHING = 0x1p-50;

struct lanczos {
    struct linear_operator *spmv;
    struct space *space;
    int64_t n;
    double *v, *before, *w; /* [n] in the space; before = v_{j-1} */
    double *scalar;         /* there too */
    int steps;
    double alpha[K], beta[K]; /* beta[j] belongs to v_{j+1} */
};

static enum status allocate(struct lanczos *l, struct error *error)
{
    double **vectors[] = {&l->v, &l->before, &l->w};
    enum status status = space_scalars(l->space, 1, "a scalar", &l->scalar, error);
    for (int k = 0; k < 3 && !status; k++)
        status = space_vector(l->space, l->n, "a vector of Lanczos' method", vectors[k], error);
    return status;
}

static void release(struct lanczos *l)
{
    space_release(l->space, l->v);
    space_release(l->space, l->before);
    space_release(l->space, l->w);
    space_release(l->space, l->scalar);
}

/* y = x / ||x||, and the norm; y is left as it is when that is not above `least`. */
static enum status normed(struct lanczos *l, const double *x, double least, double *y, double *norm,
                          struct error *error)
{
    enum status status = space_dot(l->space, l->n, x, x, l->scalar, error);
    if (!status)
        status = space_download(l->space, 1, l->scalar, norm, error);
    if (status)
        return status;
    *norm = sqrt(*norm);
    if (!(*norm > least))
        return STATUS_OK;
    status = space_fill(l->space, l->n, 0, y, error);
    return status ? status : space_axpy(l->space, l->n, 1 / *norm, x, y, error);
}

struct numbered {
    uint64_t seed;
    const int32_t *number; /* of all rows; NULL: */
    int64_t first;         /* from that row on */
    double *u;
};

static void draw(void *context, int64_t i, int64_t end)
{
    const struct numbered *by = context;
    for (; i < end; i++)
        by->u[by->number ? by->number[i] : i] = random_uniform(by->seed, (uint64_t)(by->first + i));
}

/* Of ranks each draws its own rows, where it knows which these are. */
enum status spectrum_first_vector(struct space *space, int64_t n, const int32_t *number,
                                  uint64_t seed, double *v, struct error *error)
{
    int64_t first = number ? 0 : ranks_first_row(space);
    int64_t rows = number ? n : ranks_rows(space, n);
    double *u = memory_array(rows, sizeof *u, "the first vector", error);
    if (!u)
        return STATUS_MEMORY;
    threads_each(threads_lent(), rows, draw, &(struct numbered){seed, number, first, u});
    enum status status = space_upload(space, n, u - first, v, error);
    memory_free(u);
    return status;
}

static enum status begin(struct lanczos *l, const int32_t *number, struct error *error)
{
    double norm;
    enum status status = spectrum_first_vector(l->space, l->n, number, 1, l->w, error);
    return status ? status : normed(l, l->w, 0, l->v, &norm, error);
}

/* alpha_j, beta_j, and v_{j+1} in the place of v_{j-1}; *done when there is none. */
static enum status step(struct lanczos *l, int j, double *size, bool *done, struct error *error)
{
    enum status status = operator_apply_dot(l->spmv, l->v, l->w, l->scalar, error);
    if (!status)
        status = space_download(l->space, 1, l->scalar, &l->alpha[j], error);
    if (!status)
        status = space_axpy(l->space, l->n, -l->alpha[j], l->v, l->w, error);
    if (!status && j > 0)
        status = space_axpy(l->space, l->n, -l->beta[j - 1], l->before, l->w, error);
    if (status)
        return status;
    *size = fmax(*size, fabs(l->alpha[j]));
    double least = NOTHING * *size;
    status = normed(l, l->w, least, l->before, &l->beta[j], error);
    if (!status && !isfinite(l->alpha[j] + l->beta[j]))
        return error_set(error, STATUS_CONFIG,
                         "the ends of the spectrum cannot be estimated: a product is not finite");
    *size = fmax(*size, l->beta[j]);
    *done = !(l->beta[j] > least);
    double *made = l->before;
    l->before = l->v;
    l->v = made;
    l->steps = j + 1;
    return status;
}

/* The rotation that makes a_pq zero, on both sides of a and on the last row of the vectors. */
static void rotate(int k, double a[K][K], double last[K], int p, int q)
{
    double tau = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = 1 / (fabs(tau) + sqrt(1 + tau * tau));
    t = tau < 0 ? -t : t;
    double c = 1 / sqrt(1 + t * t), s = t * c;
    for (int i = 0; i < k; i++) {
        double ip = a[i][p], iq = a[i][q];
        a[i][p] = c * ip - s * iq;
        a[i][q] = s * ip + c * iq;
    }
    for (int i = 0; i < k; i++) {
        double pi = a[p][i], qi = a[q][i];
        a[p][i] = c * pi - s * qi;
        a[q][i] = s * pi + c * qi;
    }
    double lp = last[p], lq = last[q];
    last[p] = c * lp - s * lq;
    last[q] = s * lp + c * lq;
}

/* The extreme eigenvalues of the tridiagonal matrix, and the last element of the last one's
 * vector. */
static void take_ends(const struct lanczos *l, double size, struct spectrum *spectrum)
{
    int k = l->steps;
    double a[K][K] = {{0}}, last[K] = {0};
    for (int j = 0; j < k; j++) {
        a[j][j] = l->alpha[j];
        if (j + 1 < k)
            a[j][j + 1] = a[j + 1][j] = l->beta[j];
    }
    last[k - 1] = 1;
    bool rotated = true;
    for (int sweep = 0; sweep < SWEEPS && rotated; sweep++) {
        rotated = false;
        for (int p = 0; p < k; p++)
            for (int q = p + 1; q < k; q++)
                if (fabs(a[p][q]) > NOTHING * size) {
                    rotate(k, a, last, p, q);
                    rotated = true;
                }
    }
    int least = 0, most = 0;
    for (int j = 1; j < k; j++) {
        least = a[j][j] < a[least][least] ? j : least;
        most = a[j][j] > a[most][most] ? j : most;
    }
    *spectrum = (struct spectrum){.low = a[least][least],
                                  .high = a[most][most],
                                  .bound = l->beta[k - 1] * fabs(last[most]),
                                  .steps = k};
}

enum status spectrum_estimate(struct linear_operator *spmv, const int32_t *number, int steps,
                              struct spectrum *spectrum, struct error *error)
{
    struct lanczos l = {.spmv = spmv, .space = spmv->space, .n = spmv->n};
    double size = 0;
    bool done = false;
    enum status status = allocate(&l, error);
    if (!status && ranks_of(l.space)) /* all have their vectors before one waits for another */
        status = ranks_barrier(ranks_of(l.space), status, error);
    if (!status)
        status = begin(&l, number, error);
    for (int j = 0; j < steps && !status && !done; j++)
        status = step(&l, j, &size, &done, error);
    if (!status)
        take_ends(&l, size, spectrum);
    release(&l);
    return status;
}
