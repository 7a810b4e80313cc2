/* What the suites of the settings share: configs that must be read, written and read again, and
 * configs that must be refused. */
#ifndef TESTS_IO_CONFIGS_H
#define TESTS_IO_CONFIGS_H

#include "problem/generators.h"
#include "program/config/settings.h"

#include <stddef.h>

#define PROBLEM "problem = { type = \"poisson3d\"; n = 4; };\n" /* line 1 */
#define KERNELS "kernels = ( \"cpu_sym\" );\n"                  /* line 2 after it */

/* Read the text as a config; overrides end with NULL, or are NULL. */
enum status try_read(const char *text, const char *const *overrides, struct settings *settings,
                     struct error *error);

/* The same, which must succeed. The caller calls settings_free. */
struct settings read_with(const char *text, const char *const *overrides);
struct settings read_one(const char *text, const char *override);

/* What settings_write, or without settings settings_print_help, printed; the caller frees it. */
char *printed(const struct settings *settings);

/* What is written is read back equal. Frees the settings. */
void expect_round_trip(struct settings settings);

/* The options of the problem as the struct that its generator takes: they begin with it. */
#define PROBLEM_AS(type, settings) ((const struct type *)(settings).problem.matrix.values)

struct fault {
    const char *config;
    const char *message; /* what follows the path */
};

/* Fail the test unless the file at the path is refused with exactly that message, and leaves
 * nothing behind. */
void expect_fault(const char *path, const char *message);

/* The same for each config of an array. */
void expect_faults(const struct fault *faults, size_t count);
#define EXPECT_FAULTS(faults) expect_faults(faults, sizeof(faults) / sizeof *(faults))

#endif
