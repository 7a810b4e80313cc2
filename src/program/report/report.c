#include "program/report/report.h"

#include "base/memory.h"

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
    for (int s = 0; s < count && !status; s++) {
        report->studies[s].axes = &report->axes[s];
        status = plot_axes_make(report->studies, count, s, &report->axes[s], error);
    }
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
