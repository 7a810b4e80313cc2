#include "spmv/symmetric/diagonals/build_diagonals.h"

#include "base/memory.h"
#include "space/cuda/cuda_setup.cuh"
#include "spmv/single.h"
#include "spmv/symmetric/diagonals/sym_stencil.h"

#include <stdlib.h>
#include <string.h>

/* --- stencils --------------------------------------------------------------------------------- */

enum { SLOTS = 4 * SYM_STENCILS_MAX }; /* of a hash table */

/* Stencils that were met, told apart by 64 bits of hash: which row has each, and how often. What
 * encodes the rows looks at all bits. */
struct slots {
    unsigned long long key[SLOTS], often[SLOTS]; /* key 0: free */
    int64_t row[SLOTS];
    unsigned int count;
    unsigned int differs; /* two stencils with one hash */
};

/* What stencils are made of. */
struct diagonals {
    struct csr A;
    const int32_t *distances;
    int m; /* a stencil has 2 m + 1 elements */
    bool singles;

    __device__ double at(int64_t i, int p) const
    {
        double value = sym_stencil_at(&A, distances, m, i, p);
        return singles ? (float)value : value;
    }
};

__device__ static unsigned long long hash_of(const struct diagonals &of, int64_t i)
{
    unsigned long long h = 0;
    for (int p = 0; p <= 2 * of.m; p++) {
        h = (h ^ (unsigned long long)__double_as_longlong(of.at(i, p))) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
    }
    return h ? h : 1;
}

/* The slot of a key, taken for it where it is new; -1: none is left. */
__device__ static int take_slot(struct slots *slots, unsigned long long key, int64_t row)
{
    for (unsigned int tried = 0, s = (unsigned int)(key % SLOTS); tried < SLOTS;
         tried++, s = (s + 1) % SLOTS) {
        unsigned long long there = ((volatile unsigned long long *)slots->key)[s];
        if (there == 0) {
            there = atomicCAS(&slots->key[s], 0ull, key);
            if (there == 0) {
                slots->row[s] = row;
                atomicAdd(&slots->count, 1);
                return (int)s;
            }
        }
        if (there == key)
            return (int)s;
    }
    return -1;
}

__global__ static void __launch_bounds__(THREADS)
    collect_stencils(const struct diagonals of, struct slots *slots)
{
    __shared__ unsigned int often[SLOTS];
    for (int s = threadIdx.x; s < SLOTS; s += THREADS)
        often[s] = 0;
    __syncthreads();
    int64_t stride = gridDim.x * (int64_t)THREADS;
    for (int64_t i = own_row(); i < of.A.n; i += stride) {
        if (((volatile struct slots *)slots)->count > SYM_STENCILS_MAX)
            break;
        int s = take_slot(slots, hash_of(of, i), i);
        if (s >= 0)
            atomicAdd(&often[s], 1);
    }
    __syncthreads();
    for (int s = threadIdx.x; s < SLOTS; s += THREADS)
        if (often[s])
            atomicAdd(&slots->often[s], (unsigned long long)often[s]);
}

/* rows[s (2 m + 1)] = the stencil of slot s; 0 where the slot is free */
__global__ static void __launch_bounds__(THREADS)
    fetch_stencils(const struct diagonals of, const struct slots *slots, double *rows)
{
    int64_t s = own_row();
    if (s >= SLOTS)
        return;
    for (int p = 0; p <= 2 * of.m; p++)
        rows[s * (2 * of.m + 1) + p] = slots->key[s] ? of.at(slots->row[s], p) : 0;
}

/* What a row's slot becomes: code[SLOTS], table[stencils (2 m + 1)]. */
struct encoding {
    const uint8_t *code;
    const double *table;
    uint8_t *codes;
};

