/* The step of minimal residuals in the CUDA space: the scalars, in one thread, and then the
 * vectors, 64 bytes a row (56 without d_before). */
#include "space/cuda.h"
#include "space/cuda_vectors.h"

namespace
{

enum { THREADS = 256, ELEMENTS = 2 }; /* a thread's, all of whose loads are on their way at once */

__global__ void advance_kernel(struct minres_scalars *scalars)
{
    minres_scalars_advance(scalars);
}

struct element {
    double v, before, d, x, w;
};

__global__ void __launch_bounds__(THREADS)
    step_kernel(int64_t n, struct minres_vectors vectors, const struct minres_scalars *s)
{
    int64_t first = blockIdx.x * (int64_t)(THREADS * ELEMENTS) + threadIdx.x;
    struct element at[ELEMENTS];
    bool has_before = vectors.d_before;
#pragma unroll
    for (int u = 0; u < ELEMENTS; u++) {
        int64_t i = first + u * THREADS;
        if (i >= n)
            break;
        at[u].v = vectors.v[i];
        at[u].before = has_before ? vectors.d_before[i] : 0;
        at[u].d = vectors.d[i];
        at[u].x = vectors.x[i];
        at[u].w = vectors.w[i];
    }
    if (!s->moves)
        return;
    double delta = s->delta, epsilon = s->epsilon, inverse = s->inverse_gamma;
    double tau = s->tau, norm = s->inverse_beta;
#pragma unroll
    for (int u = 0; u < ELEMENTS; u++) {
        int64_t i = first + u * THREADS;
        if (i >= n)
            break;
        double v = has_before ? fma(-delta, at[u].before, at[u].v) : at[u].v;
        double d = fma(-epsilon, at[u].d, v) * inverse;
        vectors.d[i] = d;
        vectors.x[i] = fma(tau, d, at[u].x);
        vectors.v_next[i] = at[u].w * norm;
    }
}

__global__ void __launch_bounds__(THREADS)
    scale_kernel(int64_t n, const double *w, double *v, const struct minres_scalars *s)
{
    int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i < n && s->moves)
        v[i] = w[i] * s->inverse_beta;
}

unsigned int blocks_of(int64_t count, int64_t a_block)
{
    return (unsigned int)((count + a_block - 1) / a_block);
}

} // namespace

enum status cuda_minres_step(struct space *space, int64_t n, const struct minres_vectors *vectors,
                             struct minres_scalars *scalars, struct error *error)
{
    cudaStream_t stream = space_cuda_of(space)->stream;
    advance_kernel<<<1, 1, 0, stream>>>(scalars);
    if (vectors->v)
        step_kernel<<<blocks_of(n, THREADS * ELEMENTS), THREADS, 0, stream>>>(n, *vectors, scalars);
    else
        scale_kernel<<<blocks_of(n, THREADS), THREADS, 0, stream>>>(n, vectors->w, vectors->v_next,
                                                                    scalars);
    return cuda_check_launch("a step of minimal residuals", error);
}
