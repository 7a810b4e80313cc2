/* A Matrix Market file that is being read. */
#ifndef IO_MARKET_MARKET_FILE_H
#define IO_MARKET_MARKET_FILE_H

#include "io/market/header.h"
#include "io/market/matrix_market.h"

#include <stdbool.h>

/* What every step of reading one file needs. */
struct market_file {
    const char *path;
    struct text_source *source;
    struct market_header header;
    const struct matrix_market_ranks *ranks; /* that read it together, or NULL: this one alone */
    const struct matrix_market_part *part;   /* of ranks: the entries that this one keeps, */
    bool *unsaid;                            /* of ranks: something is wrong that is not said */
};

/* Bytes of text in work at a time. */
enum { MARKET_WINDOW = 4 << 20, MARKET_HEADER_WINDOW = 64 << 10 };

/* Of *file the path, the source and the header; the rest is zeroed. *reader stands behind the size
 * line. The caller calls text_source_close for the source, also after an error. Errors:
 * STATUS_INPUT, STATUS_MEMORY. */
enum status market_open(struct market_file *file, const char *path, int64_t window,
                        struct text_reader *reader, struct error *error);

/* Something is wrong, which a reader of the whole file says best. Sets *file->unsaid, and returns
 * STATUS_INPUT, which stands where that reader finds nothing. */
enum status market_leave_unsaid(const struct market_file *file, struct error *error);

#endif
