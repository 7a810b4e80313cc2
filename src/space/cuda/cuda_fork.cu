#include "space/cuda/cuda_fork.h"

#include "space/ranks/cuda_allreduce.h"

static const char what[] = "recording";

struct cuda_place cuda_place_now(const struct space_cuda *space)
{
    cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
    unsigned long long recording = 0;
    const cudaGraphNode_t *nodes = NULL;
    size_t count = 0;
#if CUDART_VERSION >= 13000
    cudaError_t result =
        cudaStreamGetCaptureInfo(space->stream, &state, &recording, NULL, &nodes, NULL, &count);
#else
    cudaError_t result =
        cudaStreamGetCaptureInfo_v2(space->stream, &state, &recording, NULL, &nodes, &count);
#endif
    if (result != cudaSuccess)
        cudaGetLastError(); /* clears the error for the next launch */
    if (result != cudaSuccess || state != cudaStreamCaptureStatusActive || count != 1)
        return {0, NULL};
    return {recording, nodes[0]};
}

static enum status update(struct space_cuda *space, cudaGraphNode_t node, unsigned int how,
                          struct error *error)
{
#if CUDART_VERSION >= 13000
    cudaError_t result = cudaStreamUpdateCaptureDependencies(space->stream, &node, NULL, 1, how);
#else
    cudaError_t result = cudaStreamUpdateCaptureDependencies(space->stream, &node, 1, how);
#endif
    return cuda_check(result, what, error);
}

enum status cuda_fork_begin(struct space_cuda *space, bool *forked, struct error *error)
{
    const struct cuda_fork *fork = &space->joining->fork;
    struct cuda_place now = cuda_place_now(space);
    *forked = now.recording != 0 && now.recording == fork->sums.recording &&
              now.node == fork->sums.node && now.recording == fork->pass.recording;
    return *forked ? update(space, fork->pass.node, cudaStreamSetCaptureDependencies, error)
                   : STATUS_OK;
}

enum status cuda_fork_end(struct space_cuda *space, struct error *error)
{
    return update(space, space->joining->fork.sums.node, cudaStreamAddCaptureDependencies, error);
}
