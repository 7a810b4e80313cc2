/* scripts/prove-bitwise finds a history or a product too many, by whichever kernel: a program that
 * changes one number of a run stands between the script and ./cgsolve. */
#include "support.h"

#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

/* What every script begins with. `prove STATUS` calls prove-bitwise, `says TEXT` looks into what it
 * printed; `residual LABEL` and `solution LABEL` spoil those of a kernel from there on, with two
 * threads only, and `result LABEL COLUMNS` the hash of its products. */
static const char before[] =
    "rm -rf $here; mkdir $here\n"
    "cat >$here/spoiler <<'END'\n"
    "#!/bin/sh\n"
    "status=0; \"$REAL\" \"$@\" || status=$?\n"
    "if [ \"$3 $6\" = '2 --output' ]; then\n"
    "    sed -i \"$SPOIL\" \"$7\"/*/history.csv \"$7\"/*/summary.json\n"
    "elif [ \"$1 $3\" = 'bench --output' ]; then\n"
    "    sed -i \"$SPOIL\" \"$4\"\n"
    "fi\n"
    "exit $status\n"
    "END\n"
    "chmod +x $here/spoiler; export SPOIL= REAL=$CGSOLVE CGSOLVE=$here/spoiler\n"
    "export PROBLEMS=fe-cube-7 RUNS=1 PROCESSES=1 THREADS='1 2' RANKS= ITERATIONS=20\n"
    "prove() {\n"
    "    status=0; scripts/prove-bitwise >$here/said 2>&1 || status=$?\n"
    "    cat $here/said; test $status = $1\n"
    "}\n"
    "says() { grep -F -e \"$1\" $here/said; }\n"
    "residual() { SPOIL=\"s/^\\($1,1,3,[^,]*,[^p]*\\)p/\\11p/\"; }\n"
    "solution() { SPOIL=\"/\\\"name\\\": \\\"$1\\\"/,/solution_hash/s/\\(solution_hash\\\": "
    "\\\"\\)../\\1--/\"; }\n"
    "result() { SPOIL=\"/,$1 threads=2 columns=$2,/s/,[0-9a-f]\\{16\\},/,0123456789abcdef,/\"; }\n";

static void shell(const char *script)
{
    char command[8192];
    const char *log = temporary_path("log");
    snprintf(command, sizeof command, "exec >'%s' 2>&1; here='%s'; set -ex\n%s%s", log,
             temporary_path("prove"), before, script);
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "failed: %s", file_text(log));
}

/* As each kernel is called in the table. */
#define LABELS                                                                                     \
    "cpu_csr cpu_sym 'cpu_sym_bitwise general' cpu_sym_exact 'cpu_sym_exact with exact sums' "     \
    "'cpu_sym_exact with exact sums rcm'"

START_TEST(three_histories_are_proved)
{
    if (program_is_sanitized())
        return;
    shell("prove 0\n"
          "for label in " LABELS
          "; do grep \"^fe-cube-7  *$label  *1 2  *2  *1  \" $here/said; done\n"
          "test $(sed -n 's/^fe-cube-7.* 1  //p' $here/said | sort -u | wc -l) = 3\n"
          "for label in cpu_csr cpu_sym 'cpu_sym_bitwise general'; do\n"
          "    grep \"^fe-cube-7  *$label spmm  *1 2  *6  *3  \" $here/said\n"
          "done\n"
          "test $(sed -n 's/^fe-cube-7.* spmm .* 3  //p' $here/said | sort -u | wc -l) = 1\n"
          "grep '^fe-cube-7  *cpu_sddmm  *1 2  *6  *3  ' $here/said\n"
          "says '1 problems with at most 3 histories each: 3 histories of '; says ': proved'\n"
          "says '1 matrices with 2 results for each number of columns: 6 results of '\n");
}
END_TEST

START_TEST(another_residual_is_found)
{
    if (program_is_sanitized())
        return;
    shell("export VECTORS=\n"
          "for label in " LABELS "; do\n"
          "    residual \"$label\"; prove 1\n"
          "    says \"NOT one history: fe-cube-7, $label, threads 2, process 1, run 1: iteration "
          "3: 0x\"\n"
          "    says ': 4 histories of '; says ': NOT proved'; says 'The first difference: "
          "fe-cube-7'\n"
          "done\n");
}
END_TEST

START_TEST(another_solution_is_found)
{
    if (program_is_sanitized())
        return;
    shell("export VECTORS=\n"
          "for label in cpu_csr cpu_sym_exact 'cpu_sym_exact with exact sums rcm'; do\n"
          "    solution \"$label\"; prove 1\n"
          "    says \"fe-cube-7, $label, threads 2, process 1, run 1: the solution has the hash "
          "--\"\n"
          "done\n");
}
END_TEST

START_TEST(another_product_is_found)
{
    if (program_is_sanitized())
        return;
    shell(
        "for label in cpu_csr 'cpu_sym_bitwise general' cpu_sddmm; do\n"
        "    result \"$label\" 33; prove 1\n"
        "    says \"NOT one result: fe-cube-7, $label columns=33, threads 2, process 1: the result "
        "has the hash 0123456789abcdef, and by \"\n"
        "    says ': 7 results of '; says ': NOT proved'\n"
        "done\n");
}
END_TEST

START_TEST(an_unknown_problem_is_named)
{
    shell("PROBLEMS='one-row no-such'; prove 2\n"
          "says 'PROBLEMS: there is no no-such'\n");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {three_histories_are_proved,  another_residual_is_found,
                            another_solution_is_found,   another_product_is_found,
                            an_unknown_problem_is_named, NULL};
    return suite_of("main/prove_bitwise", tests);
}
