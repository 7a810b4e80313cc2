#include "spmv/symmetric/diagonals/build_diagonals.h"

#include "base/memory.h"
#include "space/cuda/cuda_setup.cuh"
#include "space/values.h"
#include "spmv/single.h"

#include <algorithm>
#include <string.h>

static const char *const what = "the stencils";

/* --- stencils --------------------------------------------------------------------------------- */

enum { SLOTS = 4 * SYM_STENCILS_MAX }; /* of a hash table */

/* Rows that were met, told apart by 64 bits of hash: which row is each, and how often. What encodes
 * the rows looks at all bits. */
struct slots {
    unsigned long long key[SLOTS], often[SLOTS]; /* key 0: free */
    int64_t row[SLOTS];
    unsigned int count;
};

/* The upper triangle's rows, as elements at the distances. walk calls call(p, element p) for all
 * elements of row i in their order. */
struct upper_rows {
    struct csr A;
    const int32_t *distances;
    int width; /* elements of a row */
    bool singles;

    template <typename Call> __device__ void walk(int64_t i, const Call &call) const
    {
        int64_t k = A.offsets[i], end = A.offsets[i + 1];
        for (int p = 0; p < width; p++) {
            bool here = k < end && A.columns[k] == i + distances[p];
            double value = here ? A.values[k] : 0;
            k += here;
            call(p, singles ? (float)value : value);
        }
    }
};

/* The full matrix's rows, by the codes of the upper ones: table[different rows][m + 1]. */
struct full_rows {
    const uint8_t *codes;
    const double *table;
    const int32_t *distances;
    int m, width; /* width: 2 m + 1 */
    double sign;

    template <typename Call> __device__ void walk(int64_t i, const Call &call) const
    {
        for (int k = m; k > 0; k--) {
            int64_t j = i - distances[k];
            call(m - k, sign * (j >= 0 ? table[codes[j] * (m + 1) + k] : 0));
        }
        const double *own = table + codes[i] * (m + 1);
        for (int k = 0; k <= m; k++)
            call(m + k, own[k]);
    }
};

