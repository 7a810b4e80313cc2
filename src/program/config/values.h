/* Values from the tree into C, strictly. */
#ifndef PROGRAM_CONFIG_VALUES_H
#define PROGRAM_CONFIG_VALUES_H

#include "program/config/keys.h"
#include "program/config/tree.h"

/* What the setting holds, for the end of a message: "2.5", "the text \"abc\"", "a group", ... */
const char *setting_shown(const config_setting_t *setting, char *text, int size);

/* *value from a setting that must hold a whole number in [least, most]. `path` names it in the
 * message. Errors: STATUS_CONFIG. */
enum status setting_read_whole(const struct config_tree *tree, const config_setting_t *setting,
                               const char *path, int64_t least, int64_t most, int64_t *value,
                               struct error *error);

/* The same for a setting that must hold one of a few texts, ended by a NULL: *choice is its place.
 * A text that reads as a number may stand there without quotes. */
enum status setting_read_choice(const struct config_tree *tree, const config_setting_t *setting,
                                const char *path, const char *const *choices, unsigned *choice,
                                struct error *error);

/* The key's value from the setting, of any type but KEY_KERNELS and KEY_VARY, into the settings.
 * Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status value_read(const struct config_tree *tree, const struct key *key,
                       const config_setting_t *setting, struct settings *settings,
                       struct error *error);

/* The key's default into the settings. Errors: STATUS_MEMORY. */
enum status value_default(const struct key *key, struct settings *settings, struct error *error);

#endif
