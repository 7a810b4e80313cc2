/* For messages: the lines that hold a position, in a file without syntax faults. Ranks, which have
 * a part of the file, leave the fault unsaid (market_leave_unsaid). */
#ifndef IO_MARKET_LINE_NUMBERS_H
#define IO_MARKET_LINE_NUMBERS_H

#include "io/market/market_file.h"
#include "matrix/csr.h"

/* The first line with entry (i, j), counted from 0, or the number of the entry in a file of another
 * format (market_refuse); 0: no line has it. */
int64_t market_place_of(const struct market_file *file, int64_t i, int64_t j);

/* Refuse a symmetric or skew-symmetric file that has (i, j) and (j, i), i != j: the message names
 * the first such line, and the line that it contradicts. A holds every position of the file; its
 * values are overwritten. */
enum status market_refuse_mirrored(const struct market_file *file, struct csr *A,
                                   struct error *error);

/* The sum of the entries at (i, j) is beyond the range of double. */
enum status market_refuse_overflow(const struct market_file *file, int64_t i, int64_t j,
                                   struct error *error);

#endif
