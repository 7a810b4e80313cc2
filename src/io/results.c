#include "io/results.h"

#include "io/vector_files.h"

#include <stdlib.h>
#include <string.h>

bool results_include(const char *directory, const char *path)
{
    static const char *const names[] = {"settings.cfg", "history.csv", "envelope.csv",
                                        "summary.json", "report.html"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char above[4096];
    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash + 1 - path) : 1, slash ? path : ".");
    bool found = false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t length = strlen(names[k]);
        found |= strncmp(name, names[k], length) == 0 &&
                 (name[length] == '\0' || strcmp(name + length, ".partial") == 0);
    }
    found |= vector_file_is_named(name);
    return found && directory_is_same(directory, above);
}

enum status results_begin(const struct settings *settings, struct error *error)
{
    enum status status = directory_make(settings->output_directory, error);
    if (status)
        return status;
    if (settings->rhs.type == RHS_FILE &&
        results_include(settings->output_directory, settings->rhs.path))
        return error_set(error, STATUS_CONFIG,
                         "rhs.path = \"%s\": is a file of the results, which this run removes",
                         settings->rhs.path);
    static const char *const earlier[] = {
        "history.csv",  "history.csv.partial",  "envelope.csv", "envelope.csv.partial",
        "trace.csv",    "trace.csv.partial",    "trace.npy",    "trace.npy.partial",
        "summary.json", "summary.json.partial", "report.html",
    };
    for (size_t k = 0; k < sizeof earlier / sizeof *earlier && !status; k++)
        status = text_file_remove(settings->output_directory, earlier[k], error);
    if (!status)
        status = vector_files_remove(settings->output_directory, error);
    if (status)
        return status;
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return error_set(error, STATUS_MEMORY, "out of memory: settings.cfg");
    settings_write(settings, memory);
    if (fclose(memory) != 0)
        status = error_set(error, STATUS_MEMORY, "out of memory: settings.cfg");
    else
        status = text_file_whole(settings->output_directory, "settings.cfg", text, length, error);
    free(text);
    return status;
}
