/* `cgsolve bench`: the products of the kernels over one matrix, or over those of a directory. */
#ifndef PROGRAM_COMMAND_RUN_BENCH_H
#define PROGRAM_COMMAND_RUN_BENCH_H

#include "program/config/settings.h"

#include <stdbool.h>

/* Measure what the settings say and print it on stdout as it comes: the problem's matrix, or, where
 * it is a Matrix Market path that is a directory, every file below it. `tune` searches the
 * parameters of each kernel instead (bench_tune.h), of one matrix; `swept`: among the kernels of
 * the settings alone. quiet: only wrong products and the summary. `all`: every kernel was asked
 * for, so one line says how many are not available here. `certificate`: measure nothing, but say of
 * which rows the order of additions can change no bit (run_certificate.h). *good: no product was
 * wrong. Errors: STATUS_CONFIG, STATUS_INPUT (a single matrix; of a directory a bad
 * file is a row of the CSV), STATUS_MEMORY, STATUS_DEVICE, STATUS_OUTPUT. */
struct bench_request {
    bool quiet, wide, all, tune, swept, certificate;
};
enum status run_bench(const struct settings *settings, const struct bench_request *request,
                      bool *good, struct error *error);

#endif
