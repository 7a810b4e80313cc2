#include "program/config/plugins.h"

#include "component/plugin.h"

#include <string.h>

static enum status read_one(const struct config_tree *tree, const config_setting_t *setting,
                            struct error *error)
{
    char given[128];
    struct error why;
    const char *path = config_setting_get_string(setting);
    if (!path || !*path)
        return tree_fault(tree, setting, error, "plugins wants paths in quotes, not %s",
                          setting_shown(setting, given, sizeof given));
    enum status status = plugin_load(path, NULL, &why);
    if (status == STATUS_MEMORY)
        return error_set(error, status, "%s", why.text);
    return status ? tree_fault(tree, setting, error, "plug-in %s", why.text) : STATUS_OK;
}

enum status plugins_read(const struct config_tree *tree, struct error *error)
{
    const config_setting_t *list = config_lookup(&tree->config, "plugins");
    char given[128];
    enum status status = STATUS_OK;
    if (!list)
        return STATUS_OK;
    if (!config_setting_is_list(list) && !config_setting_is_array(list))
        return tree_fault(tree, list, error, "plugins wants a list ( \"PATH\", ... ), not %s",
                          setting_shown(list, given, sizeof given));
    for (int k = 0; k < config_setting_length(list) && !status; k++)
        status = read_one(tree, config_setting_get_elem(list, (unsigned)k), error);
    return status;
}

void plugins_write(FILE *file)
{
    const char *path;
    for (int k = 0; (path = plugin_path(k)); k++) {
        fputs(k ? ", " : "plugins = (", file);
        settings_write_text(path, strlen(path), file);
    }
    if (plugin_path(0))
        fputs(");\n", file);
}
