/* What decides how a matrix in a device's memory is kept, where that is not by diagonals: the
 * answers are those of the host. For .cu files. */
#ifndef SPMV_SYMMETRIC_CUDA_SYM_CHOICE_H
#define SPMV_SYMMETRIC_CUDA_SYM_CHOICE_H

#include "matrix/csr.h"
#include "space/cuda/cuda.h"

#include <stdbool.h>

/* Whether value_dictionary_create makes codes of the values, or of fl(A) with singles, in an array
 * of that length: what is behind them equals one of them. */
enum status cuda_sym_has_codes(struct space_cuda *space, const struct csr *A, int64_t length,
                               bool singles, bool *yes, struct error *error);

#endif
