/* Whether GPU tests can run. */
#ifndef TESTS_CUDA_DEVICE_H
#define TESTS_CUDA_DEVICE_H

#include <stdbool.h>

/* False when this build or this machine has no CUDA device: then it says that nothing is run, and
 * why. */
bool cuda_device_is_there(void);

/* How many devices there are, `most` at the most. */
int cuda_devices(int most);

/* With how many ranks a test may run, `most` at the most. A kernel of a rank waits for those of the
 * others, which run beside it on a device that they share. NCCL does not share one, and a checker
 * (test_is_slow) runs the kernels of a device one after the other: there it is cuda_devices(). */
int cuda_ranks(int most);

/* 2 and 3, as far as cuda_ranks() allows, then 0. */
const int *cuda_rank_counts(void);

#endif
