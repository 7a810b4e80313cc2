/* The options of a component, by name. */
#include "base/memory.h"
#include "base/parameter.h"
#include "base/suggest.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

const struct component *component_find(enum component_kind kind, const char *name)
{
    int count;
    const struct component *const *list = component_list(kind, &count);
    for (int k = 0; k < count; k++)
        if (!strcmp(list[k]->name, name))
            return list[k];
    return NULL;
}

/* The first of these parameters is at `base`. Counts *k down. */
static const struct parameter *find_line(const struct parameter *line, int *k, size_t base,
                                         size_t *offset)
{
    const struct parameter *found = NULL;
    for (; !found && line && line->name; line++) {
        *offset = base + line->offset;
        if (line->type == PARAMETER_TABLE)
            found = find_line(line->table, k, *offset, offset);
        else if ((*k)-- == 0)
            found = line;
    }
    return found;
}

const struct parameter *component_parameter(const struct component *component, int k,
                                            size_t *offset)
{
    return find_line(component->parameters, &k, 0, offset);
}

/* Parameter k and its place, or NULL. */
static const struct parameter *parameter_at(const struct options *options, int k, void **place)
{
    size_t offset = 0;
    const struct parameter *parameter =
        options->component ? component_parameter(options->component, k, &offset) : NULL;
    *place = parameter && options->values ? (char *)options->values + offset : NULL;
    return parameter;
}

enum status options_create(const struct component *component, struct options *options,
                           struct error *error)
{
    void *place;
    enum status status = STATUS_OK;
    *options = (struct options){component, NULL};
    if (component->options_size > 0) {
        options->values =
            memory_zeros(1, component->options_size, "the options of a component", error);
        status = options->values ? STATUS_OK : STATUS_MEMORY;
    }
    const struct parameter *parameter;
    for (int k = 0; !status && (parameter = parameter_at(options, k, &place)); k++)
        status = parameter_default(parameter, place, error);
    if (status)
        options_free(options);
    return status;
}

void options_free(struct options *options)
{
    void *place;
    const struct parameter *parameter;
    for (int k = 0; options->values && (parameter = parameter_at(options, k, &place)); k++)
        parameter_free(parameter, place);
    memory_free(options->values);
    *options = (struct options){0};
}

/* Replaces the value by a copy of it. */
static enum status value_copy(const struct parameter *parameter, const void *from, void *to,
                              struct error *error)
{
    char *text;
    switch (parameter->type) {
    case PARAMETER_COMPONENT:
        return options_copy(from, to, error);
    case PARAMETER_STRING:
    case PARAMETER_FILE:
        memcpy(&text, from, sizeof text);
        return text ? parameter_take_text(parameter, parameter->name, text, to, error) : STATUS_OK;
    default:
        memcpy(to, from, parameter->size);
        return STATUS_OK;
    }
}

enum status options_copy(const struct options *from, struct options *to, struct error *error)
{
    void *old, *place;
    const struct parameter *parameter;
    enum status status = STATUS_OK;
    *to = (struct options){from->component, NULL};
    if (from->values) {
        to->values =
            memory_zeros(1, from->component->options_size, "the options of a component", error);
        status = to->values ? STATUS_OK : STATUS_MEMORY;
    }
    for (int k = 0; !status && (parameter = parameter_at(from, k, &old)); k++) {
        parameter_at(to, k, &place);
        status = value_copy(parameter, old, place, error);
    }
    if (status)
        options_free(to);
    return status;
}

/* ---- by name --------------------------------------------------------------------------------- */

/* The parameter that the key names, in the options or below them, and its place. Errors:
 * STATUS_CONFIG. */
static enum status find(const struct options *options, const char *key,
                        const struct parameter **found, void **place, struct error *error)
{
    const struct options *inner = options;
    const char *name = key;
    char shown[64];
    struct suggestion suggestion;
    for (;;) {
        size_t length = strcspn(name, ".");
        suggest_start(&suggestion, name);
        for (int k = 0; (*found = parameter_at(inner, k, place)); k++) {
            if (!strcmp((*found)->name, name))
                return STATUS_OK; /* a name may have dots */
            if (strlen((*found)->name) == length && !memcmp((*found)->name, name, length))
                break;
            suggest_offer(&suggestion, (*found)->name);
        }
        if (!*found)
            return error_set(error, STATUS_CONFIG, "unknown option '%s'%s",
                             shown_text(key, shown, sizeof shown), suggest_text(&suggestion));
        if ((*found)->type != PARAMETER_COMPONENT)
            return error_set(error, STATUS_CONFIG, "unknown option '%s': '%s' has no options",
                             shown_text(key, shown, sizeof shown), (*found)->name);
        inner = *place;
        name += length + 1;
    }
}

enum status options_set(struct options *options, const char *key, const char *text,
                        struct error *error)
{
    const struct parameter *parameter;
    void *place;
    enum status status = find(options, key, &parameter, &place, error);
    return status ? status : parameter_take_text(parameter, key, text, place, error);
}

enum status options_check_below(const struct options *options, const char *path,
                                struct error *error)
{
    void *place;
    char key[256];
    const struct parameter *parameter;
    enum status status = STATUS_OK;
    for (int k = 0; !status && (parameter = parameter_at(options, k, &place)); k++) {
        snprintf(key, sizeof key, "%s%s", path, parameter->name);
        status = parameter_check(parameter, key, place, error);
        snprintf(key, sizeof key, "%s%s.", path, parameter->name);
        if (!status && parameter->type == PARAMETER_COMPONENT)
            status = options_check_below(place, key, error);
    }
    const struct component *component = options->component;
    const char *name = NULL, *complaint = NULL;
    char text[256];
    if (!status && component && component->check)
        complaint = component->check(options->values, &name);
    if (!complaint || find(options, name, &parameter, &place, error))
        return status;
    bool list = parameter_is_list(parameter);
    return error_set(error, STATUS_CONFIG, "%s%s = %s%s%s: %s", path, name, list ? "[" : "",
                     parameter_text(parameter, place, text, sizeof text), list ? "]" : "",
                     complaint);
}

enum status options_check(const struct options *options, struct error *error)
{
    return options_check_below(options, "", error);
}

const char *options_file(const struct options *options, int k, const char **key)
{
    void *place;
    const struct parameter *parameter;
    for (int p = 0; (parameter = parameter_at(options, p, &place)); p++)
        if (parameter->type == PARAMETER_FILE && !parameter_is_missing(parameter, place) &&
            !parameter_is_left_out(parameter, place) && k-- == 0) {
            if (key)
                *key = parameter->name;
            return parameter_value(parameter, place, 0).text;
        }
    return NULL;
}
