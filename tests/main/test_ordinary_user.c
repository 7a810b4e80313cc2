/* A build by somebody who is not root: of sources that cannot be written, and with the libraries
 * that `scripts/setup --local` unpacks. */
#include "support.h"

#include "main/copy.h"
#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* `user COMMAND...` is nobody's, or the one's whose test this is; `refused COMMAND...` must fail.
 * $o has the objects of the copy. */
static const char user[] =
    "o=${copy%/*}/o; chmod 711 \"${copy%/*}\"\n"
    "user() { \"$@\"; }\n"
    "user_make() { eval \"user make -C '$copy' ${AS_BUILT:-CUDA=0} O='$o' $1\"; }\n"
    "refused() { if \"$@\"; then exit 1; fi; }\n"
    "if [ $(id -u) = 0 ]; then\n"
    "    chown -R 65534:65534 $copy $o\n"
    "    user() { HOME=/ setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\"; }\n"
    "fi\n";

/* Objects that are there already are not compiled for another user again. */
static bool prepare(void)
{
    if (program_is_sanitized())
        return false;
    if (getuid() == 0 && system("setpriv --reuid=65534 true") != 0) {
        printf("nothing run: setpriv makes no ordinary user here\n");
        return false;
    }
    shell("rm -rf $copy ${copy%/*}/o");
    copy_sources();
    shell("mkdir -p $copy/$built; mv $copy/$built ${copy%/*}/o\n"
          "rm -rf $copy/build; sed -i 's/n = [0-9]*/n = 8/' $copy/configs/quickstart.cfg\n");
    return true;
}

static void as_user(const char *script)
{
    char whole[4096];
    int length = snprintf(whole, sizeof whole, "%s%s", user, script);
    ck_assert_int_lt(length, sizeof whole);
    shell(whole);
}

START_TEST(sources_may_be_read_only)
{
    if (!prepare())
        return;
    as_user("chmod -R a-w $copy; trap 'chmod -R u+w $copy' EXIT; find $copy | sort >$copy.before\n"
            "user_make run\n"
            "[ -s $o/libcgsolve.a ] && [ -s $o/libcgsolve.so.0 ]\n"
            "grep -q cpu_sym_bitwise $o/quickstart/summary.json\n"
            "find $copy | sort | diff $copy.before -\n"
            "cd $copy; refused user $o/cgsolve --quiet configs/quickstart.cfg 2>$copy.says\n"
            "grep 'results: cannot make the directory: .*; --output DIR writes elsewhere' "
            "$copy.says\n"
            "mkdir $o/mine; chmod a-w $o/mine\n"
            "refused user $o/cgsolve --quiet --output $o/mine configs/quickstart.cfg 2>$copy.says\n"
            "grep '/mine: cannot write: .*; --output DIR writes elsewhere' $copy.says\n");
}
END_TEST

/* Nothing of the system's libraries is known to pkg-config. The objects stay, whose headers are the
 * same. */
START_TEST(libraries_need_no_root)
{
    if (!prepare())
        return;
    char download[512];
    snprintf(
        download, sizeof download,
        "cd '%s' && timeout 30 apt-get -qq -o Acquire::http::Timeout=5 download libjansson-dev "
        ">log 2>&1",
        temporary_path(""));
    if (system(download) != 0) {
        printf("nothing run: no package can be downloaded here\n");
        return;
    }
    as_user("export PKG_CONFIG_LIBDIR=/none PKG_CONFIG_PATH=\n"
            "refused user_make banner 2>$copy.says\n"
            "grep 'does not know libconfig jansson zlib' $copy.says\n"
            "user $copy/scripts/setup --local\n"
            "user $copy/scripts/setup run\n"
            "user_make 'MPI=0 METIS=0 -o $o/flags build'\n"
            "(cd $copy && user $o/cgsolve --quiet --output $o/results configs/quickstart.cfg)\n"
            "ldd $o/cgsolve $o/libcgsolve.so.0 >$o/needs; grep libm $o/needs\n"
            "refused grep 'libconfig\\|libjansson\\|libz' $o/needs\n");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {sources_may_be_read_only, libraries_need_no_root, NULL};
    return suite_of("main/ordinary_user", tests);
}
