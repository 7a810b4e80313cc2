/* Arrays of the caller's (struct cgs_array), checked, and where the host has them. */
#ifndef API_STRIDED_H
#define API_STRIDED_H

#include "api/handles.h"

enum {
    STRIDED_DOUBLES = 1 << CGS_DOUBLE,
    STRIDED_REALS = 1 << CGS_DOUBLE | 1 << CGS_FLOAT,
    STRIDED_INTEGERS = 1 << CGS_INT32 | 1 << CGS_INT64,
};

/* How an array must be. */
struct strided_wanted {
    const char *what;      /* its name in a sentence */
    int64_t rows, columns; /* columns = 0: at least 1 */
    unsigned types;        /* STRIDED_DOUBLES, ... */
};

struct strided {
    struct cgs_array at; /* with nothing left open; data = NULL: it is missing */
    const char *what;
    int64_t span; /* elements from the first one to the last */
    void *host;   /* its columns, one after the other: the caller's memory, or a copy */
};

/* space: the context's, NULL where no array is in a device's memory; what was sent to the context's
 * stream is done before such an array is taken. An array that is missing passes. Errors:
 * STATUS_CONFIG, STATUS_MEMORY (its size overflows), STATUS_DEVICE. */
enum status strided_check(const struct cgs_context *context, struct space *space,
                          const struct cgs_array *given, const struct strided_wanted *wanted,
                          struct strided *made, struct error *error);

/* array->host of an array that will be written, and of one that is read, which does not overlap
 * written->host, unless `written` is NULL. strided_write moves what stands in array->host to where
 * the caller has it. Arrays with gaps are of doubles. The caller calls strided_free, also after a
 * failure. Errors: STATUS_MEMORY, STATUS_DEVICE; STATUS_CONFIG where a device would have to write
 * between the elements. */
enum status strided_reserve(struct strided *array, struct error *error);
enum status strided_read(struct space *space, struct strided *array, const struct strided *written,
                         struct error *error);
enum status strided_write(struct space *space, const struct strided *array, struct error *error);
void strided_free(struct strided *array); /* accepts a zeroed one */

/* Whether `array` shares memory with written->host. */
bool strided_overlap(const struct strided *array, const struct strided *written);

/* array->host as an array; and whether the caller's is column after column too, without gaps. */
struct cgs_array strided_columns(const struct strided *array);
bool strided_is_dense(const struct strided *array);

/* Doubles on the host, into another array with the same rows and columns. */
void strided_copy(const struct cgs_array *from, const struct cgs_array *to);

#endif