template <typename Rows> __device__ static unsigned long long hash_of(const Rows &of, int64_t i)
{
    unsigned long long h = 0;
    of.walk(i, [&](int, double value) {
        h = (h ^ (unsigned long long)__double_as_longlong(value)) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
    });
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

template <typename Rows>
__global__ static void __launch_bounds__(THREADS)
    collect_rows(const __grid_constant__ Rows of, int64_t n, struct slots *slots)
{
    __shared__ unsigned int often[SLOTS];
    for (int s = threadIdx.x; s < SLOTS; s += THREADS)
        often[s] = 0;
    __syncthreads();
    int64_t stride = gridDim.x * (int64_t)THREADS;
    for (int64_t i = own_row(); i < n; i += stride) {
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

/* rows[s width] = the row of slot s, where it is taken */
template <typename Rows>
__global__ static void __launch_bounds__(THREADS)
    fetch_rows(const __grid_constant__ Rows of, const struct slots *slots, double *rows)
{
    int64_t s = own_row();
    if (s < SLOTS && slots->key[s])
        of.walk(slots->row[s], [&](int p, double value) { rows[s * of.width + p] = value; });
}

/* What a row's slot becomes: code[SLOTS], table[different rows][width]. *differs: whether two
 * different rows have one hash. */
struct encoding {
    const uint8_t *code;
    const double *table;
    uint8_t *codes;
    int *differs;
};

template <typename Rows>
__global__ static void __launch_bounds__(THREADS)
    encode_rows(const __grid_constant__ Rows of, int64_t n, struct slots *slots,
                const struct encoding to)
{
    int64_t i = own_row();
    if (i >= n)
        return;
    int s = take_slot(slots, hash_of(of, i), i);
    unsigned int code = to.code[s];
    const double *row = to.table + code * of.width;
    bool differs = false;
    of.walk(i, [&](int p, double value) {
        differs = differs || __double_as_longlong(value) != __double_as_longlong(row[p]);
    });
    if (differs)
        *to.differs = 1;
    to.codes[i] = (uint8_t)code;
}

/* The used slots' rows in the order of a table; code[s]: where that of slot s stands.
 * rows[SLOTS width] changes. */
static void order_table(const struct slots *slots, double *rows, int width, double *table,
                        uint8_t *code, int64_t *nonzeros)
{
    int64_t often[SYM_STENCILS_MAX];
    int slot[SYM_STENCILS_MAX], order[SYM_STENCILS_MAX], used = 0;
    size_t bytes = (size_t)width * sizeof *rows;
    for (int s = 0; s < SLOTS; s++) {
        if (!slots->key[s])
            continue;
        memmove(rows + used * width, rows + s * width, bytes);
        often[used] = (int64_t)slots->often[s];
        for (int p = 0; p < width; p++)
            *nonzeros += rows[used * width + p] != 0 ? often[used] : 0;
        slot[used++] = s;
    }
    sym_stencils_rank(rows, often, used, width, order);
    memset(code, 0, SLOTS);
    for (int k = 0; k < used; k++) {
        memcpy(table + k * width, rows + order[k] * width, bytes);
        code[slot[order[k]]] = (uint8_t)k;
    }
}

/* A search for different rows. Host and device have the same blocks of memory: what was met, slots
 * and rows[SLOTS width] behind them; and what becomes of it, table[different rows][width] and
 * code[SLOTS] behind that. */
struct search {
    struct slots *met, *device_met;
    double *table, *device_table;
    uint8_t *codes;   /* of the rows, on the device, where they are few */
    int64_t nonzeros; /* elements of all rows that are not 0, then */
};

static void search_free(struct space_cuda *space, struct search *search)
{
    memory_free(search->met);
    memory_free(search->table);
    cuda_free(space, search->device_met);
    cuda_free(space, search->device_table);
    cuda_free(space, search->codes);
}

template <typename Rows>
static enum status meet(struct space_cuda *space, const Rows &of, int64_t n, struct search *search,
                        struct error *error)
{
    enum { MOST = 2048 }; /* blocks: enough to fill the device, each with a table of its own */
    int64_t bytes = (int64_t)sizeof *search->met + SLOTS * of.width * (int64_t)sizeof(double);
    search->met = (struct slots *)memory_array(bytes, 1, what, error);
    enum status status = search->met
                             ? zeros(space, bytes, 1, what, (void **)&search->device_met, error)
                             : STATUS_MEMORY;
    if (status)
        return status;
    collect_rows<<<std::min<unsigned int>(blocks_for(n), MOST), THREADS, 0, space->stream>>>(
        of, n, search->device_met);
    fetch_rows<<<blocks_for(SLOTS), THREADS, 0, space->stream>>>(
        of, search->device_met, (double *)(search->device_met + 1));
    status = cuda_check_launch(what, error);
    return status ? status
                  : cuda_copy_down(space, bytes, search->device_met, search->met, what, error);
}

/* Sends the table, and launches what makes the codes; the search stays until that is done. */
template <typename Rows>
static enum status encode(struct space_cuda *space, const Rows &of, int64_t n,
                          struct search *search, int *differs, struct error *error)
{
    int count = (int)search->met->count;
    int64_t entries = count * (int64_t)of.width;
    size_t bytes = (size_t)entries * sizeof(double) + SLOTS;
    search->table = (double *)memory_array((int64_t)bytes, 1, what, error);
    enum status status = search->table ? cuda_array(space, (int64_t)bytes, 1, what,
                                                    (void **)&search->device_table, error)
                                       : STATUS_MEMORY;
    if (!status)
        status = cuda_array(space, n, 1, what, (void **)&search->codes, error);
    if (status)
        return status;
    order_table(search->met, (double *)(search->met + 1), of.width, search->table,
                (uint8_t *)(search->table + entries), &search->nonzeros);
    status = cuda_check(cudaMemcpyAsync(search->device_table, search->table, bytes,
                                        cudaMemcpyHostToDevice, space->stream),
                        what, error);
    if (status)
        return status;
    struct encoding to = {(const uint8_t *)(search->device_table + entries), search->device_table,
                          search->codes, differs};
    encode_rows<<<blocks_for(n), THREADS, 0, space->stream>>>(of, n, search->device_met, to);
    return cuda_check_launch(what, error);
}

/* The different rows, and in search->codes which one each row is; search->codes is NULL where they
 * are too many. */
template <typename Rows>
static enum status find_rows(struct space_cuda *space, const Rows &of, int64_t n,
                             struct search *search, int *differs, struct error *error)
{
    enum status status = meet(space, of, n, search, error);
    if (status)
        return status;
    int64_t count = search->met->count, bytes = count * of.width * (int64_t)sizeof(double);
    bool fits = count <= SYM_STENCILS_MAX && bytes <= SYM_STENCILS_BYTES;
    return fits ? encode(space, of, n, search, differs, error) : STATUS_OK;
}

/* Both searches wait once each, and together for the end. */
static enum status find_both(struct space_cuda *space, const struct upper_rows &upper_of,
                             struct search *upper, struct search *full, double sign, int *differs,
                             struct error *error)
{
    int64_t n = upper_of.A.n;
    int m = upper_of.width - 1, host = 0;
    enum status status = find_rows(space, upper_of, n, upper, differs, error);
    if (status || !upper->codes)
        return status;
    const struct full_rows full_of = {
        upper->codes, upper->device_table, upper_of.distances, m, 2 * m + 1, sign};
    status = find_rows(space, full_of, n, full, differs, error);
    if (!status)
        status = bring(space, what, differs, &host, error);
    if (status || host) {
        cuda_free(space, full->codes);
        full->codes = NULL;
    }
    return status;
}

/* The full matrix has at least as many different rows as the upper triangle, and longer ones. */
enum status cuda_sym_stencils(struct space_cuda *space, const struct csr *A,
                              const int32_t *distances, int64_t count, bool singles,
                              struct sym_stencils *stencils, uint8_t **codes, struct error *error)
{
    struct search upper = {}, full = {};
    const struct upper_rows upper_of = {*A, distances, (int)count, singles};
    int *differs = NULL;
    *stencils = {};
    *codes = NULL;
    enum status status = zeros(space, 1, sizeof *differs, what, (void **)&differs, error);
    if (!status)
        status =
            find_both(space, upper_of, &upper, &full, A->kind == CSR_SKEW ? -1 : 1, differs, error);
    if (!status && full.codes) {
        *codes = full.codes;
        *stencils = {.count = (int)full.met->count,
                     .width = 2 * (int)count - 1,
                     .table = full.table,
                     .exact = !singles && upper.nonzeros == A->nnz};
        full.codes = NULL;
        full.table = NULL;
    }
    cuda_free(space, differs);
    search_free(space, &upper);
    search_free(space, &full);
    return status;
}

/* --- of kinds --------------------------------------------------------------------------------- */

enum { CODES_EACH = 8 }; /* of a thread, which stores them at once */

struct kind_codes {
    int64_t n[3];
    const uint16_t *at[3]; /* of struct row_kinds, in the device's memory */
    const uint8_t *of_kinds;
    uint8_t *codes;
};

__global__ static void __launch_bounds__(THREADS)
    fill_codes(const __grid_constant__ struct kind_codes by)
{
    int64_t n = by.n[0] * by.n[1] * by.n[2], i = CODES_EACH * own_row();
    if (i >= n)
        return;
    int64_t line = i / by.n[0], x = i - line * by.n[0];
    int64_t z = line / by.n[1], y = line - z * by.n[1];
    int count = (int)min((int64_t)CODES_EACH, n - i), of_line = by.at[1][y] + by.at[2][z];
    union {
        uint8_t codes[CODES_EACH];
        uint64_t all;
    } made;
    for (int k = 0; k < count; k++) {
        made.codes[k] = by.of_kinds[by.at[0][x] + of_line];
        if (++x < by.n[0] || k + 1 == count)
            continue;
        x = 0;
        if (++y == by.n[1]) {
            y = 0;
            z++;
        }
        of_line = by.at[1][y] + by.at[2][z];
    }
    if (count == CODES_EACH)
        *(uint64_t *)(by.codes + i) = made.all;
    else
        for (int k = 0; k < count; k++)
            by.codes[i + k] = made.codes[k];
}

enum status cuda_sym_codes_of_kinds(struct space_cuda *space, const struct row_kinds *kinds,
                                    const uint8_t *of_kinds, uint8_t **codes, struct error *error)
{
    const int64_t *n = kinds->n, rows = n[0] * n[1] * n[2];
    void *at = NULL, *device_of = NULL;
    enum status status =
        cuda_put(space, kinds->at[0], n[0] + n[1] + n[2], sizeof(uint16_t), what, &at, error);
    if (!status)
        status = cuda_put(space, of_kinds, row_kinds_count(kinds), 1, what, &device_of, error);
    if (!status)
        status = cuda_array(space, rows, 1, "the codes of the rows", (void **)codes, error);
    if (!status) {
        const uint16_t *x = (const uint16_t *)at, *y = x + n[0];
        struct kind_codes by = {
            {n[0], n[1], n[2]}, {x, y, y + n[1]}, (const uint8_t *)device_of, *codes};
        int64_t threads = (rows + CODES_EACH - 1) / CODES_EACH;
        fill_codes<<<blocks_for(threads), THREADS, 0, space->stream>>>(by);
        status = cuda_check_launch(what, error);
    }
    cuda_free(space, at);
    cuda_free(space, device_of);
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

enum status cuda_sym_single_check(struct space_cuda *space, const struct csr *A,
                                  struct error *error)
{
    const struct repeated_rows *rows = &A->repeated;
    int64_t different = rows->count * (int64_t)(2 * rows->diagonals - 1);
    double least, largest;
    enum status status =
        rows->codes ? values_range(&space->base, different, rows->full, &least, &largest, error)
                    : values_range(&space->base, A->nnz, A->values, &least, &largest, error);
    return status ? status : single_check_largest(largest, error);
}
