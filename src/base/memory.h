/* Heap arrays. Sizes are 64-bit and checked for overflow; a failure says how much was wanted and
 * for what; a test can make any allocation fail. Thread-safe. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An uninitialised array of count elements of size bytes, aligned to 64 bytes; count = 0 gives a
 * pointer that can be freed. NULL on failure, with the message "...: what needs N bytes" in error
 * (the caller returns STATUS_MEMORY). The caller owns it and calls memory_free. */
void *memory_array(int64_t count, size_t size, const char *what, struct error *error);

/* The same, filled with zero bytes. */
void *memory_zeros(int64_t count, size_t size, const char *what, struct error *error);

/* Zeros for `count` elements, lazily: a page takes memory when it is first written. The caller
 * calls memory_room_free with the same count and size. On failure as above. */
void *memory_room(int64_t count, size_t size, const char *what, struct error *error);
void memory_room_free(void *room, int64_t count, size_t size); /* accepts NULL */

/* A copy of a text, and of its first `length` bytes. */
char *memory_text(const char *text, const char *what, struct error *error);
char *memory_text_part(const char *text, int64_t length, const char *what, struct error *error);

/* Make *array hold at least `needed` elements. If *capacity is smaller, the array grows by half or
 * more, and the first *capacity elements are kept. On failure *array is as before. */
enum status memory_grow(void **array, int64_t *capacity, int64_t needed, size_t size,
                        const char *what, struct error *error);

/* STATUS_MEMORY, with the bytes needed and left, if `bytes` exceed the memory that this process may
 * still take (base/limits.h) less its unfilled arrays. For a system may overcommit memory, and kill
 * the process that fills it. The available memory is read anew, from some files, for requests of a
 * 64th of the last reading, and after half of it has been taken. memory_array and memory_zeros call
 * this function. Call it earlier with the sum of all arrays that will live at once. */
enum status memory_fits(double bytes, const char *what, struct error *error);

/* Accepts NULL. */
void memory_free(void *array);

/* For tests and trials (study/trial.h): let `successes` further allocations succeed, then fail
 * every one after them; a negative number (the default) never fails. */
void memory_fail_after(int64_t successes);

/* For them too: live allocations since the last memory_live_reset. */
int64_t memory_live(void);
void memory_live_reset(void);

#ifdef __cplusplus
}
#endif
#endif
