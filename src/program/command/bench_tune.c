/* The fastest parameters of each kernel for one matrix. */
#include "program/command/run_bench.h"

#include "base/memory.h"
#include "base/parameter.h"
#include "program/terminal/bench_print.h"
#include "program/terminal/layout.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL = 200 };

/* The values measured together. */
struct tuning {
    struct product_bench *bench;
    const struct csr *A;
    int64_t columns;
    struct product_contestant contestants[TUNE_VALUES_MAX];
    struct product_result results[TUNE_VALUES_MAX];
    char labels[TUNE_VALUES_MAX][LABEL];
    bool *good;
};

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int without_repetition(int64_t *values, int count)
{
    int kept = 0;
    qsort(values, (size_t)count, sizeof *values, compare);
    for (int k = 0; k < count; k++)
        if (kept == 0 || values[kept - 1] != values[k])
            values[kept++] = values[k];
    return kept;
}

int tune_values(const struct parameter *parameter, int64_t now, int64_t *values)
{
    int count = 0;
    values[count++] = now;
    for (int64_t v = 0; parameter->choices && parameter->choices[v] && count < TUNE_VALUES_MAX; v++)
        values[count++] = v;
    if (parameter->choices)
        return without_repetition(values, count);
    values[count++] = parameter->least;
    values[count++] = parameter->most;
    for (int64_t v = 1; v < parameter->most; v *= 2) {
        if (v > parameter->least)
            values[count++] = v;
        if (v > parameter->most / 2)
            break;
    }
    return without_repetition(values, count);
}

/* The fastest right one, or -1. */
static int fastest(const struct product_result *results, int count)
{
    int best = -1;
    for (int k = 0; k < count; k++)
        if (results[k].verdict == PRODUCT_PASS &&
            (best < 0 || results[k].median_seconds < results[best].median_seconds))
            best = k;
    return best;
}

static enum status try_all(struct tuning *tuning, int count, struct error *error)
{
    enum status status = product_bench_run(tuning->bench, tuning->A, tuning->contestants, count,
                                           tuning->results, error);
    struct table table;
    int label = (int)strlen("kernel");
    for (int k = 0; k < count; k++)
        label = layout_wider(label, tuning->contestants[k].label);
    bench_table_begin(&table, stdout, label, false);
    if (!status)
        table_print_head(&table, "kernel");
    for (int k = 0; k < count && !status; k++) {
        bench_print_result(&table, tuning->contestants[k].label, &tuning->results[k]);
        *tuning->good = *tuning->good && tuning->results[k].verdict != PRODUCT_FAIL;
    }
    if (!status)
        printf("\n");
    return status;
}

/* Try every value of parameter p of the entry, and keep the best. */
static enum status tune_parameter(struct tuning *tuning, struct kernel_settings *entry, int p,
                                  bool *changed, struct error *error)
{
    const struct kernel *kernel = entry->kernel;
    const struct parameter *parameter = &kernel->component.parameters[p];
    int64_t values[TUNE_VALUES_MAX], kept[TUNE_VALUES_MAX], now = entry->options.values[p];
    int found = tune_values(parameter, now, values), count = 0, place = 0;
    for (int k = 0; k < found; k++) {
        char text[64];
        struct kernel_options options = entry->options;
        options.values[p] = values[k];
        if (kernel_guarantee(kernel, &options) < kernel_guarantee(kernel, &entry->options))
            continue;
        snprintf(tuning->labels[count], LABEL, "%.100s %.60s=%s", entry->label, parameter->name,
                 parameter_text(parameter, &values[k], text, sizeof text));
        tuning->contestants[count] = (struct product_contestant){
            tuning->labels[count], kernel, options, (int)entry->threads, tuning->columns, NULL};
        if (values[k] == now)
            place = count;
        kept[count++] = values[k];
    }
    enum status status = count > 1 ? try_all(tuning, count, error) : STATUS_OK;
    int best = !status && count > 1 ? fastest(tuning->results, count) : -1;
    if (best < 0 || best == place)
        return status;
    const struct product_result *old = &tuning->results[place];
    if (old->verdict == PRODUCT_PASS &&
        old->median_seconds < TUNE_GAIN * tuning->results[best].median_seconds)
        return STATUS_OK;
    entry->options.values[p] = kept[best];
    *changed = true;
    return STATUS_OK;
}

