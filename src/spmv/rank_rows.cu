/* What spmv/rank_rows.c does to rows of an A that is in a device's memory. */
#include "spmv/rank_rows.h"

#include "space/cuda_setup.cuh"
#include "spmv/csr_there.h"

#include <cub/cub.cuh>

static const char what[] = "the rows of a rank";

/* --- which rows of other ranks there are ------------------------------------------------------ */

__global__ static void __launch_bounds__(THREADS)
    mark_others(const __grid_constant__ struct csr A, int64_t first, int64_t last, uint8_t *marks)
{
    int64_t i = own_row();
    if (i >= last)
        return;
    if (i < first) {
        int64_t end, begin = rank_row_crosses(&A, first, last, i, &end);
        marks[i] = begin < end;
        return;
    }
    for (int64_t k = csr_place_from(&A, i, last); k < A.offsets[i + 1]; k++)
        marks[A.columns[k]] = 1; /* as others that meet here write */
}

enum status rank_rows_mark_there(struct space *space, const struct csr *A, int64_t first,
                                 int64_t last, uint8_t *marks, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    uint8_t *there = NULL;
    enum status status = zeros(cuda, A->n, sizeof *there, what, (void **)&there, error);
    if (!status && first < last) {
        mark_others<<<blocks_for(last), THREADS, 0, cuda->stream>>>(*A, first, last, there);
        status = cuda_check_launch(what, error);
    }
    if (!status)
        status = cuda_copy_down(cuda, A->n, there, marks, what, error);
    cuda_free(cuda, there);
    return status;
}

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

/* cut->local, by its offsets, whose last one is its entries. */
static enum status fill(struct space_cuda *space, struct rank_cut *cut, int64_t rows,
                        int64_t *lengths, struct error *error)
{
    int64_t nnz = 0;
    take_lengths<<<blocks_for(rows + 1), THREADS, 0, space->stream>>>(*cut, rows, lengths);
    enum status status = cuda_check_launch(what, error);
    if (!status)
        status = with_room(space, what, error, [&](void *room, size_t &bytes) {
            return cub::DeviceScan::ExclusiveSum(room, bytes, lengths, lengths, rows + 1,
                                                 space->stream);
        });
    if (!status)
        status = bring(space, what, lengths + rows, &nnz, error);
    if (!status)
        status = csr_there_create(&space->base, cut->A.kind, rows, nnz, &cut->local, error);
    if (!status)
        status = cuda_check(cudaMemcpyAsync(cut->local.offsets, lengths,
                                            (size_t)(rows + 1) * sizeof *lengths,
                                            cudaMemcpyDeviceToDevice, space->stream),
                            what, error);
    if (status || rows == 0)
        return status;
    fill_rows<<<blocks_for(rows), THREADS, 0, space->stream>>>(*cut);
    return cuda_check_launch(what, error);
}

enum status rank_rows_fill_there(struct space *space, const struct rank_cut *given, int64_t rows,
                                 struct csr *local, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    struct rank_cut cut = *given;
    int64_t *lengths = NULL;
    cut.places.others = cut.places.place = NULL;
    enum status status = cuda_put(cuda, given->places.others, cut.places.count, sizeof(int32_t),
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
