/* Handles over several ranks. A context of one rank exchanges nothing. */
#ifndef API_RANKS_H
#define API_RANKS_H

#include "api/handles.h"

/* Call it before the ranks of a call work together: they agree on a status (base/agreement.h).
 * Errors: those of exchange_agree. */
enum status api_ranks_agree(const struct cgs_context *context, enum status status, const char *what,
                            uint64_t hash, struct error *error);

/* Call it after that work: the ranks agree on a status, unless they have agreed on an error during
 * the work. A rank that may have failed alone while others wait for it (STATUS_MEMORY,
 * STATUS_DEVICE) abandons them. */
enum status api_ranks_end(const struct cgs_context *context, enum status status,
                          struct error *error);

/* *value = the sum of the values of all ranks; *yes = whether one rank has a true one. Errors:
 * STATUS_RANK. */
enum status api_ranks_sum(const struct cgs_context *context, int64_t *value, struct error *error);
enum status api_ranks_any(const struct cgs_context *context, bool *yes, struct error *error);

/* A hash of the texts, which end with NULL; NULL: no texts. */
uint64_t api_ranks_hash(const char *const *texts);

/* --- rows ------------------------------------------------------------------------------------- */

/* This rank gives own_rows of n rows, from first_row on. All ranks call it with the same n; the
 * caller calls api_division_free. Errors: STATUS_CONFIG, the same in all ranks; STATUS_MEMORY,
 * STATUS_RANK. */
enum status api_division_create(struct exchange *exchange, int64_t n, int64_t first_row,
                                int64_t own_rows, struct api_division *made, struct error *error);
void api_division_free(struct api_division *rows); /* accepts a zeroed one */

/* The division of an operator's rows; NULL: one rank has them. */
const struct api_division *api_division_of(const struct cgs_operator *kernel);

/* The number of rows in an array of the caller's, and the first of them. */
int64_t api_given_rows(const struct cgs_operator *kernel);
int64_t api_given_first(const struct cgs_operator *kernel);

/* Copy from the caller's distribution (`given`) to that of the space (`own`); and back. All ranks
 * call it. Errors: STATUS_RANK. */
enum status api_division_take(const struct api_division *rows, const double *given, double *own,
                              struct error *error);
enum status api_division_give(const struct api_division *rows, const double *own, double *given,
                              struct error *error);

/* csr_entries and csr_hash of a matrix; each rank makes its own rows of it. All ranks call it.
 * Errors: STATUS_MEMORY, STATUS_RANK. */
enum status api_survey_matrix(const struct api_division *rows, const struct csr *A,
                              uint64_t *entries, uint64_t *hash, struct error *error);

#endif
