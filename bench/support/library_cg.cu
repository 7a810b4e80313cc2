#include "bench/support/library_cg.h"

#include "base/clock.h"

#include <math.h>

static enum status check(cublasStatus_t result, const char *what, struct error *error)
{
    if (result == CUBLAS_STATUS_SUCCESS)
        return STATUS_OK;
    return error_set(error, STATUS_DEVICE, "cuBLAS: %s: %s", what, cublasGetStatusString(result));
}

enum status library_cg_create(struct space_cuda *space, const struct csr *A, struct library_cg *cg,
                              struct error *error)
{
    *cg = {};
    enum status status = cusparse_csr_create(space, A, STORAGE_FULL, false, &cg->matrix, error);
    if (!status)
        status = cusparse_product_create(&cg->matrix, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                         CUSPARSE_SPMV_CSR_ALG1, &cg->product, error);
    if (!status)
        status = check(cublasCreate(&cg->blas), "a handle", error);
    if (!status)
        status = check(cublasSetStream(cg->blas, space->stream), "the stream", error);
    double **vectors[] = {&cg->x, &cg->r, &cg->p, &cg->q};
    for (double **vector : vectors)
        if (!status)
            status = cuda_array(A->n, sizeof **vector, "a vector", (void **)vector, error);
    return status;
}

void library_cg_destroy(struct library_cg *cg)
{
    cusparse_product_release(&cg->product);
    cusparse_csr_destroy(&cg->matrix);
    if (cg->blas)
        cublasDestroy(cg->blas);
    cudaFree(cg->x);
    cudaFree(cg->r);
    cudaFree(cg->p);
    cudaFree(cg->q);
    *cg = {};
}

/* x = 0, r = p = b, *rho = r . r */
static enum status start(struct library_cg *cg, const double *b, double *rho, struct error *error)
{
    cudaStream_t stream = cg->matrix.space->stream;
    int64_t n = cg->matrix.A.n;
    size_t bytes = (size_t)n * sizeof *b;
    enum status status = cuda_check(cudaMemsetAsync(cg->x, 0, bytes, stream), "x = 0", error);
    if (!status)
        status = cuda_check(cudaMemcpyAsync(cg->r, b, bytes, cudaMemcpyHostToDevice, stream),
                            "r = b", error);
    if (!status)
        status = cuda_check(cudaMemcpyAsync(cg->p, cg->r, bytes, cudaMemcpyDeviceToDevice, stream),
                            "p = r", error);
    if (!status)
        status = check(cublasDdot(cg->blas, (int)n, cg->r, 1, cg->r, 1, rho), "r . r", error);
    return status;
}

static enum status iteration(struct library_cg *cg, double *rho, struct error *error)
{
    int n = (int)cg->matrix.A.n;
    double curvature, next_rho;
    enum status status =
        cusparse_product_apply(&cg->matrix, &cg->product, 1, cg->p, 0, cg->q, error);
    if (!status)
        status = check(cublasDdot(cg->blas, n, cg->p, 1, cg->q, 1, &curvature), "p . q", error);
    if (status)
        return status;
    double alpha = *rho / curvature, minus_alpha = -alpha;
    status = check(cublasDaxpy(cg->blas, n, &alpha, cg->p, 1, cg->x, 1), "x += alpha p", error);
    if (!status)
        status = check(cublasDaxpy(cg->blas, n, &minus_alpha, cg->q, 1, cg->r, 1), "r -= alpha q",
                       error);
    if (!status)
        status = check(cublasDdot(cg->blas, n, cg->r, 1, cg->r, 1, &next_rho), "r . r", error);
    if (status)
        return status;
    const double one = 1, beta = next_rho / *rho;
    *rho = next_rho;
    status = check(cublasDscal(cg->blas, n, &beta, cg->p, 1), "p *= beta", error);
    return status ? status
                  : check(cublasDaxpy(cg->blas, n, &one, cg->r, 1, cg->p, 1), "p += r", error);
}

enum status library_cg_solve(struct library_cg *cg, const double *b, double tolerance,
                             int64_t max_iterations, int64_t *iterations, double *seconds,
                             struct error *error)
{
    double rho;
    enum status status = start(cg, b, &rho, error);
    double goal = status ? 0 : tolerance * sqrt(rho);
    double begin = clock_seconds();
    int64_t k = 0;
    for (; !status && k < max_iterations && sqrt(rho) > goal; k++)
        status = iteration(cg, &rho, error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(cg->matrix.space->stream), "a solve", error);
    *seconds = clock_seconds() - begin;
    *iterations = k;
    return status;
}
