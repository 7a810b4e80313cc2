/* The rows of a pattern in parts for a GPU's SDDMM, and who does what in them: for host and device.
 *
 * A row is cut as in RoDe (Pang et al., PPoPP 2024; spmv/row_parts.h has its numbers): regular
 * parts of a multiple of 32 entries, at most 512, and one residual part of fewer than 32. The
 * entries stay where they are, because each is a sum of its own that nobody has to join. Regular
 * parts come first, each kind in the order of its rows. A row without entries has no part.
 *
 * A team of threads takes a part: a warp a regular one, SDDMM_TEAM threads a residual one; and
 * batches of as many entries as it has threads. In a team, T = SDDMM_THREADS(stride) neighbours
 * share the rows of Y of T neighbouring entries: of each of these thread t loads the columns
 * 8 m + 2 t and 8 m + 2 t + 1, m = 0, 1, ..., the lanes 2 t and 2 t + 1 of matrix/sddmm.h. Lanes
 * that a stride below 8 has no columns for are +0, and are not added: that could change the sign of
 * a zero alone, which the last addition makes +.
 *
 * Then the lanes of all T entries are added together: where the tree adds lanes of threads t and
 * t + half, each of these hands half of its entries to the other and keeps the others. So a thread
 * ends with one entry, the t-th, and a team writes its values as neighbours. */
#ifndef SPMV_SDDMM_SDDMM_PARTS_H
#define SPMV_SDDMM_SDDMM_PARTS_H

#include "base/host_device.h"
#include "base/status.h"
#include "matrix/csr.h"
#include "matrix/sddmm.h"
#include "spmv/row_parts.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SDDMM_THREADS_MAX = SDDMM_LANES / 2, /* T */
    SDDMM_TEAM = SDDMM_THREADS_MAX,
};

struct sddmm_part {
    int64_t first; /* entry */
    int32_t row, count;
};

struct sddmm_parts {
    int64_t regular, count; /* of all: the first `regular` are regular */
    struct sddmm_part *parts;
};

/* The caller calls memory_free for parts->parts. Errors: STATUS_MEMORY. */
enum status sddmm_parts_create(const struct csr *pattern, struct sddmm_parts *parts,
                               struct error *error);

/* T: the threads that share a row of Y. */
#define SDDMM_THREADS(stride) ((stride) < 4 ? 1 : (stride) < SDDMM_LANES ? 2 : SDDMM_THREADS_MAX)

/* The first of the two columns that thread t has in step m. */
CGSOLVE_HOST_AND_DEVICE static inline int sddmm_column(int m, int t)
{
    return SDDMM_LANES * m + 2 * t;
}

/* One step of the tree. Threads t and t ^ half each hold lanes of 2 `half` entries. Thread t keeps
 * the `half` entries from *keep on, and gives its partner the `half` entries from *give on. */
CGSOLVE_HOST_AND_DEVICE static inline void sddmm_exchange(int t, int half, int *keep, int *give)
{
    *keep = t & half ? half : 0;
    *give = half - *keep;
}

#ifdef __cplusplus
}
#endif
#endif
