/* scripts/run-suites, on suites of the test's own: shell scripts that print what Check and
 * tests/support.c would. */
#include "support.h"

#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

/* What every script begins with. `fake NAME BODY` makes a suite and adds it to $suites; each of its
 * runs leaves the seed in NAME.ran. A body ends with $passed, $idle or $failed, and $seed takes a
 * seed. `calls STATUS ARGUMENTS...` calls run-suites. `says TEXT` and `line REGEX` look into what
 * it printed, `ends` compares the end of that, from the first failure on, with the standard input.
 * `ran NAME N` counts the runs of a suite and their seeds. */
static const char before[] =
    "rm -rf $here; mkdir -p $here/tests/layer; suites=\n"
    "unset CGSOLVE_TEST_SEED CK_FORK REPEAT SUITES_AT_ONCE SUITE_SECONDS SUITE_PREFIX GPU_TOOL\n"
    "export here CGSOLVE_BUILD=$here/build\n"
    "fake() {\n"
    "    printf '#!/bin/sh\\necho $CGSOLVE_TEST_SEED >>$0.ran\\n%s\\n' \"$2\" >$here/tests/$1\n"
    "    chmod +x $here/tests/$1; suites=\"$suites $here/tests/$1\"\n"
    "}\n"
    "passed='echo 100%: Checks: 7, Failures: 0, Errors: 0; echo took 0.123 s'\n"
    "idle=\"echo nothing run: no GPU; $passed\"\n"
    "failed='echo 71%: Checks: 7, Failures: 1, Errors: 1\n"
    "echo tests/layer/test_a.c:12:F:sums:adds:0: 3: not 4\n"
    "echo tests/layer/test_a.c:34:E:sums:divides:0: \\(after this point\\) Received signal 8\n"
    "echo took 0.456 s; exit 1'\n"
    "seed='echo seed $CGSOLVE_TEST_SEED \"(CGSOLVE_TEST_SEED repeats it)\"'\n"
    "calls() {\n"
    "    wanted=$1; shift; status=0\n"
    "    scripts/run-suites \"$@\" >$here/said 2>$here/errors || status=$?\n"
    "    cat $here/said $here/errors; test $status = $wanted\n"
    "}\n"
    "says() { grep -F -e \"$1\" $here/said; }\n"
    "line() { grep -x -e \"$1\" $here/said; }\n"
    "ends() { cat >$here/end; sed -n '/^FAILED/,$p' $here/said | diff $here/end -; }\n"
    "last() { test \"$(tail -n 1 $here/said)\" = \"$1\"; }\n"
    "ran() {\n"
    "    test $(wc -l <$here/tests/$1.ran) = $2; test $(sort -u $here/tests/$1.ran | wc -l) = $2\n"
    "}\n";

static void shell(const char *script)
{
    char command[8192];
    const char *log = temporary_path("log");
    int length = snprintf(command, sizeof command, "exec >'%s' 2>&1; here='%s'; set -ex\n%s%s", log,
                          temporary_path("suites"), before, script);
    ck_assert_int_lt(length, sizeof command);
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "failed: %s", file_text(log));
}

START_TEST(a_failure_is_told_and_stops_no_suite)
{
    shell("fake layer/test_a \"$seed; $failed\"; fake layer/test_b \"$passed\"\n"
          "fake layer/test_c \"$idle\"; export SUITES_AT_ONCE=1\n"
          "CGSOLVE_TEST_SEED=42 calls 1 once $suites\n"
          "line '.1 of 3. layer/test_a  *0.456 s  FAILED'\n"
          "line '.2 of 3. layer/test_b  *0.123 s  7 checks'\n"
          "line '.3 of 3. layer/test_c  *0.123 s  nothing run: no GPU'\n"
          "ends <<END\n"
          "FAILED layer/test_a\n"
          "    tests/layer/test_a.c:12: adds: 3: not 4\n"
          "    tests/layer/test_a.c:34: divides: (after this point) Received signal 8\n"
          "    make test ONLY=layer/test_a CGSOLVE_TEST_SEED=42\n"
          "    all that it printed: $here/tests/layer/test_a.log\n"
          "1 passed, 1 had nothing to run, 1 failed\n"
          "END\n"
          "grep '^seed 42 ' $here/tests/layer/test_a.log\n"
          "for name in a b c; do ran layer/test_$name 1; done\n"
          /* a seed of its own, the same for all */
          "rm $here/tests/layer/*.ran; REPEAT='make test CUDA=0' calls 1 once $suites\n"
          "seed=$(cat $here/tests/layer/*.ran | sort -u); test $seed -gt 42\n"
          "says \"    make test CUDA=0 ONLY=layer/test_a CGSOLVE_TEST_SEED=$seed\"\n");
}
END_TEST

