/* What the program makes of a config: the files that it writes, their histories, and what it shows
 * meanwhile. What it says to wrong arguments is in test_command_line.c. */
#include "support.h"

#include "main/program.h"
#include "main/terminal.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(solves_and_writes)
{
    const char *config = temporary_file("small.cfg", small_config, -1);
    char directory[256];
    snprintf(directory, sizeof directory, "%s", temporary_path("made/below/it"));
    struct outcome *outcome = run_program("--details --output %s %s", directory, config);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->errors, "");
    expect_text(outcome->output, "n = 120");
    expect_text(outcome->output, "reference");
    expect_text(outcome->output, "cpu_sym_bitwise: stores the matrix by diagonals");
    expect_text(outcome->output, "\ncpu_sym_bitwise: 1 solution in 2 runs, ");
    expect_text(outcome->output, "\nall kernels: every history has the hash ");
    expect_text(outcome->output, "\nall kernels: condition number >= ");
    expect_text(outcome->output, ": Ritz values from ");
    expect_text(outcome->output, directory);

    char path[300];
    snprintf(path, sizeof path, "%s/history.csv", directory);
    const char *history = file_text(path);
    const char *head = "kernel,run,iteration,residual,residual_hex,alpha,beta,"
                       "ritz_low,ritz_high,condition,error_norm\n"
                       "reference,1,0,10.954451150103322,0x1.5e8add236a58fp+3,,,,,,\n"
                       "reference,1,1,";
    ck_assert_msg(strncmp(history, head, strlen(head)) == 0, "%.200s", history);
    expect_text(history, "\ncpu_sym_bitwise,2,1,");
    ck_assert_int_eq(history[strlen(history) - 1], '\n');
    snprintf(path, sizeof path, "%s/history.csv.partial", directory);
    ck_assert_int_ne(access(path, F_OK), 0);

    snprintf(path, sizeof path, "%s/settings.cfg", directory);
    expect_text(file_text(path), "max_iterations = 10000;");
    expect_exit(run_program("--check-config %s", path), 0);
}
END_TEST

START_TEST(summary_is_complete)
{
    const char *config = temporary_file("small.cfg", small_config, -1);
    char directory[256];
    snprintf(directory, sizeof directory, "%s", temporary_path("summary"));
    expect_exit(run_program("--output %s %s", directory, config), 0);
    json_t *summary = read_summary(directory);
    ck_assert_int_eq(json_integer_value(json_object_get(summary, "schema")), 1);
    json_error_t error;
    const char *type, *name, *kernel, *reason, *hash;
    json_int_t n, full, upper, bytes, iterations, histories;
    double norm, residual;
    json_t *divergence;
    int ok = json_unpack_ex(
        summary, &error, 0, "{s:{s:s, s:I, s:I, s:I, s:I, s:F}, s:{s:s}, s:{s:s, s:F, s:I, s:s}}",
        "problem", "type", &type, "n", &n, "nnz_full", &full, "nnz_upper", &upper, "bytes", &bytes,
        "rhs_norm", &norm, "machine", "cpu", &name, "solver", "method", &name, "tolerance",
        &residual, "max_iterations", &iterations, "reductions", &name);
    ck_assert_msg(ok == 0, "%s", error.text);
    ck_assert_str_eq(type, "poisson3d");
    ck_assert_int_eq(n, 120);
    ck_assert_int_eq(upper, 120 + 5 * 5 * 4 + 6 * 4 * 4 + 6 * 5 * 3);
    ck_assert_int_eq(full, 2 * upper - n);
    ck_assert_int_eq(bytes, 121 * 8 + upper * 12);
    ok = json_unpack_ex(
        summary_kernel(summary, 0), &error, 0,
        "{s:s, s:s, s:s, s:s, s:F, s:I, s:I, s:{s:I, s:F, s:I}, s:I, s:o, s:F, "
        "s:[{s:I, s:s, s:I, s:F, s:F, s:F, s:F, s:s, s:s}, o]}",
        "name", &name, "kernel", &kernel, "storage", &type, "guarantee", &type, "setup_seconds",
        &norm, "bytes_per_apply", &bytes, "memory_bytes", &bytes, "iterations", "min", &iterations,
        "median", &norm, "max", &iterations, "distinct_histories", &histories, "first_divergence",
        &divergence, "solution_spread", &norm, "runs", "run", &n, "reason", &reason, "iterations",
        &iterations, "residual", &residual, "true_residual", &norm, "seconds", &norm,
        "seconds_per_iteration", &norm, "history_hash", &hash, "solution_hash", &hash, &divergence);
    ck_assert_msg(ok == 0, "%s", error.text);
    ck_assert_str_eq(name, "reference");
    ck_assert_str_eq(kernel, "cpu_csr");
    ck_assert_str_eq(reason, "converged");
    ck_assert_int_eq(histories, 1);
    ck_assert(json_is_null(json_object_get(summary_kernel(summary, 0), "first_divergence")));
    ck_assert_str_eq(json_string_value(json_object_get(summary_kernel(summary, 1), "description")),
                     "diagonals, 4 in the upper triangle, values as codes of 1 byte");
    const char *form, *compress;
    ok = json_unpack_ex(summary_kernel(summary, 1), &error, 0, "{s:{s:s, s:s}}", "parameters",
                        "form", &form, "compress", &compress);
    ck_assert_msg(ok == 0, "%s", error.text);
    ck_assert_str_eq(form, "auto");
    ck_assert_str_eq(compress, "auto");
    ck_assert(residual <= 1e-8 * 10.955);
    json_decref(summary);
}
END_TEST

