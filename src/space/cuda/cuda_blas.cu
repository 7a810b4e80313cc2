/* Dot products by cuBLAS. */
#include "space/cuda/cuda.h"

#include <cublas_v2.h>

static enum status check(cublasStatus_t result, const char *what, struct error *error)
{
    if (result == CUBLAS_STATUS_SUCCESS)
        return STATUS_OK;
    return error_set(error, STATUS_DEVICE, "cuBLAS: %s: %s", what, cublasGetStatusString(result));
}

static enum status prepare(struct space_cuda *cuda, struct error *error)
{
    if (cuda->blas)
        return STATUS_OK;
    cublasHandle_t handle;
    enum status status = check(cublasCreate(&handle), "create", error);
    if (status)
        return status;
    cuda->blas = handle;
    status = check(cublasSetStream(handle, cuda->stream), "stream", error);
    if (!status)
        status =
            check(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "pointer mode", error);
    if (!status)
        status =
            check(cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_NOT_ALLOWED), "atomics mode", error);
    return status;
}

enum status cuda_blas_dot(struct space_cuda *cuda, int64_t n, const struct pass_sum *sum,
                          struct error *error)
{
    enum status status = prepare(cuda, error);
    return status ? status
                  : check(cublasDdot((cublasHandle_t)cuda->blas, (int)n, sum->x, 1, sum->y, 1,
                                     sum->result),
                          "dot", error);
}
