/* A config as libconfig's tree, with overrides applied; every setting has its source. */
#ifndef PROGRAM_CONFIG_TREE_H
#define PROGRAM_CONFIG_TREE_H

#include "base/parameter.h"
#include "base/status.h"
#include "program/config/settings.h"

#include <libconfig.h>

/* The source of a piece of config, for messages. */
struct source {
    const char *name; /* the file's path, or KEY=VALUE of a --set; borrowed */
    bool is_override;
    const char *place; /* of an override (struct settings_override), or NULL; borrowed */
};

/* STATUS_CONFIG with "FILE:LINE: ..." ("FILE: ..." for line 0), "--set KEY=VALUE: ..." or
 * "PLACE: ...". */
enum status source_fault(const struct source *source, int line, struct error *error,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

struct config_tree {
    config_t config; /* the hook of each setting is its struct source */
    struct source file;
    struct source *overrides; /* one for each */
};

/* Read the file (NULL: an empty one) and apply the overrides in order. On failure there is nothing
 * to free. The caller calls tree_free. path and the overrides' texts are borrowed. Errors:
 * STATUS_CONFIG (the file cannot be read, syntax, a repeated key, a number out of range),
 * STATUS_MEMORY. */
enum status tree_read(const char *path, const struct settings_override *overrides,
                      int overrides_count, struct config_tree *tree, struct error *error);

void tree_free(struct config_tree *tree);

/* The line in the file where the setting stands, and in *source what it came from. */
int tree_line(const struct config_tree *tree, const config_setting_t *setting,
              const struct source **source);

/* STATUS_CONFIG with a message that starts with the place of the setting (NULL: the whole file). */
enum status tree_fault(const struct config_tree *tree, const config_setting_t *setting,
                       struct error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* For tree.c: read text[length], which is modified and followed by a zero byte, as settings of the
 * group or, with a name, as the value of a new setting. Settings before a fault stay. *bare: in an
 * override a text without quotes, unless it begins like another value. Defined in grammar.c.
 * Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status config_parse(const struct source *source, char *text, int64_t length,
                         config_setting_t *group, const char *name, bool *bare,
                         struct error *error);

/* A new setting that stands there; NULL without memory. */
config_setting_t *setting_add(config_setting_t *parent, const char *name, int type,
                              const struct source *source, int line, struct error *error);

/* The setting's value, for the end of a message: "2.5", "the string \"abc\"", "a group", ... */
const char *setting_shown(const config_setting_t *setting, char *text, int size);

/* parameter_take with the setting's value; a message names the place of the setting, or of the
 * element whose fault it is. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status setting_take(const struct config_tree *tree, const config_setting_t *setting,
                         const struct parameter *parameter, const char *path, void *place,
                         struct error *error);

#endif