START_TEST(all_pass)
{
    shell("fake layer/test_a \"$passed\"; fake layer/test_b \"$seed; $passed\"\n"
          "calls 0 once $suites\n"
          "last '2 passed, 0 had nothing to run, 0 failed'; ! says FAILED\n"
          "ran layer/test_a 1; ran layer/test_b 1\n");
}
END_TEST

START_TEST(a_suite_that_dies_has_failed)
{
    shell(
        "fake layer/test_a 'for k in 1 2 3 4 5 6; do echo the line $k; done; exit 139'\n"
        "fake layer/test_b \"echo nothing run: no GPU; exit 139\"; fake layer/test_c \"$passed\"\n"
        "export CGSOLVE_TEST_SEED=7 SUITES_AT_ONCE=1; calls 1 once $suites\n"
        "ends <<END\n"
        "FAILED layer/test_a\n"
        "    the line 2\n    the line 3\n    the line 4\n    the line 5\n    the line 6\n"
        "    make test ONLY=layer/test_a CGSOLVE_TEST_SEED=7\n"
        "    all that it printed: $here/tests/layer/test_a.log\n"
        "FAILED layer/test_b\n"
        "    nothing run: no GPU\n"
        "    make test ONLY=layer/test_b CGSOLVE_TEST_SEED=7\n"
        "    all that it printed: $here/tests/layer/test_b.log\n"
        "1 passed, 0 had nothing to run, 2 failed\n"
        "END\n");
}
END_TEST

/* The slow one ends when it has been told. */
START_TEST(a_slow_suite_is_told)
{
    shell("fake layer/test_slow \"until grep '^running: layer/test_slow ' $here/said; do\n"
          "    sleep 0.1\ndone; $passed\"\n"
          "TELL_SECONDS=0.2 calls 0 once $suites\n"
          "last '1 passed, 0 had nothing to run, 0 failed'\n");
}
END_TEST

/* Host suites wait for each other. A device suite looks whether they have ended, and whether
 * another one holds the device. The waits end what would hang, or give a fault time to show. */
START_TEST(device_suites_run_last_and_alone)
{
    shell("device='test $CK_FORK:$by = no:tool && test $(ls $here/tests/*.ended | wc -l) = 3 &&\n"
          "    mkdir $here/device || exit 1\n"
          "sleep 0.2; rmdir $here/device'\n"
          "host='test \"$CK_FORK:$by\" = :prefix || exit 1; : >$0.began; k=0\n"
          "until [ $(ls $here/tests/*.began | wc -l) = 3 ]; do\n"
          "    k=$((k + 1)); [ $k -lt 36000 ] || exit 1; sleep 0.1\n"
          "done\n"
          "sleep 0.1; : >$0.ended'\n"
          "for name in a_cuda cuda_b; do fake test_$name \"$device; $passed\"; done\n"
          "for name in c d e; do fake test_$name \"$host; $passed\"; done\n"
          "export SUITES_AT_ONCE=3 GPU_TOOL='env by=tool' SUITE_PREFIX='env by=prefix'\n"
          "calls 0 once $suites\n"
          "last '5 passed, 0 had nothing to run, 0 failed'\n");
}
END_TEST

START_TEST(a_device_suite_that_hangs_is_ended)
{
    shell("command -v timeout || exit 0\n"
          "fake layer/test_cuda \"sleep 60; $passed\"\n"
          "SUITE_SECONDS=1 calls 1 once $suites\n"
          "line '.1 of 1. layer/test_cuda  *s  FAILED'\n"
          "last '0 passed, 0 had nothing to run, 1 failed'\n");
}
END_TEST

