/* What make decides before it builds: from a toolkit, GPUs and libraries of the test's own. Nothing
 * is compiled. */
#include "support.h"

#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* A tree that nothing was built in, an nvcc and a /dev. `gpus ARCH...` makes an nvidia-smi, `tells
 * TARGET VARIABLE=VALUE...` is what make would do. */
static const char machine[] =
    "unset MAKEFLAGS MAKELEVEL MFLAGS CUDA_ARCH CUDA VARIANT; rm -rf $here\n"
    "mkdir -p $here/tree $here/bin $here/cuda/bin $here/dev\n"
    "for f in Makefile make bench configs docs include python scripts share src tests; do\n"
    "    ln -s \"$PWD/$f\" $here/tree/$f\n"
    "done\n"
    "program() { { echo '#!/bin/sh'; cat; } >$1; chmod +x $1; }\n"
    "program $here/cuda/bin/nvcc <<'END'\n"
    "case $1 in --version) echo 'tools, release 13.0, V13.0.88' ;;\n"
    "*) printf 'compute_%s\\n' 75 86 90 120 ;; esac\n"
    "END\n"
    "gpus() { echo \"printf '%s\\n' $*\" | program $here/bin/nvidia-smi; }\n"
    "tells() {\n"
    "    PATH=$here/bin:$PATH make -n V=1 MPI=0 METIS=0 -C $here/tree CUDA_HOME=$here/cuda "
    "DEVICES=$here/dev \"$@\"\n"
    "}\n"
    "gpus; ";

static const char *told(const char *script, int *status)
{
    char command[8192];
    const char *log = temporary_path("log");
    int length = snprintf(command, sizeof command, "exec >'%s' 2>&1; here='%s'\n%s%s", log,
                          temporary_path("make"), machine, script);
    ck_assert_int_lt(length, sizeof command);
    int ended = system(command);
    ck_assert(WIFEXITED(ended));
    *status = WEXITSTATUS(ended);
    return file_text(log);
}

/* The script must succeed and tell these texts one behind the other, but not `never`. */
static void expect_told(const char *script, const char *const *in_order, const char *never)
{
    int status;
    const char *text = told(script, &status), *place = text;
    ck_assert_msg(status == 0, "%s: %s", script, text);
    for (; *in_order; in_order++) {
        place = strstr(place, *in_order);
        ck_assert_msg(place != NULL, "%s: no \"%s\" in its place", script, *in_order);
    }
    ck_assert_msg(!never || !strstr(text, never), "%s: \"%s\"", script, never);
}

#define WITHOUT "CUDA: off (CUDA=0)"
#define NO_GPU "but no GPU is here: building without; CUDA=1 builds with it"
#define WITH "CUDA: 13.0 at "
#define NVCC "cuda/bin/nvcc -" /* a file that it compiles */
#define TABLE "cgsolve configs/quickstart.cfg"

START_TEST(the_first_table_waits_for_no_cuda_kernel)
{
    static const char *const no_gpu[] = {WITH, NO_GPU, TABLE, NULL};
    static const char *const gpu[] = {WITHOUT, TABLE, "builds the CUDA kernels too", WITH, NULL};
    static const char *const with[] = {WITH, ", sm_", TABLE, NULL};
    expect_told("tells run", no_gpu, NVCC);
    expect_told(": >$here/dev/nvidiactl; tells run", no_gpu, NVCC);
    expect_told(": >$here/dev/nvidia0; tells run", gpu, NULL);
    expect_told("gpus 9.0; tells run", gpu, NULL);
    expect_told("tells run CUDA=1", with, WITHOUT);
    expect_told("tells", (const char *const[]){WITH, NO_GPU, NULL}, NVCC);
    expect_told("tells VARIANT=lint objects", (const char *const[]){WITH, NVCC, NULL}, NO_GPU);
    /* built with CUDA before, and in a directory that is not two */
    expect_told("mkdir -p $here/tree/build/release-cuda; : >$here/tree/build/release-cuda/cgsolve; "
                "gpus 9.0; tells run",
                with, WITHOUT);
    expect_told("gpus 9.0; tells run O=$here/o", with, WITHOUT);
}
END_TEST

START_TEST(code_is_for_the_gpus_that_are_here)
{
    static const struct {
        const char *script, *archs;
    } given[] = {
        {"gpus 9.0 8.6 9.0; tells banner", ", sm_86 sm_90'"},
        {"gpus 10.3 12.0; tells banner", ", sm_120'"}, /* nvcc does not know 103 */
        {"gpus 6.1; tells banner", ", sm_90'"},
        {"gpus '[N/A]' 'Field \"compute_cap\" is not valid'; tells banner CUDA=1", ", sm_90'"},
        {"tells banner CUDA=1", ", sm_90'"},
        {"gpus 8.6; tells banner CUDA_ARCH='90a 120f'", ", sm_90a sm_120f'"},
    };
    for (size_t k = 0; k < sizeof given / sizeof *given; k++)
        expect_told(given[k].script, (const char *const[]){given[k].archs, NULL}, NULL);
    int status;
    const char *text = told("tells banner CUDA_ARCH='61 90'", &status);
    ck_assert_int_ne(status, 0);
    expect_text(text, "CUDA_ARCH=61 90: nvcc 13.0 knows 75 86 90 120.");
}
END_TEST

/* The flags that its objects hang on, which `make -n` notes too. */
START_TEST(a_build_without_cuda_is_one)
{
    expect_told("noted() { tells banner $1 && cp $here/tree/build/release/flags.new $here/$2; }\n"
                "noted NVCCFLAGS=-O1 auto; noted CUDA=0 off; noted CFLAGS=-O1 other\n"
                "grep -q fopenmp-simd $here/auto && cmp $here/auto $here/off &&\n"
                "    ! cmp -s $here/off $here/other",
                (const char *const[]){WITH, NO_GPU, WITHOUT, NULL}, NULL);
}
END_TEST

START_TEST(libraries_come_from_where_they_are_told)
{
    static const char pc[] = "export PKG_CONFIG_LIBDIR=$here/none PKG_CONFIG_PATH=; cd $here\n"
                             "for name in libconfig jansson zlib; do\n"
                             "    printf 'prefix=${pcfiledir}/../../..\\nName: a\\nDescription: "
                             "a\\nVersion: 1\\nLibs: -L${prefix}/lib -lmy%s\\n' $name "
                             ">$here/$name.pc\n"
                             "done\n";
    char script[2048];
    int status;
    const char *text = told("tells banner CUDA=0 PKG_CONFIG=false", &status);
    expect_text(text, "pkg-config does not know libconfig jansson zlib. A build needs libconfig, "
                      "jansson and zlib; all else is optional.");
    expect_text(text, "without root, scripts/setup --local");
    snprintf(script, sizeof script, "%stells build CUDA=0 PKG_CONFIG_PATH=$here", pc);
    expect_told(script, (const char *const[]){" -lmylibconfig -lmyjansson ", " -lmyzlib ", NULL},
                "does not know");
    snprintf(script, sizeof script,
             "%smkdir -p tree/.local/usr/lib/here; mkdir tree/.local/usr/lib/here/pkgconfig\n"
             "mv *.pc tree/.local/usr/lib/here/pkgconfig; tells build CUDA=0",
             pc);
    expect_told(script,
                (const char *const[]){"/tree/.local/usr/lib/here/pkgconfig/../../../lib ",
                                      " -lmylibconfig -lmyjansson ", " -lmyzlib ", NULL},
                "does not know");
}
END_TEST

START_TEST(sources_and_builds_have_their_places)
{
    int status;
    const char *text = told("cd $here; make -f tree/Makefile help", &status);
    expect_text(text, "The sources are not in ");
    expect_text(text, ": make -C tree/ O=DIR builds them elsewhere.");
    ck_assert_int_ne(status, 0);
    text = told("tells banner O=\"$here/a b\"", &status);
    expect_text(text, "/a b: must be a name without blanks.");
    ck_assert_int_ne(status, 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {
        sources_and_builds_have_their_places,    the_first_table_waits_for_no_cuda_kernel,
        code_is_for_the_gpus_that_are_here,      a_build_without_cuda_is_one,
        libraries_come_from_where_they_are_told, NULL};
    return suite_of("main/make", tests);
}
