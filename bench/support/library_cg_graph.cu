/* The loop as one CUDA graph: a kernel that decides if there is anything to do, then a WHILE node
 * whose body is an iteration, recorded from the libraries' calls. The host launches it once a
 * solve. */
#include "bench/support/library_cg_parts.h"

#include "base/clock.h"

#include <stdio.h>

#if CUDART_VERSION >= 13000

__global__ static void enter(cudaGraphConditionalHandle again, const struct library_scalars *s)
{
    cudaGraphSetConditional(again, library_goes_on(s));
}

__global__ static void set_beta(cudaGraphConditionalHandle again, struct library_scalars *s,
                                double *history)
{
    library_advance(s, history);
    cudaGraphSetConditional(again, library_goes_on(s));
}

typedef enum status part(struct library_cg *cg, cudaGraphConditionalHandle again,
                         struct error *error);

static enum status entry(struct library_cg *cg, cudaGraphConditionalHandle again,
                         struct error *error)
{
    enter<<<1, 1, 0, cg->matrix->space->stream>>>(again, cg->scalars);
    return cuda_check_launch("the entry of the loop", error);
}

static enum status iteration(struct library_cg *cg, cudaGraphConditionalHandle again,
                             struct error *error)
{
    enum status status = library_device_to_residual(cg, error);
    if (!status) {
        set_beta<<<1, 1, 0, cg->matrix->space->stream>>>(again, cg->scalars, cg->history);
        status = cuda_check_launch("beta", error);
    }
    return status ? status : library_device_to_direction(cg, error);
}

/* Relaxed: what a library does beside its launches, such as loading code, is done and not
 * refused. */
static enum status record_part(struct library_cg *cg, cudaGraph_t graph, part *work,
                               cudaGraphConditionalHandle again, struct error *error)
{
    cudaStream_t stream = cg->matrix->space->stream;
    enum status status = cuda_check(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr,
                                                                  0, cudaStreamCaptureModeRelaxed),
                                    "recording into a graph", error);
    if (status)
        return status;
    status = work(cg, again, error);
    cudaGraph_t same;
    cudaError_t ended =
        cudaStreamEndCapture(stream, &same); /* in any case: the stream is used on */
    if (status)
        cudaGetLastError(); /* told by the part that failed */
    return status ? status : cuda_check(ended, "the end of recording", error);
}

/* Behind the only node of the graph; *body is the node's. */
static enum status add_while(cudaGraph_t graph, cudaGraphConditionalHandle again, cudaGraph_t *body,
                             struct error *error)
{
    cudaGraphNode_t first, node;
    size_t count = 1;
    enum status status =
        cuda_check(cudaGraphGetNodes(graph, &first, &count), "the graph's node", error);
    if (!status && count != 1)
        status = error_set(error, STATUS_DEVICE, "CUDA: recording a launch made %zu nodes", count);
    if (status)
        return status;
    struct cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional}; /* zeros else */
    parameters.conditional.handle = again;
    parameters.conditional.type = cudaGraphCondTypeWhile;
    parameters.conditional.size = 1;
    status = cuda_check(cudaGraphAddNode(&node, graph, &first, nullptr, 1, &parameters),
                        "a conditional WHILE node", error);
    if (!status)
        *body = parameters.conditional.phGraph_out[0];
    return status;
}

/* Code that is loaded at its first launch is loaded before something is recorded. The libraries'
 * has been: the loop without a graph was tried. */
static enum status load_kernels(struct error *error)
{
    struct cudaFuncAttributes ignored;
    enum status status =
        cuda_check(cudaFuncGetAttributes(&ignored, enter), "conditional graphs", error);
    if (!status)
        status = cuda_check(cudaFuncGetAttributes(&ignored, set_beta), "conditional graphs", error);
    return status;
}

static enum status record(struct library_cg *cg, struct error *error)
{
    cudaStream_t stream = cg->matrix->space->stream;
    cudaGraphConditionalHandle again;
    cudaGraph_t body = nullptr;
    enum status status = load_kernels(error);
    if (!status)
        status = library_scalars_on_device(cg, true, error);
    if (!status)
        status = cuda_check(cudaGraphCreate(&cg->source, 0), "a graph", error);
    if (!status) /* `enter` gives it its value */
        status = cuda_check(cudaGraphConditionalHandleCreate(&again, cg->source, 0, 0),
                            "a conditional handle", error);
    if (!status)
        status = record_part(cg, cg->source, entry, again, error);
    if (!status)
        status = add_while(cg->source, again, &body, error);
    if (!status)
        status = record_part(cg, body, iteration, again, error);
    if (!status)
        status = cuda_check(cudaGraphInstantiate(&cg->graph, cg->source, 0),
                            "making the conditional graph", error);
    if (!status)
        status = cuda_check(cudaGraphUpload(cg->graph, stream), "the graph", error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(stream), "the graph", error);
    return status;
}

/* Loops in a graph came with CUDA 12.3, their recording with 12.4. */
static enum status check_driver(struct error *error)
{
    int driver = 0;
    enum status status = cuda_check(cudaDriverGetVersion(&driver), "the driver", error);
    if (!status && driver < 12040)
        status = error_set(error, STATUS_UNAVAILABLE,
                           "the driver is for CUDA %d.%d and knows no conditional graph nodes",
                           driver / 1000, driver % 1000 / 10);
    return status;
}

#else

static enum status check_driver(struct error *error)
{
    return error_set(error, STATUS_UNAVAILABLE, "conditional graphs need a build with CUDA 13");
}

static enum status record(struct library_cg *, struct error *)
{
    return STATUS_UNAVAILABLE;
}

#endif

void library_graph_destroy(struct library_cg *cg)
{
    if (cg->graph)
        cudaGraphExecDestroy(cg->graph);
    if (cg->source)
        cudaGraphDestroy(cg->source);
    cg->graph = nullptr;
    cg->source = nullptr;
}

void library_graph_create(struct library_cg *cg)
{
    double begin = clock_seconds();
    enum status status = check_driver(&cg->no_graph);
    if (!status)
        status = record(cg, &cg->no_graph);
    cg->recording_seconds = clock_seconds() - begin;
    if (status) {
        library_graph_destroy(cg);
        fprintf(stderr, "without the libraries' loop as one graph: %s\n", cg->no_graph.text);
    }
}

enum status library_graph_solve(struct library_cg *cg, int64_t *iterations, double *rho,
                                double *seconds, struct error *error)
{
    cudaStream_t stream = cg->matrix->space->stream;
    enum status status = library_device_start(cg, cg->max_iterations, error);
    double begin = clock_seconds();
    if (!status)
        status = cuda_check(cudaGraphLaunch(cg->graph, stream), "the graph", error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(stream), "the graph", error);
    *seconds = clock_seconds() - begin;
    return status ? status : library_device_result(cg, 0, iterations, rho, error);
}
