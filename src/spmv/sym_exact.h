/* How the kernels *_sym_exact sum a row: y_i is the exact sum of the exact products a_ij x_j, rounded
 * once to nearest even, with NaN and infinities as space/exact_sum.h has them. The sum is exact, so
 * neither the order of the products nor the way that they are added has a part in the bits.
 *
 * The fast way, sym_exact_triple: three doubles whose sum is the row's sum so far. A product enters as
 * head fl(a x) and tail fma(a, x, -head), which goes one double further down (TwoProduct); each addition
 * hands what it lost to the next double (TwoSum, Knuth; SumK of Ogita, Rump, Oishi 2005, Accurate sum
 * and dot product, algorithm 4.8). Nothing need be known of the exponents. The triple is the
 * exact sum if nothing is left behind the third double, if every tail is exact (it is for |head| >=
 * 2^-960, the product being a multiple of 2^-1066 then, and for a factor of 0), and if nothing
 * overflowed, which leaves a number that is not finite in the triple or behind it. Products within about
 * 2^45 of the row's largest keep to that.
 * Three doubles are rounded once by rounding the lower two to odd (Boldo, Melquiond 2008, Emulation of
 * FMA and correctly rounded sums: proved algorithms using rounding to odd). Let v be m + l rounded to
 * odd, not exact, and |v| <= 2^-10 |h|. Then h and all numbers in the middle of two neighbouring
 * doubles near h + v are even multiples of the unit u of v, h + v an odd one, and h + m + l is nearer
 * to it than u: no such number lies between, and both are rounded alike. That is checked, not assumed.
 *
 * The other way, sym_exact_window, for a row where any of this fails: the row is walked twice, once
 * for the exponents, and once into a window of as many limbs of space/exact_sum.h as they ask for.
 *
 * Cost: 32 floating-point operations a product and 25 a row; the other way about 90 integer
 * operations a product, and 10 a limb. */
#ifndef SPMV_SYM_EXACT_H
#define SPMV_SYM_EXACT_H

#include "space/exact_sum.h"

/* Zeroed, it is an empty sum. */
struct sym_exact_triple {
    double high, middle, low; /* the sum of what was added */
    uint64_t left; /* but for its first bit not 0: it is not, and the row has to be walked again */
};

/* *sum + p, and what that lost. */
CGSOLVE_HOST_AND_DEVICE static inline double sym_exact_two_sum(double *sum, double p)
{
    double next = *sum + p, part = next - *sum;
    double lost = (*sum - (next - part)) + (p - part);
    *sum = next;
    return lost;
}

CGSOLVE_HOST_AND_DEVICE static inline void sym_exact_triple_add(struct sym_exact_triple *triple,
                                                                double a, double x)
{
    const uint64_t least = (uint64_t)(1023 - 960) << 53; /* 2^-960, its sign shifted out */
    double head = a * x, tail = fma(a, x, -head);
    triple->left |= (exact_bits(head) << 1 < least) & (a != 0) & (x != 0);
    head = sym_exact_two_sum(&triple->high, head);
    head = sym_exact_two_sum(&triple->middle, head);
    tail = sym_exact_two_sum(&triple->middle, tail);
    head = sym_exact_two_sum(&triple->low, head);
    tail = sym_exact_two_sum(&triple->low, tail);
    triple->left |= exact_bits(head) << 1 | exact_bits(tail) << 1;
}

/* Whether the triple is the sum and could be rounded; *y is it then, and else it is of no use. */
CGSOLVE_HOST_AND_DEVICE static inline bool
sym_exact_triple_round(const struct sym_exact_triple *triple, double *y)
{
    double high = triple->high, middle = triple->middle, low = triple->low;
    bool fits = triple->left == 0 && fabs(high) + fabs(middle) + fabs(low) < 0x1p1000;
    low = sym_exact_two_sum(&middle, low);
    middle = sym_exact_two_sum(&high, middle);
    double rest = sym_exact_two_sum(&middle, low);
    uint64_t odd = exact_bits(middle);
    if (rest != 0 && !(odd & 1))
        odd = (rest > 0) == (middle > 0) ? odd + 1 : odd - 1;
    middle = exact_from_bits(odd);
    double sum = high + middle;
    *y = sum == 0 ? 0 : sum; /* never -0: a sum of doubles is 0 only where it is exact */
    return fits & ((rest == 0) | (fabs(middle) <= 0x1p-10 * fabs(high)));
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
