/* Running the program, as a user's shell does. The environment variable CGSOLVE names it. */
#ifndef TESTS_MAIN_PROGRAM_H
#define TESTS_MAIN_PROGRAM_H

#include <jansson.h>
#include <stdbool.h>

struct outcome {
    int exit_status;
    char output[1 << 16]; /* stdout */
    char errors[1 << 14]; /* stderr */
};

/* A small grid, solved twice by each of two kernels: cpu_csr as "reference", and
 * cpu_sym_bitwise. */
extern const char small_config[];

/* The program. Fails the test where CGSOLVE names none. */
const char *program_path(void);

/* Run `cgsolve <arguments>`; the arguments are made by printf and read by the shell. */
struct outcome *run_program(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with another program than cgsolve. */
struct outcome *run_other_program(const char *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether the program is one of a sanitizer: what tests scripts and the compiler is not repeated
 * with it. True is said on standard output. */
bool program_is_sanitized(void);

/* Fail the test unless it exited with that status. */
void expect_exit(const struct outcome *outcome, int exit_status);

/* Fail the test unless the text contains the part. */
void expect_text(const char *text, const char *part);

/* The whole of a file; freed at the next call. */
const char *file_text(const char *path);

/* The names, lengths and checksums of all files in a directory, those below it left out; the caller
 * calls free. */
char *sums_of(const char *directory);

/* DIRECTORY/summary.json; the caller calls json_decref. */
json_t *read_summary(const char *directory);

/* summary.kernels[k] */
json_t *summary_kernel(json_t *summary, int k);

#endif
