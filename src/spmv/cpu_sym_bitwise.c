/* y = A x from the upper triangle, threads, no atomics, the same bits for any number of threads.
 *
 * The order of additions is that of spmv/sym_order.h. Threads walk blocks of rows as cpu_sym walks
 * all of them. What a block adds to rows of later blocks goes into slots of its own, one for each
 * such row, and a second pass adds the slots to their rows in ascending block order, tile by tile
 * of cgsolve/sum_order.h, so that the dot product x . y comes out of the same pass while the tile
 * is in the first-level cache.
 *
 * Against cpu_sym_atomic it needs no atomic and no zeroing of y. It moves the matrix once, 4 bytes
 * more for each far entry (the number of its slot), and 40 bytes a slot (zeroed, added to, read,
 * and found). */
#include "cgsolve/kernel.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "space/cpu_sum.h"
#include "spmv/sym_order.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const struct kernel_parameter parameters[] = {
    {"block", "stored entries of a block of rows; 0: chosen from the matrix", 0, INT64_MAX, 0},
    {0},
};

struct bitwise {
    const struct csr *A;
    double sign; /* of a mirrored entry */

    int64_t blocks;
    int64_t *first_rows; /* [blocks + 1] */
    int64_t *first_far;  /* [blocks + 1], into far_slots */
    int64_t *first_slot; /* [blocks + 1], into slots */
    int32_t *far_slots;  /* for each far entry, in the order of A: its slot, counted from the first
                            of the block */
    double *slots;       /* [first_slot[blocks]] */

    int64_t tiles;
    int64_t *late, late_count; /* the tiles that the second pass has to look at, ascending */
    bool *is_late;             /* [tiles] */
    int64_t *first_incoming;   /* [tiles + 1], into incoming */
    struct incoming {
        int64_t slot;
        int32_t row;
    } * incoming;      /* for each tile: what it takes from slots, ascending in row, then in slot */
    double *tile_dots; /* [tiles] */
};

static void destroy(void *state)
{
    struct bitwise *bitwise = state;
    if (!bitwise)
        return;
    memory_free(bitwise->first_rows);
    memory_free(bitwise->first_far);
    memory_free(bitwise->first_slot);
    memory_free(bitwise->far_slots);
    memory_free(bitwise->slots);
    memory_free(bitwise->late);
    memory_free(bitwise->is_late);
    memory_free(bitwise->first_incoming);
    memory_free(bitwise->incoming);
    memory_free(bitwise->tile_dots);
    memory_free(bitwise);
}

/* The first entry of row i that lies right of the block's last row: columns ascend. */
static int64_t far_begin(const struct csr *A, int64_t i, int64_t block_end)
{
    int64_t k = A->offsets[i + 1];
    while (k > A->offsets[i] && A->columns[k - 1] >= block_end)
        k--;
    return k;
}

static int64_t far_count(const struct csr *A, int64_t begin, int64_t end)
{
    int64_t far = 0;
    for (int64_t i = begin; i < end; i++)
        far += A->offsets[i + 1] - far_begin(A, i, end);
    return far;
}

/* Which block met a column last, and the slot that it gave it. */
struct met {
    int64_t block;
    int32_t slot;
};

/* Give every far column of a block a slot, in the order in which they are first met. slot_rows
 * receives the column of each slot. Returns how many there are. */
static int32_t number_slots(const struct bitwise *bitwise, int64_t block, struct met *met,
                            int32_t *slot_rows)
{
    const struct csr *A = bitwise->A;
    int64_t end = bitwise->first_rows[block + 1];
    int32_t *far_slot = bitwise->far_slots + bitwise->first_far[block];
    int32_t slots = 0;
    for (int64_t i = bitwise->first_rows[block]; i < end; i++) {
        for (int64_t k = far_begin(A, i, end); k < A->offsets[i + 1]; k++) {
            int32_t j = A->columns[k];
            if (met[j].block != block) {
                slot_rows[slots] = j;
                met[j] = (struct met){block, slots++};
            }
            *far_slot++ = met[j].slot;
        }
    }
    return slots;
}

/* Sort the slots by tile and row. They are numbered block by block, so those of one row keep the
 * ascending order of their blocks. */
static enum status make_incoming(struct bitwise *bitwise, const int32_t *slot_rows,
                                 struct error *error)
{
    int64_t n = bitwise->A->n, slots = bitwise->first_slot[bitwise->blocks];
    bitwise->incoming = memory_array(slots, sizeof *bitwise->incoming, "the slots", error);
    int64_t *next = memory_zeros(n + 1, sizeof *next, "the slots' cursors", error);
    if (!bitwise->incoming || !next) {
        memory_free(next);
        return STATUS_MEMORY;
    }
    for (int64_t slot = 0; slot < slots; slot++)
        next[slot_rows[slot] + 1]++;
    for (int64_t j = 0; j < n; j++) {
        next[j + 1] += next[j];
        if (j % SUM_TILE == 0)
            bitwise->first_incoming[j / SUM_TILE] = next[j];
    }
    bitwise->first_incoming[bitwise->tiles] = slots;
    for (int64_t slot = 0; slot < slots; slot++) {
        int32_t row = slot_rows[slot];
        bitwise->incoming[next[row]++] = (struct incoming){slot, row};
    }
    memory_free(next);
    return STATUS_OK;
}

