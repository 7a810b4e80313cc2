/* The arrays of cuda_sym_entries.h, made in the device's memory: a warp has a slice, a lane a row,
 * a block of threads a tile. */
#include "spmv/symmetric/entries/cuda_sym_entries.h"

#include "base/memory.h"
#include "space/cuda/cuda_setup.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <utility>

static const char *const what = "the lists of entries";

/* No lane walks a row of more entries. */
enum { LONGEST = 4096 };

/* A, and its entries right of the diagonal by their columns, each column from above. */
struct device_upper {
    struct csr A;
    int32_t *offsets;   /* [n + 1] of the columns */
    uint32_t *places;   /* [nnz] their entries; behind offsets[n] those on the diagonal */
    uint32_t *row_of;   /* [nnz] the row of an entry */
    uint32_t *moved;    /* [nnz] the place within its slice */
    uint32_t *sorts[3]; /* [nnz] */
};

/* --- by columns ------------------------------------------------------------------------------- */

/* Those on the diagonal come last. */
__global__ static void __launch_bounds__(THREADS)
    note_entries(const __grid_constant__ struct device_upper of, unsigned long long *longest)
{
    int64_t i = own_row(), n = of.A.n, length = 0;
    if (i < n) {
        int64_t begin = of.A.offsets[i], end = of.A.offsets[i + 1];
        length = end - begin;
        for (int64_t p = begin; p < end && length <= LONGEST; p++) {
            of.row_of[p] = (uint32_t)i;
            of.sorts[0][p] = p == begin ? (uint32_t)n : (uint32_t)of.A.columns[p];
            of.sorts[1][p] = (uint32_t)p;
        }
    }
    grow_most(longest, (unsigned long long)length);
}

__global__ static void __launch_bounds__(THREADS)
    look_at_columns(const __grid_constant__ struct device_upper of, unsigned long long *longest)
{
    int64_t j = own_row();
    grow_most(longest, j < of.A.n ? (unsigned long long)(of.offsets[j + 1] - of.offsets[j]) : 0);
}

/* Equal columns keep their order. */
static enum status sort_columns(struct space_cuda *space, struct device_upper *of,
                                struct error *error)
{
    int64_t n = of->A.n, nnz = of->A.nnz;
    cub::DoubleBuffer<uint32_t> columns(of->sorts[0], of->sorts[2]),
        places(of->sorts[1], of->places);
    enum status status = with_room(space, what, error, [&](void *room, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(room, bytes, columns, places, nnz, 0, bits_for(n),
                                               space->stream);
    });
    if (!status) {
        find_offsets<<<blocks_for(n + 1), THREADS, 0, space->stream>>>(n, nnz, columns.Current(),
                                                                       of->offsets);
        status = cuda_check_launch(what, error);
    }
    if (places.Current() != of->places)
        std::swap(of->sorts[1], of->places);
    return status;
}

/* *suits: no row and no column is too long. */
static enum status order_columns(struct space_cuda *space, struct device_upper *of, bool *suits,
                                 struct error *error)
{
    unsigned long long *longest = NULL, found = 0;
    unsigned int blocks = blocks_for(of->A.n);
    enum status status = zeros(space, 1, sizeof *longest, what, (void **)&longest, error);
    if (!status) {
        note_entries<<<blocks, THREADS, 0, space->stream>>>(*of, longest);
        status = bring(space, what, longest, &found, error);
    }
    if (!status && found <= LONGEST)
        status = sort_columns(space, of, error);
    if (!status && found <= LONGEST) {
        look_at_columns<<<blocks, THREADS, 0, space->stream>>>(*of, longest);
        status = bring(space, what, longest, &found, error);
    }
    *suits = !status && found <= LONGEST;
    cuda_free(space, longest);
    return status;
}

/* --- the order of a slice --------------------------------------------------------------------- */

/* A lane's row in the steps of a list. */
struct slice_lane {
    int64_t first; /* of its numbers: an entry of A, or one of its column */
    int count;     /* -1: there is no such row */
    int rank, steps, total;
};

__device__ static slice_lane lane_of(const struct device_upper &of, int64_t i, int list)
{
    slice_lane row = {0, -1, 0, 0, 0};
    if (i < of.A.n && list == ENTRIES_UPPER) {
        row.first = of.A.offsets[i] + 1;
        row.count = (int)(of.A.offsets[i + 1] - row.first);
    } else if (i < of.A.n) {
        row.first = of.offsets[i];
        row.count = of.offsets[i + 1] - of.offsets[i];
    }
    int lane = threadIdx.x % WARP;
    for (int l = 0; l < WARP; l++) {
        int other = __shfl_sync(~0u, row.count, l);
        row.rank += other > row.count || (other == row.count && l < lane);
        row.steps = max(row.steps, other);
        row.total += max(other, 0);
    }
    return row;
}

