#include "space/sum/cpu_exact.h"

#include "base/multiversion.h"
#include "space/sum/exact_window.h"

/* A tile has at most PART products: LANES sums of at most EXACT_WINDOW_TERMS in each level. */
enum { LANES = 8, PART = 480 };

_Static_assert(PART % LANES == 0 && PART / LANES <= EXACT_WINDOW_TERMS, "a level has room");

/* The largest |fl(x_i y_i)|, as its bits; not below infinity's when there is one or a NaN. */
MULTIVERSION static int64_t largest_head(const double *x, const double *y, int64_t count)
{
    int64_t largest = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t head = (int64_t)(exact_bits(x[i] * y[i]) & INT64_MAX);
        largest = head > largest ? head : largest;
    }
    return largest;
}

/* The units that each level takes from `count` products, a multiple of LANES; false if a rest is
 * left. It must be inlined, so that the number of levels is a constant, and the loops are compiled
 * for the caller's instruction set. */
__attribute__((always_inline)) static inline bool
take_products(const double *x, const double *y, int64_t count, int unit, int64_t *taken, int levels)
{
    double begin[EXACT_MOST_LEVELS], level[EXACT_MOST_LEVELS][LANES];
    uint64_t left[LANES] = {0};
    for (int k = 0; k < levels; k++) {
        begin[k] = exact_window_begin(unit - EXACT_LEVEL * k);
        for (int l = 0; l < LANES; l++)
            level[k][l] = begin[k];
    }
    for (int64_t i = 0; i < count; i += LANES)
        for (int l = 0; l < LANES; l++) {
            double head = x[i + l] * y[i + l], tail = fma(x[i + l], y[i + l], -head);
            uint64_t vanished = exact_window_vanished(x[i + l], y[i + l], head);
            head = exact_window_take(&level[0][l], head);
            for (int k = 1; k < levels; k++) {
                head = exact_window_take(&level[k][l], head);
                tail = exact_window_take(&level[k][l], tail);
            }
            left[l] |= exact_bits(head) << 1 | exact_bits(tail) << 1 | vanished;
        }
    uint64_t left_of_all = 0;
    for (int l = 0; l < LANES; l++)
        left_of_all |= left[l];
    for (int k = 0; k < levels; k++) {
        taken[k] = 0;
        for (int l = 0; l < LANES; l++)
            taken[k] += exact_window_taken(level[k][l], begin[k]);
    }
    return left_of_all == 0;
}

MULTIVERSION static bool take_in_few_levels(const double *x, const double *y, int64_t count,
                                            int unit, int64_t *taken)
{
    return take_products(x, y, count, unit, taken, EXACT_LEVELS);
}

MULTIVERSION static bool take_in_most_levels(const double *x, const double *y, int64_t count,
                                             int unit, int64_t *taken)
{
    return take_products(x, y, count, unit, taken, EXACT_MOST_LEVELS);
}

/* Adds through a window of doubles with that many levels. `largest` is the largest product. False,
 * and nothing added, if the products do not fit. */
static bool add_fast(struct exact_sum *sum, const double *x, const double *y, int64_t count,
                     int64_t largest, int levels)
{
    bool (*take)(const double *, const double *, int64_t, int, int64_t *) =
        levels == EXACT_LEVELS ? take_in_few_levels : take_in_most_levels;
    int64_t taken[EXACT_MOST_LEVELS], rest[EXACT_MOST_LEVELS] = {0};
    int64_t full = count / LANES * LANES;
    int unit = exact_window_unit((uint64_t)largest, levels);
    if (unit == EXACT_NO_UNIT || !take(x, y, full, unit, taken))
        return false;
    if (full < count) {
        double x_rest[LANES] = {0}, y_rest[LANES] = {0};
        memcpy(x_rest, x + full, (size_t)(count - full) * sizeof *x);
        memcpy(y_rest, y + full, (size_t)(count - full) * sizeof *y);
        if (!take(x_rest, y_rest, LANES, unit, rest))
            return false;
    }
    for (int k = 0; k < levels; k++) {
        struct exact_term term = exact_integer(taken[k] + rest[k], unit - EXACT_LEVEL * k);
        exact_add(sum->limbs, EXACT_LOWEST, &term);
    }
    return true;
}

static void add_each(struct exact_sum *sum, const double *x, const double *y, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        struct exact_term term;
        unsigned int special = exact_multiply(x[i], y[i], &term);
        sum->special |= special;
        if (!special)
            exact_add(sum->limbs, EXACT_LOWEST, &term);
    }
}

static void make_room(struct exact_sum *sum, int64_t additions)
{
    sum->additions += additions;
    if (sum->additions <= EXACT_ADDITIONS)
        return;
    exact_settle(sum->limbs, EXACT_LIMBS);
    sum->additions = 1 + additions;
}

void exact_sum_dot(struct exact_sum *sum, const double *x, const double *y, int64_t count)
{
    for (int64_t i = 0; i < count; i += PART) {
        int64_t part = count - i < PART ? count - i : PART;
        make_room(sum, part > EXACT_MOST_LEVELS ? part : EXACT_MOST_LEVELS);
        int64_t largest = largest_head(x + i, y + i, part);
        if (!add_fast(sum, x + i, y + i, part, largest, EXACT_LEVELS) &&
            !add_fast(sum, x + i, y + i, part, largest, EXACT_MOST_LEVELS))
            add_each(sum, x + i, y + i, part);
    }
}

void exact_sum_join(struct exact_sum *sum, struct exact_sum *from)
{
    exact_settle(from->limbs, EXACT_LIMBS);
    from->additions = 1;
    make_room(sum, 1);
    exact_merge(sum->limbs, from->limbs, EXACT_LIMBS);
    sum->special |= from->special;
}

double exact_sum_round(struct exact_sum *sum)
{
    return exact_result(sum->limbs, EXACT_LIMBS, EXACT_LOWEST, sum->special);
}
