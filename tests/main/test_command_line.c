/* What the program answers to its arguments and configs: exit statuses and messages. */
#include "support.h"

#include "spmv/kernel.h"

#include "main/program.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(exit_says_what_happened)
{
    char config[256], out[256];
    snprintf(config, sizeof config, "%s", temporary_file("small.cfg", small_config, -1));
    snprintf(out, sizeof out, "%s", temporary_path("exits"));
    struct outcome *outcome =
        run_program("--output %s --set solver.max_iterations=3 %s", out, config);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "\nreference: 1 solution in 2 runs, 3 iterations; 2 of 2 did not "
                                 "converge (iteration limit)\n");

    expect_exit(run_program(" "), 2);
    expect_exit(run_program("--no-such-option"), 2);
    expect_exit(run_program("%s --set", config), 2);
    expect_exit(run_program("--threads many %s", config), 2);
    expect_exit(run_program("--output '' %s", config), 2);
    outcome = run_program("--devices 2,0,2 %s", config);
    expect_exit(outcome, 2);
    ck_assert_str_eq(outcome->errors, "cgsolve: --devices: devices: a device stands there twice\n");
    outcome = run_program("--devices one %s", config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "cgsolve: --devices: syntax error at 'one'");
    /* a kernel of the CPU has none */
    expect_exit(run_program("--quiet --devices 2,0,1 --output %s %s", out, config), 0);
    char command[512];
    snprintf(command, sizeof command, "'%s' --list-kernels >/dev/full 2>%s", program_path(),
             temporary_path("full"));
    int status = system(command);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 4);
    expect_text(file_text(temporary_path("full")), "standard output");
    outcome = run_program("%s", temporary_file("bad.cfg", "problme = 1;\n", -1));
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "bad.cfg:1:");
    expect_text(outcome->errors, "problem");
    ck_assert_str_eq(outcome->output, "");

    const char *missing =
        temporary_file("missing.cfg",
                       "problem = { type = \"mtx\"; path = \"/no/such/file.mtx\"; };\n"
                       "kernels = (\"cpu_sym\");\n",
                       -1);
    outcome = run_program("%s", missing);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "/no/such/file.mtx");

    const char *blocked = temporary_file("a_file", "", 0);
    outcome = run_program("--output %s/below %s", blocked, config);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "a_file");
}
END_TEST

/* A quiet call that ends with 1 says why, in one line of each config; another one leaves that to
 * the table. */
START_TEST(quiet_says_why)
{
    char out[256], two[256], wanted[1024];
    const char *single =
        temporary_file("single.cfg",
                       "problem = { type = \"poisson3d\"; n = 8; jump = 1e3; }; repeats = 2;\n"
                       "rhs = { type = \"random\"; };\n"
                       "kernels = ( \"cpu_csr\", { name = \"cpu_csr\"; label = \"single\";\n"
                       "    precision = \"float_double\"; } );\n",
                       -1);
    snprintf(two, sizeof two, "%s", temporary_file("small.cfg", small_config, -1));
    snprintf(out, sizeof out, "%s", temporary_path("why"));
    struct outcome *outcome = run_program("--quiet --output %s %s", out, two);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->errors, "");

    outcome = run_program("--quiet --output %s %s %s", out, single, two);
    expect_exit(outcome, 1);
    ck_assert_str_eq(outcome->output, "");
    snprintf(wanted, sizeof wanted,
             "cgsolve: %s: 2 of 4 runs did not converge, the first: single, run 1: residual gap at "
             "iteration ",
             single);
    ck_assert_msg(strncmp(outcome->errors, wanted, strlen(wanted)) == 0, "%s", outcome->errors);
    ck_assert_ptr_eq(strchr(outcome->errors, '\n'), strrchr(outcome->errors, '\n'));

    outcome =
        run_program("--quiet --output %s --set solver.max_iterations=3 %s %s", out, single, two);
    expect_exit(outcome, 1);
    snprintf(
        wanted, sizeof wanted,
        "cgsolve: %s: 4 of 4 runs did not converge, the first: cpu_csr, run 1: iteration limit at "
        "iteration 3\n"
        "cgsolve: %s: 4 of 4 runs did not converge, the first: reference, run 1: iteration limit "
        "at iteration 3\n",
        single, two);
    ck_assert_str_eq(outcome->errors, wanted);
    outcome = run_program("--output %s --set solver.max_iterations=3 %s", out, two);
    expect_exit(outcome, 1);
    ck_assert_str_eq(outcome->errors, "");
    expect_text(outcome->output, "\nreference: 1 solution in 2 runs, 3 iterations; 2 of 2 did not "
                                 "converge (iteration limit)\n");
}
END_TEST

