#include "program/config/settings.h"

#include "base/suggest.h"
#include "base/text.h"
#include "program/config/kernels.h"
#include "program/config/keys.h"
#include "program/config/plugins.h"

#include <string.h>

const char *const reorder_names[] = {
    [REORDER_NONE] = "none", [REORDER_RCM] = "rcm", [REORDER_METIS] = "metis", NULL};

const char *const comparison_modes[] = {[COMPARISON_BITWISE] = "bitwise",
                                        [COMPARISON_ULPS] = "ulps",
                                        [COMPARISON_RELATIVE] = "relative",
                                        NULL};

const char *const solution_formats[] = {[SOLUTION_NONE] = "none",
                                        [SOLUTION_NPY] = "npy",
                                        [SOLUTION_MTX] = "mtx",
                                        [SOLUTION_TXT] = "txt",
                                        NULL};
const char *const solution_ofs[] = {[SOLUTION_OF_FIRST] = "first", [SOLUTION_OF_ALL] = "all", NULL};

const char *const trace_keeps[] = {[TRACE_HASH] = "hash", [TRACE_VALUES] = "values", NULL};

const char *reorder_name(enum reorder reorder)
{
    return reorder_names[reorder];
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

/* The error for an unknown member of a group (NULL: of the top level). */
static enum status unknown_key(const struct config_tree *tree, const config_setting_t *member,
                               const char *group, struct error *error)
{
    const char *name = config_setting_name(member);
    struct suggestion suggestion;
    suggest_start(&suggestion, name);
    char elsewhere[64] = "", shown[64];
    for (struct key_name at = {0}; key_name_next(&at);) {
        const char *of = at.key->group;
        if (!strcmp(of, group))
            suggest_offer(&suggestion, at.name);
        else if (!*elsewhere && !strcmp(at.name, name))
            snprintf(elsewhere, sizeof elsewhere, "%s%s%s", of, *of ? "." : "", name);
        if (lies_in(of, group) && at.key == key_first(at.key))
            suggest_offer(&suggestion, group_name(of));
    }
    if (!suggestion.best && *elsewhere)
        suggestion.best = elsewhere;
    return tree_fault(tree, member, error, "unknown key '%s%s%s'%s", group, *group ? "." : "",
                      shown_text(name, shown, sizeof shown), suggest_text(&suggestion));
}

/* Whether that member or nested group is known in the group. */
static bool is_known(const struct key_name *known, const char *group, const char *name)
{
    const char *of = known->key->group;
    return (!strcmp(of, group) && !strcmp(known->name, name)) ||
           (lies_in(of, group) && !strcmp(group_name(of), name));
}

/* Every member of a group, or of the top level (group ""), is a key or a group that the table
 * knows. */
static enum status check_members(const struct config_tree *tree, const config_setting_t *setting,
                                 const char *group, struct error *error)
{
    for (int k = 0; k < config_setting_length(setting); k++) {
        const config_setting_t *member = config_setting_get_elem(setting, (unsigned)k);
        const char *name = config_setting_name(member);
        struct key_name at = {0};
        while (key_name_next(&at) && !is_known(&at, group, name))
            ;
        if (!at.name)
            return unknown_key(tree, member, group, error);
        const char *inner = at.key->group;
        if (!strcmp(inner, group))
            continue;
        char given[128];
        if (!config_setting_is_group(member))
            return tree_fault(tree, member, error, "%s wants a group { ... }, not %s", inner,
                              setting_shown(member, given, sizeof given));
        enum status status = check_members(tree, member, inner, error);
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

/* The member of that name in the key's group, or NULL. */
static const config_setting_t *member_of(const struct config_tree *tree, const struct key *key,
                                         const char *name)
{
    const config_setting_t *group = group_of(tree, key);
    return group ? config_setting_get_member(group, name) : NULL;
}

/* The key's setting in the tree, or NULL. */
static const config_setting_t *setting_of(const struct config_tree *tree, const struct key *key)
{
    return member_of(tree, key, key->parameter.name);
}

/* The error for a missing key, required if `decider` has the value `choice`; NULL: always. */
static enum status missing_key(const struct config_tree *tree, const struct key *key,
                               const char *decider, const char *choice, struct error *error)
{
    char path[64], wants[512], given[64] = "";
    if (decider)
        snprintf(given, sizeof given, " for %s \"%s\"", decider, choice);
    const config_setting_t *group = group_of(tree, key);
    if (!group)
        return tree_fault(tree, NULL, error, "the group '%s' is missing", key->group);
    return tree_fault(tree, group, error, "%s is missing%s: it wants %s",
                      key_path(key, path, sizeof path), given, key_wants(key, wants, sizeof wants));
}

/* The error for a member `name` of the key's group that is invalid for the value of `decider`. */
static enum status idle_key(const struct config_tree *tree, const struct key *key, const char *name,
                            const struct parameter *decider, uint64_t only_for, const char *choice,
                            struct error *error)
{
    const char *names[CHOICES_MAX + 1];
    char choices[512];
    choices_text(parameter_choices(decider, names), only_for, choices, sizeof choices);
    return tree_fault(tree, member_of(tree, key, name), error, "%s.%s is for %s %s, not \"%s\"",
                      key->group, name, decider->name, choices, choice);
}

/* Of the group of a key that names a component: what that one has no parameter for, though another
 * component has. */
static enum status check_idle(const struct config_tree *tree, const struct key *key,
                              const struct options *options, struct error *error)
{
    const config_setting_t *group = group_of(tree, key);
    unsigned place = parameter_bits(&key->parameter, options);
    for (int k = 0; group && k < config_setting_length(group); k++) {
        const char *name = config_setting_name(config_setting_get_elem(group, (unsigned)k));
        uint64_t takers = components_that_take(key->parameter.kind, name);
        if (takers && !(takers >> place & 1))
            return idle_key(tree, key, name, &key->parameter, takers, options->component->name,
                            error);
    }
    return STATUS_OK;
}

/* Reads the options of the key's component, which has its defaults. */
static enum status component_read(const struct config_tree *tree, const struct key *key,
                                  struct options *options, struct error *error)
{
    const struct component *component = options->component;
    enum status status = check_idle(tree, key, options, error);
    size_t offset;
    char path[64];
    const struct parameter *parameter;
    for (int k = 0; !status && (parameter = component_parameter(component, k, &offset)); k++) {
        struct key made = {key->group, .parameter = *parameter};
        void *place = (char *)options->values + offset;
        const config_setting_t *setting = setting_of(tree, &made);
        if (setting)
            status = setting_take(tree, setting, parameter, key_path(&made, path, sizeof path),
                                  place, error);
        else if (parameter_is_missing(parameter, place))
            status = missing_key(tree, &made, key->parameter.name, component->name, error);
    }
    return status;
}

static enum status key_read(const struct config_tree *tree, const struct key *key,
                            struct settings *settings, struct error *error)
{
    const struct parameter *parameter = &key->parameter, *decider = &key_decider(key)->parameter;
    const config_setting_t *setting = setting_of(tree, key);
    const char *choice = NULL;
    if (key->list == KEY_PLUGINS) /* they are there */
        return STATUS_OK;
    if (key_only_for(key))
        choice = parameter_value(decider, key_value(key_decider(key), settings), 0).text;
    if (!key_applies(key, settings)) {
        unsigned only_for = key_name_only_for(key);
        bool idle = !(only_for >> key_decision(key, settings) & 1);
        if (idle && setting)
            return idle_key(tree, key, parameter->name, decider, only_for, choice, error);
        if (!idle || !key_is_component(key)) /* the default has no parameters beside it */
            return STATUS_OK;
    }
    if (!setting && (parameter->optional || (key->opens_group && !group_of(tree, key)) ||
                     key->list == KEY_VARY))
        return STATUS_OK;
    if (!setting && !parameter->default_value)
        return missing_key(tree, key, choice ? decider->name : NULL, choice, error);
    if (key->list == KEY_KERNELS)
        return kernels_read(tree, setting, settings->solver.reductions, &settings->study, error);
    if (key->list == KEY_VARY)
        return kernels_vary(tree, setting, &settings->study, error);
    char path[64];
    void *place = key_place(key, settings);
    enum status status = setting ? setting_take(tree, setting, parameter,
                                                key_path(key, path, sizeof path), place, error)
                                 : parameter_default(parameter, place, error);
    return !status && key_is_component(key) ? component_read(tree, key, place, error) : status;
}

/* What is wrong with values that are in their ranges. */
static enum status check_together(const struct config_tree *tree, const struct key *key,
                                  const struct settings *settings, struct error *error)
{
    const char *name = key->parameter.name, *complaint = NULL;
    if (key->complaint)
        complaint = key->complaint(settings);
    if (key_is_component(key)) {
        const struct options *options = key_value(key, settings);
        if (options->component->check)
            complaint = options->component->check(options->values, &name);
    }
    return complaint ? tree_fault(tree, member_of(tree, key, name), error, "%s%s%s: %s", key->group,
                                  *key->group ? "." : "", name, complaint)
                     : STATUS_OK;
}

static enum status read_keys(const struct config_tree *tree, struct settings *settings,
                             struct error *error)
{
    enum status status = plugins_read(tree, error);
    if (!status)
        status = check_members(tree, config_root_setting(&tree->config), "", error);
    for (const struct key *key = settings_keys; key->group && status == STATUS_OK; key++)
        status = key_read(tree, key, settings, error);
    settings->solver.options.method = (const struct method *)settings->solver.method.component;
    for (const struct key *key = settings_keys; key->group && status == STATUS_OK; key++)
        if (key_applies(key, settings))
            status = check_together(tree, key, settings, error);
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

bool settings_use_cuda(const struct study_settings *study)
{
    bool any = false;
    for (int k = 0; k < study->kernels_count; k++)
        any = any || study->kernels[k].kernel->space == SPACE_CUDA;
    return any;
}

int settings_devices(const struct study_settings *study, const struct kernel *kernel)
{
    int count = 1;
    while (count < DEVICES_MAX && study->devices[count] >= 0)
        count++;
    return kernel->space == SPACE_CUDA ? count : 1;
}

int settings_devices_most(const struct study_settings *study)
{
    int most = 1;
    for (int k = 0; k < study->kernels_count; k++) {
        int count = settings_devices(study, study->kernels[k].kernel);
        most = count > most ? count : most;
    }
    return most;
}

void settings_free(struct settings *settings)
{
    for (const struct key *key = settings_keys; key->group; key++)
        parameter_free(&key->parameter, key_place(key, settings));
    kernels_free(settings->study.kernels, settings->study.kernels_count);
    memset(settings, 0, sizeof *settings);
}
