#include "precondition/multigrid/setup/setup_cuda_rows.cuh"

#include "precondition/multigrid/setup/grid_rows.h"

/* --- aggregates ------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    map_cells(const struct cells cells, const struct aggregates made)
{
    int64_t i = own_row();
    if (i < made.n)
        made.map[i] = aggregate_of(&cells, i);
}

__global__ static void __launch_bounds__(THREADS)
    list_cells(const struct cells cells, const struct aggregates made)
{
    int64_t I = own_row();
    if (I == made.count)
        made.offsets[I] = (int32_t)made.n;
    if (I < made.count)
        made.offsets[I] = aggregate_list(&cells, I, made.members);
}

static enum status aggregate(struct space *space, const struct cells *cells,
                             struct aggregates *made, struct error *error)
{
    static const char *const what = "the aggregates";
    made->n = cells->before[0] * cells->before[1] * cells->before[2] * cells->block;
    made->count = cells->n[0] * cells->n[1] * cells->n[2] * cells->block;
    enum status status = cuda_array(space_cuda_of(space), made->n, sizeof(int32_t), what,
                                    (void **)&made->map, error);
    if (!status)
        status = cuda_array(space_cuda_of(space), made->count + 1, sizeof(int32_t), what,
                            (void **)&made->offsets, error);
    if (!status)
        status = cuda_array(space_cuda_of(space), made->n, sizeof(int32_t), what,
                            (void **)&made->members, error);
    if (status)
        return status;
    cudaStream_t stream = space_cuda_of(space)->stream;
    map_cells<<<blocks_for(made->n), THREADS, 0, stream>>>(*cells, *made);
    list_cells<<<blocks_for(made->count + 1), THREADS, 0, stream>>>(*cells, *made);
    return cuda_check_launch(what, error);
}

/* --- the coarse matrix ------------------------------------------------------------------------ */

__global__ static void __launch_bounds__(THREADS)
    make_rows(const struct coarsening by, const struct grid_rows rows)
{
    int64_t I = own_row();
    if (I >= rows.n)
        return;
    double sums[PLACES_MAX];
    rows.places[I] = coarse_row(&by, I, sums);
    for (int p = 0; p <= rows.near.count; p++)
        if (grid_rows_has(&rows, I, p))
            rows.values[p * rows.n + I] = sums[p];
}

/* S of every row, and the least: as the greatest of those with another sign. */
__global__ static void __launch_bounds__(THREADS)
    sum_rows(const struct grid_rows rows, double *sums, struct cuda_found *found)
{
    int64_t I = own_row();
    if (I < rows.n)
        sums[I] = grid_rows_sum(&rows, I);
    grow_most(&found->most[0], I < rows.n ? ordered(-sums[I]) : 0);
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

/* The entries of a row as a number for sums of offsets. */
struct entries_of {
    const unsigned int *places;
    int64_t n;

    __device__ int64_t operator()(int64_t I) const
    {
        return I < n ? grid_rows_count(places[I]) : 0;
    }
};

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
             .most = rescale_most(by->cells, by->correction)};
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
                              A->nnz - A->n > cells->along};
    double of_sum = fmax(by->of_sum, 1 / by->correction);
    struct cuda_found found = {};
    enum status status = cuda_find(
        space, "a coarse matrix", &found, error,
        [&](cudaStream_t stream, struct cuda_found *found) {
            make_rows<<<blocks_for(rows->n), THREADS, 0, stream>>>(from, *rows);
            sum_rows<<<blocks_for(rows->n), THREADS, 0, stream>>>(*rows, room->sums, found);
        });
    double least = status ? 0 : rescale_mass(by->correction, 1, -value_of(found.most[0]));
    if (!status)
        status = create_rows(space, rows->n, entries_of{rows->places, rows->n}, coarse, error);
    if (status)
        return status;
    fill_rows<<<blocks_for(rows->n), THREADS, 0, space_cuda_of(space)->stream>>>(
        *rows, room->sums, least, of_sum, *coarse);
    return cuda_check_launch("a coarse matrix", error);
}

enum status setup_cuda_coarsen(struct space *space, const struct csr *A, const struct rescaling *by,
                               struct aggregates *made, struct csr *coarse, struct error *error)
{
    struct room room = {};
    enum status status = aggregate(space, by->cells, made, error);
    if (!status && by->block > 1)
        return setup_cuda_coarsen_blocks(space, A, by, coarse, error);
    if (!status)
        status = take_room(space, by, made->count, &room, error);
    if (!status)
        status = coarse_matrix(space, A, by, &room, coarse, error);
    leave_room(space, &room);
    return status;
}
