/* The sums of a kernel's precision, of numbers that are kept as double, for the twins in plain
 * C. */
#ifndef TESTS_SPMV_ROUNDED_H
#define TESTS_SPMV_ROUNDED_H

#include "spmv/kernel.h"

#include <math.h>
#include <stdint.h>

/* v as that precision rounds it before it computes: a value of A, an element of x. */
static inline double rounded_value(enum precision precision, double v)
{
    return precision == PRECISION_DOUBLE ? v : (double)(float)v;
}

static inline double rounded_x(enum precision precision, double v)
{
    return precision == PRECISION_FLOAT ? (double)(float)v : v;
}

static inline double rounded_fma(enum precision precision, double a, double x, double s)
{
    return precision == PRECISION_FLOAT ? (double)fmaf((float)a, (float)x, (float)s) : fma(a, x, s);
}

static inline double rounded_add(enum precision precision, double a, double b)
{
    return precision == PRECISION_FLOAT ? (double)((float)a + (float)b) : a + b;
}

/* cuda_take_parts of spmv/baseline/cuda_shares.cuh: count >= 1 parts of a row. */
double rounded_take_parts(enum precision precision, const double *parts, int64_t count);

#endif
