/* Configs that are right: values, defaults, settings.cfg, --help. The messages of wrong ones are in
 * test_settings_faults.c, --set is in test_settings_override.c. */
#include "io/settings.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROBLEM "problem = { type = \"poisson3d\"; n = 4; };\n"
#define KERNELS "kernels = ( \"cpu_sym\" );\n"

/* Read the text as a config, which must work; overrides end with NULL. */
static struct settings read_with(const char *text, const char *const *overrides)
{
    struct settings_override list[8];
    int count = 0;
    for (; overrides && overrides[count]; count++)
        list[count].text = overrides[count];
    struct settings settings;
    struct error error = {""};
    expect_ok(settings_read(temporary_file("run.cfg", text, -1), list, count, &settings, &error),
              &error);
    return settings;
}

static struct settings read_one(const char *text, const char *override)
{
    return read_with(text, (const char *const[]){override, NULL});
}

/* What settings_write or settings_print_help printed; the caller frees it. */
static char *printed(const struct settings *settings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(file);
    if (settings)
        settings_write(settings, file);
    else
        settings_print_help(file);
    ck_assert(!ferror(file));
    fclose(file);
    return text;
}

static void expect_equal_texts(const char *a, const char *b)
{
    if (a && b)
        ck_assert_str_eq(a, b);
    else
        ck_assert_msg(a == b, "only one of two texts is there");
}

static void expect_equal(const struct settings *a, const struct settings *b)
{
    ck_assert_int_eq(a->problem.type, b->problem.type);
    ck_assert_mem_eq(&a->problem.poisson3d, &b->problem.poisson3d, sizeof a->problem.poisson3d);
    ck_assert_mem_eq(&a->problem.fe_mesh, &b->problem.fe_mesh, sizeof a->problem.fe_mesh);
    expect_equal_texts(a->problem.path, b->problem.path);
    ck_assert(a->problem.asymmetry == b->problem.asymmetry);
    ck_assert_int_eq(a->problem.reorder, b->problem.reorder);
    ck_assert_int_eq(a->rhs.type, b->rhs.type);
    ck_assert_int_eq(a->rhs.solution, b->rhs.solution);
    ck_assert_int_eq(a->rhs.seed, b->rhs.seed);
    expect_equal_texts(a->rhs.path, b->rhs.path);
    ck_assert_int_eq(a->method, b->method);
    ck_assert(a->cg.tolerance == b->cg.tolerance);
    ck_assert_int_eq(a->cg.max_iterations, b->cg.max_iterations);
    ck_assert_int_eq(a->reductions, b->reductions);
    ck_assert_int_eq(a->repeats, b->repeats);
    ck_assert_int_eq(a->threads, b->threads);
    expect_equal_texts(a->output_directory, b->output_directory);
    ck_assert_int_eq(a->kernels_count, b->kernels_count);
    for (int k = 0; k < a->kernels_count; k++) {
        ck_assert_ptr_eq(a->kernels[k].kernel, b->kernels[k].kernel);
        ck_assert_mem_eq(&a->kernels[k].options, &b->kernels[k].options,
                         sizeof a->kernels[k].options);
        ck_assert_str_eq(a->kernels[k].label, b->kernels[k].label);
    }
}

