/* Whether GPU tests can run. */
#ifndef TESTS_CUDA_DEVICE_H
#define TESTS_CUDA_DEVICE_H

#include <stdbool.h>

/* False when this build or this machine has no CUDA device: then it says that nothing is run, and
 * why. */
bool cuda_device_is_there(void);

/* How many devices there are, `most` at the most. */
int cuda_devices(int most);

#endif
