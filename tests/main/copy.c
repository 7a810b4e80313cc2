#include "main/copy.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

void shell(const char *script)
{
    const char *log = temporary_path("log");
    char command[4096];
    snprintf(command, sizeof command,
             "copy='%s'; IFS='\n'; exec >'%s' 2>&1; set -e\n"
             "unset ONLY SUITES MAKEFLAGS MAKELEVEL MFLAGS; built=${CGSOLVE_BUILD#\"$PWD/\"}\n"
             "quick_make() {\n"
             "  eval \"make -C '$copy' -j2 ${AS_BUILT:-CUDA=0} $1\"\n"
             "}\n%s",
             temporary_path("a copy"), log, script);
    int status = system(command);
    if (status != 0) {
        snprintf(command, sizeof command, "tail -n 30 '%s'", log);
        if (system(command) != 0)
            perror(log);
    }
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "failed: %s", script);
}

void copy_sources(void)
{
    shell("mkdir -p $copy/tests\n"
          "cp -Rp Makefile make scripts include src configs docs $copy/\n"
          "cp -p tests/*.[ch] $copy/tests/\n"
          "if [ -e $built/flags ]; then\n"
          "  find $built -name '*.[od]' -o -name 'flags*' | tar -cf - -T - | tar -xf - -C $copy\n"
          "fi\n");
}

const char *make_example_plugin(void)
{
    static char path[512];
    shell("mkdir -p $copy\n"
          "options='-Wall -Wextra -Werror'\n"
          "line=$(sed -n '/^    cc /,/[^\\]$/p' docs/plugins.md |\n"
          "       sed \"s| cc | ${CC:-cc} $options |; s| example.so| '$copy/example.so'|\")\n"
          "[ -n \"$line\" ]\n"
          "eval \"$line\"\n");
    snprintf(path, sizeof path, "%s/example.so", temporary_path("a copy"));
    return path;
}