/* What is written is read back equal. Frees the settings. */
static void expect_round_trip(struct settings settings)
{
    char *text = printed(&settings);
    struct settings again = read_with(text, NULL);
    expect_equal(&settings, &again);
    char *text_again = printed(&again);
    ck_assert_str_eq(text, text_again);
    free(text);
    free(text_again);
    settings_free(&settings);
    settings_free(&again);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(defaults)
{
    struct settings settings = read_with(PROBLEM KERNELS, NULL);
    ck_assert_int_eq(settings.problem.type, PROBLEM_POISSON3D);
    for (int axis = 0; axis < 3; axis++) {
        ck_assert_int_eq(settings.problem.poisson3d.n[axis], 4);
        ck_assert(settings.problem.poisson3d.weights[axis] == 1);
    }
    ck_assert(settings.problem.poisson3d.jump == 1);
    ck_assert_int_eq(settings.problem.reorder, REORDER_NONE);
    ck_assert_int_eq(settings.rhs.type, RHS_ONES);
    ck_assert_int_eq(settings.method, SOLVER_CG);
    ck_assert(settings.cg.tolerance == 1e-8);
    ck_assert_int_eq(settings.cg.max_iterations, 10000);
    ck_assert_int_eq(settings.reductions, REDUCTIONS_REPRODUCIBLE);
    ck_assert_int_eq(settings.repeats, 1);
    ck_assert_int_eq(settings.threads, 0);
    ck_assert_str_eq(settings.output_directory, "results");
    ck_assert_int_eq(settings.kernels_count, 1);
    ck_assert_ptr_eq(settings.kernels[0].kernel, kernel_find("cpu_sym"));
    ck_assert_str_eq(settings.kernels[0].label, "cpu_sym");
    expect_round_trip(settings);
}
END_TEST

START_TEST(every_key)
{
    struct settings settings = read_with(
        "# a comment\n"
        "problem = { type = \"poisson3d\"; n = [64, 32, 0x10]; anisotropy = (1, 1, 0.01);\n"
        "  jump = 1e4 }; // another\n"
        "rhs = { type = \"solution\", x = \"random\", seed = 7 };\n"
        "solver : { method = \"cg\"; tolerance = .5e-9; max_iterations = 3000000000;\n"
        "  reductions = \"comp\" /* adjacent texts are one */ \"ensated\"; };\n"
        "kernels = ( { name = \"cpu_sym_bitwise\"; label = \"small\"; form = \"general\"; "
        "compress = \"never\"; },\n"
        "  \"cpu_sym_bitwise\", { chunk = 77L; name = \"cpu_sym_atomic\"; label = \"a b'c\" } );\n"
        "repeats = 8; threads = 2;\n"
        "output = { directory = \"results/quick\\\"start\"; }",
        NULL);
    ck_assert_int_eq(settings.problem.poisson3d.n[0], 64);
    ck_assert_int_eq(settings.problem.poisson3d.n[1], 32);
    ck_assert_int_eq(settings.problem.poisson3d.n[2], 16);
    ck_assert(settings.problem.poisson3d.weights[1] == 1);
    ck_assert(settings.problem.poisson3d.weights[2] == 0.01);
    ck_assert(settings.problem.poisson3d.jump == 1e4);
    ck_assert_int_eq(settings.rhs.type, RHS_SOLUTION);
    ck_assert_int_eq(settings.rhs.solution, SOLUTION_RANDOM);
    ck_assert_int_eq(settings.rhs.seed, 7);
    ck_assert(settings.cg.tolerance == .5e-9);
    ck_assert_int_eq(settings.cg.max_iterations, INT64_C(3000000000));
    ck_assert_int_eq(settings.reductions, REDUCTIONS_COMPENSATED);
    ck_assert_int_eq(settings.repeats, 8);
    ck_assert_int_eq(settings.threads, 2);
    ck_assert_str_eq(settings.output_directory, "results/quick\"start");
    ck_assert_int_eq(settings.kernels_count, 3);
    ck_assert_str_eq(settings.kernels[0].label, "small");
    ck_assert_int_eq(settings.kernels[0].options.values[0], 3);
    ck_assert_int_eq(settings.kernels[0].options.values[1], 1);
    ck_assert_int_eq(settings.kernels[1].options.values[0], 0);
    ck_assert_str_eq(settings.kernels[1].label, "cpu_sym_bitwise");
    ck_assert_int_eq(settings.kernels[1].options.values[1],
                     kernel_defaults(kernel_find("cpu_sym_bitwise")).values[0]);
    ck_assert_str_eq(settings.kernels[2].label, "a b'c");
    ck_assert_int_eq(settings.kernels[2].options.values[0], 77);
    expect_round_trip(settings);
}
END_TEST

START_TEST(matrix_file)
{
    struct settings settings =
        read_with("problem = { type = \"mtx\"; path = \"plate.mtx.gz\"; asymmetry = 0.1;"
                  " reorder = \"rcm\"; };\n"
                  "rhs = { type = \"file\"; path = \"b.mtx\"; };\n" KERNELS,
                  NULL);
    ck_assert_int_eq(settings.problem.type, PROBLEM_MTX);
    ck_assert_str_eq(settings.problem.path, "plate.mtx.gz");
    ck_assert(settings.problem.asymmetry == 0.1);
    ck_assert_int_eq(settings.problem.reorder, REORDER_RCM);
    ck_assert_int_eq(settings.rhs.type, RHS_FILE);
    ck_assert_str_eq(settings.rhs.path, "b.mtx");
    expect_round_trip(settings);
}
END_TEST

/* n is a list of two or of three, and unknowns has a default of its own, by the type. */
START_TEST(finite_elements)
{
    static const struct {
        const char *keys;
        enum problem_type type;
        struct fe_mesh mesh;
    } wanted[] = {
        {"type = \"fe_sheet\"; n = [30, 20];", PROBLEM_FE_SHEET, {{30, 20, 0}, 5, 1e-3, .seed = 1}},
        {"type = \"fe_sheet\"; n = 7; unknowns = 3;",
         PROBLEM_FE_SHEET,
         {{7, 7, 0}, 3, 1e-3, .seed = 1}},
        {"type = \"fe_cube\"; n = (3, 4, 5L);", PROBLEM_FE_CUBE, {{3, 4, 5}, 4, 1e-3, .seed = 1}},
        {"type = \"fe_cube\"; n = 6; shift = 2e-5; seed = 9; unknowns = 8;",
         PROBLEM_FE_CUBE,
         {{6, 6, 6}, 8, 2e-5, .seed = 9}},
        {"type = \"fe_cube\"; n = 6; diagonals = \"random\"; numbering = \"random\";",
         PROBLEM_FE_CUBE,
         {{6, 6, 6}, 4, 1e-3, 1, FE_MESH_RANDOM_DIAGONALS, FE_MESH_RANDOM_NUMBERING}},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        char text[256];
        snprintf(text, sizeof text, "problem = { %s };" KERNELS, wanted[k].keys);
        struct settings settings = read_with(text, NULL);
        ck_assert_int_eq(settings.problem.type, wanted[k].type);
        ck_assert_mem_eq(&settings.problem.fe_mesh, &wanted[k].mesh, sizeof wanted[k].mesh);
        expect_round_trip(settings);
    }
}
END_TEST

/* Whole numbers of 64 bits and reals come through, and come back, exactly. */
START_TEST(numbers_are_exact)
{
    static const struct {
        const char *text;
        int64_t value;
    } wholes[] = {
        {"3000000000", INT64_C(3000000000)},
        {"3000000000L", INT64_C(3000000000)},
        {"3000000000LL", INT64_C(3000000000)},
        {"0xFFFFFFFF", INT64_C(4294967295)},
        {"9223372036854775807", INT64_MAX},
        {"0x7fffffffffffffff", INT64_MAX},
        {"+5", 5},
        {"010", 10},
        {"-0", 0},
    };
    for (size_t k = 0; k < sizeof wholes / sizeof *wholes; k++) {
        char text[256];
        snprintf(text, sizeof text, PROBLEM KERNELS "solver = { max_iterations = %s; };",
                 wholes[k].text);
        struct settings settings = read_with(text, NULL);
        ck_assert_int_eq(settings.cg.max_iterations, wholes[k].value);
        expect_round_trip(settings);
        snprintf(text, sizeof text, "solver.max_iterations=%s", wholes[k].text);
        settings = read_one(PROBLEM KERNELS, text);
        ck_assert_int_eq(settings.cg.max_iterations, wholes[k].value);
        settings_free(&settings);
    }
    static const char *const reals[] = {"0.1",
                                        "1e-99",
                                        "1e99",
                                        "1e-100",
                                        "9.9999999999999997e99",
                                        "2",
                                        "2.",
                                        "3E+2",
                                        "0.30000000000000004",
                                        "123456789012345678",
                                        "100000000000000000000000.0"};
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
        char text[128];
        snprintf(text, sizeof text, "problem.jump=%s", reals[k]);
        struct settings settings = read_one(PROBLEM KERNELS, text);
        ck_assert_msg(settings.problem.poisson3d.jump == strtod(reals[k], NULL), "%s", reals[k]);
        expect_round_trip(settings);
    }
    static const char *const small[] = {"1e-300", "5e-324", "0.99999999999999989"};
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        char text[128];
        snprintf(text, sizeof text, "solver.tolerance=%s", small[k]);
        struct settings settings = read_one(PROBLEM KERNELS, text);
        ck_assert_msg(settings.cg.tolerance == strtod(small[k], NULL), "%s", small[k]);
        expect_round_trip(settings);
    }
    uint64_t state = test_seed();
    for (int k = 0; k < 200; k++) {
        char text[128];
        double value = ldexp(1 + test_random(&state), (int)test_random_below(&state, 660) - 330);
        snprintf(text, sizeof text, "problem.jump=%.16e", value);
        struct settings settings = read_one(PROBLEM KERNELS, text);
        ck_assert(settings.problem.poisson3d.jump == value);
        expect_round_trip(settings);
    }
}
END_TEST

