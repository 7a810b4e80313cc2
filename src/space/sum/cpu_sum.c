#include "space/sum/cpu_sum.h"

#include "base/multiversion.h"

#include <math.h>

static inline double lanes_tree(double *lanes)
{
    for (int half = SUM_LANES / 2; half >= 1; half /= 2)
        for (int l = 0; l < half; l++)
            lanes[l] = lanes[l] + lanes[l + half];
    return lanes[0];
}

/* A group of lanes at a time, so that the compiler keeps them in registers from the first term of
 * the tile to the last. */
enum { GROUP = 16 };

MULTIVERSION double sum_tile_dot(const double *x, const double *y, int64_t count)
{
    double lanes[SUM_LANES] = {0};
    int64_t full = count / SUM_LANES * SUM_LANES;
    for (int group = 0; group < SUM_LANES; group += GROUP) {
        double s[GROUP] = {0};
        for (int64_t i = group; i < full; i += SUM_LANES)
            for (int l = 0; l < GROUP; l++)
                s[l] = fma(x[i + l], y[i + l], s[l]);
        for (int l = 0; l < GROUP; l++)
            lanes[group + l] = s[l];
    }
    for (int64_t i = full; i < count; i++)
        lanes[i - full] = fma(x[i], y[i], lanes[i - full]);
    return lanes_tree(lanes);
}

MULTIVERSION void sum_columns_add(const double *restrict x, const double *restrict y,
                                  int64_t stride, int64_t width, int64_t count,
                                  double *restrict lanes)
{
    int64_t together = SUM_LANES * stride, left = (count - 1) * stride + width;
    for (int64_t first = 0; first < left; first += together) {
        int64_t step = left - first < together ? left - first : together;
        for (int64_t t = 0; t < step; t++)
            lanes[t] = fma(x[first + t], y[first + t], lanes[t]);
    }
}

MULTIVERSION void sum_columns_tree(double *lanes, int64_t stride, int64_t width, double *sums)
{
    for (int64_t half = SUM_LANES / 2 * stride; half >= stride; half /= 2)
        for (int64_t t = 0; t < half; t++)
            lanes[t] = lanes[t] + lanes[t + half];
    for (int64_t c = 0; c < width; c++)
        sums[c] = lanes[c];
}

MULTIVERSION double sum_tile_terms(const double *terms, int64_t count)
{
    double lanes[SUM_LANES] = {0};
    for (int64_t i = 0; i < count; i++)
        lanes[i % SUM_LANES] += terms[i];
    return lanes_tree(lanes);
}

double sum_levels(double *terms, int64_t count)
{
    while (count > 1) {
        int64_t tiles = sum_tiles(count);
        for (int64_t tile = 0; tile < tiles; tile++) {
            int64_t begin = tile * SUM_TILE;
            terms[tile] =
                sum_tile_terms(terms + begin, count - begin < SUM_TILE ? count - begin : SUM_TILE);
        }
        count = tiles;
    }
    return count ? terms[0] + 0.0 : 0; /* not -0 */
}

static inline struct compensated compensated_tree(struct compensated *lanes)
{
    for (int half = SUM_LANES / 2; half >= 1; half /= 2)
        for (int l = 0; l < half; l++)
            lanes[l] = compensated_add(lanes[l], lanes[l + half].sum, lanes[l + half].error);
    return lanes[0];
}

MULTIVERSION struct compensated sum_tile_dot_compensated(const double *x, const double *y,
                                                         int64_t count)
{
    struct compensated lanes[SUM_LANES] = {{0, 0}};
    for (int64_t i = 0; i < count; i++)
        lanes[i % SUM_LANES] = compensated_add_product(lanes[i % SUM_LANES], x[i], y[i]);
    return compensated_tree(lanes);
}

struct compensated sum_tile_terms_compensated(const struct compensated *terms, int64_t count)
{
    struct compensated lanes[SUM_LANES] = {{0, 0}};
    for (int64_t i = 0; i < count; i++)
        lanes[i % SUM_LANES] = compensated_add(lanes[i % SUM_LANES], terms[i].sum, terms[i].error);
    return compensated_tree(lanes);
}

struct compensated sum_levels_compensated(struct compensated *terms, int64_t count)
{
    while (count > 1) {
        int64_t tiles = sum_tiles(count);
        for (int64_t tile = 0; tile < tiles; tile++) {
            int64_t begin = tile * SUM_TILE;
            int64_t length = count - begin < SUM_TILE ? count - begin : SUM_TILE;
            terms[tile] = sum_tile_terms_compensated(terms + begin, length);
        }
        count = tiles;
    }
    return count ? terms[0] : (struct compensated){0, 0};
}
