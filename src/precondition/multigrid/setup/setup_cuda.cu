#include "precondition/multigrid/setup/setup_cuda.cuh"

#include "base/memory.h"
#include "precondition/multigrid/setup/grid_rows.h"
#include "spmv/symmetric/blocks/cuda_sym_blocks.h"

/* --- the couplings of a grid ------------------------------------------------------------------ */

/* A warp makes a tile. BLOCK: the unknowns of a cell, 0: as many as `cells` says. */
template <int BLOCK>
__global__ static void __launch_bounds__(THREADS)
    survey_tiles_of(const struct csr A, const struct cells cells, const struct neighbours all,
                    int64_t tiles, int64_t cells_a_tile, struct survey *of)
{
    int64_t tile = own_row() / WARP;
    int lane = threadIdx.x % WARP;
    uint32_t block = BLOCK ? BLOCK : (uint32_t)cells.block;
    int64_t nodes = A.n / block;
    if (tile >= tiles)
        return;
    double sum[3] = {0, 0, 0};
    int64_t count[3] = {0, 0, 0}, begin = tile * cells_a_tile;
    int64_t end = begin + cells_a_tile < nodes ? begin + cells_a_tile : nodes;
    bool fits = true;
    for (int64_t i = begin + lane; i < end && fits; i += SURVEY_LANES) {
        struct cell cell = cell_of(cells.n, i);
        fits = survey_cell(&A, cells.n, &all, block, i, &cell, sum, count);
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

static enum status survey(struct space *space, const struct csr *A, const struct cells *cells,
                          struct survey *survey, struct error *error)
{
    static const char *const what = "the couplings of a grid";
    struct space_cuda *cuda = space_cuda_of(space);
    int64_t nodes = A->n / cells->block, tiles = survey_tiles(nodes);
    struct survey *device_setup = NULL,
                  *here = (struct survey *)memory_array(tiles, sizeof *here, what, error);
    enum status status = here
                             ? zeros(cuda, tiles, sizeof *here, what, (void **)&device_setup, error)
                             : STATUS_MEMORY;
    if (!status) {
        auto tiles_of = cells->block == 1 ? survey_tiles_of<1> : survey_tiles_of<0>;
        tiles_of<<<blocks_for(tiles * WARP), THREADS, 0, cuda->stream>>>(
            *A, *cells, neighbours_of(cells), tiles, survey_tile(nodes), device_setup);
        status = cuda_check_launch(what, error);
    }
    if (!status)
        status = cuda_check(cudaMemcpyAsync(here, device_setup, (size_t)tiles * sizeof *here,
                                            cudaMemcpyDeviceToHost, cuda->stream),
                            what, error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(cuda->stream), what, error);
    if (!status)
        survey_join(here, tiles, survey);
    cuda_free(cuda, device_setup);
    memory_free(here);
    return status;
}

/* --- aggregates that would be torn ------------------------------------------------------------ */

__global__ static void __launch_bounds__(THREADS)
    look_for_torn(const struct csr A, const struct pairing pairing, struct found *found)
{
    int64_t I = own_row();
    grow_sum(&found->sum, I < pairing_count(&pairing) && torn_aggregate(&A, &pairing, I));
}

static enum status tears_on_device(struct space *space, const struct csr *A,
                                   const struct pairing *pairing, int64_t *torn,
                                   struct error *error)
{
    struct found here = {};
    enum status status =
        find(space, "the couplings of a grid", &here, error,
             [&](cudaStream_t stream, struct found *found) {
                 look_for_torn<<<blocks_for(pairing_count(pairing)), THREADS, 0, stream>>>(
                     *A, *pairing, found);
             });
    *torn = (int64_t)here.sum;
    return status;
}

/* --- the unknowns of a cell ------------------------------------------------------------------- */

static enum status find_block(struct space *space, const struct csr *A, int *block,
                              struct error *error)
{
    int64_t blocks;
    return cuda_sym_blocks_find(space_cuda_of(space), A, false, block, &blocks, error);
}

/* --- the diagonal ----------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    look_at_diagonal(const struct csr A, struct found *found)
{
    int64_t i = own_row();
    double a = i < A.n ? A.values[A.offsets[i]] : 0;
    grow_most(&found->max[0], i < A.n ? ordered(a) : 0);
    grow_most(&found->max[1], i < A.n ? ordered(-a) : 0);
}

static enum status extremes(struct space *space, const struct csr *A, double *least, double *most,
                            struct error *error)
{
    struct found here = {};
    enum status status =
        find(space, "the diagonal", &here, error, [&](cudaStream_t stream, struct found *found) {
            look_at_diagonal<<<blocks_for(A->n), THREADS, 0, stream>>>(*A, found);
        });
    *most = value_of(here.max[0]);
    *least = -value_of(here.max[1]);
    return status;
}

/* --- the bound of the spectrum ---------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    look_for_positive(const struct csr A, struct found *found)
{
    int64_t i = own_row();
    bool positive = false;
    if (i < A.n)
        for (int64_t k = A.offsets[i] + 1; k < A.offsets[i + 1]; k++)
            positive = positive || !(A.values[k] <= 0);
    grow_most(&found->max[0], positive);
}

static enum status is_m_matrix(struct space *space, const struct csr *A, bool *is,
                               struct error *error)
{
    struct found here = {};
    enum status status =
        find(space, "the bound of a spectrum", &here, error,
             [&](cudaStream_t stream, struct found *found) {
                 look_for_positive<<<blocks_for(A->n), THREADS, 0, stream>>>(*A, found);
             });
    *is = !status && here.max[0] == 0;
    return status;
}

__global__ static void __launch_bounds__(THREADS)
    look_at_sums(const struct csr A, const double *sums, struct found *found)
{
    int64_t i = own_row();
    double sum = i < A.n ? sums[i] / A.values[A.offsets[i]] : 0;
    grow_most(&found->max[0], i < A.n ? ordered(2 - sum) : 0);
    grow_most(&found->max[1], ordered(fabs(sum)));
}

static enum status gershgorin(struct space *space, const struct csr *A, const double *sums,
                              double *most, double *largest, struct error *error)
{
    struct found here = {};
    enum status status =
        find(space, "the bound of a spectrum", &here, error,
             [&](cudaStream_t stream, struct found *found) {
                 look_at_sums<<<blocks_for(A->n), THREADS, 0, stream>>>(*A, sums, found);
             });
    *most = fmax(0.0, value_of(here.max[0]));
    *largest = fmax(0.0, value_of(here.max[1]));
    return status;
}

/* --- another scale ---------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    scale_values(int64_t nnz, int exponent, double *values)
{
    int64_t k = own_row();
    if (k < nnz)
        values[k] = ldexp(values[k], -exponent);
}

static enum status scale(struct space *space, struct csr *A, int exponent, struct error *error)
{
    scale_values<<<blocks_for(A->nnz), THREADS, 0, space_cuda_of(space)->stream>>>(A->nnz, exponent,
                                                                                   A->values);
    return cuda_check_launch("the scaled matrix", error);
}

extern const struct device_setup device_setup_cuda = {.find_block = find_block,
                                                      .survey = survey,
                                                      .tears = tears_on_device,
                                                      .diagonal = diagonal_cuda,
                                                      .is_m_matrix = is_m_matrix,
                                                      .gershgorin = gershgorin,
                                                      .extremes = extremes,
                                                      .scale = scale,
                                                      .coarsen = setup_cuda_coarsen,
                                                      .match = setup_cuda_match,
                                                      .match_again = setup_cuda_match_again,
                                                      .match_bytes = setup_cuda_match_bytes};
