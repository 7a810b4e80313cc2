#include "solver/tridiagonal.h"

#include "base/multiversion.h"

#include <math.h>
#include <stdbool.h>

/* The unit roundoff; what counts as 0 beside 1, its square, without which QL would take hundreds of
 * steps to sort out entries that fall from 1 to 1e-300 (it wants them to rise); the most steps of
 * QL for an eigenvalue, of which about 1.7 are needed. */
#define UNIT 0x1p-53
#define VANISHING 0x1p-106
enum { STEPS = 30 };

/* A tridiagonal matrix with off-diagonal t, and the columns that are turned with it. */
struct turned {
    double *d, *t, *z;
    int64_t rows;
};

static bool all_finite(int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static double largest_of(int64_t n, const double *x, double largest)
{
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* The power of two above both d and t, 0 for zeros. */
static int exponent_of(int64_t n, const double *d, int64_t others, const double *t)
{
    int exponent;
    frexp(largest_of(others, t, largest_of(n, d, 0)), &exponent);
    return exponent;
}

static void scale(int64_t n, int exponent, double *x)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = ldexp(x[i], exponent);
}

/* c and s that turn (f, g), not both 0 and below 2^500, into (0, r). Small ones are scaled up
 * first: their squares would vanish, and where r is a subnormal number of a few bits, c^2 + s^2
 * would be as far from 1 as those bits leave it. */
static double rotation(double f, double g, double *c, double *s)
{
    double scale = fmax(fabs(f), fabs(g)) > 0x1p-450 ? 1 : 0x1p600;
    f *= scale;
    g *= scale;
    double r = sqrt(f * f + g * g);
    *c = g / r;
    *s = f / r;
    return r / scale;
}

MULTIVERSION static void turn_columns(int64_t rows, double c, double s, double *restrict left,
                                      double *restrict right)
{
    for (int64_t r = 0; r < rows; r++) {
        double a = left[r], b = right[r];
        left[r] = c * a - s * b;
        right[r] = s * a + c * b;
    }
}

/* Turn columns and rows i and i + 1 so that (f, g) becomes (0, r), for i = first and f and g given,
 * then for i = first - 1, ..., last with f = the entry beside the off-diagonal which that made in
 * row i, and g = T_{i+1,i+2}, until there is no such entry. The first r is returned. */
static double chase(struct turned T, int64_t first, int64_t last, double f, double g)
{
    double *d = T.d, *t = T.t, first_r = g;
    for (int64_t i = first; i >= last && f != 0; i--) {
        double c, s, r = rotation(f, g, &c, &s);
        if (i == first)
            first_r = r;
        else
            t[i + 1] = r;
        double w = s * (d[i] - d[i + 1]) + 2 * c * t[i], moved = s * w;
        d[i] -= moved;
        d[i + 1] += moved;
        t[i] = c * w - t[i];
        g = t[i];
        f = 0;
        if (i > last) {
            f = s * t[i - 1];
            t[i - 1] = c * t[i - 1];
        }
        if (T.rows > 0)
            turn_columns(T.rows, c, s, T.z + T.rows * i, T.z + T.rows * (i + 1));
    }
    return first_r;
}

static bool negligible(struct turned T, int64_t i)
{
    double e = fabs(T.t[i]);
    return e <= UNIT * (fabs(T.d[i]) + fabs(T.d[i + 1])) || e <= VANISHING;
}

/* The last row of the block of first, which ends where the off-diagonal is negligible. */
static int64_t block_end(struct turned T, int64_t m, int64_t first)
{
    int64_t last = first;
    while (last < m - 1 && !negligible(T, last))
        last++;
    if (last < m - 1)
        T.t[last] = 0;
    return last;
}

/* The eigenvalue of the block's first two rows that is nearer to d[first]. */
static double wilkinson_shift(struct turned T, int64_t first)
{
    double e = T.t[first], half = (T.d[first + 1] - T.d[first]) / (2 * e);
    return T.d[first] - e / (half + copysign(sqrt(half * half + 1), half));
}

/* In ascending order, with their columns, by exchanges of neighbours, so equal ones keep their
 * order. */
static void sort(int64_t m, struct turned T)
{
    for (int64_t k = 1; k < m; k++)
        for (int64_t i = k - 1; i >= 0 && T.d[i + 1] < T.d[i]; i--) {
            double larger = T.d[i];
            T.d[i] = T.d[i + 1];
            T.d[i + 1] = larger;
            for (int64_t r = 0; r < T.rows; r++) {
                double moved = T.z[r + T.rows * i];
                T.z[r + T.rows * i] = T.z[r + T.rows * (i + 1)];
                T.z[r + T.rows * (i + 1)] = moved;
            }
        }
}

enum status tridiagonal_eigen(int64_t m, double *d, double *e, double *z, int64_t rows,
                              struct error *error)
{
    if (!all_finite(m, d) || !all_finite(m - 1, e))
        return error_set(error, STATUS_INPUT,
                         "a tridiagonal matrix of %lld rows has an entry that is not finite",
                         (long long)m);
    struct turned T = {d, e, z, rows};
    int exponent = exponent_of(m, d, m - 1, e);
    scale(m, -exponent, d);
    scale(m - 1, -exponent, e);
    int64_t steps = 0;
    for (int64_t first = 0; first < m; first++)
        for (int64_t last = block_end(T, m, first); last > first; last = block_end(T, m, first)) {
            if (steps++ == STEPS * m)
                return error_set(error, STATUS_INPUT,
                                 "%d steps of QL a row did not find the eigenvalues of a "
                                 "tridiagonal matrix of %lld "
                                 "rows",
                                 STEPS, (long long)m);
            chase(T, last - 1, first, e[last - 1], d[last] - wilkinson_shift(T, first));
        }
    scale(m, exponent, d);
    sort(m, T);
    return STATUS_OK;
}

void tridiagonal_from_arrow(int64_t k, double *d, double *b, double *z, int64_t rows)
{
    struct turned T = {d, b, z, rows};
    bool scaled = all_finite(k, d) && all_finite(k, b);
    int exponent = scaled ? exponent_of(k, d, k, b) : 0;
    scale(k, -exponent, d);
    scale(k, -exponent, b);
    for (int64_t j = 0; j + 1 < k; j++) {
        double f = b[j];
        b[j] = 0; /* from here on T_{j,j+1} */
        b[j + 1] = chase(T, j, 0, f, b[j + 1]);
    }
    scale(k, exponent, d);
    scale(k, exponent, b);
}
