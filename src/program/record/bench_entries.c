#include "program/record/bench_entries.h"

#include "base/memory.h"
#include "base/near.h"
#include "base/parameter.h"

#include <inttypes.h>
#include <string.h>

static void parameters_text(const struct kernel_settings *entry, char text[BENCH_PARAMETERS])
{
    const struct kernel *kernel = entry->kernel;
    char value[64];
    int length = snprintf(text, BENCH_PARAMETERS, "%s", kernel->component.name);
    if (entry->threads > 0)
        length += snprintf(text + length, (size_t)(BENCH_PARAMETERS - length), " threads=%" PRId64,
                           entry->threads);
    for (int p = 0; p < kernel_parameter_count(kernel) && length < BENCH_PARAMETERS; p++)
        length += snprintf(text + length, (size_t)(BENCH_PARAMETERS - length), " %s=%s",
                           kernel->component.parameters[p].name,
                           parameter_text(&kernel->component.parameters[p],
                                          &entry->options.values[p], value, sizeof value));
}

/* The place of the baseline among the kernels. */
static enum status find_baseline(const struct settings *settings, int *place, struct error *error)
{
    const char *baseline = settings->bench.baseline;
    struct near near;
    near_start(&near, baseline ? baseline : "");
    for (*place = 0; *place < settings->kernels_count; ++*place) {
        const char *label = settings->kernels[*place].label;
        if (!baseline || !strcmp(label, baseline))
            return STATUS_OK;
        near_offer(&near, label);
    }
    return error_set(error, STATUS_CONFIG, "the baseline \"%s\" is none of the kernels%s", baseline,
                     near_text(&near));
}

enum status bench_entries_create(const struct settings *settings, struct bench_entry **entries,
                                 int *count, struct error *error)
{
    const struct bench_settings *bench = &settings->bench;
    int kernels = settings->kernels_count, numbers = 0, baseline;
    bool several = bench->operation != PRODUCT_SPMV;
    while (several && numbers < BENCH_COLUMNS && bench->columns[numbers])
        numbers++;
    *count = kernels * (several ? numbers : 1);
    enum status status = find_baseline(settings, &baseline, error);
    if (status)
        return status;
    *entries = memory_zeros(*count, sizeof **entries, "the kernels", error);
    for (int k = 0; *entries && k < *count; k++) {
        struct bench_entry *entry = &(*entries)[k];
        entry->kernel = &settings->kernels[k % kernels];
        entry->columns = several ? bench->columns[k / kernels] : 1;
        entry->baseline = &(*entries)[k / kernels * kernels + baseline];
        int length = snprintf(entry->label, BENCH_LABEL, "%s", entry->kernel->label);
        if (several)
            snprintf(entry->label + length, (size_t)(BENCH_LABEL - length), " columns=%" PRId64,
                     entry->columns);
        parameters_text(entry->kernel, entry->parameters);
    }
    return *entries ? STATUS_OK : STATUS_MEMORY;
}
