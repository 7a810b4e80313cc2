/* The texts that stand for the values of the settings' enums, each list in the order of its enum
 * and ended by a NULL: what a key of the table may be. Those that others need too are in
 * settings.h. */
#ifndef PROGRAM_CONFIG_NAMES_H
#define PROGRAM_CONFIG_NAMES_H

#include "program/config/settings.h"

extern const char *const problem_types[];
extern const char *const reorder_names[];
extern const char *const diagonals_names[];
extern const char *const numbering_names[];
extern const char *const rhs_types[];
extern const char *const kind_names[];
extern const char *const rows_names[];
extern const char *const brick_numbering_names[];
extern const char *const chains_numbering_names[];
extern const char *const rhs_solutions[];
extern const char *const eigen_which_names[];
extern const char *const reorthogonalization_names[];
extern const char *const solution_ofs[];
extern const char *const trace_keeps[];

#endif
