/* How the kernels *_sym_exact sum a row: y_i is the exact sum of the exact products a_ij x_j,
 * rounded once to nearest even, with NaN and infinities as space/sum/exact_sum.h has them. The sum
 * is exact, so neither the order of the products nor the way that they are added has a part in the
 * bits.
 *
 * The fast way, sym_exact_parts: a few doubles whose sum is the row's sum so far. A product enters
 * as head fl(a x) and tail fma(a, x, -head), which goes one double further down (TwoProduct); each
 * addition hands what it lost to the next double (TwoSum, Knuth; SumK of Ogita, Rump, Oishi 2005,
 * Accurate sum and dot product, algorithm 4.8). Nothing need be known of the exponents. The doubles
 * are the exact sum if nothing is left behind the last one, if every tail is exact (it is for
 * |head| >= 2^-960, the product being a multiple of 2^-1066 then, and for a factor of 0), and if
 * nothing overflowed, which leaves a number that is not finite among them or behind them. Three of
 * them hold products down to about 2^-45 of the row's largest, six down to 2^-200.
 * They are rounded once by adding them from below, each sum rounded to odd (Boldo, Melquiond 2008,
 * Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd). Let v be
 * an inexact sum w rounded to odd, u the unit of its last place, and |v| <= 2^-10 |p|, p the part
 * above it. Then p, the doubles near p + v and the middles between them are even multiples of u,
 * p + v is an odd one, and p + w is nearer to it than u: none of them lies between, and both are
 * rounded alike. That |v| is so small is checked, not assumed.
 *
 * The other way, sym_exact_window, for a row where any of this fails: the row is walked twice, once
 * for the exponents, and once into a window of as many limbs of space/sum/exact_sum.h as they ask
 * for.
 *
 * Cost: 2 + 6 (2 parts - 1) floating-point operations a product, 32 with 3 and 68 with 6, and 25 or
 * 160 a row; the other way about 90 integer operations a product, and 10 a limb. */
#ifndef SPMV_SYMMETRIC_EXACT_SYM_EXACT_H
#define SPMV_SYMMETRIC_EXACT_SYM_EXACT_H

#include "space/sum/exact_sum.h"

enum { SYM_EXACT_FEW = 3, SYM_EXACT_MOST = 6 };

/* Zeroed, it is an empty sum. The number of parts in use is a constant wherever this is called, so
 * that they are registers. */
struct sym_exact_parts {
    double part[SYM_EXACT_MOST];
    uint64_t left; /* not 0: they are not the sum, and the row has to be walked again */
};

/* *sum + p, and what that lost. */
CGSOLVE_HOST_AND_DEVICE static inline double sym_exact_two_sum(double *sum, double p)
{
    double next = *sum + p, part = next - *sum;
    double lost = (*sum - (next - part)) + (p - part);
    *sum = next;
    return lost;
}

CGSOLVE_HOST_AND_DEVICE static inline void sym_exact_parts_add(struct sym_exact_parts *sum,
                                                               int parts, double a, double x)
{
    const uint64_t least = (uint64_t)(1023 - 960) << 53; /* 2^-960, its sign shifted out */
    double head = a * x, tail = fma(a, x, -head);
    sum->left |= (exact_bits(head) << 1 < least) & (a != 0) & (x != 0);
    head = sym_exact_two_sum(&sum->part[0], head);
    for (int k = 1; k < parts; k++) {
        head = sym_exact_two_sum(&sum->part[k], head);
        tail = sym_exact_two_sum(&sum->part[k], tail);
    }
    sum->left |= exact_bits(head) << 1 | exact_bits(tail) << 1;
}

/* Whether the parts are the sum and could be rounded; *y is it then, and else it is of no use. */
CGSOLVE_HOST_AND_DEVICE static inline bool sym_exact_parts_round(const struct sym_exact_parts *sum,
                                                                 int parts, double *y)
{
    double part[SYM_EXACT_MOST], size = 0;
    for (int k = 0; k < parts; k++) {
        part[k] = sum->part[k];
        size += fabs(part[k]);
    }
    bool fits = sum->left == 0 && size < 0x1p1000;
    for (int sweep = 2; sweep < parts; sweep++) /* they come to lie behind each other */
        for (int k = parts - 1; k > 0; k--)
            part[k] = sym_exact_two_sum(&part[k - 1], part[k]);
    double below = part[parts - 1];
    bool is_odd = false;
    for (int k = parts - 2; k > 0; k--) {
        double next = part[k], rest = sym_exact_two_sum(&next, below);
        fits &= !is_odd | (part[k] == 0) | (fabs(below) <= 0x1p-10 * fabs(part[k]));
        uint64_t odd = exact_bits(next);
        if (rest != 0 && !(odd & 1))
            odd = (rest > 0) == (next > 0) ? odd + 1 : odd - 1;
        below = exact_from_bits(odd);
        is_odd |= rest != 0;
    }
    double rounded = part[0] + below;
    *y = rounded == 0 ? 0 : rounded; /* never -0: a sum of doubles is 0 only where it is exact */
    return fits & (!is_odd | (fabs(below) <= 0x1p-10 * fabs(part[0])));
}

/* Every product of a row is visited twice, with sym_exact_window_open between. */
struct sym_exact_window {
    int lowest, highest, count; /* exponents of the terms that are not 0; limbs */
    bool is_open;
    unsigned int special;
    int64_t limbs[EXACT_LIMBS];
};

CGSOLVE_HOST_AND_DEVICE static inline void sym_exact_window_begin(struct sym_exact_window *window)
{
    window->lowest = INT32_MAX;
    window->highest = INT32_MIN;
    window->is_open = false;
    window->special = 0;
}

CGSOLVE_HOST_AND_DEVICE static inline void sym_exact_window_visit(struct sym_exact_window *window,
                                                                  double a, double x)
{
    struct exact_term term;
    unsigned int special = exact_multiply(a, x, &term);
    window->special |= special;
    if (special || (term.low | term.high) == 0)
        return;
    if (window->is_open) {
        exact_add(window->limbs, window->lowest, &term);
    } else {
        window->lowest = term.exponent < window->lowest ? term.exponent : window->lowest;
        window->highest = term.exponent > window->highest ? term.exponent : window->highest;
    }
}

/* A row has less than EXACT_ADDITIONS entries, so no carry needs to be moved before the end. */
CGSOLVE_HOST_AND_DEVICE static inline void sym_exact_window_open(struct sym_exact_window *window)
{
    if (window->highest < window->lowest)
        window->lowest = window->highest = 0;
    window->count = (window->highest - window->lowest) / EXACT_DIGIT + EXACT_TERM_LIMBS;
    window->is_open = true;
    for (int j = 0; j < window->count; j++)
        window->limbs[j] = 0;
}

CGSOLVE_HOST_AND_DEVICE static inline double sym_exact_window_round(struct sym_exact_window *window)
{
    return exact_result(window->limbs, window->count, window->lowest, window->special);
}

#endif
