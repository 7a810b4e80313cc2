#include "io/input_file.h"

#include "base/hash.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

enum status input_open(const char *path, struct input_file *file, struct error *error)
{
    struct stat about;
    *file = (struct input_file){0};
    /* O_NONBLOCK: a pipe without a writer is refused, not waited for */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return error_set(error, STATUS_INPUT, "%s: cannot read: %s", path, strerror(errno));
    enum status status = STATUS_OK;
    if (fstat(descriptor, &about) != 0)
        status = error_set(error, STATUS_INPUT, "%s: cannot read: %s", path, strerror(errno));
    else if (S_ISDIR(about.st_mode))
        status = error_set(error, STATUS_INPUT, "%s: this is a directory, not a file", path);
    else if (!S_ISREG(about.st_mode))
        status = error_set(error, STATUS_INPUT, "%s: this is no regular file", path);
    if (status)
        close(descriptor);
    else
        *file = (struct input_file){path, descriptor, about.st_size, about.st_mtim};
    return status;
}

void input_close(struct input_file *file)
{
    if (file->path)
        close(file->descriptor);
    *file = (struct input_file){0};
}

enum status input_identity(const char *path, uint64_t *identity, struct error *error)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return error_set(error, STATUS_INPUT, "%s: cannot read: %s", path, strerror(errno));
    const uint64_t words[] = {(uint64_t)about.st_ino, (uint64_t)about.st_size,
                              (uint64_t)about.st_mtim.tv_sec, (uint64_t)about.st_mtim.tv_nsec};
    *identity = hash_words(HASH_START, words, sizeof words / sizeof *words);
    return STATUS_OK;
}

static int is_as_opened(const struct input_file *file)
{
    struct stat now;
    return fstat(file->descriptor, &now) == 0 && now.st_size == file->size &&
           now.st_mtim.tv_sec == file->written.tv_sec &&
           now.st_mtim.tv_nsec == file->written.tv_nsec;
}

enum status input_read(const struct input_file *file, void *bytes, int64_t count, int64_t at,
                       struct error *error)
{
    char *to = bytes;
    while (count > 0) {
        ssize_t got = pread(file->descriptor, to, (size_t)count, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(error, STATUS_INPUT, "%s: cannot read: %s", file->path,
                             strerror(errno));
        if (got == 0)
            break;
        to += got;
        count -= got;
        at += got;
    }
    return count == 0 && is_as_opened(file)
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: the file changed while it was read",
                           file->path);
}

enum status input_text(const char *path, char **text, int64_t *length, struct error *error)
{
    struct input_file file;
    *text = NULL;
    enum status status = input_open(path, &file, error);
    if (status)
        return status;
    *length = file.size;
    *text = memory_array(file.size + 1, 1, path, error);
    status = *text ? input_read(&file, *text, file.size, 0, error) : STATUS_MEMORY;
    input_close(&file);
    if (!status) {
        (*text)[*length] = '\0';
        return STATUS_OK;
    }
    memory_free(*text);
    *text = NULL;
    return status;
}