/* number(k, where) for the lane's number k, which comes where-th in the slice's list, and
 * step(k, rows) before. */
template <typename Step, typename Number>
__device__ static void each_step_of(const slice_lane &row, Step step, Number number)
{
    uint32_t next = 0;
    for (int k = 0; k < row.steps; k++) {
        int rows = __popc(__ballot_sync(~0u, row.count > k));
        step(k, rows);
        if (row.count > k)
            number(k, next + (uint32_t)row.rank);
        next += (uint32_t)rows;
    }
}

/* What stands for a value: a number, or its code. */
template <typename Number> struct as_number {
    __device__ Number operator()(double value) const
    {
        return (Number)value;
    }
};

template <typename Code> struct as_code {
    struct cuda_values of;

    __device__ Code operator()(double value) const
    {
        return (Code)cuda_values_code(of, value);
    }
};

/* The values by steps, behind them some that are read but take no part, and `moved`. */
template <typename Value, typename As>
__global__ static void __launch_bounds__(THREADS)
    move_values(const __grid_constant__ struct device_upper of, const __grid_constant__ As as,
                Value *values)
{
    int64_t i = own_row(), lane = threadIdx.x % WARP, first = i - lane;
    if (first >= of.A.n)
        return;
    slice_lane row = lane_of(of, i, ENTRIES_UPPER);
    uint32_t rows = (uint32_t)__popc(__ballot_sync(~0u, i < of.A.n));
    Value *to = values + of.A.offsets[first];
    if (i < of.A.n) {
        of.moved[row.first - 1] = (uint32_t)lane;
        to[lane] = as(of.A.values[row.first - 1]);
    }
    each_step_of(
        row, [](int, int) {},
        [&](int k, uint32_t where) {
            of.moved[row.first + k] = rows + where;
            to[rows + where] = as(of.A.values[row.first + k]);
        });
    if (first == 0)
        values[of.A.nnz + lane] = as(of.A.values[0]);
}

/* --- the tiles -------------------------------------------------------------------------------- */

/* Of entry q by columns, its value's place. */
__device__ static int64_t place_of(const struct device_upper &of, int64_t q)
{
    int64_t p = of.places[q], slice = of.row_of[p] / ENTRIES_SLICE;
    return of.A.offsets[slice * ENTRIES_SLICE] + of.moved[p];
}

/* Number k of a lane's row in a list: its column. */
__device__ static int64_t column_of(const struct device_upper &of, const slice_lane &row, int list,
                                    int64_t k)
{
    return list == ENTRIES_UPPER ? of.A.columns[row.first + k]
                                 : of.row_of[of.places[row.first + k]];
}

/* From what the first one of a list is counted. */
__device__ static int64_t origin_of(const struct entries_tile &tile, int list, int64_t i)
{
    return list == ENTRIES_UPPER ? i : tile.least_column;
}

