/* problem.reorder and the random meshes as their users meet them: what is printed and written, and
 * one history whatever the threads. */
#include "support.h"

#include "main/program.h"
#include "program/config/metis_numbering.h"

#include <string.h>

static const char shuffled[] =
    "problem = { type = \"fe_sheet\"; n = [40, 30]; unknowns = 1; diagonals = \"random\";\n"
    "            numbering = \"random\"; reorder = \"rcm\"; };\n"
    "rhs = { type = \"random\"; };\n"
    "kernels = ( \"cpu_csr\", { name = \"cpu_sym_bitwise\"; form = \"general\"; } );\n";

static const char *run_text(json_t *summary, int kernel, const char *key)
{
    json_t *run = json_array_get(json_object_get(summary_kernel(summary, kernel), "runs"), 0);
    return json_string_value(json_object_get(run, key));
}

START_TEST(reordering_is_reported)
{
    const char *config = temporary_file("shuffled.cfg", shuffled, -1);
    const char *directory = temporary_path("reported");
    struct outcome *outcome = run_program("--output %s %s", directory, config);
    expect_exit(outcome, 0);
    expect_text(outcome->output,
                "fe_sheet, 40 x 30 nodes, 1 unknown a node, shift 0.001, seed 1, random diagonals, "
                "random numbering\n");
    expect_text(outcome->output, "\nreorder   rcm in ");
    expect_text(outcome->output, ", bandwidth from ");
    json_t *summary = read_summary(directory);
    json_error_t error;
    const char *name;
    json_int_t before, after;
    json_t *scattered, *band;
    double distance, nearer, seconds;
    int ok = json_unpack_ex(
        summary, &error, 0, "{s:{s:{s:s, s:{s:I, s:F, s:o}, s:{s:I, s:F, s:o}, s:F}}}", "problem",
        "reorder", "name", &name, "before", "bandwidth", &before, "mean_distance", &distance,
        "pattern", &scattered, "after", "bandwidth", &after, "mean_distance", &nearer, "pattern",
        &band, "seconds", &seconds);
    ck_assert_msg(ok == 0, "%s", error.text);
    ck_assert_str_eq(name, "rcm");
    ck_assert(before > 1000 && after < 90 && distance > 300 && nearer < 50 && seconds > 0);
    ck_assert_uint_eq(json_array_size(scattered), 64);
    ck_assert_ptr_nonnull(
        strpbrk(json_string_value(json_array_get(scattered, 0)) + 32, "123456789"));
    const char *first = json_string_value(json_array_get(band, 0)); /* 90 columns are 5 cells */
    ck_assert_uint_eq(strspn(first + 6, "0"), 64 - 6);
    ck_assert(*first != '0');
    json_decref(summary);

    outcome = run_program("--output %s --set problem.reorder=none %s", directory, config);
    expect_exit(outcome, 0);
    ck_assert_ptr_null(strstr(outcome->output, "reorder"));
    summary = read_summary(directory);
    ok = json_unpack_ex(summary, &error, JSON_STRICT, "{s:{s:{s:s!}*}*}", "problem", "reorder",
                        "name", &name);
    ck_assert_msg(ok == 0, "%s", error.text);
    ck_assert_str_eq(name, "none");
    json_decref(summary);
}
END_TEST

/* The parts are told, and kept. */
START_TEST(parts_are_reported)
{
    if (metis_missing()) {
        printf("this build has no METIS: not tested\n");
        return;
    }
    const char *config = temporary_file("shuffled.cfg", shuffled, -1);
    const char *directory = temporary_path("parts");
    struct outcome *outcome = run_program(
        "--output %s --set problem.reorder=metis --set problem.parts=3 %s", directory, config);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "\nreorder   metis by 3 parts in ");
    json_t *summary = read_summary(directory);
    json_error_t error;
    json_int_t parts;
    int ok =
        json_unpack_ex(summary, &error, 0, "{s:{s:{s:I}}}", "problem", "reorder", "parts", &parts);
    ck_assert_msg(ok == 0, "%s", error.text);
    ck_assert_int_eq(parts, 3);
    json_decref(summary);
    expect_exit(
        run_program("--quiet --output %s %s/settings.cfg", temporary_path("again"), directory), 0);
}
END_TEST

