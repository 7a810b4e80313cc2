/* The program that all suites share. It runs the suite that its own name ends with:
 * build/release/tests/spmv/test_kernels runs that of tests/spmv/test_kernels.c. */
#include "support.h"

#include "component/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SANITIZE_ADDRESS__) && defined(__linux__)
#include <sys/mman.h>
#endif

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

/* At the end of each test, the leak checker reads the static data of all suites, some 200 MB of
 * which nearly all is zero. In large pages that takes a third of the processor's time. */
static void use_large_pages(void)
{
#if defined(__SANITIZE_ADDRESS__) && defined(__linux__)
    enum { PAGE = 2 << 20 };
    extern char __bss_start[], _end[];
    uintptr_t begin = ((uintptr_t)__bss_start + PAGE - 1) / PAGE * PAGE;
    if (begin < (uintptr_t)_end)
        madvise((void *)begin, (uintptr_t)_end - begin, MADV_HUGEPAGE); /* it may be refused */
#endif
}

int main(int argc, char **argv)
{
    struct error error;
    use_large_pages();
    if (plugin_load_all(getenv("CGSOLVE_PLUGINS"), &error)) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_FAILURE;
    }
    const char *path = argc > 0 ? argv[0] : "";
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        if (ends_with(path, suites[i].name))
            return run_suite(suites[i].function());
    fprintf(stderr, "%s: no suite of this name\n", path);
    return EXIT_FAILURE;
}
