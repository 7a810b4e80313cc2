/* Matrices from a sparsity pattern: a generator gives the columns row by row, and this file does
 * the rest, in parallel, with the same bits for any number of threads.
 *
 * kind = symmetric: the generator names the columns j > i of row i. Each pair i < j has a whole
 * number m_ij = 1 + (h mod 2^24), and
 *
 *     A[i][j] = -m_ij 2^-24,    A[i][i] = shift + 2^-24 (the sum of m_ij over the full row)
 *
 * so A is a weighted graph Laplacian with the smallest eigenvalue `shift`, up to the one rounding
 * of each diagonal entry, and every row is diagonally dominant. The sums are of whole numbers below
 * 2^53: their order does not matter.
 *
 * kind = general: the generator names the columns of the whole row, the diagonal only where its
 * graph has one, and A[i][j] = 2^-52 (h >> 11) - 1, uniform in [-1, 1). Only for products: nothing
 * is known of its eigenvalues.
 *
 * h = splitmix64(splitmix64(seed, 2 i + 1), j) (base/random.h); generators draw from even
 * numbers.
 *
 * rows = equal, of a general matrix: the same n, the same number of entries, also in each column,
 * but rows of equal length. The difference in speed shows the effect of the spread of lengths. All
 * columns are laid out in ascending order, k = 0 ... nnz - 1, each as often as it occurs, and dealt
 * like cards: k goes to hand k mod n, where it is entry number floor(k / n), and hand r is row
 * random_order(splitmix64(seed, 0)) of r (struct random_order). A column occurs in a row at most
 * once, so n times at most, and so no hand gets it twice; a hand gets its columns in ascending
 * order; the lengths differ by one at most. Neighbouring hands hold neighbouring columns, so the
 * hands are shuffled. The columns are no longer near the diagonal: compare with rows whose columns
 * lie anywhere.
 *
 * Time: two calls of the generator a row. Memory: the matrix and one word a row. */
#ifndef PROBLEM_PATTERN_H
#define PROBLEM_PATTERN_H

#include "base/component.h"
#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>
#include <stdio.h>

enum pattern_kind { PATTERN_SYMMETRIC, PATTERN_GENERAL };

enum pattern_rows { PATTERN_DRAWN, PATTERN_EQUAL };

/* What all generators of this kind have in common. */
struct pattern_options {
    enum pattern_kind kind;
    enum pattern_rows rows; /* PATTERN_EQUAL: general only */
    double shift;           /* 1e-10 to 1e100; of a symmetric one */
    int64_t seed;           /* >= 0 */
};

/* One row: the number of its columns and, unless `columns` is NULL, the columns, strictly
 * ascending; for a symmetric matrix only those beyond `row`. Called twice for each row, from any
 * thread, with equal results. */
typedef int64_t pattern_row(const void *generator, int64_t row, int32_t *columns);

/* Two helpers for such a function. The first inserts a column into an ascending list, unless the
 * list has it. */
static inline void pattern_insert(int64_t column, int64_t *sorted, int *count)
{
    int place = *count;
    while (place > 0 && sorted[place - 1] > column)
        place--;
    if (place > 0 && sorted[place - 1] == column)
        return;
    for (int later = (*count)++; later > place; later--)
        sorted[later] = sorted[later - 1];
    sorted[place] = column;
}

/* The second copies `count` columns, unless `columns` is NULL, and returns their number. */
static inline int64_t pattern_give(const int64_t *found, int count, int32_t *columns)
{
    for (int k = 0; columns && k < count; k++)
        columns[k] = (int32_t)found[k];
    return count;
}

/* The options are right (pattern_check). The caller owns A. Errors: STATUS_MEMORY. */
enum status pattern_create(const struct pattern_options *options, int64_t n, pattern_row *row,
                           const void *generator, struct csr *A, struct error *error);

/* The parameters of struct pattern_options, for the options of a problem; and those of problems
 * that are symmetric alone. */
extern const struct parameter pattern_parameters[], pattern_parameters_symmetric[];

/* The check of a component for them. */
const char *pattern_check(const struct pattern_options *options, const char **parameter);

/* ", shift 1, seed 1", for the description of a problem. */
void pattern_describe(const struct pattern_options *options, FILE *stream);

/* ---- a random numbering ---------------------------------------------------------------------- */

/* A random numbering that is a function of a seed: any thread asks for any place of it, in both
 * directions, and nothing is stored (random_permutation of base/random.h needs an array, and
 * makes it on one thread).
 *
 * A place is a number of b bits, 2^b >= n, of which the lower b / 2 are called r and the others l.
 * Rounds
 *
 *     r ^= splitmix64(seed, 4 l + 0);    l ^= splitmix64(seed, 4 r + 1)
 *     r ^= splitmix64(seed, 4 l + 2);    l ^= splitmix64(seed, 4 r + 3)
 *
 * each cut to the bits of what it changes, are a permutation of the numbers below 2^b (Luby and
 * Rackoff 1988), and repeated until the result is below n, one of 0 ... n - 1 (Black and Rogaway
 * 2002, section 3). 2^b < 2 n for n > 2, so that takes two repetitions on average at most. */
struct random_order {
    uint64_t seed;
    int64_t n;
    int low, high; /* bits of r and of l */
};

/* Of 0 ... n - 1, 1 <= n <= INT32_MAX. */
struct random_order random_order_make(uint64_t seed, int64_t n);

/* The number of a place, and the place of a number. */
int64_t random_order_at(const struct random_order *order, int64_t place);
int64_t random_order_of(const struct random_order *order, int64_t number);

#endif
