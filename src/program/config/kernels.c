#include "program/config/kernels.h"

#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "io/csv.h"

#include <string.h>

/* A text from the setting that must hold one. */
static enum status text_read(const struct config_tree *tree, const config_setting_t *setting,
                             const char *what, const char **text, struct error *error)
{
    char given[128];
    if (config_setting_type(setting) != CONFIG_TYPE_STRING)
        return tree_fault(tree, setting, error, "%s wants a string, not %s", what,
                          setting_shown(setting, given, sizeof given));
    *text = config_setting_get_string(setting);
    return STATUS_OK;
}

static enum status name_read(const struct config_tree *tree, const config_setting_t *setting,
                             const struct kernel **kernel, struct error *error)
{
    const char *name = NULL;
    enum status status = text_read(tree, setting, "the name of a kernel", &name, error);
    if (status != STATUS_OK)
        return status;
    *kernel = kernel_find(name);
    if (*kernel)
        return STATUS_OK;
    struct suggestion suggestion;
    suggest_start(&suggestion, name);
    int count;
    const struct kernel *const *list = kernel_list(&count);
    for (int k = 0; k < count; k++)
        suggest_offer(&suggestion, list[k]->component.name);
    char shown[64];
    return tree_fault(tree, setting, error, "unknown kernel \"%s\"%s",
                      shown_text(name, shown, sizeof shown), suggest_text(&suggestion));
}

/* Labels stand in CSV files without quotes, in summary.json, which is UTF-8, and in XML. */
static enum status label_read(const struct config_tree *tree, const config_setting_t *setting,
                              const char **label, struct error *error)
{
    enum status status = text_read(tree, setting, "the label of a kernel", label, error);
    if (status != STATUS_OK)
        return status;
    bool plain = text_is_clean(*label) && !strpbrk(*label, ",\"");
    char shown[64];
    shown_text(*label, shown, sizeof shown);
    if (!**label)
        return tree_fault(tree, setting, error, "the label of a kernel is empty");
    if (!plain)
        return tree_fault(tree, setting, error,
                          "the label '%s' must be UTF-8 without comma, quote or control character",
                          shown);
    if (strchr(CSV_FORMULA, **label))
        return tree_fault(
            tree, setting, error,
            "the label '%s' begins with '%c', which a spreadsheet takes for a formula", shown,
            **label);
    if (strlen(*label) > LABEL_MOST)
        return tree_fault(tree, setting, error, "the label '%s' is longer than %d bytes", shown,
                          LABEL_MOST);
    return STATUS_OK;
}

static enum status parameter_read(const struct config_tree *tree, const config_setting_t *setting,
                                  const char *name, struct kernel_settings *made,
                                  struct error *error)
{
    const struct kernel *kernel = made->kernel;
    if (!kernel->setup) /* this build lacks it, and does not know its parameters */
        return STATUS_OK;
    struct suggestion suggestion;
    suggest_start(&suggestion, name);
    int count = kernel_parameter_count(kernel);
    for (int k = 0; k < count; k++) {
        const struct parameter *parameter = &kernel->component.parameters[k];
        if (!strcmp(parameter->name, name)) {
            char path[128];
            snprintf(path, sizeof path, "%s of kernel \"%s\"", parameter->name,
                     kernel->component.name);
            return setting_take(tree, setting, parameter, path, &made->options.values[k], error);
        }
        suggest_offer(&suggestion, parameter->name);
    }
    suggest_offer(&suggestion, "name");
    suggest_offer(&suggestion, "label");
    suggest_offer(&suggestion, "reductions");
    suggest_offer(&suggestion, "threads");
    char shown[64];
    return tree_fault(tree, setting, error, "unknown key '%s' of kernel \"%s\"%s%s",
                      shown_text(name, shown, sizeof shown), kernel->component.name,
                      count == 0 ? ", which takes no parameters" : "", suggest_text(&suggestion));
}

enum status kernel_option_read(const struct config_tree *tree, const config_setting_t *setting,
                               const char *name, struct kernel_settings *made, struct error *error)
{
    static const struct parameter reductions = {
        .type = PARAMETER_CHOICE, .size = sizeof made->reductions, .choices = reductions_names};
    static const struct parameter threads = {
        .type = PARAMETER_INTEGER, .least = 1, .most = THREADS_MAX};
    if (!strcmp(name, "threads"))
        return setting_take(tree, setting, &threads, name, &made->threads, error);
    if (strcmp(name, "reductions") != 0)
        return parameter_read(tree, setting, name, made, error);
    made->has_reductions = true;
    return setting_take(tree, setting, &reductions, name, &made->reductions, error);
}

