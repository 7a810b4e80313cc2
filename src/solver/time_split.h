/* The time of the passes of a method one by one, behind a solve (struct solver_split). */
#ifndef SOLVER_TIME_SPLIT_H
#define SOLVER_TIME_SPLIT_H

#include "solver/solver.h"
#include "space/space.h"

#include <stdbool.h>

/* Whether it is asked for, there are iterations of finite numbers to take apart, and nobody waits
 * for the end. */
bool time_split_wanted(const struct solver_options *options, const struct solver_result *result);

/* *seconds of one work(context), by the space's clock. It is done so often that all pieces of an
 * iteration together take about 2 % of result->seconds, but 2 ms or more, and 100 ms or less; and
 * twice at the least. Always an even number of times, because a method may change between two
 * buffers. Errors: STATUS_DEVICE and those of work. */
enum status time_split_take(struct space *space, space_work *work, void *context,
                            const struct solver_result *result, double *seconds,
                            struct error *error);

#endif
