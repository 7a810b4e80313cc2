/* The entry lines of a Matrix Market file, parsed by all threads, kept in file order. */
#ifndef IO_MARKET_ENTRIES_H
#define IO_MARKET_ENTRIES_H

#include "io/market/header.h"
#include "io/market/matrix_market.h"

#include <stdbool.h>

/* Set in a column of the upper triangle whose entry stood in the lower one. */
#define MIRRORED UINT32_C(0x80000000)

/* Entries in file order, counted from 0. The arrays have room for every entry that was announced,
 * but only what is written takes memory. */
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

/* What every step of reading one file needs. */
struct market_file {
    const char *path;
    struct text_source *source;
    struct market_header header;
    const struct matrix_market_part *part; /* the entries that are kept; NULL: all */
    uint64_t *text_hash;                   /* of the entry lines, set then, */
    bool *unsaid;                          /* and whether what is wrong wants all to be said */
};

/* Read all entries; the reader stands behind the size line. Of several faults the first in the file
 * is told. The caller calls entry_list_free for both lists, also after an error (lists are zeroed
 * first). Errors: STATUS_INPUT, STATUS_MEMORY. */
enum status entries_read(const struct market_file *file, const struct text_reader *reader,
                         enum entry_mode mode, struct entry_list *upper, struct entry_list *lower,
                         struct error *error);

void entry_list_free(struct entry_list *list);

#endif
