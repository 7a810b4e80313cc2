/* What is told of the runs of one thing. */
#ifndef STUDY_STATISTICS_H
#define STUDY_STATISTICS_H

#include "base/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The middle value, or the mean of the middle two; a NaN stands above every number. Sorts the
 * values, count >= 1. */
double median(double *values, int64_t count);

/* How many different ones there are. Sorts the hashes. */
int64_t distinct_hashes(uint64_t *hashes, int64_t count);

/* Number the different ones from 1 in the order in which they first stand there: numbers[k] is that
 * of hashes[k], *distinct how many there are. Errors: STATUS_MEMORY. */
enum status number_hashes(const uint64_t *hashes, int64_t count, int64_t *numbers,
                          int64_t *distinct, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
