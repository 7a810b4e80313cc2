#include "report/report.h"

#include "base/memory.h"
#include "io/text_file.h"
#include "report/page.h"

#include <stdlib.h>

/* REPORT_CURVES shared out, one each at the least. */
static int64_t curves_each(int count)
{
    return count < REPORT_CURVES ? REPORT_CURVES / count : 1;
}

enum status report_read(const char *const *directories, int count, struct report *report,
                        struct error *error)
{
    *report = (struct report){
        .studies = memory_zeros(count, sizeof *report->studies, "the studies", error),
        .axes = memory_zeros(count, sizeof *report->axes, "the axes", error),
        .count = count};
    enum status status = report->studies && report->axes ? STATUS_OK : STATUS_MEMORY;
    for (int s = 0; s < count && !status; s++)
        status = recorded_read(directories[s], curves_each(count), &report->studies[s], error);
    for (int s = 0; s < count && !status; s++)
        status = plot_axes_make(report->studies, count, s, &report->axes[s], error);
    if (status)
        report_free(report);
    return status;
}

void report_free(struct report *report)
{
    for (int s = 0; s < report->count; s++) {
        if (report->studies)
            recorded_free(&report->studies[s]);
        if (report->axes)
            plot_axes_free(&report->axes[s]);
    }
    memory_free(report->studies);
    memory_free(report->axes);
    *report = (struct report){0};
}

enum status report_page(const struct report *report, const char *path, struct error *no_pictures,
                        struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    enum status status = memory ? page_write(memory, report->studies, report->count, report->axes,
                                             no_pictures, error)
                                : error_set(error, STATUS_MEMORY, "out of memory: %s", path);
    if (memory && fclose(memory) != 0 && !status)
        status = error_set(error, STATUS_MEMORY, "out of memory: %s", path);
    if (!status)
        status = text_file_whole_at(path, text, length, error);
    free(text);
    return status;
}
