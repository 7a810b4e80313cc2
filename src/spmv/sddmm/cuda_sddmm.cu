/* SDDMM on a GPU: v_ij = x_i . y_j for the stored entries of a pattern, by parts of rows
 * (spmv/sddmm/sddmm_parts.h), with the bits of the CPU (matrix/sddmm.h).
 *
 * Moves 4 bytes a column index, 8 a value, 16 a part, and X and Y once where the caches hold what
 * is read again. What is slow is a row of Y for each entry, 8 K bytes of it. So four threads load a
 * row together, 16 bytes each, whole sectors; each thread has the loads for four entries on their
 * way before it waits for the first; x_i stays in registers for all entries of a part, as long as K
 * is at most 32; and the sums of four entries are added with six exchanges in the place of 16.
 * Neighbouring threads read neighbouring indices and write neighbouring values. Of several groups
 * of columns the lanes go on from group to group. */
#include "spmv/cuda_kernel.h"
#include "spmv/sddmm/sddmm.h"
#include "spmv/sddmm/sddmm_parts.h"

/* Of a block. With so many blocks a processor a thread has up to 128 registers, and the compiler
 * sends all loads of four entries before it multiplies; without the number it keeps 62 and waits
 * for a row at a time. */
enum { WARP = 32, THREADS = 128, BLOCKS = 4 };

struct state {
    struct space_cuda *space;
    int64_t n, width, columns;
    struct sddmm_parts parts; /* there */
    int32_t *indices;         /* the pattern's columns there */
};

/* By value. */
struct product {
    const struct sddmm_part *parts;
    const int32_t *indices;
    const double *x, *y;
    double *values;
    int64_t regular, count; /* parts */
    int64_t n, width;
    int columns, stride; /* K, and the stride of the last group */
};

/* The lanes of one entry that a thread has. */
struct lanes {
    double s[2];
};

/* ---- one group of columns -------------------------------------------------------------------- */

/* WHOLE: every column of the stride is one of the K. Columns of padding are loaded where they share
 * a load, and not used. */
template <int STRIDE, bool WHOLE> struct one_group {
    enum { T = SDDMM_THREADS(STRIDE), STEPS = STRIDE < SDDMM_LANES ? 1 : STRIDE / SDDMM_LANES };
    double2 x[STEPS];

    __device__ static bool has(const struct product &of, int c)
    {
        return WHOLE || c < of.columns;
    }

    __device__ static void load(const struct product &of, const double *row, int t, double2 *to)
    {
#pragma unroll
        for (int m = 0; m < STEPS; m++) {
            int c = sddmm_column(m, t);
            to[m] = make_double2(0, 0);
            if constexpr (STRIDE == 1)
                to[m].x = *row;
            else if (has(of, c))
                to[m] = *(const double2 *)(row + c);
        }
    }

    __device__ void begin(const struct product &of, int64_t row, int t)
    {
        load(of, of.x + row * STRIDE, t, x);
    }

    __device__ void add(const struct product &of, const int32_t (&j)[T], int t,
                        struct lanes (&lanes)[T]) const
    {
        double2 y[T][STEPS];
#pragma unroll
        for (int e = 0; e < T; e++)
            load(of, of.y + (int64_t)j[e] * STRIDE, t, y[e]);
        __syncwarp(); /* all loads are on their way before one is waited for */
#pragma unroll
        for (int e = 0; e < T; e++)
#pragma unroll
            for (int m = 0; m < STEPS; m++) {
                int c = sddmm_column(m, t);
                double *s = lanes[e].s;
                if (has(of, c))
                    s[0] = fma(x[m].x, y[e][m].x, s[0]);
                if (STRIDE > 1 && has(of, c + 1))
                    s[1] = fma(x[m].y, y[e][m].y, s[1]);
            }
    }
};

/* ---- several groups of columns --------------------------------------------------------------- */

