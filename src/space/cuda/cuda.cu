/* The space of a CUDA device: its memory, its stream, and work recorded as a graph. How it runs a
 * pass: cuda_pass.cuh, cuda_columns.cuh. */
#include "space/cuda/cuda.h"

#include "base/memory.h"
#include "base/threads.h"
#include "space/ranks/cuda_allreduce.h"
#include "space/sum/sum_order.h"

#include <inttypes.h>
#include <stdio.h>

enum status cuda_check(cudaError_t result, const char *what, struct error *error)
{
    if (result == cudaSuccess)
        return STATUS_OK;
    cudaGetLastError(); /* clears the error for the next launch */
    return error_set(error, result == cudaErrorMemoryAllocation ? STATUS_MEMORY : STATUS_DEVICE,
                     "CUDA: %s: %s", what, cudaGetErrorString(result));
}

enum status cuda_check_launch(const char *what, struct error *error)
{
    return cuda_check(cudaGetLastError(), what, error);
}

enum status cuda_allow_shared(const struct space_cuda *space, const void *kernel,
                              struct error *error)
{
    struct cudaFuncAttributes own = {};
    int most = 0;
    enum status status = cuda_check(cudaFuncGetAttributes(&own, kernel), "a kernel", error);
    if (!status)
        status = cuda_check(
            cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, space->device),
            "the device", error);
    return status ? status
                  : cuda_check(cudaFuncSetAttribute(kernel,
                                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                    most - (int)own.sharedSizeBytes),
                               "shared memory", error);
}

const char *cuda_unavailable(void)
{
    static thread_local char reason[256];
    int count = 0;
    cudaError_t result = cudaGetDeviceCount(&count);
    if (result == cudaSuccess && count > 0)
        return NULL;
    int driver = 0;
    const char *why = result == cudaSuccess                      ? "none found"
                      : cudaDriverGetVersion(&driver) || !driver ? "no NVIDIA driver"
                                                                 : cudaGetErrorString(result);
    snprintf(reason, sizeof reason, "no CUDA device: %s", why);
    cudaGetLastError(); /* clears the error for the next launch */
    return reason;
}

int space_cuda_devices(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError();
        count = 0;
    }
    return count;
}
CUDA_PUT(space_cuda_devices)

static void cuda_enter(struct space *space)
{
    int wanted = space_cuda_of(space)->device, current = 0;
    if (cudaGetDevice(&current) != cudaSuccess || current != wanted)
        cudaSetDevice(wanted); /* a failure here also fails the following calls */
}

static struct space_cuda *entered(struct space *space)
{
    cuda_enter(space);
    return space_cuda_of(space);
}

enum status space_cuda_borrow(struct space *space, void *stream, const void *array,
                              const char *what, struct error *error)
{
    struct space_cuda *cuda = entered(space);
    struct cudaPointerAttributes found = {};
    enum status status =
        cuda_check(cudaStreamSynchronize((cudaStream_t)stream), "the caller's stream", error);
    if (!status)
        status = cuda_check(cudaPointerGetAttributes(&found, array), what, error);
    if (status || found.type == cudaMemoryTypeManaged ||
        (found.type == cudaMemoryTypeDevice && found.device == cuda->device))
        return status;
    return error_set(error, STATUS_CONFIG, "%s is not in the memory of CUDA device %d", what,
                     cuda->device);
}
CUDA_PUT(space_cuda_borrow)

void space_cuda_describe(int device, char *text, size_t size)
{
    const char *reason = cuda_unavailable();
    struct cudaDeviceProp found;
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (reason)
        snprintf(text, size, "%s", reason);
    else if (cudaGetDeviceProperties(&found, device) != cudaSuccess)
        snprintf(text, size, "unknown");
    else
        snprintf(text, size, "%s, %zu bytes, CUDA %d.%d, driver for CUDA %d.%d", found.name,
                 found.totalGlobalMem, runtime / 1000, runtime % 1000 / 10, driver / 1000,
                 driver % 1000 / 10);
}
CUDA_PUT(space_cuda_describe)

static enum status cuda_fits(struct space *space, int64_t bytes, const char *what,
                             struct error *error)
{
    return cuda_memory_fits(entered(space), bytes, what, error);
}

static enum status cuda_allocate(struct space *space, int64_t count, size_t size, const char *what,
                                 void **memory, struct error *error)
{
    return cuda_array(entered(space), count, size, what, memory, error);
}

static void cuda_release(struct space *space, void *memory)
{
    cuda_free(entered(space), memory);
}

static enum status cuda_upload(struct space *space, int64_t bytes, const void *host, void *memory,
                               struct error *error)
{
    return cuda_copy_up(entered(space), bytes, host, memory, "upload", error);
}

static enum status cuda_download(struct space *space, int64_t bytes, const void *memory, void *host,
                                 struct error *error)
{
    return cuda_copy_down(entered(space), bytes, memory, host, "download", error);
}

