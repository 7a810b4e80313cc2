/* What the table of keys says of values that are wrong together, each in its range alone: NULL, or
 * what is wrong (struct key, complaint). */
#ifndef PROGRAM_CONFIG_COMPLAINTS_H
#define PROGRAM_CONFIG_COMPLAINTS_H

#include "program/config/settings.h"

const char *sizes_complaint(const struct settings *settings);
const char *convection_complaint(const struct settings *settings);
const char *velocity_complaint(const struct settings *settings);
const char *network_complaint(const struct settings *settings);
const char *tied_nodes_complaint(const struct settings *settings);
const char *layers_rows_complaint(const struct settings *settings);
const char *joined_complaint(const struct settings *settings);
const char *weights_complaint(const struct settings *settings);
const char *nodes_complaint(const struct settings *settings);
const char *rows_complaint(const struct settings *settings);
const char *brick_complaint(const struct settings *settings);
const char *lattice_complaint(const struct settings *settings);
const char *grid_complaint(const struct settings *settings);
const char *lengths_complaint(const struct settings *settings);
const char *bounds_complaint(const struct settings *settings);
const char *name_complaint(const struct settings *settings);
const char *solution_complaint(const struct settings *settings);

#endif
