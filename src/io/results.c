#include "io/results.h"

#include <stdlib.h>

enum status results_begin(const struct settings *settings, struct error *error)
{
    enum status status = directory_make(settings->output_directory, error);
    if (status)
        return status;
    static const char *const earlier[] = {"history.csv", "history.csv.partial", "summary.json"};
    for (size_t k = 0; k < sizeof earlier / sizeof *earlier && !status; k++)
        status = text_file_remove(settings->output_directory, earlier[k], error);
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
