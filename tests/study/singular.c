#include "study/singular.h"

#include "matrices.h"
#include "support.h"

#include <math.h>
#include <string.h>

enum { N = SINGULAR_N };

static double upper[N * (N + 1) / 2], dense[N][N];

/* The matrix of dense[n][n]. */
static void take_dense(int64_t n, struct csr *A)
{
    for (int64_t i = 0, place = 0; i < n; i++)
        for (int64_t j = i; j < n; j++, place++)
            upper[place] = dense[i][j];
    test_matrix_from_dense(n, upper, CSR_SYMMETRIC, A);
}

static long double dot(int64_t n, const long double *x, const long double *y)
{
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* One null vector more, made orthonormal to those before it. */
static void take_null(struct singular *made)
{
    int64_t n = made->A.n;
    long double *v = made->null[made->count];
    for (int twice = 0; twice < 2; twice++)
        for (int64_t k = 0; k < made->count; k++) {
            long double along = dot(n, made->null[k], v);
            for (int64_t i = 0; i < n; i++)
                v[i] -= along * made->null[k][i];
        }
    long double norm = sqrtl(dot(n, v, v));
    ck_assert(norm > 1e-6L);
    for (int64_t i = 0; i < n; i++)
        v[i] /= norm;
    made->count++;
}

/* --- graphs ----------------------------------------------------------------------------------- */

static void join(int64_t i, int64_t j, double weight)
{
    if (i == j || dense[i][j] != 0)
        return;
    dense[i][j] = dense[j][i] = -weight;
    dense[i][i] += weight;
    dense[j][j] += weight;
}

void singular_graph(uint64_t *state, int parts, unsigned grounded, struct singular *made)
{
    int64_t begin[SINGULAR_PARTS + 1] = {0};
    memset(made, 0, sizeof *made);
    memset(dense, 0, sizeof dense);
    for (int p = 0; p < parts; p++)
        begin[p + 1] = begin[p] + 3 + test_random_below(state, N / SINGULAR_PARTS - 2);
    int64_t n = begin[parts];
    int32_t *number = test_random_numbering(n, state);
    for (int p = 0; p < parts; p++) {
        int64_t rows = begin[p + 1] - begin[p];
        for (int64_t k = 0; k < rows; k++)
            made->part[number[begin[p] + k]] = p;
        for (int64_t k = 1; k < rows; k++) /* a tree, and more */
            join(number[begin[p] + k], number[begin[p] + test_random_below(state, k)],
                 0.5 + test_random(state));
        for (int64_t k = 0; k < 2 * rows; k++)
            join(number[begin[p] + test_random_below(state, rows)],
                 number[begin[p] + test_random_below(state, rows)], 0.5 + test_random(state));
        if (grounded >> p & 1)
            dense[number[begin[p]]][number[begin[p]]] += 1;
    }
    memory_free(number);
    take_dense(n, &made->A);
    for (int p = 0; p < parts; p++) {
        if (grounded >> p & 1)
            continue;
        for (int64_t i = 0; i < n; i++)
            made->null[made->count][i] = made->part[i] == p;
        take_null(made);
    }
}

/* --- frameworks ------------------------------------------------------------------------------- */

enum { BODY = 8, AXES = 3, MODES = 6 };

/* A spring between two points, or one and the ground. */
static void spring(int64_t a, int64_t b, const double *direction, double stiffness)
{
    for (int i = 0; i < AXES; i++)
        for (int j = 0; j < AXES; j++) {
            double value = stiffness * (direction[i] * direction[j]);
            dense[AXES * a + i][AXES * a + j] += value;
            if (b < 0)
                continue;
            dense[AXES * b + i][AXES * b + j] += value;
            dense[AXES * a + i][AXES * b + j] -= value;
            dense[AXES * b + i][AXES * a + j] -= value;
        }
}

static void make_body(uint64_t *state, int64_t first, const double *points)
{
    for (int64_t a = first; a < first + BODY; a++)
        for (int64_t b = a + 1; b < first + BODY; b++) {
            double direction[AXES], length = 0;
            for (int i = 0; i < AXES; i++) {
                direction[i] = points[AXES * a + i] - points[AXES * b + i];
                length = hypot(length, direction[i]);
            }
            for (int i = 0; i < AXES; i++)
                direction[i] /= length;
            spring(a, b, direction, 0.5 + test_random(state));
        }
}

static void hold(int64_t first)
{
    static const double axes[AXES][AXES] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int64_t a = first; a < first + 3; a++)
        for (int i = 0; i < AXES; i++)
            spring(a, -1, axes[i], 1);
}

