/* A numbering part by part, by METIS's partition of the graph of A (Karypis and Kumar 1998): parts
 * of equal size with few entries between them. So few entries are between ranks with consecutive
 * rows (docs/ranks.md). Within a part the rows have their reverse Cuthill-McKee order
 * (matrix/rcm.h), with entries near the diagonal.
 *
 * The numbering depends on A and the number of parts, not on threads and ranks; but also on the
 * version of METIS, and on rand() of the C library, which METIS calls. The seed is fixed.
 *
 * Only the program uses METIS. */
#ifndef PROGRAM_CONFIG_METIS_NUMBERING_H
#define PROGRAM_CONFIG_METIS_NUMBERING_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>

/* NULL if this build has METIS; else a sentence. Static. */
const char *metis_missing(void);

/* Fill number[A->n] (matrix/permute.h) by `parts` parts, or as many as there are rows if that is
 * less; the caller owns it. Errors: STATUS_CONFIG (a general matrix), STATUS_MEMORY (also more
 * entries than METIS's indices hold), STATUS_UNAVAILABLE. */
enum status metis_numbering(const struct csr *A, int64_t parts, int32_t *number,
                            struct error *error);

#endif
