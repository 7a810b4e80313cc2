/* The text of a file that gzip (RFC 1952), bzip2 or xz has packed. zlib is linked. The libraries of
 * the other two are loaded when a file asks for them; a build has a form if it found its header. */
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
    UNPACK_END,     /* of the part that begin began; another one may follow */
    UNPACK_REFUSED, /* the data, as message goes on: "are damaged: CAUSE", or "need ..." */
    UNPACK_MEMORY   /* message says of what */
};

struct unpack_form {
    const char *name;
    const char *ending; /* of the names of its files: ".gz" */
    const char *mark;   /* the first bytes of a part */
    size_t mark_length;
    int64_t ratio; /* bytes of a text over those of its file, at most; 0: no bound is known */
    enum unpack_result (*begin)(struct unpack *unpack);
    enum unpack_result (*step)(struct unpack *unpack);
    void (*end)(struct unpack *unpack); /* also after a begin that failed */
    const char *(*version)(void);       /* of the library; "" where it is not here */
};

/* The forms of this build, and NULL. */
extern const struct unpack_form *const unpack_forms[];

/* What gzip packs with (RFC 1951), without a header: of the members of a zip archive. It is in no
 * list, because nothing marks it. */
extern const struct unpack_form unpack_deflate;

/* Which form begins so; NULL: none of this build. */
const struct unpack_form *unpack_form_of(const unsigned char *bytes, size_t count);

/* Whether a name ends with `ending`, such as ".mtx", or with that and the ending of a form. */
bool unpack_name_ends(const char *name, const char *ending);

#endif
