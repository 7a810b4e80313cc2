/* A numbering part by part, as METIS cuts the graph of A (Karypis and Kumar 1998): parts of equal
 * size, between which few entries lie. So few entries lie between ranks that take neighbouring rows
 * (docs/ranks.md). In a part the rows come in the order of their reverse Cuthill-McKee numbers
 * (matrix/rcm.h), which keeps the entries within a part near the diagonal.
 *
 * The numbering hangs on A and the number of parts, whatever the number of threads and ranks; but
 * also on the version of METIS, and on rand() of the C library, which METIS calls. The seed is
 * fixed.
 *
 * Of the program alone, as METIS is: the libraries need none. */
#ifndef PROGRAM_CONFIG_METIS_NUMBERING_H
#define PROGRAM_CONFIG_METIS_NUMBERING_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>

/* NULL where this build has METIS; else the sentence that it has none. Static. */
const char *metis_missing(void);

/* Fill number[A->n] (matrix/permute.h) by `parts` parts, or as many as there are rows if that is
 * less; the caller owns it. Errors: STATUS_CONFIG (a general matrix), STATUS_MEMORY (also more
 * entries than METIS's indices hold), STATUS_UNAVAILABLE. */
enum status metis_numbering(const struct csr *A, int64_t parts, int32_t *number,
                            struct error *error);

#endif
