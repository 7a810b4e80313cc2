/* The entry lines of a Matrix Market file, parsed by all threads, a round at a time: some chunks of
 * whole lines. */
#ifndef IO_MARKET_EXCHANGE_ROUNDS_H
#define IO_MARKET_EXCHANGE_ROUNDS_H

#include "io/market/entry_list.h"
#include "io/market/market_file.h"
#include "io/text_source.h"

struct exchange_rounds {
    const struct market_file *file;
    struct text_span span;
    const char *next;          /* in it: of the next round */
    int most;                  /* chunks in a round */
    struct entry_chunk *chunk; /* [most] of this round, in file order */
    struct entry_place *place; /* [most], for entry_list_append */
    struct market_entry *entries;
};

/* From `next` in the span on. The caller calls exchange_rounds_free, also after an error. Errors:
 * STATUS_MEMORY. */
enum status exchange_rounds_create(const struct market_file *file, const struct text_span *span,
                                   const char *next, struct exchange_rounds *rounds,
                                   struct error *error);
void exchange_rounds_free(struct exchange_rounds *rounds); /* accepts a zeroed one */

/* Parse the next round of *chunks chunks; 0 at the end of the text. Errors: as of
 * text_source_next. */
enum status exchange_rounds_next(struct exchange_rounds *rounds, int *chunks, struct error *error);

/* In the text, of a place in the span. */
int64_t exchange_rounds_offset(const struct exchange_rounds *rounds, const char *place);

/* No more entries than stand behind it, and no more than the size line announces. */
int64_t exchange_rounds_bound(const struct exchange_rounds *rounds);

#endif
