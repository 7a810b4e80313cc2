#include "program/config/help.h"

#include "base/text.h"
#include "program/config/keys.h"
#include "spmv/kernel.h"

#include <string.h>

/* The last name of the path of a group, or of a key at the top level. */
static const char *topic_of(const struct key *key)
{
    const char *dot = strrchr(key->group, '.');
    return dot ? dot + 1 : *key->group ? key->group : key->parameter.name;
}

/* Whether the topic is the key, its group or an outer group, or "all". */
static bool belongs_to(const struct key *key, const char *topic)
{
    char path[64];
    size_t length = strlen(topic);
    bool in_group = !strncmp(key->group, topic, length) &&
                    (key->group[length] == '.' || !key->group[length]) && length > 0;
    return in_group || !strcmp(topic, "all") || !strcmp(topic, topic_of(key)) ||
           !strcmp(topic, key->parameter.name) || !strcmp(topic, key_path(key, path, sizeof path));
}

/* "grid2d: what it is", a line for each. */
static void print_components(enum component_kind kind, FILE *file)
{
    int count;
    const struct component *const *list = component_list(kind, &count);
    for (int k = 0; k < count; k++) {
        char line[256];
        snprintf(line, sizeof line, "%s: %s", list[k]->name, list[k]->summary);
        fputs("        ", file);
        text_fold(line, 8, 10, file);
    }
}

/* scripts/pages, which makes a manual page, recognises lines by their indent. */
static void print_entry(const char *line, const char *meaning, FILE *file)
{
    fputs("  ", file);
    text_fold(line, 2, 4, file);
    fputs("      ", file);
    text_fold(meaning, 6, 6, file);
}

static void print_key(const struct key *key, FILE *file)
{
    const struct parameter *parameter = &key->parameter;
    const char *names[CHOICES_MAX + 1];
    char path[64], wants[512], methods[256], line[1280];
    snprintf(line, sizeof line, "%s: %s%s%s%s%s", key_path(key, path, sizeof path),
             key_wants(key, wants, sizeof wants),
             parameter->default_value ? "; default "
             : parameter->optional    ? "; may be left out"
             : key->opens_group       ? "; must be given with the group"
                                      : "; must be given",
             parameter->default_value ? parameter->default_value : "",
             key->for_methods ? "; for method " : "",
             key->for_methods ? choices_text(parameter_choices(&key_decider(key)->parameter, names),
                                             key_only_for(key), methods, sizeof methods)
                              : "");
    print_entry(line, parameter->meaning, file);
    if (key_is_component(key) && key == key_first(key))
        print_components(parameter->kind, file);
}

/* The line above keys for only some values of another key: `With problem.type = "fe_sheet" or
 * "fe_cube":`. */
static void print_types(const struct key *first, uint64_t types, FILE *file)
{
    const char *names[CHOICES_MAX + 1];
    char path[64], texts[256], line[384];
    fputc('\n', file);
    if (types == 0)
        return;
    choices_text(parameter_choices(&first->parameter, names), types, texts, sizeof texts);
    snprintf(line, sizeof line, "With %s = %s:", key_path(first, path, sizeof path), texts);
    text_fold(line, 0, 4, file);
}

/* A line of the topic. begun: lines precede it; alike: for the same values. */
static void print_one(const struct key *key, const struct key *first, uint64_t types, bool begun,
                      bool alike, FILE *file)
{
    if (!begun)
        fputs("Keys of a config, GROUP.KEY standing for GROUP = { KEY = ...; }:\n", file);
    if (!alike)
        print_types(first, types, file);
    print_key(key, file);
}

static bool is_first_of_types(const struct key *key)
{
    for (const struct key *earlier = key_first(key); earlier < key; earlier++)
        if (earlier->only_for == key->only_for)
            return false;
    return true;
}

/* The keys of a group for the same types as the first; begun: others precede them. */
static bool print_alike(const struct key *first, const char *topic, bool begun, FILE *file)
{
    bool found = false;
    for (const struct key *key = first; key->group && !strcmp(key->group, first->group); key++) {
        if (key->only_for != first->only_for || !belongs_to(key, topic))
            continue;
        print_one(key, key_decider(key), first->only_for, begun || found, found, file);
        found = true;
    }
    return found;
}

