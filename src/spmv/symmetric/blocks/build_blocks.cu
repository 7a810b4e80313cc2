#include "spmv/symmetric/blocks/cuda_sym_blocks.h"

#include "space/cuda/cuda_setup.cuh"
#include "spmv/symmetric/blocks/sym_blocks_row.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

/* f.operator()<K>() for K = k. */
template <typename F> static void with_k(int k, F f)
{
    switch (k) {
    case 2:
        return f.template operator()<2>();
    case 3:
        return f.template operator()<3>();
    case 4:
        return f.template operator()<4>();
    case 5:
        return f.template operator()<5>();
    default:
        return f.template operator()<6>();
    }
}

/* --- how many blocks -------------------------------------------------------------------------- */

/* Of each row where counts is not NULL, of all of them where total is not. */
template <int K>
__global__ static void __launch_bounds__(THREADS)
    count_rows(const struct csr A, int64_t rows, int32_t *counts, unsigned long long *total)
{
    int64_t row = own_row();
    unsigned int count = row < rows ? sym_blocks_count(&A, K, row) : 0;
    if (counts && row <= rows)
        counts[row] = (int32_t)count; /* behind the last one 0 */
    if (!total)
        return;
    grow_sum(total, count);
}

static void launch_count(struct space_cuda *space, const struct csr *A, int k, int32_t *counts,
                         unsigned long long *total)
{
    int64_t rows = A->n / k;
    with_k(k, [&]<int K>() {
        count_rows<K><<<blocks_for(rows + 1), THREADS, 0, space->stream>>>(*A, rows, counts, total);
    });
}

enum status cuda_sym_blocks_find(struct space_cuda *space, const struct csr *A, bool wanted, int *k,
                                 int64_t *blocks, struct error *error)
{
    static const char *const what = "the blocks";
    unsigned long long *device = NULL;
    int64_t host[SYM_BLOCK_MAX + 1] = {}, bytes;
    static_assert(sizeof *host == sizeof *device);
    enum status status =
        cuda_array(space, SYM_BLOCK_MAX + 1, sizeof *device, what, (void **)&device, error);
    if (!status)
        status = cuda_check(cudaMemsetAsync(device, 0, sizeof host, space->stream), what, error);
    for (int m = SYM_BLOCK_MIN; m <= SYM_BLOCK_MAX && !status; m++)
        if (A->n % m == 0) {
            launch_count(space, A, m, NULL, device + m);
            status = cuda_check_launch(what, error);
        }
    if (!status)
        status = cuda_copy_down(space, sizeof host, device, host, what, error);
    cuda_free(space, device);
    *k = status ? 0 : sym_blocks_best_of(A->n, host, &bytes);
    if (*k && !wanted && !sym_blocks_save(bytes, A->nnz))
        *k = 0;
    *blocks = host[*k];
    return status;
}

/* --- the arrays ------------------------------------------------------------------------------- */

template <int K, typename Value>
__global__ static void __launch_bounds__(THREADS)
    fill_rows(const struct csr A, const struct by_blocks kept, struct mirrored *mirrored)
{
    int64_t row = own_row();
    if (row >= kept.rows)
        return;
    Value *to = (Value *)kept.diagonals + row * (K * (K + 1) / 2);
    struct sym_blocks_cursor cursor = sym_blocks_open(&A, K, row);
#pragma unroll
    for (int u = 0; u < K; u++)
#pragma unroll
        for (int c = u; c < K; c++)
            *to++ = (Value)sym_blocks_take(&A, u, row * K + c, &cursor);
    for (int32_t p = kept.offsets[row]; p < kept.offsets[row + 1]; p++) {
        int64_t column = sym_blocks_next(&A, K, &cursor);
        to = (Value *)kept.values + (int64_t)p * (K * K);
        kept.columns[p] = (int32_t)column;
        mirrored[p].row = (int32_t)row;
        mirrored[p].place = p;
#pragma unroll
        for (int u = 0; u < K; u++)
#pragma unroll
            for (int c = 0; c < K; c++)
                to[K % 2 ? c * K + u : u * K + c] =
                    (Value)sym_blocks_take(&A, u, column * K + c, &cursor);
    }
}