/* Where the tolerances stand, with the absolute one and without it. */
START_TEST(both_tolerances_are_told)
{
    static const char *const lines[][2] = {
        {"cg, ||r|| <= 1e-08 ||b||, at most", "cg, ||r|| <= max(1e-08 ||b||, 0.001), at most"},
        {"cg, ‖r‖ ≤ 10<sup>−8</sup> ‖b‖, at most",
         "cg, ‖r‖ ≤ max(10<sup>−8</sup> ‖b‖, 0.001), at most"},
        {"absolute_tolerance = 0.0;", "absolute_tolerance = 0.001;"}};
    const char *config = temporary_file("small.cfg", small_config, -1);
    for (int set = 0; set < 2; set++) {
        char directory[256], reference[256], path[300];
        double wanted = set ? 1e-3 : 1e-8 * 10.954451150103322;
        snprintf(directory, sizeof directory, "%s", temporary_path("tolerances"));
        snprintf(reference, sizeof reference, "%s", temporary_path("tolerances.csv"));
        struct outcome *outcome = run_program(
            "--output %s --write-reference %s --set 'kernels=(\"cpu_csr\")' %s %s", directory,
            reference, set ? "--set solver.absolute_tolerance=1e-3" : "", config);
        expect_exit(outcome, 0);
        expect_text(outcome->output, lines[0][set]);
        snprintf(path, sizeof path, "%s/report.html", directory);
        expect_text(file_text(path), lines[1][set]);
        snprintf(path, sizeof path, "%s/settings.cfg", directory);
        expect_text(file_text(path), lines[2][set]);
        bool recorded = strstr(file_text(reference), "\n# absolute_tolerance: 0.001\n") != NULL;
        ck_assert_int_eq(recorded, set);
        ck_assert_int_eq(strstr(file_text(reference), "# absolute") != NULL, set);
        json_t *summary = read_summary(directory);
        json_t *absolute =
            json_object_get(json_object_get(summary, "solver"), "absolute_tolerance");
        ck_assert(set ? json_real_value(absolute) == 1e-3 : !absolute);
        json_t *run = json_array_get(json_object_get(summary_kernel(summary, 0), "runs"), 0);
        double residual = json_number_value(json_object_get(run, "residual"));
        ck_assert(residual <= wanted && residual > 1e-3 * wanted);
        json_decref(summary);
    }
}
END_TEST

/* One residual history of a problem for every form and for cpu_csr, whatever the threads, the
 * compiler and the machine: its hash stands here. */
START_TEST(bitwise_histories_are_pinned)
{
    enum { KERNELS = 6 };
    static const char *const problems[][2] = {
        {"problem = { type = \"poisson3d\"; n = 16; jump = 1e3; };\n", "ab99fdfa1615f2b3"},
        {"problem = { type = \"fe_cube\"; n = 8; unknowns = 3; };\n", "a1b0e199f8e0a148"}};
    static const char rest[] =
        "rhs = { type = \"random\"; seed = 7; };\n"
        "kernels = ( \"cpu_csr\", \"cpu_sym_bitwise\",\n"
        "    { name = \"cpu_sym_bitwise\"; label = \"d\"; form = \"diagonals\"; },\n"
        "    { name = \"cpu_sym_bitwise\"; label = \"b\"; form = \"blocks\"; },\n"
        "    { name = \"cpu_sym_bitwise\"; label = \"g\"; form = \"general\"; },\n"
        "    { name = \"cpu_sym_bitwise\"; label = \"never\"; compress = \"never\"; } );\n";
    for (size_t p = 0; p < sizeof problems / sizeof *problems; p++) {
        char config[1024];
        snprintf(config, sizeof config, "%s%s", problems[p][0], rest);
        const char *path = temporary_file("pinned.cfg", config, -1);
        for (int threads = 1; threads <= 7; threads += threads < 3 ? 1 : 4) {
            const char *directory = temporary_path("pinned");
            expect_exit(
                run_program("--quiet --threads %d --output %s %s", threads, directory, path), 0);
            json_t *summary = read_summary(directory);
            for (int k = 0; k < KERNELS; k++) {
                json_t *run =
                    json_array_get(json_object_get(summary_kernel(summary, k), "runs"), 0);
                ck_assert_str_eq(json_string_value(json_object_get(run, "history_hash")),
                                 problems[p][1]);
            }
            json_decref(summary);
        }
    }
}
END_TEST

