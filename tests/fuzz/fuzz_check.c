/* A history held against a reference, by each rule. */
#include "fuzz/fuzz.h"

#include "program/record/history_check.h"

static void check_by(const struct comparison_rule *rule)
{
    struct history_check check;
    struct error error = {""};
    const char *history = fuzz_path("history.csv");
    enum status status =
        history_check_begin(history, fuzz_path("reference.csv"), rule, &check, &error);
    if (!status)
        status = history_check_compare(&check, history, &error);
    require_sentence(status, &error);
    if (!status) {
        FILE *stream = fuzz_stream();
        history_check_print(stream, &check, false);
        fclose(stream);
        require(junit_write(fuzz_path("junit.xml"), &check, 1, &error) == STATUS_OK);
    }
    history_check_free(&check);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"history.csv", "reference.csv", "summary.json"};
    static const struct comparison_rule rules[] = {
        {.mode = COMPARISON_BITWISE},
        {.mode = COMPARISON_ULPS, .ulps = 3, .iterations = 1},
        {.mode = COMPARISON_RELATIVE, .relative = 1e-3, .iterations = 2}};
    fuzz_files(data, size, names, 3);
    for (int k = 0; k < 3; k++)
        check_by(&rules[k]);
    require(memory_live() == 0);
    return 0;
}