/* All of a tile's header but where its lists begin, and the ranks. */
__global__ static void __launch_bounds__(SUM_TILE)
    measure_tiles(const __grid_constant__ struct device_upper of, struct entries_tile *tiles,
                  struct entries_lengths *lengths, uint8_t *ranks)
{
    __shared__ struct entries_tile tile;
    __shared__ unsigned long long least, greatest;
    __shared__ int least_column, largest[ENTRIES_LISTS];
    __shared__ uint32_t total[ENTRIES_LISTS][ENTRIES_SLICES], more[ENTRIES_LISTS][ENTRIES_SLICES];
    int64_t begin = blockIdx.x * (int64_t)SUM_TILE, i = begin + threadIdx.x;
    int slice = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
    slice_lane row[ENTRIES_LISTS];
    if (threadIdx.x == 0) {
        tile = {};
        least = ~0ull;
        greatest = 0;
        least_column = INT32_MAX;
        largest[0] = largest[1] = 0;
    }
    __syncthreads();
    for (int list = 0; list < ENTRIES_LISTS; list++) {
        row[list] = lane_of(of, i, list);
        if (i < of.A.n)
            ranks[ENTRIES_LISTS * i + list] = (uint8_t)row[list].rank;
        if (lane == 0) {
            total[list][slice] = (uint32_t)row[list].total;
            more[list][slice] = (uint32_t)max(row[list].steps, 0) / ENTRIES_COUNTS;
        }
    }
    for (int k = 0; k < row[ENTRIES_MIRRORED].count; k++) {
        unsigned long long place =
            (unsigned long long)place_of(of, row[ENTRIES_MIRRORED].first + k);
        atomicMin(&least, place);
        atomicMax(&greatest, place);
        if (k == 0)
            atomicMin(&least_column,
                      (int)column_of(of, row[ENTRIES_MIRRORED], ENTRIES_MIRRORED, 0));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        tile.values = of.A.offsets[begin];
        tile.places = of.offsets[begin];
        tile.least_place = (int64_t)min(least, greatest);
        tile.least_column = least_column;
    }
    __syncthreads();
    for (int list = 0; list < ENTRIES_LISTS; list++) {
        int64_t before = origin_of(tile, list, i), most = 0;
        for (int k = 0; k < row[list].count; k++) {
            int64_t column = column_of(of, row[list], list, k);
            most = max(most, column - before);
            before = column;
        }
        atomicMax(&largest[list], (int)most);
    }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    struct entries_lengths length = {};
    for (int list = 0; list < ENTRIES_LISTS; list++) {
        uint32_t sum = 0;
        for (int s = 0; s < ENTRIES_SLICES && begin + s * ENTRIES_SLICE < of.A.n; s++) {
            tile.slice[s].first[list] = sum;
            tile.slice[s].more[list] = (uint32_t)length.steps;
            sum += total[list][s];
            length.steps += more[list][s];
        }
        bool wide = largest[list] > UINT16_MAX;
        tile.wide |= (uint32_t)wide << list;
        length.columns[list] = entries_columns(sum, wide);
    }
    tiles[blockIdx.x] = tile;
    lengths[blockIdx.x] = length;
}