/* On a machine that is busy with something else one thread may do all the work for a while, and
 * additions then come in one order: a few tries. */
START_TEST(atomics_differ_and_bitwise_does_not)
{
    enum { TRIES = 50 };
    if (program_is_sanitized() || sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return; /* two threads on one processor may well take turns in the same order */
    int64_t histories = 1, divergence = -1;
    for (int k = 0; k < TRIES && histories == 1; k++) {
        const char *directory = temporary_path("nondeterminism");
        expect_exit(run_program("--quiet --output %s --set repeats=4 --set "
                                "solver.max_iterations=200 configs/nondeterminism.cfg",
                                directory),
                    1);
        json_t *summary = read_summary(directory);
        json_t *atomics = summary_kernel(summary, 0), *bitwise = summary_kernel(summary, 3);
        ck_assert_str_eq(json_string_value(json_object_get(atomics, "name")), "atomics");
        ck_assert_str_eq(json_string_value(json_object_get(bitwise, "name")), "bitwise");
        histories = json_integer_value(json_object_get(atomics, "distinct_histories"));
        divergence = json_integer_value(json_object_get(atomics, "first_divergence"));
        ck_assert_int_eq(json_integer_value(json_object_get(bitwise, "distinct_histories")), 1);
        ck_assert(json_is_null(json_object_get(bitwise, "first_divergence")));
        json_decref(summary);
    }
    ck_assert_int_gt(histories, 1);
    ck_assert_int_ge(divergence, 1);
}
END_TEST

/* What stands in the output of a generated problem, and that settings.cfg makes it again. */
START_TEST(finite_elements_are_solved)
{
    static const char *const problems[][2] = {
        {"type = \"fe_sheet\"; n = [9, 7];",
         "fe_sheet, 9 x 7 nodes, 5 unknowns a node, shift 0.001, seed 1\n          n = 315, "},
        {"type = \"fe_cube\"; n = [3, 4, 5]; unknowns = 2; shift = 1e-2; seed = 3;",
         "fe_cube, 3 x 4 x 5 nodes, 2 unknowns a node, shift 0.01, seed 3\n          n = 120, "}};
    for (int k = 0; k < 2; k++) {
        char text[256], settings[300], directory[256];
        snprintf(text, sizeof text, "problem = { %s }; kernels = ( \"cpu_sym\" );", problems[k][0]);
        snprintf(directory, sizeof directory, "%s", temporary_path("finite"));
        struct outcome *outcome =
            run_program("--output %s %s", directory, temporary_file("finite.cfg", text, -1));
        expect_exit(outcome, 0);
        expect_text(outcome->output, problems[k][1]);
        snprintf(settings, sizeof settings, "%s/settings.cfg", directory);
        outcome = run_program("--output %s %s", directory, settings);
        expect_exit(outcome, 0);
        expect_text(outcome->output, problems[k][1]);
    }
}
END_TEST

START_TEST(a_file_is_solved)
{
    temporary_file("a.mtx",
                   "%%MatrixMarket matrix coordinate real symmetric\n"
                   "3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n",
                   -1);
    temporary_file("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n0\n1\n", -1);
    char text[1024];
    snprintf(text, sizeof text,
             "problem = { type = \"mtx\"; path = \"%s\"; };\n"
             "rhs = { type = \"file\"; path = \"%s\"; };\nkernels = (\"cpu_sym\");\n",
             temporary_path("a.mtx"), temporary_path("b.mtx"));
    const char *config = temporary_file("file.cfg", text, -1);
    struct outcome *outcome = run_program("--output %s %s", temporary_path("file"), config);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "5 in the upper triangle");
}
END_TEST

