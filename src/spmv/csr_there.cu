#include "spmv/csr_there.h"

#include "base/memory.h"
#include "space/cuda_setup.cuh"

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
    list_distances(int64_t n, const uint8_t *seen, struct distances *found)
{
    int64_t d = own_row();
    if (d >= n || !seen[d])
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

enum status csr_there_distances(struct space *space, const struct csr *A, int32_t **distances,
                                int64_t *count, struct error *error)
{
    static const char *const what = "the diagonals";
    struct space_cuda *cuda = space_cuda_of(space);
    uint8_t *seen = NULL;
    struct distances *there = NULL, here = {};
    *distances = NULL;
    *count = 0;
    enum status status = zeros(cuda, A->n, 1, what, (void **)&seen, error);
    if (!status)
        status = zeros(cuda, 1, sizeof *there, what, (void **)&there, error);
    if (!status) {
        mark_distances<<<blocks_for(A->n), THREADS, 0, cuda->stream>>>(*A, seen);
        list_distances<<<blocks_for(A->n), THREADS, 0, cuda->stream>>>(A->n, seen, there);
        status = bring(cuda, what, there, &here, error);
    }
    cuda_free(cuda, seen);
    cuda_free(cuda, there);
    if (status)
        return status;
    *count = here.count <= CSR_DISTANCES_MAX ? here.count : CSR_DISTANCES_MAX + 1;
    *distances = (int32_t *)memory_array(*count, sizeof **distances, what, error);
    if (!*distances)
        return STATUS_MEMORY;
    if (here.count > CSR_DISTANCES_MAX)
        return STATUS_OK;
    qsort(here.of, here.count, sizeof *here.of, ascending);
    memcpy(*distances, here.of, here.count * sizeof *here.of);
    return STATUS_OK;
}
