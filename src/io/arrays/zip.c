#include "io/arrays/zip.h"

#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

enum {
    LOCAL = 30,   /* bytes of a header before its name */
    CENTRAL = 46, /* likewise in the directory */
    END = 22,     /* of the record at the end, before its comment */
    LOCATOR = 20, /* of the locator of the next record */
    END_64 = 56,  /* with 64 bits */
    EXTRA_64 = 1, /* the mark of an extra field with sizes of 64 bits */
    COMMENT_MOST = 65535,
    DIRECTORY_MOST = 1 << 20,
    STORED = 0,
    DEFLATED = 8,
    ENCRYPTED = 1, /* a flag */
};

static const char local_mark[] = "PK\3\4", central_mark[] = "PK\1\2", end_mark[] = "PK\5\6",
                  locator_mark[] = "PK\6\7", end_64_mark[] = "PK\6\6";

bool zip_begins(const char bytes[4])
{
    return memcmp(bytes, local_mark, 4) == 0;
}

/* The integer of that many bytes, the least significant first; at most INT64_MAX. */
static int64_t integer_at(const unsigned char *bytes, int size)
{
    uint64_t value = 0;
    for (int k = 0; k < size; k++)
        value |= (uint64_t)bytes[k] << 8 * k;
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static enum status refuse(const struct input_file *file, const char *what, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s: a zip archive that is cut off or damaged: %s",
                     file->path, what);
}

/* --- the directory ---------------------------------------------------------------------------- */

/* *at: where the record at the end is; end[END] = it. */
static enum status find_end(const struct input_file *file, int64_t *at, unsigned char end[END],
                            struct error *error)
{
    int64_t count = file->size < END + COMMENT_MOST ? file->size : END + COMMENT_MOST;
    unsigned char *last = memory_array(count, 1, "the end of a zip archive", error);
    enum status status =
        last ? input_read(file, last, count, file->size - count, error) : STATUS_MEMORY;
    int64_t k = count - END;
    while (!status && k >= 0 &&
           (memcmp(last + k, end_mark, 4) != 0 || integer_at(last + k + 20, 2) != count - END - k))
        k--;
    if (!status && k < 0)
        status = refuse(file, "it has no directory", error);
    if (!status)
        memcpy(end, last + k, END);
    *at = file->size - count + k;
    memory_free(last);
    return status;
}

/* For a directory beyond 32 bits. at: of the end record. */
static enum status find_end_64(const struct input_file *file, int64_t at, int64_t *begin,
                               int64_t *length, struct error *error)
{
    unsigned char locator[LOCATOR], end[END_64];
    if (at < LOCATOR + END_64)
        return refuse(file, "its directory is missing", error);
    enum status status = input_read(file, locator, LOCATOR, at - LOCATOR, error);
    int64_t place = integer_at(locator + 8, 8);
    if (status)
        return status;
    if (memcmp(locator, locator_mark, 4) != 0 || place > at - LOCATOR - END_64)
        return refuse(file, "its directory is missing", error);
    status = input_read(file, end, END_64, place, error);
    if (status || memcmp(end, end_64_mark, 4) != 0)
        return status ? status : refuse(file, "its directory is missing", error);
    *length = integer_at(end + 40, 8);
    *begin = integer_at(end + 48, 8);
    return STATUS_OK;
}

enum status zip_open(const struct input_file *file, struct zip_directory *directory,
                     struct error *error)
{
    unsigned char end[END];
    int64_t at;
    *directory = (struct zip_directory){.file = file};
    enum status status = find_end(file, &at, end, error);
    if (status)
        return status;
    int64_t length = integer_at(end + 12, 4), begin = integer_at(end + 16, 4);
    if (length == UINT32_MAX || begin == UINT32_MAX)
        status = find_end_64(file, at, &begin, &length, error);
    if (!status && (begin > at || length > at - begin || length > DIRECTORY_MOST))
        status = refuse(file, "its directory is too long", error);
    if (status)
        return status;
    directory->length = length;
    directory->bytes = memory_array(length, 1, "the directory of a zip archive", error);
    return directory->bytes ? input_read(file, directory->bytes, length, begin, error)
                            : STATUS_MEMORY;
}

