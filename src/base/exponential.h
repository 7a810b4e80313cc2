/* e^x for x <= 0, with the same bits on every machine, unlike the exp() of C libraries. Only + - *
 * fma and the bits of an exponent are used.
 *
 *     k = the whole number nearest to x log2(e),   r = x - k ln(2),   e^x = 2^k e^r
 *
 * and e^r is its Taylor sum up to r^13 / 13!, as 1 + (r + r^2 q(r)) with q by Horner's rule. Below
 * -708, where e^x comes near the smallest normal number, the result is +0: none is subnormal, and
 * 2^k is exact. NaN gives NaN.
 *
 * The error is below 1.2 units in the last place of e^x. ln(2) is split into 32 bits and the rest.
 * k times the first is exact and so is x minus that, a multiple of 2^-54 below 1/2; the rest of
 * ln(2) is off by less than 2^-86. With u = 2^-53 and |r| < 0.3466, what e^r is off by is at most
 *
 *     rounding of r, u/4, times e^r     0.25 u where e^r < 1, else 0.36 u
 *     the sum's end, |r|^14 / 14!       0.04 u
 *     q: two roundings, at u/2 or less, and what Horner's rule brings to them; times r^2
 *                                       0.08 u
 *     r^2, times q < 0.57               0.04 u
 *     r + r^2 q, below 1/2              0.25 u
 *     1 + that                          0.50 u where e^r < 1, else 1 u
 *
 * together 1.16 u where a unit is u, and 1.77 u where it is 2 u. */
#ifndef BASE_EXPONENTIAL_H
#define BASE_EXPONENTIAL_H

#include "base/host_device.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define EXPONENTIAL_LEAST (-708.0)

/* x <= 0. */
CGSOLVE_HOST_AND_DEVICE static inline double exponential(double x)
{
    const double to_integer =
        0x1.8p52; /* doubles of that size are integers, and k is in their lowest
                                         bits */
    double shifted = fma(x, 0x1.71547652b82fep0, to_integer), k = shifted - to_integer;
    double r = fma(k, -0x1.a39ef35793c76p-33, fma(k, -0x1.62e42feep-1, x));
    double q = 0x1.6124613a86d09p-33; /* 1/13! */
    q = fma(q, r, 0x1.1eed8eff8d898p-29);
    q = fma(q, r, 0x1.ae64567f544e4p-26);
    q = fma(q, r, 0x1.27e4fb7789f5cp-22);
    q = fma(q, r, 0x1.71de3a556c734p-19);
    q = fma(q, r, 0x1.a01a01a01a01ap-16);
    q = fma(q, r, 0x1.a01a01a01a01ap-13);
    q = fma(q, r, 0x1.6c16c16c16c17p-10);
    q = fma(q, r, 0x1.1111111111111p-7);
    q = fma(q, r, 0x1.5555555555555p-5);
    q = fma(q, r, 0x1.5555555555555p-3);
    q = fma(q, r, 0.5);
    double of_r = 1 + fma(r * r, q, r), power;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&power, &bits, sizeof power);
    return x < EXPONENTIAL_LEAST ? 0 : of_r * power;
}

#endif
