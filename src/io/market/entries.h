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
    const struct matrix_market_ranks *ranks; /* that read it together, or NULL: this one alone */
    const struct matrix_market_part *part;   /* of ranks: the entries that this one keeps, */
    struct matrix_market_report *met;        /* whose hashes are set then */
    bool *unsaid;                            /* of ranks: something is wrong that is not said */
};

/* Read all entries, or those of the part; the reader stands behind the size line. Of several faults
 * the first in the file is told; of ranks *file->unsaid is set for all of them instead. The caller
 * calls entry_list_free for both lists, also after an error (lists are zeroed first). Errors:
 * STATUS_INPUT, STATUS_MEMORY; of ranks STATUS_RANK. */
enum status entries_read(const struct market_file *file, const struct text_reader *reader,
                         enum entry_mode mode, struct entry_list *upper, struct entry_list *lower,
                         struct error *error);

/* Of ranks: something is wrong, which who reads the whole file can say. */
enum status market_leave_unsaid(const struct market_file *file, struct error *error);

void entry_list_free(struct entry_list *list);

#endif
