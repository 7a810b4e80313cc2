/* Sorting in the memory of a device. */
#ifndef SPACE_SORT_H
#define SPACE_SORT_H

#include "base/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct space;

/* keys[0][count], of so many bits, ascend, and places[0][count] move with them; of equal keys the
 * order stays. keys[1] and places[1] are as long: they are overwritten, and may change places with
 * the first ones. count < 2^32. In the CUDA part (base/cuda_part.h). Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status space_sort(struct space *space, int64_t count, int bits, uint64_t *keys[2],
                       uint32_t *places[2], struct error *error);

#ifdef __cplusplus
}
#endif
#endif
