/* An archive in memory, which takes nothing back that is not what it gave. */
#ifndef TESTS_SOLVER_MEMORY_ARCHIVE_H
#define TESTS_SOLVER_MEMORY_ARCHIVE_H

#include "space/archive.h"

struct memory_piece {
    char name[64];
    int64_t bytes;
    unsigned char *data;
};

/* A zeroed one is empty. The caller calls memory_archive_free. */
struct memory_archive {
    struct memory_piece *pieces; /* [count] */
    int64_t count, capacity;
    int64_t place;   /* of the next piece when it is loaded */
    bool fails;      /* STATUS_OUTPUT, "the disk is full", */
    int64_t fail_at; /* at this piece */
};

/* To save into it, from its beginning; what it held is dropped. To load from its beginning:
 * STATUS_INPUT behind its last piece, and where name or size are others. */
struct archive memory_archive_saves(struct memory_archive *memory);
struct archive memory_archive_loads(struct memory_archive *memory);

/* The place of the first piece of that name, which must be there. */
int64_t memory_archive_find(const struct memory_archive *memory, const char *name);

void memory_archive_free(struct memory_archive *memory); /* accepts a zeroed one */

#endif
