/* The entries of a bench for each matrix, in order: for each number of columns all kernels of the
 * settings. For sampled products: ours on the CPU, once for each number of threads of the CPU
 * kernels; and ours and cuSPARSE's on a GPU, if a kernel is for a GPU. */
#ifndef PROGRAM_RECORD_BENCH_ENTRIES_H
#define PROGRAM_RECORD_BENCH_ENTRIES_H

#include "program/config/settings.h"

enum { BENCH_LABEL = 560, BENCH_PARAMETERS = 512 };

struct bench_entry {
    const struct kernel_settings *kernel;  /* borrowed; of sampled products one that is there */
    const struct product_sampler *sampler; /* of sampled products, else NULL */
    int64_t columns;                       /* 1 of y = A x */
    const struct bench_entry *baseline;    /* with as many columns; it may be the entry itself */
    char label[BENCH_LABEL];           /* its name; except for y = A x followed by " columns=8" */
    char parameters[BENCH_PARAMETERS]; /* "cpu_csr threads=2 form=auto": what it is of, whatever its
                                          label; "cpu_sddmm threads=2" */
};

/* The label of the kernel, or what a maker of sampled products is called. */
const char *bench_entry_name(const struct bench_entry *entry);

/* entries[*count]; the caller calls memory_free. Errors: STATUS_CONFIG (the baseline is none of the
 * kernels), STATUS_MEMORY. */
enum status bench_entries_create(const struct study_settings *study,
                                 const struct bench_settings *bench, struct bench_entry **entries,
                                 int *count, struct error *error);

#endif
