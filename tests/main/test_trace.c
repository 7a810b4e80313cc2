/* Traces of the program, and trace-diff on them: equal ones, ones with one planted difference, in
 * either form, and what is refused. */
#include "support.h"

#include "main/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char trace_config[] =
    "problem = { type = \"poisson3d\"; n = [21, 20, 11]; jump = 100; };\n" /* 4620 rows: 2 blocks */
    "kernels = ( { name = \"cpu_csr\"; label = \"a b\"; }, \"cpu_sym_bitwise\" );\n"
    "solver = { max_iterations = 20; };\n"
    "trace = { every = 6; };\n";

static char config[256], directory[256], path[300];

static void prepare(void)
{
    snprintf(config, sizeof config, "%s", temporary_file("trace.cfg", trace_config, -1));
    snprintf(directory, sizeof directory, "%s", temporary_path("traced"));
}

static const char *in(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

START_TEST(hashes_are_written_and_compared)
{
    prepare();
    struct outcome *outcome = run_program("--output %s %s", directory, config);
    expect_exit(outcome, 1); /* the iteration limit */
    expect_text(outcome->output, "envelope.csv, trace.csv, summary.json}");
    const char *text = file_text(in("trace.csv"));
    static const char head[] = "kernel,run,iteration,vector,block,hash\na b,1,0,r,0,";
    ck_assert_msg(strncmp(text, head, strlen(head)) == 0, "%.100s", text);
    expect_text(text, "\na b,1,6,r,1,");
    expect_text(text, "\ncpu_sym_bitwise,1,18,x,1,");
    ck_assert_ptr_null(strstr(text, ",p,"));
    ck_assert_ptr_null(strstr(text, ",20,"));
    ck_assert_int_ne(access(in("trace.npy"), F_OK), 0);

    outcome = run_program("trace-diff '%s,a b,1' %s,cpu_sym_bitwise,1", directory, directory);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "8 vectors compared, no bit differs");

    /* one digit of one hash */
    char *changed = strdup(text);
    char *hash = strstr(changed, "\ncpu_sym_bitwise,1,12,x,1,") + 26;
    char before[17], after[17];
    snprintf(before, sizeof before, "%.16s", hash);
    hash[3] = hash[3] == '7' ? '8' : '7';
    snprintf(after, sizeof after, "%.16s", hash);
    temporary_file("trace.csv", changed, -1);
    free(changed);
    char *above = strdup(temporary_path("trace.csv"));
    *strrchr(above, '/') = '\0';
    outcome = run_program("trace-diff %s,cpu_sym_bitwise,1 %s,cpu_sym_bitwise,1", directory, above);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "iteration 12, x: the bits differ first in block 1, which begins "
                                 "at element 4096; in 1 of 2 blocks\n");
    expect_text(outcome->output, before);
    expect_text(outcome->output, after);
    free(above);
}
END_TEST

START_TEST(values_are_written_and_compared)
{
    prepare();
    char other[256];
    snprintf(other, sizeof other, "%s", temporary_path("other"));
    struct outcome *outcome = run_program(
        "--output %s --set 'kernels=(\"cpu_csr\")' --set trace.keep=values %s", directory, config);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "trace.csv, trace.npy, summary.json}");
    expect_exit(run_program("--quiet --output %s --set 'kernels=(\"cpu_sym_bitwise\")' "
                            "--set trace.keep=values --set trace.every=3 "
                            "--set 'trace.vectors=[\"q\",\"x\"]' %s",
                            other, config),
                1);
    outcome = run_program("trace-diff %s %s", directory, other); /* x of 0, 6, 12, 18 */
    expect_exit(outcome, 0);
    expect_text(outcome->output, "4 vectors compared, no bit differs");

    /* x of iteration 12 is row 5: one bit of element 77 */
    FILE *file = fopen(in("trace.npy"), "r+b");
    ck_assert_ptr_nonnull(file);
    long place = 128 + (5 * 4620 + 77) * 8;
    double value;
    uint64_t bits;
    fseek(file, place, SEEK_SET);
    ck_assert_uint_eq(fread(&value, sizeof value, 1, file), 1);
    char wanted[256];
    int length = snprintf(wanted, sizeof wanted,
                          "iteration 12, x: the bits differ first in element 77; in 1 of 4620\n");
    double kept = value;
    memcpy(&bits, &value, sizeof bits);
    bits ^= 1;
    memcpy(&value, &bits, sizeof bits);
    snprintf(wanted + length, sizeof wanted - (size_t)length, "    %a = %.17g  %.60s", value, value,
             directory);
    fseek(file, place, SEEK_SET);
    ck_assert_uint_eq(fwrite(&value, sizeof value, 1, file), 1);
    fclose(file);
    outcome = run_program("trace-diff %s %s", directory, other);
    expect_exit(outcome, 1);
    expect_text(outcome->output, wanted);
    snprintf(wanted, sizeof wanted, "    %a = %.17g  %.60s", kept, kept, other);
    expect_text(outcome->output, wanted);
}
END_TEST

