/* Histories held against a reference, by `cgsolve check` and by a config: every mode at its
 * boundary, what is said when something differs, and what is refused. */
#include "support.h"

#include "main/program.h"
#include "main/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A reference of before the methods had names is one of conjugate gradients, and another one says
 * so. */
START_TEST(another_method_is_named)
{
    static const char *const methods[] = {"", "# method: cg\n", "# method: minres\n"};
    prepare();
    const char *changed = changed_by(7, 1);
    char *text = strdup(file_text(changed));
    ck_assert_ptr_nonnull(text);
    char *line = strstr(text, "# method: cg\n"), *rest = line + strlen("# method: cg\n");
    ck_assert_ptr_nonnull(line);
    for (int k = 0; k < 3; k++) {
        size_t size = strlen(text) + 32;
        char *other = malloc(size);
        ck_assert_ptr_nonnull(other);
        snprintf(other, size, "%.*s%s%s", (int)(line - text), text, methods[k], rest);
        struct outcome *outcome =
            run_program("check --quiet %s %s", history, temporary_file("method.csv", other, -1));
        free(other);
        expect_exit(outcome, 1);
        if (k == 2)
            expect_text(outcome->output, "method: cg, in the reference minres\n");
        else
            ck_assert_ptr_null(strstr(outcome->output, "method: "));
    }
    free(text);
}
END_TEST

/* Every kernel of the CPU that promises equal bits, in both ways to ask. */
START_TEST(bitwise_kernels_pass)
{
    prepare();
    struct outcome *outcome =
        run_program("--output %s --threads 3 --set reference.history=%s "
                    "--set 'kernels=(\"cpu_csr\",\"cpu_sym\",\"cpu_sym_bitwise\","
                    "{name=\"cpu_sym_bitwise\";label=\"g\";form=\"general\";})' %s",
                    results, reference, config);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->errors, "");
    expect_text(outcome->output, "\n          cpu_sym: 2 runs pass, equal in every bit\n");
    expect_text(outcome->output, "\n          g: 2 runs pass, equal in every bit\n");
    ck_assert_ptr_null(strstr(outcome->output, "warning"));
    outcome = run_program("check %s %s", history, reference);
    expect_exit(outcome, 0);
    expect_text(outcome->output,
                "mode bitwise\n          cpu_csr: 2 runs pass, equal in every bit\n");
    outcome = run_program("check --quiet %s %s", reference, reference);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->output, "");
}
END_TEST

START_TEST(one_bit_is_found)
{
    prepare();
    char there[40], here[64];
    residual_of(7, there);
    const char *changed = changed_by(7, 1);
    struct outcome *outcome = run_program("check --quiet %s %s", changed, reference);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "cpu_csr, run 1: iteration 7 differs from ");
    expect_text(outcome->output, ": 1 ulp, ");
    snprintf(here, sizeof here, "    reference   %s = ", there);
    expect_text(outcome->output, here);
    expect_text(outcome->output, "mode bitwise: 1 of ");
    expect_text(outcome->output,
                "method, kernel, form, reductions, settings and version are the same\n");

    /* the other way round: the solve against a reference that was changed */
    outcome = run_program("--quiet --output %s --set reference.history=%s %s", results,
                          changed_by(7, 1), config);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "reference, run 1: iteration 7 differs from ");
    expect_text(outcome->output, "and 1 more of 2 runs of reference fail\n");
    expect_text(outcome->output, "cpu_sym_bitwise, run 1: iteration 7 differs from ");
    expect_text(outcome->output, "kernel: cpu_sym_bitwise, in the reference cpu_csr\n");
}
END_TEST

START_TEST(modes_at_their_boundary)
{
    prepare();
    char changed[256];
    snprintf(changed, sizeof changed, "%s", changed_by(5, -9));
    expect_exit(run_program("check --mode ulps --tolerance 9 %s %s", changed, reference), 0);
    expect_exit(run_program("check --mode ulps --tolerance 8 %s %s", changed, reference), 1);
    char from[40];
    residual_of(5, from);
    double value = strtod(from, NULL), relative = (value - ulps_away(value, -9)) / value;
    expect_exit(
        run_program("check --mode relative --tolerance %.17g %s %s", relative, changed, reference),
        0);
    expect_exit(run_program("check --mode relative --tolerance %.17g %s %s", relative * 0.999,
                            changed, reference),
                1);
    struct outcome *outcome =
        run_program("--output %s --set 'reference={history=\"%s\";mode=\"ulps\";tolerance=9;}' %s",
                    results, changed, config);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "runs pass, the farthest residual at iteration 5: 9 ulps, ");
    expect_exit(run_program("--output %s --set 'reference={history=\"%s\";mode=\"ulps\";"
                            "tolerance=8;}' %s",
                            results, changed, config),
                1);
}
END_TEST

