/* The order of space/sum/sum_order.h, followed here word by word, against the fast one; and the
 * compensated sums against exactly known results. */
#include "support.h"

#include "space/sum/cpu_sum.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Ends of a lane, of a row of lanes, of a tile, of 480 tiles. */
static const int64_t lengths[] = {1,   2,   15,  16,   17,    31,     32,     33,     63,    64,
                                  65,  447, 448, 449,  479,   480,    481,    511,    512,   959,
                                  960, 961, 970, 4801, 15360, 230399, 230400, 230401, 500001};
enum { LENGTHS = sizeof lengths / sizeof *lengths, LONGEST = 500001, TILE = 480, LANES = 32 };

static double *vector(int64_t n)
{
    struct error error;
    double *v = memory_array(n, sizeof *v, "a test vector", &error);
    ck_assert_ptr_nonnull(v);
    return v;
}

/* Sizes from 2^-20 to 2^20, so that another order gives other bits. */
static void randomise(double *v, int64_t n, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = ldexp(2 * test_random(state) - 1, (int)(i % 41) - 20);
}

/* One tile of the terms x_i y_i, or of the numbers x_i when y is NULL, that begins at i = first. */
static double tile(const double *x, const double *y, int64_t n, int64_t first)
{
    double s[LANES];
    for (int64_t l = 0; l < LANES; l++) {
        s[l] = +0.0;
        for (int64_t i = first + l; i < n && i < first + TILE; i += LANES)
            s[l] = y ? fma(x[i], y[i], s[l]) : s[l] + x[i];
    }
    for (int h = LANES / 2; h >= 1; h /= 2)
        for (int l = 0; l < h; l++)
            s[l] = s[l] + s[l + h];
    return s[0];
}

/* The tiles of the tiles, and so on until one number is left. */
static double levels(const double *terms, int64_t n)
{
    if (n == 1)
        return terms[0] + 0.0;
    double *sums = vector(n / TILE + 1);
    int64_t count = 0;
    for (int64_t first = 0; first < n; first += TILE)
        sums[count++] = tile(terms, NULL, n, first);
    double total = levels(sums, count);
    memory_free(sums);
    return total;
}

static double reference(const double *x, const double *y, int64_t n)
{
    double *sums = vector(n / TILE + 1);
    int64_t count = 0;
    for (int64_t first = 0; first < n; first += TILE)
        sums[count++] = tile(x, y, n, first);
    double total = levels(sums, count);
    memory_free(sums);
    return total;
}

static double computed(const double *x, const double *y, int64_t n)
{
    int64_t tiles = sum_tiles(n);
    double *sums = vector(tiles);
    for (int64_t t = 0; t < tiles; t++)
        sums[t] = sum_tile_dot(x + t * TILE, y + t * TILE, t < tiles - 1 ? TILE : n - t * TILE);
    double total = sum_levels(sums, tiles);
    memory_free(sums);
    return total;
}

static double compensated(const double *x, const double *y, int64_t n)
{
    struct error error;
    int64_t tiles = sum_tiles(n);
    struct compensated *sums = memory_array(tiles, sizeof *sums, "the tiles", &error);
    for (int64_t t = 0; t < tiles; t++)
        sums[t] = sum_tile_dot_compensated(x + t * TILE, y + t * TILE,
                                           t < tiles - 1 ? TILE : n - t * TILE);
    struct compensated total = sum_levels_compensated(sums, tiles);
    memory_free(sums);
    return total.sum + total.error;
}

static void expect_bits(double got, double wanted, const char *what, int64_t n)
{
    ck_assert_msg(memcmp(&got, &wanted, sizeof got) == 0, "%s of %d: %a instead of %a", what,
                  (int)n, got, wanted);
}

START_TEST(the_constants_are_those_of_the_order)
{
    ck_assert_int_eq(SUM_TILE, TILE);
    ck_assert_int_eq(SUM_LANES, LANES);
    static const int64_t tiles[][2] = {{0, 0},   {1, 1},   {479, 1},      {480, 1},
                                       {481, 2}, {960, 2}, {230400, 480}, {230401, 481}};
    for (int k = 0; k < 8; k++)
        ck_assert_int_eq(sum_tiles(tiles[k][0]), tiles[k][1]);
    ck_assert_int_eq(sum_tiles(INT64_C(1) << 40), INT64_C(2290649225));
    struct compensated none = sum_levels_compensated(NULL, 0);
    ck_assert(sum_levels(NULL, 0) == 0 && none.sum == 0 && none.error == 0);
}
END_TEST

START_TEST(dots_follow_the_order)
{
    uint64_t state = test_seed();
    double *x = vector(LONGEST), *y = vector(LONGEST);
    randomise(x, LONGEST, &state);
    randomise(y, LONGEST, &state);
    for (int k = 0; k < LENGTHS; k++) {
        expect_bits(computed(x, y, lengths[k]), reference(x, y, lengths[k]), "dot", lengths[k]);
        expect_bits(computed(x, x, lengths[k]), reference(x, x, lengths[k]), "norm", lengths[k]);
    }
    memory_free(x);
    memory_free(y);
}
END_TEST

/* Every length of a tile, where the last lanes run out. */
START_TEST(every_tile_follows_the_order)
{
    uint64_t state = test_seed();
    double x[TILE], y[TILE];
    randomise(x, TILE, &state);
    randomise(y, TILE, &state);
    for (int64_t n = 1; n <= TILE; n++)
        expect_bits(sum_tile_dot(x, y, n), tile(x, y, n, 0), "tile", n);
    expect_bits(sum_tile_dot(x, y, 0), 0, "tile", 0);
}
END_TEST

