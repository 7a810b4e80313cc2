#include "space/exact.h"

#include "support.h"

#include <math.h>
#include <string.h>

enum { LOWEST = -2200, PLACES = 4400 };

/* The places of the set bits of v, whose sign is left out; returns how many. */
static int set_bits(double v, int places[53])
{
    int exponent, count = 0;
    double fraction = frexp(fabs(v), &exponent);
    for (int place = exponent - 1; fraction > 0; place--) {
        fraction *= 2;
        if (fraction >= 1) {
            places[count++] = place;
            fraction -= 1;
        }
    }
    return count;
}

/* Carries the counts, so that each place holds 0 or 1; returns what is carried out of the last. */
static int64_t carry_counts(int64_t *counts)
{
    int64_t carry = 0;
    for (int k = 0; k < PLACES; k++) {
        int64_t sum = counts[k] + carry, bit = sum % 2 ? 1 : 0;
        counts[k] = bit;
        carry = (sum - bit) / 2;
    }
    return carry;
}

static double read_off(const int64_t *bits)
{
    int top = PLACES - 1;
    while (top >= 0 && !bits[top])
        top--;
    if (top < 0)
        return 0;
    int exponent = top + LOWEST, kept = exponent >= -1022 ? 53 : exponent + 1075;
    if (kept < 0)
        return 0;
    double value = 0;
    for (int k = 0; k < kept; k++)
        value = 2 * value + (double)bits[top - k];
    bool half = bits[top - kept], more = false;
    for (int k = top - kept - 1; k >= 0; k--)
        more |= bits[k];
    if (half && (more || fmod(value, 2) == 1))
        value += 1;
    return ldexp(value, exponent - kept + 1);
}

double exact_reference(int64_t n, const double *x, const double *y)
{
    static int64_t counts[PLACES];
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < n; i++) {
        int x_places[53], y_places[53], sign = !signbit(x[i]) == !signbit(y[i]) ? 1 : -1;
        int x_count = set_bits(x[i], x_places), y_count = set_bits(y[i], y_places);
        for (int a = 0; a < x_count; a++)
            for (int b = 0; b < y_count; b++)
                counts[x_places[a] + y_places[b] - LOWEST] += sign;
    }
    if (carry_counts(counts) == 0)
        return read_off(counts);
    for (int k = 0; k < PLACES; k++) /* negative: 0 - value */
        counts[k] = -counts[k];
    carry_counts(counts);
    return -read_off(counts);
}

static double uniform(uint64_t *state, int64_t binades)
{
    int64_t exponent = test_random_below(state, binades + 1) - binades / 2;
    return ldexp(2 * test_random(state) - 1, (int)exponent);
}

static double any_finite(uint64_t *state)
{
    uint64_t fraction = (uint64_t)test_random_below(state, INT64_C(1) << 52);
    uint64_t exponent = (uint64_t)test_random_below(state, 2047);
    uint64_t bits = fraction | exponent << 52 | (uint64_t)test_random_below(state, 2) << 63;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double element(enum exact_kind kind, uint64_t *state)
{
    switch (kind) {
    case EXACT_MODERATE:
        return uniform(state, 40);
    case EXACT_WIDE:
        return uniform(state, 100);
    case EXACT_VERY_WIDE:
        return uniform(state, 800);
    case EXACT_FULL:
        return any_finite(state);
    case EXACT_TINY:
        return ldexp(uniform(state, 60), -525);
    case EXACT_SPARSE:
        return test_random(state) < 0.02 ? uniform(state, 20) : test_random(state) < 0.5 ? 0 : -0.0;
    case EXACT_NOISE:
        return uniform(state, 4) * (test_random(state) < 0.01 ? 1 : 1e-17);
    default:
        return uniform(state, 0);
    }
}

void exact_vectors(enum exact_kind kind, int64_t n, double *x, double *y, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = element(kind, state);
        y[i] = element(kind, state);
    }
    if (kind != EXACT_CANCELLING && kind != EXACT_FULL)
        return;
    int64_t half = n / 2; /* the second half takes the first one back, elsewhere */
    for (int64_t i = 0; i < half; i++) {
        int64_t other = half + (i + 3) % half;
        bool kept = kind == EXACT_FULL && fabs(x[i]) < 0x1p500 && fabs(y[i]) < 0x1p500;
        x[other] = kept ? x[other] : -x[i];
        y[other] = kept ? y[other] : y[i];
        if (kept && !(fabs(x[other]) < 0x1p500 && fabs(y[other]) < 0x1p500))
            x[other] = y[other] = 0x1p-1060;
    }
    if (n % 2)
        x[n - 1] = y[n - 1] = 0x1.23456789abcdep-1;
}

void exact_shuffle(int64_t n, double *x, double *y, uint64_t *state)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t other = test_random_below(state, i + 1);
        double x_other = x[other], y_other = y[other];
        x[other] = x[i];
        y[other] = y[i];
        x[i] = x_other;
        y[i] = y_other;
    }
}
