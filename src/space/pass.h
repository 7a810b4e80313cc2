/* A pass: what is done to vectors in one sweep over them, the sums that are taken of them on the
 * way, and the scalars that follow from the sums.
 *
 * Methods and preconditioners are made of passes and of products with operators. Each brings its
 * own: a constant `struct pass`, which a space runs over vectors of n elements with what it works
 * on, addresses in the space's memory. Nothing in a space knows of any of them.
 *
 * How a pass is written so that its arithmetic stands once for CPU and GPU: space/elements.h. */
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

/* *result = x . y of what the vectors are when the pass has made them; x and y may be the same. The
 * result must not alias a scalar that the pass reads. */
struct pass_sum {
    const double *x, *y;
    double *result;
};

/* A whole run of the pass, sums and what follows included. Errors: STATUS_MEMORY, STATUS_DEVICE,
 * STATUS_CONFIG. */
typedef enum status pass_launcher(struct space *space, const struct pass *pass, int64_t n,
                                  const void *work, struct error *error);

/* Columns of the same multivectors (spmv/operator.h), over all of which a pass runs at once.
 * Each has a work of its own, whose vectors are its columns, element i of v at v[i stride], and
 * whose scalars are its own: all that the elements are made with is read before the first. */
enum { PASS_COLUMNS = 32, PASS_WORK_MOST = 128 };
struct pass_columns {
    int64_t stride;
    int count; /* 1 ... PASS_COLUMNS */
    const void *work[PASS_COLUMNS];
    int place[PASS_COLUMNS];            /* which column, counted from that of work[0]; ascending */
    const int64_t *ended[PASS_COLUMNS]; /* of each, as struct space's, or NULL */
};

typedef enum status pass_columns_launcher(struct space *space, const struct pass *pass, int64_t n,
                                          const struct pass_columns *columns, struct error *error);

struct pass {
    const char *name; /* for messages: "a step along p" */

    /* On a CPU: make the elements begin <= i < end, on any thread. NULL: nothing is made. */
    void (*make)(const void *work, int64_t begin, int64_t end);

    /* The same behind a product: product[i - begin] stands for the element i of one of the vectors,
     * which is not read; the header of the pass says which. NULL: it has no such form. */
    void (*make_of)(const void *work, const double *product, int64_t begin, int64_t end);

    /* Sum number k from 0 on; false: there are no more. Each has the bits of space_dot. NULL:
     * none. */
    bool (*sum)(const void *work, int64_t k, struct pass_sum *sum);

    /* What follows, once, where the scalars live, when the sums are there: the recurrence of the
     * method's scalars. Vectors are left alone: others may read them by then. NULL: nothing. */
    void (*after)(const void *work);

    /* On a GPU: the name of a pass_launcher in the CUDA part (base/cuda_part.h). NULL: the pass has
     * no form for it, and running it there is STATUS_UNAVAILABLE. */
    const char *cuda;
    /* On a CPU in the place of `make` and `sum`, where these do not fit. NULL: they do. */
    pass_launcher *cpu;

    /* Over columns: the elements begin <= i < end of each, on a CPU; all of them on a GPU, the
     * name of a pass_columns_launcher in the CUDA part (space/cuda/cuda_columns.cuh); and the bytes
     * of a work, PASS_WORK_MOST at most. Elements and sums have the bits of `make` and of
     * space_dot. 0 and NULL: the pass has no such form. */
    void (*make_columns)(const struct pass_columns *columns, int64_t begin, int64_t end);
    const char *cuda_columns;
    size_t work_bytes;

    bool always; /* also when *space->ended is not 0 */

    /* On a GPU the elements are made first, and atomic and exact sums taken after that: for
     * elements that take many reads, which these sums would wait for. */
    bool apart_on_cuda;

    /* How many vectors of doubles it reads and writes, one that it does both to counted twice; and
     * how many its sums are of. */
    double reads, writes, summed;
};

#ifdef __cplusplus
}
#endif
#endif
