/* The entries of a matrix in equal shares, whatever its rows: what cuda_segscan multiplies with,
 * made on the host, and how to find something in it, for host and device alike.
 *
 * The entries of the full matrix, row after row, are cut into blocks of SEGSCAN_WARPS shares, a
 * share into V = values_per_thread entries next to each other for each of the 32 threads (lanes) of
 * a warp. A block begins where the one before ends. It ends with the last row that ends in its 256
 * V places, if that leaves free at most one in SEGSCAN_LEFT_FREE of them, and else it is full, and
 * the row goes on in the next. So rows that are short beside a block lie in one. Places left free
 * hold zeros in column 0, after the last row of the block, where their products reach no row. A
 * share is kept by groups: lane 0's first `group` entries, lane 1's, ..., lane 31's, lane 0's next
 * ones, and so on, so that a warp loads one piece of memory, and each of its lanes 16 bytes where V
 * permits. Beside the values there is one word an entry:
 *
 *     bit   31      30 29 28   27 ... 0
 *           ends    a piece    column
 *
 * ends: it is the last entry of its row. The pieces of a lane's first three entries, the lowest
 * bits first, are its offset: how many rows end in the share before its entries. That is at most
 * 31 * 16, so 9 bits; and 28 are left for the column.
 *
 * Rows without entries end nowhere. The r-th row that ends in a share is the first one plus r, or,
 * where some without entries lie between, is taken from a list. */
#ifndef SPMV_BASELINE_SEGSCAN_H
#define SPMV_BASELINE_SEGSCAN_H

#include "base/host_device.h"
#include "base/status.h"
#include "matrix/csr.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SEGSCAN_LANES = 32,
    SEGSCAN_WARPS = 8,
    SEGSCAN_VALUES_MAX = 16,
    SEGSCAN_COLUMN_BITS = 28,
    SEGSCAN_PIECES = 3,
    SEGSCAN_PIECE_BITS = 3,
    SEGSCAN_LEFT_FREE = 8, /* a block leaves at most one of this many places free */
};

/* Of a word: a row ends with it. Of a block's joins: its last entries belong to a row that ends in
 * a later block. */
#define SEGSCAN_ENDS (UINT32_C(1) << 31)
#define SEGSCAN_CONTINUES (UINT32_C(1) << 31)

/* Entries of one lane in a group, of numbers of `size` bytes. */
#define SEGSCAN_GROUP(V, size) ((size) == 4 && (V) % 4 == 0 ? 4 : 2)

struct segscan {
    int64_t n, nnz; /* of the full matrix */
    int values_per_thread;
    bool narrow;     /* values are float */
    int64_t blocks;  /* at least 1 */
    int64_t *begins; /* [blocks + 1] the first entry of each block, and then nnz */
    int ends_max;    /* of the rows that end in a share, the most */
    uint32_t *words; /* [blocks * segscan_block(V)] */
    void *values;    /* likewise */
    int32_t *first;  /* [blocks * SEGSCAN_WARPS] for segscan_row */
    uint32_t *joins; /* [blocks] for segscan_joined, and SEGSCAN_CONTINUES or not */
    int64_t listed;
    int32_t *rows; /* [listed] of the shares whose rows do not follow each other */
    int64_t empties;
    int32_t *empty; /* [empties] rows without entries, ascending */
};

/* 4 for fewer than 2^18 entries, which make few warps for a large device; else 10, and 16 where
 * values and sums are single: on an H200 the fastest, in the geometric mean over nine of the
 * stand-ins of docs/test-matrices.md. */
int segscan_values_per_thread(int64_t nnz, bool single);

/* STATUS_CONFIG when V is neither 0 nor one of those, or A has more than 2^28 columns. */
enum status segscan_check(const struct csr *A, int64_t V, struct error *error);

/* From the full matrix, kind general, which has passed segscan_check, and single_check where
 * `narrow`; V = values_per_thread. The caller calls segscan_free. Errors: STATUS_MEMORY; scan is
 * then all zero. */
enum status segscan_create(const struct csr *full, int V, bool narrow, struct segscan *scan,
                           struct error *error);
void segscan_free(struct segscan *scan); /* accepts a zeroed one */

/* The bytes of its arrays, `begins` not counted, which stays on the host; before it is made, the
 * least that they can be. */
int64_t segscan_bytes(const struct segscan *scan);
int64_t segscan_bytes_of(int64_t nnz, int V, bool narrow);

/* Places of a share, and of a block. */
CGSOLVE_HOST_AND_DEVICE static inline int segscan_share(int V)
{
    return SEGSCAN_LANES * V;
}

CGSOLVE_HOST_AND_DEVICE static inline int segscan_block(int V)
{
    return SEGSCAN_WARPS * segscan_share(V);
}

/* Where in a share a lane's g-th group begins. */
CGSOLVE_HOST_AND_DEVICE static inline int segscan_group_place(int group, int lane, int g)
{
    return (g * SEGSCAN_LANES + lane) * group;
}

/* Where in a share a lane's entry v is. */
CGSOLVE_HOST_AND_DEVICE static inline int segscan_place(int group, int lane, int v)
{
    return segscan_group_place(group, lane, v / group) + v % group;
}

CGSOLVE_HOST_AND_DEVICE static inline uint32_t segscan_word(int32_t column, bool ends, int offset,
                                                            int v)
{
    int piece = v < SEGSCAN_PIECES
                    ? offset >> (v * SEGSCAN_PIECE_BITS) & ((1 << SEGSCAN_PIECE_BITS) - 1)
                    : 0;
    return (uint32_t)column | (uint32_t)piece << SEGSCAN_COLUMN_BITS | (ends ? SEGSCAN_ENDS : 0);
}

CGSOLVE_HOST_AND_DEVICE static inline uint32_t segscan_column(uint32_t word)
{
    return word & ((UINT32_C(1) << SEGSCAN_COLUMN_BITS) - 1);
}

CGSOLVE_HOST_AND_DEVICE static inline bool segscan_ends(uint32_t word)
{
    return (int32_t)word < 0;
}

/* The offset, from the words of a lane's first entries. */
CGSOLVE_HOST_AND_DEVICE static inline int segscan_offset(const uint32_t *words)
{
    uint32_t offset = 0;
    for (int v = 0; v < SEGSCAN_PIECES; v++) /* the flag is shifted out, the column cut off */
        offset |= words[v] << 1 >> (32 - SEGSCAN_PIECE_BITS) << (v * SEGSCAN_PIECE_BITS);
    return (int)offset;
}

/* The r-th row that ends in a share: the first one plus r, or, where it is negative, from the
 * list. */
CGSOLVE_HOST_AND_DEVICE static inline int32_t segscan_row(int32_t first, const int32_t *rows, int r)
{
    return first >= 0 ? first + r : rows[~first + (int64_t)r];
}

/* How many lanes before `lane` have a part of the row that its last entries belong to: those since
 * the last one, itself included, in which a row ends, or all where none does. ends: the lanes in
 * which one does, as bits. */
CGSOLVE_HOST_AND_DEVICE static inline int segscan_reach(uint32_t ends, int lane)
{
    uint32_t before = ends << (31 - lane);
#ifdef __CUDA_ARCH__
    int distance = __clz((int)before);
#else
    int distance = before ? __builtin_clz(before) : 32;
#endif
    return distance < lane ? distance : lane;
}

/* How many blocks right before this one have a part of the row that ends first in it, 0 where it
 * begins there too. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t segscan_joined(uint32_t joins)
{
    return joins & ~SEGSCAN_CONTINUES;
}

#ifdef __cplusplus
}
#endif
#endif
