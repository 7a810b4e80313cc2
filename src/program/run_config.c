/* A study: settings -> system -> kernels -> runs -> files and table -> comparison with a reference
 * -> report. The only file that knows all stages. */
#include "program/run_config.h"

#include "base/memory.h"
#include "base/threads.h"
#include "io/text_file.h"
#include "program/command/ranks.h"
#include "program/config/system.h"
#include "program/report/command_report.h"

#include <inttypes.h>
#include <stdio.h>

/* The runs that were just written, held against the reference. */
static enum status compare(const char *directory, bool quiet, struct history_check *check,
                           bool *same, struct error *error)
{
    char *path = path_join(directory, "history.csv", error);
    enum status status = path ? history_check_compare(check, path, error) : STATUS_MEMORY;
    memory_free(path);
    if (status)
        return status;
    history_check_print(stdout, check, quiet);
    *same = history_check_failures(check) == 0;
    return STATUS_OK;
}

/* Why a config is not good, in one line. */
static void print_why(const char *config, const struct study_verdict *verdict,
                      const struct history_check *check)
{
    char column[40] = "";
    if (verdict->columns > 1)
        snprintf(column, sizeof column, ", column %" PRId64, verdict->column);
    fprintf(stderr, "cgsolve: %s: ", config);
    if (verdict->broken)
        fprintf(stderr, "%s broke its promise of equal bits\n", verdict->broken);
    else if (check->reference.runs_count > 0)
        fprintf(stderr, "%" PRId64 " of %" PRId64 " runs differ from the reference %s\n",
                history_check_failures(check), check->history.runs_count, check->reference.path);
    else
        fprintf(stderr,
                "%" PRId64 " of %" PRId64 " %s did not converge, the first: %s, run %" PRId64
                "%s: %s at iteration %" PRId64 "\n",
                verdict->failed, verdict->runs, verdict->columns > 1 ? "solves" : "runs",
                verdict->label, verdict->run, column, reason_name(verdict->reason),
                verdict->iterations);
}

static enum status solve_and_compare(const char *config, const struct settings *settings,
                                     const struct study_shown *shown, struct history_check *check,
                                     bool *good, struct error *error)
{
    struct linear_system system;
    struct study_verdict verdict;
    bool same = true, compares = check->reference.runs_count > 0;
    enum status status = program_load_system(&settings->problem, &settings->solver,
                                             &settings->study, &system, error);
    if (status)
        return status;
    if (compares && program_is_first())
        status = history_check_problem(check, &system, error);
    if (!status)
        status = run_study(config, settings, &system, shown, &verdict, error);
    system_free(&system);
    if (!status && compares && program_is_first())
        status = compare(settings->output.directory, shown->quiet, check, &same, error);
    if (status)
        return status;
    *good = !verdict.broken && (compares ? same : verdict.failed == 0);
    if (!*good && shown->quiet && program_is_first())
        print_why(config, &verdict, check);
    return STATUS_OK;
}

enum status run_config(const char *config, const struct settings *settings,
                       const struct study_shown *shown, struct history_check *check, bool *good,
                       struct error *error)
{
    struct threads *before;
    enum status status = threads_begin((int)settings->study.threads, &before, error);
    if (!status)
        status = solve_and_compare(config, settings, shown, check, good, error);
    threads_end(before);
    return status || !program_is_first()
               ? status
               : report_after_study(&settings->output, shown->quiet, error);
}
