#include "space/archive.h"

#include "base/memory.h"

#include <inttypes.h>

enum status archive_bytes(struct archive *archive, const char *name, void *data, int64_t bytes,
                          struct error *error)
{
    return archive->piece(archive->context, name, data, bytes, error);
}

enum status archive_vector(struct archive *archive, struct space *space, const char *name,
                           int64_t n, double *v, struct error *error)
{
    double *host = memory_array(n, sizeof *host, name, error);
    enum status status = host ? STATUS_OK : STATUS_MEMORY;
    if (!status && !archive->loads)
        status = space_download(space, n, v, host, error);
    if (!status)
        status = archive_bytes(archive, name, host, n * (int64_t)sizeof *host, error);
    if (!status && archive->loads)
        status = space_upload(space, n, host, v, error);
    memory_free(host);
    return status;
}

enum status archive_count(struct archive *archive, const char *name, int64_t *count, int64_t most,
                          struct error *error)
{
    int64_t saved = *count;
    enum status status = archive_bytes(archive, name, &saved, sizeof saved, error);
    if (status)
        return status;
    bool may_be = 0 <= saved && saved <= most;
    *count = may_be ? saved : 0;
    return may_be
               ? STATUS_OK
               : error_set(error, STATUS_INPUT,
                           "the saved solve has %s = %" PRId64 ", which must be from 0 to %" PRId64,
                           name, saved, most);
}

enum status archive_expect(struct archive *archive, const char *name, int64_t value,
                           struct error *error)
{
    int64_t saved = value;
    enum status status = archive_bytes(archive, name, &saved, sizeof saved, error);
    if (status || saved == value)
        return status;
    return error_set(error, STATUS_INPUT,
                     "the saved solve has %s = %" PRId64 ", and this one %" PRId64, name, saved,
                     value);
}
