/* The solutions that a study writes: by every method and kernel, in the problem's own numbering,
 * with the bits that the hashes in summary.json are made of; which runs; and back as a right-hand
 * side. */
#include "support.h"

#include "base/hash.h"
#include "main/program.h"
#include "spmv/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 1000 };

static char directory[256], config[256];

/* A config, and the directory that its runs write to. */
static void prepare(const char *text)
{
    snprintf(directory, sizeof directory, "%s", temporary_path("solutions"));
    snprintf(config, sizeof config, "%s", temporary_file("solution.cfg", text, -1));
}

/* "DIRECTORY/solution-LABEL-RUN.FORMAT" */
static const char *path_of(const char *label, int run, const char *format)
{
    static char path[500];
    snprintf(path, sizeof path, "%s/solution-%s-%d.%s", directory, label, run, format);
    return path;
}

/* The numbers in such a file, each read as the format says, hashed as a solution is. */
static const char *file_hash(const char *path, const char *format)
{
    static char hash[17];
    static double x[MOST];
    char line[128];
    int64_t n = 0;
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s is not there", path);
    if (strcmp(format, "npy") == 0) {
        ck_assert_uint_eq(fread(line, 1, 128, file), 128);
        n = (int64_t)fread(x, sizeof *x, MOST, file);
    } else {
        for (int k = 0; strcmp(format, "mtx") == 0 && k < 2; k++)
            ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
        while (n < MOST && fscanf(file, "%lf", &x[n]) == 1)
            n++;
    }
    ck_assert_int_gt(n, 0);
    ck_assert_int_lt(n, MOST);
    fclose(file);
    snprintf(hash, sizeof hash, "%016" PRIx64, test_hash_vector(x, n));
    return hash;
}

/* How many of the runs have written their solution; each has the hash that summary.json says. */
static int solutions_written(const char *format)
{
    int written = 0;
    json_t *summary = read_summary(directory), *kernel, *run;
    size_t k, r;
    json_array_foreach(json_object_get(summary, "kernels"), k, kernel)
    {
        const char *label = json_string_value(json_object_get(kernel, "name"));
        json_array_foreach(json_object_get(kernel, "runs"), r, run)
        {
            const char *path = path_of(label, (int)r + 1, format);
            if (access(path, F_OK) != 0)
                continue;
            written++;
            ck_assert_str_eq(file_hash(path, format),
                             json_string_value(json_object_get(run, "solution_hash")));
        }
    }
    json_decref(summary);
    return written;
}

static const char *const formats[] = {"npy", "mtx", "txt"};

/* By all kernels that can run here, in another numbering than the problem's. */
START_TEST(every_method_and_kernel_writes)
{
    static const char *const methods[] = {"cg", "minres", "skew"};
    char kernels[2048] = "", text[4096];
    int count, taken = 0;
    const struct kernel *const *list = kernel_list(&count);
    for (int k = 0; k < count; k++)
        if (!kernel_unavailable(list[k])) {
            size_t length = strlen(kernels);
            snprintf(kernels + length, sizeof kernels - length, "%s\"%s\"", taken++ ? ", " : "",
                     list[k]->component.name);
        }
    ck_assert_int_ge(taken, 7);
    for (int m = 0; m < 3; m++) {
        snprintf(text, sizeof text,
                 "problem = { type = \"%s\"; n = [7, 6, 5]; reorder = \"rcm\"; };\n"
                 "rhs = { type = \"random\"; }; solver = { method = \"%s\"; %s };\n"
                 "kernels = ( %s );\n",
                 m == 2 ? "convection3d" : "poisson3d", methods[m], m == 2 ? "shift = 1.0;" : "",
                 kernels);
        prepare(text);
        expect_exit(run_program("--quiet --threads 2 --output %s --set output.solution=%s %s",
                                directory, formats[m], config),
                    0);
        ck_assert_int_eq(solutions_written(formats[m]), taken);
    }
}
END_TEST

