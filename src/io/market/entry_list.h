/* Entries in file order. */
#ifndef IO_MARKET_ENTRY_LIST_H
#define IO_MARKET_ENTRY_LIST_H

#include "base/status.h"
#include "io/market/chunk.h"

#include <stdbool.h>

/* Set in a column of the upper triangle whose entry stood in the lower one. */
#define MIRRORED UINT32_C(0x80000000)

/* Counted from 0. The arrays have room for every entry that was announced, but only what is written
 * takes memory. */
struct entry_list {
    int64_t count;
    int32_t *rows;
    uint32_t *columns;
    double *values;
};

enum entry_mode {
    ENTRIES_FOLD,  /* all into `upper`: (i, j) below the diagonal becomes (j, i) with MIRRORED, and
                      of a skew-symmetric file its value is negated */
    ENTRIES_SPLIT, /* those below the diagonal go to `lower`, transposed */
    ENTRIES_RAW,   /* all into `upper` as they are */
};

/* Where the first entry of a chunk goes. */
struct entry_place {
    int64_t upper, lower;
};

/* Empty, with room for so many. The caller calls entry_list_free, also after an error. Errors:
 * STATUS_MEMORY. */
enum status entry_list_create(struct entry_list *list, int64_t capacity, struct error *error);
void entry_list_free(struct entry_list *list); /* accepts a zeroed one */

/* The chunks' entries come to the end of the lists. place[chunks] is written. */
void entry_list_append(enum entry_mode mode, bool skew, const struct entry_chunk *chunk, int chunks,
                       struct entry_place *place, struct entry_list *upper,
                       struct entry_list *lower);

#endif
