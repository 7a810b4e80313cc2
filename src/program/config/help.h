/* The help on configs: keys and parameters of the kernels, from their tables. */
#ifndef PROGRAM_CONFIG_HELP_H
#define PROGRAM_CONFIG_HELP_H

#include "base/suggest.h"

#include <stdbool.h>
#include <stdio.h>

/* Print a topic, every key with its type, default and meaning, in each group first the
 * unconditional keys, then those for the same values of its first key: a group ("solver", with the
 * groups in it; "preconditioner"), a key ("solver.tolerance", or "tolerance" of any group), a
 * kernel, "kernels", or "all". False: no such topic. */
bool settings_print_help(const char *topic, FILE *file);

/* The groups, and the keys in none: "problem, solver, ...". */
void settings_print_topics(FILE *file);

/* The topics, except kernels. */
void settings_offer_topics(struct suggestion *suggestion);

#endif
