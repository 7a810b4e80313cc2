#include "program/config/values.h"

#include "base/memory.h"
#include "base/text.h"
#include "program/config/near.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *setting_shown(const config_setting_t *setting, char *text, int size)
{
    char shown[64];
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        snprintf(text, (size_t)size, "%lld", config_setting_get_int64(setting));
        break;
    case CONFIG_TYPE_FLOAT:
        snprintf(text, (size_t)size, "%s",
                 real_text(config_setting_get_float(setting), shown, sizeof shown));
        break;
    case CONFIG_TYPE_STRING:
        snprintf(text, (size_t)size, "the string \"%s\"",
                 shown_text(config_setting_get_string(setting), shown, sizeof shown));
        break;
    case CONFIG_TYPE_BOOL:
        snprintf(text, (size_t)size, "%s", config_setting_get_bool(setting) ? "true" : "false");
        break;
    case CONFIG_TYPE_GROUP:
        snprintf(text, (size_t)size, "a group");
        break;
    default:
        snprintf(text, (size_t)size, "a list of %d", config_setting_length(setting));
        break;
    }
    return text;
}

static bool is_whole(const config_setting_t *setting)
{
    return config_setting_type(setting) == CONFIG_TYPE_INT64 ||
           config_setting_type(setting) == CONFIG_TYPE_INT;
}

static bool is_list(const config_setting_t *setting)
{
    return config_setting_is_list(setting) || config_setting_is_array(setting);
}

static bool in_range(const struct key *key, double value)
{
    return (key->above ? value > key->minimum : value >= key->minimum) &&
           (key->below ? value < key->maximum : value <= key->maximum) && isfinite(value);
}

enum status setting_read_whole(const struct config_tree *tree, const config_setting_t *setting,
                               const char *path, int64_t least, int64_t most, int64_t *value,
                               struct error *error)
{
    if (is_whole(setting)) {
        *value = config_setting_get_int64(setting);
        if (*value >= least && *value <= most)
            return STATUS_OK;
    }
    char wants[128], given[128];
    return tree_fault(tree, setting, error, "%s wants %s, not %s", path,
                      whole_wants(least, most, wants, sizeof wants),
                      setting_shown(setting, given, sizeof given));
}

/* "KEY wants ..., not ..." */
static enum status wrong(const struct config_tree *tree, const struct key *key,
                         const config_setting_t *setting, struct error *error)
{
    char path[64], wants[320], given[128];
    return tree_fault(tree, setting, error, "%s wants %s, not %s", key_path(key, path, sizeof path),
                      key_wants(key, wants, sizeof wants),
                      setting_shown(setting, given, sizeof given));
}

enum status setting_read_choice(const struct config_tree *tree, const config_setting_t *setting,
                                const char *path, const char *const *choices, unsigned *choice,
                                struct error *error)
{
    char wants[256], given[128], shown[128];
    choices_text(choices, 0, wants, sizeof wants);
    setting_shown(setting, given, sizeof given);
    bool is_text = config_setting_type(setting) == CONFIG_TYPE_STRING;
    const char *text = is_text ? config_setting_get_string(setting) : given; /* 7 for "7" */
    struct near near;
    near_start(&near, text);
    for (*choice = 0; choices[*choice]; ++*choice) {
        if (!strcmp(choices[*choice], text))
            return STATUS_OK;
        near_offer(&near, choices[*choice]);
    }
    if (!is_text)
        return tree_fault(tree, setting, error, "%s wants %s, not %s", path, wants, given);
    return tree_fault(tree, setting, error, "%s wants %s, not \"%s\"%s", path, wants,
                      shown_text(text, shown, sizeof shown), near_text(&near));
}

/* The k-th number of the key. */
static enum status number_read(const struct config_tree *tree, const struct key *key,
                               const config_setting_t *setting, int k, struct settings *settings,
                               struct error *error)
{
    if (key->type == KEY_WHOLE) {
        int64_t value = is_whole(setting) ? config_setting_get_int64(setting) : 0;
        if (!is_whole(setting) || value < key->least || value > key->most)
            return wrong(tree, key, setting, error);
        ((int64_t *)key_place(key, settings))[k] = value;
        return STATUS_OK;
    }
    bool is_real = config_setting_type(setting) == CONFIG_TYPE_FLOAT;
    double value = is_real             ? config_setting_get_float(setting)
                   : is_whole(setting) ? (double)config_setting_get_int64(setting)
                                       : NAN;
    if (!in_range(key, value))
        return wrong(tree, key, setting, error);
    ((double *)key_place(key, settings))[k] = value;
    return STATUS_OK;
}

