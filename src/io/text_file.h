/* A text file that never looks complete before it is: it is written as NAME.partial, whole lines
 * only, and gets its name when it is finished. */
#ifndef IO_TEXT_FILE_H
#define IO_TEXT_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct text_file {
    char *path, *partial;
    int descriptor;
    int64_t written; /* bytes */
    char *lines;     /* not written yet: whole lines, but for the one being made */
    size_t length;
};

/* Make a directory, and those above it, unless it is there. Errors: STATUS_OUTPUT, also where no
 * file can be made in it, STATUS_MEMORY. */
enum status directory_make(const char *path, struct error *error);

/* Whether two paths lead to the same directory, or to the same file. */
bool directory_is_same(const char *a, const char *b);

/* "DIRECTORY/NAME", or without a directory (NULL) the name, which is then a path; the caller calls
 * memory_free. NULL when memory is short. */
char *path_join(const char *directory, const char *name, struct error *error);

/* Begin DIRECTORY/NAME, or the path `name` where the directory is NULL. On failure *file is zeroed.
 * Errors: STATUS_OUTPUT, also where a device or a pipe has the name, STATUS_MEMORY. */
enum status text_file_begin(const char *directory, const char *name, struct text_file *file,
                            struct error *error);

/* Add one line (at most 1000 bytes); the newline is added. Lines are buffered; text_file_flush
 * writes them. */
enum status text_file_line(struct text_file *file, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The beginning of a longer line, which reaches the disk in pieces. */
enum status text_file_part(struct text_file *file, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum status text_file_flush(struct text_file *file, struct error *error);

/* The bytes before the next line. */
int64_t text_file_position(const struct text_file *file);

/* Flush, give the file its name, and free *file. */
enum status text_file_finish(struct text_file *file, struct error *error);

/* A file in one go, likewise. */
enum status text_file_whole(const char *directory, const char *name, const char *text,
                            size_t length, struct error *error);

/* Remove DIRECTORY/NAME if it is there. Errors: STATUS_OUTPUT, STATUS_MEMORY. */
enum status text_file_remove(const char *directory, const char *name, struct error *error);

/* Free *file, and leave the file with the name NAME.partial. Accepts a zeroed one. */
void text_file_abandon(struct text_file *file);

#ifdef __cplusplus
}
#endif
#endif