/* Vectors are in the problem's own numbering: exact sums give the same bits in any. */
START_TEST(numberings_do_not_matter)
{
    prepare();
    char other[256];
    snprintf(other, sizeof other, "%s", temporary_path("renumbered"));
    static const char exact[] = "--quiet --set 'kernels=(\"cpu_sym_exact\")' "
                                "--set solver.reductions=exact "
                                "--set 'trace.vectors=[\"r\",\"x\",\"p\",\"q\"]'";
    expect_exit(run_program("%s --output %s %s", exact, directory, config), 1);
    expect_exit(run_program("%s --output %s --set problem.reorder=rcm %s", exact, other, config),
                1);
    struct outcome *outcome = run_program("trace-diff %s %s", directory, other);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "16 vectors compared, no bit differs");
}
END_TEST

/* trace-diff of a made trace.csv with itself. */
static struct outcome *compare_with_itself(const char *rows)
{
    char text[512], *above = strdup(temporary_path("trace.csv"));
    snprintf(text, sizeof text, "kernel,run,iteration,vector,block,hash\n%s", rows);
    temporary_file("trace.csv", text, -1);
    *strrchr(above, '/') = '\0';
    struct outcome *outcome = run_program("trace-diff %s %s", above, above);
    free(above);
    return outcome;
}

/* Which vectors there are is the method's affair; a name is told in full, or refused. */
START_TEST(names_are_not_asked_for)
{
    struct outcome *outcome = compare_with_itself("a,1,0,w,0,0123456789abcdef\n"
                                                  "a,1,0,v_next,0,0123456789abcde0\n"
                                                  "a,1,2,fifteen_letters,0,0123456789abcde0\n");
    expect_exit(outcome, 0);
    expect_text(outcome->output, "3 vectors compared, no bit differs");
    static const char *const refused[] = {"a,1,0,,0,0123456789abcdef\n",
                                          "a,1,0,sixteen__letters,0,0123456789abcdef\n"};
    for (int k = 0; k < 2; k++) {
        outcome = compare_with_itself(refused[k]);
        expect_exit(outcome, 3);
        expect_text(outcome->errors, ":2: the vector is not a name of at most 15 letters");
    }
}
END_TEST

/* Iterations ascend, and each has a vector once: else a trace would differ from itself. */
START_TEST(rows_have_an_order)
{
    static const char *const refused[] = {"a,1,1,r,0,0123456789abcdef\n"
                                          "a,1,0,r,0,0123456789abcdef\n",
                                          "a,1,1,r,0,0123456789abcdef\n"
                                          "a,1,1,x,0,0123456789abcdef\n"
                                          "a,1,1,r,0,0123456789abcde0\n"};
    for (int k = 0; k < 2; k++) {
        struct outcome *outcome = compare_with_itself(refused[k]);
        expect_exit(outcome, 3);
        expect_text(outcome->errors, k == 0 ? ":3: is not in the order of a trace"
                                            : ":4: is not in the order of a trace");
    }
}
END_TEST

START_TEST(what_is_refused)
{
    prepare();
    char other[256];
    snprintf(other, sizeof other, "%s", temporary_path("smaller"));
    expect_exit(run_program("--quiet --output %s %s", directory, config), 1);
    expect_exit(run_program("--quiet --set 'kernels=(\"cpu_csr\")' --set problem.n=4 --output %s "
                            "%s",
                            other, config),
                0);
    struct outcome *outcome = run_program("trace-diff %s %s", directory, other);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "holds several runs: say which, as in '");
    expect_text(outcome->errors, ",a b,1'");
    outcome = run_program("trace-diff %s,cpu_csr,2 %s", other, other);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "holds no such run as ");
    outcome = run_program("trace-diff %s,1 %s", other, other);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "a run is named DIRECTORY,LABEL,NUMBER or DIRECTORY");
    outcome = run_program("trace-diff '%s,a b,1' %s", directory, other);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "are of different problems: vectors of 2 and 1 blocks");
    expect_exit(run_program("trace-diff /no/such %s", other), 3);
    static const char *const rows[] = {"kernel,run\n",
                                       "kernel,run,iteration,vector,block,hash\n",
                                       "kernel,run,iteration,vector,block,hash\na,1,0,r,0\n",
                                       "kernel,run,iteration,vector,block,hash\na,1,0,z,0,"
                                       "0123456789abcdef\n", /* which the other has not */
                                       "kernel,run,iteration,vector,block,hash\na,1,0,r,0,"
                                       "0123456789abcdeg\n",
                                       "kernel,run,iteration,vector,block,hash\na,1,0,r,1,"
                                       "0123456789abcdef\n"};
    char *above = strdup(temporary_path("trace.csv"));
    *strrchr(above, '/') = '\0';
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        temporary_file("trace.csv", rows[k], -1);
        expect_exit(run_program("trace-diff %s %s", above, other), 3);
    }
    free(above);
    expect_exit(run_program("trace-diff a"), 2);
    expect_exit(run_program("trace-diff a b c"), 2);
    expect_exit(run_program("trace-diff --quiet a b"), 2);
    expect_exit(run_program("trace-diff --help"), 0);

    /* the next study without a trace takes it away */
    expect_exit(run_program("--quiet --set trace.every=0 --output %s %s", directory, config), 1);
    ck_assert_int_ne(access(in("trace.csv"), F_OK), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {hashes_are_written_and_compared,
                            values_are_written_and_compared,
                            numberings_do_not_matter,
                            names_are_not_asked_for,
                            rows_have_an_order,
                            what_is_refused,
                            NULL};
    return suite_of("main/trace", tests);
}