START_TEST(counts_may_differ)
{
    prepare();
    char last[32], text[1 << 14];
    json_t *summary = read_summary(results);
    json_t *run = json_array_get(json_object_get(summary_kernel(summary, 0), "runs"), 0);
    int iterations = (int)json_integer_value(json_object_get(run, "iterations"));
    json_decref(summary);
    snprintf(last, sizeof last, "\ncpu_csr,1,%d,", iterations - 1);
    const char *whole = file_text(reference);
    snprintf(text, sizeof text, "%.*s", (int)(strstr(whole, last) + 1 - whole), whole);
    char shorter[256];
    snprintf(shorter, sizeof shorter, "%s", temporary_file("shorter.csv", text, -1));
    expect_exit(run_program("check --iterations 2 %s %s", shorter, reference), 0);
    struct outcome *outcome = run_program("check --iterations 2 %s %s", reference, shorter);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "equal in every bit; the counts differ by 2\n");
    outcome = run_program("check --iterations 1 %s %s", reference, shorter);
    expect_exit(outcome, 1);
    snprintf(text, sizeof text, "%d iterations, and %d in ", iterations, iterations - 2);
    expect_text(outcome->output, text);
    snprintf(text, sizeof text, "iteration %d is in the history alone", iterations - 1);
    expect_text(outcome->output, text);
    expect_exit(run_program("check %s %s", shorter, reference), 1);
    expect_exit(
        run_program("--quiet --output %s --set 'reference={history=\"%s\";iterations=2;}' %s",
                    results, shorter, config),
        0);
    expect_exit(
        run_program("--quiet --output %s --set 'reference={history=\"%s\";iterations=1;}' %s",
                    results, shorter, config),
        1);
}
END_TEST

START_TEST(another_problem_is_refused)
{
    prepare();
    struct outcome *outcome = run_program("--output %s --set reference.history=%s "
                                          "--set problem.jump=2 %s",
                                          results, reference, config);
    expect_exit(outcome, 3);
    expect_text(outcome->errors,
                "is the history of another problem: the matrix there has the hash ");
    ck_assert_str_eq(outcome->output, ""); /* before anything is solved */
    outcome = run_program("--output %s --set reference.history=%s --set rhs.type=random %s",
                          results, reference, config);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "another problem: b there has the hash ");

    expect_exit(run_program("--quiet --output %s --set rhs.type=random %s", results, config), 0);
    outcome = run_program("check %s %s", history, reference);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "another problem: b there has the hash ");
    outcome = run_program("check %s %s", edited(reference, "# matrix: ", "\n", "\n#"), reference);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "lack '# rhs:'");

    /* without summary.json nothing is known, and that is said */
    char alone[256];
    snprintf(alone, sizeof alone, "%s", temporary_file("alone.csv", file_text(history), -1));
    outcome = run_program("check %s %s", alone, reference);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "it is unknown whether the problem is the same: ");
    expect_text(outcome->output, "it is not known how the history was made\n");
}
END_TEST

START_TEST(another_solution_is_said)
{
    prepare();
    struct outcome *outcome =
        run_program("check %s %s", history, edited(reference, "# solution:", " ", " 0"));
    expect_exit(outcome, 0);
    expect_text(outcome->output, "the residuals are the reference's, but x is not");
}
END_TEST

START_TEST(malformed_files_are_refused)
{
    prepare();
    struct outcome *outcome = run_program("check %s %s", history, "/no/such/reference.csv");
    expect_exit(outcome, 3);
    outcome = run_program("check %s %s", config, reference);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "small.cfg:2: a header line is wanted");
    outcome =
        run_program("check %s %s", history, edited(reference, "\ncpu_csr,1,2,", ",0x", ",0y"));
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "edited.csv:");
    expect_text(outcome->errors, "is not a number like 0x1.8p+3");
    outcome = run_program("--set reference.history=%s %s", config, config);
    expect_exit(outcome, 3);
    ck_assert_str_eq(outcome->output, "");
    outcome = run_program("check %s %s", reference, history);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "holds more than one run, but a reference must be one");
}
END_TEST

