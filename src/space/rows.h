/* Set-up row by row in the memory of a space; NULL: of the host, by the lent team (base/threads.h).
 * Passes make the rows. Between the passes only integers are added, sorted and counted
 * (space/find.h also has maxima), so every space gives the same result. */
#ifndef SPACE_ROWS_H
#define SPACE_ROWS_H

#include "space/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/* count uninitialised elements of `size` bytes. The caller calls rows_release. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status rows_array(struct space *space, int64_t count, size_t size, const char *what,
                       void **array, struct error *error);
void rows_release(struct space *space, void *array); /* accepts NULL */

/* To the host. Errors: STATUS_DEVICE. */
enum status rows_download(struct space *space, int64_t bytes, const void *array, void *host,
                          struct error *error);

/* From the host; and within the memory. Errors: STATUS_DEVICE. */
enum status rows_upload(struct space *space, int64_t bytes, const void *host, void *array,
                        struct error *error);
enum status rows_copy(struct space *space, int64_t bytes, const void *from, void *to,
                      struct error *error);

/* A pass without sums over n elements. Errors: STATUS_DEVICE, STATUS_UNAVAILABLE. */
enum status rows_run(struct space *space, const struct pass *pass, int64_t n, const void *work,
                     struct error *error);

/* An inclusive prefix sum in place: sums[i + 1] = sums[1] + ... + sums[i + 1], for 0 <= i < n;
 * sums[0] = 0. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status rows_scan(struct space *space, int64_t n, int64_t *sums, struct error *error);

/* rows[k] = i, for offsets[i] <= k < offsets[i + 1] and 0 <= i < n. Errors: as rows_run. */
enum status rows_number(struct space *space, int64_t n, const int64_t *offsets, int32_t *rows,
                        struct error *error);

/* A stable sort by keys[count], 0 <= key < most; elements with the key -1 are left out. offsets[j],
 * 0 <= j <= most: the number of keys below j; order[p], 0 <= p < offsets[most]: the indices k of
 * the elements, by ascending keys, and for equal keys by ascending k. The arrays have room for
 * offsets[most + 2] and order[count]; count < 2^32. A device needs 12 more bytes an element.
 * Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status rows_sort(struct space *space, int64_t count, const int32_t *keys, int64_t most,
                      uint32_t *order, uint32_t *offsets, struct error *error);

/* The same by two keys: for equal first keys by ascending second keys. An element with a key -1 is
 * left out. Needs 8 more bytes an element. */
enum status rows_sort_pairs(struct space *space, int64_t count, const int32_t *first,
                            const int32_t *second, int64_t most, uint32_t *order, uint32_t *offsets,
                            struct error *error);

/* In the CUDA part (base/cuda_part.h). */
enum status rows_copy_cuda(struct space *space, int64_t bytes, const void *from, void *to,
                           struct error *error);
enum status rows_scan_cuda(struct space *space, int64_t n, int64_t *sums, struct error *error);
enum status rows_sort_cuda(struct space *space, int64_t count, const int32_t *keys, int64_t most,
                           uint32_t *order, uint32_t *offsets, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