/* The precision is not: it changes the result. */
static bool is_tuned(const struct parameter *parameter)
{
    return strcmp(parameter->name, "precision") != 0;
}

static enum status tune_kernel(struct tuning *tuning, struct kernel_settings *entry,
                               struct error *error)
{
    const struct kernel *kernel = entry->kernel;
    enum status status = STATUS_OK;
    bool changed = true;
    for (int pass = 0; pass < TUNE_PASSES && changed && !status; pass++) {
        changed = false;
        for (int p = 0; p < kernel_parameter_count(kernel) && !status; p++)
            if (is_tuned(&kernel->component.parameters[p]))
                status = tune_parameter(tuning, entry, p, &changed, error);
    }
    return status;
}

static bool has_tuned(const struct kernel *kernel)
{
    for (int p = 0; p < kernel_parameter_count(kernel); p++)
        if (is_tuned(&kernel->component.parameters[p]))
            return true;
    return false;
}

/* The reason to omit the kernel, or NULL. */
static const char *left_out(const struct kernel *kernel, const struct csr *A)
{
    const char *reason = kernel_unavailable(kernel);
    return reason ? reason : !(kernel->kinds & A->kind) ? "not for a matrix of this kind" : NULL;
}

/* The kernel, under the label of its entry. */
static struct kernel_settings of(const struct bench_entry *entry)
{
    struct kernel_settings made = *entry->kernel;
    made.label = (char *)entry->label;
    return made;
}

static enum status search(struct tuning *tuning, const struct bench_entry *entries, int all,
                          struct kernel_settings *best, int *count, struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < all && !status; k++) {
        struct kernel_settings entry = of(&entries[k]);
        const char *reason = left_out(entry.kernel, tuning->A);
        if (reason) {
            printf("%s: skipped: %s\n\n", entry.label, reason);
            continue;
        }
        if (!has_tuned(entry.kernel))
            printf("%s: has nothing to tune\n\n", entry.label);
        tuning->columns = entries[k].columns;
        status = tune_kernel(tuning, &entry, error);
        best[(*count)++] = entry;
    }
    return status;
}

static void print_best(const struct kernel_settings *best, int count)
{
    printf("the fastest found:\n\n");
    settings_write_kernels(best, count, stdout);
    fflush(stdout);
}

enum status bench_tune(struct product_bench *bench, const struct csr *A,
                       const struct bench_entry *entries, int count, bool *good,
                       struct error *error)
{
    struct tuning *tuning = memory_zeros(1, sizeof *tuning, "the values to try", error);
    struct kernel_settings *best = memory_array(count, sizeof *best, "the kernels", error);
    int found = 0;
    enum status status = tuning && best ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        tuning->bench = bench;
        tuning->A = A;
        tuning->good = good;
        status = search(tuning, entries, count, best, &found, error);
    }
    if (!status)
        print_best(best, found);
    memory_free(tuning);
    memory_free(best);
    return status;
}

enum status bench_choose(const struct bench_entry *entries, int count,
                         const struct product_result *results, struct error *error)
{
    int *best = memory_array(count, sizeof *best, "the kernels", error), found = 0;
    struct kernel_settings *chosen = memory_array(count, sizeof *chosen, "the kernels", error);
    for (int k = 0; best && chosen && k < count; k++) {
        int place = 0;
        if (results[k].verdict != PRODUCT_PASS)
            continue;
        while (place < found && (chosen[place].kernel != entries[k].kernel->kernel ||
                                 entries[best[place]].columns != entries[k].columns))
            place++;
        if (place < found && !(results[k].median_seconds < results[best[place]].median_seconds))
            continue;
        best[place] = k;
        chosen[place] = of(&entries[k]);
        found += place == found;
    }
    enum status status = best && chosen ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        print_best(chosen, found);
    memory_free(best);
    memory_free(chosen);
    return status;
}
