/* The overrides of a config that a command makes of its options (program/config/settings.h). */
#ifndef PROGRAM_COMMAND_OVERRIDES_H
#define PROGRAM_COMMAND_OVERRIDES_H

#include "base/status.h"
#include "program/config/settings.h"

#include <stdio.h>

struct overrides {
    struct settings_override *list; /* [count], in order */
    char **texts;                   /* what they point to */
    int count;
};

/* Room for so many. The caller calls overrides_free, also after an error. Errors: STATUS_MEMORY. */
enum status overrides_begin(int most, struct overrides *overrides, struct error *error);

/* Prints KEY=VALUE for an option and its value. */
typedef void override_put(int option, const char *value, FILE *stream);

/* Add one. place: what messages call it, borrowed, or NULL (struct settings_override). Errors:
 * STATUS_MEMORY. */
enum status overrides_add(struct overrides *overrides, override_put *put, int option,
                          const char *value, const char *place, struct error *error);

void overrides_free(struct overrides *overrides); /* accepts a zeroed one */

#endif