START_TEST(lists_may_mix)
{
    static const char *const lists[] = {"(1, 0.5, 2)", "[1, 0.5, 2]", "[1.0, 5e-1, 2L]"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        char text[256];
        snprintf(text, sizeof text,
                 "problem = { type = \"poisson3d\"; n = (1, 2L, 0x3); anisotropy = %s; };" KERNELS,
                 lists[k]);
        struct settings settings = read_with(text, NULL);
        ck_assert(settings.problem.poisson3d.weights[0] == 1);
        ck_assert(settings.problem.poisson3d.weights[1] == 0.5);
        ck_assert(settings.problem.poisson3d.weights[2] == 2);
        ck_assert_int_eq(settings.problem.poisson3d.n[1], 2);
        expect_round_trip(settings);
    }
    struct settings settings = read_with(PROBLEM "kernels = [ \"cpu_csr\", \"cpu_sym\" ];", NULL);
    ck_assert_int_eq(settings.kernels_count, 2);
    settings_free(&settings);
}
END_TEST

START_TEST(texts_are_escaped)
{
    struct settings settings =
        read_one(PROBLEM KERNELS,
                 "output.directory=\"a\\\\b\\\"c\\nd\\te\\x01\\x7f\\xc3\\xa9 //x /*y*/ #\"");
    ck_assert_str_eq(settings.output_directory, "a\\b\"c\nd\te\x01\x7f\xc3\xa9 //x /*y*/ #");
    expect_round_trip(settings);
}
END_TEST

