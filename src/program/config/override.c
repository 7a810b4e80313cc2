/* --set KEY=VALUE: the value is read as if it stood in a config, in the place of what the tree held
 * under the key. */
#include "program/config/tree.h"

#include "base/memory.h"

#include <ctype.h>
#include <string.h>

static const char *skip_space(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Go to the group that the dotted key names, of which missing ones are made; *key is its last name
 * then. */
static enum status enter_groups(config_setting_t **group, char **key, const struct source *source,
                                struct error *error)
{
    for (char *dot; (dot = strchr(*key, '.')); *key = dot + 1) {
        *dot = '\0';
        config_setting_t *inner = config_setting_get_member(*group, *key);
        if (!inner)
            inner = setting_add(*group, *key, CONFIG_TYPE_GROUP, source, 0, error);
        if (!inner)
            return STATUS_MEMORY;
        if (!config_setting_is_group(inner))
            return source_fault(source, 0, error,
                                "'%s' is not a group: it can only be set as a whole", *key);
        *group = inner;
    }
    return STATUS_OK;
}

/* The value without the white space behind it, as a text. */
static enum status set_text(config_setting_t *group, const char *key, const struct source *source,
                            const char *value, struct error *error)
{
    char *text = memory_text(value, "an override", error);
    if (!text)
        return STATUS_MEMORY;
    size_t end = strlen(text);
    while (isspace((unsigned char)text[end - 1]))
        end--;
    text[end] = '\0';
    config_setting_t *made = setting_add(group, key, CONFIG_TYPE_STRING, source, 0, error);
    bool is_set = made && config_setting_set_string(made, text);
    memory_free(text);
    return is_set ? STATUS_OK : error_set(error, STATUS_MEMORY, "out of memory: an override");
}

/* Put the value under the dotted key; both are taken apart in place. A bare word, which no config
 * would hold, becomes a text as it was written. */
static enum status set_value(config_setting_t *group, char *key, const struct source *source,
                             char *value, const char *written, struct error *error)
{
    struct error fault;
    bool bare, may_be_bare = !strchr("([{\"", *value);
    enum status status = enter_groups(&group, &key, source, error);
    if (status)
        return status;
    config_setting_remove(group, key);
    status = config_parse(source, value, (int64_t)strlen(value), group, key, &bare, &fault);
    if (bare && may_be_bare) {
        config_setting_remove(group, key);
        return set_text(group, key, source, written, error);
    }
    if (status)
        *error = fault;
    return status;
}

/* True for words of letters, digits, _ and - joined by single dots: what a key looks like. */
static bool is_key(const char *key)
{
    int dots = 0;
    for (const char *at = key;; at++) {
        if (!isalpha((unsigned char)*at))
            return false;
        while (isalnum((unsigned char)*at) || *at == '_' || *at == '-')
            at++;
        if (*at != '.')
            return *at == '\0' && dots < 8;
        dots++;
    }
}

enum status tree_override(struct config_tree *tree, struct source *source, struct error *error)
{
    const char *equals = strchr(source->name, '=');
    if (!equals)
        return source_fault(source, 0, error, "KEY=VALUE is wanted, e.g. solver.tolerance=1e-10");
    const char *begin = skip_space(source->name);
    char *key = memory_text(begin, "an override", error);
    if (!key)
        return STATUS_MEMORY;
    size_t length = strcspn(key, "= \t");
    bool ends = *skip_space(key + length) == '=';
    key[length] = '\0';
    const char *value = skip_space(equals + 1);
    enum status status;
    if (!ends || !is_key(key))
        status = source_fault(source, 0, error, "what stands before '=' is not a key");
    else if (!*value)
        status = source_fault(source, 0, error, "the value is missing");
    else
        status = set_value(config_root_setting(&tree->config), key, source, key + (value - begin),
                           value, error);
    memory_free(key);
    return status;
}
