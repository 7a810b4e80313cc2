/* solver.start as its users meet it: what a study writes of it; a solution that is gone on from, in
 * whatever numbering; histories that began elsewhere; and files that hold no x_0. */
#include "support.h"

#include "base/random.h"
#include "main/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char config[256], results[256];

static void prepare(void)
{
    snprintf(config, sizeof config, "%s",
             temporary_file("start.cfg",
                            "problem = { type = \"fe_sheet\"; n = [9, 8]; unknowns = 3;\n"
                            "    numbering = \"random\"; };\n"
                            "rhs = { type = \"random\"; };\n"
                            "kernels = ( \"cpu_sym\" );\n"
                            "output = { solution = \"mtx\"; };\n",
                            -1));
    snprintf(results, sizeof results, "%s", temporary_path("results"));
}

static json_t *start_of(json_t *summary)
{
    return json_object_get(json_object_get(summary, "solver"), "start");
}

static const char *run_text(json_t *summary, const char *key)
{
    json_t *run = json_array_get(json_object_get(summary_kernel(summary, 0), "runs"), 0);
    return json_string_value(json_object_get(run, key));
}

START_TEST(it_is_told)
{
    enum { N = 3 * 9 * 8 };
    static double x0[N];
    char hash[17];
    prepare();
    struct outcome *outcome = run_program("--output %s %s", results, config);
    expect_exit(outcome, 0);
    ck_assert_ptr_null(strstr(outcome->output, "x_0"));
    json_t *summary = read_summary(results);
    ck_assert_str_eq(json_string_value(json_object_get(start_of(summary), "type")), "zero");
    ck_assert_ptr_null(json_object_get(start_of(summary), "hash"));
    json_decref(summary);
    outcome = run_program("--output %s --set 'solver.start={type=\"random\";seed=7;}' %s", results,
                          config);
    expect_exit(outcome, 0);
    expect_text(outcome->output, ", from x_0: random\n");
    summary = read_summary(results);
    random_vector(7, N, x0);
    snprintf(hash, sizeof hash, "%016" PRIx64, test_hash_vector(x0, N));
    ck_assert_str_eq(json_string_value(json_object_get(start_of(summary), "type")), "random");
    ck_assert_int_eq(json_integer_value(json_object_get(start_of(summary), "seed")), 7);
    ck_assert_str_eq(json_string_value(json_object_get(start_of(summary), "hash")), hash);
    json_decref(summary);
    char path[300];
    snprintf(path, sizeof path, "%s/report.html", results);
    expect_text(file_text(path), hash);
    snprintf(path, sizeof path, "%s/settings.cfg", results);
    expect_text(file_text(path), "    start = {\n        type = \"random\";\n        seed = 7;\n");
}
END_TEST

/* x_0 is in the problem's own numbering, like the solution that it was. */
START_TEST(a_solution_is_gone_on_from)
{
    prepare();
    char x[300], again[256], hashes[2][32];
    snprintf(x, sizeof x, "%s/solution-cpu_sym-1.mtx", results);
    snprintf(again, sizeof again, "%s", temporary_path("again"));
    expect_exit(run_program("--quiet --output %s --set solver.tolerance=1e-9 %s", results, config),
                0);
    for (int rcm = 0; rcm < 2; rcm++) {
        expect_exit(run_program("--quiet --output %s --set 'solver.start={type=\"file\";"
                                "path=\"%s\";}' --set problem.reorder=%s %s",
                                again, x, rcm ? "rcm" : "none", config),
                    0);
        json_t *first = read_summary(results), *second = read_summary(again);
        json_t *run = json_array_get(json_object_get(summary_kernel(second, 0), "runs"), 0);
        ck_assert_int_eq(json_integer_value(json_object_get(run, "iterations")), 0);
        ck_assert_str_eq(run_text(second, "solution_hash"), run_text(first, "solution_hash"));
        ck_assert_str_eq(json_string_value(json_object_get(start_of(second), "hash")),
                         run_text(first, "solution_hash"));
        json_decref(first);
        json_decref(second);
    }
    struct outcome *outcome = run_program("--quiet --output %s --set 'solver.start={type=\"file\";"
                                          "path=\"%s\";}' %s",
                                          results, x, config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "solver.start.path = ");
    expect_text(outcome->errors, "is a file of the results, which this run removes");
    ck_assert_int_eq(access(x, F_OK), 0);

    /* where every sum is exact a numbering changes no bit */
    for (int rcm = 0; rcm < 2; rcm++) {
        expect_exit(run_program("--quiet --output %s --set 'solver.start={type=\"random\";}' "
                                "--set problem.reorder=%s --set solver.reductions=exact "
                                "--set 'kernels=(\"cpu_sym_exact\")' %s",
                                again, rcm ? "rcm" : "none", config),
                    0);
        json_t *summary = read_summary(again);
        snprintf(hashes[rcm], sizeof hashes[rcm], "%s", run_text(summary, "history_hash"));
        json_decref(summary);
    }
    ck_assert_str_eq(hashes[0], hashes[1]);
}
END_TEST

