/* Every public header compiles by itself, in C and in C++; those of the C library with no other of
 * the project. */
#include "support.h"

#include "main/program.h"

#include <glob.h>
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

START_TEST(each_header_by_itself)
{
    glob_t headers;
    if (program_is_sanitized())
        return;
    ck_assert_int_eq(glob("include/cgsolve/*.h", 0, NULL, &headers), 0);
    for (size_t k = 0; k < headers.gl_pathc; k++)
        try_header("include", headers.gl_pathv[k] + strlen("include/"));
    globfree(&headers);
}
END_TEST

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
    const TTest *const tests[] = {each_header_by_itself, headers_of_the_library, NULL};
    return suite_of("main/headers", tests);
}