/* The modes of one body are those of all points in its rows. */
static void take_modes(int64_t body, struct singular *made)
{
    for (int64_t m = 0; m < MODES; m++) {
        for (int64_t i = 0; i < made->A.n; i++)
            made->null[made->count][i] =
                made->part[i] == body ? made->modes.values[i * MODES + m] : 0;
        take_null(made);
    }
}

void singular_bodies(uint64_t *state, int bodies, unsigned held, struct singular *made)
{
    double points[SINGULAR_PARTS * BODY * AXES];
    struct error error;
    memset(made, 0, sizeof *made);
    memset(dense, 0, sizeof dense);
    for (int64_t a = 0; a < (int64_t)bodies * BODY; a++)
        for (int i = 0; i < AXES; i++) /* corners of a cube, moved */
            points[AXES * a + i] = (double)(a >> i & 1) + 0.2 * test_random(state) +
                                   (i == 0 ? 3.0 * (double)(a / BODY) : 0);
    for (int p = 0; p < bodies; p++) {
        make_body(state, (int64_t)p * BODY, points);
        if (held >> p & 1)
            hold((int64_t)p * BODY);
    }
    int64_t n = (int64_t)bodies * BODY * AXES;
    take_dense(n, &made->A);
    expect_ok(near_null_rigid_body(n / AXES, AXES, points, &made->modes, &error), &error);
    made->A.near_null = &made->modes;
    for (int64_t i = 0; i < n; i++)
        made->part[i] = i / (BODY * AXES);
    for (int p = 0; p < bodies; p++)
        if (!(held >> p & 1))
            take_modes(p, made);
}

void singular_release(struct singular *made)
{
    near_null_free(&made->modes);
    csr_free(&made->A);
}

/* --- solutions -------------------------------------------------------------------------------- */

long double singular_project(const struct singular *of, double *b)
{
    static long double v[N];
    int64_t n = of->A.n;
    long double removed = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        v[i] = b[i];
        square += v[i] * v[i];
    }
    for (int64_t k = 0; k < of->count; k++) {
        long double along = dot(n, of->null[k], v);
        removed += along * along;
        for (int64_t i = 0; i < n; i++)
            v[i] -= along * of->null[k][i];
    }
    for (int64_t i = 0; i < n; i++)
        b[i] = (double)v[i];
    return sqrtl(removed / square);
}

/* G = A + Q Q', and its inverse by Gauss and Jordan, without pivots: G is positive definite. */
static void invert(struct singular *of)
{
    static long double G[N][N];
    long double(*inverse)[N] = of->inverse;
    int64_t n = of->A.n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            G[i][j] = 0;
            inverse[i][j] = i == j;
            for (int64_t k = 0; k < of->count; k++)
                G[i][j] += of->null[k][i] * of->null[k][j];
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = of->A.offsets[i]; k < of->A.offsets[i + 1]; k++) {
            int64_t j = of->A.columns[k];
            G[i][j] += of->A.values[k];
            G[j][i] += i == j ? 0 : of->A.values[k];
        }
    for (int64_t p = 0; p < n; p++) {
        long double pivot = G[p][p];
        ck_assert(pivot > 0);
        for (int64_t j = 0; j < n; j++) {
            G[p][j] /= pivot;
            inverse[p][j] /= pivot;
        }
        for (int64_t i = 0; i < n; i++) {
            long double factor = i == p ? 0 : G[i][p];
            for (int64_t j = 0; j < n && factor != 0; j++) {
                G[i][j] -= factor * G[p][j];
                inverse[i][j] -= factor * inverse[p][j];
            }
        }
    }
}

long double singular_solution(struct singular *of, const double *b, long double *x)
{
    long double square = 0;
    if (!of->inverted)
        invert(of);
    of->inverted = true;
    for (int64_t i = 0; i < of->A.n; i++) {
        x[i] = 0;
        for (int64_t j = 0; j < of->A.n; j++) {
            x[i] += of->inverse[i][j] * b[j];
            square += of->inverse[i][j] * of->inverse[i][j];
        }
    }
    return sqrtl(square);
}