/* The mesh, the numbering and the order of additions: their hash stands here. */
START_TEST(histories_are_pinned)
{
    const char *config = temporary_file("shuffled.cfg", shuffled, -1);
    for (int threads = 1; threads <= 7; threads += threads < 3 ? 1 : 4) {
        const char *directory = temporary_path("pinned");
        expect_exit(run_program("--quiet --threads %d --output %s %s", threads, directory, config),
                    0);
        json_t *summary = read_summary(directory);
        for (int k = 0; k < 2; k++)
            ck_assert_str_eq(run_text(summary, k, "history_hash"), "e8712b5cb72be488");
        json_decref(summary);
    }
}
END_TEST

/* The path 3 - 5 - 1 - 4 - 2 is stored, but its values are zero, so the solution is exact: b / 4 in
 * any numbering, with the same hash. */
START_TEST(solutions_are_hashed_in_their_own_order)
{
    temporary_file("path.mtx",
                   "%%MatrixMarket matrix coordinate real symmetric\n5 5 9\n1 1 4\n2 2 4\n3 3 4\n"
                   "4 4 4\n5 5 4\n5 1 0\n4 1 0\n5 3 0\n4 2 0\n",
                   -1);
    temporary_file("path_b.mtx",
                   "%%MatrixMarket matrix array real general\n5 1\n13\n12\n17\n22\n24\n", -1);
    char text[1024], hashes[2][32];
    snprintf(text, sizeof text,
             "problem = { type = \"mtx\"; path = \"%s\"; };\n"
             "rhs = { type = \"file\"; path = \"%s\"; };\nkernels = (\"cpu_sym\");\n",
             temporary_path("path.mtx"), temporary_path("path_b.mtx"));
    const char *config = temporary_file("path.cfg", text, -1);
    for (int rcm = 0; rcm < 2; rcm++) {
        const char *directory = temporary_path("path");
        struct outcome *outcome = run_program("--output %s --set problem.reorder=%s %s", directory,
                                              rcm ? "rcm" : "none", config);
        expect_exit(outcome, 0);
        if (rcm)
            expect_text(outcome->output, "bandwidth from 4 to 1,");
        json_t *summary = read_summary(directory);
        snprintf(hashes[rcm], sizeof hashes[rcm], "%s", run_text(summary, 0, "solution_hash"));
        json_decref(summary);
    }
    ck_assert_str_eq(hashes[0], hashes[1]);
}
END_TEST

/* Where every sum is exact a numbering changes no bit: of the residuals, and of the solution. Nor
 * does it with a preconditioner that takes each row for itself, and where set-up estimates what it
 * needs. */
START_TEST(exact_sums_know_no_numbering)
{
    static const char *const preconditioners[] = {"none", "jacobi", "chebyshev"};
    const char *config = temporary_file("shuffled.cfg", shuffled, -1);
    static const char *const numberings[] = {"none", "rcm", "metis"};
    int count = metis_missing() ? 2 : 3;
    char hashes[3][2][32];
    for (int type = 0; type < 3; type++) {
        for (int r = 0; r < count; r++) {
            const char *directory = temporary_path("exact");
            expect_exit(
                run_program("--quiet --threads %d --output %s --set problem.reorder=%s "
                            "--set 'solver.preconditioner={type=\"%s\";}' "
                            "--set solver.reductions=exact --set 'kernels=(\"cpu_sym_exact\")' %s",
                            1 + 2 * r, directory, numberings[r], preconditioners[type], config),
                0);
            json_t *summary = read_summary(directory);
            snprintf(hashes[r][0], sizeof hashes[r][0], "%s", run_text(summary, 0, "history_hash"));
            snprintf(hashes[r][1], sizeof hashes[r][1], "%s",
                     run_text(summary, 0, "solution_hash"));
            json_decref(summary);
            ck_assert_str_eq(hashes[0][0], hashes[r][0]);
            ck_assert_str_eq(hashes[0][1], hashes[r][1]);
        }
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {reordering_is_reported,
                            parts_are_reported,
                            histories_are_pinned,
                            exact_sums_know_no_numbering,
                            solutions_are_hashed_in_their_own_order,
                            NULL};
    return suite_of("main/reorder", tests);
}