/* offsets[rows + 1], by counts that come to stand in lower_offsets for now. */
static enum status make_offsets(const struct csr *A, struct by_blocks *kept, struct error *error)
{
    static const char *const what = "the row offsets";
    cudaStream_t stream = kept->space->stream;
    launch_count(kept->space, A, kept->k, kept->lower_offsets, NULL);
    enum status status = cuda_check_launch(what, error);
    return status ? status : with_room(kept->space, what, error, [&](void *room, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(room, bytes, kept->lower_offsets, kept->offsets,
                                             kept->rows + 1, stream);
    });
}

/* The blocks by their columns, and in each column by ascending rows, as they come: the sort keeps
 * the order of equals. */
static enum status sort_mirrored(struct by_blocks *kept, const struct mirrored *mirrored,
                                 struct error *error)
{
    static const char *const what = "the mirrored blocks";
    cudaStream_t stream = kept->space->stream;
    int32_t *sorted = NULL;
    int bits = bits_for(kept->rows);
    enum status status =
        cuda_array(kept->space, kept->blocks, sizeof *sorted, what, (void **)&sorted, error);
    if (!status)
        status = with_room(kept->space, what, error, [&](void *room, size_t &bytes) {
            return cub::DeviceRadixSort::SortPairs(room, bytes, (const uint32_t *)kept->columns,
                                                   (uint32_t *)sorted, mirrored, kept->lower,
                                                   kept->blocks, 0, bits, stream);
        });
    if (!status) {
        find_offsets<<<blocks_for(kept->rows + 1), THREADS, 0, stream>>>(
            kept->rows, kept->blocks, sorted, kept->lower_offsets);
        status = cuda_check_launch(what, error);
    }
    cuda_free(kept->space, sorted);
    return status;
}

enum status cuda_sym_blocks_fill(const struct csr *A, struct by_blocks *kept, struct error *error)
{
    static const char *const what = "the matrix by blocks";
    size_t value = kept->singles ? sizeof(float) : sizeof(double), k = (size_t)kept->k;
    struct mirrored *mirrored = NULL;
    const struct {
        int64_t count;
        size_t size;
        void *device;
    } arrays[] = {{kept->rows + 1, sizeof(int32_t), &kept->offsets},
                  {kept->rows + 1, sizeof(int32_t), &kept->lower_offsets},
                  {kept->blocks, sizeof(int32_t), &kept->columns},
                  {kept->blocks, sizeof *mirrored, &kept->lower},
                  {kept->blocks, k * k * value, &kept->values},
                  {kept->rows, k * (k + 1) / 2 * value, &kept->diagonals},
                  {kept->blocks, sizeof *mirrored, &mirrored}};
    enum status status = STATUS_OK;
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays && !status; a++)
        status = cuda_array(kept->space, arrays[a].count, arrays[a].size, what,
                            (void **)arrays[a].device, error);
    if (!status)
        status = make_offsets(A, kept, error);
    if (!status) {
        with_k(kept->k, [&]<int K>() {
            unsigned int blocks = blocks_for(kept->rows);
            if (kept->singles)
                fill_rows<K, float>
                    <<<blocks, THREADS, 0, kept->space->stream>>>(*A, *kept, mirrored);
            else
                fill_rows<K, double>
                    <<<blocks, THREADS, 0, kept->space->stream>>>(*A, *kept, mirrored);
        });
        status = cuda_check_launch(what, error);
    }
    if (!status)
        status = sort_mirrored(kept, mirrored, error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(kept->space->stream), what, error);
    cuda_free(kept->space, mirrored);
    return status;
}
