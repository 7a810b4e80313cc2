/* Each header of the C library compiles by itself, in C and in C++. */
#include "support.h"

#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Twice, and with a declaration behind it, as there must be one. */
static void try_header(const char *place, const char *header)
{
    static const char *const compilers[] = {"${CC:-gcc} -std=c11 -x c",
                                            "${CXX:-g++} -std=c++11 -x c++"};
    char text[256], command[2048], path[512];
    snprintf(text, sizeof text, "#include <%s>\n#include <%s>\nextern int unused;\n", header,
             header);
    snprintf(path, sizeof path, "%s", temporary_file("one", text, -1));
    for (int k = 0; k < 2; k++) {
        snprintf(command, sizeof command,
                 "%s -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I'%s' '%s'", compilers[k],
                 place, path);
        ck_assert_msg(system(command) == 0, "%s: %s", header, command);
    }
}

START_TEST(headers_of_the_library)
{
    static const char *const headers[] = {"cgsolve.h", "order.h"};
    for (int k = 0; k < 2 && !program_is_sanitized(); k++) {
        char place[256];
        snprintf(place, sizeof place, "%s", temporary_path(headers[k]));
        expect_exit(run_other_program("mkdir", "'%s'", place), 0);
        expect_exit(run_other_program("cp", "include/cgsolve/%s '%s'", headers[k], place), 0);
        try_header(place, headers[k]);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {headers_of_the_library, NULL};
    return suite_of("main/headers", tests);
}
