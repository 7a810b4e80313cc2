/* The vectors of a solve on a GPU on the way, by a kernel that makes p while it multiplies and by
 * one that does not: bit for bit those of the CPU, in odd iterations too. */
#include "support.h"

#include "main/program.h"
#include "spmv/kernel.h"

#include <stdio.h>

START_TEST(the_vectors_of_the_cpu)
{
    const char *reason = kernel_unavailable(kernel_find("cuda_sym_bitwise"));
    if (reason) {
        printf("nothing run: %s\n", reason);
        return;
    }
    const char *config = temporary_file(
        "trace.cfg",
        "problem = { type = \"poisson3d\"; n = [31, 20, 11]; jump = 100; };\n"
        "kernels = ( \"cpu_sym_bitwise\", \"cuda_sym_bitwise\",\n"
        "    { name = \"cuda_sym_bitwise\"; label = \"general\"; form = \"general\"; },\n"
        "    { name = \"cuda_csr_subwarp\"; threads_per_row = 1; } );\n"
        "solver = { max_iterations = 41; };\n"
        "trace = { every = 3; vectors = [\"r\", \"x\", \"p\", \"q\"]; keep = \"values\"; };\n",
        -1);
    const char *directory = temporary_path("traced");
    expect_exit(run_program("--quiet --output %s %s", directory, config), 1);
    static const char *const labels[] = {"cuda_sym_bitwise", "general", "cuda_csr_subwarp"};
    for (int k = 0; k < 3; k++) {
        struct outcome *outcome =
            run_program("trace-diff %s,cpu_sym_bitwise,1 %s,%s,1", directory, directory, labels[k]);
        expect_exit(outcome, 0);
        expect_text(outcome->output, "56 vectors compared, no bit differs");
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_vectors_of_the_cpu, NULL};
    return suite_of("main/trace_cuda", tests);
}
