#include "program/config/tree.h"

#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "io/unpack.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whoever gives the matrix itself as the config gets a message instead of a long wait. */
enum { CONFIG_BYTES_MAX = 256 << 10 };

enum status source_fault(const struct source *source, int line, struct error *error,
                         const char *format, ...)
{
    char message[640], name[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    shown_text(source->place ? source->place : source->name, name, sizeof name);
    if (source->is_override && !source->place)
        return error_set(error, STATUS_CONFIG, "--set %s: %s", name, message);
    if (line > 0 && !source->is_override)
        return error_set(error, STATUS_CONFIG, "%s:%d: %s", name, line, message);
    return error_set(error, STATUS_CONFIG, "%s: %s", name, message);
}

config_setting_t *setting_add(config_setting_t *parent, const char *name, int type,
                              const struct source *source, int line, struct error *error)
{
    config_setting_t *made = config_setting_add(parent, name, type);
    if (made) {
        made->line = (unsigned)line;
        config_setting_set_hook(made, (void *)source);
    } else
        error_set(error, STATUS_MEMORY, "out of memory: the config");
    return made;
}

/* Whether a file is a matrix by its first bytes, of Matrix Market or packed, or by its name. */
static bool is_matrix(const char *name, const char *text, int64_t length)
{
    static const char banner[] = "%%MatrixMarket";
    return ((size_t)length >= strlen(banner) && !strncasecmp(text, banner, strlen(banner))) ||
           unpack_form_of((const unsigned char *)text, (size_t)length) ||
           unpack_name_ends(name, ".mtx");
}

static enum status matrix_given(const struct source *source, struct error *error)
{
    char shown[256];
    shown_text(source->name, shown, sizeof shown);
    return error_set(
        error, STATUS_CONFIG,
        "%s: looks like a matrix, not like a config. A solve with it: cgsolve solve %s. Its "
        "products alone: cgsolve bench --kernels all --matrix %s",
        shown, shown, shown);
}

/* With the config in the same directory that was perhaps meant. */
static enum status cannot_open(const struct source *source, struct error *error)
{
    struct suggestion suggestion;
    struct dirent **entries;
    char directory[4096];
    int why = errno;
    const char *slash = strrchr(source->name, '/');
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash + 1 - source->name) : 1,
             slash ? source->name : ".");
    int count = why == ENOENT ? scandir(directory, &entries, NULL, alphasort) : -1;
    suggest_start(&suggestion, slash ? slash + 1 : source->name);
    for (int k = 0; k < count; k++)
        if (strstr(entries[k]->d_name, ".cfg"))
            suggest_offer(&suggestion, entries[k]->d_name);
    enum status status = source_fault(source, 0, error, "cannot read the config: %s%s",
                                      strerror(why), suggest_text(&suggestion));
    for (int k = 0; k < count; k++)
        free(entries[k]);
    if (count >= 0)
        free(entries);
    return status;
}

/* The whole file; *text ends with a zero byte that *length does not count. */
static enum status file_load(const struct source *source, char **text, int64_t *length,
                             struct error *error)
{
    FILE *file = fopen(source->name, "rb");
    if (!file)
        return cannot_open(source, error);
    enum status status = STATUS_OK;
    errno = 0;
    *text = memory_zeros(CONFIG_BYTES_MAX + 2, 1, "the text of the config", error);
    *length = *text ? (int64_t)fread(*text, 1, CONFIG_BYTES_MAX + 1, file) : 0;
    if (!*text)
        status = STATUS_MEMORY;
    else if (*length > 0 && is_matrix(source->name, *text, *length))
        status = matrix_given(source, error);
    else if (*length > CONFIG_BYTES_MAX)
        status = source_fault(source, 0, error, "larger than %d KiB: is this a config?",
                              CONFIG_BYTES_MAX >> 10);
    else if (ferror(file))
        status = source_fault(source, 0, error, "cannot read the config: %s", strerror(errno));
    fclose(file);
    if (status != STATUS_OK)
        memory_free(*text);
    return status;
}

static enum status tree_load(struct config_tree *tree, struct error *error)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some editors put it before UTF-8 */
    char *text = NULL;
    int64_t length = 0;
    bool bare;
    enum status status = file_load(&tree->file, &text, &length, error);
    if (status != STATUS_OK)
        return status;
    int64_t begin = strncmp(text, mark, strlen(mark)) ? 0 : (int64_t)strlen(mark);
    status = config_parse(&tree->file, text + begin, length - begin,
                          config_root_setting(&tree->config), NULL, &bare, error);
    memory_free(text);
    return status;
}

/* --- overrides -------------------------------------------------------------------------------- */

