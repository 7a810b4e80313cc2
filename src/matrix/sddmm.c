#include "matrix/sddmm.h"

#include "base/multiversion.h"

#include <math.h>
#include <string.h>

/* The last row that begins at or before the entry. */
static int64_t row_of(const struct csr *pattern, int64_t entry)
{
    int64_t low = 0, high = pattern->n;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (pattern->offsets[middle] <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* `steps` steps of all lanes. A constant number keeps the vectors of the loop over the lanes in
 * registers. */
static inline void add_steps(double lanes[SDDMM_LANES], const double *x, const double *y, int steps)
{
    for (int l = 0; l < SDDMM_LANES; l++) {
        double s = lanes[l];
        for (int t = 0; t < steps; t++)
            s = fma(x[t * SDDMM_LANES + l], y[t * SDDMM_LANES + l], s);
        lanes[l] = s;
    }
}

static inline void add_columns(double lanes[SDDMM_LANES], const double *x, const double *y,
                               int64_t count)
{
    int64_t c = 0;
    for (; c + 4 * SDDMM_LANES <= count; c += 4 * SDDMM_LANES)
        add_steps(lanes, x + c, y + c, 4);
    if (c + 2 * SDDMM_LANES <= count) {
        add_steps(lanes, x + c, y + c, 2);
        c += 2 * SDDMM_LANES;
    }
    if (c + SDDMM_LANES <= count) {
        add_steps(lanes, x + c, y + c, 1);
        c += SDDMM_LANES;
    }
    for (int l = 0; c + l < count; l++)
        lanes[l] = fma(x[c + l], y[c + l], lanes[l]);
}

static inline double add_lanes(const double s[SDDMM_LANES])
{
    return (((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))) + 0;
}

/* A loop over the entries by rows: each gets the value of `product`, of the rows x_i and y_j. */
#define WALK(product)                                                                              \
    for (int64_t i = row_of(pattern, begin), k = begin; k < end; i++) {                            \
        int64_t to = pattern->offsets[i + 1] < end ? pattern->offsets[i + 1] : end;                \
        for (; k < to; k++) {                                                                      \
            int64_t j = pattern->columns[k];                                                       \
            values[k] = (product);                                                                 \
        }                                                                                          \
    }

static inline double product_of(const double *x, const double *y, int64_t columns)
{
    double s[SDDMM_LANES] = {0};
    add_columns(s, x, y, columns);
    return add_lanes(s);
}

static inline double product_of_groups(const struct sddmm_operands *of, int64_t i, int64_t j)
{
    double s[SDDMM_LANES] = {0};
    int64_t first = 0, group = of->group;
    for (; first + group <= of->columns; first += group)
        add_columns(s, of->x + first * of->n + i * group, of->y + first * of->width + j * group,
                    group);
    if (first < of->columns)
        add_columns(s, of->x + first * of->n + i * of->last,
                    of->y + first * of->width + j * of->last, of->columns - first);
    return add_lanes(s);
}

#define WALK_OF(count) WALK(product_of(of->x + i * count, of->y + j * count, count))

MULTIVERSION
void sddmm_entries(const struct csr *pattern, const struct sddmm_operands *of, int64_t begin,
                   int64_t end, double *values)
{
    switch (of->columns == of->last ? of->columns : 0) {
    case 1:
        WALK_OF(1) break;
    case 2:
        WALK_OF(2) break;
    case 4:
        WALK_OF(4) break;
    case 8:
        WALK_OF(8) break;
    case 16:
        WALK_OF(16) break;
    case 32:
        WALK_OF(32) break;
    default:
        WALK(product_of_groups(of, i, j))
    }
}
