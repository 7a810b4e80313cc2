/* The outcome of checks as JUnit XML. */
#include "program/record/history_check.h"

#include "base/text.h"
#include "io/text_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The report of a failure: its first line as the message, all of it as the text. */
static enum status print_failure(FILE *stream, const struct history_check *check, int64_t k,
                                 struct error *error)
{
    char *report = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&report, &length);
    if (memory)
        history_check_print_failure(memory, check, k);
    if (!memory || fclose(memory) != 0) {
        free(report);
        return error_set(error, STATUS_MEMORY, "out of memory: the report of a failure");
    }
    size_t first = strcspn(report, "\n");
    fputs("      <failure message=\"", stream);
    report[first] = '\0';
    html_text(stream, report);
    fputs("\">", stream);
    report[first] = '\n';
    html_text(stream, report);
    fputs("</failure>\n", stream);
    free(report);
    return STATUS_OK;
}

/* The columns of a run take one time together: the first one has it. */
static double run_seconds(const struct recorded_run *run)
{
    return run->column == 0 ? run->seconds : 0;
}

static double suite_seconds(const struct history_check *check)
{
    double seconds = 0;
    for (int64_t k = 0; k < check->history.runs_count; k++)
        seconds += run_seconds(&check->history.runs[k]);
    return seconds;
}

static enum status print_suite(FILE *stream, const struct history_check *check, struct error *error)
{
    enum status status = STATUS_OK;
    fputs("  <testsuite name=\"", stream);
    html_text(stream, check->name);
    fprintf(stream,
            "\" tests=\"%" PRId64 "\" failures=\"%" PRId64 "\" errors=\"0\" time=\"%.6f\">\n",
            check->history.runs_count, history_check_failures(check), suite_seconds(check));
    for (int64_t k = 0; k < check->history.runs_count && !status; k++) {
        const struct recorded_run *run = &check->history.runs[k];
        char name[64];
        fputs("    <testcase classname=\"", stream);
        html_text(stream, check->name);
        fputs("\" name=\"", stream);
        html_text(stream, run->label);
        fprintf(stream, "%s\" time=\"%.6f\"",
                recorded_run_name(&check->history, k, name, sizeof name), run_seconds(run));
        if (comparison_passes(&check->comparisons[k])) {
            fputs("/>\n", stream);
            continue;
        }
        fputs(">\n", stream);
        status = print_failure(stream, check, k, error);
        fputs("    </testcase>\n", stream);
    }
    fputs("  </testsuite>\n", stream);
    return status;
}

static enum status print_all(FILE *stream, const struct history_check *checks, int count,
                             struct error *error)
{
    int64_t tests = 0, failures = 0;
    for (int k = 0; k < count; k++) {
        tests += checks[k].history.runs_count;
        failures += history_check_failures(&checks[k]);
    }
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites name=\"cgsolve\" tests=\"%" PRId64 "\" failures=\"%" PRId64 "\">\n",
            tests, failures);
    enum status status = STATUS_OK;
    for (int k = 0; k < count && !status; k++)
        if (checks[k].history.runs_count > 0)
            status = print_suite(stream, &checks[k], error);
    fputs("</testsuites>\n", stream);
    return status;
}

enum status junit_write(const char *path, const struct history_check *checks, int count,
                        struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    enum status status = memory
                             ? print_all(memory, checks, count, error)
                             : error_set(error, STATUS_MEMORY, "out of memory: the JUnit report");
    if (memory && fclose(memory) != 0 && !status)
        status = error_set(error, STATUS_MEMORY, "out of memory: the JUnit report");
    if (!status)
        status = text_file_whole(NULL, path, text, length, error);
    free(text);
    return status;
}
