/* SDDMM by cuSPARSE: what a GPU user has without writing a kernel, and what others are compared
 * with. Its documentation promises no equal bits. Only in a build with CUDA. */
#ifndef SPMV_VENDOR_CUSPARSE_SDDMM_H
#define SPMV_VENDOR_CUSPARSE_SDDMM_H

#include "spmv/sddmm/sddmm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* sddmm_create by the library, in a CUDA space; but values must hold numbers before a product: its
 * documentation does not say that they are not read. A call of it for each group of 32 columns adds
 * to what is there. Errors: those of sddmm_create; STATUS_CONFIG for more than INT32_MAX
 * entries. */
enum status cusparse_sddmm_create(struct space *space, const struct csr *pattern, int64_t columns,
                                  struct sddmm *made, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
