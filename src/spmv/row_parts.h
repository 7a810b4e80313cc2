/* The rows of a matrix in parts of few lengths: regular ones of a multiple of N_B entries, at most
 * N_S, and residual ones of fewer than N_B (RoDe: Pang et al., "A Row Decomposition-based Approach
 * for Sparse Matrix Multiplication on GPUs", PPoPP 2024, whose numbers are 32 and 512). Made on the
 * host; products with one vector and with several can work from it. With these numbers:
 *
 *     a row of 1127 entries    512 | 512 | 96 | 7    (1127 = 35 * 32 + 7, 35 * 32 = 2 * 512 + 96)
 *     a row without entries    0
 *
 * All parts of one length are a class, and lie together: parts in the order of their rows, and
 * their entries one part after the other, so that a part's number tells where its entries are. The
 * classes are in the order N_S, N_S - N_B, ..., N_B, N_B - 1, N_B - 2, ..., 1, 0: long ones first.
 * Within a part the entries keep their order.
 *
 * A row of several parts is finished by its last one, which has the highest number: the others lay
 * their sums down in slots, the row's next to each other in the order of its parts. */
#ifndef SPMV_ROW_PARTS_H
#define SPMV_ROW_PARTS_H

#include "base/host_device.h"
#include "base/status.h"
#include "matrix/csr.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ROW_PARTS_BLOCK = 32,  /* N_B, */
    ROW_PARTS_SPLIT = 512, /* and N_S, of the paper */
    ROW_PARTS_CLASSES_MAX = 96,
};

/* Where rows are cut: N_B, and how many classes of regular parts there are, N_S / N_B. */
struct row_cuts {
    int32_t block, regular;
};

/* link says what becomes of the part's sum: 0: it is the row's. Negative: it goes into slot ~link.
 * Odd: it is added to what is in slot link / 2. Even: to what is in the slots of
 * joins[link / 2 - 1]. */
struct row_part {
    int32_t row, link;
};

struct row_join {
    int32_t first, count; /* slots, 2 or more */
};

struct row_parts {
    int64_t n, nnz; /* of the full matrix */
    bool narrow;    /* values are float */
    struct row_cuts cuts;
    /* of each of the row_cuts_classes classes, and behind the last */
    int64_t first_part[ROW_PARTS_CLASSES_MAX + 1], first_entry[ROW_PARTS_CLASSES_MAX + 1];
    struct row_part *parts; /* [row_parts_count] */
    int32_t *columns;       /* [nnz] */
    void *values;           /* [nnz] */
    int64_t slots;
    int64_t joined;         /* rows of three parts or more */
    struct row_join *joins; /* [joined] */
};

/* From the full matrix, kind general. cuts: block >= 1, regular >= 1, and at most
 * ROW_PARTS_CLASSES_MAX classes. The caller calls row_parts_free. Errors: STATUS_MEMORY,
 * STATUS_CONFIG when more than 2^30 slots are needed; parts is then all zero. */
enum status row_parts_create(const struct csr *full, struct row_cuts cuts, bool narrow,
                             struct row_parts *parts, struct error *error);
void row_parts_free(struct row_parts *parts); /* accepts a zeroed one */

/* The bytes of its arrays; and at the least, before it is made. */
int64_t row_parts_bytes(const struct row_parts *parts);
int64_t row_parts_bytes_least(int64_t n, int64_t nnz, bool narrow);

CGSOLVE_HOST_AND_DEVICE static inline int row_cuts_classes(struct row_cuts cuts)
{
    return cuts.regular + cuts.block;
}

static inline int64_t row_parts_count(const struct row_parts *parts)
{
    return parts->first_part[row_cuts_classes(parts->cuts)];
}

/* The length of the parts of a class, and the class of a length. */
CGSOLVE_HOST_AND_DEVICE static inline int row_parts_length(struct row_cuts cuts, int c)
{
    return c < cuts.regular ? (cuts.regular - c) * cuts.block : row_cuts_classes(cuts) - 1 - c;
}

CGSOLVE_HOST_AND_DEVICE static inline int row_parts_class(struct row_cuts cuts, int length)
{
    return length >= cuts.block ? cuts.regular - length / cuts.block
                                : row_cuts_classes(cuts) - 1 - length;
}

/* The class of which `number` is a member, from where each class begins in that count: the last one
 * that begins at or before it. first[row_cuts_classes] is behind the last member. */
CGSOLVE_HOST_AND_DEVICE static inline int row_parts_class_of(struct row_cuts cuts,
                                                             const int64_t *first, int64_t number)
{
    int low = 0, high = row_cuts_classes(cuts);
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (first[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#ifdef __cplusplus
}
#endif
#endif
