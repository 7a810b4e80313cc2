/* The state of a solve, to save or to load. One function of a method lists its pieces, in one order
 * for both directions, so that saved and loaded pieces agree. */
#ifndef SPACE_ARCHIVE_H
#define SPACE_ARCHIVE_H

#include "base/status.h"
#include "space/space.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct archive {
    bool loads; /* or it saves */
    /* Save data[bytes] on the host, bytes >= 0, or load them. name: of the piece; both directions
     * have the same pieces in the same order. STATUS_INPUT: no piece of that name and size. */
    enum status (*piece)(void *context, const char *name, void *data, int64_t bytes,
                         struct error *error);
    void *context;
};

enum status archive_bytes(struct archive *archive, const char *name, void *data, int64_t bytes,
                          struct error *error);

/* v[n] in the space. Errors: also STATUS_MEMORY, STATUS_DEVICE. */
enum status archive_vector(struct archive *archive, struct space *space, const char *name,
                           int64_t n, double *v, struct error *error);

/* A number that may be 0 ... most: STATUS_INPUT for another, "the saved solve has `name` = -1,
 * which must be from 0 to 4", and it is 0 then. */
enum status archive_count(struct archive *archive, const char *name, int64_t *count, int64_t most,
                          struct error *error);

/* A number that must be the saved one: otherwise STATUS_INPUT, "the saved solve has `name` = 3, and
 * this one 4". */
enum status archive_expect(struct archive *archive, const char *name, int64_t value,
                           struct error *error);

#ifdef __cplusplus
}
#endif
#endif