/* A group without a name; perhaps one of its keys was meant to be it. */
static enum status nameless(const struct config_tree *tree, const config_setting_t *setting,
                            struct error *error)
{
    struct suggestion suggestion;
    char shown[64];
    for (int k = 0; k < config_setting_length(setting); k++) {
        const config_setting_t *member = config_setting_get_elem(setting, (unsigned)k);
        suggest_start(&suggestion, config_setting_name(member));
        suggest_offer(&suggestion, "name");
        if (suggestion.best)
            return tree_fault(tree, member, error, "unknown key '%s' of a kernel%s",
                              shown_text(suggestion.word, shown, sizeof shown),
                              suggest_text(&suggestion));
    }
    return tree_fault(tree, setting, error, "the kernel's group has no name");
}

enum status kernel_name(struct kernel_settings *kernel, const char *label, const char *place,
                        struct error *error)
{
    kernel->label = memory_text(label, "the label of a kernel", error);
    kernel->place = kernel->label ? memory_text(place, "the place of a kernel", error) : NULL;
    return kernel->place ? STATUS_OK : STATUS_MEMORY;
}

enum status kernels_check(const struct study_settings *study, const struct csr *A,
                          struct error *error)
{
    for (int k = 0; k < study->kernels_count; k++) {
        struct error why;
        const struct kernel_settings *entry = &study->kernels[k];
        enum status status = kernel_check(entry->kernel, A, &entry->options, &why);
        if (status)
            return error_set(error, status, "%s: %s", entry->place, why.text);
    }
    return STATUS_OK;
}

/* One entry of the list: a name, or a group. */
static enum status kernel_read(const struct config_tree *tree, const config_setting_t *setting,
                               struct kernel_settings *made, struct error *error)
{
    const config_setting_t *name = setting, *label = NULL;
    char given[128];
    if (config_setting_is_group(setting)) {
        name = config_setting_get_member(setting, "name");
        label = config_setting_get_member(setting, "label");
        if (!name)
            return nameless(tree, setting, error);
    } else if (config_setting_type(setting) != CONFIG_TYPE_STRING) {
        return tree_fault(tree, setting, error,
                          "kernels wants names in quotes and groups { name = ...; }, not %s",
                          setting_shown(setting, given, sizeof given));
    }
    enum status status = name_read(tree, name, &made->kernel, error);
    if (status != STATUS_OK)
        return status;
    made->options = kernel_defaults(made->kernel);
    int members = config_setting_is_group(setting) ? config_setting_length(setting) : 0;
    for (int k = 0; k < members && status == STATUS_OK; k++) {
        const config_setting_t *member = config_setting_get_elem(setting, (unsigned)k);
        if (member != name && member != label)
            status = kernel_option_read(tree, member, config_setting_name(member), made, error);
    }
    const char *text = made->kernel->component.name;
    if (status == STATUS_OK && label)
        status = label_read(tree, label, &text, error);
    if (status != STATUS_OK)
        return status;
    struct error place;
    tree_fault(tree, setting, &place, "entry \"%s\"", text);
    return kernel_name(made, text, place.text, error);
}

/* The label of kernels[k] is not that of an earlier one. */
static enum status label_check_unique(const struct config_tree *tree, const config_setting_t *list,
                                      const struct kernel_settings *kernels, int k,
                                      struct error *error)
{
    char shown[64], where[32] = "";
    for (int other = 0; other < k; other++) {
        if (strcmp(kernels[other].label, kernels[k].label) != 0)
            continue;
        const struct source *source;
        int line = tree_line(tree, config_setting_get_elem(list, (unsigned)other), &source);
        if (line > 0)
            snprintf(where, sizeof where, ", first on line %d", line);
        return tree_fault(tree, config_setting_get_elem(list, (unsigned)k), error,
                          "two kernels are labelled '%s'%s: give each its own label",
                          shown_text(kernels[k].label, shown, sizeof shown), where);
    }
    return STATUS_OK;
}

enum status kernels_read(const struct config_tree *tree, const config_setting_t *setting,
                         enum reductions reductions, struct study_settings *study,
                         struct error *error)
{
    char given[128];
    if (!config_setting_is_list(setting))
        return tree_fault(tree, setting, error, "kernels wants a list ( \"NAME\", ... ), not %s",
                          setting_shown(setting, given, sizeof given));
    int count = config_setting_length(setting);
    if (count == 0)
        return tree_fault(tree, setting, error, "kernels is an empty list: name at least one");
    study->kernels = memory_zeros(count, sizeof *study->kernels, "the list of kernels", error);
    if (!study->kernels)
        return STATUS_MEMORY;
    study->kernels_count = count;
    enum status status = STATUS_OK;
    for (int k = 0; k < count && status == STATUS_OK; k++) {
        study->kernels[k].reductions = reductions;
        status = kernel_read(tree, config_setting_get_elem(setting, (unsigned)k),
                             &study->kernels[k], error);
        if (status == STATUS_OK)
            status = label_check_unique(tree, setting, study->kernels, k, error);
    }
    return status;
}

void kernels_free(struct kernel_settings *kernels, int count)
{
    for (int k = 0; k < count; k++) {
        memory_free(kernels[k].label);
        memory_free(kernels[k].place);
    }
    memory_free(kernels);
}
