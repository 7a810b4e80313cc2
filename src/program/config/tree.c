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
    *text = NULL;
    *length = 0;
    FILE *file = fopen(source->name, "rb");
    if (!file)
        return cannot_open(source, error);
    int64_t capacity = 0;
    enum status status = STATUS_OK;
    size_t got = 0;
    do {
        status = memory_grow((void **)text, &capacity, *length + 4096, 1, "the text of the config",
                             error);
        if (status != STATUS_OK)
            break;
        errno = 0;
        got = fread(*text + *length, 1, (size_t)(capacity - *length - 1), file);
        bool first = *length == 0 && got > 0;
        *length += (int64_t)got;
        if (first && is_matrix(source->name, *text, *length))
            status = matrix_given(source, error);
        else if (*length > CONFIG_BYTES_MAX)
            status = source_fault(source, 0, error, "larger than %d KiB: is this a config?",
                                  CONFIG_BYTES_MAX >> 10);
    } while (status == STATUS_OK && got > 0);
    if (status == STATUS_OK && ferror(file))
        status = source_fault(source, 0, error, "cannot read the config: %s", strerror(errno));
    fclose(file);
    if (status == STATUS_OK) {
        (*text)[*length] = '\0';
    } else {
        memory_free(*text);
        *text = NULL;
    }
    return status;
}

enum status words_parse(struct words *words, const struct source *source, config_t *config,
                        struct error *error)
{
    enum status status = words_check(words, source, error);
    if (status != STATUS_OK)
        return status;
    if (!config_read_string(config, words->clean))
        return source_fault(source, 0, error, "libconfig: %s", config_error_text(config));
    return words_check_range(words, source, error);
}

enum status tree_read(const char *path, const struct settings_override *overrides,
                      int overrides_count, struct config_tree *tree, struct error *error)
{
    *tree = (struct config_tree){.file = {path ? path : "the command line", false, NULL},
                                 .words = {.overflow = -1}};
    config_init(&tree->config);
    int64_t length = 0;
    enum status status = STATUS_OK;
    if (path)
        status = file_load(&tree->file, &tree->text, &length, error);
    else
        status = (tree->text = memory_text("", "the config", error)) ? STATUS_OK : STATUS_MEMORY;
    if (status == STATUS_OK)
        status = words_cut(&tree->file, tree->text, length, &tree->words, error);
    if (status == STATUS_OK)
        status = words_parse(&tree->words, &tree->file, &tree->config, error);
    if (status == STATUS_OK) {
        tree->overrides =
            memory_zeros(overrides_count, sizeof *tree->overrides, "the overrides", error);
        status = tree->overrides ? STATUS_OK : STATUS_MEMORY;
    }
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
    words_free(&tree->words);
    memory_free(tree->text);
    memory_free(tree->overrides);
    tree->text = NULL;
    tree->overrides = NULL;
}

/* True when a setting like this one begins with the word. */
static bool begins(const struct word *word, const config_setting_t *setting)
{
    const char *name = config_setting_name(setting);
    if (name)
        return word->kind == WORD_NAME && strlen(name) == (size_t)word->length &&
               !memcmp(name, word->start, (size_t)word->length);
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_STRING:
        return word->kind == WORD_TEXT;
    case CONFIG_TYPE_GROUP:
        return word_is_sign(word, "{");
    case CONFIG_TYPE_LIST:
        return word_is_sign(word, "([");
    case CONFIG_TYPE_BOOL:
        return word->kind == WORD_NAME;
    default:
        return word->kind == WORD_NUMBER;
    }
}

int tree_line(const struct config_tree *tree, const config_setting_t *setting,
              const struct source **source)
{
    *source = &tree->file;
    for (const config_setting_t *at = setting; at; at = config_setting_parent(at))
        if (config_setting_get_hook(at)) {
            *source = config_setting_get_hook(at);
            return 0;
        }
    if (!setting || config_setting_is_root(setting))
        return 0;
    /* libconfig may have read one word further before it made the setting. */
    int64_t at = (int64_t)setting->line - 1;
    if (at >= tree->words.count)
        at = tree->words.count - 1;
    while (at > 0 && !begins(&tree->words.words[at], setting))
        at--;
    return tree->words.words[at].line;
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
