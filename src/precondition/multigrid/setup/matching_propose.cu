/* Whom nodes propose to: some threads of a warp share the neighbours of a node, for which one would
 * wait too long, and compare what they find. */
#include "precondition/multigrid/setup/matching_rows.h"
#include "space/cuda/cuda_setup.cuh"

enum { LANES = 8 };

/* All threads of a warp stay. */
__global__ static void __launch_bounds__(THREADS)
    propose(const __grid_constant__ struct graph graph)
{
    int64_t i = own_row() / LANES;
    int lane = threadIdx.x % LANES;
    bool proposes = i < graph.upper.n && graph_proposes(&graph, i);
    struct proposal best = {FREE, 0, 0};
    if (proposes)
        best = graph_propose(&graph, i, lane, LANES);
    for (int apart = LANES / 2; apart > 0; apart /= 2) {
        struct proposal other = {};
        other.to = __shfl_xor_sync(~0u, best.to, apart);
        other.weight = __shfl_xor_sync(~0u, best.weight, apart);
        graph_compare(i, other, &best);
    }
    if (proposes && lane == 0)
        graph.best[i] = best.to;
}

extern "C" pass_launcher proposing_cuda;
enum status proposing_cuda(struct space *space, const struct pass *pass, int64_t n,
                           const void *work, struct error *error)
{
    propose<<<blocks_for(n * LANES), THREADS, 0, space_cuda_of(space)->stream>>>(
        *(const struct graph *)work);
    return cuda_check_launch(pass->name, error);
}
CUDA_PUT(proposing_cuda)
