/* The command line of `cgsolve bench [options] [CONFIG]`. What it says of kernels, the matrix and
 * the bench becomes overrides of the config, or all of it where there is none. */
#ifndef PROGRAM_COMMAND_OPTIONS_BENCH_H
#define PROGRAM_COMMAND_OPTIONS_BENCH_H

#include "base/status.h"
#include "program/command/command.h"
#include "program/command/overrides.h"
#include "program/command/run_bench.h"

struct bench_options {
    struct bench_request request;
    const char *config;    /* or NULL */
    const char *measuring; /* an option that says how to measure, or NULL */
    struct overrides overrides;
};

extern const struct command_option bench_options_table[];

/* The caller calls bench_options_free, also after an error. Errors: STATUS_CONFIG,
 * STATUS_MEMORY. */
enum status bench_options_parse(int argc, char *const argv[], struct bench_options *options,
                                struct error *error);
void bench_options_free(struct bench_options *options); /* accepts a zeroed one */

#endif
