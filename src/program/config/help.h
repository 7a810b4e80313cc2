/* What the help says of a config: its keys and the parameters of the kernels, from their tables. */
#ifndef PROGRAM_CONFIG_HELP_H
#define PROGRAM_CONFIG_HELP_H

#include "base/suggest.h"

#include <stdbool.h>
#include <stdio.h>

/* Print what a topic names, every key with its type, default and meaning, in each group first those
 * that are always there, then those for the same values of its first key together: a group
 * ("solver", with the groups in it; "preconditioner"), a key ("solver.tolerance", or "tolerance" of
 * any group), a kernel, "kernels", or "all". False: it names nothing. */
bool settings_print_help(const char *topic, FILE *file);

/* The groups, and the keys in none: "problem, solver, ...". */
void settings_print_topics(FILE *file);

/* The words that are a topic, but for a kernel's. */
void settings_offer_topics(struct suggestion *suggestion);

#endif