__global__ static void __launch_bounds__(THREADS)
    encode_rows(const struct diagonals of, struct slots *slots, const struct encoding to)
{
    int64_t i = own_row();
    if (i >= of.A.n)
        return;
    int s = take_slot(slots, hash_of(of, i), i);
    unsigned int code = to.code[s];
    const double *stencil = to.table + code * (2 * of.m + 1);
    for (int p = 0; p <= 2 * of.m; p++)
        if (__double_as_longlong(of.at(i, p)) != __double_as_longlong(stencil[p]))
            slots->differs = 1;
    to.codes[i] = (uint8_t)code;
}

/* The used slots' stencils in the order of a table, on the host; code[s]: where that of slot s
 * stands. rows[SLOTS width] */
static void order_table(const struct slots *slots, double *rows, struct sym_stencils *stencils,
                        uint8_t *code)
{
    int64_t often[SYM_STENCILS_MAX];
    int slot[SYM_STENCILS_MAX], order[SYM_STENCILS_MAX], width = stencils->width, used = 0;
    size_t bytes = (size_t)width * sizeof *rows;
    for (int s = 0; s < SLOTS; s++) {
        if (!slots->key[s])
            continue;
        memmove(rows + used * width, rows + s * width, bytes);
        often[used] = (int64_t)slots->often[s];
        slot[used++] = s;
    }
    sym_stencils_rank(rows, often, used, width, order);
    memset(code, 0, SLOTS);
    for (int k = 0; k < used; k++) {
        memcpy(stencils->table + k * width, rows + order[k] * width, bytes);
        code[slot[order[k]]] = (uint8_t)k;
    }
}

/* Device memory of a search for stencils. */
struct search {
    struct slots *slots;
    double *rows, *table;
    uint8_t *code;
};

static void search_free(struct space_cuda *space, struct search *search)
{
    cuda_free(space, search->slots);
    cuda_free(space, search->rows);
    cuda_free(space, search->table);
    cuda_free(space, search->code);
}

static enum status make_table(struct space_cuda *space, const struct diagonals *of,
                              const struct slots *slots, struct search *search,
                              struct sym_stencils *stencils, uint8_t *code, struct error *error)
{
    static const char *const what = "the stencils";
    int64_t width = 2 * of->m + 1, size = SLOTS * width;
    stencils->count = (int)slots->count;
    stencils->width = (int)width;
    stencils->table = (double *)memory_array(stencils->count * width, sizeof(double), what, error);
    double *rows = (double *)memory_array(size, sizeof *rows, what, error);
    enum status status = rows && stencils->table ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = cuda_array(space, size, sizeof *rows, what, (void **)&search->rows, error);
    if (!status) {
        fetch_stencils<<<blocks_for(SLOTS), THREADS, 0, space->stream>>>(*of, search->slots,
                                                                         search->rows);
        status = cuda_check_launch(what, error);
    }
    if (!status)
        status = cuda_check(cudaMemcpyAsync(rows, search->rows, (size_t)size * sizeof *rows,
                                            cudaMemcpyDeviceToHost, space->stream),
                            what, error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(space->stream), what, error);
    if (!status)
        order_table(slots, rows, stencils, code);
    memory_free(rows);
    return status;
}

static enum status encode(struct space_cuda *space, const struct diagonals *of,
                          struct search *search, const struct sym_stencils *stencils,
                          const uint8_t *code, uint8_t **codes, struct slots *found,
                          struct error *error)
{
    static const char *const what = "the codes of the rows";
    enum status status = cuda_put(space, code, SLOTS, 1, what, (void **)&search->code, error);
    if (!status)
        status = cuda_put(space, stencils->table, (int64_t)stencils->count * stencils->width,
                          sizeof(double), what, (void **)&search->table, error);
    if (!status)
        status = cuda_array(space, of->A.n, 1, what, (void **)codes, error);
    if (status)
        return status;
    struct encoding to = {search->code, search->table, *codes};
    encode_rows<<<blocks_for(of->A.n), THREADS, 0, space->stream>>>(*of, search->slots, to);
    return bring(space, what, search->slots, found, error);
}

/* Enough blocks to fill the device, each with a table of its own. */
static unsigned int collecting_blocks(const struct csr *A)
{
    enum { MOST = 2048 };
    unsigned int blocks = blocks_for(A->n);
    return blocks < MOST ? blocks : MOST;
}

