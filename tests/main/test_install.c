/* What surrounds an installed program: manual pages and completions that are generated from its
 * tables, `make install`, and `make uninstall`. */
#include "support.h"

#include "cgsolve/cgsolve.h"
#include "main/program.h"
#include "program/command/command.h"
#include "program/config/keys.h"
#include "spmv/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* What the script prints on both streams; *status is its exit status. $here is a directory of the
 * test's own, the current one is that of the sources. */
static const char *said(const char *script, int *status)
{
    char command[8192];
    const char *log = temporary_path("log");
    int length = snprintf(command, sizeof command,
                          "exec >'%s' 2>&1; here='%s'; mkdir -p \"$here\"\n"
                          "unset MAKEFLAGS MAKELEVEL MFLAGS ONLY\n%s",
                          log, temporary_path("here"), script);
    ck_assert_int_lt(length, sizeof command);
    int ended = system(command);
    ck_assert(WIFEXITED(ended));
    *status = WEXITSTATUS(ended);
    return file_text(log);
}

static const char *must_say(const char *script)
{
    int status;
    const char *text = said(script, &status);
    ck_assert_msg(status == 0, "%.1000s: %.1000s", script, text);
    return text;
}

static bool is_there(const char *program)
{
    char command[64];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    if (system(command) == 0)
        return true;
    printf("%s is not there: not tried\n", program);
    return false;
}

/* share/NAME.in with its tables; the caller calls free. */
static char *page(const char *name)
{
    char script[256];
    snprintf(script, sizeof script, "scripts/pages \"$CGSOLVE\" share/%s.in", name);
    char *text = strdup(must_say(script));
    ck_assert_ptr_nonnull(text);
    ck_assert_msg(!strchr(text, '@') || strstr(text, "\"$@\"") || strstr(text, "[@]"),
                  "%s: a table is missing: %.60s", name, strchr(text, '@'));
    return text;
}

/* A manual page with its characters as they are shown. */
static char *manual_page(const char *name)
{
    static const char *const written[] = {"\\-", "\\[aq]", "\\[ha]", "\\[ti]", "\\[ga]", "\\[rs]"};
    static const char shown[] = "-'^~`\\";
    char *text = page(name), *to = text;
    for (const char *from = text; *from;) {
        size_t k = 0;
        while (k < 6 && strncmp(from, written[k], strlen(written[k])) != 0)
            k++;
        *to++ = k < 6 ? shown[k] : *from;
        from += k < 6 ? strlen(written[k]) : 1;
    }
    *to = '\0';
    return text;
}

static void expect_in(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is missing in: %.60s ...", part, text);
}

START_TEST(every_option_is_there)
{
    char *manual = manual_page("cgsolve.1"), *bash = page("cgsolve.bash"), *zsh = page("_cgsolve");
    for (const struct command *const *command = commands; *command; command++)
        for (const struct command_option *option = (*command)->options; option->name; option++) {
            expect_in(manual, option->name);
            expect_in(manual, option->meaning);
            expect_in(bash, option->name);
            expect_in(zsh, option->name);
        }
    expect_in(manual, CGSOLVE_VERSION);
    expect_in(manual, "\n.B cgsolve\ncheck [options] HISTORY REFERENCE\n");
    free(manual);
    free(bash);
    free(zsh);
}
END_TEST

/* With its choices: "solver.method) ... cg minres skew lanczos". */
START_TEST(every_key_is_there)
{
    char *manual = manual_page("cgsolve.cfg.5"), *bash = page("cgsolve.bash"),
         *zsh = page("_cgsolve");
    char path[64], line[160];
    int count;
    for (const struct key *key = settings_keys; key->group; key++) {
        snprintf(line, sizeof line, "\n.B %s\n", key_path(key, path, sizeof path));
        expect_in(manual, line);
        expect_in(manual, key->parameter.meaning);
        expect_in(bash, path);
        expect_in(zsh, path);
    }
    for (enum component_kind kind = 0; kind < COMPONENT_KINDS; kind++) {
        const struct component *const *list = component_list(kind, &count);
        for (int k = 0; k < count; k++) {
            if (kind != COMPONENT_KERNEL)
                expect_in(manual, list[k]->summary);
            expect_in(bash, list[k]->name);
            expect_in(zsh, list[k]->name);
        }
    }
    expect_in(manual, "\n.SS solver.preconditioner\n");
    expect_in(manual, "\n.B cpu_sym_atomic: chunk\n");
    expect_in(bash, " solver.method) words='cg minres ");
    expect_in(zsh, " solver.method) values=(cg minres ");
    free(manual);
    free(bash);
    free(zsh);
}
END_TEST

