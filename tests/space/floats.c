#include "space/floats.h"

#include "support.h"

#include <float.h>
#include <math.h>

static const struct {
    double of;
    float nearest;
} table[] = {
    {0.0, 0.0F},
    {-0.0, -0.0F},
    {NAN, NAN},
    {INFINITY, INFINITY},
    {-INFINITY, -INFINITY},
    {0x1.000001p0, 1.0F}, /* halfway, down to even */
    {-0x1.000001p0, -1.0F},
    {0x1.000003p0, 0x1.000004p0F}, /* halfway, up to even */
    {-0x1.000003p0, -0x1.000004p0F},
    {0x1.0000010000001p0, 0x1.000002p0F}, /* a little above halfway, and below */
    {0x1.0000030000001p0, 0x1.000004p0F},
    {0x1.0000008p0, 1.0F},
    {0x1.0000029999999p0, 0x1.000002p0F},
    {0x1.fffffep127, FLT_MAX},
    {0x1.fffffeffffffp127, FLT_MAX},
    {0x1.ffffffp127, INFINITY}, /* halfway to what there is not */
    {-1e300, -INFINITY},
    {0x1p-150, 0.0F}, /* halfway to the least subnormal */
    {-0x1p-150, -0.0F},
    {0x1.0000000000001p-150, 0x1p-149F},
    {0x1.8p-149, 0x1p-148F},
    {0x1.8p-128, 0x1.8p-128F},
    {1e-300, 0.0F},
    {-4.9406564584124654e-324, -0.0F},
    {0x1.fffffffffffffp-127, 0x1p-126F},
};
enum { CASES = sizeof table / sizeof *table };

/* Two of three elements, at places that wander from tile to tile. */
static int64_t case_of(int64_t i)
{
    return i % 3 == 2 ? -1 : (i + i / 3) % CASES;
}

void floats_doubles(int64_t n, double *x, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = case_of(i) >= 0
                   ? table[case_of(i)].of
                   : ldexp(2 * test_random(state) - 1, (int)test_random_below(state, 290) - 155);
}

/* No other float is nearer than y, which is finite for these. */
static bool is_nearest(double x, float y)
{
    double off = fabs(x - (double)y);
    return off <= fabs(x - (double)nextafterf(y, INFINITY)) &&
           off <= fabs(x - (double)nextafterf(y, -INFINITY));
}

void floats_expect(int64_t n, const double *x, const float *y)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t k = case_of(i);
        bool right = k < 0 ? isinf(y[i]) ? fabs(x[i]) >= 0x1.ffffffp127 : is_nearest(x[i], y[i])
                     : isnan(table[k].nearest) ? isnan(y[i])
                                               : y[i] == table[k].nearest;
        if (!right || (!isnan(x[i]) && !signbit(y[i]) != !signbit(x[i])))
            ck_abort_msg("place %d: %a became %a", (int)i, x[i], (double)y[i]);
    }
}