/* The first run of each kernel or all of them, none unless they are asked for, and those of an
 * earlier study never. */
START_TEST(the_wanted_runs_are_written)
{
    static const char *const wanted[] = {"--set output.solution=txt --set output.solution_of=all",
                                         "--set output.solution=npy", ""};
    prepare(small_config);
    for (int k = 0; k < 3; k++) {
        struct outcome *outcome = run_program("--output %s %s %s", directory, wanted[k], config);
        expect_exit(outcome, 0);
        if (k < 2)
            expect_text(outcome->output, k == 0 ? "solution-*.txt, " : "solution-*.npy, ");
        ck_assert_int_eq(solutions_written("txt"), k == 0 ? 4 : 0);
        ck_assert_int_eq(solutions_written("npy"), k == 1 ? 2 : 0);
    }
}
END_TEST

/* x of one study is b of another, in every bit: the hashes are made alike. */
START_TEST(a_solution_is_read_as_a_right_hand_side)
{
    char x[512], again[256];
    prepare("problem = { type = \"fe_sheet\"; n = [9, 8]; unknowns = 3; numbering = \"random\";\n"
            "    reorder = \"rcm\"; };\n"
            "rhs = { type = \"random\"; }; kernels = ( \"cpu_sym_atomic\" );\n");
    snprintf(again, sizeof again, "%s", temporary_path("again"));
    for (int k = 0; k < 3; k++) {
        expect_exit(run_program("--quiet --output %s --set output.solution=%s %s", directory,
                                formats[k], config),
                    0);
        snprintf(x, sizeof x, "%s", path_of("cpu_sym_atomic", 1, formats[k]));
        expect_exit(run_program("--quiet --output %s --set 'rhs={type=\"file\";path=\"%s\";}' %s",
                                again, x, config),
                    0);
        json_t *first = read_summary(directory), *second = read_summary(again);
        json_t *run = json_array_get(json_object_get(summary_kernel(first, 0), "runs"), 0);
        const char *hash =
            json_string_value(json_object_get(json_object_get(second, "problem"), "rhs_hash"));
        ck_assert_str_eq(hash, json_string_value(json_object_get(run, "solution_hash")));
        json_decref(first);
        json_decref(second);
    }

    /* a study does not take its own right-hand side away */
    struct outcome *outcome = run_program(
        "--quiet --output %s --set 'rhs={type=\"file\";path=\"%s\";}' %s", directory, x, config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, x);
    expect_text(outcome->errors, "is a file of the results, which this run removes");
    ck_assert_int_eq(access(x, F_OK), 0);
}
END_TEST

/* The iterate of a solve that did not converge is its solution too. */
START_TEST(what_a_solve_ends_with_is_written)
{
    prepare(small_config);
    for (int k = 0; k < 3; k++) {
        expect_exit(run_program("--quiet --output %s --set output.solution=%s "
                                "--set solver.max_iterations=2 %s",
                                directory, formats[k], config),
                    1);
        ck_assert_int_eq(solutions_written(formats[k]), 2);
    }
}
END_TEST

START_TEST(lanczos_has_none)
{
    prepare("problem = { type = \"poisson3d\"; n = 5; };\nsolver = { method = \"lanczos\"; };\n"
            "kernels = ( \"cpu_csr\" );\noutput = { solution = \"mtx\"; };\n");
    struct outcome *outcome = run_program("--output %s %s", directory, config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "solution.cfg:4: output.solution: this method has "
                                 "eigenvectors instead, which eigen.vectors = true writes\n");
    expect_exit(run_program("--check-config --set output.solution=none %s", config), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_method_and_kernel_writes,
                            the_wanted_runs_are_written,
                            a_solution_is_read_as_a_right_hand_side,
                            what_a_solve_ends_with_is_written,
                            lanczos_has_none,
                            NULL};
    return suite_of("main/solution", tests);
}
