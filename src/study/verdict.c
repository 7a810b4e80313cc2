#include "study/verdict.h"

#include "base/text.h"
#include "solver/solver.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void verdict_fail(struct verdict *verdict, const char *reason)
{
    int k = 0;
    verdict->failed++;
    while (k < VERDICT_ENDINGS && verdict->endings[k].reason &&
           strcmp(verdict->endings[k].reason, reason) != 0)
        k++;
    if (k == VERDICT_ENDINGS)
        return;
    verdict->endings[k].reason = reason;
    verdict->endings[k].runs++;
}

const char *verdict_reasons(const struct verdict *verdict, char *text, size_t size)
{
    const struct verdict_ending *ending = verdict->endings;
    size_t length = 0;
    *text = '\0';
    for (int k = 0; k < VERDICT_ENDINGS && ending[k].reason && length < size; k++) {
        char count[32] = "";
        if (ending[k].runs < verdict->failed)
            snprintf(count, sizeof count, "%" PRId64 " ", ending[k].runs);
        length += (size_t)snprintf(text + length, size - length, "%s%s%s", k ? ", " : "", count,
                                   ending[k].reason);
    }
    return text;
}

static const char *columns_text(const struct verdict *verdict, const char *range,
                                const char *failures, char *text, size_t size)
{
    char runs[40] = "", solutions[64] = "";
    if (verdict->runs > verdict->columns) {
        snprintf(runs, sizeof runs, "%" PRId64 " runs of ", verdict->runs / verdict->columns);
        snprintf(solutions, sizeof solutions,
                 verdict->solutions == 1 ? ", %" PRId64 " solution in each column"
                                         : ", at most %" PRId64 " different solutions in a column",
                 verdict->solutions);
    }
    snprintf(text, size, "%s: %s in %s%" PRId64 " columns%s%s", verdict->label, range, runs,
             verdict->columns, solutions, failures);
    return text;
}

const char *verdict_text(const struct verdict *verdict, char *text, size_t size)
{
    char range[64], reasons[512], failures[640] = "";
    const char *first = verdict->endings[0].reason;
    if (first && strcmp(first, reason_name(REASON_INTERRUPTED)) == 0) {
        snprintf(text, size, "%s: interrupted in run 1 at iteration %" PRId64, verdict->label,
                 verdict->iterations_max);
        return text;
    }
    if (verdict->iterations_min == verdict->iterations_max)
        snprintf(range, sizeof range, "%" PRId64 " iteration%s", verdict->iterations_max,
                 text_plural(verdict->iterations_max));
    else
        snprintf(range, sizeof range, "%" PRId64 " to %" PRId64 " iterations",
                 verdict->iterations_min, verdict->iterations_max);
    if (verdict->failed > 0)
        snprintf(failures, sizeof failures, "; %" PRId64 " of %" PRId64 "%s did not converge (%s)",
                 verdict->failed, verdict->runs, verdict->columns > 1 ? " solves" : "",
                 verdict_reasons(verdict, reasons, sizeof reasons));
    if (verdict->columns > 1)
        return columns_text(verdict, range, failures, text, size);
    snprintf(text, size, "%s: %" PRId64 " %s in %" PRId64 " run%s, %s%s", verdict->label,
             verdict->solutions, verdict->solutions == 1 ? "solution" : "different solutions",
             verdict->runs, text_plural(verdict->runs), range, failures);
    return text;
}
