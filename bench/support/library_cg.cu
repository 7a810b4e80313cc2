/* Memory, the loop with its scalars on the host, and the check of a solution. */
#include "bench/support/library_cg_parts.h"

#include "base/clock.h"

#include <math.h>

/* Behind this the residual that a loop keeps has nothing to do with b - A x. The gap that rounding
 * leaves in ill-conditioned systems is far below. */
static constexpr double RESIDUAL_GAP = 100;

/* What cuBLAS takes by itself on Hopper. Given by hand, because it cannot be allocated while a
 * graph is recorded. */
enum { BLAS_WORKSPACE = 32 << 20 };

enum status library_check_blas(cublasStatus_t result, const char *what, struct error *error)
{
    if (result == CUBLAS_STATUS_SUCCESS)
        return STATUS_OK;
    return error_set(error, STATUS_DEVICE, "cuBLAS: %s: %s", what, cublasGetStatusString(result));
}

static enum status open_libraries(struct space_cuda *space, const struct csr *A,
                                  struct library_cg *cg, struct error *error)
{
    enum status status =
        operator_create(kernel_find("cusparse_full"), A, nullptr, &space->base, &cg->A, error);
    cg->matrix = (struct cusparse_csr *)cg->A.state;
    if (!status)
        status = library_check_blas(cublasCreate(&cg->blas), "a handle", error);
    if (!status)
        status = library_check_blas(cublasSetStream(cg->blas, space->stream), "the stream", error);
    if (!status)
        status =
            cuda_array(space, BLAS_WORKSPACE, 1, "cuBLAS's work space", &cg->blas_workspace, error);
    if (!status) /* a new stream would take it away again */
        status =
            library_check_blas(cublasSetWorkspace(cg->blas, cg->blas_workspace, BLAS_WORKSPACE),
                               "the work space", error);
    return status;
}

enum status library_cg_create(struct space_cuda *space, const struct csr *A, const double *b,
                              double tolerance, int64_t max_iterations, struct library_cg *cg,
                              struct error *error)
{
    *cg = {};
    cg->space = space;
    cg->b = b;
    cg->tolerance = tolerance;
    cg->max_iterations = max_iterations;
    enum status status = open_libraries(space, A, cg, error);
    double **vectors[] = {&cg->x, &cg->r, &cg->p, &cg->q};
    for (double **vector : vectors)
        if (!status)
            status = cuda_array(space, A->n, sizeof **vector, "a vector", (void **)vector, error);
    if (!status)
        status = library_device_create(cg, error);
    if (!status)
        status = library_device_choose(cg, error);
    if (!status)
        library_graph_create(cg);
    return status;
}

void library_cg_destroy(struct library_cg *cg)
{
    library_graph_destroy(cg);
    library_device_destroy(cg);
    operator_destroy(&cg->A);
    if (cg->blas)
        cublasDestroy(cg->blas);
    cuda_free(cg->space, cg->blas_workspace);
    cuda_free(cg->space, cg->x);
    cuda_free(cg->space, cg->r);
    cuda_free(cg->space, cg->p);
    cuda_free(cg->space, cg->q);
    *cg = {};
}

enum status library_start(struct library_cg *cg, struct error *error)
{
    cudaStream_t stream = cg->matrix->space->stream;
    size_t bytes = (size_t)cg->matrix->A.n * sizeof *cg->b;
    enum status status = cuda_check(cudaMemsetAsync(cg->x, 0, bytes, stream), "x = 0", error);
    if (!status)
        status = cuda_check(cudaMemcpyAsync(cg->r, cg->b, bytes, cudaMemcpyHostToDevice, stream),
                            "r = b", error);
    if (!status)
        status = cuda_check(cudaMemcpyAsync(cg->p, cg->r, bytes, cudaMemcpyDeviceToDevice, stream),
                            "p = r", error);
    return status;
}