/* A CUDA kernel is known to every build; where there is no device, or no CUDA, that is said before
 * anything is solved or written. */
START_TEST(unavailable_kernel_is_named)
{
    if (!kernel_unavailable(kernel_find("cuda_csr_subwarp")))
        return;
    const char *config = temporary_file(
        "cuda.cfg",
        "problem = { type = \"poisson3d\"; n = 4; };\n"
        "kernels = ( \"cpu_sym\", { name = \"cuda_csr_subwarp\"; threads_per_row = 2; } );\n",
        -1);
    struct outcome *outcome = run_program("--output %s %s", temporary_path("cuda"), config);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "cuda_csr_subwarp is not available here: ");
    ck_assert(strstr(outcome->errors, "CUDA") || strstr(outcome->errors, "libcgsolve_cuda.so"));
    ck_assert_str_eq(outcome->output, "");
    ck_assert_int_ne(access(temporary_path("cuda"), F_OK), 0);
    outcome = run_program("--list-kernels");
    expect_exit(outcome, 0);
    expect_text(outcome->output, "not available here: ");
    if (strstr(outcome->output,
               "libcgsolve_cuda.so, the CUDA part, is not here")) /* one line for them all */
        ck_assert_ptr_null(strstr(outcome->output, "\ncuda_"));
    outcome = run_program("--check-config --output %s %s", temporary_path("cuda"), config);
    expect_exit(outcome, 0); /* the config is right, for another machine */
    expect_text(outcome->output, "cuda.cfg: ok (");
    expect_text(outcome->output, "cuda.cfg: kernel cuda_csr_subwarp is not available here: ");
}
END_TEST

START_TEST(a_config_that_was_meant_is_named)
{
    struct outcome *outcome = run_program("configs/quickstrat.cfg");
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "cgsolve: configs/quickstrat.cfg: cannot read the config: No such "
                                 "file or directory; did you mean 'quickstart.cfg'?\n");
    outcome = run_program("configs/zzzzzzzzzzzz.cfg");
    expect_exit(outcome, 2);
    ck_assert_ptr_null(strstr(outcome->errors, "did you mean"));
}
END_TEST

/* Each option is called in a message what it was called on the command line. */
START_TEST(options_are_named_as_they_were_typed)
{
    static const char matrix[] = "problems/plate.mtx.gz";
    static const struct {
        const char *option, *value, *wanted;
    } cases[] = {
        {"--kernels", "cpu_cs", "--kernels: unknown kernel \"cpu_cs\""},
        {"--columns", "999 --operation spmm", "--columns: bench.columns wants "},
        {"--rounds", "x", "--rounds: bench.rounds wants "},
        {"--threads", "x", "--threads: threads wants "},
        {"--sweep", "chnk=2", "--sweep: vary.chnk: none of the kernels takes it"},
        {"--operation", "spmw", "--operation: bench.operation wants "},
        {"--set", "bench.rounds=x", "--set bench.rounds=x: bench.rounds wants "},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct outcome *outcome = run_program("bench --matrix %s --kernels cpu_csr %s %s", matrix,
                                              cases[k].option, cases[k].value);
        expect_exit(outcome, 2);
        expect_text(outcome->errors, cases[k].wanted);
    }
}
END_TEST

START_TEST(skew_matrix_is_refused)
{
    temporary_file("skew.mtx",
                   "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 1 4\n", -1);
    char text[512];
    snprintf(text, sizeof text,
             "problem = { type = \"mtx\"; path = \"%s\"; };\nkernels = (\"cpu_sym\");\n",
             temporary_path("skew.mtx"));
    const char *config = temporary_file("skew.cfg", text, -1);
    struct outcome *outcome = run_program("--output %s %s", temporary_path("skew"), config);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "skew.mtx");
    expect_text(outcome->errors, "skew-symmetric");
    expect_text(outcome->errors, "the method \"skew\" takes it");
}
END_TEST

