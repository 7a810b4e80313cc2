/* What is told of the runs of one thing. */
#ifndef STUDY_STATISTICS_H
#define STUDY_STATISTICS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The middle value, or the mean of the middle two. Sorts the values, count >= 1. */
double median(double *values, int64_t count);

/* How many different ones there are. Sorts the hashes. */
int64_t distinct_hashes(uint64_t *hashes, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
