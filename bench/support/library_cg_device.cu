/* The loop with its scalars on the device. Quotients are made by kernels of one thread, and the
 * host enqueues iterations until it has read that ||r|| is small enough. */
#include "bench/support/library_cg_parts.h"

#include "base/clock.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>

static enum status check_sparse(cusparseStatus_t result, const char *what, struct error *error)
{
    if (result == CUSPARSE_STATUS_SUCCESS)
        return STATUS_OK;
    return error_set(error, STATUS_DEVICE, "cuSPARSE: %s: %s", what,
                     cusparseGetErrorString(result));
}

static cudaStream_t stream_of(const struct library_cg *cg)
{
    return cg->space->stream;
}

/* ---- kernels of one thread ------------------------------------------------------------------- */

__global__ static void begin_solve(struct library_scalars *s, double *history, double *told,
                                   double tolerance, int64_t max_iterations)
{
    s->one = 1;
    s->zero = 0;
    s->goal = tolerance * sqrt(s->rho);
    s->k = 0;
    s->max_iterations = max_iterations;
    history[0] = s->rho;
    told[0] = s->rho;
}

__global__ static void set_alpha(struct library_scalars *s)
{
    s->alpha = library_goes_on(s) ? s->rho / s->curvature : 0;
    s->minus_alpha = -s->alpha;
}

__global__ static void set_beta(struct library_scalars *s, double *history, double *told)
{
    library_advance(s, history);
    told[s->k & 1] = s->rho;
}

/* ---- an iteration ---------------------------------------------------------------------------- */

enum status library_scalars_on_device(struct library_cg *cg, bool on_device, struct error *error)
{
    enum status status =
        library_check_blas(cublasSetPointerMode(cg->blas, on_device ? CUBLAS_POINTER_MODE_DEVICE
                                                                    : CUBLAS_POINTER_MODE_HOST),
                           "the pointer mode", error);
    if (!status)
        status = check_sparse(
            cusparseSetPointerMode(cg->matrix->handle, on_device && cg->product_by_address
                                                           ? CUSPARSE_POINTER_MODE_DEVICE
                                                           : CUSPARSE_POINTER_MODE_HOST),
            "the pointer mode", error);
    return status;
}

/* q = A p. From the host 1 and 0 go by value, nothing waits for them; the device's own may still be
 * the faster way. */
static enum status product(struct library_cg *cg, struct error *error)
{
    struct cusparse_product *product = &cg->matrix->products[0];
    if (!cg->product_by_address)
        return cusparse_product_apply(cg->matrix, 0, 1, cg->p, 0, cg->q, error);
    enum status status = check_sparse(cusparseDnVecSetValues(product->x, cg->p), "p", error);
    if (!status)
        status = check_sparse(cusparseDnVecSetValues(product->y, cg->q), "q", error);
    if (!status)
        status =
            check_sparse(cusparseSpMV(cg->matrix->handle, product->operation, &cg->scalars->one,
                                      product->matrix, product->x, &cg->scalars->zero, product->y,
                                      CUDA_R_64F, product->algorithm, product->workspace),
                         "a product", error);
    return status;
}

enum status library_device_to_residual(struct library_cg *cg, struct error *error)
{
    struct library_scalars *s = cg->scalars; /* the addresses below are the device's */
    int n = (int)cg->matrix->A.n;
    enum status status = product(cg, error);
    if (!status)
        status = library_check_blas(cublasDdot(cg->blas, n, cg->p, 1, cg->q, 1, &s->curvature),
                                    "p . q", error);
    if (!status) {
        set_alpha<<<1, 1, 0, stream_of(cg)>>>(s);
        status = cuda_check_launch("alpha", error);
    }
    if (!status)
        status = library_check_blas(cublasDaxpy(cg->blas, n, &s->alpha, cg->p, 1, cg->x, 1),
                                    "x += alpha p", error);
    if (!status)
        status = library_check_blas(cublasDaxpy(cg->blas, n, &s->minus_alpha, cg->q, 1, cg->r, 1),
                                    "r -= alpha q", error);
    if (!status)
        status = library_check_blas(cublasDdot(cg->blas, n, cg->r, 1, cg->r, 1, &s->next_rho),
                                    "r . r", error);
    return status;
}

enum status library_device_to_direction(struct library_cg *cg, struct error *error)
{
    struct library_scalars *s = cg->scalars;
    int n = (int)cg->matrix->A.n;
    enum status status =
        library_check_blas(cublasDscal(cg->blas, n, &s->beta, cg->p, 1), "p *= beta", error);
    if (!status)
        status = library_check_blas(cublasDaxpy(cg->blas, n, &s->one, cg->r, 1, cg->p, 1), "p += r",
                                    error);
    return status;
}

