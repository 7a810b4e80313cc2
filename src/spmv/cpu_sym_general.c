/* The form of cpu_sym_bitwise for matrices of no special structure. Threads walk blocks of rows as
 * cpu_sym walks all of them. What a block adds to rows of later blocks goes into slots of its own, one
 * for each such row, and a second pass adds the slots to their rows in ascending block order, tile
 * by tile of cgsolve/sum_order.h, so that the dot product x . y comes out of the same pass while
 * the tile is in the first-level cache.
 *
 * Against cpu_sym_atomic it needs no atomic and no zeroing of y. It moves the matrix once, 4 bytes
 * more for each far entry (the number of its slot), and 40 bytes a slot (zeroed, added to, read,
 * and found). */
#include "spmv/cpu_sym_forms.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "space/cpu_sum.h"
#include "spmv/sym_order.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct general {
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
    struct general *general = state;
    if (!general)
        return;
    memory_free(general->first_rows);
    memory_free(general->first_far);
    memory_free(general->first_slot);
    memory_free(general->far_slots);
    memory_free(general->slots);
    memory_free(general->late);
    memory_free(general->is_late);
    memory_free(general->first_incoming);
    memory_free(general->incoming);
    memory_free(general->tile_dots);
    memory_free(general);
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
static int32_t number_slots(const struct general *general, int64_t block, struct met *met,
                            int32_t *slot_rows)
{
    const struct csr *A = general->A;
    int64_t end = general->first_rows[block + 1];
    int32_t *far_slot = general->far_slots + general->first_far[block];
    int32_t slots = 0;
    for (int64_t i = general->first_rows[block]; i < end; i++) {
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
static enum status make_incoming(struct general *general, const int32_t *slot_rows,
                                 struct error *error)
{
    int64_t n = general->A->n, slots = general->first_slot[general->blocks];
    general->incoming = memory_array(slots, sizeof *general->incoming, "the slots", error);
    int64_t *next = memory_zeros(n + 1, sizeof *next, "the slots' cursors", error);
    if (!general->incoming || !next) {
        memory_free(next);
        return STATUS_MEMORY;
    }
    for (int64_t slot = 0; slot < slots; slot++)
        next[slot_rows[slot] + 1]++;
    for (int64_t j = 0; j < n; j++) {
        next[j + 1] += next[j];
        if (j % SUM_TILE == 0)
            general->first_incoming[j / SUM_TILE] = next[j];
    }
    general->first_incoming[general->tiles] = slots;
    for (int64_t slot = 0; slot < slots; slot++) {
        int32_t row = slot_rows[slot];
        general->incoming[next[row]++] = (struct incoming){slot, row};
    }
    memory_free(next);
    return STATUS_OK;
}

static enum status make_slots(struct general *general, struct error *error)
{
    const struct csr *A = general->A;
    general->first_far[0] = general->first_slot[0] = 0;
    for (int64_t block = 0; block < general->blocks; block++)
        general->first_far[block + 1] =
            general->first_far[block] +
            far_count(A, general->first_rows[block], general->first_rows[block + 1]);
    int64_t far = general->first_far[general->blocks];
    general->far_slots = memory_array(far, sizeof *general->far_slots, "the far entries", error);
    int32_t *slot_rows = memory_array(far, sizeof *slot_rows, "the slots' rows", error);
    struct met *met = memory_array(A->n, sizeof *met, "the far columns", error);
    enum status status = STATUS_MEMORY;
    if (general->far_slots && slot_rows && met) {
        for (int64_t j = 0; j < A->n; j++)
            met[j].block = -1;
        for (int64_t block = 0; block < general->blocks; block++)
            general->first_slot[block + 1] =
                general->first_slot[block] +
                number_slots(general, block, met, slot_rows + general->first_slot[block]);
        status = make_incoming(general, slot_rows, error);
    }
    memory_free(slot_rows);
    memory_free(met);
    return status;
}

/* A tile is late when slots come to it, or when no single block finishes it. */
static enum status find_late_tiles(struct general *general, struct error *error)
{
    int64_t tiles = general->tiles, n = general->A->n;
    general->late = memory_array(tiles, sizeof *general->late, "the late tiles", error);
    general->is_late = memory_array(tiles, sizeof *general->is_late, "the late tiles", error);
    if (!general->late || !general->is_late)
        return STATUS_MEMORY;
    for (int64_t tile = 0; tile < tiles; tile++)
        general->is_late[tile] = general->first_incoming[tile] < general->first_incoming[tile + 1];
    for (int64_t block = 1; block < general->blocks; block++)
        if (general->first_rows[block] % SUM_TILE != 0)
            general->is_late[general->first_rows[block] / SUM_TILE] = true;
    if (n % SUM_TILE != 0)
        general->is_late[tiles - 1] = true;
    for (int64_t tile = 0; tile < tiles; tile++)
        if (general->is_late[tile])
            general->late[general->late_count++] = tile;
    return STATUS_OK;
}

static enum status fill_state(struct general *general, int64_t entries, struct error *error)
{
    const struct csr *A = general->A;
    enum status status = sym_blocks(A, entries, &general->first_rows, &general->blocks, error);
    if (status)
        return status;
    int64_t bounds = general->blocks + 1;
    general->tiles = sum_tiles(A->n);
    general->first_far = memory_array(bounds, sizeof(int64_t), "the far entries", error);
    general->first_slot = memory_array(bounds, sizeof(int64_t), "the slots", error);
    general->first_incoming = memory_array(general->tiles + 1, sizeof(int64_t), "the slots", error);
    general->tile_dots = memory_array(general->tiles, sizeof(double), "the tiles' sums", error);
    if (!general->first_far || !general->first_slot || !general->first_incoming ||
        !general->tile_dots)
        return STATUS_MEMORY;
    status = make_slots(general, error);
    if (!status)
        status = find_late_tiles(general, error);
    if (status)
        return status;
    general->slots =
        memory_array(general->first_slot[general->blocks], sizeof(double), "the slots", error);
    return general->slots ? STATUS_OK : STATUS_MEMORY;
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    (void)space;
    *state = NULL;
    struct general *general = memory_zeros(1, sizeof *general, "the kernel's state", error);
    if (!general)
        return STATUS_MEMORY;
    general->A = A;
    general->sign = A->kind == CSR_SKEW ? -1 : 1;
    enum status status = fill_state(general, options->values[SYM_BLOCK], error);
    if (status)
        destroy(general);
    else
        *state = general;
    return status;
}

/* The rows of one block: near entries into y, far ones into the block's slots; and, when wanted, the
 * dot of every tile that this finishes. */
MULTIVERSION static void walk_block(const struct general *general, int64_t block, const double *x,
                                    double *y, bool dot)
{
    const struct csr *A = general->A;
    int64_t begin = general->first_rows[block], end = general->first_rows[block + 1];
    const int32_t *far_slot = general->far_slots + general->first_far[block];
    int64_t first_slot = general->first_slot[block];
    double *slots = general->slots + first_slot;
    memset(slots, 0, (size_t)(general->first_slot[block + 1] - first_slot) * sizeof *slots);
    memset(y + begin, 0, (size_t)(end - begin) * sizeof *y);
    for (int64_t i = begin; i < end; i++) {
        int64_t k = A->offsets[i], row_end = A->offsets[i + 1];
        double mirrored = general->sign * x[i];
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
        if (dot && (i + 1) % SUM_TILE == 0 && !general->is_late[i / SUM_TILE])
            general->tile_dots[i / SUM_TILE] =
                sum_tile_dot(x + i + 1 - SUM_TILE, y + i + 1 - SUM_TILE, SUM_TILE);
    }
}

static void add_incoming(const struct general *general, int64_t tile, double *y)
{
    for (int64_t k = general->first_incoming[tile]; k < general->first_incoming[tile + 1]; k++) {
        struct incoming incoming = general->incoming[k];
        y[incoming.row] += general->slots[incoming.slot];
    }
}

static enum status apply_dot(void *state, const double *x, double *y, double *dot,
                             struct error *error)
{
    (void)error;
    const struct general *general = state;
    int64_t n = general->A->n;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t block = 0; block < general->blocks; block++)
            walk_block(general, block, x, y, dot != NULL);
#pragma omp for schedule(static)
        for (int64_t k = 0; k < general->late_count; k++) {
            int64_t tile = general->late[k];
            int64_t begin = tile * SUM_TILE, left = n - begin;
            add_incoming(general, tile, y);
            if (dot)
                general->tile_dots[tile] =
                    sum_tile_dot(x + begin, y + begin, left < SUM_TILE ? left : SUM_TILE);
        }
    }
    if (dot)
        *dot = sum_levels(general->tile_dots, general->tiles);
    return STATUS_OK;
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    return apply_dot(state, x, y, NULL, error);
}