START_TEST(a_history_that_began_elsewhere_is_refused)
{
    prepare();
    static const char *const starts[] = {"zero", "random"};
    char reference[2][256], history[300];
    for (int k = 0; k < 2; k++) {
        snprintf(reference[k], sizeof reference[k], "%s", temporary_path(starts[k]));
        expect_exit(run_program("--quiet --output %s --set solver.start.type=%s "
                                "--write-reference %s %s",
                                results, starts[k], reference[k], config),
                    0);
        ck_assert(!strstr(file_text(reference[k]), "\n# start: ") == (k == 0));
    }
    snprintf(history, sizeof history, "%s/history.csv", results); /* from the random one */
    expect_exit(run_program("check %s %s", history, reference[1]), 0);
    struct outcome *outcome = run_program("check %s %s", history, reference[0]);
    expect_exit(outcome, 3);
    expect_text(outcome->errors,
                "is the history of a solve that began elsewhere: x_0 there is 0, ");
    outcome =
        run_program("--output %s --set reference.history=%s %s", results, reference[1], config);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "x_0 there has the hash ");
    expect_text(outcome->errors, "start.cfg is 0\n");
    ck_assert_str_eq(outcome->output, ""); /* before anything is solved */
    outcome = run_program("--output %s --set reference.history=%s --set 'solver.start={type="
                          "\"random\";seed=2;}' %s",
                          results, reference[1], config);
    expect_exit(outcome, 3);
    expect_exit(run_program("--quiet --output %s --set reference.history=%s "
                            "--set solver.start.type=random %s",
                            results, reference[1], config),
                0);
}
END_TEST

START_TEST(what_is_no_start_is_named)
{
    static const char banner[] = "%%MatrixMarket matrix array real general\n";
    static const char *const cases[][2] = {
        {"2 1\n1\n2\n", ":2: this is 2 x 1, but must have 216 rows, one column for each vector\n"},
        {"216 1\n1\nnan\n", ":4: "},
        {"216 1\n1\n2e999\n", ":4: "},
        {"216 1\n1\n", ":"},
    };
    prepare();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[200], path[256], message[300];
        snprintf(text, sizeof text, "%s%s", banner, cases[k][0]);
        snprintf(path, sizeof path, "%s", temporary_file("x0.mtx", text, -1));
        struct outcome *outcome =
            run_program("--quiet --output %s --set 'solver.start={type=\"file\";path=\"%s\";}' %s",
                        results, path, config);
        expect_exit(outcome, 3);
        snprintf(message, sizeof message, "%s%s", path, cases[k][1]);
        expect_text(outcome->errors, message);
    }
    struct outcome *outcome = run_program(
        "--check-config --set 'solver.start={type=\"file\";path=\"/no/such/x.mtx\";}' %s", config);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "/no/such/x.mtx");
    const char *zeros =
        temporary_file("zeros.mtx", "%%MatrixMarket matrix coordinate real general\n216 1 0\n", -1);
    outcome = run_program("--quiet --output %s --set 'rhs={type=\"file\";path=\"%s\";}' "
                          "--set solver.start.type=random %s",
                          results, zeros, config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors,
                "the norm of b is 0: a solve from a start other than 0 ends when ");
}
END_TEST

/* A solve that one iteration from x_0 ends says nothing of b. */
START_TEST(no_eigenvector_is_seen_from_a_start)
{
    prepare();
    char identity[256];
    snprintf(identity, sizeof identity, "%s",
             temporary_file("identity.mtx",
                            "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n"
                            "2 2 2\n3 3 2\n",
                            -1));
    for (int k = 0; k < 2; k++) {
        struct outcome *outcome =
            run_program("--output %s --set 'problem={type=\"mtx\";path=\"%s\";}' "
                        "--set solver.start.type=%s %s",
                        results, identity, k ? "random" : "zero", config);
        expect_exit(outcome, 0);
        ck_assert(!strstr(outcome->output, "b is an eigenvector") == (k == 1));
        json_t *summary = read_summary(results), *problem = json_object_get(summary, "problem");
        ck_assert(json_is_true(json_object_get(problem, "rhs_is_eigenvector")) == (k == 0));
        json_decref(summary);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {it_is_told,
                            a_solution_is_gone_on_from,
                            a_history_that_began_elsewhere_is_refused,
                            what_is_no_start_is_named,
                            no_eigenvector_is_seen_from_a_start,
                            NULL};
    return suite_of("main/start", tests);
}
