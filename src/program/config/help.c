#include "program/config/help.h"

#include "cgsolve/kernel.h"
#include "io/text_fold.h"
#include "program/config/keys.h"

#include <string.h>

/* The last name of the path of a group, or of a key at the top level. */
static const char *topic_of(const struct key *key)
{
    const char *dot = strrchr(key->group, '.');
    return dot ? dot + 1 : *key->group ? key->group : key->name;
}

/* Whether the topic is the key, its group or one that this lies in, or "all". */
static bool belongs_to(const struct key *key, const char *topic)
{
    char path[64];
    size_t length = strlen(topic);
    bool in_group = !strncmp(key->group, topic, length) &&
                    (key->group[length] == '.' || !key->group[length]) && length > 0;
    return in_group || !strcmp(topic, "all") || !strcmp(topic, topic_of(key)) ||
           !strcmp(topic, key->name) || !strcmp(topic, key_path(key, path, sizeof path));
}

/* For which values of the first key of its group it is; 0: for all, or for a method. */
static unsigned types_of(const struct key *key)
{
    return key->only_for;
}

/* "cg: conjugate gradients, ...; minres: ..." */
static const char *methods_text(char *text, size_t size)
{
    int count, length = 0;
    const struct method *const *methods = method_list(&count);
    for (int k = 0; k < count && length < (int)size; k++)
        length += snprintf(text + length, size - (size_t)length, "%s%s: %s", k > 0 ? "; " : "",
                           methods[k]->name, methods[k]->summary);
    return text;
}

static void print_key(const struct key *key, FILE *file)
{
    char path[64], wants[320], methods[256], line[1024];
    snprintf(line, sizeof line, "%s: %s%s%s%s%s", key_path(key, path, sizeof path),
             key_wants(key, wants, sizeof wants),
             key->standard      ? "; default "
             : key->optional    ? "; may be left out"
             : key->opens_group ? "; must be given with the group"
                                : "; must be given",
             key->standard ? key->standard : "", key->for_methods ? "; for method " : "",
             key->for_methods
                 ? choices_text(method_names, key_only_for(key), methods, sizeof methods)
                 : "");
    fputs("  ", file);
    text_fold(line, 2, 2, file);
    fputs("      ", file);
    text_fold(key->meaning ? key->meaning : methods_text(line, sizeof line), 6, 6, file);
}

/* What stands above keys that are for some types alone: `With problem.type = "fe_sheet" or
 * "fe_cube":`. */
static void print_types(const struct key *key, FILE *file)
{
    const struct key *decider = key_decider(key);
    char path[64], types[256], line[384];
    fputc('\n', file);
    if (types_of(key) == 0)
        return;
    snprintf(line, sizeof line, "With %s = %s:", key_path(decider, path, sizeof path),
             choices_text(decider->choices, types_of(key), types, sizeof types));
    text_fold(line, 0, 2, file);
}

static bool is_first_of_types(const struct key *key)
{
    for (const struct key *earlier = key_first(key); earlier < key; earlier++)
        if (types_of(earlier) == types_of(key))
            return false;
    return true;
}

/* Of one group those that are for the same types as the first; begun: others stand above them. */
static bool print_alike(const struct key *first, const char *topic, bool begun, FILE *file)
{
    bool found = false;
    for (const struct key *key = first; key->name && !strcmp(key->group, first->group); key++) {
        if (types_of(key) != types_of(first) || !belongs_to(key, topic))
            continue;
        if (!begun && !found)
            fputs("Keys of a config, GROUP.KEY standing for GROUP = { KEY = ...; }:\n", file);
        if (!found)
            print_types(key, file);
        print_key(key, file);
        found = true;
    }
    return found;
}

static bool print_keys(const char *topic, FILE *file)
{
    bool found = false;
    for (const struct key *key = settings_keys; key->name; key++)
        if (is_first_of_types(key))
            found = print_alike(key, topic, found, file) || found;
    return found;
}

static void print_parameter(const struct kernel *kernel, const struct kernel_parameter *parameter,
                            FILE *file)
{
    char wants[128], line[512], standard[64];
    if (parameter->choices)
        choices_text(parameter->choices, 0, wants, sizeof wants);
    else
        whole_wants(parameter->minimum, parameter->maximum, wants, sizeof wants);
    snprintf(line, sizeof line, "%s: %s: %s; default %s", kernel->name, parameter->name, wants,
             kernel_parameter_text(parameter, parameter->standard, standard, sizeof standard));
    fputs("  ", file);
    text_fold(line, 2, 2, file);
    fputs("      ", file);
    text_fold(parameter->meaning, 6, 6, file);
}

static void print_parameters(const struct kernel *kernel, FILE *file)
{
    int count = kernel_parameter_count(kernel);
    fputs(count > 0 ? "\n" : "", file);
    for (int p = 0; p < count; p++)
        print_parameter(kernel, &kernel->parameters[p], file);
}

/* Of one kernel what it does too. */
static void print_kernel(const struct kernel *kernel, FILE *file)
{
    const char *reason = kernel_unavailable(kernel);
    if (kernel->setup) {
        fprintf(file, "%s: ", kernel->name);
        text_fold(kernel->summary, (int)strlen(kernel->name) + 2, 6, file);
    }
    if (reason)
        fprintf(file, "%s: not available here: %s\n", kernel->name, reason);
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
    for (const struct key *key = settings_keys; key->name; key++)
        if ((key == key_first(key) || !*key->group) && length < (int)sizeof topics)
            length += snprintf(topics + length, sizeof topics - (size_t)length, "%s%s",
                               length ? ", " : "", topic_of(key));
    fputs("  ", file);
    text_fold(topics, 2, 2, file);
}

void settings_offer_topics(struct near *near)
{
    for (const struct key *key = settings_keys; key->name; key++) {
        near_offer(near, topic_of(key));
        near_offer(near, key->name);
    }
    near_offer(near, "all");
}