static enum status make_slots(struct bitwise *bitwise, struct error *error)
{
    const struct csr *A = bitwise->A;
    bitwise->first_far[0] = bitwise->first_slot[0] = 0;
    for (int64_t block = 0; block < bitwise->blocks; block++)
        bitwise->first_far[block + 1] =
            bitwise->first_far[block] +
            far_count(A, bitwise->first_rows[block], bitwise->first_rows[block + 1]);
    int64_t far = bitwise->first_far[bitwise->blocks];
    bitwise->far_slots = memory_array(far, sizeof *bitwise->far_slots, "the far entries", error);
    int32_t *slot_rows = memory_array(far, sizeof *slot_rows, "the slots' rows", error);
    struct met *met = memory_array(A->n, sizeof *met, "the far columns", error);
    enum status status = STATUS_MEMORY;
    if (bitwise->far_slots && slot_rows && met) {
        for (int64_t j = 0; j < A->n; j++)
            met[j].block = -1;
        for (int64_t block = 0; block < bitwise->blocks; block++)
            bitwise->first_slot[block + 1] =
                bitwise->first_slot[block] +
                number_slots(bitwise, block, met, slot_rows + bitwise->first_slot[block]);
        status = make_incoming(bitwise, slot_rows, error);
    }
    memory_free(slot_rows);
    memory_free(met);
    return status;
}

/* A tile is late when slots come to it, or when no single block finishes it. */
static enum status find_late_tiles(struct bitwise *bitwise, struct error *error)
{
    int64_t tiles = bitwise->tiles, n = bitwise->A->n;
    bitwise->late = memory_array(tiles, sizeof *bitwise->late, "the late tiles", error);
    bitwise->is_late = memory_array(tiles, sizeof *bitwise->is_late, "the late tiles", error);
    if (!bitwise->late || !bitwise->is_late)
        return STATUS_MEMORY;
    for (int64_t tile = 0; tile < tiles; tile++)
        bitwise->is_late[tile] = bitwise->first_incoming[tile] < bitwise->first_incoming[tile + 1];
    for (int64_t block = 1; block < bitwise->blocks; block++)
        if (bitwise->first_rows[block] % SUM_TILE != 0)
            bitwise->is_late[bitwise->first_rows[block] / SUM_TILE] = true;
    if (n % SUM_TILE != 0)
        bitwise->is_late[tiles - 1] = true;
    for (int64_t tile = 0; tile < tiles; tile++)
        if (bitwise->is_late[tile])
            bitwise->late[bitwise->late_count++] = tile;
    return STATUS_OK;
}

static enum status fill_state(struct bitwise *bitwise, int64_t entries, struct error *error)
{
    const struct csr *A = bitwise->A;
    enum status status = sym_blocks(A, entries, &bitwise->first_rows, &bitwise->blocks, error);
    if (status)
        return status;
    int64_t bounds = bitwise->blocks + 1;
    bitwise->tiles = sum_tiles(A->n);
    bitwise->first_far = memory_array(bounds, sizeof(int64_t), "the far entries", error);
    bitwise->first_slot = memory_array(bounds, sizeof(int64_t), "the slots", error);
    bitwise->first_incoming = memory_array(bitwise->tiles + 1, sizeof(int64_t), "the slots", error);
    bitwise->tile_dots = memory_array(bitwise->tiles, sizeof(double), "the tiles' sums", error);
    if (!bitwise->first_far || !bitwise->first_slot || !bitwise->first_incoming ||
        !bitwise->tile_dots)
        return STATUS_MEMORY;
    status = make_slots(bitwise, error);
    if (!status)
        status = find_late_tiles(bitwise, error);
    if (status)
        return status;
    bitwise->slots =
        memory_array(bitwise->first_slot[bitwise->blocks], sizeof(double), "the slots", error);
    return bitwise->slots ? STATUS_OK : STATUS_MEMORY;
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    (void)space;
    *state = NULL;
    struct bitwise *bitwise = memory_zeros(1, sizeof *bitwise, "the kernel's state", error);
    if (!bitwise)
        return STATUS_MEMORY;
    bitwise->A = A;
    bitwise->sign = A->kind == CSR_SKEW ? -1 : 1;
    enum status status = fill_state(bitwise, options->values[0], error);
    if (status)
        destroy(bitwise);
    else
        *state = bitwise;
    return status;
}

