/* Sums by the code of the CPU's space, with one group of terms of each level at a time, so nothing
 * is allocated. */
#include "cgsolve/order.h"

#include "base/float_state.h"
#include "space/sum/cpu_sum.h"

#include <math.h>
#include <string.h>

/* The terms of a member of the top group, which has all n terms: SUM_TILE^k, and 1 for one tile. */
static int64_t member_of(int64_t n)
{
    int64_t member = 1;
    while ((n - 1) / member >= SUM_TILE)
        member *= SUM_TILE;
    return member;
}

static int64_t shorter(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The sum of a group: of x . y, or of x if y is NULL. */
static double group(int64_t n, int64_t member, const double *x, const double *y)
{
    double terms[SUM_TILE];
    int64_t count = 0;
    if (member == 1 && y)
        return sum_tile_dot(x, y, n);
    if (member == 1)
        memcpy(terms, x, (size_t)(count = n) * sizeof *x);
    for (int64_t i = 0; member > 1 && i < n; i += member)
        terms[count++] = group(shorter(member, n - i), member / SUM_TILE, x + i, y ? y + i : NULL);
    return sum_levels(terms, count);
}

static struct compensated group_compensated(int64_t n, int64_t member, const double *x,
                                            const double *y)
{
    struct compensated terms[SUM_TILE];
    int64_t count = 0;
    if (member == 1)
        return sum_tile_dot_compensated(x, y, n);
    for (int64_t i = 0; i < n; i += member)
        terms[count++] = group_compensated(shorter(member, n - i), member / SUM_TILE, x + i, y + i);
    return sum_levels_compensated(terms, count);
}

static double dot(int64_t n, const double *x, const double *y)
{
    return n > 0 ? group(n, member_of(n), x, y) + 0.0 : 0; /* not -0 */
}

static double norm(int64_t n, const double *x, const double *y)
{
    return sqrt(dot(n, x, y));
}

static double sum(int64_t n, const double *x, const double *y)
{
    return n > 0 ? group(n, member_of(n), x, y) : 0;
}

static double dot_compensated(int64_t n, const double *x, const double *y)
{
    if (n <= 0)
        return 0;
    struct compensated found = group_compensated(n, member_of(n), x, y);
    return found.sum + found.error;
}

static double in_default_state(double (*find)(int64_t, const double *, const double *), int64_t n,
                               const double *x, const double *y)
{
    fenv_t host;
    float_state_begin(&host);
    volatile double found = find(n, x, y);
    float_state_end(&host);
    return found;
}

double cgs_dot(int64_t n, const double *x, const double *y)
{
    return in_default_state(dot, n, x, y);
}

double cgs_norm(int64_t n, const double *x)
{
    return in_default_state(norm, n, x, x);
}

double cgs_sum(int64_t n, const double *x)
{
    return in_default_state(sum, n, x, NULL);
}

double cgs_dot_compensated(int64_t n, const double *x, const double *y)
{
    return in_default_state(dot_compensated, n, x, y);
}
