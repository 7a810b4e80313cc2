/* settings.cfg, from the table of keys. */
#include "program/config/keys.h"
#include "program/config/settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* A text with its quotes, control characters escaped. */
static void write_text(const char *text, FILE *file)
{
    fputc('"', file);
    for (; *text; text++)
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

/* libconfig cuts a larger number without the suffix to 32 bits: this file can be read without us.
 */
static void write_whole(int64_t value, FILE *file)
{
    fprintf(file, "%" PRId64 "%s", value, value > INT32_MAX || value < INT32_MIN ? "L" : "");
}

static void write_kernels(const struct kernel_settings *kernels, int count, FILE *file)
{
    fputs("(", file);
    for (int k = 0; k < count; k++) {
        const struct kernel_settings *made = &kernels[k];
        fprintf(file, "%s\n    { name = ", k ? "," : "");
        write_text(made->kernel->name, file);
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
            const struct kernel_parameter *parameter = &made->kernel->parameters[p];
            fprintf(file, "; %s = ", parameter->name);
            if (parameter->choices)
                write_text(parameter->choices[made->options.values[p]], file);
            else
                write_whole(made->options.values[p], file);
        }
        fputs("; }", file);
    }
    fputs("\n)", file);
}

void settings_write_kernels(const struct kernel_settings *kernels, int count, FILE *file)
{
    fputs("kernels = ", file);
    write_kernels(kernels, count, file);
    fputs(";\n", file);
}

static void write_choices(const struct key *key, unsigned bits, FILE *file)
{
    const char *before = "(";
    for (unsigned k = 0; key->choices[k]; k++)
        if (bits >> k & 1) {
            fputs(before, file);
            write_text(key->choices[k], file);
            before = ", ";
        }
    fputs(")", file);
}

static void write_value(const struct key *key, const struct settings *settings, FILE *file)
{
    const void *value = key_value(key, settings);
    char text[40];
    char *pointer;
    switch (key->type) {
    case KEY_TEXT:
        memcpy(&pointer, value, sizeof pointer);
        write_text(pointer, file);
        return;
    case KEY_CHOICE:
        write_text(key->choices[key_choice(key, settings)], file);
        return;
    case KEY_CHOICES:
        write_choices(key, key_choice(key, settings), file);
        return;
    case KEY_SWITCH:
        fputs(key_choice(key, settings) == SWITCH_ON ? "true" : "false", file);
        return;
    case KEY_KERNELS:
        write_kernels(settings->kernels, settings->kernels_count, file);
        return;
    default:
        break;
    }
    /* ( ) and not [ ], which libconfig wants to be of one type: L-suffixed and plain ones are two
     */
    fputs(key->count ? "(" : "", file);
    for (int k = 0; k < (key->count ? key->count : 1); k++) {
        fputs(k ? ", " : "", file);
        if (key->type == KEY_WHOLE)
            write_whole(((const int64_t *)value)[k], file);
        else
            fputs(real_text(((const double *)value)[k], text, sizeof text), file);
    }
    fputs(key->count ? ")" : "", file);
}

/* Whether the key was left out and means something by that. */
static bool is_left_out(const struct key *key, const struct settings *settings)
{
    char *text = NULL;
    if (key->type == KEY_TEXT)
        memcpy(&text, key_value(key, settings), sizeof text);
    if (key->type == KEY_REAL)
        return key->optional && !(*(const double *)key_value(key, settings) > 0);
    return key->optional ? !text
                         : key->type == KEY_SWITCH && key_choice(key, settings) == SWITCH_UNSET;
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
    for (const struct key *key = settings_keys; key->name; key++) {
        if (!key_group_is_given(key, settings) || key->type == KEY_VARY ||
            !key_applies(key, settings) || is_left_out(key, settings))
            continue;
        if (strcmp(key->group, open) != 0)
            change_group(open, key->group, file);
        open = key->group;
        fprintf(file, "%*s%s = ", 4 * depth_of(open), "", key->name);
        write_value(key, settings, file);
        fputs(";\n", file);
    }
    change_group(open, "", file);
}
