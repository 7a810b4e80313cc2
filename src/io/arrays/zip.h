/* The members of a zip archive (PKWARE, APPNOTE 6.3.10), stored or deflated, with or without its 64
 * bits. */
#ifndef IO_ARRAYS_ZIP_H
#define IO_ARRAYS_ZIP_H

#include "io/byte_stream.h"

bool zip_begins(const char bytes[4]);

struct zip_directory {
    const struct input_file *file;
    unsigned char *bytes;
    int64_t length;
};

/* The caller calls zip_close, also after an error. Errors: STATUS_INPUT, STATUS_MEMORY. */
enum status zip_open(const struct input_file *file, struct zip_directory *directory,
                     struct error *error);
void zip_close(struct zip_directory *directory); /* accepts a zeroed one */

/* *part = the member of that name; *found: it is there. Errors: STATUS_INPUT, also where it is
 * packed in another way, or encrypted, or there twice. */
enum status zip_find(const struct zip_directory *directory, const char *name, bool *found,
                     struct byte_part *part, struct error *error);

#endif
