/* The command line of `cgsolve [options] CONFIG...`. */
#ifndef PROGRAM_COMMAND_OPTIONS_H
#define PROGRAM_COMMAND_OPTIONS_H

#include "base/status.h"
#include "program/command/command.h"
#include "program/command/run_study.h"
#include "program/config/settings.h"

#include <stdbool.h>
#include <stdint.h>

struct study_options {
    bool version, list_kernels, check_config;
    struct study_shown shown;
    const char *output;          /* --output, or NULL */
    const char *junit;           /* --junit, or NULL */
    const char *write_reference; /* --write-reference, or NULL */
    int64_t threads;             /* --threads, or -1 */
    const char *devices;         /* --devices, or NULL; among the overrides too */
    const char **configs;
    int configs_count;
    struct settings_override *overrides; /* --set, in order */
    int overrides_count;
    char *override; /* of --devices, or NULL */
};

/* The texts are borrowed from argv; the caller calls study_options_free. Errors: STATUS_CONFIG,
 * STATUS_MEMORY. */
enum status study_options_parse(const struct command *command, int argc, char *const argv[],
                                struct study_options *options, struct error *error);
void study_options_free(struct study_options *options); /* accepts a zeroed one */

extern const struct command_option options_table[];

#endif
