/* The fast path of an exact sum: floating-point additions cut the products of one tile into
 * integers, with one unit for each of a few levels.
 *
 * A level holds a double between 2^52 u and 2^53 u: 1.5 2^52 u and an integer of its unit u. The
 * rounded addition of p to that `sum`,
 *
 *     sum' = fl(sum + p),  taken = sum' - sum,  rest = p - taken
 *
 * takes from p the nearest multiple of u, and leaves |rest| <= u / 2; both differences are exact
 * (Rump, Ogita, Oishi 2008, Accurate floating-point summation I, section 3; the three operations a
 * level are the deposit of Demmel, Ahrens, Nguyen 2016, Efficient reproducible floating point
 * summation and BLAS). Level k has the unit u_k = 2^(unit - EXACT_LEVEL k); the rest of one level
 * goes to the next. A product enters as head fl(x y) and tail fma(x, y, -head). Its sum is exact
 * when nothing is left of either below the last level, when no head is above the first, and when
 * the tail is exact. Otherwise the result for the tile is dropped, and it is added in another way:
 * so the units affect the speed of a sum, and never its bits.
 *
 * Room: |head| <= 2^(EXACT_LEVEL - 1) u_0 by the choice of the unit, |tail| <= 2^-53 |head|, and
 * |rest of level k - 1| <= 2^(EXACT_LEVEL - 1) u_k, so the integer of a level stays below 2^51 for
 * EXACT_WINDOW_TERMS products, each with two numbers: 2 63 2^44 < 2^51.
 *
 * Range: with u_last >= 2^-960 a head that leaves nothing is 0 or >= 2^-960, and the tail of such a
 * product, a multiple of 2^-1066, is exact. A head of 0 is the product only where a factor is 0:
 * exact_window_vanished.
 *
 * Cost of a product, with L levels: 2 + 3 (2 L - 1) floating-point operations, 23 with 4 and 47
 * with 8, and about ten to look at the exponent, at what is left and at heads of 0. */
#ifndef SPACE_SUM_EXACT_WINDOW_H
#define SPACE_SUM_EXACT_WINDOW_H

#include "space/sum/exact_sum.h"

enum {
    EXACT_LEVEL = 45, /* bits of a level */
    EXACT_LEVELS = 4, /* as a rule: 180 bits, so products down to 2^-73 of the tile's largest fit */
    EXACT_MOST_LEVELS = 8, /* for the tiles that need them: down to 2^-253 */
    EXACT_WINDOW_TERMS = 63,
    EXACT_NO_UNIT = INT32_MIN,
};

/* The unit for products whose heads are at most `largest`, given as its bits without the sign, in
 * that many levels; EXACT_NO_UNIT when it is not finite or too large or too small for a window. */
CGSOLVE_HOST_AND_DEVICE static inline int exact_window_unit(uint64_t largest, int levels)
{
    int exponent = (int)(largest >> 52) - 1023;
    int unit = exponent + 2 - EXACT_LEVEL;
    return exponent <= 1000 && unit - EXACT_LEVEL * (levels - 1) >= -960 ? unit : EXACT_NO_UNIT;
}

/* The initial value of a level with that unit: 1.5 2^52 units. */
CGSOLVE_HOST_AND_DEVICE static inline double exact_window_begin(int unit)
{
    return exact_from_bits((uint64_t)(1023 + 52 + unit) << 52 | UINT64_C(1) << 51);
}

/* Takes from p what fits the unit of the level, and returns what is left. */
CGSOLVE_HOST_AND_DEVICE static inline double exact_window_take(double *level, double p)
{
    double sum = *level + p, taken = sum - *level;
    *level = sum;
    return p - taken;
}

/* How many units a level has taken: neighbouring doubles of one binade differ by 1 in their
 * bits. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t exact_window_taken(double level, double begin)
{
    return (int64_t)exact_bits(level) - (int64_t)exact_bits(begin);
}

/* Whether the head of x y is 0 though x y is not. */
CGSOLVE_HOST_AND_DEVICE static inline bool exact_window_vanished(double x, double y, double head)
{
    return (head == 0) & (x != 0) & (y != 0);
}

#endif