static enum status cuda_run(struct space *space, const struct pass *pass, int64_t n,
                            const void *work, struct error *error)
{
    pass_launcher *launch = pass->cuda ? (pass_launcher *)cuda_part_function(pass->cuda) : NULL;
    if (!launch)
        return error_set(error, STATUS_UNAVAILABLE, "%s does not run on a GPU", pass->name);
    cuda_enter(space);
    return launch(space, pass, n, work, error);
}

static enum status cuda_run_columns(struct space *space, const struct pass *pass, int64_t n,
                                    const struct pass_columns *columns, struct error *error)
{
    pass_columns_launcher *launch =
        pass->cuda_columns ? (pass_columns_launcher *)cuda_part_function(pass->cuda_columns) : NULL;
    if (!launch)
        return error_set(error, STATUS_UNAVAILABLE, "%s does not run over columns on a GPU",
                         pass->name);
    cuda_enter(space);
    return launch(space, pass, n, columns, error);
}

/* Shared memory begins with its size: cudaHostAlloc takes a millisecond, so the last released block
 * is kept for the next solve. */
enum { SHARED_HEADER = 64 };

static enum status cuda_allocate_shared(struct space *space, int64_t bytes, const char *what,
                                        void **shared, struct error *error)
{
    struct space_cuda *cuda = entered(space);
    void *block = cuda->spare_shared;
    enum status status = STATUS_OK;
    *shared = NULL;
    if (block && *(int64_t *)block == bytes)
        cuda->spare_shared = NULL;
    else
        status = cuda_check(
            cudaHostAlloc(&block, (size_t)bytes + SHARED_HEADER, cudaHostAllocMapped), what, error);
    if (status)
        return status;
    *(int64_t *)block = bytes;
    *shared = (char *)block + SHARED_HEADER;
    memset(*shared, 0, (size_t)bytes);
    return STATUS_OK;
}

/* After pending work, which may write to the memory. */
static void cuda_release_shared(struct space *space, void *shared)
{
    struct space_cuda *cuda = entered(space);
    cudaStreamSynchronize(cuda->stream);
    if (!shared)
        return;
    cudaFreeHost(cuda->spare_shared);
    cuda->spare_shared = (char *)shared - SHARED_HEADER;
}

/* The iterations of one graph launch: enough to hide the cost of the launch, but few, because
 * kernels after the end of a solve are still launched, without work. Large vectors keep the device
 * busy with fewer. */
static int cuda_replay_times(const struct space *space, int64_t n)
{
    const struct space_cuda *cuda = (const struct space_cuda *)space;
    return n <= (int64_t)1 << 22 && !cuda->is_called ? 16 : 2;
}

/* Whether the space's sums are over this device only. */
static bool is_alone(const struct space_cuda *cuda)
{
    return !cuda->joining && !cuda->link;
}

static void destroy_recording(struct space_cuda *cuda)
{
    if (cuda->recording)
        cudaGraphExecDestroy(cuda->recording);
    cuda->recording = NULL;
}

/* A graph owns objects of NCCL, which are destroyed with it. Other graphs stay for instantiate. */
static void cuda_forget(struct space *space)
{
    struct space_cuda *cuda = entered(space);
    cudaStreamSynchronize(cuda->stream);
    if (!is_alone(cuda))
        destroy_recording(cuda);
}

static enum status wait(struct space_cuda *cuda, const char *what, struct error *error)
{
    return cuda_check(cudaStreamSynchronize(cuda->stream), what, error);
}

/* A hash of the types of the graph's nodes, in the order in which they were recorded; 0: it has
 * more than MOST. */
static uint64_t graph_shape(cudaGraph_t graph)
{
    enum { MOST = 1024 };
    cudaGraphNode_t nodes[MOST];
    size_t count = 0;
    uint64_t shape = 0xcbf29ce484222325; /* FNV-1a */
    if (cudaGraphGetNodes(graph, NULL, &count) != cudaSuccess || count > MOST ||
        cudaGraphGetNodes(graph, nodes, &count) != cudaSuccess)
        return 0;
    for (size_t k = 0; k < count; k++) {
        cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
        cudaGraphNodeGetType(nodes[k], &type);
        shape = (shape ^ (uint64_t)type) * 0x100000001b3;
    }
    return shape;
}

/* A second solve has the kernels of the first, with other arguments. An update of the graph costs a
 * fifth of a new graph, but needs the same shape. */
static enum status instantiate(struct space_cuda *cuda, cudaGraph_t graph, struct error *error)
{
    cudaGraphExecUpdateResultInfo told;
    uint64_t shape = graph_shape(graph);
    if (cuda->recording && shape && shape == cuda->recording_shape &&
        cudaGraphExecUpdate(cuda->recording, graph, &told) == cudaSuccess)
        return STATUS_OK;
    cudaGetLastError(); /* kernels that differ in more than their arguments */
    destroy_recording(cuda);
    cuda->recording_shape = shape;
    return cuda_check(cudaGraphInstantiate(&cuda->recording, graph, 0), "recording", error);
}

