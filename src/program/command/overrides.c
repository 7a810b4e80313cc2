#include "program/command/overrides.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum status overrides_begin(int most, struct overrides *overrides, struct error *error)
{
    *overrides = (struct overrides){
        .list = memory_zeros(most, sizeof *overrides->list, "the overrides", error),
        .texts = memory_zeros(most, sizeof *overrides->texts, "the overrides", error)};
    return overrides->list && overrides->texts ? STATUS_OK : STATUS_MEMORY;
}

/* a,b,c as "a","b","c"; numbers stay numbers where `numbers`. */
static void put_list(const char *text, bool numbers, FILE *stream)
{
    for (;;) {
        size_t length = strcspn(text, ",");
        if (numbers && length > 0 && strspn(text, "+-.0123456789") >= length)
            fprintf(stream, "%.*s", (int)length, text);
        else
            settings_write_text(text, length, stream);
        if (!text[length])
            return;
        fputc(',', stream);
        text += length + 1;
    }
}

static void put(const char *sets, const char *value, FILE *stream)
{
    for (; *sets; sets++)
        if (*sets == '%')
            fputs(value, stream);
        else if (*sets == '@')
            settings_write_text(value, strlen(value), stream);
        else if (*sets == '#' || *sets == '$')
            put_list(value, *sets == '#', stream);
        else if (*sets == '~') {
            int name = (int)strcspn(value, "=");
            fprintf(stream, "%.*s=[", name, value);
            put_list(value + name + 1, true, stream);
            fputc(']', stream);
        } else
            fputc(*sets, stream);
}

enum status overrides_add(struct overrides *overrides, const char *sets, const char *value,
                          const char *place, struct error *error)
{
    char *made = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&made, &size);
    if (stream)
        put(sets, value, stream);
    bool is_complete = stream && fclose(stream) == 0;
    char *text = is_complete ? memory_text(made, "an override", error) : NULL;
    free(made);
    if (!is_complete)
        return error_set(error, STATUS_MEMORY, "out of memory: an override");
    if (!text)
        return STATUS_MEMORY;
    overrides->texts[overrides->count] = text;
    overrides->list[overrides->count++] = (struct settings_override){text, place};
    return STATUS_OK;
}

enum status option_override(void *into, const struct command_option *option, const char *word,
                            const char *value, struct error *error)
{
    return overrides_add(into, option->with, value, word, error);
}

enum status option_set(void *into, const struct command_option *option, const char *word,
                       const char *value, struct error *error)
{
    (void)option, (void)word;
    return overrides_add(into, "%", value, NULL, error);
}

void overrides_free(struct overrides *overrides)
{
    for (int k = 0; k < overrides->count; k++)
        memory_free(overrides->texts[k]);
    memory_free(overrides->texts);
    memory_free(overrides->list);
    *overrides = (struct overrides){0};
}
