/* The CUDA space, for the .cu files of src/space and src/spmv: the only places that see its memory.
 */
#ifndef SPACE_CUDA_H
#define SPACE_CUDA_H

#include "cgsolve/space.h"
#include "cgsolve/status.h"
#include "cgsolve/sum_order.h"

#include <cuda_runtime.h>
#include <stdint.h>

/* Where the sums of the tiles of a vector meet: a slot a tile (space/cuda_sum.cuh), all of them
 * empty between two sums. By value into kernels. */
struct cuda_sum {
    int64_t tiles;
    double *slots; /* [2 tiles]: a value and its error, or values alone */
};

struct cuda_exact;

struct space_cuda {
    struct space base;
    cudaStream_t stream;
    struct cuda_sum sum; /* for vectors of sum_n elements */
    int64_t sum_n;
    double *panel_terms; /* [panel_terms_count], of cuda_panel.cu */
    int64_t panel_terms_count;
    struct cuda_exact *exact; /* of cuda_exact.cu, made at first need */
    unsigned int exact_blocks;
    void *blas; /* cublasHandle_t, made at first need */
    cudaGraphExec_t recording;
};

static inline struct space_cuda *space_cuda_of(struct space *space)
{
    return (struct space_cuda *)space;
}

/* STATUS_OK, or STATUS_DEVICE (STATUS_MEMORY when that is what is missing) and "what: ..." */
enum status cuda_check(cudaError_t result, const char *what, struct error *error);

/* The same for the launch just made. */
enum status cuda_check_launch(const char *what, struct error *error);

/* Device memory of count elements; "what needs N bytes, the device has M free" on failure. */
enum status cuda_array(int64_t count, size_t size, const char *what, void **array,
                       struct error *error);

/* The same, holding what host[count] holds; complete when it returns. The caller frees *array with
 * cudaFree, also on failure. */
enum status cuda_put(struct space_cuda *space, const void *host, int64_t count, size_t size,
                     const char *what, void **array, struct error *error);

/* Make space->sum ready for vectors of n elements. */
enum status cuda_sum_prepare(struct space_cuda *space, int64_t n, struct error *error);

/* Why no CUDA kernel can run on this machine, or NULL. */
const char *cuda_unavailable(void);

#endif
