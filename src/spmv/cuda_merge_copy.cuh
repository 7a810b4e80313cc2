/* Arrays copied into shared memory for cuda_merge_tile.cuh, by the units of a device that does that beside
 * its threads (compute capability 9.0), or by the threads. Whole pieces of 16 bytes are copied, so what is around
 * an array's part comes along: an array must have 16 readable bytes behind its end (spmv/cuda_csr.h). */
#ifndef SPMV_CUDA_MERGE_COPY_CUH
#define SPMV_CUDA_MERGE_COPY_CUH

#include <cuda/ptx>
#include <stdint.h>

enum {
    MERGE_COPY_PIECE = 16,
    MERGE_COPY_SLACK = 2 * MERGE_COPY_PIECE, /* what a copy may be longer than what it is for */
};

/* Elements first, ..., first + count - 1 of an array, and where they will be. */
template <typename Element> struct merge_copied {
    enum { WHOLE = MERGE_COPY_PIECE / sizeof(Element) };
    const Element *from;
    Element *to;
    int skipped, count; /* elements before the first one that come along */
    uint32_t bytes;

    __device__ merge_copied(const Element *array, int64_t first, int count, void *place)
        : to((Element *)place), skipped((int)((uint64_t)first % WHOLE)), count(count)
    {
        from = array + (first - skipped);
        bytes = (uint32_t)((skipped + count + WHOLE - 1) / WHOLE * MERGE_COPY_PIECE);
    }
    __device__ const Element *first() const
    {
        return to + skipped;
    }
    __device__ void *behind() const
    {
        return (unsigned char *)to + bytes;
    }
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

struct merge_arrival {
    uint64_t barrier;
};

/* By all threads of the block; then they have to be synchronised before the copy. */
__device__ static inline void merge_copy_prepare(merge_arrival &arrival)
{
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&arrival.barrier, 1);
        cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
    }
}

template <typename Element>
__device__ static void merge_copy_send(merge_arrival &arrival, const merge_copied<Element> &copied)
{
    if (copied.bytes > 0)
        cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, copied.to,
                                 copied.from, copied.bytes, &arrival.barrier);
}

/* By all threads of the block, once: all three arrays are there when it returns. */
template <typename A, typename B, typename C>
__device__ static void merge_copy(merge_arrival &arrival, const merge_copied<A> &a,
                                  const merge_copied<B> &b, const merge_copied<C> &c)
{
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                             cuda::ptx::space_shared, &arrival.barrier,
                                             a.bytes + b.bytes + c.bytes);
        merge_copy_send(arrival, b);
        merge_copy_send(arrival, a);
        merge_copy_send(arrival, c);
    }
    while (!cuda::ptx::mbarrier_try_wait_parity(&arrival.barrier, 0))
        ;
}

#else

struct merge_arrival {
};

__device__ static inline void merge_copy_prepare(merge_arrival &)
{
}

template <typename Element>
__device__ static void merge_copy_send(const merge_copied<Element> &copied)
{
    const uint4 *from = (const uint4 *)copied.from;
    uint4 *to = (uint4 *)copied.to;
    for (uint32_t piece = threadIdx.x; piece < copied.bytes / MERGE_COPY_PIECE; piece += blockDim.x)
        to[piece] = from[piece];
}

template <typename A, typename B, typename C>
__device__ static void merge_copy(merge_arrival &, const merge_copied<A> &a,
                                  const merge_copied<B> &b, const merge_copied<C> &c)
{
    merge_copy_send(b);
    merge_copy_send(a);
    merge_copy_send(c);
    __syncthreads();
}

#endif
#endif
