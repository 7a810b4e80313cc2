/* What somebody sees who builds for the first time: scripts/setup with an apt-get and an apt-cache
 * of the test's own on a machine that has no compiler, and the Makefile with a compiler that makes
 * empty files. */
#include "support.h"

#include "main/program.h"
#include "main/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* A machine of the few programs in $here/bin, and a tree of the script alone. `fake NAME` makes a
 * program of the standard input. The caller is root, unless `user` comes first. An installation
 * takes SIGINT again where apt-get was told to ignore it, as dpkg does. */
static const char machine[] =
    "rm -rf $here; mkdir -p $here/bin $here/tree/scripts; export here\n"
    "sed \"s, /usr/include /usr/local/include , $here/include ,\" scripts/setup "
    ">$here/tree/scripts/setup\n"
    "for name in sh env sed awk cut cat mktemp rm mv mkdir grep dirname find chmod setsid sleep; "
    "do\n"
    "    ln -s \"$(command -v $name)\" $here/bin/$name\n"
    "done\n"
    "fake() { { echo '#!/bin/sh'; cat; } >$here/bin/$1; chmod +x $here/bin/$1; }\n"
    "compilers() { for name in gcc g++ pkg-config; do echo | fake $name; done; }\n"
    "user() { echo 'echo 1000' | fake id; }\n"
    "setup() { env -u PKG_CONFIG -u PKG_CONFIG_PATH PATH=$here/bin $here/bin/sh "
    "$here/tree/scripts/setup \"$@\"; }\n"
    "echo 'echo 0' | fake id\n"
    "fake dpkg <<'END'\n"
    "case $1 in\n"
    "--audit) [ ! -e $here/half ] || echo 'half installed' ;;\n"
    "--configure) rm $here/half ;;\n"
    "-x)\n"
    "    mkdir -p \"$3/usr/lib/here/pkgconfig\"; cd \"$3/usr/lib/here\"; : >lib.so; : >lib.a\n"
    "    name=${2##*/}; name=${name%-dev.deb}; name=${name%1g}; name=${name#libjan}\n"
    "    case $name in sson) name=jansson ;; esac; echo prefix=/usr >pkgconfig/$name.pc ;;\n"
    "esac\n"
    "END\n"
    "fake apt-cache <<'END'\n"
    "for package; do case $package in -*|show) ;; *)\n"
    "    echo \"Package: $package\"; echo 'Installed-Size: 25000';; esac; done\n"
    "END\n"
    "fake apt-get <<'END'\n"
    "case \"$*\" in\n"
    "*./lists*update) : >lists/here ;;\n"
    "*--print-uris*)\n"
    "    echo \"'http://d/gcc.deb' gcc_4%3a12.2_amd64.deb 94500000 SHA256:0\"\n"
    "    echo \"'http://d/c.deb' libfast-float-dev_3.9.0-1_all.deb 500000 MD5Sum:0\" ;;\n"
    "*update)\n"
    "    echo 'dlstatus:1:20.5:Retrieving file 1 of 2' >&3; [ ! -e $here/offline ] ||\n"
    "    { echo 'E: cannot reach the archive' >&2; exit 100; } ;;\n"
    "*download*)\n"
    "    [ ! -e $here/offline ] && [ -e lists/here ] || { echo \"E: no $*\" >&2; exit 100; }\n"
    "    for name; do :; done; : >$name.deb ;;\n"
    "*install*)\n"
    "    [ ! -e $here/half ] || exit 100\n"
    "    [ ! -e $here/wait ] || { : >$here/began; env --default-signal=INT sh -c "
    "'until [ -e $here/told ]; do sleep 0.1; done'; } || exit 100\n"
    "    echo \"$*\" >$here/installed\n"
    "    echo 'Extracting templates from packages: 30%' >&2; printf 'Reading database ...'\n"
    "    for k in 0 24.9 25.1 49 99.5; do echo dlstatus:1:$k:Retrieving >&3; done\n"
    "    for k in 0.0000 12 80.1 100.0000; do echo pmstatus:gcc:$k:Installing >&3; done\n"
    "    for name in gcc g++ pkg-config; do\n"
    "        echo '#!/bin/sh' >$here/bin/$name; chmod +x $here/bin/$name; done ;;\n"
    "esac\n"
    "END\n";

