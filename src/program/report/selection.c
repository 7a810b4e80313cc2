#include "program/report/selection.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_history(const void *a, const void *b)
{
    const struct summary_run *one = *(const struct summary_run *const *)a;
    const struct summary_run *two = *(const struct summary_run *const *)b;
    int order = strcmp(one->history_hash, two->history_hash);
    return order ? order : (one->run > two->run) - (one->run < two->run);
}

static int by_run(const void *a, const void *b)
{
    const struct selected_run *one = a, *two = b;
    return (one->run > two->run) - (one->run < two->run);
}

/* The different histories of a kernel, by their first runs, into first[runs_count]; how many there
 * are. -1 when memory is short. */
static int64_t find_histories(const struct summary *summary, int k, struct selected_run *first,
                              struct error *error)
{
    const struct summary_kernel *kernel = &summary->kernels[k];
    const struct summary_run **sorted =
        memory_array(kernel->runs_count, sizeof *sorted, "the runs by history", error);
    if (!sorted)
        return -1;
    for (int64_t r = 0; r < kernel->runs_count; r++)
        sorted[r] = &kernel->runs[r];
    qsort(sorted, (size_t)kernel->runs_count, sizeof *sorted, by_history);
    int64_t count = 0;
    for (int64_t r = 0; r < kernel->runs_count; r++) {
        bool begins = r == 0 || strcmp(sorted[r]->history_hash, sorted[r - 1]->history_hash) != 0;
        if (begins)
            first[count++] = (struct selected_run){k, sorted[r]->run, 0};
        first[count - 1].same++;
    }
    qsort(first, (size_t)count, sizeof *first, by_run);
    memory_free(sorted);
    return count;
}

/* shares[k] <= wanted[k] in turns, until all is given or `most` are. */
static void give_shares(const int64_t *wanted, int kernels, int64_t most, int64_t *shares)
{
    for (bool given = true; given && most > 0;) {
        given = false;
        for (int k = 0; k < kernels && most > 0; k++)
            if (shares[k] < wanted[k]) {
                shares[k]++;
                most--;
                given = true;
            }
    }
}

/* `share` of the `count`, from the first to the last. */
static void take_evenly(const struct selected_run *from, int64_t count, int64_t share,
                        struct selection *selection)
{
    for (int64_t k = 0; k < share; k++) {
        int64_t place = share > 1 ? k * (count - 1) / (share - 1) : 0;
        selection->runs[selection->count++] = from[place];
    }
}

/* One curve a kernel. */
static enum status select_columns(const struct summary *summary, struct selection *selection,
                                  struct error *error)
{
    int count = summary->kernels_count;
    selection->runs = memory_array(count, sizeof *selection->runs, "the curves", error);
    if (!selection->runs)
        return STATUS_MEMORY;
    selection->count = selection->histories = count;
    for (int k = 0; k < count; k++)
        selection->runs[k] = (struct selected_run){k, summary->kernels[k].runs[0].run,
                                                   summary->kernels[k].runs_count};
    return STATUS_OK;
}

enum status selection_make(const struct summary *summary, int64_t most, struct selection *selection,
                           struct error *error)
{
    int kernels = summary->kernels_count;
    int64_t runs = 0, at = 0;
    *selection = (struct selection){0};
    if (summary->columns > 1)
        return select_columns(summary, selection, error);
    for (int k = 0; k < kernels; k++)
        runs += summary->kernels[k].runs_count;
    *selection =
        (struct selection){.runs = memory_array(runs < most ? runs : most, sizeof *selection->runs,
                                                "the curves", error)};
    struct selected_run *first = memory_array(runs, sizeof *first, "the histories", error);
    int64_t *wanted = memory_zeros(kernels, sizeof *wanted, "the histories", error);
    int64_t *shares = memory_zeros(kernels, sizeof *shares, "the histories", error);
    enum status status = selection->runs && first && wanted && shares ? STATUS_OK : STATUS_MEMORY;
    for (int k = 0; k < kernels && !status; k++) {
        wanted[k] = find_histories(summary, k, first + selection->histories, error);
        if (wanted[k] < 0)
            status = STATUS_MEMORY;
        else
            selection->histories += wanted[k];
    }
    if (!status)
        give_shares(wanted, kernels, most, shares);
    for (int k = 0; k < kernels && !status; at += wanted[k], k++)
        take_evenly(first + at, wanted[k], shares[k], selection);
    memory_free(first);
    memory_free(wanted);
    memory_free(shares);
    if (status)
        selection_free(selection);
    return status;
}

void selection_free(struct selection *selection)
{
    memory_free(selection->runs);
    *selection = (struct selection){0};
}

int64_t selection_of(const struct selection *selection, int kernel, int64_t *begin)
{
    int64_t k = 0, count = 0;
    while (k < selection->count && selection->runs[k].kernel != kernel)
        k++;
    *begin = k;
    while (k + count < selection->count && selection->runs[k + count].kernel == kernel)
        count++;
    return count;
}

static void append(char *text, size_t size, const char *words, int64_t number)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%" PRId64, words, number);
}

const char *selection_name(const struct summary *summary, const struct selected_run *selected,
                           char *text, size_t size)
{
    enum { SHOWN = 4 };
    const struct summary_kernel *kernel = &summary->kernels[selected->kernel];
    const char *hash = NULL;
    if (kernel->columns > 1) {
        snprintf(text, size, "%s, median of %" PRId64 " columns", kernel->label, kernel->columns);
        return text;
    }
    int64_t found = 0, first = 0, last = 0, runs[SHOWN] = {0};
    for (int64_t r = 0; r < kernel->runs_count && !hash; r++)
        if (kernel->runs[r].run == selected->run)
            hash = kernel->runs[r].history_hash;
    for (int64_t r = 0; r < kernel->runs_count; r++) {
        if (strcmp(kernel->runs[r].history_hash, hash) != 0)
            continue;
        last = kernel->runs[r].run;
        first = found == 0 ? last : first;
        if (found < SHOWN)
            runs[found] = last;
        found++;
    }
    snprintf(text, size, "%s, run%s %" PRId64, kernel->label, found > 1 ? "s" : "", first);
    bool in_sequence = found > 2 && last - first == found - 1;
    if (in_sequence)
        append(text, size, " to ", last);
    for (int64_t k = 1; k < found && k < SHOWN && !in_sequence; k++)
        append(text, size, k + 1 == found ? " and " : ", ", runs[k]);
    if (found > SHOWN && !in_sequence)
        append(text, size, " and others: ", found - SHOWN);
    return text;
}
