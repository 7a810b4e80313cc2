/* The survey of a matrix on a grid: the host walks over it cell by cell, and keeps its place
 * (grid.c). */
#include "precondition/multigrid/setup/setup_cuda.cuh"

#include "base/memory.h"
#include "precondition/multigrid/setup/grid_rows.h"
#include "spmv/symmetric/blocks/cuda_sym_blocks.h"

/* --- the couplings of a grid ------------------------------------------------------------------ */

/* A warp makes a tile, from tile `first` on. BLOCK: the unknowns of a cell, 0: as many as `cells`
 * says; base: the cell of A's first row. */
template <int BLOCK>
__global__ static void __launch_bounds__(THREADS)
    survey_tiles_of(const __grid_constant__ struct csr A,
                    const __grid_constant__ struct cells cells,
                    const __grid_constant__ struct neighbours all, int64_t base, int64_t first,
                    int64_t tiles, int64_t cells_a_tile, struct survey *of)
{
    int64_t tile = own_row() / WARP;
    int lane = threadIdx.x % WARP;
    uint32_t block = BLOCK ? BLOCK : (uint32_t)cells.block;
    int64_t nodes = cells.n[0] * cells.n[1] * cells.n[2];
    if (tile >= tiles)
        return;
    double sum[3] = {0, 0, 0};
    int64_t count[3] = {0, 0, 0}, begin = (first + tile) * cells_a_tile;
    int64_t end = begin + cells_a_tile < nodes ? begin + cells_a_tile : nodes;
    bool fits = true;
    struct cell cell = cell_of(cells.n, begin + lane);
    for (int64_t i = begin + lane; i < end && fits; i += SURVEY_LANES) {
        fits = survey_cell(&A, cells.n, &all, block, i - base, &cell, sum, count);
        cell_go_on(cells.n, SURVEY_LANES, &cell);
    }
    fits = __all_sync(~0u, fits);
    for (int axis = 0; axis < 3; axis++) {
        double whole = 0;
        for (int l = 0; l < SURVEY_LANES; l++)
            whole += __shfl_sync(~0u, sum[axis], l);
        for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
            count[axis] += __shfl_xor_sync(~0u, count[axis], lanes);
        if (lane == 0) {
            of[tile].sum[axis] = whole;
            of[tile].count[axis] = count[axis];
        }
    }
    if (lane == 0)
        of[tile].fits = fits;
}

static enum status survey(const struct surveyor *by, const struct cells *cells, int64_t first,
                          int64_t last, struct survey *of, struct error *error)
{
    static const char *const what = "the couplings of a grid";
    struct space_cuda *cuda = space_cuda_of(by->space);
    int64_t tiles = last - first, each = survey_tile(cells_count(cells));
    struct survey *device = NULL;
    if (tiles == 0)
        return STATUS_OK;
    space_enter(by->space);
    enum status status = zeros(cuda, tiles, sizeof *device, what, (void **)&device, error);
    if (!status) {
        auto tiles_of = cells->block == 1 ? survey_tiles_of<1> : survey_tiles_of<0>;
        tiles_of<<<blocks_for(tiles * WARP), THREADS, 0, cuda->stream>>>(
            *by->A, *cells, neighbours_of(cells), survey_base(by, cells), first, tiles, each,
            device);
        status = cuda_check_launch(what, error);
    }
    if (!status)
        status =
            cuda_copy_down(cuda, tiles * (int64_t)sizeof *device, device, of + first, what, error);
    cuda_free(cuda, device);
    return status;
}

/* --- the unknowns of a cell ------------------------------------------------------------------- */

static enum status find_block(struct space *space, const struct csr *A, int *block,
                              struct error *error)
{
    int64_t blocks;
    return cuda_sym_blocks_find(space_cuda_of(space), A, false, block, &blocks, error);
}

extern const struct device_setup device_setup_cuda = {
    .find_block = find_block, .survey = survey, .coarsen = setup_cuda_coarsen};
CUDA_PUT_CONSTANT(device_setup_cuda)
