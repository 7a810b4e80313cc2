/* A reference written from the results of a run: leading lines "# NAME: TEXT" that say how the
 * history came about (program/record/history_facts.h), then the header and the rows of history.csv,
 * as they stand there, of all columns of the right-hand sides. What came out of each of several
 * columns has a line of its own, "# NAME COLUMN: TEXT". */
#include "program/record/results.h"

#include "base/memory.h"
#include "io/text_source.h"
#include "program/record/history_file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum status reference_write_check(const char *path, const struct study_settings *study,
                                  const char *directory, struct error *error)
{
    if (study->kernels_count > 1)
        return error_set(
            error, STATUS_CONFIG,
            "--write-reference %s: the config names %d kernels, and a reference is the "
            "history of one: choose it, as in --set 'kernels=(\"%s\")'",
            path, study->kernels_count, study->kernels[0].kernel->component.name);
    if (results_include(directory, path))
        return error_set(error, STATUS_CONFIG, "--write-reference %s: is a file of the results",
                         path);
    return STATUS_OK;
}

/* Of one of several columns, what came out. */
static enum status write_own(const struct recorded_run *run, struct text_file *file,
                             struct error *error)
{
    enum status status = STATUS_OK;
    for (int f = 0; f < FACTS && !status; f++)
        if (fact_is_of_column((enum fact)f) && *run->facts.text[f])
            status = text_file_line(file, error, "# %s %" PRId64 ": %s", fact_name((enum fact)f),
                                    run->column, run->facts.text[f]);
    return status;
}

/* Of runs[count], the columns of one run. */
static enum status write_facts(const struct recorded_run *runs, int64_t count,
                               struct text_file *file, struct error *error)
{
    const struct history_facts *facts = &runs[0].facts;
    enum status status =
        text_file_line(file, error, "# A residual history of cgsolve, to compare others with.");
    for (int f = 0; f < FACTS && !status; f++)
        if (*facts->text[f] && (count == 1 || !fact_is_of_column((enum fact)f)))
            status =
                text_file_line(file, error, "# %s: %s", fact_name((enum fact)f), facts->text[f]);
    for (int64_t k = 0; k < count && count > 1 && !status; k++)
        status = write_own(&runs[k], file, error);
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

/* How many columns the first run has. */
static int64_t count_columns(const struct history_file *history)
{
    const struct recorded_run *first = &history->runs[0];
    int64_t count = 1;
    while (count < history->runs_count && history->runs[count].run == first->run &&
           strcmp(history->runs[count].label, first->label) == 0)
        count++;
    return count;
}

/* The first run of the history at the path. */
static enum status write_first_run(const char *path, struct text_file *file, int64_t *histories,
                                   struct error *error)
{
    struct history_file history;
    enum status status = history_file_read(path, NULL, NULL, &history, error);
    if (status)
        return status;
    int64_t columns = count_columns(&history);
    for (int64_t k = 0; k < columns; k++) {
        int64_t its = strtoll(history.runs[k].facts.text[FACT_HISTORIES], NULL, 10);
        *histories = its > *histories ? its : *histories;
    }
    status = write_facts(history.runs, columns, file, error);
    if (!status)
        status = copy_lines(path, history.runs[columns - 1].lines, file, error);
    history_file_free(&history);
    return status;
}

enum status reference_write(const char *directory, struct text_file *file, int64_t *histories,
                            struct error *error)
{
    char *path = path_join(directory, "history.csv", error);
    *histories = 0;
    enum status status = path ? write_first_run(path, file, histories, error) : STATUS_MEMORY;
    memory_free(path);
    if (!status)
        return text_file_finish(file, error);
    text_file_abandon(file);
    return status;
}
