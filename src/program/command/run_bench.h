/* `cgsolve bench`: the products of the kernels over one matrix, or over those of a directory. */
#ifndef PROGRAM_COMMAND_RUN_BENCH_H
#define PROGRAM_COMMAND_RUN_BENCH_H

#include "base/status.h"
#include "program/config/settings.h"
#include "program/record/bench_entries.h"
#include "study/product_bench.h"

#include <stdbool.h>
#include <stdint.h>

/* Measure as the settings say, and print results on stdout as they come: for the problem's matrix;
 * or, if its path is a directory, for every file below it. `tune` searches the parameters of each
 * kernel instead (bench_tune), for one matrix; `swept`: only among the kernels of the settings.
 * quiet: only wrong products and the summary. `all`: every kernel was requested, so one line counts
 * the unavailable ones. `certificate`: measure nothing, but count the rows whose bits no order of
 * additions can change (run_certificate). *good: no product was wrong. Errors: STATUS_CONFIG,
 * STATUS_INPUT (a single matrix; of a directory a bad file is a row of the CSV), STATUS_MEMORY,
 * STATUS_DEVICE, STATUS_OUTPUT. */
struct bench_request {
    bool quiet, wide, all, tune, swept, certificate;
};
enum status run_bench(const struct settings *settings, const struct bench_request *request,
                      bool *good, struct error *error);

/* Certify (study/certificate.h) the products of the matrix with its right-hand side (shift: of
 * system_load_any), where the matrix is square, and with the bench's random x of the seed, and
 * print a table on stdout. quiet: without the words around it. Errors: STATUS_CONFIG (also for a
 * directory), STATUS_INPUT, STATUS_MEMORY. */
enum status run_certificate(const struct problem_settings *problem, double shift, int64_t seed,
                            bool quiet, struct error *error);

/* Load the plug-in, and try each of its kernels, methods and preconditioners (study/trial.h).
 * Prints a line for each; quiet: only for failures. *good: all could be tried, and passed. Errors:
 * those of plugin_load; STATUS_MEMORY, STATUS_DEVICE. */
enum status run_prove(const char *path, bool quiet, bool *good, struct error *error);

/* The matrices of a bench: one file, or those below a directory. */
struct bench_files {
    char **paths; /* in the order of strcmp */
    int64_t count, capacity;
};

/* Whether the path leads to a directory. */
bool bench_is_directory(const char *path);

/* Every file below the directory whose name ends with .mtx, packed (io/unpack.h) or not. Links to
 * files are followed, links to directories are not. The caller calls bench_files_free. Errors:
 * STATUS_INPUT (a directory cannot be read), STATUS_MEMORY. */
enum status bench_files_find(const char *directory, struct bench_files *files, struct error *error);
void bench_files_free(struct bench_files *files); /* accepts a zeroed one */

/* A search by coordinates for each entry, from its kernel's own parameters on: it tries every value
 * of one parameter after the other (tune_values), measured alternately, and keeps the fastest if it
 * is faster by at least TUNE_GAIN; again until nothing changes, at most TUNE_PASSES times. It keeps
 * the precision and the promise of bits. A wrong product never wins, and clears *good. Prints all
 * trials, and at last the best of each entry in the form of a config, under its label. Errors:
 * those of product_bench_run. */
enum status bench_tune(struct product_bench *bench, const struct csr *A,
                       const struct bench_entry *entries, int count, bool *good,
                       struct error *error);

/* Print the fastest of results[count] for each kernel and number of columns, likewise. Errors:
 * STATUS_MEMORY. */
enum status bench_choose(const struct bench_entry *entries, int count,
                         const struct product_result *results, struct error *error);

/* The values to try of a parameter that is `now`: every choice; the powers of two in its range, the
 * ends of the range, and what it is. values[TUNE_VALUES_MAX], ascending; gives how many. */
enum { TUNE_VALUES_MAX = 68, TUNE_PASSES = 3 };
#define TUNE_GAIN 1.01
int tune_values(const struct parameter *parameter, int64_t now, int64_t *values);

#endif