/* The tiles' headers and lists, into zeroed arrays. */
__global__ static void __launch_bounds__(SUM_TILE)
    fill_entries(const __grid_constant__ struct device_upper of,
                 const __grid_constant__ struct cuda_entries to)
{
    struct entries_tile *tile = &to.tile[blockIdx.x];
    int64_t i = blockIdx.x * (int64_t)SUM_TILE + threadIdx.x;
    int lane = (int)threadIdx.x % WARP;
    struct entries_slice *slice = &tile->slice[threadIdx.x / WARP];
    if (i - lane >= of.A.n)
        return;
    for (int list = 0; list < ENTRIES_LISTS; list++) {
        slice_lane row = lane_of(of, i, list);
        bool wide = tile->wide >> list & 1;
        uint16_t *narrow = to.columns + tile->columns[list];
        uint32_t first = slice->first[list], *more = to.steps + slice->more[list], counts = 0;
        int64_t before = origin_of(*tile, list, i);
        each_step_of(
            row,
            [&](int k, int rows) {
                int of_word = k % ENTRIES_COUNTS;
                counts = (of_word ? counts : 0) | (uint32_t)rows << 8 * of_word;
                if (lane != 0)
                    return;
                if (k < ENTRIES_COUNTS)
                    slice->steps[list] = counts;
                else
                    more[k / ENTRIES_COUNTS - 1] = counts;
            },
            [&](int k, uint32_t where) {
                int64_t column = column_of(of, row, list, k);
                if (wide)
                    ((uint32_t *)(void *)narrow)[first + where] = (uint32_t)(column - before);
                else
                    narrow[first + where] = (uint16_t)(column - before);
                before = column;
                if (list == ENTRIES_MIRRORED)
                    to.places[tile->places + first + where] =
                        (uint32_t)(place_of(of, row.first + k) - tile->least_place);
            });
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Where the lists begin is found on the host, from the tiles' lengths. */
static enum status make_tiles(struct space_cuda *space, const struct device_upper *of,
                              struct cuda_entries *made, struct error *error)
{
    int64_t tiles = made->tiles = sum_tiles(of->A.n);
    struct entries_lengths *lengths = NULL;
    int64_t bytes = tiles * (int64_t)sizeof *made->tile;
    struct entries_tile *tile =
        (struct entries_tile *)memory_array(tiles, sizeof *tile, what, error);
    struct entries_lengths *here =
        (struct entries_lengths *)memory_array(tiles, sizeof *here, what, error);
    enum status status = tile && here ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = cuda_array(space, tiles, sizeof *tile, what, (void **)&made->tile, error);
    if (!status)
        status = cuda_array(space, tiles, sizeof *lengths, what, (void **)&lengths, error);
    if (!status)
        status = cuda_array(space, of->A.n * ENTRIES_LISTS, 1, what, (void **)&made->ranks, error);
    if (!status) {
        measure_tiles<<<(unsigned int)tiles, SUM_TILE, 0, space->stream>>>(*of, made->tile, lengths,
                                                                           made->ranks);
        status = cuda_check_launch(what, error);
    }
    if (!status)
        status = cuda_copy_down(space, bytes, made->tile, tile, what, error);
    if (!status)
        status = cuda_copy_down(space, tiles * (int64_t)sizeof *here, lengths, here, what, error);
    if (!status)
        status = cuda_entries_place(tile, here, made, error);
    if (!status)
        status = cuda_copy_up(space, bytes, tile, made->tile, what, error);
    cuda_free(space, lengths);
    memory_free(tile);
    memory_free(here);
    return status;
}

template <typename Value, typename As>
static enum status make_values(struct space_cuda *space, const struct device_upper *of,
                               const As &as, struct cuda_entries *made, struct error *error)
{
    made->values_length = made->nnz + ENTRIES_SLICE;
    enum status status =
        cuda_array(space, made->values_length, sizeof(Value), "the values", &made->values, error);
    if (status)
        return status;
    move_values<<<blocks_for(made->n), THREADS, 0, space->stream>>>(*of, as, (Value *)made->values);
    return cuda_check_launch("the values", error);
}

/* As the choice wants them; the table goes from *values to the form. */
static enum status make_values(struct space_cuda *space, const struct device_upper *of,
                               const struct sym_choice *choice, struct cuda_values *values,
                               struct cuda_entries *made, struct error *error)
{
    int width = cuda_values_width(values, made->nnz + ENTRIES_SLICE);
    made->width = width ? width : choice->singles ? VALUE_DICTIONARY_SINGLES : 0;
    if (made->width == 0)
        return make_values<double>(space, of, as_number<double>{}, made, error);
    if (width == 0)
        return make_values<float>(space, of, as_number<float>{}, made, error);
    enum status status = cuda_values_number(space, choice->single_sums, values, error);
    if (!status)
        status = width == 1
                     ? make_values<uint8_t>(space, of, as_code<uint8_t>{*values}, made, error)
                     : make_values<uint16_t>(space, of, as_code<uint16_t>{*values}, made, error);
    made->table = values->table;
    made->table_bytes =
        values->different * (int64_t)(choice->single_sums ? sizeof(float) : sizeof(double));
    values->table = NULL;
    return status;
}

static enum status make_lists(struct space_cuda *space, const struct device_upper *of,
                              struct cuda_entries *made, struct error *error)
{
    enum status status = zeros(space, made->columns_length, sizeof *made->columns, what,
                               (void **)&made->columns, error);
    if (!status)
        status = zeros(space, made->places_length, sizeof *made->places, what,
                       (void **)&made->places, error);
    if (!status)
        status = zeros(space, made->steps_length, sizeof *made->steps, what, (void **)&made->steps,
                       error);
    if (status)
        return status;
    fill_entries<<<(unsigned int)made->tiles, SUM_TILE, 0, space->stream>>>(*of, *made);
    return cuda_check_launch(what, error);
}

int64_t cuda_entries_bytes_on_device(const struct csr *A)
{
    return A->nnz * (int64_t)(7 * sizeof(uint32_t)) + A->n * (int64_t)sizeof(int32_t);
}

enum status cuda_entries_create_on_device(struct space_cuda *space, const struct csr *A,
                                          const struct sym_choice *choice,
                                          struct cuda_values *values, struct cuda_entries *made,
                                          bool *suits, struct error *error)
{
    *made = {};
    made->n = A->n;
    made->nnz = A->nnz;
    made->skew = A->kind == CSR_SKEW;
    struct device_upper of = {};
    of.A = *A;
    uint32_t **const arrays[] = {&of.places,   &of.row_of,   &of.moved,
                                 &of.sorts[0], &of.sorts[1], &of.sorts[2]};
    enum status status =
        cuda_array(space, A->n + 1, sizeof *of.offsets, what, (void **)&of.offsets, error);
    for (uint32_t **array : arrays)
        if (!status)
            status = cuda_array(space, A->nnz, sizeof **array, what, (void **)array, error);
    if (!status)
        status = order_columns(space, &of, suits, error);
    if (!status && *suits)
        status = make_values(space, &of, choice, values, made, error);
    if (!status && *suits)
        status = make_tiles(space, &of, made, error);
    if (!status && *suits)
        status = make_lists(space, &of, made, error);
    for (uint32_t **array : arrays)
        cuda_free(space, *array);
    cuda_free(space, of.offsets);
    if (status || !*suits)
        cuda_entries_free(space, made);
    return status;
}
