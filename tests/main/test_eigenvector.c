/* A b that is an eigenvector: every kernel solves the system in one iteration, and the program says
 * why. */
#include "support.h"

#include "main/program.h"

#include <stdio.h>
#include <string.h>

static const char said[] = "b is an eigenvector of ";

/* Run the config and give its output; whether it is said there, in summary.json and on the page has
 * to be `wanted`. */
static const char *solved(const char *text, bool wanted)
{
    char directory[256];
    snprintf(directory, sizeof directory, "%s", temporary_path("eigenvector"));
    struct outcome *outcome =
        run_program("--output %s %s", directory, temporary_file("eigenvector.cfg", text, -1));
    ck_assert_msg(outcome->exit_status <= 1, "%s", outcome->errors);
    json_t *summary = read_summary(directory);
    json_t *problem = json_object_get(summary, "problem");
    json_t *told = json_object_get(problem, "rhs_is_eigenvector");
    ck_assert_msg(wanted ? json_is_true(told) : json_is_false(told), "%s", text);
    json_decref(summary);
    ck_assert_msg((strstr(outcome->output, said) != NULL) == wanted, "%s%s", text, outcome->output);
    if (!strstr(text, "report = false"))
        ck_assert((strstr(file_text(temporary_path("eigenvector/report.html")), said) != NULL) ==
                  wanted);
    return outcome->output;
}

/* Rows that all add up to the shift: ones are an eigenvector, and so is what A makes of them. */
START_TEST(laplacians_with_a_shift)
{
    static const char *const problems[] = {
        "type = \"stand_in\"; name = \"circuit\"; scale = 0.005;",
        "type = \"network\"; n = 5; decades = 2; ground = 0.01;",
        "type = \"fe_brick\"; n = 4; unknowns = 2;",
        "type = \"chains\"; n = 200;",
        "type = \"power_law\"; n = 200; mean = 5; deviation = 3; longest = 50;",
        "type = \"grid2d\"; n = 12;",
        "type = \"lattice4d\"; n = 4;",
    };
    static const struct {
        const char *rhs, *solver;
        bool wanted;
    } cases[] = {{"ones", "cg", true},
                 {"solution", "cg", true},
                 {"ones", "minres", true},
                 {"random", "cg", false},
                 {"ones", "lanczos", false}};
    for (size_t p = 0; p < sizeof problems / sizeof *problems; p++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            char text[512];
            snprintf(text, sizeof text,
                     "problem = { %s };\nrhs = { type = \"%s\"; };\n"
                     "solver = { method = \"%s\"; %s };\nkernels = ( \"cpu_csr\", \"cpu_sym\" );\n"
                     "output = { report = false; };\n",
                     problems[p], cases[c].rhs, cases[c].solver,
                     strcmp(cases[c].solver, "lanczos") ? "" : "max_iterations = 30;");
            const char *output = solved(text, cases[c].wanted);
            if (cases[c].wanted) {
                expect_text(output, "eigenvector of A within the tolerance, ||A b - theta b||");
                expect_text(output, "; try another b, such as rhs = { type = \"random\"; }\n");
            }
        }
}
END_TEST

/* The reason is b, not the problem: other operators, and other vectors. */
START_TEST(operators_of_other_methods)
{
    char diagonal[256], skew[256], text[512];
    snprintf(diagonal, sizeof diagonal, "%s",
             temporary_file("diagonal.mtx",
                            "%%MatrixMarket matrix coordinate real symmetric\n"
                            "3 3 3\n1 1 2\n2 2 3\n3 3 5\n",
                            -1));
    snprintf(skew, sizeof skew, "%s",
             temporary_file("skew.mtx",
                            "%%MatrixMarket matrix coordinate real general\n"
                            "3 3 2\n1 2 1\n2 1 -1\n",
                            -1));
    const struct {
        const char *path, *rhs, *solver, *matrix; /* NULL: b is none of its eigenvectors */
    } cases[] = {
        {diagonal, "type = \"unit\"; row = 2;", "", "A within"},
        {diagonal, "type = \"random\";", "", NULL},
        {diagonal, "type = \"random\";", "tolerance = 0.9;", "A within"},
        {diagonal, "type = \"random\";", "preconditioner = { type = \"jacobi\"; };", "A M^-1 "},
        {skew, "type = \"unit\"; row = 3;", "method = \"skew\"; shift = 2.0;", "(shift I + S) "},
        {skew, "type = \"unit\"; row = 2;", "method = \"skew\"; shift = 2.0;", NULL}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        snprintf(text, sizeof text,
                 "problem = { type = \"mtx\"; path = \"%s\"; };\nrhs = { %s };\nsolver = { %s };\n"
                 "kernels = ( \"cpu_csr\" );\nrepeats = 2;\n",
                 cases[c].path, cases[c].rhs, cases[c].solver);
        const char *output = solved(text, cases[c].matrix != NULL);
        if (!cases[c].matrix)
            continue;
        expect_text(strstr(output, said) + strlen(said), cases[c].matrix);
        bool hinted = strstr(output, "try another b") != NULL;
        ck_assert_int_eq(hinted, strstr(cases[c].rhs, "random") == NULL); /* that is b already */
    }
}
END_TEST

/* SciPy writes a skew-symmetric matrix as a general one: the solve is that of the skew-symmetric
 * file. */
START_TEST(a_skew_matrix_in_either_file)
{
    static const char *const files[] = {
        "%%MatrixMarket matrix coordinate real skew-symmetric\n4 4 3\n2 1 -3\n3 2 -.1\n4 3 2\n",
        "%%MatrixMarket matrix coordinate real general\n4 4 7\n1 2 3\n2 1 -3\n2 3 .1\n3 2 -.1\n"
        "3 4 -2\n4 3 2\n4 4 0\n"};
    char hashes[2][2][17];
    for (int f = 0; f < 2; f++) {
        char text[512];
        snprintf(text, sizeof text,
                 "problem = { type = \"mtx\"; path = \"%s\"; };\nrhs = { type = \"random\"; };\n"
                 "solver = { method = \"skew\"; shift = 0.5; };\nkernels = ( \"cpu_csr\" );\n",
                 temporary_file("a.mtx", files[f], -1));
        const char *output = solved(text, false);
        expect_text(output,
                    "n = 4, 6 entries, 3 in the upper triangle and 4 zeros on the diagonal");
        json_t *summary = read_summary(temporary_path("eigenvector"));
        json_t *problem = json_object_get(summary, "problem");
        json_t *run = json_array_get(json_object_get(summary_kernel(summary, 0), "runs"), 0);
        ck_assert_int_eq(json_integer_value(json_object_get(problem, "nnz_full")), 6);
        snprintf(hashes[f][0], 17, "%s",
                 json_string_value(json_object_get(problem, "matrix_hash")));
        snprintf(hashes[f][1], 17, "%s", json_string_value(json_object_get(run, "history_hash")));
        json_decref(summary);
    }
    ck_assert_str_eq(hashes[0][0], hashes[1][0]);
    ck_assert_str_eq(hashes[0][1], hashes[1][1]);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {laplacians_with_a_shift, operators_of_other_methods,
                            a_skew_matrix_in_either_file, NULL};
    return suite_of("main/eigenvector", tests);
}
