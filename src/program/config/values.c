#include "program/config/values.h"

/* A list without its elements. */
static struct value value_of(const config_setting_t *setting)
{
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        return (struct value){.type = VALUE_INTEGER, .integer = config_setting_get_int64(setting)};
    case CONFIG_TYPE_FLOAT:
        return (struct value){.type = VALUE_REAL, .real = config_setting_get_float(setting)};
    case CONFIG_TYPE_STRING:
        return (struct value){.type = VALUE_STRING, .text = config_setting_get_string(setting)};
    case CONFIG_TYPE_BOOL:
        return (struct value){.type = VALUE_SWITCH, .integer = config_setting_get_bool(setting)};
    case CONFIG_TYPE_GROUP:
        return (struct value){.type = VALUE_GROUP};
    default:
        return (struct value){.type = VALUE_LIST, .integer = config_setting_length(setting)};
    }
}

const char *setting_shown(const config_setting_t *setting, char *text, int size)
{
    struct value value = value_of(setting);
    return value_shown(&value, text, size);
}

enum status setting_take(const struct config_tree *tree, const config_setting_t *setting,
                         const struct parameter *parameter, const char *path, void *place,
                         struct error *error)
{
    struct value value = value_of(setting), elements[ELEMENTS_MAX];
    struct error why;
    int element;
    for (int k = 0; value.type == VALUE_LIST && k < value.integer && k < ELEMENTS_MAX; k++)
        elements[k] = value_of(config_setting_get_elem(setting, (unsigned)k));
    value.elements = elements;
    enum status status = parameter_take(parameter, path, &value, place, &element, &why);
    if (status == STATUS_CONFIG)
        return tree_fault(
            tree, element < 0 ? setting : config_setting_get_elem(setting, (unsigned)element),
            error, "%s", why.text);
    return status ? error_set(error, status, "%s", why.text) : STATUS_OK;
}