/* x_i comes from the first-level cache. */
struct several_groups {
    enum { T = SDDMM_THREADS_MAX };
    int64_t row;

    __device__ void begin(const struct product &, int64_t i, int)
    {
        row = i;
    }

    __device__ void add(const struct product &of, const int32_t (&j)[T], int t,
                        struct lanes (&lanes)[T]) const
    {
        struct product group = of;
#pragma unroll 1
        for (; group.columns >= COLUMNS_AT_ONCE; group.columns -= COLUMNS_AT_ONCE) {
            struct one_group<COLUMNS_AT_ONCE, true> whole;
            whole.begin(group, row, t);
            whole.add(group, j, t, lanes);
            group.x += COLUMNS_AT_ONCE * group.n;
            group.y += COLUMNS_AT_ONCE * group.width;
        }
        for (int c = sddmm_column(0, t); c < group.columns; c += SDDMM_LANES)
            for (int b = 0; b < 2 && c + b < group.columns; b++) {
                double x = __ldg(group.x + row * group.stride + c + b);
#pragma unroll
                for (int e = 0; e < T; e++)
                    lanes[e].s[b] = fma(x, __ldg(group.y + (int64_t)j[e] * group.stride + c + b),
                                        lanes[e].s[b]);
            }
    }
};

/* ---- parts ----------------------------------------------------------------------------------- */

/* The tree over the lanes of T entries: thread t has the t-th. */
template <int T> __device__ static double add_lanes(struct lanes (&lanes)[T], int t)
{
#pragma unroll
    for (int half = T / 2; half >= 1; half /= 2) {
        int keep, give;
        sddmm_exchange(t, half, &keep, &give);
#pragma unroll
        for (int e = 0; e < half; e++)
#pragma unroll
            for (int b = 0; b < 2; b++) {
                double low = lanes[e].s[b], high = lanes[half + e].s[b];
                double got = __shfl_xor_sync(~0u, give ? high : low, half);
                lanes[e].s[b] = (keep ? high : low) + got;
            }
    }
    return lanes[0].s[0] + lanes[0].s[1] + 0;
}

/* Of all threads of a warp. */
__device__ static inline int warp_max(int n)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(~0u, n);
#else
    for (int other = WARP / 2; other > 0; other /= 2)
        n = max(n, __shfl_xor_sync(~0u, n, other));
    return n;
#endif
}

/* A part by a team of TEAM threads, all of a warp at once; one that is not there is made with
 * others' entries, and not written. Behind the last entry the last one is loaded again. */
template <int TEAM, typename Groups>
__device__ static void take_part(const struct product &of, int64_t number, bool is_there)
{
    constexpr int T = Groups::T;
    const struct sddmm_part part = of.parts[number];
    const int32_t *indices = of.indices + part.first;
    int thread = threadIdx.x % TEAM, t = thread % T;
    int end = is_there ? part.count : 0;
    if constexpr (TEAM < WARP)
        end = warp_max(end);
    Groups groups;
    groups.begin(of, part.row, t);
    int32_t own = __ldg(indices + min(thread, part.count - 1));
#pragma unroll 1
    for (int first = 0; first < end; first += TEAM) {
        int32_t j[T];
#pragma unroll
        for (int e = 0; e < T; e++)
            j[e] = __shfl_sync(~0u, own, e, T);
        own = __ldg(indices + min(first + TEAM + thread, part.count - 1));
        struct lanes lanes[T] = {};
        groups.add(of, j, t, lanes);
        double v = add_lanes(lanes, t);
        if (is_there && first + thread < part.count)
            of.values[part.first + first + thread] = v;
    }
}