/* ---- a solve --------------------------------------------------------------------------------- */

enum status library_device_start(struct library_cg *cg, int64_t max_iterations, struct error *error)
{
    enum status status = library_scalars_on_device(cg, true, error);
    if (!status)
        status = library_start(cg, error);
    if (!status)
        status = library_check_blas(
            cublasDdot(cg->blas, (int)cg->matrix->A.n, cg->r, 1, cg->r, 1, &cg->scalars->rho),
            "r . r", error);
    if (!status) {
        begin_solve<<<1, 1, 0, stream_of(cg)>>>(cg->scalars, cg->history, cg->told, cg->tolerance,
                                                max_iterations);
        status = cuda_check_launch("the start", error);
    }
    if (!status)
        status = cuda_check(cudaStreamSynchronize(stream_of(cg)), "the start", error);
    return status;
}

static enum status enqueue(struct library_cg *cg, int64_t k, struct error *error)
{
    enum status status = library_device_to_residual(cg, error);
    if (!status) {
        set_beta<<<1, 1, 0, stream_of(cg)>>>(cg->scalars, cg->history, cg->told);
        status = cuda_check_launch("beta", error);
    }
    if (!status)
        status =
            cuda_check(cudaEventRecord(cg->telling[(k + 1) & 1], stream_of(cg)), "||r||", error);
    return status ? status : library_device_to_direction(cg, error);
}

/* Told r . r of iteration k - 1 lies where that of k + 1 will be written: with `behind` up to 1 it
 * is read before iteration k, which writes it, is enqueued. Once the last one is told, what was
 * enqueued behind it is not waited for: it is not part of the iterations that are timed. */
static enum status loop(struct library_cg *cg, int64_t max_iterations, struct error *error)
{
    const double goal = cg->tolerance * sqrt(cg->told[0]);
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < max_iterations && !status; k++) {
        int64_t known = k - cg->behind;
        if (known > 0)
            status = cuda_check(cudaEventSynchronize(cg->telling[known & 1]), "||r||", error);
        if (!status && known >= 0 && !(sqrt(cg->told[known & 1]) > goal))
            return STATUS_OK;
        if (!status)
            status = enqueue(cg, k, error);
    }
    return status ? status
                  : cuda_check(cudaStreamSynchronize(stream_of(cg)), "the iterations", error);
}

static enum status read_history(struct library_cg *cg, int64_t count, double *history,
                                struct error *error)
{
    enum status status =
        cuda_check(cudaMemcpyAsync(history, cg->history, (size_t)count * sizeof *history,
                                   cudaMemcpyDeviceToHost, stream_of(cg)),
                   "the residuals", error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(stream_of(cg)), "the residuals", error);
    return status;
}

enum status library_device_result(struct library_cg *cg, int64_t late, int64_t *iterations,
                                  double *rho, struct error *error)
{
    struct library_scalars s;
    enum status status = cuda_check(
        cudaMemcpyAsync(&s, cg->scalars, sizeof s, cudaMemcpyDeviceToHost, stream_of(cg)),
        "the scalars", error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(stream_of(cg)), "the scalars", error);
    if (!status && (s.k < 0 || s.k > s.max_iterations))
        status = error_set(error, STATUS_DEVICE, "the libraries' loop counted %" PRId64, s.k);
    if (status)
        return status;
    double *history = (double *)memory_array(s.k + 1, sizeof *history, "the residuals", error);
    status = history ? read_history(cg, s.k + 1, history, error) : STATUS_MEMORY;
    if (!status) {
        const double goal = cg->tolerance * sqrt(history[0]);
        int64_t k = 0;
        while (k < s.k && sqrt(history[k]) > goal)
            k++;
        if (s.k - k > late || (k < s.max_iterations && sqrt(history[k]) > goal))
            status = error_set(error, STATUS_DEVICE,
                               "the libraries' loop ended after %" PRId64 " iterations, by its "
                               "residuals it is %" PRId64,
                               s.k, k);
        *iterations = k;
        *rho = history[k];
    }
    memory_free(history);
    return status;
}