static const char *setup_said(const char *before, int *status)
{
    char script[8192];
    snprintf(script, sizeof script, "%s%ssetup run\n", machine, before);
    return said(script, status);
}

START_TEST(setup_tells_what_it_does)
{
    int status;
    const char *text = setup_said("", &status);
    ck_assert_msg(status == 0, "%s", text);
    expect_text(text, "setup: missing for 'make run', to be installed with apt-get:\n  gcc ");
    const char *const in_order[] = {"setup: optional for 'make run':\n",
                                    "  libfast-float-dev ",
                                    "setup: updating the list of packages, 0 %\n",
                                    "setup: 2 packages with dependencies: 95 MB to download, "
                                    "51 MB installed\n",
                                    "setup: downloading, 0 %\nsetup: downloading, 25 %\n"
                                    "setup: downloading, 75 %\nsetup: installing, 0 %\n"
                                    "setup: installing, 75 %\nsetup: installing, 100 %\n",
                                    "setup: done\n"};
    const char *place = text;
    for (size_t k = 0; k < sizeof in_order / sizeof *in_order; k++) {
        place = strstr(place, in_order[k]);
        ck_assert_msg(place != NULL, "no \"%s\": %s", in_order[k], text);
    }
    ck_assert_msg(!strstr(text, "Extracting") && !strstr(text, "database"), "%s", text);
    expect_text(file_text(temporary_path("setup/installed")), " libfast-float-dev");
}
END_TEST

