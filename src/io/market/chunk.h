/* A piece of the entry lines, parsed by one thread. */
#ifndef IO_MARKET_CHUNK_H
#define IO_MARKET_CHUNK_H

#include "io/market/header.h"

struct entry_chunk {
    const char *begin, *end; /* whole lines */
    int32_t *rows, *columns; /* [count], from 0; of an array file not written */
    double *values;          /* [count] */
    int64_t count;           /* entries before the end, or before the fault */
    uint32_t checksum;       /* of a part: of the lines */
    int64_t kept;            /* of the entries, those that are wanted, from the first place on; */
    int64_t below;           /* and of those, how many with row > column */
    const char *fault;       /* inside the first line that is wrong, or NULL */
};

/* The shortest entry line, with its end. */
int market_entry_bytes(const struct market_header *header);

/* Parse the lines from begin to end; sets all but begin, end and the arrays' places, which have
 * room for one entry more than (bytes in which lines begin) / market_entry_bytes. */
void entry_chunk_parse(struct entry_chunk *chunk, const struct market_header *header);

/* Where the line of the chunk's entry number k (from 0) begins. */
const char *entry_chunk_line(const struct entry_chunk *chunk, int64_t k);

/* What is wrong with the line [begin, end), without file and line number. */
void market_describe_fault(const char *begin, const char *end, const struct market_header *header,
                           struct error *what);

#endif
