/* Several sweeps over a matrix on a CPU, one after the other, as one: a sweep makes rows while what
 * the sweep before made of them is still in a cache. All of them see what they would see apart.
 *
 * A tile of a sweep needs the tiles of the sweep before that lie `reach` away at the most. So each
 * thread goes through its share in steps, and each sweep follows the one before at that distance;
 * what is then left lies around the borders of the shares, and is done last. (Trapezoids, as in
 * Demmel, Hoemmen, Mohiyuddin and Yelick 2008, without their redundant work.) */
#ifndef SPMV_SWEEPS_H
#define SPMV_SWEEPS_H

#include "base/threads.h"

#include <stdint.h>

struct sweeps {
    int count;
    int64_t tiles, reach;
    /* Makes these tiles in a sweep. It may overwrite what sweeps before read in their own tile or
     * within reach of it, and what no other tile reads. */
    void (*make)(const void *context, int sweep, int64_t tile, int64_t last);
    const void *context;
};

void sweeps_run(struct threads *threads, const struct sweeps *sweeps);

#endif