static enum status iteration(struct library_cg *cg, double *rho, struct error *error)
{
    int n = (int)cg->matrix->A.n;
    double curvature, next_rho;
    enum status status = cusparse_product_apply(cg->matrix, 0, 1, cg->p, 0, cg->q, error);
    if (!status)
        status = library_check_blas(cublasDdot(cg->blas, n, cg->p, 1, cg->q, 1, &curvature),
                                    "p . q", error);
    if (status)
        return status;
    double alpha = *rho / curvature, minus_alpha = -alpha;
    status = library_check_blas(cublasDaxpy(cg->blas, n, &alpha, cg->p, 1, cg->x, 1),
                                "x += alpha p", error);
    if (!status)
        status = library_check_blas(cublasDaxpy(cg->blas, n, &minus_alpha, cg->q, 1, cg->r, 1),
                                    "r -= alpha q", error);
    if (!status)
        status = library_check_blas(cublasDdot(cg->blas, n, cg->r, 1, cg->r, 1, &next_rho), "r . r",
                                    error);
    if (status)
        return status;
    const double one = 1, beta = next_rho / *rho;
    *rho = next_rho;
    status = library_check_blas(cublasDscal(cg->blas, n, &beta, cg->p, 1), "p *= beta", error);
    return status ? status
                  : library_check_blas(cublasDaxpy(cg->blas, n, &one, cg->r, 1, cg->p, 1), "p += r",
                                       error);
}

static enum status host_solve(struct library_cg *cg, int64_t *iterations, double *rho,
                              double *seconds, struct error *error)
{
    enum status status = library_scalars_on_device(cg, false, error);
    if (!status)
        status = library_start(cg, error);
    if (!status)
        status = library_check_blas(
            cublasDdot(cg->blas, (int)cg->matrix->A.n, cg->r, 1, cg->r, 1, rho), "r . r", error);
    double goal = status ? 0 : cg->tolerance * sqrt(*rho);
    double begin = clock_seconds();
    int64_t k = 0;
    for (; !status && k < cg->max_iterations && sqrt(*rho) > goal; k++)
        status = iteration(cg, rho, error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(cg->matrix->space->stream), "a solve", error);
    *seconds = clock_seconds() - begin;
    *iterations = k;
    return status;
}

/* Whether sqrt(rho) is near ||b - A x||. r is overwritten. */
static enum status check_solution(struct library_cg *cg, double rho, struct error *error)
{
    cudaStream_t stream = cg->matrix->space->stream;
    int n = (int)cg->matrix->A.n;
    double norm_b = NAN, norm = NAN;
    enum status status = library_scalars_on_device(cg, false, error);
    if (!status)
        status = cuda_check(cudaMemcpyAsync(cg->r, cg->b, (size_t)n * sizeof *cg->b,
                                            cudaMemcpyHostToDevice, stream),
                            "r = b", error);
    if (!status)
        status = library_check_blas(cublasDnrm2(cg->blas, n, cg->r, 1, &norm_b), "||b||", error);
    if (!status)
        status = cusparse_product_apply(cg->matrix, 0, -1, cg->x, 1, cg->r, error);
    if (!status)
        status = library_check_blas(cublasDnrm2(cg->blas, n, cg->r, 1, &norm), "||r||", error);
    if (!status && !(norm <= RESIDUAL_GAP * fmax(sqrt(rho), cg->tolerance * norm_b)))
        status =
            error_set(error, STATUS_DEVICE, "the libraries' loop: ||b - A x|| = %g, but ||r|| = %g",
                      norm, sqrt(rho));
    return status;
}

enum status library_cg_solve(struct library_cg *cg, enum library_loop loop, int64_t *iterations,
                             double *seconds, struct error *error)
{
    double rho = NAN;
    enum status status = loop == LIBRARY_HOST ? host_solve(cg, iterations, &rho, seconds, error)
                         : loop == LIBRARY_DEVICE
                             ? library_device_solve(cg, iterations, &rho, seconds, error)
                             : library_graph_solve(cg, iterations, &rho, seconds, error);
    return status ? status : check_solution(cg, rho, error);
}
