/* settings.cfg, from the table of keys. */
#include "base/hash.h"
#include "program/config/keys.h"
#include "program/config/plugins.h"
#include "program/config/settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void settings_write_text(const char *text, size_t length, FILE *file)
{
    fputc('"', file);
    for (const char *end = text + length; text < end; text++)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if (*text == '\n')
            fputs("\\n", file);
        else if (iscntrl((unsigned char)*text))
            fprintf(file, "\\x%02x", (unsigned char)*text);
        else
            fputc(*text, file);
    fputc('"', file);
}

static void write_text(const char *text, FILE *file)
{
    settings_write_text(text, strlen(text), file);
}

/* libconfig cuts a larger number without the suffix to 32 bits: this file can be read without us.
 */
static void write_whole(int64_t value, FILE *file)
{
    fprintf(file, "%" PRId64 "%s", value, value > INT32_MAX || value < INT32_MIN ? "L" : "");
}

/* A list stands in ( ) and not in [ ], which libconfig wants to be of one type: L-suffixed and
 * plain numbers are two. */
static void write_value(const struct parameter *parameter, const void *place, FILE *file)
{
    char text[40];
    bool list = parameter_is_list(parameter);
    fputs(list ? "(" : "", file);
    for (int k = 0; k < parameter_length(parameter, place); k++) {
        struct value value = parameter_value(parameter, place, k);
        fputs(k ? ", " : "", file);
        if (value.type == VALUE_STRING)
            write_text(value.text, file);
        else if (value.type == VALUE_INTEGER)
            write_whole(value.integer, file);
        else
            fputs(value_shown(&value, text, sizeof text), file);
    }
    fputs(list ? ")" : "", file);
}

void settings_write_kernels(const struct kernel_settings *kernels, int count, FILE *file)
{
    fputs("kernels = (", file);
    for (int k = 0; k < count; k++) {
        const struct kernel_settings *made = &kernels[k];
        fprintf(file, "%s\n    { name = ", k ? "," : "");
        write_text(made->kernel->component.name, file);
        fputs("; label = ", file);
        write_text(made->label, file);
        if (made->has_reductions) {
            fputs("; reductions = ", file);
            write_text(reductions_name(made->reductions), file);
        }
        if (made->threads > 0) {
            fputs("; threads = ", file);
            write_whole(made->threads, file);
        }
        for (int p = 0; p < kernel_parameter_count(made->kernel); p++) {
            const struct parameter *parameter = &made->kernel->component.parameters[p];
            fprintf(file, "; %s = ", parameter->name);
            write_value(parameter, &made->options.values[p], file);
        }
        fputs("; }", file);
    }
    fputs("\n);\n", file);
}

static void write_member(int depth, const struct parameter *parameter, const void *place,
                         FILE *file)
{
    if (parameter_is_left_out(parameter, place))
        return;
    fprintf(file, "%*s%s = ", 4 * depth, "", parameter->name);
    write_value(parameter, place, file);
    fputs(";\n", file);
}

static void write_options(int depth, const struct options *options, FILE *file)
{
    size_t offset;
    const struct parameter *parameter;
    for (int k = 0; (parameter = component_parameter(options->component, k, &offset)); k++)
        write_member(depth, parameter, (const char *)options->values + offset, file);
}

/* How many groups a path names. */
static int depth_of(const char *group)
{
    int depth = *group ? 1 : 0;
    for (; *group; group++)
        depth += *group == '.';
    return depth;
}

/* End the groups of the path `open` that `group` does not lie in, and begin those of `group` that
 * are not open. */
static void change_group(const char *open, const char *group, FILE *file)
{
    size_t shared = 0; /* characters of both, whole names */
    int depth = depth_of(open), kept = 0;
    for (size_t k = 0;; k++) {
        bool ends = !open[k] || open[k] == '.', other_ends = !group[k] || group[k] == '.';
        if (k > 0 && ends && other_ends) {
            shared = k;
            kept++;
        }
        if (!open[k] || open[k] != group[k])
            break;
    }
    for (; depth > kept; depth--)
        fprintf(file, "%*s};\n", 4 * (depth - 1), "");
    for (const char *name = group + shared; *name;) {
        name += *name == '.';
        int length = (int)strcspn(name, ".");
        fprintf(file, "%*s%.*s = {\n", 4 * depth++, "", length, name);
        name += length;
    }
}

void settings_write(const struct settings *settings, FILE *file)
{
    const char *open = ""; /* the group that has begun */
    for (const struct key *key = settings_keys; key->group; key++) {
        const void *value = key_value(key, settings);
        if (!key_group_is_given(key, settings) || key->list == KEY_VARY ||
            !key_applies(key, settings) || parameter_is_left_out(&key->parameter, value))
            continue;
        if (strcmp(key->group, open) != 0)
            change_group(open, key->group, file);
        open = key->group;
        if (key->list == KEY_PLUGINS)
            plugins_write(file);
        else if (key->list == KEY_KERNELS)
            settings_write_kernels(settings->study.kernels, settings->study.kernels_count, file);
        else
            write_member(depth_of(open), &key->parameter, value, file);
        if (key_is_component(key))
            write_options(depth_of(open), value, file);
    }
    change_group(open, "", file);
}

char *settings_text(const struct settings *settings)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return NULL;
    settings_write(settings, stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

uint64_t settings_hash(const struct settings *settings, int count)
{
    uint64_t hash = HASH_START;
    for (int k = 0; k < count; k++) {
        char *text = settings_text(&settings[k]);
        if (!text)
            return 0;
        hash = hash_text(hash, text);
        free(text);
    }
    return hash;
}
