/* The restriction by blocks: 16 threads make the chains of an element, so that coarse levels of few
 * rows do not wait for one long chain. Neighbouring threads read the columns of a block. */
#include "precondition/multigrid/cycle/transfer.h"
#include "space/cuda/cuda_pass.cuh"

constexpr int ELEMENTS = 16; /* of a block of threads */

struct chain_of_doubles {
    using real = double;
    __device__ static double make(const block_transfer &of, uint32_t J, uint32_t m, uint32_t lane,
                                  int64_t e)
    {
        return block_restriction_chain(&of, J, m, lane, e);
    }
};

struct chain_of_floats {
    using real = float;
    __device__ static float make(const block_transfer &of, uint32_t J, uint32_t m, uint32_t lane,
                                 int64_t e)
    {
        return block_restriction_float_chain(&of, J, m, lane, e);
    }
};

/* Thread (x, y): lane y of element x. */
template <typename Chain>
__global__ static void __launch_bounds__(ELEMENTS *TRANSFER_LANES)
    restrict_blocks(const __grid_constant__ block_transfer of, int64_t n, const int64_t *ended)
{
    using real = typename Chain::real;
    __shared__ real sums[TRANSFER_LANES][ELEMENTS];
    int64_t e = (int64_t)blockIdx.x * ELEMENTS + threadIdx.x;
    uint32_t row = (uint32_t)(e >> of.shift), width = (uint32_t)of.P.width;
    if (cuda_is_over(ended))
        return;
    sums[threadIdx.y][threadIdx.x] =
        e < n ? Chain::make(of, row / width, row % width, threadIdx.y, e) : (real)0;
    for (unsigned int apart = TRANSFER_LANES / 2; apart > 0; apart /= 2) {
        __syncthreads();
        if (threadIdx.y < apart)
            sums[threadIdx.y][threadIdx.x] += sums[threadIdx.y + apart][threadIdx.x];
    }
    if (threadIdx.y == 0 && e < n)
        ((real *)of.coarse)[e] = sums[0][threadIdx.x];
}

template <typename Chain>
static enum status run(struct space *space, const struct pass *pass, int64_t n, const void *work,
                       struct error *error)
{
    restrict_blocks<Chain><<<cuda_blocks_of(n, ELEMENTS), dim3(ELEMENTS, TRANSFER_LANES), 0,
                             space_cuda_of(space)->stream>>>(
        *(const struct block_transfer *)work, n, pass->always ? nullptr : space->ended);
    return cuda_check_launch(pass->name, error);
}

extern "C" pass_launcher block_restriction_cuda;
extern "C" pass_launcher block_restriction_float_cuda;

enum status block_restriction_cuda(struct space *space, const struct pass *pass, int64_t n,
                                   const void *work, struct error *error)
{
    return run<chain_of_doubles>(space, pass, n, work, error);
}
CUDA_PUT(block_restriction_cuda)

enum status block_restriction_float_cuda(struct space *space, const struct pass *pass, int64_t n,
                                         const void *work, struct error *error)
{
    return run<chain_of_floats>(space, pass, n, work, error);
}
CUDA_PUT(block_restriction_float_cuda)
