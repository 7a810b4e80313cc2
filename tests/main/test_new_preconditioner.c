/* A new preconditioner is one file and one line: the example of docs/preconditioners.md is added to
 * a copy of the sources, built, found in the help, in a config, in messages, in settings.cfg and
 * summary.json, and solved with; and the rules for all hold for it. */
#include "support.h"

#include "main/copy.h"
#include "main/program.h"

START_TEST(one_file_and_one_line)
{
    if (program_is_sanitized())
        return;
    copy_sources();
    shell("mkdir -p $copy/tests/base $copy/tests/solver\n"
          "cp -p tests/base/test_options.c $copy/tests/base/\n"
          "cp -p tests/solver/solve.[ch] tests/solver/test_time.c $copy/tests/solver/\n"
          "cp docs/example/richardson.c $copy/src/precondition/\n"
          "echo 'PRECONDITIONER(richardson)' >> $copy/src/precondition/preconditioners.def\n"
          "quick_make test\n");
    shell("cd $copy\n"
          "./cgsolve --help preconditioner >help\n"
          "tr -s ' \\n' ' ' <help | grep '\"multigrid\" or \"richardson\"; default none'\n"
          "grep 'With solver.preconditioner.type = \"richardson\":' help\n"
          "grep 'solver.preconditioner.omega: a real in (0, 1e+150]; may be left out' help\n"
          "refused() {\n"
          "  if ./cgsolve --check-config --set \"solver.preconditioner={ $1 }\" "
          "configs/quickstart.cfg 2>says; then return 1; fi\n"
          "  grep \"$2\" says\n"
          "}\n"
          "refused 'type=\"richardson\"; omega=0;' 'omega wants a real in (0, 1e+150], not 0'\n"
          "refused 'type=\"jacobi\"; omega=8;' 'omega is for type .richardson., not .jacobi.'\n"
          "refused 'type=\"richardsen\";' \"did you mean 'richardson'\"\n");
    /* a little more than half of the bound, 12, is enough too */
    shell("cd $copy\n"
          "solve() {\n"
          "  ./cgsolve --set 'kernels=(\"cpu_sym_bitwise\")' --set output.report=false "
          "--set problem.n=8 --set problem.jump=1 --set \"solver.preconditioner={ $1 }\" "
          "--output made --details configs/quickstart.cfg >says\n"
          "  grep '\"reason\": \"converged\"' made/summary.json\n"
          "  grep '\"distinct_histories\": 1' made/summary.json\n"
          "  iterations=$(sed -n 's/.*\"median\": \\([0-9]*\\).*/\\1/p' made/summary.json)\n"
          "}\n"
          "solve 'type=\"none\";'\n"
          "without=$iterations\n"
          "solve 'type=\"richardson\";'\n"
          "grep 'preconditioner richardson: omega 12' says\n"
          "grep '\"omega\": null' made/summary.json\n"
          "grep '\"products_per_iteration\": 2' made/summary.json\n"
          "[ $iterations -lt $without ]\n"
          "solve 'type=\"richardson\"; omega=6.5;'\n"
          "grep '        omega = 6.5;' made/settings.cfg\n"
          "grep '\"omega\": 6.5' made/summary.json\n"
          "[ $iterations -lt $without ]\n"
          "./cgsolve --check-config made/settings.cfg\n");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {one_file_and_one_line, NULL};
    return suite_of("main/new_preconditioner", tests);
}
