/* What the twins call of Check and of tests/support.h, for a program that is no suite: what fails
 * ends it. */
#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void note_place(const char *file, int line)
{
    (void)file;
    (void)line;
}

void _ck_assert_failed(const char *file, int line, const char *expression, const char *message, ...)
{
    va_list values;
    va_start(values, message);
    fprintf(stderr, "%s:%d: %s: ", file, line, expression);
    if (message)
        vfprintf(stderr, message, values);
    fprintf(stderr, "\n");
    va_end(values);
    abort();
}

void expect_ok(enum status status, const struct error *error)
{
    ck_assert_msg(status == STATUS_OK, "status %d: %s", (int)status, error->text);
}

double test_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

int64_t test_random_below(uint64_t *state, int64_t below)
{
    return (int64_t)(test_random(state) * (double)below);
}
