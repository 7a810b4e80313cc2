/* Arithmetic of a kernel's precision, on numbers kept as double, for the twins in plain C. */
#ifndef TESTS_SPMV_ROUNDED_H
#define TESTS_SPMV_ROUNDED_H

#include "cgsolve/kernel.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool rounded_is_narrow(enum precision precision)
{
    return precision == PRECISION_FLOAT;
}

/* A value of A as that precision keeps it. */
static inline double rounded_value(enum precision precision, double a)
{
    return precision == PRECISION_DOUBLE ? a : (double)(float)a;
}

/* An element of x as it is multiplied. */
static inline double rounded_element(enum precision precision, double x)
{
    return rounded_is_narrow(precision) ? (double)(float)x : x;
}

static inline double rounded_fma(enum precision precision, double a, double x, double s)
{
    return rounded_is_narrow(precision) ? (double)fmaf((float)a, (float)x, (float)s) : fma(a, x, s);
}

static inline double rounded_add(enum precision precision, double a, double b)
{
    return rounded_is_narrow(precision) ? (double)((float)a + (float)b) : a + b;
}

/* cuda_take_parts of spmv/cuda_shares.cuh: count >= 1 parts of a row. */
double rounded_take_parts(enum precision precision, const double *parts, int64_t count);

#endif
