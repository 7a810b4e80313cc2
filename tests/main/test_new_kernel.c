/* A new kernel is one file and one line: the example of docs/architecture.md is added to a copy of
 * the sources, built, listed, and put through the kernel tests like every other; and then it breaks
 * its promise of equal bits. */
#include "support.h"

#include "main/copy.h"
#include "main/program.h"

START_TEST(one_file_and_one_line)
{
    if (program_is_sanitized())
        return;
    copy_sources();
    shell("mkdir -p $copy/tests/spmv\n"
          "cp -p tests/spmv/test_kernels.c $copy/tests/spmv/\n"
          "cp -p tests/spmv/every_kernel.[ch] tests/spmv/precision.[ch] $copy/tests/spmv/\n"
          "cp docs/example/cpu_csr_descending.c $copy/src/spmv/baseline/\n"
          "echo 'KERNEL(cpu_csr_descending)' >> $copy/src/spmv/kernels.def\n");
    shell("cd $copy\n"
          "CGSOLVE_TEST_KERNEL=cpu_csr_descending; export CGSOLVE_TEST_KERNEL\n"
          "quick_make test\n"
          "./cgsolve --list-kernels | grep cpu_csr_descending\n"
          "./cgsolve --set 'kernels=(\"cpu_csr_descending\")' --set repeats=1 --set problem.n=8 "
          "configs/quickstart.cfg\n");
    /* the same kernel with a disturbed tenth product, which breaks its promise */
    shell("cd $copy\n"
          "kernel=src/spmv/baseline/cpu_csr_descending.c\n"
          "sed 's/y.i. = sum;/static int calls; y[i] = i == 0 \\&\\& ++calls == 10 ? sum * (1 + "
          "0x1p-20) : sum;/' docs/example/cpu_csr_descending.c >$kernel\n"
          "grep calls $kernel\n"
          "quick_make build\n"
          "status=0\n"
          "./cgsolve --quiet --set 'kernels=(\"cpu_csr_descending\")' --set problem.n=8 "
          "configs/quickstart.cfg >says || status=$?\n"
          "[ $status = 1 ]\n"
          "grep 'cpu_csr_descending: PROMISE BROKEN: .* 8 runs have 2: .* iteration 10 on' says\n");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {one_file_and_one_line, NULL};
    return suite_of("main/new_kernel", tests);
}