/* A list of texts, each once, at least one. */
static enum status choices_read(const struct config_tree *tree, const struct key *key,
                                const config_setting_t *setting, unsigned *bits,
                                struct error *error)
{
    char path[64];
    *bits = 0;
    if (!is_list(setting) || config_setting_length(setting) == 0)
        return wrong(tree, key, setting, error);
    for (int k = 0; k < config_setting_length(setting); k++) {
        unsigned choice = 0;
        const config_setting_t *element = config_setting_get_elem(setting, (unsigned)k);
        enum status status = setting_read_choice(tree, element, key_path(key, path, sizeof path),
                                                 key->choices, &choice, error);
        if (status != STATUS_OK)
            return status;
        if (*bits >> choice & 1)
            return tree_fault(tree, element, error, "%s names \"%s\" twice", path,
                              key->choices[choice]);
        *bits |= 1u << choice;
    }
    return STATUS_OK;
}

static enum status switch_read(const struct config_tree *tree, const struct key *key,
                               const config_setting_t *setting, struct settings *settings,
                               struct error *error)
{
    if (config_setting_type(setting) != CONFIG_TYPE_BOOL)
        return wrong(tree, key, setting, error);
    enum switch_state state = config_setting_get_bool(setting) ? SWITCH_ON : SWITCH_OFF;
    memcpy(key_place(key, settings), &state, sizeof state);
    return STATUS_OK;
}

enum status value_read(const struct config_tree *tree, const struct key *key,
                       const config_setting_t *setting, struct settings *settings,
                       struct error *error)
{
    enum status status = STATUS_OK;
    if (key->type == KEY_TEXT) {
        if (config_setting_type(setting) != CONFIG_TYPE_STRING)
            return wrong(tree, key, setting, error);
        const char *text = config_setting_get_string(setting);
        char path[64];
        key_path(key, path, sizeof path);
        if (!*text)
            return tree_fault(tree, setting, error, "%s is empty", path);
        char *copy = memory_text(text, path, error);
        memcpy(key_place(key, settings), &copy, sizeof copy);
        return copy ? STATUS_OK : STATUS_MEMORY;
    }
    if (key->type == KEY_CHOICE) {
        char path[64];
        unsigned choice = 0;
        status = setting_read_choice(tree, setting, key_path(key, path, sizeof path), key->choices,
                                     &choice, error);
        if (status == STATUS_OK)
            memcpy(key_place(key, settings), &choice, sizeof choice);
        return status;
    }
    if (key->type == KEY_CHOICES) {
        unsigned bits;
        status = choices_read(tree, key, setting, &bits, error);
        if (status == STATUS_OK)
            memcpy(key_place(key, settings), &bits, sizeof bits);
        return status;
    }
    if (key->type == KEY_SWITCH)
        return switch_read(tree, key, setting, settings, error);
    bool list = key->count > 0 && is_list(setting);
    if (list ? config_setting_length(setting) != key->count : key->count > 0 && !key->one_for_all)
        return wrong(tree, key, setting, error);
    for (int k = 0; k < (key->count ? key->count : 1) && status == STATUS_OK; k++)
        status =
            number_read(tree, key, list ? config_setting_get_elem(setting, (unsigned)k) : setting,
                        k, settings, error);
    return status;
}

enum status value_default(const struct key *key, struct settings *settings, struct error *error)
{
    void *place = key_place(key, settings);
    if (key->type == KEY_TEXT) {
        char *copy = memory_text(key->standard, key->name, error);
        memcpy(place, &copy, sizeof copy);
        return copy ? STATUS_OK : STATUS_MEMORY;
    }
    for (unsigned k = 0; key->type == KEY_CHOICE && key->choices[k]; k++)
        if (!strcmp(key->choices[k], key->standard))
            memcpy(place, &k, sizeof k);
    for (unsigned k = 0, bits = 0; key->type == KEY_CHOICES && key->choices[k]; k++) {
        char quoted[64]; /* as it stands in a list */
        snprintf(quoted, sizeof quoted, "\"%s\"", key->choices[k]);
        bits |= strstr(key->standard, quoted) ? 1u << k : 0;
        memcpy(place, &bits, sizeof bits);
    }
    for (int k = 0; k < (key->count ? key->count : 1); k++)
        if (key->type == KEY_WHOLE)
            ((int64_t *)place)[k] = strtoll(key->standard, NULL, 10);
        else if (key->type == KEY_REAL)
            ((double *)place)[k] = strtod(key->standard, NULL);
    return STATUS_OK;
}
