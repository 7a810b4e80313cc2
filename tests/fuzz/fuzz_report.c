/* The directory of a study: whatever can be read of it becomes a page. */
#include "fuzz/fuzz.h"

#include "program/report/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"summary.json", "history.csv", "envelope.csv",
                                        "settings.cfg"};
    struct report report;
    struct error error = {""};
    const char *directory = fuzz_path("");
    fuzz_files(data, size, names, 4);
    enum status status = report_read(&directory, 1, &report, &error);
    require_sentence(status, &error);
    if (!status)
        require(page_into_file(fuzz_path("report.html"), page_write, &report, &error) == STATUS_OK);
    report_free(&report);
    require(memory_live() == 0);
    return 0;
}
