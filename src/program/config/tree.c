#include "program/config/tree.h"

#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "io/unpack.h"

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