START_TEST(junit_is_written)
{
    prepare();
    char junit[256];
    snprintf(junit, sizeof junit, "%s", temporary_path("junit.xml"));
    expect_exit(run_program("--quiet --output %s --junit %s --set reference.history=%s %s", results,
                            junit, reference, config),
                0);
    expect_text(file_text(junit), "tests=\"4\" failures=\"0\"");
    expect_text(file_text(junit), "small.cfg\" name=\"cpu_sym_bitwise, run 2\" time=\"0.");
    char changed[256];
    snprintf(changed, sizeof changed, "%s", changed_by(2, 1));
    expect_exit(run_program("check --quiet --junit %s %s %s", junit, history, changed), 1);
    expect_text(file_text(junit), "tests=\"4\" failures=\"4\"");
    expect_text(file_text(junit), "run 1: iteration 2 differs from ");
    struct outcome *outcome =
        run_program("check --junit /no/such/junit.xml %s %s", reference, reference);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "/no/such/junit.xml");
    outcome = run_program("--output %s --junit %s %s", results, junit, config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "no config has a reference");
}
END_TEST

/* The bench's second call finds all rows there, and writes nothing. */
START_TEST(a_file_that_was_asked_for_is_named)
{
    prepare();
    char file[256], line[300], both[1024], compared[1024], solved[1024];
    snprintf(both, sizeof both, "%s %s", reference, reference);
    snprintf(compared, sizeof compared, "--output %s --set reference.history=%s %s", results,
             reference, config);
    snprintf(solved, sizeof solved, "--output %s --set 'kernels=(\"cpu_csr\")' %s", results,
             config);
    const struct {
        const char *before, *after;
        bool named;
    } calls[] = {
        {"check --quiet --junit", both, false},
        {"check --junit", both, true},
        {"--quiet --junit", compared, false},
        {"--junit", compared, true},
        {"--quiet --write-reference", solved, false},
        {"--write-reference", solved, true},
        {"bench --set bench.rounds=1 --output", config, true},
        {"bench --set bench.rounds=1 --output", config, false},
        {"bench --quiet --set bench.rounds=2 --output", config, false},
    };
    snprintf(file, sizeof file, "%s", temporary_path("named"));
    snprintf(line, sizeof line, "\nwritten   %s\n", file);
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        struct outcome *outcome = run_program("%s %s %s", calls[k].before, file, calls[k].after);
        expect_exit(outcome, 0);
        ck_assert_msg((strstr(outcome->output, line) != NULL) == calls[k].named, "%s: %s",
                      calls[k].before, outcome->output);
        if (strncmp(calls[k].before, "bench", 5) != 0)
            ck_assert_int_eq(unlink(file), 0);
    }
}
END_TEST

START_TEST(command_line_of_check)
{
    static const char *const wrong[][2] = {
        {"", "check wants two files"},
        {"a", "check wants two files"},
        {"a b c", "takes two files"},
        {"a b -- c", "takes two files"},
        {"a b --mode bits", "wants \"bitwise\", \"ulps\" or \"relative\""},
        {"a b --mode ulps", "--mode ulps wants a --tolerance"},
        {"a b --tolerance 1", "--tolerance is for --mode ulps or relative"},
        {"a b --mode ulps --tolerance 1.5", "--tolerance 1.5: wants a whole number"},
        {"a b --mode relative --tolerance -1", "--tolerance -1: wants a real, at least 0"},
        {"a b --mode relative --tolerance 1x", "--tolerance 1x: wants a real, at least 0"},
        {"a b --iterations -1", "--iterations -1: wants a whole number"},
        {"a b --iterations", "--iterations wants a value"},
        {"a b --junit ''", "--junit wants a file"},
        {"a b --threads 2", "--threads: no such option of check"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct outcome *outcome = run_program("check %s", wrong[k][0]);
        expect_exit(outcome, 2);
        expect_text(outcome->errors, wrong[k][1]);
    }
    struct outcome *outcome = run_program("check --help");
    expect_exit(outcome, 0);
    expect_text(outcome->output, "cgsolve check [options] HISTORY REFERENCE");
    prepare();
    expect_exit(run_program("check --tolerance 1e-3 %s --mode relative -- %s", history, reference),
                0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {bitwise_kernels_pass,     one_bit_is_found,
                            another_method_is_named,  modes_at_their_boundary,
                            counts_may_differ,        another_problem_is_refused,
                            another_solution_is_said, malformed_files_are_refused,
                            junit_is_written,         a_file_that_was_asked_for_is_named,
                            command_line_of_check,    NULL};
    return suite_of("main/check", tests);
}
