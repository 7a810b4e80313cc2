/* The rows of a matrix in parts of few lengths: regular ones of a multiple of 32 entries, at most 512, and
 * residual ones of fewer than 32 (RoDe: Pang et al., "A Row Decomposition-based Approach
 * for Sparse Matrix Multiplication on GPUs", PPoPP 2024). Made on the host; products with one vector and with
 * several can work from it.
 *
 *     a row of 1127 entries    512 | 512 | 96 | 7        1127 = 35 * 32 + 7, and 35 * 32 = 2 * 512 + 96
 *     a row without entries    0
 *
 * All parts of one length are a class, and lie together: parts in the order of their rows, and their
 * entries one part after the other, so that a part's number tells where its entries are. The classes are
 * in the order 512, 480, ..., 32, 31, 30, ..., 1, 0: long ones first. Within a part the entries keep
 * their order.
 *
 * A row of several parts is finished by its last one, which has the highest number: the others lay their
 * sums down in slots, the row's next to each other in the order of its parts. */
#ifndef SPMV_ROW_PARTS_H
#define SPMV_ROW_PARTS_H

#include "cgsolve/csr.h"
#include "cgsolve/host_device.h"
#include "cgsolve/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ROW_PARTS_UNIT = 32,                                    /* regular parts are multiples of it */
    ROW_PARTS_LONGEST = 512,                                /* and no longer */
    ROW_PARTS_REGULAR = ROW_PARTS_LONGEST / ROW_PARTS_UNIT, /* classes of them */
    ROW_PARTS_CLASSES = ROW_PARTS_REGULAR + ROW_PARTS_UNIT,
};

/* link says what becomes of the part's sum: 0: it is the row's. Negative: it goes into slot ~link. Odd: it
 * is added to what is in slot link / 2. Even: to what is in the slots of joins[link / 2 - 1]. */
struct row_part {
    int32_t row, link;
};

struct row_join {
    int32_t first, count; /* slots, 2 or more */
};

struct row_parts {
    int64_t n, nnz; /* of the full matrix */
    bool narrow;    /* values are float */
    int64_t first_part[ROW_PARTS_CLASSES + 1], first_entry[ROW_PARTS_CLASSES + 1]; /* of a class */
    struct row_part *parts; /* [first_part[ROW_PARTS_CLASSES]] */
    int32_t *columns;       /* [nnz] */
    void *values;           /* [nnz] */
    int64_t slots;
    int64_t joined;         /* rows of three parts or more */
    struct row_join *joins; /* [joined] */
};

/* From the full matrix, kind general. The caller calls row_parts_free. Errors: STATUS_MEMORY, STATUS_CONFIG when
 * more than 2^30 slots are needed, or a value is too large for single precision; parts is then all zero. */
enum status row_parts_create(const struct csr *full, bool narrow, struct row_parts *parts,
                             struct error *error);
void row_parts_free(struct row_parts *parts); /* accepts a zeroed one */

/* The bytes of its arrays; and at the least, before it is made. */
int64_t row_parts_bytes(const struct row_parts *parts);
int64_t row_parts_bytes_least(int64_t n, int64_t nnz, bool narrow);

/* The length of the parts of a class, and the class of a length. */
CGSOLVE_HOST_AND_DEVICE static inline int row_parts_length(int c)
{
    return c < ROW_PARTS_REGULAR ? (ROW_PARTS_REGULAR - c) * ROW_PARTS_UNIT
                                 : ROW_PARTS_CLASSES - 1 - c;
}

CGSOLVE_HOST_AND_DEVICE static inline int row_parts_class(int length)
{
    return length >= ROW_PARTS_UNIT ? ROW_PARTS_REGULAR - length / ROW_PARTS_UNIT
                                    : ROW_PARTS_CLASSES - 1 - length;
}

/* The class of which `number` is a member, from where each class begins in that count: the last one that begins
 * at or before it. first[ROW_PARTS_CLASSES] is behind the last member. */
CGSOLVE_HOST_AND_DEVICE static inline int row_parts_class_of(const int64_t *first, int64_t number)
{
    int low = 0, high = ROW_PARTS_CLASSES;
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
