#include "spmv/schedules.h"

#include "support.h"

#include "spmv/symmetric/row_partition.h"

#include <time.h>

static int64_t permutation[SCHEDULE_PARTS_MAX];
static uint64_t delays;

int64_t schedule_part(int64_t turn, int64_t count)
{
    struct timespec pause = {0, (long)((delays >> (turn % 50)) % 7) * 20000};
    nanosleep(&pause, NULL);
    ck_assert(turn < count && count <= SCHEDULE_PARTS_MAX);
    for (int64_t k = 0;; k++)
        if (permutation[k] < count && turn-- == 0)
            return permutation[k];
}

void schedule_shuffle(uint64_t *state)
{
    for (int64_t k = 0; k < SCHEDULE_PARTS_MAX; k++) {
        int64_t other = test_random_below(state, k + 1);
        permutation[k] = permutation[other];
        permutation[other] = k;
    }
    delays = (uint64_t)test_random_below(state, INT64_MAX);
    row_partition_schedule = schedule_part;
}

void schedule_end(void)
{
    row_partition_schedule = NULL;
}
