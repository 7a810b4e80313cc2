/* What the libFuzzer targets share. An input is a file, or several files with the bytes 1 and 2
 * between them. Whatever the bytes, the reader gives back something that keeps its rules, or a
 * status with a sentence of one line; nothing stays allocated. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "base/memory.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(int condition)
{
    if (!condition)
        abort();
}

static inline void require_sentence(enum status status, const struct error *error)
{
    if (status)
        require(error->text[0] && !strpbrk(error->text, "\n\033"));
}

/* A path in a directory of this process, below FUZZ_DIRECTORY or /tmp, which stays behind. */
static inline const char *fuzz_path(const char *name)
{
    static char directory[128], paths[16][256];
    static int next;
    char *path = paths[next++ % 16];
    if (!directory[0]) {
        const char *below = getenv("FUZZ_DIRECTORY");
        snprintf(directory, sizeof directory, "%s/fuzz-%d", below ? below : "/tmp", (int)getpid());
        mkdir(directory, 0700);
    }
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static inline void fuzz_write(const char *path, const uint8_t *data, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    require(file >= 0 && write(file, data, size) == (ssize_t)size);
    close(file);
}

/* Write the parts of the input as files of these names in turn; the last has all that is left. A
 * file that has no part is removed. */
static inline void fuzz_files(const uint8_t *data, size_t size, const char *const *names, int count)
{
    static const uint8_t between[] = {1, 2};
    for (int k = 0; k < count; k++) {
        const uint8_t *end = size > 0 ? memmem(data, size, between, sizeof between) : NULL;
        size_t length = end && k < count - 1 ? (size_t)(end - data) : size;
        if (k > 0 && length == 0)
            unlink(fuzz_path(names[k]));
        else
            fuzz_write(fuzz_path(names[k]), data, length);
        size_t used = length < size ? length + sizeof between : size;
        data += used;
        size -= used;
    }
}

/* What a writer prints is thrown away. */
static inline FILE *fuzz_stream(void)
{
    FILE *stream = fopen("/dev/null", "w");
    require(stream != NULL);
    return stream;
}

#endif