START_TEST(words_that_nearly_are_commands_and_options)
{
    static const char *const nearly[][2] = {
        {"chek a b", "cgsolve: 'chek' is neither a file nor a command; did you mean 'check'?\n"},
        {"benchmark x", "'benchmark' is neither a file nor a command; did you mean 'bench'?"},
        {"trace_dif a b", "did you mean 'trace-diff'?"},
        {"--quiet report", "report: a command stands before all options"},
        {"--quiet bench", "bench: a command stands before all options"}, /* a directory here */
        {"--treads 3 a.cfg", "cgsolve: --treads: no such option; did you mean '--threads'?"},
        {"--treads=3 a.cfg", "cgsolve: --treads: no such option; did you mean '--threads'?"},
        {"-threads 3 a.cfg", "-threads: no such option; did you mean '--threads'?"},
        {"--quiet=yes a.cfg", "--quiet=yes: --quiet takes no value"},
        {"check --tolerances 1 a b", "--tolerances: no such option of check; did you mean"},
        {"report --picutre x.svg a", "no such option of report; did you mean '--picture'?"},
        {"bench --mtrix a.mtx", "--mtrix: no such option of bench; did you mean '--matrix'?"},
        {"trace-diff --quiet a b", "--quiet: no such option of trace-diff"},
        {"trace-diff a b c", "trace-diff a b c: takes two runs"}};
    for (size_t k = 0; k < sizeof nearly / sizeof *nearly; k++) {
        struct outcome *outcome = run_program("%s", nearly[k][0]);
        expect_exit(outcome, 2);
        expect_text(outcome->errors, nearly[k][1]);
        ck_assert_str_eq(outcome->output, "");
    }
    /* the name of a file is one */
    struct outcome *outcome = run_program("check.cfg");
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "check.cfg: cannot read the config: No such file or directory\n");
}
END_TEST

/* A matrix that is given as a config, told by its first bytes or by its name. What is said can be
 * done. */
START_TEST(matrix_is_no_config)
{
    char path[256], named[256], text[1024];
    snprintf(path, sizeof path, "%s",
             temporary_file("matrix.txt",
                            "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 "
                            "1\n",
                            -1));
    snprintf(named, sizeof named, "%s", temporary_file("bare.mtx", "2 2 2\n1 1 2\n", -1));
    const char *const given[] = {path, named, "problems/plate.mtx.gz"};
    for (int k = 0; k < 3; k++)
        for (int bench = 0; bench < 2; bench++) {
            struct outcome *outcome = run_program("%s%s", bench ? "bench " : "", given[k]);
            expect_exit(outcome, 2);
            snprintf(text, sizeof text,
                     "cgsolve: %s: looks like a matrix, not like a config. A solve with it: "
                     "cgsolve solve %s. Its products alone: cgsolve bench --kernels all "
                     "--matrix %s\n",
                     given[k], given[k], given[k]);
            ck_assert_str_eq(outcome->errors, text);
        }
    expect_exit(run_program("solve %s", path), 0);
    expect_exit(run_program("bench --kernels all --matrix %s", path), 0);
}
END_TEST

/* --check-config opens what a solve would read. */
START_TEST(files_of_a_config_are_opened)
{
    static const char *const sets[] = {"'problem={type=\"mtx\";path=\"%s\";}'",
                                       "'rhs={type=\"file\";path=\"%s\";}'",
                                       "reference.history=%s"};
    static const char *const says[] = {": ok (keys and values are right, the files that it reads "
                                       "can be opened)\n",
                                       "absent: cannot read: No such file or directory\n",
                                       "folder: "};
    char config[256], paths[3][256], set[512];
    snprintf(config, sizeof config, "%s", temporary_file("small.cfg", small_config, -1));
    snprintf(paths[0], sizeof paths[0], "%s", temporary_file("there", "anything\n", -1));
    snprintf(paths[1], sizeof paths[1], "%s", temporary_path("absent"));
    snprintf(paths[2], sizeof paths[2], "%s", temporary_path("folder"));
    ck_assert_int_eq(mkdir(paths[2], 0777), 0);
    for (int s = 0; s < 3; s++)
        for (int p = 0; p < 3; p++) {
            snprintf(set, sizeof set, sets[s], paths[p]);
            struct outcome *outcome = run_program("--check-config --set %s %s", set, config);
            expect_exit(outcome, p ? 3 : 0);
            expect_text(p ? outcome->errors : outcome->output, says[p]);
            ck_assert_str_eq(p ? outcome->output : outcome->errors, "");
        }
}
END_TEST

