/* What somebody sees who builds for the first time: scripts/setup with an apt-get and an apt-cache
 * of the test's own on a machine that has no compiler, and the Makefile with a compiler that makes
 * empty files. */
#include "support.h"

#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* What the script prints on both streams; *status is its exit status. */
static const char *said(const char *script, int *status)
{
    char command[8192];
    const char *log = temporary_path("log");
    int length = snprintf(command, sizeof command, "exec >'%s' 2>&1 3>/dev/null; here='%s'\n%s",
                          log, temporary_path("setup"), script);
    ck_assert_int_lt(length, sizeof command);
    int ended = system(command);
    ck_assert(WIFEXITED(ended));
    *status = WEXITSTATUS(ended);
    return file_text(log);
}

/* A machine of the few programs in $here/bin. `fake NAME` makes one of the standard input. */
static const char machine[] =
    "rm -rf $here; mkdir -p $here/bin; export here; root=$PWD\n"
    "for name in sh env sed awk cut cat mktemp rm grep dirname find chmod; do\n"
    "    ln -s \"$(command -v $name)\" $here/bin/$name\n"
    "done\n"
    "fake() { { echo '#!/bin/sh'; cat; } >$here/bin/$1; chmod +x $here/bin/$1; }\n"
    "echo 'echo 0' | fake id\n"
    "fake apt-cache <<'END'\n"
    "for package; do case $package in -*|show) ;; *)\n"
    "    echo \"Package: $package\"; echo 'Installed-Size: 25000';; esac; done\n"
    "END\n"
    "fake apt-get <<'END'\n"
    "case \"$*\" in\n"
    "*--print-uris*)\n"
    "    echo \"'http://d/gcc.deb' gcc_4%3a12.2_amd64.deb 94500000 SHA256:0\"\n"
    "    echo \"'http://d/c.deb' curl_7.88-10+deb12u1_amd64.deb 500000 MD5Sum:0\" ;;\n"
    "*update)\n"
    "    echo 'dlstatus:1:20.5:Retrieving file 1 of 2' >&3; [ ! -e $here/offline ] ||\n"
    "    { echo 'E: cannot reach the archive' >&2; exit 100; } ;;\n"
    "*install*)\n"
    "    echo \"$*\" >$here/installed\n"
    "    echo 'Extracting templates from packages: 30%' >&2; printf 'Reading database ...'\n"
    "    for k in 0 24.9 25.1 49 99.5; do echo dlstatus:1:$k:Retrieving >&3; done\n"
    "    for k in 0.0000 12 80.1 100.0000; do echo pmstatus:gcc:$k:Installing >&3; done\n"
    "    for name in gcc g++ pkg-config gnuplot curl; do\n"
    "        echo '#!/bin/sh' >$here/bin/$name; chmod +x $here/bin/$name; done ;;\n"
    "esac\n"
    "END\n";

static const char *setup_said(const char *before, int *status)
{
    char script[8192];
    snprintf(script, sizeof script, "%s%sPATH=$here/bin $here/bin/sh $root/scripts/setup run\n",
             machine, before);
    return said(script, status);
}

START_TEST(setup_tells_what_it_does)
{
    int status;
    const char *text = setup_said("", &status);
    ck_assert_msg(status == 0, "%s", text);
    expect_text(text, "\n  curl ca-certificates               downloads matrices");
    const char *const in_order[] = {"setup: with what they need 2 packages: 95 MB to download, "
                                    "51 MB on the disk\n",
                                    "setup: downloading, 0 %\nsetup: downloading, 25 %\n"
                                    "setup: downloading, 75 %\nsetup: installing, 0 %\n"
                                    "setup: installing, 75 %\nsetup: installing, 100 %\n",
                                    "setup: done\n"};
    const char *place = text;
    for (int k = 0; k < 3; k++) {
        place = strstr(place, in_order[k]);
        ck_assert_msg(place != NULL, "no \"%s\": %s", in_order[k], text);
    }
    ck_assert_msg(!strstr(text, "Extracting") && !strstr(text, "database"), "%s", text);
    expect_text(file_text(temporary_path("setup/installed")), " curl ca-certificates");
}
END_TEST

/* Where one of the two that fetch.sh knows is there, it is enough. */
START_TEST(what_is_there_is_not_installed)
{
    int status;
    const char *text = setup_said("echo | fake wget\n", &status);
    ck_assert_msg(status == 0, "%s", text);
    ck_assert_msg(!strstr(text, "curl"), "%s", text);
    text = said("PATH=$here/bin $here/bin/sh scripts/setup run", &status);
    ck_assert_int_eq(status, 0);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(setup_tells_what_failed)
{
    int status;
    const char *text = setup_said(": >$here/offline\n", &status);
    ck_assert_int_eq(status, 1);
    expect_text(text, "\nE: cannot reach the archive\nsetup: apt-get update failed\n");
}
END_TEST

/* "[1/2] ..." of what is compiled and linked, of all, of little and of nothing. */
START_TEST(make_counts)
{
    static const char make[] =
        "unset MAKEFLAGS MAKELEVEL MFLAGS\n"
        "build() {\n"
        "    make -j2 CUDA=0 PKG_CONFIG=true CC=$here/cc CXX=$here/cc CFLAGS='-O1 -g' O=$here/o "
        "\"$@\" $here/o/cgsolve >$here/said 2>&1 || exit 1\n"
        "    cat $here/said\n"
        "}\n";
    static const char all[] =
        "rm -rf $here; mkdir -p $here\n"
        "{ echo '#!/bin/sh'; echo 'while [ $# -gt 1 ]; do [ \"$1\" != -o ] || : >\"$2\"; shift; "
        "done'; } >$here/cc; chmod +x $here/cc\n"
        "build; grep -c '^\\[[0-9]*/[0-9]*\\] ' $here/said >$here/count; count=$(cat $here/count)\n"
        "grep \"^.1/$count. C\" $here/said; tail -n 1 $here/said | grep \"^.$count/$count. "
        "LINK\"\n";
    static const char little[] = "rm $here/o/src/base/text.o; build\n";
    char script[4096];
    int status;
    snprintf(script, sizeof script, "set -e\n%s%s", make, all);
    const char *text = said(script, &status);
    ck_assert_msg(status == 0, "%s", text);
    ck_assert_int_gt(atoi(file_text(temporary_path("setup/count"))), 100);
    snprintf(script, sizeof script, "%s%s", make, little);
    text = said(script, &status);
    expect_text(text, "\n[1/2] CC   src/base/text.c\n[2/2] LINK ");
    snprintf(script, sizeof script, "%sbuild", make);
    ck_assert_msg(!strstr(said(script, &status), "\n["), "something is built again");
    snprintf(script, sizeof script, "%srm $here/o/src/base/text.o; build V=1", make);
    text = said(script, &status);
    ck_assert_ptr_null(strstr(text, "[1/2]"));
    expect_text(text, "-c src/base/text.c");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {setup_tells_what_it_does, what_is_there_is_not_installed,
                            setup_tells_what_failed, make_counts, NULL};
    return suite_of("main/setup", tests);
}
