/* Bad schedules: the parts of a product are handed out in random order, to late and early
 * threads. */
#ifndef TESTS_SPMV_SCHEDULES_H
#define TESTS_SPMV_SCHEDULES_H

#include <stdint.h>

enum { SCHEDULE_PARTS_MAX = 64 };

/* Another order and other delays from here on, for spmv/symmetric/row_partition.h and for
 * schedule_part. */
void schedule_shuffle(uint64_t *state);

/* The part that is walked at a turn, after a while: a permutation of 0 ... count - 1, count <=
 * SCHEDULE_PARTS_MAX. */
int64_t schedule_part(int64_t turn, int64_t count);

/* Parts one after the other again. */
void schedule_end(void);

#endif
