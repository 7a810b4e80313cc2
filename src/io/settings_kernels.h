/* The list of kernels: kernels = ( "name", { name = "name"; label = "text"; parameter = 1; } ). */
#ifndef IO_SETTINGS_KERNELS_H
#define IO_SETTINGS_KERNELS_H

#include "io/settings_tree.h"

/* Fill settings->kernels and kernels_count from the setting; on failure settings_free frees what is
 * there. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status kernels_read(const struct config_tree *tree, const config_setting_t *setting,
                         struct settings *settings, struct error *error);

#endif