/* The rows of one block: near entries into y, far ones into the block's slots; and, when wanted, the
 * dot of every tile that this finishes. */
MULTIVERSION static void walk_block(const struct bitwise *bitwise, int64_t block, const double *x,
                                    double *y, bool dot)
{
    const struct csr *A = bitwise->A;
    int64_t begin = bitwise->first_rows[block], end = bitwise->first_rows[block + 1];
    const int32_t *far_slot = bitwise->far_slots + bitwise->first_far[block];
    int64_t first_slot = bitwise->first_slot[block];
    double *slots = bitwise->slots + first_slot;
    memset(slots, 0, (size_t)(bitwise->first_slot[block + 1] - first_slot) * sizeof *slots);
    memset(y + begin, 0, (size_t)(end - begin) * sizeof *y);
    for (int64_t i = begin; i < end; i++) {
        int64_t k = A->offsets[i], row_end = A->offsets[i + 1];
        double mirrored = bitwise->sign * x[i];
        double sum = fma(A->values[k], x[i], y[i]);
        int32_t j;
        for (k++; k < row_end && (j = A->columns[k]) < end; k++) {
            sum = fma(A->values[k], x[j], sum);
            y[j] = fma(A->values[k], mirrored, y[j]);
        }
        for (; k < row_end; k++) {
            double *slot = &slots[*far_slot++];
            sum = fma(A->values[k], x[A->columns[k]], sum);
            *slot = fma(A->values[k], mirrored, *slot);
        }
        y[i] = sum;
        if (dot && (i + 1) % SUM_TILE == 0 && !bitwise->is_late[i / SUM_TILE])
            bitwise->tile_dots[i / SUM_TILE] =
                sum_tile_dot(x + i + 1 - SUM_TILE, y + i + 1 - SUM_TILE, SUM_TILE);
    }
}

static void add_incoming(const struct bitwise *bitwise, int64_t tile, double *y)
{
    for (int64_t k = bitwise->first_incoming[tile]; k < bitwise->first_incoming[tile + 1]; k++) {
        struct incoming incoming = bitwise->incoming[k];
        y[incoming.row] += bitwise->slots[incoming.slot];
    }
}

static enum status apply_dot(void *state, const double *x, double *y, double *dot,
                             struct error *error)
{
    (void)error;
    const struct bitwise *bitwise = state;
    int64_t n = bitwise->A->n;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t block = 0; block < bitwise->blocks; block++)
            walk_block(bitwise, block, x, y, dot != NULL);
#pragma omp for schedule(static)
        for (int64_t k = 0; k < bitwise->late_count; k++) {
            int64_t tile = bitwise->late[k];
            int64_t begin = tile * SUM_TILE, left = n - begin;
            add_incoming(bitwise, tile, y);
            if (dot)
                bitwise->tile_dots[tile] =
                    sum_tile_dot(x + begin, y + begin, left < SUM_TILE ? left : SUM_TILE);
        }
    }
    if (dot)
        *dot = sum_levels(bitwise->tile_dots, bitwise->tiles);
    return STATUS_OK;
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    return apply_dot(state, x, y, NULL, error);
}

static int64_t memory_bytes(const void *state)
{
    const struct bitwise *bitwise = state;
    return (int64_t)sizeof *bitwise + 3 * (bitwise->blocks + 1) * (int64_t)sizeof(int64_t) +
           bitwise->first_far[bitwise->blocks] * (int64_t)sizeof(int32_t) +
           bitwise->first_slot[bitwise->blocks] *
               (int64_t)(sizeof(double) + sizeof(struct incoming)) +
           (bitwise->tiles + 1) * (int64_t)(2 * sizeof(int64_t) + sizeof(bool) + sizeof(double));
}

/* A late tile's x and y are read again, and its y written. */
static int64_t bytes_per_apply(const void *state)
{
    const struct bitwise *bitwise = state;
    int64_t slot_bytes = 3 * (int64_t)sizeof(double) + (int64_t)sizeof(struct incoming);
    return csr_bytes(bitwise->A) + 2 * bitwise->A->n * (int64_t)sizeof(double) +
           3 * bitwise->late_count * SUM_TILE * (int64_t)sizeof(double) +
           bitwise->first_far[bitwise->blocks] * (int64_t)sizeof(int32_t) +
           bitwise->first_slot[bitwise->blocks] * slot_bytes;
}

const struct kernel kernel_cpu_sym_bitwise = {
    .name = "cpu_sym_bitwise",
    .summary = "upper triangle, threads, no atomics: the same bits for any number of threads",
    .space = SPACE_CPU,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_BITWISE,
    .parameters = parameters,
    .setup = setup,
    .apply = apply,
    .apply_dot = apply_dot,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
