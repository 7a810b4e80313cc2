/* Values from the tree into C, strictly. */
#ifndef PROGRAM_CONFIG_VALUES_H
#define PROGRAM_CONFIG_VALUES_H

#include "base/parameter.h"
#include "program/config/tree.h"

/* What the setting holds, for the end of a message: "2.5", "the string \"abc\"", "a group", ... */
const char *setting_shown(const config_setting_t *setting, char *text, int size);

/* parameter_take with the setting's value; a message names the place of the setting, or of the
 * element whose fault it is. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status setting_take(const struct config_tree *tree, const config_setting_t *setting,
                         const struct parameter *parameter, const char *path, void *place,
                         struct error *error);

#endif
