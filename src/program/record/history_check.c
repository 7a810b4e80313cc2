#include "program/record/history_check.h"

#include "base/memory.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

enum status history_check_begin(const char *name, const char *reference,
                                const struct comparison_rule *rule, struct history_check *check,
                                struct error *error)
{
    *check = (struct history_check){.name = name, .rule = *rule};
    enum status status = reference_file_read(reference, &check->reference, error);
    if (status)
        *check = (struct history_check){0};
    return status;
}

enum status history_check_problem(const struct history_check *check,
                                  const struct linear_system *system, struct error *error)
{
    struct history_facts facts = {{{0}}};
    snprintf(facts.text[FACT_MATRIX], sizeof facts.text[0], "%016" PRIx64, system->matrix_hash);
    snprintf(facts.text[FACT_RHS], sizeof facts.text[0], "%016" PRIx64, system->rhs_hash);
    if (system->x0)
        snprintf(facts.text[FACT_START], sizeof facts.text[0], "%016" PRIx64, system->start_hash);
    return facts_check_problem(&facts, check->name, &check->reference.runs[0].facts,
                               check->reference.path, error);
}

int64_t history_check_reference(const struct history_check *check, int64_t run)
{
    const struct history_file *reference = &check->reference;
    int64_t column = check->history.runs[run].column;
    for (int64_t k = 0; k < reference->runs_count; k++)
        if (reference->runs[k].column == column)
            return k;
    return -1;
}

static int64_t count_columns(const struct history_file *file)
{
    int64_t last = 0;
    for (int64_t k = 0; k < file->runs_count; k++)
        last = file->runs[k].column > last ? file->runs[k].column : last;
    return last + 1;
}

/* The columns of each run are those of the reference. */
static enum status check_columns(const struct history_check *check, struct error *error)
{
    const struct history_file *history = &check->history, *reference = &check->reference;
    char name[64];
    int64_t columns = count_columns(history), wanted = count_columns(reference);
    if (columns != wanted)
        return error_set(error, STATUS_INPUT,
                         "%s has %" PRId64 " right-hand side%s and %s has %" PRId64, history->path,
                         columns, text_plural(columns), reference->path, wanted);
    for (int64_t k = 0; k < history->runs_count || k % reference->runs_count > 0; k++) {
        int64_t column = reference->runs[k % reference->runs_count].column;
        if (k < history->runs_count && history->runs[k].column == column)
            continue;
        const struct recorded_run *suggestion = &history->runs[k < history->runs_count ? k : k - 1];
        return error_set(error, STATUS_INPUT,
                         "%s: %s%s: column %" PRId64
                         " of the right-hand sides must stand there, as in %s",
                         history->path, suggestion->label,
                         recorded_run_name(history, suggestion - history->runs, name, sizeof name),
                         column, reference->path);
    }
    return STATUS_OK;
}

/* A residual of the history, as it goes by. */
static enum status take(void *context, int64_t run, int64_t iteration, double residual,
                        struct error *error)
{
    struct history_check *check = context;
    const struct history_file *reference = &check->reference;
    int64_t its = history_check_reference(check, run);
    if (its < 0)
        return STATUS_OK; /* check_columns refuses it when all columns are known */
    if (iteration == 0) {
        enum status status =
            memory_grow((void **)&check->comparisons, &check->comparisons_capacity, run + 1,
                        sizeof *check->comparisons, "the comparisons", error);
        if (status)
            return status;
        check->comparisons[run] = comparison_begin(reference->runs[its].count);
    }
    comparison_take(&check->rule, residual, reference->residuals + reference->runs[its].begin,
                    &check->comparisons[run]);
    return STATUS_OK;
}

enum status history_check_compare(struct history_check *check, const char *history,
                                  struct error *error)
{
    const struct history_file *reference = &check->reference;
    enum status status = history_file_read(history, take, check, &check->history, error);
    if (!status)
        status = check_columns(check, error);
    for (int64_t k = 0; k < check->history.runs_count && !status; k++)
        status = facts_check_problem(&check->history.runs[k].facts, history,
                                     &reference->runs[0].facts, reference->path, error);
    return status;
}

int64_t history_check_failures(const struct history_check *check)
{
    int64_t failures = 0;
    for (int64_t k = 0; k < check->history.runs_count; k++)
        failures += !comparison_passes(&check->comparisons[k]);
    return failures;
}

void history_check_free(struct history_check *check)
{
    history_file_free(&check->reference);
    history_file_free(&check->history);
    memory_free(check->comparisons);
    *check = (struct history_check){0};
}
