/* A piece of the entry lines, parsed by one thread. */
#ifndef IO_MARKET_CHUNK_H
#define IO_MARKET_CHUNK_H

#include "io/market/header.h"

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

/* Parse the lines from begin to end; sets the entries, count, below and fault. There is room for
 * one entry more than (bytes in which lines begin) / market_entry_bytes. */
void entry_chunk_parse(struct entry_chunk *chunk, const struct market_header *header);

/* Where the line of the chunk's entry number k (from 0) begins. */
const char *entry_chunk_line(const struct entry_chunk *chunk, int64_t k);

/* What is wrong with the line [begin, end), without file and line number. */
void market_describe_fault(const char *begin, const char *end, const struct market_header *header,
                           struct error *what);

#endif
