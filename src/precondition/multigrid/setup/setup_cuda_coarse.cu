/* The coarse matrix of a grid by places: on a device a sort of its terms takes longer, and on the
 * host so does this, beside strips of rows (coarse.c). */
#include "precondition/multigrid/setup/setup_cuda.cuh"

#include "precondition/multigrid/setup/grid_rows.h"

__global__ static void __launch_bounds__(THREADS)
    make_rows(const struct coarsening by, const struct grid_rows rows, int64_t *offsets)
{
    int64_t I = own_row();
    if (I >= rows.n)
        return;
    double sums[PLACES_MAX];
    unsigned int places = coarse_row(&by, I, sums);
    if (I == 0)
        offsets[0] = 0;
    offsets[I + 1] = grid_rows_count(places); /* a length: device_csr_complete */
    rows.places[I] = places;
    for (int p = 0; p <= rows.near.count; p++)
        if (grid_rows_has(&rows, I, p))
            rows.values[p * rows.n + I] = sums[p];
}

/* S of every row, and the least of rows begin <= I < end: as the greatest of those with another
 * sign. */
__global__ static void __launch_bounds__(THREADS)
    sum_rows(const struct grid_rows rows, int64_t begin, int64_t end, double *sums,
             struct cuda_found *found)
{
    int64_t I = own_row();
    if (I < rows.n)
        sums[I] = grid_rows_sum(&rows, I);
    grow_most(&found->most[0], I >= begin && I < end ? ordered(-sums[I]) : 0);
}

__global__ static void __launch_bounds__(THREADS)
    fill_rows(const struct grid_rows rows, const double *sums, double least, double of_sum,
              const struct csr coarse)
{
    int64_t I = own_row();
    if (I >= rows.n)
        return;
    int64_t begin = coarse.offsets[I];
    double kept = rescale_kept(least, of_sum, rows.most, sums[I]);
    grid_rows_rescaled(&rows, I, kept, coarse.columns + begin, coarse.values + begin);
}

/* Memory that goes when A_c is there. */
struct room {
    struct grid_rows rows;
    double *sums;
};

static enum status take_room(struct space *space, const struct rescaling *by, int64_t n,
                             struct room *room, struct error *error)
{
    static const char *const what = "a coarse matrix";
    struct grid_rows *rows = &room->rows;
    *rows = {.cells = *by->cells,
             .near = neighbours_of(by->cells),
             .n = n,
             .correction = by->correction,
             .most = rescale_most(rescaling_cells(by), by->correction)};
    enum status status = cuda_array(space_cuda_of(space), (1 + rows->near.count) * n,
                                    sizeof(double), what, (void **)&rows->values, error);
    if (!status)
        status = cuda_array(space_cuda_of(space), n, sizeof *rows->places, what,
                            (void **)&rows->places, error);
    if (!status)
        status =
            cuda_array(space_cuda_of(space), n, sizeof(double), what, (void **)&room->sums, error);
    return status;
}

static void leave_room(struct space *space, struct room *room)
{
    cuda_free(space_cuda_of(space), room->rows.values);
    cuda_free(space_cuda_of(space), room->rows.places);
    cuda_free(space_cuda_of(space), room->sums);
}

static enum status coarse_matrix(struct space *space, const struct csr *A,
                                 const struct rescaling *by, struct room *room, struct csr *coarse,
                                 struct error *error)
{
    const struct cells *cells = by->cells;
    struct cells fine = {.n = {cells->before[0], cells->before[1], cells->before[2]}, .block = 1};
    struct grid_rows *rows = &room->rows;
    struct coarsening from = {*A, *cells, neighbours_of(&fine), rows->near,
                              rescaling_crosses(by, A)};
    double of_sum = fmax(by->of_sum, 1 / by->correction);
    struct slab_rows looked = rescaling_rows(by, rows->n);
    struct cuda_found device = {};
    double least = 0;
    enum status status = device_csr_begin(space, CSR_SYMMETRIC, rows->n, coarse, error);
    if (!status)
        status = cuda_find(space, "a coarse matrix", &device, error,
                           [&](cudaStream_t stream, struct cuda_found *found) {
                               make_rows<<<blocks_for(rows->n), THREADS, 0, stream>>>(
                                   from, *rows, coarse->offsets);
                               sum_rows<<<blocks_for(rows->n), THREADS, 0, stream>>>(
                                   *rows, looked.begin, looked.end, room->sums, found);
                           });
    struct found found = found_of(&device);
    if (!status)
        status = rescaling_mass(by, &found, &least, error);
    if (!status)
        status = device_csr_complete(coarse, error);
    if (status)
        return status;
    fill_rows<<<blocks_for(rows->n), THREADS, 0, space_cuda_of(space)->stream>>>(
        *rows, room->sums, least, of_sum, *coarse);
    return cuda_check_launch("a coarse matrix", error);
}

enum status setup_cuda_coarsen(struct space *space, const struct csr *A, const struct rescaling *by,
                               struct csr *coarse, struct error *error)
{
    struct room room = {};
    if (by->block > 1)
        return setup_cuda_coarsen_blocks(space, A, by, coarse, error);
    enum status status = take_room(space, by, cells_count(by->cells), &room, error);
    if (!status)
        status = coarse_matrix(space, A, by, &room, coarse, error);
    leave_room(space, &room);
    return status;
}
