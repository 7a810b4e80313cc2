/* vary = { threads = [1, 2]; reductions = ["reproducible", "exact"]; form = ["blocks", "general"];
 * };
 *
 * Every entry of the list of kernels is replaced by its product with the lists: one entry for each
 * combination of their values, the last list varying fastest. A list is named `threads`,
 * `reductions`, or as a parameter of a kernel. It leaves an entry as it is that cannot take it (a
 * kernel without that parameter; threads, for a kernel on a device) and one whose own group sets
 * it. The label of a combination is that of the entry and, for each list, " NAME=VALUE": "bitwise
 * threads=2 reductions=exact".
 *
 * So later code sees only a list of kernels, and settings.cfg has the product. */
#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "program/config/kernels.h"

#include <inttypes.h>
#include <string.h>

enum { PRODUCT_MAX = 10000 };

/* Whether the option means something for the kernel. */
static bool kernel_takes(const struct kernel *kernel, const char *name)
{
    if (!strcmp(name, "reductions"))
        return true;
    if (!strcmp(name, "threads"))
        return kernel->space == SPACE_CPU;
    return kernel_parameter_place(kernel, name) >= 0;
}

/* The value that the entry has for the option, as a config writes it, without quotes. */
static const char *option_text(const struct kernel_settings *entry, const char *name, char *text,
                               size_t size)
{
    if (!strcmp(name, "reductions"))
        return reductions_name(entry->reductions);
    if (!strcmp(name, "threads")) {
        snprintf(text, size, "%" PRId64, entry->threads);
        return text;
    }
    int place = kernel_parameter_place(entry->kernel, name);
    return parameter_text(&entry->kernel->component.parameters[place],
                          &entry->options.values[place], text, (int)size);
}

/* --- the lists -------------------------------------------------------------------------------- */

/* A list whose name no kernel knows. One that this build lacks may know it. */
static enum status check_is_taken(const struct config_tree *tree, const config_setting_t *list,
                                  const struct study_settings *study, struct error *error)
{
    const char *name = config_setting_name(list);
    struct suggestion suggestion;
    suggest_start(&suggestion, name);
    suggest_offer(&suggestion, "reductions");
    suggest_offer(&suggestion, "threads");
    for (int k = 0; k < study->kernels_count; k++) {
        const struct kernel *kernel = study->kernels[k].kernel;
        if (kernel_takes(kernel, name) || !kernel->setup)
            return STATUS_OK;
        for (int p = 0; p < kernel_parameter_count(kernel); p++)
            suggest_offer(&suggestion, kernel->component.parameters[p].name);
    }
    char shown[64];
    return tree_fault(tree, list, error, "vary.%s: none of the kernels takes it%s",
                      shown_text(name, shown, sizeof shown), suggest_text(&suggestion));
}

static enum status check_list(const struct config_tree *tree, const config_setting_t *list,
                              const struct study_settings *study, struct error *error)
{
    char given[128], shown[64];
    bool is_list = config_setting_is_list(list) || config_setting_is_array(list);
    if (!is_list || config_setting_length(list) == 0)
        return tree_fault(tree, list, error, "vary.%s wants a list [ VALUE, ... ], not %s",
                          shown_text(config_setting_name(list), shown, sizeof shown),
                          is_list ? "an empty one" : setting_shown(list, given, sizeof given));
    return check_is_taken(tree, list, study, error);
}

/* --- the product ------------------------------------------------------------------------------ */

/* The entries that one entry of the config becomes. */
struct product {
    const struct config_tree *tree;
    const config_setting_t *vary;
    const config_setting_t *group; /* of the entry in the config, or its name alone */
    struct kernel_settings *entries;
    int64_t count, capacity;
};

static enum status append(struct product *product, const struct kernel_settings *entry,
                          const char *label, struct error *error)
{
    if (product->count == PRODUCT_MAX)
        return tree_fault(product->tree, product->vary, error, "vary makes more than %d kernels",
                          PRODUCT_MAX);
    enum status status = memory_grow((void **)&product->entries, &product->capacity,
                                     product->count + 1, sizeof *entry, "the kernels", error);
    if (status)
        return status;
    struct kernel_settings *made = &product->entries[product->count];
    *made = *entry;
    product->count++;
    return kernel_name(made, label, entry->place, error);
}

/* Whether the entry's own group sets the option. */
static bool is_set(const config_setting_t *group, const char *name)
{
    return config_setting_is_group(group) && config_setting_get_member(group, name);
}

/* The product of the entry with the lists from `at` on. */
static enum status expand(struct product *product, int at, const struct kernel_settings *entry,
                          const char *label, struct error *error)
{
    if (at == config_setting_length(product->vary))
        return append(product, entry, label, error);
    const config_setting_t *list = config_setting_get_elem(product->vary, (unsigned)at);
    const char *name = config_setting_name(list);
    if (!kernel_takes(entry->kernel, name) || is_set(product->group, name))
        return expand(product, at + 1, entry, label, error);
    enum status status = STATUS_OK;
    for (int v = 0; v < config_setting_length(list) && !status; v++) {
        struct kernel_settings made = *entry;
        const config_setting_t *value = config_setting_get_elem(list, (unsigned)v);
        status = kernel_option_read(product->tree, value, name, &made, error);
        if (status)
            return status;
        char longer[LABEL_MOST + 1], text[64];
        int length = snprintf(longer, sizeof longer, "%s %s=%s", label, name,
                              option_text(&made, name, text, sizeof text));
        if (length > LABEL_MOST)
            return tree_fault(product->tree, list, error, "vary makes a label longer than %d bytes",
                              LABEL_MOST);
        status = expand(product, at + 1, &made, longer, error);
    }
    return status;
}

/* A value that stands twice in a list, or a label that looks like another's combination. */
static enum status check_labels(const struct product *product, struct error *error)
{
    char shown[64];
    for (int64_t a = 0; a < product->count; a++)
        for (int64_t b = 0; b < a; b++)
            if (!strcmp(product->entries[a].label, product->entries[b].label))
                return tree_fault(product->tree, product->vary, error,
                                  "vary makes two kernels labelled '%s'",
                                  shown_text(product->entries[a].label, shown, sizeof shown));
    return STATUS_OK;
}

enum status kernels_vary(const struct config_tree *tree, const config_setting_t *setting,
                         struct study_settings *study, struct error *error)
{
    char given[128];
    if (!config_setting_is_group(setting))
        return tree_fault(tree, setting, error,
                          "vary wants a group { NAME = [ VALUE, ... ]; ... }, not %s",
                          setting_shown(setting, given, sizeof given));
    enum status status = STATUS_OK;
    for (int k = 0; k < config_setting_length(setting) && !status; k++)
        status = check_list(tree, config_setting_get_elem(setting, (unsigned)k), study, error);
    struct product product = {.tree = tree, .vary = setting};
    const config_setting_t *list =
        config_setting_get_member(config_root_setting(&tree->config), "kernels");
    for (int k = 0; k < study->kernels_count && !status; k++) {
        product.group = config_setting_get_elem(list, (unsigned)k);
        status = expand(&product, 0, &study->kernels[k], study->kernels[k].label, error);
    }
    if (!status)
        status = check_labels(&product, error);
    if (status) {
        kernels_free(product.entries, (int)product.count);
        return status;
    }
    kernels_free(study->kernels, study->kernels_count);
    study->kernels = product.entries;
    study->kernels_count = (int)product.count;
    return STATUS_OK;
}