enum status library_device_solve(struct library_cg *cg, int64_t *iterations, double *rho,
                                 double *seconds, struct error *error)
{
    enum status status = library_device_start(cg, cg->max_iterations, error);
    double begin = clock_seconds();
    if (!status)
        status = loop(cg, cg->max_iterations, error);
    *seconds = clock_seconds() - begin;
    return status ? status : library_device_result(cg, cg->behind, iterations, rho, error);
}

/* ---- memory ---------------------------------------------------------------------------------- */

enum status library_device_create(struct library_cg *cg, struct error *error)
{
    enum status status =
        cuda_array(cg->space, 1, sizeof *cg->scalars, "the scalars", (void **)&cg->scalars, error);
    if (!status)
        status = cuda_array(cg->space, cg->max_iterations + 1, sizeof *cg->history, "the residuals",
                            (void **)&cg->history, error);
    if (!status)
        status =
            cuda_check(cudaHostAlloc((void **)&cg->told, 2 * sizeof *cg->told, cudaHostAllocMapped),
                       "the residuals", error);
    for (cudaEvent_t &event : cg->telling)
        if (!status)
            status = cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                                "an event", error);
    if (!status) /* 0 times what lies in memory may be no number */
        status = cuda_check(
            cudaMemsetAsync(cg->q, 0, (size_t)cg->matrix->A.n * sizeof *cg->q, stream_of(cg)),
            "q = 0", error);
    return status;
}

void library_device_destroy(struct library_cg *cg)
{
    for (cudaEvent_t event : cg->telling)
        if (event)
            cudaEventDestroy(event);
    cuda_free(cg->space, cg->scalars);
    cuda_free(cg->space, cg->history);
    cudaFreeHost(cg->told);
}

/* ---- what a user may choose ------------------------------------------------------------------ */

enum { TRIAL_PRODUCTS = 20, TRIAL_ITERATIONS = 50, TRIALS = 3 };

/* The time of TRIAL_PRODUCTS products; two go before, so that the host is ahead of the device. */
static enum status time_products(struct library_cg *cg, cudaEvent_t begin, cudaEvent_t end,
                                 double *milliseconds, struct error *error)
{
    float time = NAN;
    enum status status = library_scalars_on_device(cg, true, error);
    for (int k = -2; k < TRIAL_PRODUCTS && !status; k++) {
        if (k == 0)
            status = cuda_check(cudaEventRecord(begin, stream_of(cg)), "an event", error);
        if (!status)
            status = product(cg, error);
    }
    if (!status)
        status = cuda_check(cudaEventRecord(end, stream_of(cg)), "an event", error);
    if (!status)
        status = cuda_check(cudaEventSynchronize(end), "the products", error);
    if (!status)
        status = cuda_check(cudaEventElapsedTime(&time, begin, end), "a time", error);
    *milliseconds = time;
    return status;
}

static enum status choose_product(struct library_cg *cg, struct error *error)
{
    cudaEvent_t begin = nullptr, end = nullptr;
    enum status status = cuda_check(cudaEventCreate(&begin), "an event", error);
    if (!status)
        status = cuda_check(cudaEventCreate(&end), "an event", error);
    double best[2] = {INFINITY, INFINITY}, milliseconds;
    for (int trial = 0; trial < 2 * TRIALS && !status; trial++) {
        cg->product_by_address = trial % 2;
        status = time_products(cg, begin, end, &milliseconds, error);
        best[trial % 2] = status ? NAN : fmin(best[trial % 2], milliseconds);
    }
    cg->product_by_address = best[1] < best[0];
    if (begin)
        cudaEventDestroy(begin);
    if (end)
        cudaEventDestroy(end);
    return status;
}

static enum status choose_behind(struct library_cg *cg, struct error *error)
{
    int64_t iterations =
        cg->max_iterations < TRIAL_ITERATIONS ? cg->max_iterations : TRIAL_ITERATIONS;
    double best[2] = {INFINITY, INFINITY};
    enum status status = STATUS_OK;
    for (int trial = -2; trial < 2 * TRIALS && !status; trial++) { /* two are not counted */
        cg->behind = trial & 1;
        status = library_device_start(cg, iterations, error);
        double begin = clock_seconds();
        if (!status)
            status = loop(cg, iterations, error);
        if (trial >= 0)
            best[trial & 1] = fmin(best[trial & 1], clock_seconds() - begin);
    }
    cg->behind = best[1] < best[0];
    return status;
}

enum status library_device_choose(struct library_cg *cg, struct error *error)
{
    enum status status = library_device_start(cg, cg->max_iterations, error); /* p, one, zero */
    if (!status)
        status = choose_product(cg, error);
    return status ? status : choose_behind(cg, error);
}
