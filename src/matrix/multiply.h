/* The two loops of csr_multiply for every precision: a macro defines the function `name` for stored
 * values of type Value, sums of type Sum, and vectors of type Vector, which is as wide as Sum. */
#ifndef MATRIX_MULTIPLY_H
#define MATRIX_MULTIPLY_H

#include "base/multiversion.h"
#include "matrix/csr.h"

#include <math.h>
#include <string.h>

/* fma(a, b, c), rounded to the type of c. */
#define CSR_FMA(a, b, c) _Generic((c), float : fmaf, double : fma)(a, b, c)

/* The rows begin <= i < end of a general matrix, one chain each. */
#define CSR_MULTIPLY_ROWS(name, Value, Sum, Vector)                                                \
    MULTIVERSION static void name(const struct csr *A, const Value *values, int64_t begin,         \
                                  int64_t end, const Vector *x, Vector *y)                         \
    {                                                                                              \
        for (int64_t i = begin; i < end; i++) {                                                    \
            Sum sum = 0;                                                                           \
            for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)                            \
                sum = CSR_FMA((Sum)values[k], (Sum)x[A->columns[k]], sum);                         \
            y[i] = sum;                                                                            \
        }                                                                                          \
    }

enum { CSR_ZERO_AHEAD = 4096 };

/* The upper triangle of a matrix, whose lower one is sign times that.
 *
 * Every entry right of the diagonal is used twice: in its own row, and in the row of its column,
 * which lies below and has so far met the columns left of i only. Each row's additions therefore
 * come in ascending column order, as if the full row were walked. y is zeroed just ahead of the
 * farthest column met, so that it passes through memory once. If rows have columns beyond the last
 * row, y has elements for these too. */
#define CSR_MULTIPLY_UPPER(name, Value, Sum, Vector)                                               \
    MULTIVERSION static void name(const struct csr *A, const Value *values, Sum sign,              \
                                  const Vector *x, Vector *y)                                      \
    {                                                                                              \
        int64_t zeroed = 0;                                                                        \
        for (int64_t i = 0; i < A->n; i++) {                                                       \
            int64_t k = A->offsets[i], end = A->offsets[i + 1], last = A->columns[end - 1];        \
            if (zeroed <= last) {                                                                  \
                int64_t all = A->width, left = all - last;                                         \
                int64_t ahead = left < CSR_ZERO_AHEAD ? all : last + CSR_ZERO_AHEAD;               \
                memset(y + zeroed, 0, (size_t)(ahead - zeroed) * sizeof *y);                       \
                zeroed = ahead;                                                                    \
            }                                                                                      \
            Sum mirrored = sign * (Sum)x[i];                                                       \
            Sum sum = CSR_FMA((Sum)values[k], (Sum)x[i], (Sum)y[i]);                               \
            for (k++; k < end; k++) {                                                              \
                int32_t j = A->columns[k];                                                         \
                sum = CSR_FMA((Sum)values[k], (Sum)x[j], sum);                                     \
                y[j] = CSR_FMA((Sum)values[k], mirrored, (Sum)y[j]);                               \
            }                                                                                      \
            y[i] = sum;                                                                            \
        }                                                                                          \
    }

#endif
