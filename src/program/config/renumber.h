/* The rows of a system in the numbering that the settings want (problem.reorder). */
#ifndef PROGRAM_CONFIG_RENUMBER_H
#define PROGRAM_CONFIG_RENUMBER_H

#include "program/config/system.h"

/* Of a matrix alone. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status system_renumber_matrix(const struct problem_settings *problem, struct csr *A,
                                   struct error *error);

/* Of A, b and x0, which are in the problem's own numbering; sets number and reordering. Errors: the
 * same. */
enum status system_renumber(const struct problem_settings *problem, struct linear_system *system,
                            struct error *error);

#endif