template <typename Groups>
__global__ static void __launch_bounds__(THREADS, BLOCKS)
    multiply(const struct product of, unsigned int regular_blocks)
{
    if (blockIdx.x < regular_blocks) {
        int64_t number = blockIdx.x * (int64_t)(THREADS / WARP) + threadIdx.x / WARP;
        if (number < of.regular)
            take_part<WARP, Groups>(of, number, true);
        return;
    }
    int64_t number = of.regular + threadIdx.x / SDDMM_TEAM +
                     (blockIdx.x - regular_blocks) * (int64_t)(THREADS / SDDMM_TEAM);
    take_part<SDDMM_TEAM, Groups>(of, min(number, of.count - 1), number < of.count);
}

/* Blocks for so many parts by teams of so many threads. */
static unsigned int blocks_for(int64_t parts, int team)
{
    int64_t a_block = THREADS / team;
    return (unsigned int)((parts + a_block - 1) / a_block);
}

template <typename Groups> static void launch(const struct product *of, cudaStream_t stream)
{
    unsigned int regular = blocks_for(of->regular, WARP);
    unsigned int residual = blocks_for(of->count - of->regular, SDDMM_TEAM);
    if (regular + residual > 0)
        multiply<Groups><<<regular + residual, THREADS, 0, stream>>>(*of, regular);
}

template <int STRIDE> static void launch_one(const struct product *of, cudaStream_t stream)
{
    if (of->columns == STRIDE)
        launch<struct one_group<STRIDE, true>>(of, stream);
    else
        launch<struct one_group<STRIDE, false>>(of, stream);
}

static enum status apply(void *state, const double *X, const double *Y, double *values,
                         struct error *error)
{
    const struct state *own = (const struct state *)state;
    int rest = (int)(own->columns % COLUMNS_AT_ONCE);
    struct product of = {.parts = own->parts.parts,
                         .indices = own->indices,
                         .x = X,
                         .y = Y,
                         .values = values,
                         .regular = own->parts.regular,
                         .count = own->parts.count,
                         .n = own->n,
                         .width = own->width,
                         .columns = (int)own->columns,
                         .stride = rest ? columns_stride(rest) : COLUMNS_AT_ONCE};
    cudaStream_t stream = own->space->stream;
    if (of.columns > COLUMNS_AT_ONCE)
        launch<struct several_groups>(&of, stream);
    else if (of.stride == 1)
        launch_one<1>(&of, stream);
    else
        cuda_with_columns(of.stride, [&]<int STRIDE>() { launch_one<STRIDE>(&of, stream); });
    return cuda_check_launch("sampled products", error);
}

static void destroy(void *state)
{
    struct state *own = (struct state *)state;
    if (!own)
        return;
    cuda_free(own->space, own->parts.parts);
    cuda_free(own->space, own->indices);
    memory_free(own);
}

static const struct sddmm_table table = {apply, destroy};

enum status sddmm_cuda_create(const struct csr *pattern, struct sddmm *made, struct error *error)
{
    struct state *own = (struct state *)memory_zeros(1, sizeof *own, "a product's state", error);
    made->name = "CUDA";
    made->table = &table;
    made->state = own;
    if (!own)
        return STATUS_MEMORY;
    own->space = space_cuda_of(made->space);
    own->n = made->n;
    own->width = made->width;
    own->columns = made->columns;
    struct sddmm_parts parts;
    enum status status = sddmm_parts_create(pattern, &parts, error);
    if (status)
        return status;
    own->parts.regular = parts.regular;
    own->parts.count = parts.count;
    const struct cuda_piece pieces[] = {
        {parts.parts, parts.count, sizeof *parts.parts, &own->parts.parts},
        {pattern->columns, pattern->nnz, sizeof *pattern->columns, &own->indices}};
    status = cuda_put_pieces(own->space, pieces, "the pattern", error);
    memory_free(parts.parts);
    int64_t parts_bytes = parts.count * (int64_t)sizeof *parts.parts;
    made->bytes_per_apply += parts_bytes - (made->n + 1) * (int64_t)sizeof *pattern->offsets;
    made->memory_bytes = parts_bytes + pattern->nnz * (int64_t)sizeof *pattern->columns;
    return status;
}
CUDA_PUT(sddmm_cuda_create)
