#include "program/config/settings.h"

#include "base/memory.h"
#include "base/text.h"
#include "program/config/kernels.h"
#include "program/config/near.h"
#include "program/config/values.h"
#include "program/config/vary.h"

#include <string.h>

/* True when the key is the first of its group in the table. */
static bool is_first(const struct key *key)
{
    return key == key_first(key);
}

/* The last name of a group's path: "preconditioner". */
static const char *group_name(const char *group)
{
    const char *dot = strrchr(group, '.');
    return dot ? dot + 1 : group;
}

/* Whether `group` ("solver.preconditioner") lies right in `outer` ("solver", or "" for the top
 * level). */
static bool lies_in(const char *group, const char *outer)
{
    size_t length = (size_t)(group_name(group) - group); /* with the dot */
    return *group && length == strlen(outer) + (*outer ? 1 : 0) &&
           !strncmp(group, outer, strlen(outer));
}

/* A member of a group (NULL: of the top level) that no key knows. */
static enum status unknown_key(const struct config_tree *tree, const config_setting_t *member,
                               const char *group, struct error *error)
{
    const char *name = config_setting_name(member);
    struct near near;
    near_start(&near, name);
    char elsewhere[64] = "", shown[64];
    for (const struct key *key = settings_keys; key->name; key++) {
        if (!strcmp(key->group, group))
            near_offer(&near, key->name);
        else if (!*elsewhere && !strcmp(key->name, name))
            key_path(key, elsewhere, sizeof elsewhere);
        if (lies_in(key->group, group) && is_first(key))
            near_offer(&near, group_name(key->group));
    }
    if (!near.best && *elsewhere)
        near.best = elsewhere;
    return tree_fault(tree, member, error, "unknown key '%s%s%s'%s", group, *group ? "." : "",
                      shown_text(name, shown, sizeof shown), near_text(&near));
}

/* Whether the key is that member of the group, or of a group of that name in it. */
static bool is_known_by(const struct key *key, const char *group, const char *name)
{
    return (!strcmp(key->group, group) && !strcmp(key->name, name)) ||
           (lies_in(key->group, group) && !strcmp(group_name(key->group), name));
}

/* Every member of a group, or of the top level (group ""), is a key or a group that the table
 * knows. */
static enum status check_members(const struct config_tree *tree, const config_setting_t *setting,
                                 const char *group, struct error *error)
{
    for (int k = 0; k < config_setting_length(setting); k++) {
        const config_setting_t *member = config_setting_get_elem(setting, (unsigned)k);
        const char *name = config_setting_name(member);
        const struct key *key = settings_keys;
        while (key->name && !is_known_by(key, group, name))
            key++;
        if (!key->name)
            return unknown_key(tree, member, group, error);
        if (!strcmp(key->group, group))
            continue;
        char given[128];
        if (!config_setting_is_group(member))
            return tree_fault(tree, member, error, "%s wants a group { ... }, not %s", key->group,
                              setting_shown(member, given, sizeof given));
        enum status status = check_members(tree, member, key->group, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* The key's group in the tree, or NULL. */
static const config_setting_t *group_of(const struct config_tree *tree, const struct key *key)
{
    return *key->group ? config_lookup(&tree->config, key->group)
                       : config_root_setting(&tree->config);
}

/* The key's setting in the tree, or NULL. */
static const config_setting_t *setting_of(const struct config_tree *tree, const struct key *key)
{
    const config_setting_t *group = group_of(tree, key);
    return group ? config_setting_get_member(group, key->name) : NULL;
}

static enum status missing_key(const struct config_tree *tree, const struct key *key,
                               const struct settings *settings, struct error *error)
{
    char path[64], wants[320], given[64] = "";
    const struct key *decider = key_decider(key);
    if (key->only_for || key->for_methods)
        snprintf(given, sizeof given, " for %s \"%s\"", decider->name,
                 decider->choices[key_choice(decider, settings)]);
    const config_setting_t *group = group_of(tree, key);
    if (!group)
        return tree_fault(tree, NULL, error, "the group '%s' is missing", key->group);
    return tree_fault(tree, group, error, "%s is missing%s: it wants %s",
                      key_path(key, path, sizeof path), given, key_wants(key, wants, sizeof wants));
}

/* A key whose name means nothing for the value of the key that decides. */
static enum status idle_key(const struct config_tree *tree, const struct key *key,
                            const config_setting_t *setting, const struct settings *settings,
                            struct error *error)
{
    const struct key *decider = key_decider(key);
    char path[64], choices[256];
    return tree_fault(
        tree, setting, error, "%s is for %s %s, not \"%s\"", key_path(key, path, sizeof path),
        decider->name,
        choices_text(decider->choices, key_name_only_for(key), choices, sizeof choices),
        decider->choices[key_choice(decider, settings)]);
}

static enum status key_read(const struct config_tree *tree, const struct key *key,
                            struct settings *settings, struct error *error)
{
    const config_setting_t *setting = setting_of(tree, key);
    if (!key_applies(key, settings)) {
        unsigned choice = key_choice(key_decider(key), settings);
        bool idle = !(key_name_only_for(key) >> choice & 1);
        return setting && idle ? idle_key(tree, key, setting, settings, error) : STATUS_OK;
    }
    if (!setting && key->optional)
        return STATUS_OK;
    if (!setting && key->opens_group && !group_of(tree, key))
        return STATUS_OK;
    if (!setting)
        return key->standard ? value_default(key, settings, error)
                             : missing_key(tree, key, settings, error);
    if (key->type == KEY_KERNELS)
        return kernels_read(tree, setting, settings, error);
    if (key->type == KEY_VARY)
        return kernels_vary(tree, setting, settings, error);
    return value_read(tree, key, setting, settings, error);
}

static enum status read_keys(const struct config_tree *tree, struct settings *settings,
                             struct error *error)
{
    enum status status = check_members(tree, config_root_setting(&tree->config), "", error);
    for (const struct key *key = settings_keys; key->name && status == STATUS_OK; key++)
        status = key_read(tree, key, settings, error);
    settings->solver.method = method_find(method_names[settings->method]);
    char path[64];
    for (const struct key *key = settings_keys; key->name && status == STATUS_OK; key++) {
        const char *complaint =
            key->complaint && key_applies(key, settings) ? key->complaint(settings) : NULL;
        if (complaint)
            status = tree_fault(tree, setting_of(tree, key), error, "%s: %s",
                                key_path(key, path, sizeof path), complaint);
    }
    return status;
}

enum status settings_read(const char *path, const struct settings_override *overrides,
                          int overrides_count, struct settings *settings, struct error *error)
{
    memset(settings, 0, sizeof *settings);
    struct config_tree tree;
    enum status status = tree_read(path, overrides, overrides_count, &tree, error);
    if (status != STATUS_OK)
        return status;
    status = read_keys(&tree, settings, error);
    tree_free(&tree);
    if (status != STATUS_OK)
        settings_free(settings);
    return status;
}

void settings_free(struct settings *settings)
{
    for (const struct key *key = settings_keys; key->name; key++)
        if (key->type == KEY_TEXT) {
            char *text;
            memcpy(&text, key_place(key, settings), sizeof text);
            memory_free(text);
        }
    kernels_free(settings->kernels, settings->kernels_count);
    memset(settings, 0, sizeof *settings);
}
