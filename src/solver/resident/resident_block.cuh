/* What a block of solver/resident/resident.cuh has: the launch, the places of its vectors in shared
 * memory, and how they are filled. */
#ifndef SOLVER_RESIDENT_RESIDENT_BLOCK_CUH
#define SOLVER_RESIDENT_RESIDENT_BLOCK_CUH

#include "solver/cg/scalars.h"
#include "solver/minres/scalars.h"
#include "solver/resident.h"
#include "space/cuda/cuda_words.cuh"
#include "space/sum/sum_order.h"
#include "spmv/symmetric/diagonals/cuda_bricks.cuh"

enum {
    RESIDENT_GROUPS = 8, /* of tiles' sums at most */
    RESIDENT_STEPS = SUM_TILE / SUM_LANES,
    RESIDENT_PATIENCE = 256, /* looks until one asks whether the launch was given up */
    RESIDENT_OWN = 3,        /* vectors that a block keeps of its own tiles alone, at most */
};

/* The sums over all tiles: p . q; that of the step of the method; and one for its scalars alone,
 * where it has that. */
enum resident_sum { RESIDENT_PRODUCT, RESIDENT_STEP, RESIDENT_ASIDE, RESIDENT_SUMS };

/* Those of one method. */
union resident_scalars {
    struct solver_scalars loop; /* all begin with it */
    struct cg_scalars cg;
    struct minres_scalars minres;
};

/* Where the words of a launch are, in the device's memory. */
struct resident_words {
    cuda_word *sums;       /* [RESIDENT_SUMS][copies][WORDS_BUFFERS][tiles] */
    cuda_word *rows;       /* [WORDS_BUFFERS][tiles SUM_TILE]: of halos */
    int copies;            /* of each sum: blocks look at different ones */
    cuda_word *verdict;    /* 2 number: goes on; 2 number + 1: given up; 2 number + 2: done */
    unsigned int *arrived; /* blocks that came to the end of a launch, of all launches */
};

/* By value into the kernel. All arrays are in the device's memory. */
struct resident_launch {
    int64_t n;
    int32_t tiles;
    int32_t warps, pollers, groups; /* groups of tiles: SUM_TILE each */
    cuda_word number;               /* of launches before */
    int32_t count;                  /* iterations */
    int64_t looks;
    struct resident_fault fault;
    struct resident_words words;
    struct solver_bursts *told; /* of the rows that the host sees */

    struct resident_system system;
    int32_t own_count;
    const double *own[RESIDENT_OWN]; /* x first */
    struct solver_rows *rows;        /* of this launch, in the device's memory, until it is done */

    const uint8_t *codes; /* A: spmv/symmetric/diagonals/sym_stencils.h */
    const double *table;
    int32_t stencils;
    struct cuda_bricks bricks; /* A's */
};

enum resident_kind {
    RESIDENT_WHOLE,  /* all rows of the tile have the same coefficient, */
    RESIDENT_MASKED, /* or that or 0; */
    RESIDENT_CODED,  /* or others */
};

/* A tile's neighbours at one distance: the piece, and their coefficients. */
struct resident_piece {
    struct bricks_piece at;
    int32_t kind;
    double coefficient;
};

/* What a block has in its shared memory, in this order, and then its vectors: bytes of each. */
struct resident_shared {
    union resident_scalars scalars;
    double sums[RESIDENT_SUMS][RESIDENT_GROUPS]; /* of groups of tiles; 0 where there is none */
    cuda_word verdict;
    int stop, lost;
};

struct resident_places {
    struct resident_shared *shared;
    double *p;                 /* [slots + 1 tiles, halo] */
    double *own[RESIDENT_OWN]; /* [slots tiles] */
    struct resident_piece *pieces;
    double *table;
    int32_t *halo;   /* [halo_most]: rows */
    uint16_t *masks; /* [slots][width][SUM_LANES]: bit u of lane l says of row 32 u + l */
    uint8_t *codes;  /* [slots tiles] */
    char *end;
};

__host__ __device__ static inline struct resident_places
resident_places(const struct resident_launch &of, char *memory)
{
    struct resident_places at;
    int64_t pieces = (int64_t)of.bricks.slots * of.bricks.width;
    at.shared = (struct resident_shared *)memory;
    at.p = (double *)(at.shared + 1);
    at.own[0] = at.p + (of.bricks.slots + 1) * SUM_TILE + of.bricks.halo_most;
    at.own[1] = at.own[0] + of.bricks.slots * SUM_TILE;
    at.own[2] = at.own[1] + of.bricks.slots * SUM_TILE;
    at.table = at.own[0] + of.own_count * of.bricks.slots * SUM_TILE;
    at.pieces = (struct resident_piece *)(at.table + of.stencils * of.bricks.width);
    at.halo = (int32_t *)(at.pieces + pieces);
    at.masks = (uint16_t *)(at.halo + of.bricks.halo_most);
    at.codes = (uint8_t *)(at.masks + pieces * SUM_LANES);
    at.end = (char *)(at.codes + of.bricks.slots * SUM_TILE);
    return at;
}

#ifdef __CUDACC__