/* Line ends of Windows, its mark before UTF-8, and a comment that ends the file. */
START_TEST(foreign_editors)
{
    struct settings settings =
        read_with("\xef\xbb\xbf# first\r\nproblem = {\r\n  type = \"poisson3d\";\r\n  n = 4;\r\n};"
                  "\r\n/* two\r\nlines */ kernels = (\r\n\"cpu_sym\"\r\n);\r\n// the end",
                  NULL);
    ck_assert_int_eq(settings.problem.poisson3d.n[2], 4);
    settings_free(&settings);
}
END_TEST

START_TEST(help_names_every_key)
{
    char *text = printed(NULL);
    static const char *const wanted[] = {"problem.type: ",
                                         "problem.n: ",
                                         "problem.anisotropy: ",
                                         "problem.jump: ",
                                         "problem.n: one for all, or a list of 2",
                                         "problem.unknowns: a whole number, 1..8; default 5",
                                         "problem.unknowns: a whole number, 1..8; default 4",
                                         "problem.shift: ",
                                         "problem.seed: ",
                                         "problem.path: ",
                                         "problem.diagonals: ",
                                         "problem.numbering: ",
                                         "problem.asymmetry: ",
                                         "problem.reorder: \"none\" or \"rcm\"; default none",
                                         "rhs.type: ",
                                         "rhs.seed: ",
                                         "rhs.x: ",
                                         "rhs.path: ",
                                         "solver.method: ",
                                         "solver.tolerance: ",
                                         "default 1e-8",
                                         "solver.max_iterations: ",
                                         "solver.reductions: ",
                                         "kernels: ",
                                         "repeats: ",
                                         "threads: ",
                                         "output.directory: ",
                                         "cpu_sym_bitwise: form: \"auto\", ",
                                         "cpu_sym_bitwise: compress: \"auto\" or ",
                                         "cpu_sym_atomic: chunk: "};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        ck_assert_msg(strstr(text, wanted[k]) != NULL, "\"%s\" is missing in:\n%s", wanted[k],
                      text);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= 100, "too wide: %.120s", line);
    free(text);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    static const struct settings_override overrides[] = {
        {"solver.tolerance=1e-10"}, {"output.directory=x"}, {"solver={max_iterations=9;}"}};
    struct settings settings;
    enum status status = settings_read(context, overrides, 3, &settings, error);
    if (status != STATUS_OK)
        ck_assert_msg(!settings.kernels && !settings.output_directory && !settings.problem.path,
                      "a failure leaves settings behind");
    settings_free(&settings);
    return status;
}

START_TEST(every_allocation_may_fail)
{
    char *path = memory_text(
        temporary_file("run.cfg",
                       "problem = { type = \"mtx\"; path = \"p\"; };\n"
                       "rhs = { type = \"file\"; path = \"b\"; };\n"
                       "kernels = ( \"cpu_sym\", { name = \"cpu_csr\"; label = \"x\"; } );\n",
                       -1),
        "a path", NULL);
    walk_allocation_failures(attempt, path);
    memory_free(path);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {defaults,
                                  every_key,
                                  matrix_file,
                                  finite_elements,
                                  numbers_are_exact,
                                  lists_may_mix,
                                  texts_are_escaped,
                                  foreign_editors,
                                  help_names_every_key,
                                  every_allocation_may_fail,
                                  NULL};
    return suite_of("settings", tests);
}
