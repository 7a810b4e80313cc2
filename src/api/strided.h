/* The caller's arrays (struct cgs_array): checks, and copies on the host. */
#ifndef API_STRIDED_H
#define API_STRIDED_H

#include "api/handles.h"

enum {
    STRIDED_DOUBLES = 1 << CGS_DOUBLE,
    STRIDED_REALS = 1 << CGS_DOUBLE | 1 << CGS_FLOAT,
    STRIDED_INTEGERS = 1 << CGS_INT32 | 1 << CGS_INT64,
};

/* The requirements of an array. */
struct strided_wanted {
    const char *what;      /* its name in a sentence */
    int64_t rows, columns; /* columns = 0: at least 1 */
    unsigned types;        /* STRIDED_DOUBLES, ... */
};

struct strided {
    struct cgs_array at; /* with defaults filled in; data = NULL: missing */
    const char *what;
    int64_t span; /* elements from the first one to the last */
    void *host;   /* its columns, one after the other: the caller's memory, or a copy */
};

/* space: the context's, NULL if no array is in a device's memory; waits for the context's stream
 * before it takes such an array. A missing array passes. Errors: STATUS_CONFIG, STATUS_MEMORY (its
 * size overflows), STATUS_DEVICE. */
enum status strided_check(const struct cgs_context *context, struct space *space,
                          const struct cgs_array *given, const struct strided_wanted *wanted,
                          struct strided *made, struct error *error);

/* Set array->host of an output array; or of an input array, which does not overlap written->host,
 * unless `written` is NULL. strided_write copies array->host to the caller's array. Arrays with
 * gaps are of doubles. The caller calls strided_free, also after a failure. Errors: STATUS_MEMORY,
 * STATUS_DEVICE; STATUS_CONFIG if a device would have to write between the elements. */
enum status strided_reserve(struct strided *array, struct error *error);
enum status strided_read(struct space *space, struct strided *array, const struct strided *written,
                         struct error *error);
enum status strided_write(struct space *space, const struct strided *array, struct error *error);
void strided_free(struct strided *array); /* accepts a zeroed one */

/* Whether `array` shares memory with written->host. */
bool strided_overlap(const struct strided *array, const struct strided *written);

/* array->host as an array; and whether the caller's array has contiguous columns without gaps. */
struct cgs_array strided_columns(const struct strided *array);
bool strided_is_dense(const struct strided *array);

/* Copy doubles on the host into another array with the same rows and columns. */
void strided_copy(const struct cgs_array *from, const struct cgs_array *to);

#endif
