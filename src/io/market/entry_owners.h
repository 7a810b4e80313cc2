/* Which ranks keep an entry of a file that they read together. */
#ifndef IO_MARKET_ENTRY_OWNERS_H
#define IO_MARKET_ENTRY_OWNERS_H

#include "io/market/matrix_market.h"

struct entry_owners {
    const struct matrix_market_part *parts; /* [ranks]; borrowed */
    int ranks;
    int *lowest; /* [ranks]: the first rank that keeps rows of that one */
};

/* Those of an entry are of_column, and of the ranks lowest ... of_row those whose parts end behind
 * its row. */
struct owners_of_entry {
    int64_t row; /* of the entry, or of its mirror image in the upper triangle */
    int lowest;
    int of_row, of_column; /* whose own rows have its row, and its column; not below of_row */
};

/* The caller calls entry_owners_free, also after an error. Errors: STATUS_MEMORY. */
enum status entry_owners_create(const struct matrix_market_part *parts, int ranks,
                                struct entry_owners *entry_owners, struct error *error);
void entry_owners_free(struct entry_owners *entry_owners); /* accepts a zeroed one */

/* Of entry (i, j). *found may hold those of another entry: near ones are found at once. */
void entry_owners_find(const struct entry_owners *entry_owners, int64_t i, int64_t j,
                       struct owners_of_entry *found);

#endif
