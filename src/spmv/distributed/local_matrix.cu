/* What spmv/distributed/local_matrix.c does to rows of an A that is in a device's memory. */
#include "spmv/distributed/local_matrix.h"

#include "space/cuda/cuda_setup.cuh"
#include "spmv/device_csr.h"

#include <cub/cub.cuh>

static const char what[] = "the rows of a rank";

/* --- which rows of other ranks there are ------------------------------------------------------ */

__global__ static void __launch_bounds__(THREADS)
    mark_below(const __grid_constant__ struct rank_source from, uint8_t *marks)
{
    int64_t i = from.below.base + own_row(), end;
    if (i >= from.first)
        return;
    int64_t begin = rank_row_crosses(&from, i, &end);
    marks[i - from.below.base] = begin < end;
}

__global__ static void __launch_bounds__(THREADS)
    mark_above(const __grid_constant__ struct rank_source from, int64_t begin, uint8_t *marks)
{
    int64_t i = begin + own_row(), end, shift = from.end.base - from.below.base;
    if (i >= from.last)
        return;
    for (int64_t k = rank_row_leaves(&from, i, &end); k < end; k++)
        marks[shift + from.end.A.columns[k]] = 1; /* as others that meet here write */
}

enum status local_matrix_mark_cuda(struct space *space, const struct rank_source *from,
                                   uint8_t *marks, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    int64_t width = rank_source_width(from), begin = rank_source_end(from);
    int64_t below = from->first - from->below.base, last = from->last - from->below.base;
    uint8_t *device = NULL;
    enum status status = zeros(cuda, width, sizeof *device, what, (void **)&device, error);
    if (!status && from->first < from->last && below > 0)
        mark_below<<<blocks_for(below), THREADS, 0, cuda->stream>>>(*from, device);
    if (!status && begin < from->last)
        mark_above<<<blocks_for(from->last - begin), THREADS, 0, cuda->stream>>>(*from, begin,
                                                                                 device);
    if (!status)
        status = cuda_check_launch(what, error);
    if (!status && below > 0)
        status = cuda_copy_down(cuda, below, device, marks, what, error);
    if (!status && last < width)
        status = cuda_copy_down(cuda, width - last, device + last, marks + last, what, error);
    cuda_free(cuda, device);
    return status;
}
CUDA_PUT(local_matrix_mark_cuda)

/* --- the matrix ------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    take_lengths(const __grid_constant__ struct rank_cut cut, int64_t rows, int64_t *lengths)
{
    int64_t r = own_row();
    if (r <= rows)
        lengths[r] = r < rows ? rank_row_length(&cut, r) : 0;
}

__global__ static void __launch_bounds__(THREADS)
    fill_rows(const __grid_constant__ struct rank_cut cut)
{
    int64_t r = own_row();
    if (r < cut.local.n)
        rank_row_fill(&cut, r);
}

/* The offsets of all rows, at lengths[rows + 1], and how many entries there are. */
static enum status take_offsets(struct space_cuda *space, struct rank_cut *cut, int64_t rows,
                                int64_t *lengths, int64_t *nnz, struct error *error)
{
    const struct csr *maker = cut->from.maker;
    int64_t *own = NULL;
    enum status status = STATUS_OK;
    if (maker) {
        status = cuda_array(space, cut->own + 1, sizeof *own, what, (void **)&own, error);
        struct csr made = {};
        made.n = cut->own;
        made.offsets = own;
        if (!status)
            status = device_csr_maker(maker)(maker->maker_options, space->stream, cut->from.first,
                                             0, &made, error);
        cut->own_offsets = own;
    }
    if (!status) {
        take_lengths<<<blocks_for(rows + 1), THREADS, 0, space->stream>>>(*cut, rows, lengths);
        status = cuda_check_launch(what, error);
    }
    if (!status)
        status = with_room(space, what, error, [&](void *room, size_t &bytes) {
            return cub::DeviceScan::ExclusiveSum(room, bytes, lengths, lengths, rows + 1,
                                                 space->stream);
        });
    if (!status)
        status = bring(space, what, lengths + rows, nnz, error);
    cuda_free(space, own);
    return status;
}

/* cut->local, by its offsets, whose last one is its entries. */
static enum status fill(struct space_cuda *space, struct rank_cut *cut, int64_t rows,
                        int64_t *lengths, struct error *error)
{
    const struct csr *maker = cut->from.maker;
    int64_t nnz = 0, first = cut->from.first, below = cut->places.below;
    enum status status = take_offsets(space, cut, rows, lengths, &nnz, error);
    if (!status)
        status =
            device_csr_create(&space->base, cut->from.below.A.kind, rows, nnz, &cut->local, error);
    if (!status)
        status = cuda_check(cudaMemcpyAsync(cut->local.offsets, lengths,
                                            (size_t)(rows + 1) * sizeof *lengths,
                                            cudaMemcpyDeviceToDevice, space->stream),
                            what, error);
    if (status || rows == 0)
        return status;
    if (maker) {
        struct csr own = cut->local;
        own.n = cut->own;
        own.offsets += below;
        status = device_csr_maker(maker)(maker->maker_options, space->stream, first, first - below,
                                         &own, error);
    }
    if (status)
        return status;
    fill_rows<<<blocks_for(rows), THREADS, 0, space->stream>>>(*cut);
    return cuda_check_launch(what, error);
}

enum status local_matrix_fill_cuda(struct space *space, const struct rank_cut *given, int64_t rows,
                                   struct csr *local, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    struct rank_cut cut = *given;
    int64_t *lengths = NULL;
    cut.places.others = NULL;
    cut.places.place = NULL;
    enum status status = cuda_put(cuda, given->places.others, cut.places.count, sizeof(int64_t),
                                  what, (void **)&cut.places.others, error);
    if (!status)
        status = cuda_put(cuda, given->places.place, cut.places.count, sizeof(int32_t), what,
                          (void **)&cut.places.place, error);
    if (!status)
        status = cuda_array(cuda, rows + 1, sizeof *lengths, what, (void **)&lengths, error);
    if (!status)
        status = fill(cuda, &cut, rows, lengths, error);
    *local = cut.local;
    cuda_free(cuda, lengths);
    cuda_free(cuda, cut.places.others);
    cuda_free(cuda, cut.places.place);
    return status;
}
CUDA_PUT(local_matrix_fill_cuda)
