/* What handles of several ranks do together. In a context of one rank nothing is exchanged. */
#ifndef API_RANKS_H
#define API_RANKS_H

#include "api/handles.h"

/* Before the ranks of a call work together: what each has come to (base/agreement.h). Errors: those
 * of exchange_agree. */
enum status api_ranks_agree(const struct cgs_context *context, enum status status, const char *what,
                            uint64_t hash, struct error *error);

/* Behind that: the same, unless they have agreed on an error within the work; but a rank that may
 * have failed alone, where others wait for it, abandons them. */
enum status api_ranks_end(const struct cgs_context *context, enum status status,
                          struct error *error);

/* *value = the sum of those of all ranks; *yes = whether it is so in one of them. Errors:
 * STATUS_RANK. */
enum status api_ranks_sum(const struct cgs_context *context, int64_t *value, struct error *error);
enum status api_ranks_any(const struct cgs_context *context, bool *yes, struct error *error);

/* A hash of texts, up to a NULL; and on with one more. */
uint64_t api_ranks_hash(const char *const *texts);

/* --- rows ------------------------------------------------------------------------------------- */

/* This rank gives so many of n rows, from first_row on. All ranks call it, and have the same n; the
 * caller calls api_division_free. Errors: STATUS_CONFIG, the same in all ranks; STATUS_MEMORY,
 * STATUS_RANK. */
enum status api_division_create(struct exchange *exchange, int64_t n, int64_t first_row,
                                int64_t own_rows, struct api_division *made, struct error *error);
void api_division_free(struct api_division *rows); /* accepts a zeroed one */

/* The division of an operator's rows; NULL: it is of one rank. */
const struct api_division *api_division_of(const struct cgs_operator *kernel);

/* How many rows an array of the caller's has, and the first of them. */
int64_t api_given_rows(const struct cgs_operator *kernel);
int64_t api_given_first(const struct cgs_operator *kernel);

/* own[rows of the space's partition] = those of the caller's arrays, given[rows that it gives]; and
 * back. All ranks call it. Errors: STATUS_RANK. */
enum status api_division_take(const struct api_division *rows, const double *given, double *own,
                              struct error *error);
enum status api_division_give(const struct api_division *rows, const double *own, double *given,
                              struct error *error);

/* csr_entries and csr_hash of a matrix of which each rank makes its own rows. All ranks call it.
 * Errors: STATUS_MEMORY, STATUS_RANK. */
enum status api_survey_matrix(const struct api_division *rows, const struct csr *A,
                              uint64_t *entries, uint64_t *hash, struct error *error);

#endif