START_TEST(what_is_there_is_not_installed)
{
    int status;
    const char *text = setup_said("mkdir -p $here/include/fast_float\n"
                                  ": >$here/include/fast_float/fast_float.h\n",
                                  &status);
    ck_assert_msg(status == 0, "%s", text);
    ck_assert_msg(!strstr(text, "fast-float"), "%s", text);
    text = said("PATH=$here/bin $here/bin/sh $here/tree/scripts/setup run", &status);
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

/* A g++ that finds no fast_float. */
START_TEST(nothing_optional_is_installed_without_root)
{
    int status;
    const char *text = setup_said("user; compilers; echo exit 1 | fake g++\n", &status);
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(status, 0);
    text = setup_said("user\n", &status);
    expect_text(text, "setup: without root apt-get does not install gcc g++ ");
    expect_text(text, " As root: scripts/setup run; or with conda: docs/building.md, ");
    ck_assert_int_eq(status, 1);
    setup_said("user; compilers; echo exit 1 | tee $here/no | fake g++; fake sudo <$here/no\n",
               &status);
    ck_assert_int_eq(status, 0);
    text = setup_said("user; echo exit 1 | fake sudo\n", &status);
    expect_text(text, "\nsetup: sudo refuses. Without root: scripts/setup --local\n");
    ck_assert_int_eq(status, 1);
}
END_TEST

/* A pkg-config that knows what PKG_CONFIG_PATH has. */
static const char knows_the_path[] =
    "compilers; fake pkg-config <<'END'\n"
    "[ $2 != openblas ] || exit 0; IFS=:\n"
    "for place in $PKG_CONFIG_PATH; do [ ! -e \"$place/$2.pc\" ] || exit 0; done; exit 1\n"
    "END\n";

START_TEST(libraries_are_unpacked_without_root)
{
    char before[1024];
    int status;
    snprintf(before, sizeof before, "user; %s", knows_the_path);
    const char *text = setup_said(before, &status);
    ck_assert_str_eq(text, "setup: without root: unpacks libconfig, jansson and zlib into .local, "
                           "for this tree alone\nsetup: done\n");
    ck_assert_int_eq(status, 0);
    text = said("cd $here/tree/.local; find . -type f | sort; cat usr/lib/here/pkgconfig/zlib.pc\n"
                "PATH=$here/bin $here/bin/sh $here/tree/scripts/setup run",
                &status);
    ck_assert_str_eq(text, "./usr/lib/here/lib.a\n./usr/lib/here/pkgconfig/jansson.pc\n"
                           "./usr/lib/here/pkgconfig/libconfig.pc\n"
                           "./usr/lib/here/pkgconfig/libfast-float.pc\n"
                           "./usr/lib/here/pkgconfig/zlib.pc\nprefix=${pcfiledir}/../../..\n");
    snprintf(before, sizeof before, "user; %s: >$here/offline\n", knows_the_path);
    text = setup_said(before, &status);
    expect_text(text, "\nE: no ");
    expect_text(text, "\nsetup: apt-get download libconfig-dev failed\n");
    ck_assert_int_eq(status, 1);
    said("[ ! -e $here/tree/.local ] && [ ! -e $here/tree/.local-new ]", &status);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* Ctrl-C signals the terminal's process group, while packages are half installed. */
START_TEST(an_interrupt_waits_for_the_installation)
{
    char script[8192];
    int status;
    snprintf(script, sizeof script,
             "%s: >$here/wait\n"
             "PATH=$here/bin env --default-signal=INT setsid sh $here/tree/scripts/setup run &\n"
             "until [ -e $here/began ]; do sleep 0.1; done\n"
             "kill -INT -$!; : >$here/told; wait $!\n",
             machine);
    const char *text = said(script, &status);
    ck_assert_msg(status == 0, "%s", text);
    expect_text(text, "setup: installs; Ctrl-C waits until apt-get has ended");
    expect_text(text, "setup: done\n");
}
END_TEST

START_TEST(what_was_cut_short_is_finished_first)
{
    int status;
    const char *text = setup_said(": >$here/half\n", &status);
    ck_assert_msg(status == 0, "%s", text);
    expect_text(text, "setup: an installation was cut short: dpkg --configure -a\n");
}
END_TEST

/* Says `answer` to the question; what is on the terminal then. */
static const char *answered(const char *answer, int *status)
{
    static char text[1 << 14];
    char before[1024];
    struct made_terminal terminal;
    if (!terminal_open(&terminal, 80))
        return NULL;
    ck_assert_int_eq(write(terminal.master, answer, strlen(answer)), (ssize_t)strlen(answer));
    snprintf(before, sizeof before, "exec <%s >%s 2>&1\n", terminal.name, terminal.name);
    setup_said(before, status);
    terminal_read(&terminal, text, sizeof text);
    terminal_close(&terminal);
    return text;
}

START_TEST(a_terminal_is_asked)
{
    int status;
    const char *text = answered("n\n", &status);
    if (!text)
        return;
    ck_assert_int_eq(status, 1);
    expect_text(text, "95 MB to download, 51 MB installed\r\nsetup: install them? [Y/n] ");
    expect_text(text, "setup: nothing is installed. Without root: scripts/setup --local");
    ck_assert_int_ne(access(temporary_path("setup/installed"), F_OK), 0);
    text = answered("\n", &status);
    ck_assert_msg(status == 0, "%s", text);
    expect_text(text, "setup: done");
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
    const TTest *tests[] = {setup_tells_what_it_does,
                            what_is_there_is_not_installed,
                            setup_tells_what_failed,
                            nothing_optional_is_installed_without_root,
                            libraries_are_unpacked_without_root,
                            an_interrupt_waits_for_the_installation,
                            what_was_cut_short_is_finished_first,
                            a_terminal_is_asked,
                            make_counts,
                            NULL};
    return suite_of("main/setup", tests);
}