/* Every config of the project: right, but for kernels that this machine or build lacks. */
START_TEST(configs_are_right)
{
    glob_t configs;
    ck_assert_int_eq(glob("configs/*.cfg", 0, NULL, &configs), 0);
    for (size_t k = 0; k < configs.gl_pathc; k++) {
        struct outcome *outcome = run_program("--check-config %s", configs.gl_pathv[k]);
        if (outcome->exit_status == 4) {
            expect_text(outcome->errors, "is not available here: ");
            continue;
        }
        expect_exit(outcome, 0);
        expect_text(outcome->output, ": ok");
    }
    ck_assert_int_ge(configs.gl_pathc, 3);
    globfree(&configs);
}
END_TEST

/* The page has a line BEFORE name BEHIND for every kernel, in the order of kernels.def, and `count`
 * lines that begin like that. */
static void expect_kernels(const char *path, const char *before, const char *behind)
{
    const char *text = file_text(path), *place = text;
    int count, found = 0;
    const struct kernel *const *kernels = kernel_list(&count);
    char line[128];
    for (int k = 0; k < count; k++) {
        snprintf(line, sizeof line, "\n%s%s%s", before, kernels[k]->component.name, behind);
        place = strstr(place, line);
        ck_assert_msg(place != NULL, "%s: no \"%s\", or not in the order of kernels.def", path,
                      line + 1);
    }
    snprintf(line, sizeof line, "\n%s", before);
    for (place = text; (place = strstr(place, line)); place++)
        found++;
    ck_assert_msg(found == count, "%s: %d lines \"%s...\" for %d kernels", path, found, before,
                  count);
}

/* What its row of the table in docs/kernels.md says, of a kernel that this build has. */
static void expect_row(const struct kernel *kernel)
{
    char begin[128];
    snprintf(begin, sizeof begin, "\n| [`%s`](#%s) | %s | %s", kernel->component.name,
             kernel->component.name, kernel_storage_name(kernel->storage),
             kernel_guarantee_name(kernel->guarantee));
    const char *row = strstr(file_text("docs/kernels.md"), begin);
    ck_assert_msg(row != NULL, "docs/kernels.md: no \"%s\"", begin + 1);
    const char *end = strchr(row + 1, '\n');
    for (int k = 0; k < kernel_parameter_count(kernel); k++) {
        char name[64];
        snprintf(name, sizeof name, "`%s`", kernel->component.parameters[k].name);
        const char *place = strstr(row, name);
        ck_assert_msg(place != NULL && place < end, "docs/kernels.md: the row of %s has no %s",
                      kernel->component.name, name);
    }
}

/* Of a kernel that is not on these pages nobody knows when to choose it. */
START_TEST(kernels_are_described)
{
    expect_kernels("docs/kernels.md", "## ", "\n");
    expect_kernels("docs/kernels.md", "| [`", "`](#");
    expect_kernels("README.md", "| `", "` |");
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++)
        if (kernels[k]->setup)
            expect_row(kernels[k]);
}
END_TEST

START_TEST(several_configs_do_not_collide)
{
    char one[256], two[256];
    snprintf(one, sizeof one, "%s", temporary_file("one.cfg", small_config, -1));
    snprintf(two, sizeof two, "%s", temporary_file("two.cfg", small_config, -1));
    struct outcome *outcome = run_program("%s %s", one, two);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "both write to");
    expect_exit(run_program("--set output.directory=%s %s", temporary_path("dir/"), one), 0);
    char three[256], text[1024];
    snprintf(text, sizeof text, "%soutput = { directory = \"%s\"; };\n", small_config,
             temporary_path("dir"));
    snprintf(three, sizeof three, "%s", temporary_file("three.cfg", text, -1));
    snprintf(text, sizeof text, "%soutput = { directory = \"%s\"; };\n", small_config,
             temporary_path("./dir/"));
    outcome = run_program("%s %s", three, temporary_file("four.cfg", text, -1));
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "both write to");
    expect_exit(run_program("--quiet %s --output %s %s", one, temporary_path("both"), two), 0);
    ck_assert_int_eq(access(temporary_path("both/one/summary.json"), F_OK), 0);
    ck_assert_int_eq(access(temporary_path("both/two/summary.json"), F_OK), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {exit_says_what_happened,
                            quiet_says_why,
                            unavailable_kernel_is_named,
                            options_are_named_as_they_were_typed,
                            a_config_that_was_meant_is_named,
                            skew_matrix_is_refused,
                            words_that_nearly_are_commands_and_options,
                            matrix_is_no_config,
                            files_of_a_config_are_opened,
                            configs_are_right,
                            kernels_are_described,
                            several_configs_do_not_collide,
                            NULL};
    return suite_of("main/command_line", tests);
}
