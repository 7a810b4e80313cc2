/* A new problem is one file and one line: the example of docs/architecture.md is added to a copy of
 * the sources, built, and found in the help, in a config, in messages, in settings.cfg and
 * summary.json, and solved; and its declaration is held against the rules for all. */
#include "support.h"

#include "main/copy.h"
#include "main/program.h"

START_TEST(one_file_and_one_line)
{
    if (program_is_sanitized())
        return;
    copy_sources();
    shell("mkdir -p $copy/tests/base\n"
          "cp -p tests/base/test_options.c $copy/tests/base/\n"
          "cp docs/example/ring.c $copy/src/problem/\n"
          "echo 'PROBLEM(ring)' >> $copy/src/problem/problems.def\n"
          "quick_make test\n");
    shell(
        "cd $copy\n"
        "./cgsolve --help problem >help\n"
        "grep 'ring: a closed chain of nodes' help\n"
        "grep 'With problem.type = \"ring\":' help\n"
        "./cgsolve --help problem.stiffness | grep 'problem.stiffness: a real in (0, 1e+06]'\n"
        "refused() {\n"
        "  if ./cgsolve --check-config --set \"problem={ $1 }\" configs/quickstart.cfg 2>says; "
        "then return 1; fi\n"
        "  grep \"$2\" says\n"
        "}\n"
        "refused 'type=\"ring\"; n=2;' 'problem.n wants a whole number, 3..2147483647, not 2'\n"
        "refused 'type=\"rink\";' \"or .ring., not .rink.; did you mean 'ring'\"\n"
        "refused 'type=\"ring\"; n=9; jump=2;' 'problem.jump is for type .poisson3d., not .ring.'\n"
        "./cgsolve --output out --set 'problem={ type=\"ring\"; n=12; stiffness=2; shift=0.5; }' "
        "--set rhs.type=random configs/quickstart.cfg >says\n"
        "grep 'problem   ring, 12 nodes, stiffness 2, shift 0.5' says\n"
        "grep 'n = 12, 36 entries' says\n"
        "grep '    stiffness = 2.0;' out/settings.cfg\n"
        "grep '\"type\": \"ring\"' out/summary.json\n"
        "./cgsolve --check-config out/settings.cfg\n");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {one_file_and_one_line, NULL};
    return suite_of("main/new_problem", tests);
}