enum status cuda_sym_stencils(struct space_cuda *space, const struct csr *A,
                              const int32_t *distances, int64_t count, bool singles,
                              struct sym_stencils *stencils, uint8_t **codes, struct error *error)
{
    static const char *const what = "the stencils";
    struct search search = {};
    const struct diagonals of = {*A, distances, (int)count - 1, singles};
    uint8_t code[SLOTS];
    *stencils = {};
    *codes = NULL;
    struct slots *found = (struct slots *)memory_array(1, sizeof *found, what, error);
    enum status status = found ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = zeros(space, 1, sizeof *search.slots, what, (void **)&search.slots, error);
    if (!status) {
        collect_stencils<<<collecting_blocks(A), THREADS, 0, space->stream>>>(of, search.slots);
        status = bring(space, what, search.slots, found, error);
    }
    int64_t bytes = status ? 0 : found->count * (2 * count - 1) * (int64_t)sizeof(double);
    bool fits = !status && found->count <= SYM_STENCILS_MAX && bytes <= SYM_STENCILS_BYTES;
    if (fits)
        status = make_table(space, &of, found, &search, stencils, code, error);
    if (fits && !status)
        status = encode(space, &of, &search, stencils, code, codes, found, error);
    if (status || !fits || found->differs) {
        cuda_free(space, *codes);
        *codes = NULL;
        sym_stencils_free(stencils);
    }
    search_free(space, &search);
    memory_free(found);
    return status;
}

/* --- values ----------------------------------------------------------------------------------- */

template <typename Value>
__global__ static void __launch_bounds__(THREADS)
    fill_lines(const struct csr A, const int32_t *distances, int count, Value *values)
{
    int64_t i = own_row();
    if (i >= A.n)
        return;
    int64_t k = A.offsets[i], end = A.offsets[i + 1];
    for (int line = 0; line < count; line++) {
        bool here = k < end && A.columns[k] == i + distances[line];
        values[line * A.n + i] = here ? (Value)A.values[k] : (Value)0;
        k += here;
    }
}

enum status cuda_sym_lines(struct space_cuda *space, const struct csr *A, const int32_t *distances,
                           int64_t count, bool singles, void *values, struct error *error)
{
    unsigned int blocks = blocks_for(A->n);
    if (singles)
        fill_lines<<<blocks, THREADS, 0, space->stream>>>(*A, distances, (int)count,
                                                          (float *)values);
    else
        fill_lines<<<blocks, THREADS, 0, space->stream>>>(*A, distances, (int)count,
                                                          (double *)values);
    return cuda_check_launch("the matrix by diagonals", error);
}

struct largest {
    unsigned long long bits; /* of a double that is not negative: ordered as these are */
};

__global__ static void __launch_bounds__(THREADS)
    look_for_largest(const struct csr A, struct largest *largest)
{
    int64_t k = own_row();
    double size = k < A.nnz ? fabs(A.values[k]) : 0;
    unsigned long long bits = (unsigned long long)__double_as_longlong(size);
    for (int lanes = 16; lanes > 0; lanes /= 2)
        bits = max(bits, __shfl_xor_sync(~0u, bits, lanes));
    if (threadIdx.x % 32 == 0 && bits > ((volatile struct largest *)largest)->bits)
        atomicMax(&largest->bits, bits);
}

enum status cuda_sym_single_check(struct space_cuda *space, const struct csr *A,
                                  struct error *error)
{
    static const char *const what = "the largest value";
    struct largest *there = NULL, here = {};
    enum status status = zeros(space, 1, sizeof *there, what, (void **)&there, error);
    if (!status) {
        look_for_largest<<<blocks_for(A->nnz), THREADS, 0, space->stream>>>(*A, there);
        status = bring(space, what, there, &here, error);
    }
    cuda_free(space, there);
    double largest;
    memcpy(&largest, &here.bits, sizeof largest);
    return status ? status : single_check_largest(largest, error);
}
