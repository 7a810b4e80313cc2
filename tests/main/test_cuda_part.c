/* The CUDA part as the program loads it: one of another build is refused with a sentence, and the
 * program goes on with its CPU kernels. */
#include "support.h"

#include "main/mtx_texts.h"
#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* A part without entries. MORE: bytes of another version of the table. */
static const char source[] =
    "#include <stddef.h>\n"
    "struct part { size_t size; const char *version, *built; const void *(*find)(const char *);\n"
    "              char more[MORE]; };\n"
    "static const void *find(const char *name) { return name ? NULL : find; }\n"
    "static const struct part part = {offsetof(struct part, more) + MORE, VERSION, \"by hand\",\n"
    "                                 find};\n"
    "const void *ENTRY(const void *host) { return host ? HAS : NULL; }\n";

/* Its path; valid until the next call. */
static const char *make_part(const char *version, const char *flags)
{
    char command[2048];
    const char *from = temporary_file("part.c", source, -1), *path = temporary_path("part.so");
    snprintf(command, sizeof command, "${CC:-gcc} -shared -fPIC -DVERSION='\"%s\"' %s -o %s %s",
             version, flags, path, from);
    int ended = system(command);
    ck_assert_msg(WIFEXITED(ended) && WEXITSTATUS(ended) == 0, "%s", command);
    return path;
}

/* What `version` says of CUDA with that part; valid until the next call. */
static const char *told(const char *part)
{
    static char line[512];
    setenv("CGSOLVE_CUDA_PART", part, 1);
    struct outcome *outcome = run_program("version");
    unsetenv("CGSOLVE_CUDA_PART");
    expect_exit(outcome, 0);
    const char *at = strstr(outcome->output, "\nCUDA: ");
    ck_assert_ptr_nonnull(at);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at + 7, "\n"), at + 7);
    return line;
}

#define PLAIN "-DENTRY=cgsolve_cuda_part -DMORE=0 -DHAS='&part'"

/* As the program tells it of a part of another one. */
static const char *version_of_program(void)
{
    static char version[64];
    const char *line = told(make_part("0", PLAIN));
    ck_assert_int_eq(
        sscanf(line, "none: libcgsolve_cuda.so is of version 0, this is %63s", version), 1);
    return version;
}

START_TEST(another_build_is_refused)
{
    char wanted[256];
    if (program_is_sanitized())
        return;
    const char *version = version_of_program();
    ck_assert_str_eq(told(make_part(version, PLAIN)), "by hand");
    snprintf(wanted, sizeof wanted, "none: libcgsolve_cuda.so is of version %s, this is %s",
             version, version);
    ck_assert_str_eq(told(make_part(version, "-DENTRY=cgsolve_cuda_part -DMORE=8 -DHAS='&part'")),
                     wanted);
    expect_text(told(make_part(version, "-DENTRY=other -DMORE=0 -DHAS='&part'")),
                "undefined symbol: cgsolve_cuda_part");
    ck_assert_str_eq(told(make_part(version, "-DENTRY=cgsolve_cuda_part -DMORE=0 -DHAS=NULL")),
                     "none: another cgsolve in this process has libcgsolve_cuda.so");
    ck_assert_str_eq(told("/none/here.so"), "none: /none/here.so: cannot open shared object file: "
                                            "No such file or directory");
}
END_TEST

static void expect_skipped(const char *part, const char *why)
{
    const char *matrix = temporary_file("wide.mtx", mtx_wide, -1);
    setenv("CGSOLVE_CUDA_PART", part, 1);
    struct outcome *outcome = run_program(
        "bench --rounds 1 --threads 1 --matrix %s --kernels cpu_csr,cuda_csr_scalar", matrix);
    unsetenv("CGSOLVE_CUDA_PART");
    expect_exit(outcome, 0);
    expect_text(outcome->output, "\ncpu_csr          PASS ");
    expect_text(outcome->output, "\ncuda_csr_scalar  skipped  ");
    expect_text(outcome->output, why);
}

START_TEST(a_kernel_says_why_it_is_not_there)
{
    if (program_is_sanitized())
        return;
    expect_skipped(make_part("0", PLAIN), "libcgsolve_cuda.so is of version 0, this is ");
    expect_skipped(make_part(version_of_program(), PLAIN), "not in libcgsolve_cuda.so\n");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {another_build_is_refused, a_kernel_says_why_it_is_not_there, NULL};
    return suite_of("main/cuda_part", tests);
}
