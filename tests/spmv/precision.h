/* The precisions that a kernel offers, by their names. */
#ifndef TESTS_SPMV_PRECISION_H
#define TESTS_SPMV_PRECISION_H

#include "spmv/kernel.h"

#include <stdbool.h>

enum { PRECISIONS = PRECISION_FLOAT_DOUBLE + 1 };

/* Whether the kernel offers it, and then options say so; double needs no parameter. */
bool choose_precision(const struct kernel *kernel, enum precision precision,
                      struct kernel_options *options);

/* The largest value of a number, the last place of a choice. */
int64_t parameter_last(const struct parameter *parameter);

#endif
