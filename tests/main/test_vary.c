/* A study over a product of kernels, threads and reductions: each combination by itself in every
 * file. */
#include "support.h"

#include "main/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char vary_config[] =
    "problem = { type = \"poisson3d\"; n = [9, 8, 7]; jump = 100; };\n"
    "kernels = ( { name = \"cpu_sym_bitwise\"; label = \"b\"; }, \"cpu_sym_atomic\" );\n"
    "vary = { threads = [1, 3]; reductions = [\"reproducible\", \"exact\"]; };\n"
    "repeats = 3;\n";

static const char *text_of(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static const char *first_hash(json_t *kernel)
{
    return text_of(json_array_get(json_object_get(kernel, "runs"), 0), "history_hash");
}

START_TEST(each_combination_is_a_kernel)
{
    const char *config = temporary_file("vary.cfg", vary_config, -1);
    char directory[256], again[256], hashes[4][32];
    snprintf(directory, sizeof directory, "%s", temporary_path("vary"));
    snprintf(again, sizeof again, "%s", temporary_path("again"));
    expect_exit(run_program("--quiet --output %s %s", directory, config), 0);
    json_t *summary = read_summary(directory);
    ck_assert_uint_eq(json_array_size(json_object_get(summary, "kernels")), 8);
    static const char *const labels[] = {
        "b threads=1 reductions=reproducible", "b threads=1 reductions=exact",
        "b threads=3 reductions=reproducible", "b threads=3 reductions=exact"};
    for (int k = 0; k < 8; k++) {
        json_t *kernel = summary_kernel(summary, k);
        ck_assert_int_eq(json_integer_value(json_object_get(kernel, "threads")), k / 2 % 2 ? 3 : 1);
        ck_assert_str_eq(text_of(kernel, "reductions"), k % 2 ? "exact" : "reproducible");
        ck_assert_str_eq(text_of(kernel, "promise"), k < 4 ? "kept" : "none");
        if (k < 4) {
            ck_assert_str_eq(text_of(kernel, "name"), labels[k]);
            snprintf(hashes[k], sizeof hashes[k], "%s", first_hash(kernel));
        }
    }
    /* the threads change nothing, the reductions do */
    ck_assert_str_eq(hashes[0], hashes[2]);
    ck_assert_str_eq(hashes[1], hashes[3]);
    ck_assert_str_ne(hashes[0], hashes[1]);
    json_decref(summary);

    /* the settings as applied make the same study */
    expect_exit(run_program("--quiet --output %s %s/settings.cfg", again, directory), 0);
    summary = read_summary(again);
    for (int k = 0; k < 4; k++) {
        ck_assert_str_eq(text_of(summary_kernel(summary, k), "name"), labels[k]);
        ck_assert_str_eq(first_hash(summary_kernel(summary, k)), hashes[k]);
    }
    json_decref(summary);
}
END_TEST

/* envelope.csv has a row for every iteration of every kernel; with one run the three are its
 * residual. */
START_TEST(envelopes_are_written)
{
    const char *config = temporary_file("vary.cfg", vary_config, -1);
    char directory[256], path[300];
    snprintf(directory, sizeof directory, "%s", temporary_path("one"));
    expect_exit(run_program("--quiet --output %s --set repeats=1 %s", directory, config), 0);
    snprintf(path, sizeof path, "%s/history.csv", directory);
    char *history = strdup(file_text(path));
    snprintf(path, sizeof path, "%s/envelope.csv", directory);
    const char *envelope = file_text(path);
    int rows = 0;
    const char *at = strchr(history, '\n') + 1, *row = strchr(envelope, '\n') + 1;
    for (; *at; at = strchr(at, '\n') + 1, row = strchr(row, '\n') + 1, rows++) {
        char label[64], residual[32], wanted[256];
        int iteration;
        ck_assert_int_eq(sscanf(at, "%63[^,],1,%d,%31[^,]", label, &iteration, residual), 3);
        int length = snprintf(wanted, sizeof wanted, "%s,%d,1,%s,%s,%s,0\n", label, iteration,
                              residual, residual, residual);
        ck_assert_msg(strncmp(row, wanted, (size_t)length) == 0, "%s is wanted, not %.100s", wanted,
                      row);
    }
    ck_assert_str_eq(row, "");
    ck_assert_int_gt(rows, 8 * 20);
    free(history);
}
END_TEST

START_TEST(threads_are_given_once)
{
    const char *config = temporary_file("vary.cfg", vary_config, -1);
    struct outcome *outcome = run_program("--threads 2 %s", config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "--threads 2: ");
    expect_text(outcome->errors,
                "gives 'b threads=1 reductions=reproducible' its own number of threads");
    ck_assert_str_eq(outcome->output, "");
}
END_TEST

/* A reference is held against each, and knows their reductions. */
START_TEST(references_know_the_reductions)
{
    const char *config = temporary_file("vary.cfg", vary_config, -1);
    char directory[256], reference[256];
    snprintf(directory, sizeof directory, "%s", temporary_path("referred"));
    snprintf(reference, sizeof reference, "%s", temporary_path("reference.csv"));
    expect_exit(run_program("--quiet --output %s --set 'kernels=(\"cpu_csr\")' --set vary={} "
                            "--write-reference %s %s",
                            directory, reference, config),
                0);
    struct outcome *outcome =
        run_program("--output %s --set 'kernels=(\"cpu_csr\")' --set reference.history=%s %s",
                    directory, reference, config);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "cpu_csr threads=3 reductions=reproducible: 3 runs pass");
    expect_text(outcome->output, "cpu_csr threads=1 reductions=exact, run 1: iteration ");
    expect_text(outcome->output, "reductions: exact, in the reference reproducible");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {each_combination_is_a_kernel, envelopes_are_written,
                            threads_are_given_once, references_know_the_reductions, NULL};
    return suite_of("main/vary", tests);
}