/* A matrix that is made of a file is not read from it: the summary has no member "file". */
START_TEST(a_file_is_a_graph)
{
    temporary_file("graph.mtx",
                   "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 4\n"
                   "2 1\n3 2\n4 3\n4 1\n",
                   -1);
    char text[1024], directory[256];
    snprintf(text, sizeof text,
             "problem = { type = \"feature_graph\"; graph = \"%s\"; };\nkernels = (\"cpu_sym\");\n",
             temporary_path("graph.mtx"));
    const char *config = temporary_file("graph.cfg", text, -1);
    snprintf(directory, sizeof directory, "%s", temporary_path("graph"));
    expect_exit(run_program("--output %s %s", directory, config), 0);
    json_t *summary = read_summary(directory), *problem = json_object_get(summary, "problem");
    ck_assert_str_eq(json_string_value(json_object_get(problem, "type")), "feature_graph");
    ck_assert_ptr_null(json_object_get(problem, "file"));
    json_decref(summary);
    /* what the study would remove is no input of it */
    temporary_file("graph/history.csv", file_text(temporary_path("graph.mtx")), -1);
    expect_exit(run_program("--output %s --set 'problem.graph=\"%s/history.csv\"' %s", directory,
                            directory, config),
                2);
}
END_TEST

/* What the order of the matrix, or a value, forbids is found before anything is solved or written,
 * and told with the entry and its line. */
START_TEST(all_kernels_are_asked_first)
{
    temporary_file("large.mtx",
                   "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1e300\n", -1);
    const char *const problems[] = {"type = \"poisson3d\"; n = 7;",
                                    "type = \"mtx\"; path = \"large.mtx\";"};
    static const char *const entries[][2] = {
        {"form = \"blocks\"", "form = \"blocks\": n = 343 is a multiple of none of 2 to 6"},
        {"precision = \"float_double\"", "too large for single precision"}};
    for (int k = 0; k < 2; k++) {
        char text[512], place[64], directory[256];
        snprintf(text, sizeof text,
                 "problem = { %s };\nkernels = ( \"cpu_csr\",\n"
                 "  { name = \"cpu_sym_bitwise\"; label = \"other\"; %s; } );\n",
                 problems[k], entries[k][0]);
        const char *config = temporary_file("wrong.cfg", text, -1);
        snprintf(place, sizeof place, "wrong.cfg:3: entry \"other\": kernel cpu_sym_bitwise: ");
        snprintf(directory, sizeof directory, "%s", temporary_path("never"));
        char path[300];
        snprintf(path, sizeof path, "%s", temporary_path("large.mtx"));
        struct outcome *outcome = run_program("--output %s %s %s%s", directory, config,
                                              k ? "--set problem.path=" : "", k ? path : "");
        expect_exit(outcome, 2);
        expect_text(outcome->errors, place);
        expect_text(outcome->errors, entries[k][1]);
        ck_assert_str_eq(outcome->output, "");
        expect_exit(run_other_program("rmdir", "%s", directory), 0); /* nothing is in it */
    }
}
END_TEST

/* On a terminal there is a line that is rewritten; in a pipe (all the tests above) there is none.
 */
START_TEST(progress_is_shown_on_a_terminal)
{
    char text[4096];
    if (!run_on_terminal(
            2, 80, text, sizeof text,
            "--output %s --set problem.n=24 --set repeats=1 configs/nondeterminism.cfg",
            temporary_path("progress")))
        return;
    expect_text(text, "\r\033[Ksetting up atomics (1/4)\r\033[K");
}
END_TEST

static void expect_two_threads(const char *directory)
{
    expect_exit(run_program("--quiet --set problem.n=8 --set repeats=1 --output %s "
                            "configs/quickstart.cfg",
                            directory),
                0);
    json_t *summary = read_summary(directory);
    for (int k = 0; k < 4; k++)
        ck_assert_int_eq(json_integer_value(json_object_get(summary_kernel(summary, k), "threads")),
                         2);
    json_decref(summary);
}

/* With one thread, atomics would have one solution. */
START_TEST(the_quickstart_has_two_threads)
{
    expect_two_threads(temporary_path("quickstart"));
#ifdef __linux__
    cpu_set_t before, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    expect_two_threads(temporary_path("one"));
    sched_setaffinity(0, sizeof before, &before);
#endif
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {solves_and_writes,
                            summary_is_complete,
                            both_tolerances_are_told,
                            bitwise_histories_are_pinned,
                            atomics_differ_and_bitwise_does_not,
                            finite_elements_are_solved,
                            a_file_is_solved,
                            a_file_is_a_graph,
                            all_kernels_are_asked_first,
                            progress_is_shown_on_a_terminal,
                            the_quickstart_has_two_threads,
                            NULL};
    return suite_of("main/cgsolve", tests);
}