void zip_close(struct zip_directory *directory)
{
    memory_free(directory->bytes);
    *directory = (struct zip_directory){0};
}

/* --- a member --------------------------------------------------------------------------------- */

struct central {
    int64_t method, flags, crc, packed, size, local;
};

/* Numbers beyond 32 bits are in an extra field, in this order. */
static bool take_extra(struct central *central, const unsigned char *extra, int64_t length)
{
    int64_t *const numbers[] = {&central->size, &central->packed, &central->local};
    bool complete = central->size != UINT32_MAX && central->packed != UINT32_MAX &&
                    central->local != UINT32_MAX;
    while (!complete && length >= 4) {
        int64_t mark = integer_at(extra, 2), count = integer_at(extra + 2, 2), at = 0;
        if (count > length - 4)
            return false;
        for (int k = 0; mark == EXTRA_64 && k < 3; k++)
            if (*numbers[k] == UINT32_MAX) {
                if (at + 8 > count)
                    return false;
                *numbers[k] = integer_at(extra + 4 + at, 8);
                at += 8;
            }
        complete = mark == EXTRA_64;
        extra += 4 + count;
        length -= 4 + count;
    }
    return complete;
}

/* The part after the local header. */
static enum status take_member(const struct input_file *file, const struct central *central,
                               struct byte_part *part, struct error *error)
{
    unsigned char local[LOCAL];
    if (central->flags & ENCRYPTED)
        return error_set(error, STATUS_INPUT, "%s: a zip archive that is encrypted", file->path);
    if (central->method != STORED && central->method != DEFLATED)
        return error_set(error, STATUS_INPUT,
                         "%s: a zip archive packed by method %" PRId64
                         ": stored and deflated members can be read",
                         file->path, central->method);
    if (central->local > file->size - LOCAL)
        return refuse(file, "a member is missing", error);
    enum status status = input_read(file, local, LOCAL, central->local, error);
    if (status)
        return status;
    int64_t begin = central->local + LOCAL + integer_at(local + 26, 2) + integer_at(local + 28, 2);
    bool deflated = central->method == DEFLATED;
    if (memcmp(local, local_mark, 4) != 0 || begin > file->size ||
        central->packed > file->size - begin ||
        (deflated ? central->size / unpack_deflate.ratio > central->packed
                  : central->size != central->packed))
        return refuse(file, "a member is missing", error);
    *part = (struct byte_part){.begin = begin,
                               .packed = central->packed,
                               .size = central->size,
                               .deflated = deflated,
                               .checked = true,
                               .crc = (uint32_t)central->crc};
    return STATUS_OK;
}

enum status zip_find(const struct zip_directory *directory, const char *name, bool *found,
                     struct byte_part *part, struct error *error)
{
    const struct input_file *file = directory->file;
    const unsigned char *at = directory->bytes, *end = at + directory->length;
    size_t wanted = strlen(name);
    enum status status = STATUS_OK;
    *found = false;
    while (!status && at < end) {
        if (end - at < CENTRAL || memcmp(at, central_mark, 4) != 0)
            return refuse(file, "its directory is wrong", error);
        int64_t length = integer_at(at + 28, 2), extra = integer_at(at + 30, 2);
        int64_t comment = integer_at(at + 32, 2);
        if (length + extra + comment > end - at - CENTRAL)
            return refuse(file, "its directory is wrong", error);
        struct central central = {integer_at(at + 10, 2), integer_at(at + 8, 2),
                                  integer_at(at + 16, 4), integer_at(at + 20, 4),
                                  integer_at(at + 24, 4), integer_at(at + 42, 4)};
        if ((size_t)length == wanted && memcmp(at + CENTRAL, name, wanted) == 0) {
            if (*found || !take_extra(&central, at + CENTRAL + length, extra))
                return refuse(file, *found ? "a member is there twice" : "a size is missing",
                              error);
            *found = true;
            status = take_member(file, &central, part, error);
        }
        at += CENTRAL + length + extra + comment;
    }
    return status;
}