static const char *skip_space(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Go to the group that the dotted key names, of which missing ones are made; *key is its last name
 * then. */
static enum status enter_groups(config_setting_t **group, char **key, const struct source *source,
                                struct error *error)
{
    for (char *dot; (dot = strchr(*key, '.')); *key = dot + 1) {
        *dot = '\0';
        config_setting_t *inner = config_setting_get_member(*group, *key);
        if (!inner)
            inner = setting_add(*group, *key, CONFIG_TYPE_GROUP, source, 0, error);
        if (!inner)
            return STATUS_MEMORY;
        if (!config_setting_is_group(inner))
            return source_fault(source, 0, error,
                                "'%s' is not a group: it can only be set as a whole", *key);
        *group = inner;
    }
    return STATUS_OK;
}

/* The value without trailing white space, as a text. */
static enum status set_text(config_setting_t *group, const char *key, const struct source *source,
                            const char *value, struct error *error)
{
    char *text = memory_text(value, "an override", error);
    if (!text)
        return STATUS_MEMORY;
    size_t end = strlen(text);
    while (isspace((unsigned char)text[end - 1]))
        end--;
    text[end] = '\0';
    config_setting_t *made = setting_add(group, key, CONFIG_TYPE_STRING, source, 0, error);
    bool is_set = made && config_setting_set_string(made, text);
    memory_free(text);
    return is_set ? STATUS_OK : error_set(error, STATUS_MEMORY, "out of memory: an override");
}

/* Put the value under the dotted key; both are taken apart in place. A bare word, which no config
 * would hold, becomes a text as it was written. */
static enum status set_value(config_setting_t *group, char *key, const struct source *source,
                             char *value, const char *written, struct error *error)
{
    struct error fault;
    bool bare, may_be_bare = !strchr("([{\"", *value);
    enum status status = enter_groups(&group, &key, source, error);
    if (status)
        return status;
    config_setting_remove(group, key);
    status = config_parse(source, value, (int64_t)strlen(value), group, key, &bare, &fault);
    if (bare && may_be_bare) {
        config_setting_remove(group, key);
        return set_text(group, key, source, written, error);
    }
    if (status)
        *error = fault;
    return status;
}

/* True for words of letters, digits, _ and - joined by single dots: what a key looks like. */
static bool is_key(const char *key)
{
    int dots = 0;
    for (const char *at = key;; at++) {
        if (!isalpha((unsigned char)*at))
            return false;
        while (isalnum((unsigned char)*at) || *at == '_' || *at == '-')
            at++;
        if (*at != '.')
            return *at == '\0' && dots < 8;
        dots++;
    }
}

static enum status tree_override(struct config_tree *tree, struct source *source,
                                 struct error *error)
{
    const char *equals = strchr(source->name, '=');
    if (!equals)
        return source_fault(source, 0, error, "KEY=VALUE is wanted, e.g. solver.tolerance=1e-10");
    const char *begin = skip_space(source->name);
    char *key = memory_text(begin, "an override", error);
    if (!key)
        return STATUS_MEMORY;
    size_t length = strcspn(key, "= \t");
    bool ends = *skip_space(key + length) == '=';
    key[length] = '\0';
    const char *value = skip_space(equals + 1);
    enum status status;
    if (!ends || !is_key(key))
        status = source_fault(source, 0, error, "what stands before '=' is not a key");
    else if (!*value)
        status = source_fault(source, 0, error, "the value is missing");
    else
        status = set_value(config_root_setting(&tree->config), key, source, key + (value - begin),
                           value, error);
    memory_free(key);
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

enum status tree_read(const char *path, const struct settings_override *overrides,
                      int overrides_count, struct config_tree *tree, struct error *error)
{
    *tree = (struct config_tree){.file = {path ? path : "the command line", false, NULL}};
    config_init(&tree->config);
    tree->overrides =
        memory_zeros(overrides_count, sizeof *tree->overrides, "the overrides", error);
    enum status status = tree->overrides ? STATUS_OK : STATUS_MEMORY;
    if (status == STATUS_OK && path)
        status = tree_load(tree, error);
    for (int k = 0; k < overrides_count && status == STATUS_OK; k++) {
        tree->overrides[k] = (struct source){overrides[k].text, true, overrides[k].place};
        status = tree_override(tree, &tree->overrides[k], error);
    }
    if (status != STATUS_OK)
        tree_free(tree);
    return status;
}

void tree_free(struct config_tree *tree)
{
    config_destroy(&tree->config);
    memory_free(tree->overrides);
    tree->overrides = NULL;
}

int tree_line(const struct config_tree *tree, const config_setting_t *setting,
              const struct source **source)
{
    const struct source *from = setting ? config_setting_get_hook(setting) : NULL;
    *source = from ? from : &tree->file; /* the root has none */
    return from && !from->is_override ? (int)setting->line : 0;
}

enum status tree_fault(const struct config_tree *tree, const config_setting_t *setting,
                       struct error *error, const char *format, ...)
{
    char message[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const struct source *source;
    int line = tree_line(tree, setting, &source);
    return source_fault(source, line, error, "%s", message);
}

/* --- values ----------------------------------------------------------------------------------- */

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
