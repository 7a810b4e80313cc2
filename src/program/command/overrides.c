#include "program/command/overrides.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

enum status overrides_begin(int most, struct overrides *overrides, struct error *error)
{
    *overrides = (struct overrides){
        .list = memory_zeros(most, sizeof *overrides->list, "the overrides", error),
        .texts = memory_zeros(most, sizeof *overrides->texts, "the overrides", error)};
    return overrides->list && overrides->texts ? STATUS_OK : STATUS_MEMORY;
}

enum status overrides_add(struct overrides *overrides, override_put *put, int option,
                          const char *value, const char *place, struct error *error)
{
    char *made = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&made, &size);
    if (stream)
        put(option, value, stream);
    bool whole = stream && fclose(stream) == 0;
    char *text = whole ? memory_text(made, "an override", error) : NULL;
    free(made);
    if (!whole)
        return error_set(error, STATUS_MEMORY, "out of memory: an override");
    if (!text)
        return STATUS_MEMORY;
    overrides->texts[overrides->count] = text;
    overrides->list[overrides->count++] = (struct settings_override){text, place};
    return STATUS_OK;
}

void overrides_free(struct overrides *overrides)
{
    for (int k = 0; k < overrides->count; k++)
        memory_free(overrides->texts[k]);
    memory_free(overrides->texts);
    memory_free(overrides->list);
    *overrides = (struct overrides){0};
}
