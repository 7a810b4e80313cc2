/* What a bench measures of each matrix, in its order: for each number of columns all kernels of the
 * settings. */
#ifndef PROGRAM_RECORD_BENCH_ENTRIES_H
#define PROGRAM_RECORD_BENCH_ENTRIES_H

#include "program/config/settings.h"

enum { BENCH_LABEL = 560, BENCH_PARAMETERS = 512 };

struct bench_entry {
    const struct kernel_settings *kernel; /* borrowed */
    int64_t columns;                      /* 1 of y = A x */
    const struct bench_entry *baseline;   /* with as many columns; it may be the entry itself */
    char label[BENCH_LABEL];              /* the kernel's; of Y = A X with " columns=8" behind it */
    char parameters[BENCH_PARAMETERS]; /* "cpu_csr threads=2 form=auto": what it is of, whatever its
                                          label */
};

/* entries[*count]; the caller calls memory_free. Errors: STATUS_CONFIG (the baseline is none of the
 * kernels), STATUS_MEMORY. */
enum status bench_entries_create(const struct settings *settings, struct bench_entry **entries,
                                 int *count, struct error *error);

#endif
