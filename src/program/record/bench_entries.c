#include "program/record/bench_entries.h"

#include "base/memory.h"
#include "base/parameter.h"
#include "base/suggest.h"

#include <inttypes.h>
#include <string.h>

/* A kernel with its parameters, or a sampler, which has none. */
static struct bench_entry entry_of(const struct kernel_settings *of,
                                   const struct product_sampler *sampler)
{
    const struct kernel *kernel = of->kernel;
    struct bench_entry entry = {.kernel = of, .sampler = sampler};
    char value[64], *text = entry.parameters;
    int length =
        snprintf(text, BENCH_PARAMETERS, "%s", sampler ? sampler->name : kernel->component.name);
    if (of->threads > 0)
        length += snprintf(text + length, (size_t)(BENCH_PARAMETERS - length), " threads=%" PRId64,
                           of->threads);
    int count = sampler ? 0 : kernel_parameter_count(kernel);
    for (int p = 0; p < count && length < BENCH_PARAMETERS; p++)
        length += snprintf(text + length, (size_t)(BENCH_PARAMETERS - length), " %s=%s",
                           kernel->component.parameters[p].name,
                           parameter_text(&kernel->component.parameters[p], &of->options.values[p],
                                          value, sizeof value));
    return entry;
}

const char *bench_entry_name(const struct bench_entry *entry)
{
    return entry->sampler ? entry->parameters : entry->kernel->label;
}

/* Whether an earlier kernel is in the same place with as many threads. */
static bool is_repeated(const struct study_settings *study, int k)
{
    const struct kernel_settings *kernel = &study->kernels[k], *other = study->kernels;
    while (other->kernel->space != kernel->kernel->space || other->threads != kernel->threads)
        other++;
    return other != kernel;
}

/* Who is measured, of one number of columns; how many. */
static int put_makers(const struct study_settings *study, enum product_operation operation,
                      struct bench_entry *entries)
{
    int count = 0;
    for (int k = 0; k < study->kernels_count; k++) {
        const struct kernel_settings *kernel = &study->kernels[k];
        const struct product_sampler *sampler = product_samplers;
        if (operation != PRODUCT_SDDMM)
            entries[count++] = entry_of(kernel, NULL);
        else if (!is_repeated(study, k))
            for (; sampler->name; sampler++)
                if (sampler->space == kernel->kernel->space)
                    entries[count++] = entry_of(kernel, sampler);
    }
    return count;
}

/* The place of the baseline among them. */
static enum status find_baseline(const char *baseline, const struct bench_entry *entries, int count,
                                 int *place, struct error *error)
{
    struct suggestion suggestion;
    suggest_start(&suggestion, baseline ? baseline : "");
    for (*place = 0; *place < count; ++*place) {
        const char *name = bench_entry_name(&entries[*place]);
        if (!baseline || !strcmp(name, baseline))
            return STATUS_OK;
        suggest_offer(&suggestion, name);
    }
    if (!entries->sampler)
        return error_set(error, STATUS_CONFIG, "the baseline \"%s\" is none of the kernels%s",
                         baseline, suggest_text(&suggestion));
    char names[512] = "";
    size_t length = 0;
    for (int k = 0; k < count && length < sizeof names; k++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", k ? ", " : "",
                                   bench_entry_name(&entries[k]));
    return error_set(error, STATUS_CONFIG, "the baseline \"%s\" is not in this bench: choose %s%s",
                     baseline, names, suggest_text(&suggestion));
}

/* The first `makers` are there, without columns. */
static void multiply_by_columns(const int64_t *columns, int makers, int count, int baseline,
                                struct bench_entry *entries)
{
    for (int k = 0; k < count; k++) {
        struct bench_entry *entry = &entries[k];
        if (k >= makers)
            *entry = entries[k % makers];
        entry->columns = columns ? columns[k / makers] : 1;
        entry->baseline = &entries[k / makers * makers + baseline];
        int length = snprintf(entry->label, BENCH_LABEL, "%s", bench_entry_name(entry));
        if (columns)
            snprintf(entry->label + length, (size_t)(BENCH_LABEL - length), " columns=%" PRId64,
                     entry->columns);
    }
}

enum status bench_entries_create(const struct study_settings *study,
                                 const struct bench_settings *bench, struct bench_entry **entries,
                                 int *count, struct error *error)
{
    bool several = bench->operation != PRODUCT_SPMV;
    int numbers = !several, baseline;
    while (several && numbers < BENCH_COLUMNS && bench->columns[numbers])
        numbers++;
    /* a GPU makes samples in two ways */
    *entries =
        memory_zeros(2 * study->kernels_count * numbers, sizeof **entries, "the kernels", error);
    if (!*entries)
        return STATUS_MEMORY;
    int makers = put_makers(study, bench->operation, *entries);
    *count = makers * numbers;
    enum status status = find_baseline(bench->baseline, *entries, makers, &baseline, error);
    if (status) {
        memory_free(*entries);
        *entries = NULL;
    } else {
        multiply_by_columns(several ? bench->columns : NULL, makers, *count, baseline, *entries);
    }
    return status;
}
