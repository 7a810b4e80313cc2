/* --set KEY=VALUE: the value is parsed as if it stood in a config, then takes the place of what the
 * tree held under the key. */
#include "program/config/tree.h"

#include "base/memory.h"

#include <ctype.h>
#include <string.h>

/* Give `to`, new and of from's type, the value of from. */
static bool setting_copy(const config_setting_t *from, config_setting_t *to)
{
    switch (config_setting_type(from)) {
    case CONFIG_TYPE_INT64:
        return config_setting_set_int64(to, config_setting_get_int64(from));
    case CONFIG_TYPE_FLOAT:
        return config_setting_set_float(to, config_setting_get_float(from));
    case CONFIG_TYPE_BOOL:
        return config_setting_set_bool(to, config_setting_get_bool(from));
    case CONFIG_TYPE_STRING:
        return config_setting_set_string(to, config_setting_get_string(from));
    default: /* a group or a list */
        for (int k = 0; k < config_setting_length(from); k++) {
            const config_setting_t *part = config_setting_get_elem(from, (unsigned)k);
            config_setting_t *made =
                config_setting_add(to, config_setting_name(part), config_setting_type(part));
            if (!made || !setting_copy(part, made))
                return false;
        }
        return true;
    }
}

static const char *skip_space(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Parse "value = VALUE" into config. A bare word, which libconfig would refuse, becomes a text. */
static enum status value_parse(const struct source *source, const char *value, config_t *config,
                               struct error *error)
{
    static const char key[] = "value =";
    int64_t length = (int64_t)(sizeof key - 1 + strlen(value));
    char *text = memory_array(length + 1, 1, "an override", error);
    if (!text)
        return STATUS_MEMORY;
    memcpy(text, key, sizeof key - 1);
    strcpy(text + sizeof key - 1, value);

    struct words words = {.overflow = -1};
    struct error fault = {""};
    enum status status = words_cut(source, text, length, &words, &fault);
    if (status == STATUS_OK)
        status = words_parse(&words, source, config, &fault);
    bool one_value = status == STATUS_OK && config_setting_length(config_root_setting(config)) == 1;
    bool out_of_range = words.count == 3 && words.overflow >= 0;
    bool bare = !strchr("([{\"", *value) && !out_of_range && status != STATUS_MEMORY;
    if (!bare) {
        if (status == STATUS_OK && !one_value)
            status = source_fault(source, 0, &fault, "more than one value");
        if (status != STATUS_OK)
            error_set(error, status, "%s", fault.text);
    } else if (status != STATUS_OK || !one_value || words.has_comments) {
        config_destroy(config);
        config_init(config);
        config_setting_t *made =
            config_setting_add(config_root_setting(config), "value", CONFIG_TYPE_STRING);
        size_t end = strlen(value);
        while (isspace((unsigned char)value[end - 1]))
            end--;
        text[sizeof key - 1 + end] = '\0';
        status = made && config_setting_set_string(made, text + sizeof key - 1)
                     ? STATUS_OK
                     : error_set(error, STATUS_MEMORY, "out of memory: an override");
    }
    words_free(&words);
    memory_free(text);
    return status;
}

/* The group that `name` stands for below parent; made if it is not there yet. */
static enum status group_enter(config_setting_t **group, const char *name, struct source *source,
                               struct error *error)
{
    config_setting_t *inner = config_setting_get_member(*group, name);
    if (inner && !config_setting_is_group(inner))
        return source_fault(source, 0, error, "'%s' is not a group: it can only be set as a whole",
                            name);
    if (!inner) {
        inner = config_setting_add(*group, name, CONFIG_TYPE_GROUP);
        if (!inner)
            return source_fault(source, 0, error, "'%s' cannot be a key", name);
        config_setting_set_hook(inner, source);
    }
    *group = inner;
    return STATUS_OK;
}

/* Put value under the dotted key, which is taken apart in place. */
static enum status value_place(struct config_tree *tree, struct source *source, char *key,
                               const config_setting_t *value, struct error *error)
{
    config_setting_t *group = config_root_setting(&tree->config);
    for (char *dot; (dot = strchr(key, '.')); key = dot + 1) {
        *dot = '\0';
        enum status status = group_enter(&group, key, source, error);
        if (status != STATUS_OK)
            return status;
    }
    if (config_setting_get_member(group, key))
        config_setting_remove(group, key);
    config_setting_t *made = config_setting_add(group, key, config_setting_type(value));
    if (!made)
        return source_fault(source, 0, error, "'%s' cannot be a key", key);
    config_setting_set_hook(made, source);
    if (!setting_copy(value, made))
        return error_set(error, STATUS_MEMORY, "out of memory: an override");
    return STATUS_OK;
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
    char *key = memory_text(skip_space(source->name), "an override", error);
    if (!key)
        return STATUS_MEMORY;
    size_t length = strcspn(key, "= \t");
    bool ends = *skip_space(key + length) == '=';
    key[length] = '\0';
    const char *value = skip_space(equals + 1);
    config_t config;
    config_init(&config);
    enum status status;
    if (!ends || !is_key(key))
        status = source_fault(source, 0, error, "what stands before '=' is not a key");
    else if (!*value)
        status = source_fault(source, 0, error, "the value is missing");
    else
        status = value_parse(source, value, &config, error);
    if (status == STATUS_OK)
        status = value_place(tree, source, key,
                             config_setting_get_elem(config_root_setting(&config), 0), error);
    config_destroy(&config);
    memory_free(key);
    return status;
}
