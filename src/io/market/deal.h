/* Ranks that read one file together: each parses the lines of some rounds, and sends the entries to
 * those that keep them. A turn is a round of each rank, in their order, which is that of the file.
 * So what a rank receives, turn after turn, is in file order. */
#ifndef IO_MARKET_DEAL_H
#define IO_MARKET_DEAL_H

#include "io/market/chunk.h"
#include "io/market/matrix_market.h"

#include <stdbool.h>

/* How far one rank has come in a turn; or all of them together. */
struct deal_turn {
    int64_t parsed;    /* entries; of all: of all ranks, */
    int64_t before;    /* and of the ranks before this one */
    int64_t announced; /* entries, says the size line; of all: the largest (files may differ) */
    int64_t room;      /* entries that a list can hold; of all: the smallest */
    int64_t ended;     /* whether the file has; of all: for each of them */
    int64_t wrong;     /* whether some line is, or the file cannot be read */
    int64_t failed;    /* for another reason */
};

struct entry_deal {
    const struct matrix_market_ranks *ranks;
    int64_t *counts; /* [chunks][ranks]: entries for each rank, then where they go in `sent` */
    int64_t *sizes;  /* [2 ranks]: bytes for each rank, and from each */
    struct exchange_piece *pieces;       /* [2 ranks] */
    struct entry_chunk *received;        /* [ranks]: entries alone; of rank r those from it */
    struct market_entry *sent, *got;     /* of a turn, */
    int64_t sent_capacity, got_capacity; /* entries */
};

/* A round has at most so many chunks. The caller calls entry_deal_free, also after an error.
 * Errors: STATUS_MEMORY. */
enum status entry_deal_create(const struct matrix_market_ranks *ranks, int chunks,
                              struct entry_deal *deal, struct error *error);
void entry_deal_free(struct entry_deal *deal); /* accepts a zeroed one */

/* All ranks call it. *all = how far they have come. Of `own`, `before` is not read. One that does
 * not come to its first turn calls it once, with `failed`. Errors: STATUS_RANK, also where another
 * rank has failed. */
enum status entry_deal_meet(const struct matrix_market_ranks *ranks, const struct deal_turn *own,
                            struct deal_turn *all, struct error *error);

/* All ranks call it. deal->received = the entries of this turn that this rank keeps, of those in
 * the chunks of all ranks; until the next call. Errors: STATUS_MEMORY; and then with the others
 * STATUS_RANK. */
enum status entry_deal_swap(struct entry_deal *deal, const struct entry_chunk *chunk, int chunks,
                            struct error *error);

#endif