/* The components of the list that share this parameter in a table. */
static uint64_t sharers(const struct component *const *list, int count,
                        const struct parameter *parameter)
{
    uint64_t bits = 0;
    size_t offset;
    const struct parameter *other;
    for (int c = 0; c < count; c++)
        for (int k = 0; (other = component_parameter(list[c], k, &offset)); k++)
            if (other == parameter)
                bits |= UINT64_C(1) << c;
    return bits;
}

/* The parameters of the components that the key chooses from; shared ones follow those of the last
 * sharing component. */
static bool print_options(const struct key *key, const char *topic, bool begun, FILE *file)
{
    int count;
    size_t offset;
    const struct component *const *list = component_list(key->parameter.kind, &count);
    const struct parameter *parameter;
    uint64_t shown = 0; /* the sharers of the line above */
    for (int c = 0; c < count; c++)
        for (int k = 0; (parameter = component_parameter(list[c], k, &offset)); k++) {
            struct key made = {key->group, .parameter = *parameter};
            uint64_t types = sharers(list, count, parameter);
            if (types >> c != 1 || !belongs_to(&made, topic))
                continue;
            print_one(&made, key, types, begun || shown, types == shown, file);
            shown = types;
        }
    return shown != 0;
}

static bool print_keys(const char *topic, FILE *file)
{
    bool found = false;
    for (const struct key *key = settings_keys; key->group; key++) {
        if (is_first_of_types(key))
            found = print_alike(key, topic, found, file) || found;
        bool last = !key[1].group || strcmp(key[1].group, key->group) != 0;
        if (last && key_is_component(key_first(key)))
            found = print_options(key_first(key), topic, found, file) || found;
    }
    return found;
}

static void print_parameters(const struct kernel *kernel, FILE *file)
{
    int count = kernel_parameter_count(kernel);
    fputs(count > 0 ? "\n" : "", file);
    for (int p = 0; p < count; p++) {
        const struct parameter *parameter = &kernel->component.parameters[p];
        char wants[256], line[512];
        snprintf(line, sizeof line, "%s: %s: %s; default %s", kernel->component.name,
                 parameter->name, parameter_wants(parameter, wants, sizeof wants),
                 parameter->default_value);
        print_entry(line, parameter->meaning, file);
    }
}

/* Of one kernel what it does too. */
static void print_kernel(const struct kernel *kernel, FILE *file)
{
    const char *reason = kernel_unavailable(kernel);
    if (kernel->setup) {
        fprintf(file, "%s: ", kernel->component.name);
        text_fold(kernel->component.summary, (int)strlen(kernel->component.name) + 2, 6, file);
    }
    if (reason)
        fprintf(file, "%s: not available here: %s\n", kernel->component.name, reason);
    print_parameters(kernel, file);
}

bool settings_print_help(const char *topic, FILE *file)
{
    bool found = print_keys(topic, file), every = !strcmp(topic, "all");
    const struct kernel *named = kernel_find(topic);
    if (named)
        print_kernel(named, file);
    if (every || !strcmp(topic, "kernels")) {
        int count;
        const struct kernel *const *kernels = kernel_list(&count);
        fputs("\nParameters of the kernels, in the kernel's group:\n", file);
        for (int k = 0; k < count; k++)
            print_parameters(kernels[k], file);
    }
    return found || named;
}

void settings_print_topics(FILE *file)
{
    char topics[512];
    int length = 0;
    for (const struct key *key = settings_keys; key->group; key++)
        if ((key == key_first(key) || !*key->group) && length < (int)sizeof topics)
            length += snprintf(topics + length, sizeof topics - (size_t)length, "%s%s",
                               length ? ", " : "", topic_of(key));
    fputs("  ", file);
    text_fold(topics, 2, 2, file);
}

void settings_offer_topics(struct suggestion *suggestion)
{
    for (struct key_name at = {0}; key_name_next(&at);) {
        suggest_offer(suggestion, topic_of(at.key));
        suggest_offer(suggestion, at.name);
    }
    suggest_offer(suggestion, "all");
}
