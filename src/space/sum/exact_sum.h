/* Sums of products without any rounding but one, at the end: a fixed-point accumulator so wide that
 * it holds every product of two doubles as an integer (Kulisch 2013, Computer Arithmetic and
 * Validity, chapter 8), kept as digits with room for carries, the "small superaccumulator" of Neal
 * 2015 (Fast exact summation using small and large superaccumulators, arXiv:1505.05571)
 * with terms of 106 bits instead of 53.
 *
 * A window is an array of `count` limbs of 64 bits, signed, and a number `lowest`:
 *
 *     value = sum over j of limb[j] 2^(lowest + 32 j)
 *
 * A limb holds a digit of 32 bits and 31 bits of carries: an addition changes each limb by less
 * than 2^32, so EXACT_ADDITIONS of them fit, in any order, into limbs that were zero, without a
 * carry moved; after exact_settle (which counts for one addition) as many again but one. All of it
 * is addition of integers, which is associative and commutative: the value, and the bits of what it
 * is rounded to, depend on the terms as a multiset alone, and not on order, threads, tiles or
 * devices. Integer atomics keep that.
 *
 * Every product of two finite doubles is an integer below 2^106 times 2^e with -2148 <= e <= 1942,
 * so the window of EXACT_LIMBS limbs from EXACT_LOWEST takes them all, and 2^63 of them do not fill
 * it. If the exponents of the terms are known, a smaller window suffices: it takes a term if
 *
 *     lowest <= term.exponent < lowest + 32 (count - EXACT_TERM_LIMBS + 1)
 *
 * which the caller must ensure: nothing here checks it. The value itself may outgrow the digits:
 * the last limb keeps what lies above them, up to the limit of additions.
 *
 * Not a number and infinities are no terms. exact_multiply says what such a product is, as bits
 * that are joined by "or", again in any order: NaN if a factor is, or for 0 times infinity; the sum
 * is NaN with any of these or with infinities of both signs, else the infinity. Products that
 * overflow a double are terms like others: only the sum is rounded, once, to nearest even, to
 * infinity from 2^1024 - 2^970 on, and to subnormals as to the others. An exact zero is +0, also as
 * a sum of -0s; a negative sum that rounds to zero gives -0.
 *
 * Cost of a term: 2 decodings, a product of 64 by 64 bits, 5 additions to memory, about 50 integer
 * operations; of a rounding about 6 a limb. */
#ifndef SPACE_SUM_EXACT_SUM_H
#define SPACE_SUM_EXACT_SUM_H

#include "base/host_device.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    EXACT_DIGIT = 32, /* bits */
    EXACT_LOWEST = -2148,
    EXACT_LIMBS = 134, /* (2148 + 2048 + 63) / 32, rounded up */
    EXACT_TERM_LIMBS = 5,
    EXACT_ADDITIONS = INT32_MAX,
};

/* Products that are no terms. */
enum {
    EXACT_NAN = 1,
    EXACT_PLUS_INFINITY = 2,
    EXACT_MINUS_INFINITY = 4,
};

/* +-(high 2^64 + low) 2^exponent; high 2^64 + low < 2^106 */
struct exact_term {
    uint64_t high, low;
    int exponent;
    bool negative;
};

CGSOLVE_HOST_AND_DEVICE static inline uint64_t exact_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

CGSOLVE_HOST_AND_DEVICE static inline double exact_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* x y, exactly, subnormal factors included. Returns 0; or what x y is instead of a term, an
 * EXACT_..., and then leaves *term alone. Unlike the pair of x * y and its error by fma(), the
 * product of the significands loses nothing when x y is tiny or huge. */
CGSOLVE_HOST_AND_DEVICE static inline unsigned int exact_multiply(double x, double y,
                                                                  struct exact_term *term)
{
    const uint64_t fraction = (UINT64_C(1) << 52) - 1;
    uint64_t a = exact_bits(x), b = exact_bits(y);
    int a_exponent = (int)(a >> 52 & 0x7ff), b_exponent = (int)(b >> 52 & 0x7ff);
    if (a_exponent == 0x7ff || b_exponent == 0x7ff) {
        double product = x * y;
        return isnan(product) ? EXACT_NAN
               : product > 0  ? EXACT_PLUS_INFINITY
                              : EXACT_MINUS_INFINITY;
    }
    uint64_t a_significand = (a & fraction) | (uint64_t)(a_exponent != 0) << 52;
    uint64_t b_significand = (b & fraction) | (uint64_t)(b_exponent != 0) << 52;
    term->low = a_significand * b_significand;
#ifdef __CUDA_ARCH__
    term->high = __umul64hi(a_significand, b_significand);
#else
    __extension__ unsigned __int128 product = (unsigned __int128)a_significand * b_significand;
    term->high = (uint64_t)(product >> 64);
#endif
    term->exponent = a_exponent + (a_exponent == 0) + b_exponent + (b_exponent == 0) - 2150;
    term->negative = (a ^ b) >> 63;
    return 0;
}

/* value 2^exponent */
CGSOLVE_HOST_AND_DEVICE static inline struct exact_term exact_integer(int64_t value, int exponent)
{
    struct exact_term term;
    term.high = 0;
    term.low = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    term.exponent = exponent;
    term.negative = value < 0;
    return term;
}

/* The term cut into what is to be added to limbs [first ... first + EXACT_TERM_LIMBS) of a window;
 * returns first. Each is below 2^32 in magnitude. For other additions, such as atomics. */
