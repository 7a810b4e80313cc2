/* A pass: one sweep over vectors, with its sums and the scalars that follow from the sums.
 *
 * Methods and preconditioners consist of passes and products with operators. Each defines its own
 * passes: a constant `struct pass`, which a space runs over vectors of n elements, with a struct of
 * addresses in the space's memory. Spaces know no particular pass.
 *
 * space/elements.h: how to write the arithmetic of a pass once for CPU and GPU. */
#ifndef SPACE_PASS_H
#define SPACE_PASS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct space;
struct pass;

/* *result = x . y of the vectors after the pass; x and y may be the same. The result must not alias
 * a scalar that the pass reads. */
struct pass_sum {
    const double *x, *y;
    double *result;
};

/* A complete run of the pass, with sums and the function `after`. Errors: STATUS_MEMORY,
 * STATUS_DEVICE, STATUS_CONFIG. */
typedef enum status pass_launcher(struct space *space, const struct pass *pass, int64_t n,
                                  const void *work, struct error *error);

/* Columns of the same multivectors (spmv/operator.h) for one run of a pass. Each has its own work:
 * its vectors are columns, with element i of v at v[i stride], and its scalars are its own. All
 * scalars are read before the first element is made. */
enum { PASS_COLUMNS = 32, PASS_WORK_MOST = 128 };
struct pass_columns {
    int64_t stride;
    int count; /* 1 ... PASS_COLUMNS */
    const void *work[PASS_COLUMNS];
    int place[PASS_COLUMNS];            /* the column, relative to that of work[0]; ascending */
    const int64_t *ended[PASS_COLUMNS]; /* of each, as struct space's, or NULL */
};

typedef enum status pass_columns_launcher(struct space *space, const struct pass *pass, int64_t n,
                                          const struct pass_columns *columns, struct error *error);

struct pass {
    const char *name; /* for messages: "a step along p" */

    /* On a CPU: make the elements begin <= i < end, on any thread. NULL: nothing is made. */
    void (*make)(const void *work, int64_t begin, int64_t end);

    /* The same after a product: product[i - begin] replaces element i of one of the vectors, which
     * is not read; the pass's header names it. NULL: no such form. */
    void (*make_of)(const void *work, const double *product, int64_t begin, int64_t end);

    /* Sum number k from 0 on; false: no more sums. Each has the bits of space_dot. NULL: none. */
    bool (*sum)(const void *work, int64_t k, struct pass_sum *sum);

    /* The recurrence of the method's scalars, once, in the scalars' memory, after the sums. It may
     * not access vectors, which later work may already read. NULL: nothing. */
    void (*after)(const void *work);

    /* On a GPU: the name of a pass_launcher in the CUDA part (base/cuda_part.h). NULL: the pass has
     * no form for a GPU, and running it on one is STATUS_UNAVAILABLE. */
    const char *cuda;
    /* On a CPU instead of `make` and `sum`, if these do not fit. NULL: they fit. */
    pass_launcher *cpu;

    /* Over columns: the elements begin <= i < end of each, on a CPU; all of them on a GPU, the name
     * of a pass_columns_launcher in the CUDA part (space/cuda/cuda_columns.cuh); and the bytes of a
     * work, PASS_WORK_MOST at most. Elements and sums have the bits of `make` and of space_dot. 0
     * and NULL: no such form. */
    void (*make_columns)(const struct pass_columns *columns, int64_t begin, int64_t end);
    const char *cuda_columns;
    size_t work_bytes;

    bool always; /* also when *space->ended is not 0 */

    /* On a GPU, make the elements first, and take atomic and exact sums afterwards: for elements
     * with many reads, for which these sums would wait. */
    bool apart_on_cuda;

    /* The numbers of vectors of doubles that it reads and writes, a vector with both counted twice;
     * and the number of vectors in its sums. */
    double reads, writes, summed;
};

#ifdef __cplusplus
}
#endif
#endif
