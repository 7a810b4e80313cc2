/* The matrix of aggregates by matching in the memory of a device: coarse.c and rescale.c, with
 * their bits. */
#include "precondition/multigrid/setup/setup_cuda_match.cuh"

#include "precondition/multigrid/setup/grid_rows.h"
#include "spmv/device_csr.h"

/* --- the sums --------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    list_terms(const struct coarse_terms by, const struct csr A, const int32_t *map, int64_t count)
{
    int64_t i = own_row();
    if (i < A.n)
        coarse_list(&by, &A, map, count, i);
}

__global__ static void __launch_bounds__(THREADS)
    add_terms(const struct coarse_terms by, int64_t nnz)
{
    int64_t p = own_row();
    if (p < nnz)
        coarse_sum(&by, nnz, p);
}

struct beginning {
    const uint64_t *places;
    uint64_t nowhere;
    int64_t nnz;

    __device__ int32_t operator()(int64_t p) const
    {
        return p < nnz && coarse_begins(places, nowhere, p);
    }
};

size_t setup_cuda_sum_bytes(int64_t nnz)
{
    size_t sort = sort_bytes<uint64_t, double>(nnz), numbers = number_bytes<struct beginning>(nnz);
    return sort > numbers ? sort : numbers;
}

enum status setup_cuda_sum(struct workplace *work, struct space *space, const struct csr *A,
                           bool squares, const int32_t *map, int64_t count, struct csr *coarse,
                           struct error *error)
{
    int32_t nnz = 0;
    struct coarse_terms by = {};
    by.squares = squares;
    by.shift = bits_for((uint64_t)count);
    by.places = work->places[0];
    by.values = work->terms[0];
    list_terms<<<blocks_for(A->n), THREADS, 0, work->stream>>>(by, *A, map, count);
    enum status status = cuda_check_launch(what_matching, error);
    if (!status)
        status = sort_pairs(work, work->places, work->terms, A->nnz, 2 * by.shift, error);
    by.places = work->places[0];
    by.values = work->terms[0];
    by.entries = work->numbers;
    if (!status)
        status = number(work, beginning{by.places, coarse_nowhere(count, by.shift), A->nnz}, A->nnz,
                        &nnz, error);
    if (!status && space)
        status = device_csr_create(space, CSR_SYMMETRIC, count, nnz, coarse, error);
    if (status)
        return status;
    coarse->kind = CSR_SYMMETRIC;
    coarse->n = coarse->width = count;
    coarse->nnz = nnz;
    coarse->space = A->space;
    by.coarse = *coarse;
    add_terms<<<blocks_for(A->nnz), THREADS, 0, work->stream>>>(by, A->nnz);
    return cuda_check_launch(what_matching, error);
}

/* --- the matrix of the level ------------------------------------------------------------------ */

/* S of every row, and the least: as the greatest of those with another sign. */
__global__ static void __launch_bounds__(THREADS)
    sum_rows(const struct csr full, int64_t block, double *sums, struct cuda_found *found)
{
    int64_t i = own_row();
    if (i < full.n)
        sums[i] = rescale_sum(&full, block, i);
    grow_most(&found->most[0], i < full.n ? ordered(-sums[i]) : 0);
}

__global__ static void __launch_bounds__(THREADS)
    rescale_rows(const struct csr full, const double *sums, double least, double of_sum,
                 double correction, int64_t block, const struct csr coarse)
{
    int64_t i = own_row();
    if (i >= full.n)
        return;
    double kept = rescale_kept(least, of_sum, rescale_most_of(correction), sums[i]);
    if (block > 1)
        rescale_blocks_row(&coarse, correction, kept, sums[i], i);
    else
        rescale_row(&full, correction, kept, &coarse, i);
}

enum status setup_cuda_rescale(struct workplace *work, struct space *space,
                               const struct rescaling *by, struct csr *coarse, struct error *error)
{
    unsigned int rows = blocks_for(coarse->n);
    double *sums = work->diagonal, of_sum = fmax(by->of_sum, 1 / by->correction);
    struct cuda_found found = {};
    enum status status = setup_cuda_expand(work, coarse, error);
    const struct csr *full = &work->expansion.full;
    if (!status)
        status =
            cuda_find(space, "a coarse matrix", &found, error,
                      [&](cudaStream_t stream, struct cuda_found *found) {
                          sum_rows<<<rows, THREADS, 0, stream>>>(*full, by->block, sums, found);
                      });
    if (status)
        return status;
    double least = rescale_mass(by->correction, by->block, -value_of(found.most[0]));
    rescale_rows<<<rows, THREADS, 0, work->stream>>>(*full, sums, least, of_sum, by->correction,
                                                     by->block, *coarse);
    return cuda_check_launch("a coarse matrix", error);
}