static enum status record_graph(struct space_cuda *cuda, space_work *work, void *context, int times,
                                struct error *error)
{
    enum status status = cuda_check(
        cudaStreamBeginCapture(cuda->stream, cudaStreamCaptureModeThreadLocal), "recording", error);
    if (status)
        return status;
    for (int k = 0; k < times && !status; k++)
        status = work(context, error);
    cudaGraph_t graph = NULL;
    cudaError_t ended = cudaStreamEndCapture(cuda->stream, &graph);
    if (!status)
        status = cuda_check(ended, "recording", error);
    if (!status)
        status = instantiate(cuda, graph, error);
    if (!status)
        status = cuda_check(cudaGraphUpload(cuda->recording, cuda->stream), "recording", error);
    if (graph)
        cudaGraphDestroy(graph);
    return status;
}

static enum status cuda_record(struct space *space, space_work *work, void *context, int times,
                               struct error *error)
{
    struct space_cuda *cuda = entered(space);
    cuda_forget(space);
    cuda_memory_return(cuda);
    cuda->replayed = {work, context, times};
    enum status status =
        cuda->is_called ? STATUS_OK : record_graph(cuda, work, context, times, error);
    return status ? status : wait(cuda, "recording", error);
}

static enum status call_again(struct space_cuda *cuda, struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < cuda->replayed.times && !status; k++)
        status = cuda->replayed.work(cuda->replayed.context, error);
    return status;
}

static enum status cuda_replay(struct space *space, struct error *error)
{
    struct space_cuda *cuda = entered(space);
    if (cuda->is_called)
        return call_again(cuda, error);
    return cuda_check(cudaGraphLaunch(cuda->recording, cuda->stream), "replaying a graph", error);
}

/* By two events on the stream, one before and one after the work. */
static enum status cuda_replay_timed(struct space *space, int64_t times, double *seconds,
                                     struct error *error)
{
    struct space_cuda *cuda = entered(space);
    cudaEvent_t begin = NULL, end = NULL;
    float milliseconds = 0;
    enum status status = cuda_check(cudaEventCreate(&begin), "an event", error);
    if (!status)
        status = cuda_check(cudaEventCreate(&end), "an event", error);
    if (!status)
        status = cuda_check(cudaEventRecord(begin, cuda->stream), "an event", error);
    for (int64_t k = 0; k < times && !status; k++)
        status = cuda_replay(space, error);
    if (!status)
        status = cuda_check(cudaEventRecord(end, cuda->stream), "an event", error);
    if (!status)
        status = cuda_check(cudaEventSynchronize(end), "the work that is timed", error);
    if (!status)
        status = cuda_check(cudaEventElapsedTime(&milliseconds, begin, end), "a time", error);
    *seconds = 1e-3 * (double)milliseconds;
    if (begin)
        cudaEventDestroy(begin);
    if (end)
        cudaEventDestroy(end);
    return status;
}

static enum status cuda_poll(struct space *space, struct error *error)
{
    cudaError_t result = cudaStreamQuery(entered(space)->stream);
    return result == cudaErrorNotReady ? STATUS_OK
                                       : cuda_check(result, "the work on its way", error);
}

static void cuda_destroy(struct space *space)
{
    if (!space)
        return;
    struct space_cuda *cuda = entered(space);
    bool alone = is_alone(cuda);
    cuda_forget(space);
    cuda_allreduce_setup_destroy(cuda);
    threads_destroy(space->threads);
    cuda_stock_put(cuda, alone);
}

static const struct space_operations cuda_operations = {
    .name = "cuda",
    .kind = SPACE_CUDA,
    .enter = cuda_enter,
    .fits = cuda_fits,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .upload = cuda_upload,
    .download = cuda_download,
    .run = cuda_run,
    .run_columns = cuda_run_columns,
    .allocate_shared = cuda_allocate_shared,
    .release_shared = cuda_release_shared,
    .record = cuda_record,
    .replay = cuda_replay,
    .replay_timed = cuda_replay_timed,
    .forget = cuda_forget,
    .replay_times = cuda_replay_times,
    .poll = cuda_poll,
    .destroy = cuda_destroy,
};

enum status space_cuda_create(const struct space_options *options, struct space **space,
                              struct error *error)
{
    *space = NULL;
    const char *reason = cuda_unavailable();
    if (reason)
        return error_set(error, STATUS_UNAVAILABLE, "%s", reason);
    int devices = space_cuda_devices();
    if (options->device < 0 || options->device >= devices)
        return error_set(error, STATUS_UNAVAILABLE, "no CUDA device %d: there are %d, from 0 on",
                         options->device, devices);
    struct space_cuda *cuda = NULL;
    enum status status = cuda_stock_take(options->device, &cuda, error);
    if (status)
        return status;
    cuda->base = (struct space){
        .operations = &cuda_operations, .reductions = options->reductions, .stream = cuda->stream};
    cuda->is_called = options->called;
    status = threads_create(options->threads, &cuda->base.threads, error);
    if (status)
        cuda_destroy(&cuda->base);
    else
        *space = &cuda->base;
    return status;
}
CUDA_PUT(space_cuda_create)
