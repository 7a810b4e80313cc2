/* The program that all suites share. It runs the suite that its own name ends with:
 * build/release/tests/spmv/test_kernels runs that of tests/spmv/test_kernels.c. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUITE(function, name) Suite *function(void);
#include "suites.inc"
#undef SUITE

static const struct {
    const char *name;
    Suite *(*function)(void);
} suites[] = {
#define SUITE(function, name) {name, function},
#include "suites.inc"
};

static bool ends_with(const char *path, const char *name)
{
    size_t length = strlen(path), end = strlen(name);
    return length > end && path[length - end - 1] == '/' && strcmp(path + length - end, name) == 0;
}

int main(int argc, char **argv)
{
    const char *path = argc > 0 ? argv[0] : "";
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        if (ends_with(path, suites[i].name))
            return run_suite(suites[i].function());
    fprintf(stderr, "%s: no suite of this name\n", path);
    return EXIT_FAILURE;
}