START_TEST(sums_of_tiles_follow_the_order)
{
    uint64_t state = test_seed();
    double *terms = vector(LONGEST), *used = vector(LONGEST);
    randomise(terms, LONGEST, &state);
    for (int k = 0; k < LENGTHS; k++) {
        memcpy(used, terms, LONGEST * sizeof *terms);
        expect_bits(sum_levels(used, lengths[k]), levels(terms, lengths[k]), "sum", lengths[k]);
        ck_assert_mem_eq(used + lengths[k], terms + lengths[k],
                         (size_t)(LONGEST - lengths[k]) * sizeof *terms);
    }
    memory_free(terms);
    memory_free(used);
}
END_TEST

/* x'y of which every term but the last comes again with the other sign, elsewhere: the exact result
 * is the last product. Returns |x|'|y|. */
static double cancelling(double *x, double *y, int64_t half, double last, uint64_t *state)
{
    double magnitude = fabs(last);
    randomise(x, half, state);
    randomise(y, half, state);
    for (int64_t i = 0; i < half; i++) {
        int64_t other = half + (i + 5) % half;
        x[other] = -x[i];
        y[other] = y[i];
        magnitude += 2 * fabs(x[i] * y[i]);
    }
    x[2 * half] = last;
    y[2 * half] = 1;
    return magnitude;
}

/* |computed - exact| <= u |exact| + gamma_m^2 |x|'|y| (Ogita, Rump, Oishi 2005, proposition 5.5; m
 * roundings instead of n by the tree): 15 steps of a lane and 5 of the tree a level, each with four
 * additions of errors. */
START_TEST(compensated_dots_lose_nothing)
{
    uint64_t state = test_seed();
    double *x = vector(LONGEST), *y = vector(LONGEST);
    double worst_plain = 0;
    for (int k = 0; k < LENGTHS; k++) {
        int64_t half = lengths[k] / 2, n = 2 * half + 1;
        double exact = 0x1.23456789abcdep-3;
        double magnitude = cancelling(x, y, half, exact, &state);
        double gamma = 4 * 20 * 3 * DBL_EPSILON / 2;
        double bound = DBL_EPSILON / 2 * exact + gamma * gamma * magnitude;
        double error = fabs(compensated(x, y, n) - exact);
        ck_assert_msg(error <= bound, "n = %d: error %g, bound %g", (int)n, error, bound);
        worst_plain = fmax(worst_plain, fabs(computed(x, y, n) - exact));
    }
    ck_assert_msg(worst_plain > 1e-6, "the case is not ill-conditioned: %g", worst_plain);
    memory_free(x);
    memory_free(y);
}
END_TEST

/* On terms that do not cancel it is the rounded exact sum or its neighbour. */
START_TEST(compensated_dots_are_nearly_correctly_rounded)
{
    uint64_t state = test_seed();
    double *x = vector(LONGEST);
    randomise(x, LONGEST, &state);
    for (int k = 0; k < LENGTHS; k++) {
        double rounded = 0, lost = 0; /* Kahan's cascade of exact steps, one term after the other */
        for (int64_t i = 0; i < lengths[k]; i++) {
            double product = x[i] * x[i], sum = rounded + product;
            lost += (rounded > product ? rounded - sum + product : product - sum + rounded) +
                    fma(x[i], x[i], -product);
            rounded = sum;
        }
        ck_assert_double_eq_tol(compensated(x, x, lengths[k]), rounded + lost,
                                DBL_EPSILON * rounded);
    }
    memory_free(x);
}
END_TEST

/* Inputs that every machine makes alike, and results that rational arithmetic gave, rounded where
 * the order rounds, the last one once at the end: a compiler or processor with other bits breaks
 * the promise. */
START_TEST(the_bits_are_pinned)
{
    uint64_t state = 20240229;
    double *x = vector(LONGEST), *y = vector(LONGEST);
    randomise(x, LONGEST, &state);
    randomise(y, LONGEST, &state);
    expect_bits(computed(x, y, 470), 0x1.48c58a8a70e9bp+41, "pinned dot", 470);
    expect_bits(computed(x, y, LONGEST), 0x1.e382079b6f389p+44, "pinned dot", LONGEST);
    expect_bits(compensated(x, y, LONGEST), 0x1.e382079b6f386p+44, "pinned compensated dot",
                LONGEST);
    memory_free(x);
    memory_free(y);
}
END_TEST

/* Products that underflow to -0 in every lane of the last tile, which up to TILE is the only
 * one. */
START_TEST(zero_is_positive)
{
    for (int64_t n = 1; n <= 2 * TILE; n++) {
        double *x = vector(n), *y = vector(n);
        for (int64_t i = 0; i < n; i++) {
            x[i] = -1e-200;
            y[i] = 1e-200;
        }
        double sum = computed(x, y, n);
        ck_assert_msg(sum == 0 && !signbit(sum), "n = %d: %a", (int)n, sum);
        memory_free(x);
        memory_free(y);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_constants_are_those_of_the_order,
                            dots_follow_the_order,
                            every_tile_follows_the_order,
                            sums_of_tiles_follow_the_order,
                            compensated_dots_lose_nothing,
                            compensated_dots_are_nearly_correctly_rounded,
                            the_bits_are_pinned,
                            zero_is_positive,
                            NULL};
    return suite_of("space/cpu_sum", tests);
}
