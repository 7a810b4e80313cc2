/* What the .cu files share that make a level by matching. */
#ifndef PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_MATCH_CUH
#define PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_MATCH_CUH

#include "precondition/multigrid/setup/graph_rows.h"
#include "precondition/multigrid/setup/setup_cuda.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

/* The memory of a level's set-up: one allocation. Of pairs, the first one is sorted. */
struct workplace {
    cudaStream_t stream;
    char *memory;

    struct csr passes[2]; /* the matrices between passes; before one is made, its graph's nodes */
    int32_t *map;         /* [n]: of a pass behind the first; before, the nodes of rows */
    int32_t *numbers;     /* [nnz + 1]: sums of what begins */
    char *library;        /* of cub */
    size_t cub_bytes;

    /* A graph, */
    struct expansion expansion;
    uint32_t *columns[2], *order[2]; /* [nnz] */
    struct graph graph;              /* both is expansion.full */
    double *diagonal;                /* [n] */

    /* and in the same place the terms of a coarse matrix. */
    uint64_t *places[2]; /* [nnz] */
    double *terms[2];    /* [nnz] */
};

static const char *const what_matching = "aggregates by matching";

/* By the lowest bits of the keys, stably. */
template <typename Key, typename Value>
static enum status sort_pairs(const struct workplace *work, Key *keys[2], Value *values[2],
                              int64_t count, int bits, struct error *error)
{
    cub::DoubleBuffer<Key> both_keys(keys[0], keys[1]);
    cub::DoubleBuffer<Value> both_values(values[0], values[1]);
    size_t bytes = work->cub_bytes;
    enum status status =
        cuda_check(cub::DeviceRadixSort::SortPairs(work->library, bytes, both_keys, both_values,
                                                   (int)count, 0, bits, work->stream),
                   what_matching, error);
    keys[0] = both_keys.Current();
    keys[1] = both_keys.Alternate();
    values[0] = both_values.Current();
    values[1] = both_values.Alternate();
    return status;
}

template <typename Key, typename Value> static size_t sort_bytes(int64_t count)
{
    cub::DoubleBuffer<Key> keys(NULL, NULL);
    cub::DoubleBuffer<Value> values(NULL, NULL);
    size_t bytes = 0;
    cub::DeviceRadixSort::SortPairs(NULL, bytes, keys, values, (int)count);
    return bytes;
}

/* numbers[k] = begins(0) + ... + begins(k - 1), k <= count; begins(count) is asked for too. */
template <typename Begins>
static enum status number(const struct workplace *work, Begins begins, int64_t count, int32_t *sum,
                          struct error *error)
{
    auto all = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), begins);
    size_t bytes = work->cub_bytes;
    enum status status =
        cuda_check(cub::DeviceScan::ExclusiveSum(work->library, bytes, all, work->numbers,
                                                 (int)count + 1, work->stream),
                   what_matching, error);
    if (!status)
        status = cuda_check(cudaMemcpyAsync(sum, work->numbers + count, sizeof *sum,
                                            cudaMemcpyDeviceToHost, work->stream),
                            what_matching, error);
    return status ? status : cuda_check(cudaStreamSynchronize(work->stream), what_matching, error);
}

template <typename Begins> static size_t number_bytes(int64_t count)
{
    auto all = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), Begins());
    size_t bytes = 0;
    cub::DeviceScan::ExclusiveSum(NULL, bytes, all, (int32_t *)NULL, (int)count + 1);
    return bytes;
}

/* Both triangles of A, in work->expansion.full. */
enum status setup_cuda_expand(struct workplace *work, const struct csr *A, struct error *error);

/* The bytes of `library` for sums of a matrix with so many entries. */
size_t setup_cuda_sum_bytes(int64_t nnz);

/* A_c, or that of the squares of A's values, made by device_csr_create where `space` is given, else
 * in the arrays of *coarse. */
enum status setup_cuda_sum(struct workplace *work, struct space *space, const struct csr *A,
                           bool squares, const int32_t *map, int64_t count, struct csr *coarse,
                           struct error *error);

/* A_c becomes the matrix of the level. */
enum status setup_cuda_rescale(struct workplace *work, struct space *space,
                               const struct rescaling *by, struct csr *coarse, struct error *error);

#endif
