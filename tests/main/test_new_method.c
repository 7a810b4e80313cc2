/* A new method is a folder and one line: the example of docs/architecture.md, with a pass of its
 * own, is added to a copy of the sources, built, named where methods are, and solves like every
 * other. */
#include "support.h"

#include "main/copy.h"
#include "main/program.h"

START_TEST(a_folder_and_one_line)
{
    if (program_is_sanitized())
        return;
    copy_sources();
    shell("mkdir -p $copy/tests/solver\n"
          "cp -p tests/solver/test_methods.c $copy/tests/solver/\n"
          "mkdir $copy/src/solver/steepest_descent\n"
          "cp docs/example/steepest_descent* $copy/src/solver/steepest_descent/\n"
          "echo 'METHOD(steepest_descent)' >> $copy/src/solver/methods.def\n"
          "quick_make test\n");
    /* the help, and what its keys say */
    shell("cd $copy\n"
          "./cgsolve --help solver.method | grep '\"steepest_descent\"'\n"
          "./cgsolve --help solver.method | tr -s ' \\n' ' ' | "
          "grep 'steepest_descent: steepest descent, for a symmetric'\n"
          "./cgsolve --help solver.tolerance | tr -s ' \\n' ' ' | grep '\"richardson\" or "
          "\"steepest_descent\"'\n");
    /* a solve, whose bits are the kernel's affair, and a series of the method's own; then a matrix
     * that it does not take */
    shell("cd $copy\n"
          "call() {\n"
          "  ./cgsolve --set solver.method=steepest_descent --set output.report=false \"$@\"\n"
          "}\n"
          "call --set 'kernels=(\"cpu_sym_bitwise\")' --set problem.n=8 --set problem.jump=1 "
          "--set trace.every=5 --output made configs/quickstart.cfg | tee says\n"
          "grep -c ',[rx],' made/trace.csv\n"
          "grep 'solver    steepest_descent, ||r|| <= 1e-08 ||b||' says\n"
          "grep '\"method\": \"steepest_descent\"' made/summary.json\n"
          "grep '\"reason\": \"converged\"' made/summary.json\n"
          "grep '\"distinct_histories\": 1' made/summary.json\n"
          "[ \"$(head -n 1 made/history.csv)\" = "
          "kernel,run,iteration,residual,residual_hex,alpha,contraction ]\n"
          "sed -n 2p made/history.csv | grep ',,$'\n" /* row 0 has neither */
          "awk -F, 'NR > 2 && !($7 > 0 && ($7 - $4 / before) ^ 2 < 1e-24) { exit 1 }\n"
          "    { before = $4 } END { exit !(NR > 10) }' made/history.csv\n"
          "status=0\n"
          "call --set 'problem = { type = \"convection3d\"; n = 4; }' configs/quickstart.cfg "
          ">says 2>&1 || status=$?\n"
          "[ $status = 2 ]\n"
          "grep 'steepest descent needs a symmetric matrix, and this one is skew-symmetric: r' "
          "says\n");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_folder_and_one_line, NULL};
    return suite_of("main/new_method", tests);
}
