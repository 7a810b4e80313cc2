/* Which runs a picture draws. Runs whose histories are equal in every bit lie on one curve, so one
 * of them stands for all. Where there are more different histories than curves, each kernel has an
 * equal share, and what is drawn of it is spread evenly over its runs. Of several right-hand sides
 * each kernel has one curve, the median of its columns (program/report/study_files.h). */
#ifndef PROGRAM_REPORT_SELECTION_H
#define PROGRAM_REPORT_SELECTION_H

#include "base/status.h"
#include "program/report/summary.h"

#include <stdint.h>

struct selected_run {
    int kernel;   /* its place in the summary */
    int64_t run;  /* the first with its history */
    int64_t same; /* how many runs have it */
};

struct selection {
    struct selected_run *runs; /* [count], by kernel and then by run */
    int64_t count;
    int64_t histories; /* how many different ones there are, those left out as well */
};

/* At most `most` of the runs. The caller calls selection_free. Errors: STATUS_MEMORY. */
enum status selection_make(const struct summary *summary, int64_t most, struct selection *selection,
                           struct error *error);
void selection_free(struct selection *selection); /* accepts a zeroed one */

/* Which runs have its history, with the kernel's label: "atomics, runs 1 and 3", "bitwise, runs 1
 * to 8"; or "bitwise, median of 8 columns". Cut off when it does not fit. Gives back text. */
const char *selection_name(const struct summary *summary, const struct selected_run *selected,
                           char *text, size_t size);

/* Where the kernel's runs stand: *begin is the first; gives back how many there are. */
int64_t selection_of(const struct selection *selection, int kernel, int64_t *begin);

#endif
