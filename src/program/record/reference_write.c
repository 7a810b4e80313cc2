#include "program/record/reference_write.h"

#include "base/memory.h"
#include "io/text_source.h"
#include "program/record/history_file.h"
#include "program/record/results.h"

#include <limits.h>
#include <stdlib.h>

enum status reference_write_check(const char *path, const struct settings *settings,
                                  struct error *error)
{
    if (settings->kernels_count > 1)
        return error_set(
            error, STATUS_CONFIG,
            "--write-reference %s: the config names %d kernels, and a reference is the "
            "history of one: choose it, as in --set 'kernels=(\"%s\")'",
            path, settings->kernels_count, settings->kernels[0].kernel->component.name);
    if (results_include(settings->output_directory, path))
        return error_set(error, STATUS_CONFIG, "--write-reference %s: is a file of the results",
                         path);
    return STATUS_OK;
}

static enum status write_facts(const struct history_facts *facts, struct text_file *file,
                               struct error *error)
{
    enum status status =
        text_file_line(file, error, "# A residual history of cgsolve, to compare others with.");
    for (int f = 0; f < FACTS && !status; f++)
        if (*facts->text[f])
            status =
                text_file_line(file, error, "# %s: %s", fact_name((enum fact)f), facts->text[f]);
    return status;
}

/* The first lines of the file at the path. */
static enum status copy_lines(const char *path, int64_t lines, struct text_file *file,
                              struct error *error)
{
    struct text_source *source;
    enum status status = text_source_open(path, 1 << 20, &source, error);
    if (status)
        return status;
    struct text_reader reader = text_reader_start(source);
    for (int64_t k = 0; k < lines && !status; k++) {
        const char *begin, *end;
        status = text_reader_next(&reader, &begin, &end, error);
        int length = end - begin < INT_MAX ? (int)(end - begin) : INT_MAX;
        if (!status)
            status = text_file_line(file, error, "%.*s", length, begin);
    }
    text_source_close(source);
    return status;
}

/* The first run of the history at the path. */
static enum status write_first_run(const char *path, struct text_file *file, int64_t *histories,
                                   struct error *error)
{
    struct history_file history;
    enum status status = history_file_read(path, NULL, NULL, &history, error);
    if (status)
        return status;
    const struct recorded_run *first = &history.runs[0];
    *histories = strtoll(first->facts.text[FACT_HISTORIES], NULL, 10);
    status = write_facts(&first->facts, file, error);
    if (!status)
        status = copy_lines(path, first->lines, file, error);
    history_file_free(&history);
    return status;
}

enum status reference_write(const char *directory, struct text_file *file, int64_t *histories,
                            struct error *error)
{
    char *path = path_join(directory, "history.csv", error);
    enum status status = path ? write_first_run(path, file, histories, error) : STATUS_MEMORY;
    memory_free(path);
    if (!status)
        return text_file_finish(file, error);
    text_file_abandon(file);
    return status;
}
