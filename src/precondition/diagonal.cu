#include "precondition/diagonal.h"

#include "space/cuda/cuda_setup.cuh"

/* *most = the greatest n - i of the rows that are wrong; zeroed before. */
template <typename Real>
__global__ static void __launch_bounds__(THREADS)
    invert_diagonal(const struct csr A, Real *inverse, unsigned long long *most)
{
    int64_t i = own_row();
    if (i >= A.n)
        return;
    double a = A.values[A.offsets[i]];
    Real value = (Real)(1 / a);
    inverse[i] = value;
    if (!(a > 0 && isfinite(value)))
        atomicMax(most, (unsigned long long)(A.n - i));
}

static enum status invert(struct space_cuda *cuda, const struct csr *A, bool singles, void *inverse,
                          unsigned long long *most, struct error *error)
{
    static const char *const what = "the diagonal";
    unsigned int blocks = blocks_for(A->n);
    enum status status =
        cuda_check(cudaMemsetAsync(most, 0, sizeof *most, cuda->stream), what, error);
    if (status)
        return status;
    if (singles)
        invert_diagonal<<<blocks, THREADS, 0, cuda->stream>>>(*A, (float *)inverse, most);
    else
        invert_diagonal<<<blocks, THREADS, 0, cuda->stream>>>(*A, (double *)inverse, most);
    return cuda_check_launch(what, error);
}

enum status diagonal_cuda(struct space *space, const struct csr *A, bool singles, void *inverse,
                          int64_t *wrong, double *value, struct error *error)
{
    unsigned long long *device = NULL, most = 0;
    int64_t place = 0;
    *wrong = A->n;
    enum status status = cuda_array(space_cuda_of(space), 1, sizeof *device, "the diagonal",
                                    (void **)&device, error);
    if (!status)
        status = invert(space_cuda_of(space), A, singles, inverse, device, error);
    if (!status)
        status = space->operations->download(space, sizeof most, device, &most, error);
    cuda_free(space_cuda_of(space), device);
    if (status || most == 0)
        return status;
    *wrong = A->n - (int64_t)most;
    status = space->operations->download(space, sizeof place, A->offsets + *wrong, &place, error);
    return status ? status : space_download(space, 1, A->values + place, value, error);
}
