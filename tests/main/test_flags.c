/* Flags that let a compiler change sums do not build: the Makefile finds them, and the sources do
 * where it cannot. */
#include "support.h"

#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* What the command says; *status is its exit status. */
static const char *said(const char *command, int *status)
{
    char whole[1024];
    const char *log = temporary_path("log");
    snprintf(whole, sizeof whole, "unset MAKEFLAGS MAKELEVEL MFLAGS VARIANT; %s >'%s' 2>&1",
             command, log);
    int ended = system(whole);
    ck_assert(WIFEXITED(ended));
    *status = WEXITSTATUS(ended);
    return file_text(log);
}

START_TEST(make_refuses)
{
    static const char *const given[][3] = {
        {"CFLAGS='-O2 -ffast-math'", "CFLAGS", "-ffast-math"},
        {"CC='gcc -Ofast'", "CC", "-Ofast"},
        {"CXXFLAGS=-ffinite-math-only", "CXXFLAGS", "-ffinite-math-only"},
        {"CXX='g++ -freciprocal-math'", "CXX", "-freciprocal-math"},
        {"LDFLAGS=-ffast-math", "LDFLAGS", "-ffast-math"}, /* links what flushes subnormals */
        {"NVCCFLAGS=--use_fast_math", "NVCCFLAGS", "-use_fast_math"},
        {"NVCCFLAGS='-O3 -Xcompiler -O3,-fassociative-math'", "NVCCFLAGS", "-fassociative-math"},
    };
    char command[256], sentence[128];
    int status;
    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        snprintf(command, sizeof command, "make -n CUDA=0 %s build", given[k][0]);
        snprintf(sentence, sizeof sentence, "%s has %s, which changes sums", given[k][1],
                 given[k][2]);
        const char *text = said(command, &status);
        ck_assert_int_ne(status, 0);
        expect_text(text, sentence);
    }
    said("make -n CUDA=0 CFLAGS='-O1 -fno-fast-math' build", &status);
    ck_assert_int_eq(status, 0);
    said("make -n CUDA=0 CFLAGS=-ffast-math clean help", &status);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* Of a build from nothing, every compilation but nvcc's, and what is linked for a user. */
START_TEST(what_is_built_is_guarded)
{
    int status;
    char command[600];
    const char *at = temporary_path("none");
    snprintf(command, sizeof command,
             "env -u CFLAGS -u CXXFLAGS make -n V=1 CUDA=0 O=%s build %s/wheel/libcgsolve.so.0", at,
             at);
    char *lines = strdup(said(command, &status));
    ck_assert_int_eq(status, 0);
    int compiled = 0, linked = 0;
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
        bool compiles = strstr(line, " -c src/"), links = strstr(line, " -ldl ");
        if (compiles) {
            expect_text(line, " -D_FORTIFY_SOURCE=2 ");
            expect_text(line, " -fstack-protector-strong ");
        }
        if (links)
            expect_text(line, " -Wl,-z,relro,-z,now ");
        compiled += compiles;
        linked += links;
    }
    ck_assert_int_gt(compiled, 100);
    ck_assert_int_eq(linked, 3);
    free(lines);
}
END_TEST

/* A script in the compiler's place. */
START_TEST(the_sources_refuse)
{
    static const char *const flags[] = {"-ffast-math", "-Ofast", "-ffinite-math-only"};
    char command[256];
    int status;
    for (int k = 0; k < 3; k++) {
        snprintf(command, sizeof command,
                 "${CC:-gcc} %s -std=c11 -Iinclude -Isrc -fsyntax-only src/space/sum/cpu_sum.c",
                 flags[k]);
        const char *text = said(command, &status);
        ck_assert_int_ne(status, 0);
        expect_text(text, "the compiler may change sums");
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {make_refuses, what_is_built_is_guarded, the_sources_refuse, NULL};
    return suite_of("main/flags", tests);
}
