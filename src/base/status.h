/* What went wrong with a call, and the one sentence that says so.
 *
 * Every function that can fail returns enum status and takes a struct error last. On STATUS_OK the
 * error is untouched; otherwise its text is one line without a newline that names the value, and,
 * where the user's input is at fault, the file and the line. The text is safe to show: '?' replaces
 * control characters and invalid UTF-8 in names. Only the program prints it and exits
 * (program_ranks_end in program/command/ranks.h). The end of an iteration (converged, breakdown,
 * ...) is no status: see enum reason in solver_rows.h.
 *
 * Read this file, memory.h and threads.h first: all folders use them. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum status {
    STATUS_OK = 0,
    STATUS_CONFIG,      /* the command line or the config is wrong */
    STATUS_INPUT,       /* an input file cannot be read, or not as what it claims to be */
    STATUS_MEMORY,      /* memory is exhausted, or a size overflows */
    STATUS_DEVICE,      /* a device failed */
    STATUS_UNAVAILABLE, /* a known kernel that this build or this machine cannot run */
    STATUS_OUTPUT,      /* an output file cannot be written */
    STATUS_INTERRUPTED, /* no failure: the caller asked for the end. It has no text */
    STATUS_RANK,        /* another rank has failed, or cannot be reached (base/exchange.h) */
};

struct error {
    char text[1024];
};

/* Format the message and give back the status, so that a failing line reads
 * `return error_set(error, STATUS_INPUT, "%s:%d: ...", file, line);`. A NULL error is accepted. */
enum status error_set(struct error *error, enum status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* The same for a fault in line `line` of an input file: "PATH:LINE: " and then the message. Gives
 * back STATUS_INPUT. */
enum status error_at(struct error *error, const char *path, int64_t line, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

#ifdef __cplusplus
}
#endif
#endif