START_TEST(manual_pages_are_clean)
{
    if (!is_there("groff"))
        return;
    const char *text = must_say("for page in cgsolve.1 cgsolve.cfg.5; do\n"
                                "    scripts/pages \"$CGSOLVE\" share/$page.in >$here/$page\n"
                                "    groff -ww -man -Tutf8 $here/$page >/dev/null\n"
                                "done");
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(pages_need_the_program)
{
    int status;
    said("scripts/pages $here/not-there share/cgsolve.1.in", &status);
    ck_assert_int_ne(status, 0);
    said("scripts/pages false share/cgsolve.1.in", &status);
    ck_assert_int_ne(status, 0);
    said("scripts/pages \"$CGSOLVE\" $here/not-there", &status);
    ck_assert_int_ne(status, 0);
    expect_text(said("echo @other@ >$here/other; scripts/pages \"$CGSOLVE\" $here/other", &status),
                "scripts/pages: no table other");
    ck_assert_int_ne(status, 0);
    expect_text(said("scripts/pages", &status), "usage: scripts/pages PROGRAM TEMPLATE");
    ck_assert_int_eq(status, 2);
}
END_TEST

/* What bash offers for the last of these words: "FIRST SECOND ...", in a directory without files
 * but a config, and a directory whose name has a blank. */
static void expect_offer(const char *words, const char *wanted)
{
    char script[1024];
    snprintf(script, sizeof script,
             "scripts/pages \"$CGSOLVE\" share/cgsolve.bash.in >$here/cgsolve.bash\n"
             "mkdir -p \"$here/files/bent dir\"; : >$here/files/bent.cfg; : >$here/files/be.txt\n"
             "cd $here/files; bash -euc 'compopt() { :; }; source ../cgsolve.bash\n"
             "COMP_WORDS=(cgsolve %s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cgsolve || exit\n"
             "(IFS=\" \"; echo \"${COMPREPLY[*]}\")'",
             words);
    const char *text = must_say(script);
    ck_assert_msg(strlen(text) > 0 && !strncmp(text, wanted, strlen(text) - 1) &&
                      strlen(text) - 1 == strlen(wanted),
                  "%s: %s and not %s", words, text, wanted);
}

START_TEST(bash_completes)
{
    if (!is_there("bash"))
        return;
    char options[1024] = "";
    for (const struct command_option *option = command_bench.options; option->name; option++)
        snprintf(options + strlen(options), sizeof options - strlen(options), "%s%s",
                 *options ? " " : "", option->name);
    expect_offer("bench --", options);
    expect_offer("ch", "check");
    expect_offer("be", "bench bent dir/ bent.cfg");
    expect_offer("--check-con", "--check-config");
    expect_offer("bench --kernels cpu_m", "cpu_merge");
    expect_offer("bench --kernels cpu_csr,cpu_m", "cpu_csr,cpu_merge");
    expect_offer("bench --sweep chun", "chunk=");
    expect_offer("--set solver.tol", "solver.tolerance=");
    expect_offer("--set solver.method = m", "minres");
    expect_offer("--set output.report =", "true false");
    expect_offer("bench --kernels = cpu_m", "cpu_merge");
    expect_offer("help solver.tol", "solver.tolerance");
    expect_offer("help cpu_m", "cpu_merge");
    expect_offer("--output re", ""); /* files, by bash itself */
    expect_offer("a.cfg be", "");
}
END_TEST

START_TEST(zsh_reads_its_completion)
{
    if (!is_there("zsh"))
        return;
    ck_assert_str_eq(must_say("scripts/pages \"$CGSOLVE\" share/_cgsolve.in >$here/_cgsolve\n"
                              "zsh -n $here/_cgsolve"),
                     "");
}
END_TEST

/* A compiler that makes empty files, and of the program a copy; `target` is a make below
 * "$here/a root". */
static const char makes[] =
    "set -e; rm -rf \"$here\"; mkdir -p \"$here/a root\"; export CGSOLVE\n"
    "cat >$here/cc <<'END'\n"
    "#!/bin/sh\n"
    "while [ $# -gt 1 ]; do\n"
    "    case $1:$2 in -o:*/cgsolve) cp \"$CGSOLVE\" \"$2\" ;; -o:*) : >\"$2\" ;; esac; shift\n"
    "done\n"
    "END\n"
    "printf '#!/bin/sh\\necho $1 ${2##*/} >>%s/stripped\\n' $here >$here/strip\n"
    "chmod +x $here/cc $here/strip\n"
    "target() {\n"
    "    make -j2 CUDA=0 PKG_CONFIG=true CC=$here/cc CXX=$here/cc LD=$here/cc OBJCOPY=true "
    "STRIP=$here/strip CFLAGS=-O1 O=$here/o "
    "DESTDIR=\"${root-$here/a root}\" PREFIX=/usr $1 >$here/said 2>&1 || { tail -n 5 $here/said; "
    "exit 1; "
    "}\n"
    "}\n"
    "list() { (cd \"$here/a root/usr\"; find . ! -type d | sed 's/..//' | LC_ALL=C sort); }\n";

START_TEST(installs_and_uninstalls)
{
    char script[8192], config[300];
    snprintf(config, sizeof config, "%s", temporary_file("small.cfg", small_config, -1));
    snprintf(
        script, sizeof script,
        "%s"
        "{\n"
        "    printf '%%s\\n' bin/cgsolve lib/libcgsolve.a include/cgsolve/*.h \\\n"
        "        lib/libcgsolve.so lib/libcgsolve.so.0 lib/pkgconfig/cgsolve.pc \\\n"
        "        lib/cmake/cgsolve/cgsolveConfig.cmake \\\n"
        "        lib/cmake/cgsolve/cgsolveConfigVersion.cmake \\\n"
        "        share/man/man1/cgsolve.1 share/man/man5/cgsolve.cfg.5 \\\n"
        "        share/man/man3/libcgsolve.3 \\\n"
        "        share/bash-completion/completions/cgsolve share/zsh/site-functions/_cgsolve\n"
        "    printf 'share/doc/cgsolve/%%s\\n' CHANGELOG.md CITATION.cff LICENSE README.md \\\n"
        "        docs/*.md docs/*.svg docs/*.png docs/*.json docs/example/* docs/pictures/* \\\n"
        "        docs/results/*.md docs/results/*.svg docs/results/data/* configs/*.cfg \\\n"
        "        problems/plate.mtx.gz\n"
        "} | LC_ALL=C sort >$here/wanted\n"
        "target install; list | diff $here/wanted -\n"
        "usr=\"$here/a root/usr\"\n"
        "[ -x \"$usr/bin/cgsolve\" ]; [ ! -x \"$usr/share/man/man1/cgsolve.1\" ]\n"
        "cmp include/cgsolve/order.h \"$usr/include/cgsolve/order.h\"\n"
        "grep -q '^.TH CGSOLVE 1' \"$usr/share/man/man1/cgsolve.1\"\n"
        "\"$usr/bin/cgsolve\" --quiet --output \"$here/results\" '%s'\n"
        "[ -s \"$here/results/history.csv\" ]\n"
        "(cd \"$usr/share/doc/cgsolve\"; ../../../bin/cgsolve --check-config configs/plate.cfg)\n"
        "sort $here/stripped\n"
        "target uninstall; list\n"
        "find \"$usr\" -name '*cgsolve*'\n",
        makes, config);
    const char *text = must_say(script);
    ck_assert_str_eq(text, "configs/plate.cfg: ok (keys and values are right, the files that it "
                           "reads can be opened)\n"
                           "-S cgsolve\n-S libcgsolve.a\n-S libcgsolve.so.0\n");
}
END_TEST

START_TEST(what_others_put_there_stays)
{
    char script[4096];
    int status;
    snprintf(script, sizeof script,
             "%starget install; for file in bin/other share/doc/cgsolve/mine include/cgsolve.h; do "
             ": >\"$here/a root/usr/$file\"; done; target uninstall; list; target uninstall",
             makes);
    ck_assert_str_eq(must_say(script), "bin/other\ninclude/cgsolve.h\nshare/doc/cgsolve/mine\n");
    snprintf(script, sizeof script,
             "%sexport LC_ALL=C; : >$here/file; root=$here/file; target install", makes);
    expect_text(said(script, &status), "Not a directory");
    ck_assert_int_ne(status, 0);
}
END_TEST

/* An empty PREFIX is /, not where make was called. */
START_TEST(an_empty_prefix_is_the_root)
{
    const char *text = must_say("make -n CUDA=0 uninstall PREFIX= DESTDIR=");
    expect_text(text, " (BINDIR/*) to=\"/bin/$");
    expect_text(text, " (INCLUDEDIR/*) to=\"/include/$");
}
END_TEST

/* Directories as distributions have them; pkg-config and CMake are told. */
START_TEST(each_directory_is_chosen)
{
    char script[8192];
    int status;
    snprintf(
        script, sizeof script,
        "%schosen='BINDIR=/usr/b LIBDIR=/usr/lib/a-b INCLUDEDIR=/usr/i/j DATADIR=/usr/d "
        "MANDIR=/usr/m DOCDIR=/usr/doc'\n"
        "target \"install $chosen\"; list >$here/list\n"
        "for f in b/cgsolve lib/a-b/libcgsolve.a lib/a-b/cmake/cgsolve/cgsolveConfig.cmake "
        "i/j/cgsolve/cgsolve.h d/zsh/site-functions/_cgsolve m/man3/libcgsolve.3 doc/LICENSE "
        "doc/docs/library.md; do grep -qx $f $here/list || echo missing $f; done\n"
        "cd \"$here/a root/usr/lib/a-b\"\n"
        "grep dir= pkgconfig/cgsolve.pc; grep -o '\".*i/j\"' cmake/cgsolve/cgsolveConfig.cmake\n"
        "cd $OLDPWD; target \"uninstall $chosen\"; list; find $here/a* -name '*cgsolve*'\n"
        "target \"install-lib $chosen PREFIX=/opt\"\n"
        "grep dir= \"$here/a root/usr/lib/a-b/pkgconfig/cgsolve.pc\"",
        makes);
    ck_assert_str_eq(must_say(script), "libdir=${pcfiledir}/..\n"
                                       "includedir=${libdir}/../../i/j\n"
                                       "\"${_cgsolve_libdir}/../../i/j\"\n"
                                       "libdir=${pcfiledir}/..\n"
                                       "includedir=/usr/i/j\n");
    expect_text(said("make -n CUDA=0 install LIBDIR=lib64", &status),
                "LIBDIR=lib64: must begin with /");
    ck_assert_int_ne(status, 0);
}
END_TEST

/* pkg-config knows zlib alone. */
START_TEST(the_library_needs_zlib_alone)
{
    char script[8192];
    snprintf(script, sizeof script,
             "%sprintf '#!/bin/sh\\n[ \"$#\" = 2 ] && [ \"$2\" = zlib ]\\n' >$here/pc\n"
             "chmod +x $here/pc\n"
             "target \"install-lib PKG_CONFIG=$here/pc\"; list | grep -v '^include/cgsolve/'\n"
             "if (target \"build PKG_CONFIG=$here/pc\") >/dev/null; then exit 1; fi\n"
             "grep -o 'pkg-config does not know .*jansson[.]' $here/said",
             makes);
    ck_assert_str_eq(must_say(script), "lib/cmake/cgsolve/cgsolveConfig.cmake\n"
                                       "lib/cmake/cgsolve/cgsolveConfigVersion.cmake\n"
                                       "lib/libcgsolve.a\nlib/libcgsolve.so\nlib/libcgsolve.so.0\n"
                                       "lib/pkgconfig/cgsolve.pc\n"
                                       "share/doc/cgsolve/LICENSE\nshare/man/man3/libcgsolve.3\n"
                                       "pkg-config does not know libconfig jansson.\n");
}
END_TEST

/* With an ldconfig of the test's own. Not for the files of a package. */
START_TEST(the_loader_is_told)
{
    char script[4096];
    snprintf(script, sizeof script,
             "%sexport here PATH=\"$here:$PATH\"; printf '#!/bin/sh\\necho 0\\n' >$here/id\n"
             "printf '#!/bin/sh\\necho told >>$here/told\\n' >$here/ldconfig\n"
             "chmod +x $here/id $here/ldconfig; target install; target uninstall\n"
             "[ ! -e $here/told ]; root=\n"
             "target \"install PREFIX=$here/usr\"; cat $here/told\n"
             "target \"uninstall PREFIX=$here/usr\"; cat $here/told\n",
             makes);
    ck_assert_str_eq(must_say(script), "told\ntold\ntold\n");
}
END_TEST

START_TEST(one_version)
{
    char numbers[40];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", CGS_VERSION_MAJOR, CGS_VERSION_MINOR,
             CGS_VERSION_PATCH);
    ck_assert_str_eq(CGS_VERSION, numbers);
    ck_assert_str_eq(CGS_VERSION, cgs_version());
    must_say("grep -qx 'version: " CGS_VERSION "' CITATION.cff &&\n"
             "    grep '^## ' CHANGELOG.md | sed q | grep -qF '## [" CGS_VERSION "] - ' &&\n"
             "    sed q packaging/debian/changelog | grep -qF 'cgsolve (" CGS_VERSION "-' &&\n"
             "    grep -qx '  version: \"" CGS_VERSION "\"' packaging/conda/recipe.yaml &&\n"
             "    grep -qxF '    version(\"" CGS_VERSION "\")' packaging/spack/package.py");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_option_is_there,
                            every_key_is_there,
                            manual_pages_are_clean,
                            pages_need_the_program,
                            bash_completes,
                            zsh_reads_its_completion,
                            installs_and_uninstalls,
                            what_others_put_there_stays,
                            an_empty_prefix_is_the_root,
                            each_directory_is_chosen,
                            the_library_needs_zlib_alone,
                            the_loader_is_told,
                            one_version,
                            NULL};
    return suite_of("main/install", tests);
}
