/* Distributed vectors on the host: each rank has its own rows (space/ranks/partition.h).
 *
 * The array has room for all n elements, and row i is v[i] in every rank. A rank fills its own
 * rows, and some calls fetch rows of other ranks. Unwritten pages take no memory.
 *
 * of = NULL: v is complete, and nothing is exchanged. All ranks make the same calls. */
#ifndef SPACE_RANKS_RANK_VECTOR_H
#define SPACE_RANKS_RANK_VECTOR_H

#include "base/status.h"
#include "base/threads.h"
#include "space/ranks/partition.h"

#include <stddef.h>
#include <stdint.h>

/* An array v[n] of elements of that size, undefined; the caller calls rank_vector_free with the
 * same arguments. NULL on failure: STATUS_MEMORY. */
void *rank_vector_create(const struct partition *of, int64_t n, size_t size, const char *what,
                         struct error *error);
void rank_vector_free(const struct partition *of, int64_t n, size_t size, void *v);

/* Fetch the rows from <= i < until that other ranks own, in elements of that size. Each rank has
 * its own range. Errors: STATUS_MEMORY, STATUS_RANK. */
enum status rank_vector_fetch(struct partition *of, size_t size, int64_t from, int64_t until,
                              void *v, struct error *error);

/* vector_norm and hash_vector of all of v[n], in every rank. They fetch some rows. Errors:
 * STATUS_MEMORY, STATUS_RANK. */
enum status rank_vector_norm(struct threads *threads, struct partition *of, int64_t n, double *v,
                             double *norm, struct error *error);
enum status rank_vector_hash(struct threads *threads, struct partition *of, int64_t n, double *v,
                             uint64_t *hash, struct error *error);

/* Rank 0 shows the rows first <= i < first + count as values[count], piece by piece from row 0 to
 * the last; the other ranks send their rows. A complete v is one piece, shown by every rank.
 * Errors: STATUS_MEMORY, STATUS_RANK, and those of `show`. */
typedef enum status rank_vector_shown(void *context, int64_t first, int64_t count,
                                      const double *values, struct error *error);
enum status rank_vector_show(struct partition *of, int64_t n, const double *v,
                             rank_vector_shown *show, void *context, struct error *error);

#endif
