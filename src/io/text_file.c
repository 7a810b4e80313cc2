#include "io/text_file.h"

#include "base/memory.h"
#include "io/partial_file.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 16, LONGEST_LINE = 1000 };

enum status directory_make(const char *path, struct error *error)
{
    if (!*path)
        return error_set(error, STATUS_OUTPUT, "the output directory has an empty name");
    char *copy = memory_text(path, "a path", error);
    if (!copy)
        return STATUS_MEMORY;
    enum status status = STATUS_OK;
    for (char *end = copy; !status && *end;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        char kept = *end;
        *end = '\0';
        struct stat info;
        if (mkdir(copy, 0777) != 0 && (errno != EEXIST || stat(copy, &info) != 0))
            status = error_set(error, STATUS_OUTPUT, "%s: cannot make the directory: %s", copy,
                               strerror(errno));
        else if (stat(copy, &info) == 0 && !S_ISDIR(info.st_mode))
            status = error_set(error, STATUS_OUTPUT, "%s: is not a directory", copy);
        *end = kept;
    }
    memory_free(copy);
    if (!status && access(path, W_OK | X_OK) != 0)
        status = error_set(error, STATUS_OUTPUT, "%s: cannot write: %s", path, strerror(errno));
    return status;
}

bool directory_is_same(const char *a, const char *b)
{
    struct stat one, two;
    return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

char *path_join(const char *directory, const char *name, struct error *error)
{
    if (!directory)
        return memory_text(name, "a path", error);
    size_t size = strlen(directory) + 1 + strlen(name) + 1;
    char *path = memory_array((int64_t)size, 1, "a path", error);
    if (path)
        snprintf(path, size, "%s/%s", directory, name);
    return path;
}

static void release(struct text_file *file)
{
    memory_free(file->path);
    memory_free(file->partial);
    memory_free(file->lines);
    *file = (struct text_file){0};
}

/* A device, a pipe or a socket, whose name a finished file would take. */
static bool is_special(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode) &&
           !S_ISLNK(info.st_mode);
}

enum status text_file_begin(const char *directory, const char *name, struct text_file *file,
                            struct error *error)
{
    *file = (struct text_file){.path = path_join(directory, name, error), .descriptor = -1};
    if (file->path)
        file->partial = partial_name(file->path, error);
    if (file->partial)
        file->lines = memory_array(BUFFER, 1, "a file's buffer", error);
    enum status status = file->lines ? STATUS_OK : STATUS_MEMORY;
    if (!status && is_special(file->path))
        status = error_set(error, STATUS_OUTPUT, "%s: cannot write: it is not a file", file->path);
    if (!status)
        status = partial_begin(file->partial, &file->descriptor, error);
    if (status)
        release(file);
    return status;
}

static enum status write_all(struct text_file *file, const char *text, size_t length,
                             struct error *error)
{
    enum status status =
        partial_write(file->descriptor, file->partial, text, (int64_t)length, file->written, error);
    file->written += status ? 0 : (int64_t)length;
    return status;
}

enum status text_file_flush(struct text_file *file, struct error *error)
{
    size_t length = file->length;
    file->length = 0;
    return write_all(file, file->lines, length, error);
}

int64_t text_file_position(const struct text_file *file)
{
    return file->written + (int64_t)file->length;
}

static enum status add(struct text_file *file, struct error *error, bool end_line,
                       const char *format, va_list arguments)
{
    if (BUFFER - file->length < LONGEST_LINE + 2) {
        enum status status = text_file_flush(file, error);
        if (status)
            return status;
    }
    int length = vsnprintf(file->lines + file->length, LONGEST_LINE + 1, format, arguments);
    if (length < 0 || length > LONGEST_LINE)
        return error_set(error, STATUS_OUTPUT, "%s: a line is longer than %d bytes", file->partial,
                         LONGEST_LINE);
    file->length += (size_t)length;
    if (end_line)
        file->lines[file->length++] = '\n';
    return STATUS_OK;
}

enum status text_file_line(struct text_file *file, struct error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum status status = add(file, error, true, format, arguments);
    va_end(arguments);
    return status;
}

enum status text_file_part(struct text_file *file, struct error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum status status = add(file, error, false, format, arguments);
    va_end(arguments);
    return status;
}

enum status text_file_finish(struct text_file *file, struct error *error)
{
    enum status status = text_file_flush(file, error);
    if (status)
        close(file->descriptor);
    else
        status = partial_finish(file->descriptor, file->partial, file->path, error);
    release(file);
    return status;
}

void text_file_abandon(struct text_file *file)
{
    if (!file->path)
        return;
    text_file_flush(file, NULL);
    close(file->descriptor);
    release(file);
}

enum status text_file_whole(const char *directory, const char *name, const char *text,
                            size_t length, struct error *error)
{
    struct text_file file;
    enum status status = text_file_begin(directory, name, &file, error);
    if (status)
        return status;
    status = write_all(&file, text, length, error);
    if (!status)
        return text_file_finish(&file, error);
    text_file_abandon(&file);
    return status;
}

enum status text_file_remove(const char *directory, const char *name, struct error *error)
{
    char *path = path_join(directory, name, error);
    if (!path)
        return STATUS_MEMORY;
    enum status status = STATUS_OK;
    if (unlink(path) != 0 && errno != ENOENT)
        status = error_set(error, STATUS_OUTPUT, "%s: cannot remove: %s", path, strerror(errno));
    memory_free(path);
    return status;
}
