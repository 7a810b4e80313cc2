/* Ranks that read one file together: each parses the lines of some rounds, and sends the entries to
 * those that keep them. A turn is a round of each rank, in their order, which is that of the file.
 * So what a rank receives, turn after turn, is in file order. */
#ifndef IO_MARKET_DEAL_H
#define IO_MARKET_DEAL_H

#include "io/market/chunk.h"
#include "io/market/matrix_market.h"

#include <stdbool.h>

/* What a rank, or all of them, have come to in a turn. */
struct deal_turn {
    int64_t parsed;    /* entries; of all: of all ranks, */
    int64_t before;    /* and of the ranks before this one */
    int64_t announced; /* by the size line; of all: the most, as of files that differ */
    int64_t room;      /* for entries; of all: the least */
    bool ended;        /* the file has; of all: for each of them */
    bool wrong;        /* some line is, or the file cannot be read */
    bool failed;       /* for another reason */
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

/* For rounds of so many chunks. The caller calls entry_deal_free, also after an error. Errors:
 * STATUS_MEMORY. */
enum status entry_deal_create(const struct matrix_market_ranks *ranks, int chunks,
                              struct entry_deal *deal, struct error *error);
void entry_deal_free(struct entry_deal *deal); /* accepts a zeroed one */

/* *all = what the ranks have come to. Of `own`, `before` is not read. Errors: STATUS_MEMORY,
 * STATUS_RANK, also where another rank has failed. */
enum status entry_deal_meet(const struct matrix_market_ranks *ranks, const struct deal_turn *own,
                            struct deal_turn *all, struct error *error);

/* deal->received = the entries of this turn that this rank keeps, of those in the chunks of all
 * ranks; until the next call. Errors: STATUS_MEMORY, STATUS_RANK; all ranks find one. */
enum status entry_deal_swap(struct entry_deal *deal, const struct entry_chunk *chunk, int chunks,
                            struct error *error);

#endif
