#include "solver/time_split.h"

#include "space/ranks/ranks.h"

#include <math.h>

bool time_split_wanted(const struct solver_options *options, const struct solver_result *result)
{
    return options->time_split && result->iterations > 0 && result->reason != REASON_NOT_FINITE &&
           result->reason != REASON_INTERRUPTED;
}

/* How many pairs are timed. */
static int64_t pairs(const struct solver_result *result)
{
    const double share = 0.02, least = 2e-3, most = 0.1, pairs_most = 256;
    double wanted = fmin(fmax(share * result->seconds, least), most);
    double pair = 2 * result->seconds / (double)result->iterations;
    return (int64_t)fmax(1, fmin(wanted / pair, pairs_most));
}

enum status time_split_take(struct space *space, space_work *work, void *context,
                            const struct solver_result *result, double *seconds,
                            struct error *error)
{
    const struct space_operations *space_do = space->operations;
    int64_t count = pairs(result);
    enum status status = ranks_max(space, &count, error);
    if (!status)
        status = space_do->record(space, work, context, 2, error);
    if (!status && count > 1) /* the first time is not like the others; a long one hardly differs */
        status = space_do->replay_timed(space, 1, seconds, error);
    if (!status)
        status = space_do->replay_timed(space, count, seconds, error);
    *seconds = status ? 0 : *seconds / (2 * (double)count);
    space_do->forget(space);
    return status;
}
