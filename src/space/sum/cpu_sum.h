/* The sums of space/sum/sum_order.h on the CPU, tile by tile, for the space and for kernels with a
 * fused dot product. */
#ifndef SPACE_SUM_CPU_SUM_H
#define SPACE_SUM_CPU_SUM_H

#include "space/sum/compensated.h"
#include "space/sum/sum_order.h"

#include <stdint.h>

/* x . y over one tile of count <= SUM_TILE terms. */
double sum_tile_dot(const double *x, const double *y, int64_t count);

/* The same for interleaved columns (spmv/operator.h): column c < width of row i is at x[i stride +
 * c]. Add the rows of a tile to lanes[SUM_LANES * stride], zeroed before, in portions of multiples
 * of SUM_LANES, the last one shorter; then the tree gives sums[width]. */
void sum_columns_add(const double *x, const double *y, int64_t stride, int64_t width, int64_t count,
                     double *lanes);
void sum_columns_tree(double *lanes, int64_t stride, int64_t width, double *sums);

/* The levels above: the sum of the tiles' sums. terms[count] is overwritten. */
double sum_levels(double *terms, int64_t count);
/* One tile of them, count <= SUM_TILE. */
double sum_tile_terms(const double *terms, int64_t count);

/* The same in about twice the working precision: Dot2 in the lanes (Ogita, Rump, Oishi 2005,
 * algorithm 5.3), and Knuth's TwoSum wherever two sums meet. */
struct compensated sum_tile_dot_compensated(const double *x, const double *y, int64_t count);
struct compensated sum_levels_compensated(struct compensated *terms, int64_t count);
struct compensated sum_tile_terms_compensated(const struct compensated *terms, int64_t count);

#endif