/* All threads of a block fill its vectors: own tiles, rows outside, halo. */
__device__ static inline void resident_load(const struct resident_launch &of,
                                            const struct resident_places &at)
{
    int block = (int)blockIdx.x, threads = of.warps * SUM_LANES;
    for (int k = (int)threadIdx.x; k < of.bricks.slots * SUM_TILE; k += threads) {
        int tile = of.bricks.tile[block * of.bricks.slots + k / SUM_TILE];
        int64_t i = (int64_t)tile * SUM_TILE + k % SUM_TILE;
        bool is_row = tile >= 0 && i < of.n;
        at.p[k] = is_row ? of.system.p[i] : -0.0;
#pragma unroll
        for (int v = 0; v < RESIDENT_OWN; v++)
            if (v < of.own_count)
                at.own[v][k] = is_row ? of.own[v][i] : 0;
        at.codes[k] = is_row ? of.codes[i] : 0;
    }
    for (int k = (int)threadIdx.x; k < SUM_TILE; k += threads)
        at.p[of.bricks.slots * SUM_TILE + k] = -0.0;
    for (int k = (int)threadIdx.x; k < of.stencils * of.bricks.width; k += threads)
        at.table[k] = of.table[k];
    int before = (of.bricks.slots + 1) * SUM_TILE;
    for (int h = (int)threadIdx.x; h < of.bricks.halo[block]; h += threads) {
        int low = of.bricks.run_first[block], high = of.bricks.run_first[block + 1];
        while (high - low > 1) { /* the last run from this place, or before it */
            int middle = (low + high) / 2;
            if (of.bricks.runs[middle].place <= before + h)
                low = middle;
            else
                high = middle;
        }
        int row = of.bricks.runs[low].row + before + h - of.bricks.runs[low].place;
        at.halo[h] = row;
        at.p[before + h] = row < of.n ? of.system.p[row] : -0.0;
    }
}

/* The coefficient of the row of a tile's element, as a word; absent rows have 0. */
__device__ static inline cuda_word resident_coefficient(const struct resident_launch &of,
                                                        const struct resident_places &at, int slot,
                                                        int64_t base, int element, int k)
{
    int code = at.codes[slot * SUM_TILE + element];
    double value = base + element < of.n ? at.table[code * of.bricks.width + k] : 0;
    return (cuda_word)__double_as_longlong(value);
}

/* A warp finds the kinds of its tile's pieces. */
__device__ static inline void resident_put_pieces(const struct resident_launch &of,
                                                  const struct resident_places &at, int slot,
                                                  int64_t base)
{
    int lane = threadIdx.x % SUM_LANES;
    int64_t place = (int64_t)blockIdx.x * of.bricks.slots + slot;
#pragma unroll 1
    for (int k = 0; k < of.bricks.width; k++) {
        cuda_word most = 0;
        for (int u = 0; u < RESIDENT_STEPS; u++)
            most = max(most, resident_coefficient(of, at, slot, base, u * SUM_LANES + lane, k));
        for (int half = SUM_LANES / 2; half >= 1; half /= 2)
            most = max(most, (cuda_word)__shfl_xor_sync(~0u, most, half));
        bool whole = true, masked = true;
        unsigned int mask = 0;
        for (int u = 0; u < RESIDENT_STEPS; u++) {
            cuda_word own = resident_coefficient(of, at, slot, base, u * SUM_LANES + lane, k);
            mask |= (own == most ? 1u : 0u) << u;
            whole = whole && own == most;
            masked = masked && (own == most || own == 0);
        }
        whole = __all_sync(~0u, whole);
        masked = __all_sync(~0u, masked);
        int piece = slot * of.bricks.width + k;
        at.masks[piece * SUM_LANES + lane] = (uint16_t)mask;
        if (lane == 0)
            at.pieces[piece] = {of.bricks.pieces[place * of.bricks.width + k],
                                whole    ? RESIDENT_WHOLE
                                : masked ? RESIDENT_MASKED
                                         : RESIDENT_CODED,
                                words_value(most)};
    }
    __syncwarp();
}

/* p of a thread's rows: in shared memory for the neighbours, and in registers too where there are
 * enough. */
template <bool IN_REGISTERS> struct resident_own {
    static constexpr bool IS_IN_REGISTERS = IN_REGISTERS;
    double *at, in[IN_REGISTERS ? RESIDENT_STEPS : 1];

    __device__ explicit resident_own(double *from) : at(from)
    {
        if constexpr (IN_REGISTERS)
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++)
                in[u] = at[u * SUM_LANES];
    }
    __device__ double operator[](int u) const
    {
        if constexpr (IN_REGISTERS)
            return in[u];
        else
            return at[u * SUM_LANES];
    }
    __device__ void put(int u, double value)
    {
        if constexpr (IN_REGISTERS)
            in[u] = value;
        at[u * SUM_LANES] = value;
    }
};

/* What a thread does in an iteration: the place of its first element in its block's tiles, how many
 * elements it has, the buffer of words, the tile of its warp, and the iteration in the launch, from
 * 1 on. */
struct resident_part {
    int own, rows, buffer, tile, k;
};

#endif
#endif
