/* The entries of a file: a chunk of its lines, parsed by one thread, and lists in file order. */
#ifndef IO_MARKET_ENTRY_LIST_H
#define IO_MARKET_ENTRY_LIST_H

#include "io/market/market_file.h"

#include <stdbool.h>

struct market_entry {
    int32_t row, column; /* from 0 */
    double value;
};

struct entry_chunk {
    const char *begin, *end;      /* whole lines */
    struct market_entry *entries; /* [count]; of an array file their values alone */
    int64_t count;                /* entries before the end, or before the fault */
    int64_t below;                /* of these, how many with row > column */
    const char *fault;            /* inside the first line that is wrong, or NULL */
};

/* The shortest entry line, with its end. */
int market_entry_bytes(const struct market_header *header);

/* Parse the lines from begin to end; sets the entries, count, below and fault. The array has room
 * for one entry more than (bytes in which lines begin) / market_entry_bytes. */
void entry_chunk_parse(struct entry_chunk *chunk, const struct market_header *header);

/* Where the line of the chunk's entry number k (from 0) begins. */
const char *entry_chunk_line(const struct entry_chunk *chunk, int64_t k);

/* What is wrong with the line [begin, end), without file and line number. */
void market_describe_fault(const char *begin, const char *end, const struct market_header *header,
                           struct error *what);

/* Bit of a column: the entry came from the lower triangle. */
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

/* The place of a chunk's first entry in the lists. */
struct entry_place {
    int64_t upper, lower;
};

/* An empty list with room for `capacity` entries. The caller calls entry_list_free, also after an
 * error. Errors: STATUS_MEMORY. */
enum status entry_list_create(struct entry_list *list, int64_t capacity, struct error *error);
void entry_list_free(struct entry_list *list); /* accepts a zeroed one */

/* Append the chunks' entries to the lists. place[chunks] is scratch. */
void entry_list_append(enum entry_mode mode, bool skew, const struct entry_chunk *chunk, int chunks,
                       struct entry_place *place, struct entry_list *upper,
                       struct entry_list *lower);

#endif
