/* Which lines of a file that was read without a fault hold a position: for messages. Ranks, which
 * have a part of the file, leave the fault unsaid (market_leave_unsaid). */
#ifndef IO_MARKET_LINE_NUMBERS_H
#define IO_MARKET_LINE_NUMBERS_H

#include "io/market/market_file.h"
#include "matrix/csr.h"

/* The first line with entry (i, j), counted from 0, or the number of the entry in a file of another
 * format (market_refuse); 0: no line has it. */
int64_t market_place_of(const struct market_file *file, int64_t i, int64_t j);

/* Refuse a symmetric or skew-symmetric file that has (i, j) and (j, i), i != j: names the first
 * line that does so, and the one it contradicts. A holds every position of the file; its values are
 * overwritten. */
enum status market_refuse_mirrored(const struct market_file *file, struct csr *A,
                                   struct error *error);

/* The sum of what stands at (i, j) is beyond the range of double. */
enum status market_refuse_overflow(const struct market_file *file, int64_t i, int64_t j,
                                   struct error *error);

#endif
