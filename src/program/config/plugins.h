/* The list of plug-ins: plugins = ( "./a.so", ... ); */
#ifndef PROGRAM_CONFIG_PLUGINS_H
#define PROGRAM_CONFIG_PLUGINS_H

#include "program/config/tree.h"

#include <stdio.h>

/* Load those of the tree (component/plugin.h), before any other key is looked at. Errors:
 * STATUS_CONFIG, STATUS_MEMORY. */
enum status plugins_read(const struct config_tree *tree, struct error *error);

/* The line of settings.cfg: all that this process has loaded, CGSOLVE_PLUGINS or not; nothing where
 * there are none. */
void plugins_write(FILE *file);

#endif