CGSOLVE_HOST_AND_DEVICE static inline int exact_digits(const struct exact_term *term, int lowest,
                                                       int64_t digits[EXACT_TERM_LIMBS])
{
    const uint64_t mask = UINT32_MAX;
    int offset = term->exponent - lowest, shift = offset % EXACT_DIGIT;
    uint64_t low = term->low << shift;
    uint64_t middle = term->high << shift | term->low >> 1 >> (63 - shift);
    uint64_t high = term->high >> 1 >> (63 - shift);
    const uint64_t unsigned_digits[EXACT_TERM_LIMBS] = {low & mask, low >> 32, middle & mask,
                                                        middle >> 32, high};
    int64_t sign = -(int64_t)term->negative;
    for (int k = 0; k < EXACT_TERM_LIMBS; k++)
        digits[k] = ((int64_t)unsigned_digits[k] ^ sign) - sign;
    return offset / EXACT_DIGIT;
}

CGSOLVE_HOST_AND_DEVICE static inline void exact_add(int64_t *limbs, int lowest,
                                                     const struct exact_term *term)
{
    int64_t digits[EXACT_TERM_LIMBS];
    int first = exact_digits(term, lowest, digits);
    for (int k = 0; k < EXACT_TERM_LIMBS; k++)
        limbs[first + k] += digits[k];
}

/* Adds the window `from` to `into`, of the same count and lowest: the additions made in both count
 * together. */
CGSOLVE_HOST_AND_DEVICE static inline void exact_merge(int64_t *into, const int64_t *from,
                                                       int count)
{
    for (int j = 0; j < count; j++)
        into[j] += from[j];
}

/* Moves the carries: every limb but the last becomes a digit of 0 ... 2^32 - 1, and the last has
 * what is above it, and the sign. Where |value| < 2^(lowest + 32 count), that is the one addition
 * which a settled window counts for. */
CGSOLVE_HOST_AND_DEVICE static inline void exact_settle(int64_t *limbs, int count)
{
    int64_t carry = 0;
    for (int j = 0; j < count - 1; j++) {
        int64_t sum = limbs[j] + carry;
        limbs[j] = sum & UINT32_MAX;
        carry = sum >> EXACT_DIGIT;
    }
    limbs[count - 1] += carry;
}

/* (-1)^negative significand 2^(exponent - 63), and something below its last bit where `more`: bit
 * 63 of the significand is set. The one rounding. */
CGSOLVE_HOST_AND_DEVICE static inline double exact_nearest(bool negative, uint64_t significand,
                                                           int exponent, bool more)
{
    uint64_t sign = (uint64_t)negative << 63, infinity = UINT64_C(0x7ff) << 52;
    if (exponent > 1023)
        return exact_from_bits(sign | infinity);
    if (exponent < -1075) /* below half of the least subnormal number */
        return exact_from_bits(sign);
    int dropped = exponent >= -1022 ? 11 : -1011 - exponent; /* 11 ... 64 bits */
    uint64_t kept = significand >> 1 >> (dropped - 1);
    uint64_t rest = significand << (64 - dropped), half = UINT64_C(1) << 63;
    uint64_t bits = kept + (exponent >= -1022 ? (uint64_t)(exponent + 1022) << 52 : 0);
    if (rest > half || (rest == half && (more || (kept & 1))))
        bits++; /* a carry goes up into the exponent, to infinity from the last one */
    return exact_from_bits(sign | bits);
}

/* The value of a window, rounded once to nearest, ties to even. The limbs are used up. A part of a
 * window may be given, with its own lowest, when the limbs beyond it are zero. */
CGSOLVE_HOST_AND_DEVICE static inline double exact_round(int64_t *limbs, int count, int lowest)
{
    int64_t above = 0; /* digit number `count`, with the sign of all */
    for (int j = 0; j < count; j++) {
        int64_t sum = limbs[j] + above;
        limbs[j] = sum & UINT32_MAX;
        above = sum >> EXACT_DIGIT;
    }
    bool negative = above < 0;
    if (negative) {
        int64_t carry = 1; /* -value = ~value + 1, digit by digit */
        for (int j = 0; j < count; j++) {
            int64_t sum = (limbs[j] ^ UINT32_MAX) + carry;
            limbs[j] = sum & UINT32_MAX;
            carry = sum >> EXACT_DIGIT;
        }
        above = ~above + carry;
    }
    int top = count;
    uint64_t digit = (uint64_t)above;
    while (digit == 0 && top > 0)
        digit = (uint64_t)limbs[--top];
    if (digit == 0)
        return 0;
    int zeros = 0;
    while (!(digit << zeros >> 31)) /* digit <= 2^31 + 1 at the top, else < 2^32 */
        zeros++;
    uint64_t next = top > 0 ? (uint64_t)limbs[top - 1] : 0;
    uint64_t last = top > 1 ? (uint64_t)limbs[top - 2] : 0;
    uint64_t significand = (digit << 32 | next) << zeros | last >> (32 - zeros);
    bool more = (last << zeros & UINT32_MAX) != 0;
    for (int j = top - 3; j >= 0 && !more; j--)
        more = limbs[j] != 0;
    return exact_nearest(negative, significand, lowest + EXACT_DIGIT * top + 31 - zeros, more);
}

/* The sum: that of the window, unless non-finite products (their kinds joined by "or") decide
 * it. */
CGSOLVE_HOST_AND_DEVICE static inline double exact_result(int64_t *limbs, int count, int lowest,
                                                          unsigned int special)
{
    const uint64_t infinity = UINT64_C(0x7ff) << 52;
    if (special == EXACT_PLUS_INFINITY)
        return exact_from_bits(infinity);
    if (special == EXACT_MINUS_INFINITY)
        return exact_from_bits(infinity | UINT64_C(1) << 63);
    if (special)
        return exact_from_bits(infinity | UINT64_C(1) << 51);
    return exact_round(limbs, count, lowest);
}

#endif
