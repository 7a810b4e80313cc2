/* Unpacks text packed by gzip (RFC 1952), bzip2 or xz. zlib is linked. The libraries of bzip2 and
 * xz are loaded on demand; a build has a form if it found its header. */
#ifndef IO_UNPACK_H
#define IO_UNPACK_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unpack {
    const unsigned char *next; /* the bytes of the file that are not taken yet */
    size_t left;
    char *to; /* where text goes */
    size_t room;
    void *stream; /* of the library, between begin and end */
    struct error message;
};

enum unpack_result {
    UNPACK_MORE,    /* next or to has moved */
    UNPACK_END,     /* end of a part; another part may follow */
    UNPACK_REFUSED, /* message completes "the data ...": "are damaged: CAUSE", or "need ..." */
    UNPACK_MEMORY   /* message says of what */
};

struct unpack_form {
    const char *name;
    const char *ending; /* of the names of its files: ".gz" */
    const char *mark;   /* the first bytes of a part */
    size_t mark_length;
    int64_t ratio; /* the largest ratio of unpacked to packed bytes; 0: unknown */
    enum unpack_result (*begin)(struct unpack *unpack);
    enum unpack_result (*step)(struct unpack *unpack);
    void (*end)(struct unpack *unpack); /* also after a begin that failed */
    const char *(*version)(void);       /* of the library; "" if it is missing */
};

/* The forms of this build, and NULL. */
extern const struct unpack_form *const unpack_forms[];

/* The raw deflate format (RFC 1951) of members of zip archives. It is in no list, because it has no
 * mark. */
extern const struct unpack_form unpack_deflate;

/* The form with this mark; NULL: none of this build. */
const struct unpack_form *unpack_form_of(const unsigned char *bytes, size_t count);

/* Whether a name ends with `ending`, such as ".mtx", or with that and the ending of a form. */
bool unpack_name_ends(const char *name, const char *ending);

#endif
