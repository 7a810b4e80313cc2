#include "solver/krylov_reference.h"

#include "support.h"

#include <math.h>
#include <string.h>

typedef long double vector[KRYLOV_N];

static long double inner(int64_t n, const long double *x, const long double *y)
{
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* y = (shift I + full) x */
static void multiply(const struct csr *full, double shift, const long double *x, long double *y)
{
    for (int64_t i = 0; i < full->n; i++) {
        y[i] = shift * x[i];
        for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++)
            y[i] += full->values[k] * x[full->columns[k]];
    }
}

/* W v, W = NULL: I; in `work` where it is not v itself. */
static const long double *weighted(const struct csr *W, const long double *v, long double *work)
{
    if (!W)
        return v;
    multiply(W, 0, v, work);
    return work;
}

static long double inner_by(const struct csr *W, int64_t n, const long double *x,
                            const long double *y)
{
    vector work;
    return inner(n, x, weighted(W, y, work));
}

/* Full rows, where there is a matrix. */
static const struct csr *expand(const struct csr *A, struct csr *full)
{
    struct error error;
    if (!A)
        return NULL;
    expect_ok(csr_expand(A, full, &error), &error);
    return full;
}

/* v without its parts along basis[0 ... count - 1], and normed; 0 where nothing is left. */
static int orthonormalise(const struct csr *W, int64_t n, vector *basis, int64_t count,
                          long double *v)
{
    long double before = sqrtl(inner_by(W, n, v, v));
    for (int twice = 0; twice < 2; twice++)
        for (int64_t j = 0; j < count; j++) {
            long double along = inner_by(W, n, basis[j], v);
            for (int64_t i = 0; i < n; i++)
                v[i] -= along * basis[j][i];
        }
    long double norm = sqrtl(inner_by(W, n, v, v));
    if (!(norm > 1e-15L * before))
        return 0;
    for (int64_t i = 0; i < n; i++)
        v[i] /= norm;
    return 1;
}

void krylov_optimum(const struct csr *A, const struct csr *W, double shift, const double *b,
                    int64_t steps, long double *optimum, long double *norm)
{
    static vector space[KRYLOV_STEPS + 1], image[KRYLOV_STEPS + 1], work;
    long double r[KRYLOV_N];
    struct csr full = {0}, full_W = {0};
    int64_t n = A->n;
    ck_assert(n <= KRYLOV_N && steps <= KRYLOV_STEPS);
    expand(A, &full);
    W = expand(W, &full_W);
    for (int64_t i = 0; i < n; i++)
        r[i] = space[0][i] = b[i];
    int going = orthonormalise(W, n, space, 0, space[0]);
    for (int64_t k = 0; k <= steps; k++) {
        if (k > 0 && going) {
            long double *q = image[k - 1], *next = space[k];
            multiply(&full, shift, weighted(W, space[k - 1], work), q);
            memcpy(next, q, sizeof(vector));
            if (orthonormalise(W, n, image, k - 1, q)) {
                long double along = inner_by(W, n, q, r);
                for (int64_t i = 0; i < n; i++)
                    r[i] -= along * q[i];
            }
            going = orthonormalise(W, n, space, k, next);
        }
        optimum[k] = sqrtl(inner_by(W, n, r, r));
        if (norm)
            norm[k] = sqrtl(inner(n, r, r));
    }
    csr_free(&full);
    csr_free(&full_W);
}

/* Column `column` of T, made upper triangular by the rotations (cosine[j], sine[j]) of rows j and
 * j + 1, j < column. */
static void rotate(const long double *cosine, const long double *sine, int64_t column,
                   long double *T)
{
    for (int64_t j = 0; j < column; j++) {
        long double upper = T[j], lower = T[j + 1];
        T[j] = cosine[j] * upper + sine[j] * lower;
        T[j + 1] = cosine[j] * lower - sine[j] * upper;
    }
}

void krylov_lanczos(const struct csr *A, const struct csr *W, const double *b, int64_t steps,
                    struct krylov_lanczos *made)
{
    static vector v, before, w, work;
    long double cosine[KRYLOV_STEPS], sine[KRYLOV_STEPS], beta = 0;
    struct csr full = {0}, full_W = {0};
    int64_t n = A->n;
    expand(A, &full);
    W = expand(W, &full_W);
    for (int64_t i = 0; i < n; i++)
        v[i] = b[i];
    made->residual[0] = sqrtl(inner_by(W, n, v, v));
    for (int64_t i = 0; i < n; i++) {
        v[i] /= made->residual[0];
        before[i] = 0;
    }
    for (int64_t k = 1; k <= steps; k++) {
        long double T[KRYLOV_STEPS + 2] = {0};
        multiply(&full, 0, weighted(W, v, work), w);
        made->alpha[k] = inner_by(W, n, v, w);
        for (int64_t i = 0; i < n; i++)
            w[i] -= made->alpha[k] * v[i] + beta * before[i];
        if (k > 1)
            T[k - 2] = beta;
        T[k - 1] = made->alpha[k];
        T[k] = made->beta[k] = beta = sqrtl(inner_by(W, n, w, w));
        rotate(cosine, sine, k - 1, T);
        made->gamma[k] = sqrtl(T[k - 1] * T[k - 1] + T[k] * T[k]);
        cosine[k - 1] = T[k - 1] / made->gamma[k];
        sine[k - 1] = T[k] / made->gamma[k];
        made->residual[k] = made->residual[k - 1] * sine[k - 1];
        memcpy(before, v, sizeof v);
        for (int64_t i = 0; i < n; i++)
            v[i] = w[i] / beta;
    }
    csr_free(&full);
    csr_free(&full_W);
}
