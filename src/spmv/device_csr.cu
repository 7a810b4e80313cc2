#include "spmv/device_csr.h"

#include "base/hash.h"
#include "base/memory.h"
#include "matrix/implicit_rows.h"
#include "space/cuda/cuda_setup.cuh"

#include <stdlib.h>
#include <string.h>

struct distances {
    unsigned int count;
    int32_t of[CSR_DISTANCES_MAX];
};

__global__ static void __launch_bounds__(THREADS) mark_distances(const struct csr A, uint8_t *seen)
{
    int64_t i = own_row();
    if (i >= A.n)
        return;
    for (int64_t k = A.offsets[i]; k < A.offsets[i + 1]; k++) {
        int64_t distance = A.columns[k] - i;
        if (!seen[distance])
            seen[distance] = 1;
    }
}

__global__ static void __launch_bounds__(THREADS)
    list_distances(int64_t width, const uint8_t *seen, struct distances *found)
{
    int64_t d = own_row();
    if (d >= width || !seen[d])
        return;
    unsigned int at = atomicAdd(&found->count, 1);
    if (at < CSR_DISTANCES_MAX)
        found->of[at] = (int32_t)d;
}

static int ascending(const void *one, const void *two)
{
    int32_t a = *(const int32_t *)one, b = *(const int32_t *)two;
    return (a > b) - (a < b);
}

enum status device_csr_distances(struct space *space, const struct csr *A, int32_t **distances,
                                 int64_t *count, struct error *error)
{
    static const char *const what = "the diagonals";
    struct space_cuda *cuda = space_cuda_of(space);
    uint8_t *seen = NULL;
    struct distances *device = NULL, host = {};
    *distances = NULL;
    *count = 0;
    enum status status = zeros(cuda, A->width, 1, what, (void **)&seen, error);
    if (!status)
        status = zeros(cuda, 1, sizeof *device, what, (void **)&device, error);
    if (!status) {
        mark_distances<<<blocks_for(A->n), THREADS, 0, cuda->stream>>>(*A, seen);
        list_distances<<<blocks_for(A->width), THREADS, 0, cuda->stream>>>(A->width, seen, device);
        status = bring(cuda, what, device, &host, error);
    }
    cuda_free(cuda, seen);
    cuda_free(cuda, device);
    if (status)
        return status;
    *count = host.count <= CSR_DISTANCES_MAX ? host.count : CSR_DISTANCES_MAX + 1;
    *distances = (int32_t *)memory_array(*count, sizeof **distances, what, error);
    if (!*distances)
        return STATUS_MEMORY;
    if (host.count > CSR_DISTANCES_MAX)
        return STATUS_OK;
    qsort(host.of, host.count, sizeof *host.of, ascending);
    memcpy(*distances, host.of, host.count * sizeof *host.of);
    return STATUS_OK;
}

/* --- hashes -------------------------------------------------------------------------------- */

static const char *const hashing = "the hash of the matrix";

enum { CHAINS = 64 }; /* threads of a block, of which each hashes rows one after the other */

__global__ static void __launch_bounds__(CHAINS)
    look_at_blocks(const __grid_constant__ struct csr rows, int64_t first, int64_t count,
                   uint64_t *hashes, unsigned long long *zeros)
{
    int64_t k = blockIdx.x * (int64_t)CHAINS + threadIdx.x;
    if (k >= count)
        return;
    uint64_t hash = HASH_START;
    unsigned long long found = 0;
    int64_t begin = k * HASH_BLOCK, end = min(begin + HASH_BLOCK, rows.n);
    for (int64_t i = begin; i < end; i++) {
        int64_t at = rows.offsets[i], stop = rows.offsets[i + 1];
        found += rows.values[at] == 0;
        hash = hash_word(hash, (uint64_t)(stop - at));
        for (; at < stop; at++) {
            hash = hash_word(hash, (uint64_t)(first + rows.columns[at]));
            hash = hash_word(hash, (uint64_t)__double_as_longlong(rows.values[at]));
        }
    }
    hashes[k] = hash;
    if (found)
        atomicAdd(zeros, found);
}

/* `count` blocks from number `first` on. */
static enum status survey_part(struct space_cuda *cuda, const struct csr *A, int64_t first,
                               int64_t count, uint64_t *hashes, uint64_t *device,
                               unsigned long long *zeros, struct error *error)
{
    struct csr rows;
    int64_t begin = first * HASH_BLOCK, end = min(begin + count * HASH_BLOCK, A->n);
    enum status status = device_csr_make_rows(&cuda->base, A, begin, end, &rows, error);
    if (!status) {
        look_at_blocks<<<(unsigned int)((count + CHAINS - 1) / CHAINS), CHAINS, 0, cuda->stream>>>(
            rows, begin, count, device, zeros);
        status = cuda_check_launch(hashing, error);
    }
    if (!status)
        status =
            cuda_copy_down(cuda, count * (int64_t)sizeof *device, device, hashes, hashing, error);
    device_csr_free(&rows);
    return status;
}

/* As many blocks as fit and a device has threads for; 0: not one fits. */
static int64_t blocks_at_once(struct space *space, const struct csr *A)
{
    enum { MOST = 8192 };
    int64_t blocks = csr_hash_blocks(A), count = min(blocks, (int64_t)MOST);
    struct error ignored;
    while (count > 0 &&
           space->operations->fits(space, csr_bytes(A) / blocks * (count + 1), "", &ignored))
        count /= 2;
    return count;
}

enum status device_csr_count_and_hash_blocks(struct space *space, const struct csr *A,
                                             int64_t first, int64_t count, uint64_t *hashes,
                                             int64_t *zeros_found, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    uint64_t *device = NULL;
    unsigned long long *zero = NULL, found = 0;
    space_enter(space);
    int64_t at_once = blocks_at_once(space, A);
    if (at_once == 0)
        return csr_count_and_hash_blocks(A, first, count, hashes, zeros_found, error);
    enum status status =
        cuda_array(cuda, at_once, sizeof *device, hashing, (void **)&device, error);
    if (!status)
        status = zeros(cuda, 1, sizeof *zero, hashing, (void **)&zero, error);
    for (int64_t k = 0; k < count && !status; k += at_once)
        status = survey_part(cuda, A, first + k, min(count - k, at_once), hashes + k, device, zero,
                             error);
    if (!status)
        status = bring(cuda, hashing, zero, &found, error);
    *zeros_found += (int64_t)found;
    cuda_free(cuda, zero);
    cuda_free(cuda, device);
    return status;
}
CUDA_PUT(device_csr_count_and_hash_blocks)
