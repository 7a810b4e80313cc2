/* The coarse matrix of a grid of several unknowns a cell. */
#include "precondition/multigrid/setup/block_rows.h"
#include "precondition/multigrid/setup/setup_cuda.cuh"

template <int K>
__global__ static void __launch_bounds__(THREADS)
    make_rows(const struct coarsening by, const struct block_rows rows, int64_t *offsets)
{
    int64_t I = own_row();
    if (I >= rows.n)
        return;
    double sums[PLACES_MAX * K];
    struct block_places places = block_row_make(&by, K, I, sums);
    if (I == 0)
        offsets[0] = 0;
    offsets[I + 1] = block_places_count(&places); /* a length: device_csr_complete */
    rows.places[I] = places;
    for (int p = 0; p <= rows.near.count; p++)
        for (int v = 0; v < K; v++)
            if (block_places_has(&places, p, v))
                rows.values[(p * K + v) * rows.n + I] = sums[p * K + v];
}

/* S of every row, and the least of rows begin <= I < end: as the greatest of those with another
 * sign. */
template <int K>
__global__ static void __launch_bounds__(THREADS)
    sum_rows(const struct block_rows rows, int64_t begin, int64_t end, double *sums,
             struct cuda_found *found)
{
    int64_t I = own_row();
    double sum = I < rows.n ? block_rows_sum(&rows, K, I) : 0;
    if (I < rows.n)
        sums[I] = sum;
    grow_most(&found->most[0], I >= begin && I < end ? ordered(-sum) : 0);
}

template <int K>
__global__ static void __launch_bounds__(THREADS)
    fill_rows(const struct block_rows rows, const double *sums, double least, double of_sum,
              const struct csr coarse)
{
    int64_t I = own_row();
    if (I >= rows.n)
        return;
    int64_t begin = coarse.offsets[I];
    double kept = rescale_kept(least, of_sum, rescale_most_of(rows.correction), sums[I]);
    block_rows_rescaled(&rows, K, I, sums[I], kept, coarse.columns + begin, coarse.values + begin);
}

/* Memory that goes when A_c is there. */
struct block_room {
    struct block_rows rows;
    double *sums;
};

static enum status take_room(struct space *space, const struct rescaling *by,
                             struct block_room *room, struct error *error)
{
    static const char *const what = "a coarse matrix";
    const struct cells *cells = by->cells;
    struct block_rows *rows = &room->rows;
    *rows = {.cells = *cells,
             .near = neighbours_of(cells),
             .n = cells->n[0] * cells->n[1] * cells->n[2] * by->block,
             .correction = by->correction};
    enum status status =
        cuda_array(space_cuda_of(space), (1 + rows->near.count) * by->block * rows->n,
                   sizeof(double), what, (void **)&rows->values, error);
    if (!status)
        status = cuda_array(space_cuda_of(space), rows->n, sizeof *rows->places, what,
                            (void **)&rows->places, error);
    if (!status)
        status = cuda_array(space_cuda_of(space), rows->n, sizeof(double), what,
                            (void **)&room->sums, error);
    return status;
}

template <int K>
static enum status coarsen(struct space *space, const struct csr *A, const struct rescaling *by,
                           const struct block_room *room, struct csr *coarse, struct error *error)
{
    static const char *const what = "a coarse matrix";
    const struct cells *cells = by->cells;
    const struct block_rows *rows = &room->rows;
    struct cells fine = {.n = {cells->before[0], cells->before[1], cells->before[2]}, .block = 1};
    struct coarsening from = {*A, *cells, neighbours_of(&fine), rows->near, true};
    double of_sum = fmax(by->of_sum, 1 / by->correction);
    struct slab_rows looked = rescaling_rows(by, rows->n);
    struct cuda_found device = {};
    double least = 0;
    enum status status = device_csr_begin(space, CSR_SYMMETRIC, rows->n, coarse, error);
    if (!status)
        status = cuda_find(
            space, what, &device, error, [&](cudaStream_t stream, struct cuda_found *found) {
                make_rows<K>
                    <<<blocks_for(rows->n), THREADS, 0, stream>>>(from, *rows, coarse->offsets);
                sum_rows<K><<<blocks_for(rows->n), THREADS, 0, stream>>>(
                    *rows, looked.begin, looked.end, room->sums, found);
            });
    struct found found = found_of(&device);
    if (!status)
        status = rescaling_mass(by, &found, &least, error);
    if (!status)
        status = device_csr_complete(coarse, error);
    if (status)
        return status;
    fill_rows<K><<<blocks_for(rows->n), THREADS, 0, space_cuda_of(space)->stream>>>(
        *rows, room->sums, least, of_sum, *coarse);
    return cuda_check_launch(what, error);
}

enum status setup_cuda_coarsen_blocks(struct space *space, const struct csr *A,
                                      const struct rescaling *by, struct csr *coarse,
                                      struct error *error)
{
    static decltype(&coarsen<2>)
        const coarsens[] = {coarsen<2>, coarsen<3>, coarsen<4>, coarsen<5>, coarsen<6>};
    static_assert(SYM_BLOCK_MIN == 2 && BLOCK_MAX == 1 + sizeof coarsens / sizeof *coarsens);
    struct block_room room = {};
    enum status status = take_room(space, by, &room, error);
    if (!status)
        status = coarsens[by->block - SYM_BLOCK_MIN](space, A, by, &room, coarse, error);
    cuda_free(space_cuda_of(space), room.rows.values);
    cuda_free(space_cuda_of(space), room.rows.places);
    cuda_free(space_cuda_of(space), room.sums);
    return status;
}