static int64_t memory_bytes(const void *state)
{
    const struct general *general = state;
    return (int64_t)sizeof *general + 3 * (general->blocks + 1) * (int64_t)sizeof(int64_t) +
           general->first_far[general->blocks] * (int64_t)sizeof(int32_t) +
           general->first_slot[general->blocks] *
               (int64_t)(sizeof(double) + sizeof(struct incoming)) +
           (general->tiles + 1) * (int64_t)(2 * sizeof(int64_t) + sizeof(bool) + sizeof(double));
}

/* A late tile's x and y are read again, and its y written. */
static int64_t bytes_per_apply(const void *state)
{
    const struct general *general = state;
    int64_t slot_bytes = 3 * (int64_t)sizeof(double) + (int64_t)sizeof(struct incoming);
    return csr_bytes(general->A) + 2 * general->A->n * (int64_t)sizeof(double) +
           3 * general->late_count * SUM_TILE * (int64_t)sizeof(double) +
           general->first_far[general->blocks] * (int64_t)sizeof(int32_t) +
           general->first_slot[general->blocks] * slot_bytes;
}

static void describe(const void *state, char *text, size_t size)
{
    const struct general *general = state;
    snprintf(text, size, "rows in %" PRId64 " blocks, with %" PRId64 " slots between them",
             general->blocks, general->first_slot[general->blocks]);
}

const struct kernel cpu_sym_general = {
    .name = "general",
    .setup = setup,
    .apply = apply,
    .apply_dot = apply_dot,
    .describe = describe,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