START_TEST(a_suite_runs_with_its_number_of_seeds)
{
    shell("export SUITE_PREFIX='env by=prefix'\n"
          "quick=\"test \\$by = prefix || exit 1; $seed; $passed\"\n"
          "fake layer/test_quick \"$quick\"; fake layer/test_slow \"$seed; echo took 1.000 s\"\n"
          "fake layer/test_plain \"$passed\"; fake layer/test_cuda \"$seed; $passed\"\n"
          "seeds() {\n"
          "    calls 0 seeds $1 $suites; ran layer/test_quick $2; ran layer/test_slow $3\n"
          "    ran layer/test_plain 1; test ! -e $here/tests/layer/test_cuda.ran\n"
          "    last \"$(($2 + $3)) passed, 0 failed\"\n"
          "}\n"
          "seeds 3 3 1\n"
          "line 'layer/test_quick: 3 seeds, 0 failed'; line 'layer/test_slow: 1 seeds, 0 failed'\n"
          "! says layer/test_plain\n"
          "seeds 3 3 1; test $(wc -l <$here/said) = 1\n"
          "seeds 11 11 2; line 'layer/test_quick: 11 seeds, 0 failed'\n");
}
END_TEST

START_TEST(a_seed_that_fails_is_named)
{
    shell("second=\"[ \\$(wc -l <\\$0.ran) != 2 ] || { $failed; }\"\n"
          "fake layer/test_a \"$seed; $second; $passed\"; export SUITES_AT_ONCE=1\n"
          "calls 1 seeds 3 $suites; ran layer/test_a 3\n"
          "ends <<END\n"
          "FAILED layer/test_a\n"
          "    tests/layer/test_a.c:12: adds: 3: not 4\n"
          "    tests/layer/test_a.c:34: divides: (after this point) Received signal 8\n"
          "    make test ONLY=layer/test_a CGSOLVE_TEST_SEED=$(sed -n 2p $here/tests/*/*.ran)\n"
          "layer/test_a: 3 seeds, 1 failed\n"
          "FAILED layer/test_a: 1 of 3 seeds\n"
          "2 passed, 1 failed\n"
          "END\n"
          "calls 1 seeds 3 $suites; ran layer/test_a 3\n"
          "ends <<END\n"
          "FAILED layer/test_a: 1 of 3 seeds\n"
          "2 passed, 1 failed\n"
          "END\n");
}
END_TEST

/* The seed that a suite said may be lost with it. */
START_TEST(a_suite_that_dies_has_failed_with_its_seed)
{
    shell(
        "fake layer/test_a \"$seed; kill -KILL \\$\\$\"; fake layer/test_b 'echo lost; exit 139'\n"
        "fake layer/test_c \"$failed\"; calls 1 seeds 3 $suites\n"
        "says '    lost'; says '    tests/layer/test_a.c:12: adds: 3: not 4'\n"
        "for name in a b c; do\n"
        "    ran layer/test_$name 1; seed=$(cat $here/tests/layer/test_$name.ran)\n"
        "    line \"    make test ONLY=layer/test_$name CGSOLVE_TEST_SEED=$seed\"\n"
        "done\n"
        "last '0 passed, 3 failed'; calls 1 seeds 3 $suites; last '0 passed, 3 failed'\n");
}
END_TEST

START_TEST(wrong_usage_is_refused)
{
    shell("fake layer/test_a \"$passed\"\n"
          "refused() { calls 2 \"$@\"; grep -F -e \"$text\" $here/errors; test ! -s $here/said; }\n"
          "text='usage: scripts/run-suites once SUITE... | seeds N SUITE...'\n"
          "refused; refused once; refused seeds; refused seeds 3; refused twice $suites\n"
          "for count in '' 0 03 -1 x 1.5; do\n"
          "    text=\"N=$count: must be a whole number\"; refused seeds \"$count\" $suites\n"
          "done\n"
          "test ! -e $here/tests/layer/test_a.ran\n");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_failure_is_told_and_stops_no_suite,
                            all_pass,
                            a_suite_that_dies_has_failed,
                            a_slow_suite_is_told,
                            device_suites_run_last_and_alone,
                            a_device_suite_that_hangs_is_ended,
                            a_suite_runs_with_its_number_of_seeds,
                            a_seed_that_fails_is_named,
                            a_suite_that_dies_has_failed_with_its_seed,
                            wrong_usage_is_refused,
                            NULL};
    return suite_of("main/run_suites", tests);
}
