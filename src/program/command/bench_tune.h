/* The fastest parameters of each kernel for one matrix. */
#ifndef PROGRAM_COMMAND_BENCH_TUNE_H
#define PROGRAM_COMMAND_BENCH_TUNE_H

#include "program/record/bench_entries.h"
#include "study/product_bench.h"

#include <stdbool.h>

/* A search by coordinates for each entry, from its kernel's own parameters on: of one parameter
 * after the other every value is tried (tune_values), all of them in turns, and the fastest is kept
 * when it is faster by TUNE_GAIN at least; again until nothing changes, TUNE_PASSES times at most.
 * The precision is left as it is, and a value that would promise less of the bits is not tried. A
 * wrong product never wins; *good becomes false with one. Everything that was tried is printed, and
 * at last the best of each entry as a config says it, under its label. Errors: those of
 * product_bench_run. */
enum status bench_tune(struct product_bench *bench, const struct csr *A,
                       const struct bench_entry *entries, int count, bool *good,
                       struct error *error);

/* Of results[count] the fastest of each kernel with each number of columns, printed likewise.
 * Errors: STATUS_MEMORY. */
enum status bench_choose(const struct bench_entry *entries, int count,
                         const struct product_result *results, struct error *error);

/* The values to try of a parameter that is `now`: every choice; the powers of two in its range, the
 * ends of the range, and what it is. values[TUNE_VALUES_MAX], ascending; gives how many. */
enum { TUNE_VALUES_MAX = 68, TUNE_PASSES = 3 };
#define TUNE_GAIN 1.01
int tune_values(const struct parameter *parameter, int64_t now, int64_t *values);

#endif
