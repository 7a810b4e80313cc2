/* What a check has found, in words. */
#include "base/text.h"
#include "program/config/settings.h"
#include "program/record/history_check.h"
#include "program/terminal/layout.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* "mode relative, 1e-10" */
static void print_rule(FILE *stream, const struct comparison_rule *rule)
{
    fprintf(stream, "mode %s", comparison_modes[rule->mode]);
    if (rule->mode == COMPARISON_ULPS)
        fprintf(stream, ", tolerance %" PRId64, rule->ulps);
    else if (rule->mode == COMPARISON_RELATIVE)
        fprintf(stream, ", tolerance %g", rule->relative);
}

/* "3 ulps, 4.1e-16 relative" */
static void print_difference(FILE *stream, const struct residual_pair *pair)
{
    if (isnan(pair->history) || isnan(pair->reference)) {
        fprintf(stream, "one of them is not a number");
        return;
    }
    int64_t ulps = difference_ulps(pair->history, pair->reference);
    fprintf(stream, "%" PRId64 " ulp%s, %.3g relative", ulps, text_plural(ulps),
            difference_relative(pair->history, pair->reference));
}

/* The first line of a failure. */
static void print_headline(FILE *stream, const struct history_check *check, int64_t k)
{
    const struct recorded_run *run = &check->history.runs[k];
    const struct comparison *found = &check->comparisons[k];
    char name[64];
    fprintf(stream, "%s%s: ", run->label, recorded_run_name(&check->history, k, name, sizeof name));
    if (found->failures > 0)
        fprintf(stream, "iteration %" PRId64 " differs from %s: ", found->first.iteration,
                check->reference.path);
    if (found->failures > 0)
        print_difference(stream, &found->first);
    else
        fprintf(stream,
                "%" PRId64 " iterations, and %" PRId64 " in %s: they may differ by %" PRId64,
                found->history, found->reference, check->reference.path, check->rule.iterations);
    fprintf(stream, "\n");
}

void history_check_print_failure(FILE *stream, const struct history_check *check, int64_t k)
{
    const struct comparison *found = &check->comparisons[k];
    int64_t common = 1 + (found->history < found->reference ? found->history : found->reference);
    print_headline(stream, check, k);
    if (found->failures > 0) {
        fprintf(stream,
                "    here        %a = %.17g\n"
                "    reference   %a = %.17g\n"
                "    compared    ",
                found->first.history, found->first.history, found->first.reference,
                found->first.reference);
        print_rule(stream, &check->rule);
        fprintf(stream, ": %" PRId64 " of %" PRId64 " residuals do not pass\n", found->failures,
                common);
        if (found->first_bits.iteration < found->first.iteration)
            fprintf(stream, "    first bits  differ at iteration %" PRId64 "\n",
                    found->first_bits.iteration);
        if (found->farthest.iteration > found->first.iteration) {
            fprintf(stream, "    farthest    iteration %" PRId64 ": ", found->farthest.iteration);
            print_difference(stream, &found->farthest);
            fprintf(stream, "\n");
        }
    } else {
        fprintf(stream, "    first       iteration %" PRId64 " is in the %s alone\n", common,
                found->history < found->reference ? "reference" : "history");
    }
    fprintf(stream,
            "    iterations  %" PRId64 ", in the reference %" PRId64 "\n"
            "    what may have changed:\n",
            found->history, found->reference);
    facts_suggest(stream, "        ", &check->history.runs[k].facts,
                  &check->reference.runs[history_check_reference(check, k)].facts);
}

