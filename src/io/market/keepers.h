/* Which ranks keep an entry of a file that they read together. */
#ifndef IO_MARKET_KEEPERS_H
#define IO_MARKET_KEEPERS_H

#include "io/market/matrix_market.h"

struct keepers {
    const struct matrix_market_part *parts; /* [ranks]; borrowed */
    int ranks;
    int *lowest; /* [ranks]: the first rank that keeps rows of that one */
};

/* Those of an entry are of_column, and of the ranks lowest ... of_row those whose parts end behind
 * its row. */
struct entry_keepers {
    int64_t row; /* of the entry, or of its mirror image in the upper triangle */
    int lowest;
    int of_row, of_column; /* whose own rows have its row, and its column; not below of_row */
};

/* The caller calls keepers_free, also after an error. Errors: STATUS_MEMORY. */
enum status keepers_create(const struct matrix_market_part *parts, int ranks,
                           struct keepers *keepers, struct error *error);
void keepers_free(struct keepers *keepers); /* accepts a zeroed one */

/* Of entry (i, j). *found may hold those of another entry: near ones are found at once. */
void keepers_find(const struct keepers *keepers, int64_t i, int64_t j, struct entry_keepers *found);

#endif
