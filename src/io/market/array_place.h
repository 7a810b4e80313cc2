/* Where the values of an array file stand: column by column, of a symmetric one from the diagonal
 * down, of a skew-symmetric one from below it. */
#ifndef IO_MARKET_ARRAY_PLACE_H
#define IO_MARKET_ARRAY_PLACE_H

#include "io/market/header.h"

struct array_place {
    int64_t row, column; /* from 0 */
};

/* Of value number k. */
struct array_place array_place_of(const struct market_header *header, int64_t k);

/* Of the value behind it. */
void array_place_step(const struct market_header *header, struct array_place *place);

#endif