/* The runs begin <= k < end, all of one label, when all of them pass. */
static void print_passed(FILE *stream, const struct history_check *check, int64_t begin,
                         int64_t end)
{
    struct residual_pair farthest = {.iteration = -1};
    double distance = 0;
    int64_t apart = 0;
    for (int64_t k = begin; k < end; k++) {
        const struct comparison *found = &check->comparisons[k];
        const struct residual_pair *pair = &found->farthest;
        int64_t longer = found->history - found->reference;
        apart = longer > apart ? longer : -longer > apart ? -longer : apart;
        if (pair->iteration < 0 || difference_relative(pair->history, pair->reference) <= distance)
            continue;
        farthest = *pair;
        distance = difference_relative(pair->history, pair->reference);
    }
    int64_t runs = end - begin;
    fprintf(stream, "          %s: %" PRId64 " %s%s pass%s, ", check->history.runs[begin].label,
            runs, check->history.has_columns ? "column" : "run", text_plural(runs),
            runs == 1 ? "es" : "");
    if (farthest.iteration < 0) {
        fprintf(stream, "equal in every bit");
    } else {
        fprintf(stream, "the farthest residual at iteration %" PRId64 ": ", farthest.iteration);
        print_difference(stream, &farthest);
    }
    if (apart > 0)
        fprintf(stream, "; the counts differ by %" PRId64, apart);
    fprintf(stream, "\n");
}

/* What a passed test does not say by itself. */
static void print_remarks(FILE *stream, const struct history_check *check, int64_t begin,
                          int64_t end)
{
    const struct recorded_run *runs = check->history.runs;
    char name[64];
    const char *no_promise = facts_no_promise(&runs[begin].facts);
    if (check->rule.mode == COMPARISON_BITWISE && no_promise)
        fprintf(stream, "warning   %s: compared bit by bit, but %s\n", runs[begin].label,
                no_promise);
    for (int64_t k = begin; k < end; k++) {
        const char *its = runs[k].facts.text[FACT_SOLUTION];
        int64_t reference = history_check_reference(check, k);
        const char *other = check->reference.runs[reference].facts.text[FACT_SOLUTION];
        bool equal_bits = check->comparisons[k].first_bits.iteration < 0 &&
                          check->comparisons[k].history == check->comparisons[k].reference;
        if (equal_bits && *its && *other && strcmp(its, other) != 0) {
            fprintf(stream,
                    "warning   %s%s: the residuals are the reference's, but x is not: its hash is "
                    "%s there, and %s here\n",
                    runs[k].label, recorded_run_name(&check->history, k, name, sizeof name), other,
                    its);
            return;
        }
    }
}

/* The runs begin <= k < end, all of one label. */
static void print_label(FILE *stream, const struct history_check *check, int64_t begin, int64_t end,
                        bool quiet)
{
    int64_t failed = 0, first = -1;
    for (int64_t k = end - 1; k >= begin; k--)
        if (!comparison_passes(&check->comparisons[k])) {
            failed++;
            first = k;
        }
    if (failed > 0) {
        history_check_print_failure(stream, check, first);
        if (failed > 1)
            fprintf(stream, "    and %" PRId64 " more of %" PRId64 " %s of %s fail\n", failed - 1,
                    end - begin, check->history.has_columns ? "columns" : "runs",
                    check->history.runs[begin].label);
    } else if (!quiet) {
        print_passed(stream, check, begin, end);
    }
    if (!quiet)
        print_remarks(stream, check, begin, end);
}

void history_check_print(FILE *terminal, const struct history_check *check, bool quiet)
{
    struct layout layout;
    FILE *stream = layout_begin(&layout, terminal);
    const struct history_file *history = &check->history, *reference = &check->reference;
    if (!quiet) {
        fprintf(stream, "reference %s, ", reference->path);
        print_rule(stream, &check->rule);
        fprintf(stream, "\n");
        const struct history_file *files[] = {history, reference};
        for (int f = 0; f < 2; f++) {
            const struct history_facts *facts = &files[f]->runs[0].facts;
            if (!*facts->text[FACT_MATRIX] || !*facts->text[FACT_RHS])
                fprintf(stream,
                        "warning   it is unknown whether the problem is the same: %s has no "
                        "leading # lines and no summary.json beside it\n",
                        files[f]->path);
        }
    }
    for (int64_t begin = 0, end; begin < history->runs_count; begin = end) {
        for (end = begin + 1; end < history->runs_count; end++)
            if (strcmp(history->runs[begin].label, history->runs[end].label) != 0)
                break;
        print_label(stream, check, begin, end, quiet);
    }
    layout_end(&layout);
}
