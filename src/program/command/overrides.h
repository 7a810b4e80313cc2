/* The overrides of a config from a command's options (program/config/settings.h). */
#ifndef PROGRAM_COMMAND_OVERRIDES_H
#define PROGRAM_COMMAND_OVERRIDES_H

#include "program/command/command.h"
#include "program/config/settings.h"

struct overrides {
    struct settings_override *list; /* [count], in order */
    char **texts;                   /* what they point to */
    int count;
};

/* Room for `most` overrides. The caller calls overrides_free, also after an error. Errors:
 * STATUS_MEMORY. */
enum status overrides_begin(int most, struct overrides *overrides, struct error *error);

/* Add one: `sets` with the value in the place of a sign. %: as it is; @: as a text in quotes; #: as
 * a list of what stands between commas, numbers and texts; $: the same, all of it texts; ~: of
 * NAME=V,V the list NAME=[V,V]. place: what messages call the override, borrowed, or NULL (struct
 * settings_override). Errors: STATUS_MEMORY. */
enum status overrides_add(struct overrides *overrides, const char *sets, const char *value,
                          const char *place, struct error *error);

void overrides_free(struct overrides *overrides); /* accepts a zeroed one */

/* The end of a line in a table of options: the override of the option, as for overrides_add. The
 * command's struct begins with a struct overrides. */
#define TAKES_OVERRIDE(sets) TAKES_WITH(option_override, sets)
option_take option_override;

/* --set KEY=VALUE */
option_take option_set;

#endif
