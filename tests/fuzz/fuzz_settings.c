/* A config, and up to three overrides. Settings that were read are written as a config, which
 * gives the same settings again. */
#include "fuzz/fuzz.h"

#include "program/config/settings.h"

enum { OVERRIDES = 3, CONFIG_MOST = 200 << 10 };

static void expect_same_again(const struct settings *settings)
{
    struct settings again;
    struct error error = {""};
    char *text = settings_text(settings);
    require(text != NULL);
    size_t length = strlen(text);
    if (length < CONFIG_MOST) {
        fuzz_write(fuzz_path("again.cfg"), (const uint8_t *)text, length);
        require(settings_read(fuzz_path("again.cfg"), NULL, 0, &again, &error) == STATUS_OK);
        char *other = settings_text(&again);
        require(other != NULL && strcmp(text, other) == 0);
        settings_free(&again);
        free(other);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct settings_override overrides[OVERRIDES] = {{0}};
    struct settings settings;
    struct error error = {""};
    int count = 0;
    char *copy = calloc(size + 1, 1);
    require(copy != NULL);
    memcpy(copy, data, size);
    size_t length = size;
    for (size_t k = 0; k + 1 < size && count < OVERRIDES; k++)
        if (copy[k] == 1 && copy[k + 1] == 2) {
            length = count == 0 ? k : length;
            copy[k] = '\0';
            overrides[count++].text = copy + k + 2;
        }
    fuzz_write(fuzz_path("a.cfg"), data, length);
    enum status status = settings_read(fuzz_path("a.cfg"), overrides, count, &settings, &error);
    require(status == STATUS_OK || status == STATUS_CONFIG);
    require_sentence(status, &error);
    if (!status)
        expect_same_again(&settings);
    settings_free(&settings);
    free(copy);
    require(memory_live() == 0);
    return 0;
}
