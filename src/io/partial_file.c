#include "io/partial_file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name without a promise: a power failure may cut this file. */
static const char working_end[] = ".partial";

static bool is_working_name(const char *path)
{
    size_t length = strlen(path), wanted = sizeof working_end - 1;
    return length >= wanted && strcmp(path + length - wanted, working_end) == 0;
}

char *partial_name(const char *path, struct error *error)
{
    size_t length = strlen(path);
    char *partial = memory_array((int64_t)(length + sizeof working_end), 1, "a path", error);
    if (partial)
        snprintf(partial, length + sizeof working_end, "%s%s", path, working_end);
    return partial;
}

/* The message has the final name, unless the working name is taken. */
static enum status refuse(const char *partial, struct error *error)
{
    int length = (int)strlen(partial);
    bool taken = errno == EISDIR || errno == EPERM || errno == EEXIST;
    length -= is_working_name(partial) && !taken ? (int)sizeof working_end - 1 : 0;
    return error_set(error, STATUS_OUTPUT, "%.*s: cannot write: %s", length, partial,
                     strerror(errno));
}

enum status partial_begin(const char *partial, int *descriptor, struct error *error)
{
    *descriptor = -1;
    if (unlink(partial) != 0 && errno != ENOENT)
        return refuse(partial, error);
    *descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return *descriptor < 0 ? refuse(partial, error) : STATUS_OK;
}

enum status partial_write(int descriptor, const char *partial, const char *bytes, int64_t length,
                          int64_t at, struct error *error)
{
    while (length > 0) {
        ssize_t written = pwrite(descriptor, bytes, (size_t)length, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return refuse(partial, error);
        bytes += written;
        length -= written;
        at += written;
    }
    return STATUS_OK;
}

bool partial_is_named(int descriptor, const char *name)
{
    struct stat ours, theirs;
    return fstat(descriptor, &ours) == 0 && lstat(name, &theirs) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

static enum status give_name(int descriptor, const char *partial, const char *path,
                             struct error *error)
{
    /* EINVAL: the file is on no disk */
    if (!is_working_name(path) && fsync(descriptor) != 0 && errno != EINVAL)
        return refuse(partial, error);
    if (!partial_is_named(descriptor, partial))
        return error_set(error, STATUS_OUTPUT,
                         "%s: was removed or replaced while it was written: is another run at "
                         "work here?",
                         partial);
    if (rename(partial, path) != 0)
        return error_set(error, STATUS_OUTPUT, "%s: cannot rename %s to it: %s", path, partial,
                         strerror(errno));
    return STATUS_OK;
}

enum status partial_finish(int descriptor, const char *partial, const char *path,
                           struct error *error)
{
    enum status status = give_name(descriptor, partial, path, error);
    if (close(descriptor) != 0 && !status)
        status = refuse(path, error);
    return status;
}

void directory_flush(const char *path)
{
    char directory[4096];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash + 1 - path) : 1;
    snprintf(directory, sizeof directory, "%.*s", length, slash ? path : ".");
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    fsync(descriptor);
    close(descriptor);
}
