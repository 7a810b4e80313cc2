/* --set KEY=VALUE, right and wrong. */
#include "program/config/configs.h"

#include "options.h"
#include "problem/generators.h"
#include "support.h"

START_TEST(overrides_replace)
{
    static const char text[] = "problem = { type = \"poisson3d\"; n = 4; jump = 2; };\n" KERNELS
                               "solver = { tolerance = 5; max_iterations = 3; };\n";
    struct settings settings =
        read_with(text, (const char *const[]){"solver.tolerance=1e-10", "solver.reductions=atomic",
                                              " output.directory = results/a b ", "repeats=3",
                                              "threads=2", "rhs.type=\"random\"",
                                              "kernels=(\"cpu_csr\", \"cpu_sym\")", NULL});
    ck_assert(settings.solver.options.tolerance == 1e-10);
    ck_assert_int_eq(settings.solver.options.max_iterations, 3);
    ck_assert_int_eq(settings.solver.reductions, REDUCTIONS_ATOMIC);
    ck_assert_str_eq(settings.output.directory, "results/a b");
    ck_assert_int_eq(settings.study.repeats, 3);
    ck_assert_str_eq(settings.problem.rhs.component->name, "random");
    ck_assert_int_eq(settings.study.kernels_count, 2);
    ck_assert_str_eq(settings.study.kernels[0].label, "cpu_csr");
    settings_free(&settings);

    /* a group is replaced as a whole, the last override wins, a file without the group will do */
    settings =
        read_with(text, (const char *const[]){"solver={max_iterations=9; # comment\n}", "repeats=3",
                                              "problem={type=\"poisson3d\"; n=[8, 9, 10];}",
                                              "repeats=4", NULL});
    ck_assert(settings.solver.options.tolerance == 1e-8);
    ck_assert_int_eq(settings.solver.options.max_iterations, 9);
    expect_option(&settings.problem.matrix, "poisson3d", "n", "8, 9, 10");
    expect_option(&settings.problem.matrix, "poisson3d", "jump", "1.0");
    ck_assert_int_eq(settings.study.repeats, 4);
    settings_free(&settings);

    settings =
        read_with("", (const char *const[]){"problem.type=poisson3d", "problem.n=5",
                                            "kernels=({name=\"cpu_sym_atomic\"; chunk=5;})", NULL});
    expect_option(&settings.problem.matrix, "poisson3d", "n", "5, 5, 5");
    ck_assert_int_eq(settings.study.kernels[0].options.values[0], 5);
    settings_free(&settings);

    settings = read_with(PROBLEM KERNELS,
                         (const char *const[]){"problem.type=fe_sheet", "problem.n=(6, 7)",
                                               "problem.shift=1", NULL});
    ck_assert_int_eq(PROBLEM_AS(fe_mesh, settings)->n[1], 7);
    ck_assert_int_eq(PROBLEM_AS(fe_mesh, settings)->unknowns, 5);
    ck_assert(PROBLEM_AS(fe_mesh, settings)->shift == 1);
    settings_free(&settings);
}
END_TEST

/* What libconfig would not read as a value is a text, comments and brackets inside included. */
START_TEST(bare_words)
{
    static const char *const words[] = {
        "a//b",     "x#1", "1e999/run", "a{b",      "o'clock",
        "/tmp/x.y", "a=b", "C:\\new",   "a; b = 2", "99999999999999999999x"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        char text[128];
        snprintf(text, sizeof text, "output.directory=%s", words[k]);
        struct settings settings = read_with(PROBLEM KERNELS, (const char *const[]){text, NULL});
        ck_assert_str_eq(settings.output.directory, words[k]);
        settings_free(&settings);
    }
}
END_TEST

static const struct {
    const char *override;
    const char *message; /* what follows "--set OVERRIDE: " */
} faults[] = {
    {"solver.tolerance", "KEY=VALUE is wanted, e.g. solver.tolerance=1e-10"},
    {"=5", "what stands before '=' is not a key"},
    {"", "KEY=VALUE is wanted, e.g. solver.tolerance=1e-10"},
    {"solver.tolerance=", "the value is missing"},
    {"solver.tolerance=  ", "the value is missing"},
    {"solver..tolerance=1", "what stands before '=' is not a key"},
    {".tolerance=1", "what stands before '=' is not a key"},
    {"solver.=1", "what stands before '=' is not a key"},
    {"kernels[0].block=1", "what stands before '=' is not a key"},
    {"solver tolerance=1", "what stands before '=' is not a key"},
    {"a.b.c.d.e.f.g.h.i.j=1", "what stands before '=' is not a key"},
    {"solvr.tolerance=1e-10", "unknown key 'solvr'; did you mean 'solver'?"},
    {"solver.tolerence=1e-10", "unknown key 'solver.tolerence'; did you mean 'tolerance'?"},
    {"tolerance=1e-10", "unknown key 'tolerance'; did you mean 'solver.tolerance'?"},
    {"solver.max-iterations=5",
     "unknown key 'solver.max-iterations'; did you mean 'max_iterations'?"},
    {"solver.tolerance=2", "solver.tolerance wants a real in [0, 1), not 2"},
    {"solver.tolerance=1e-1O", "solver.tolerance wants a real in [0, 1), not the string \"1e-1O\""},
    {"solver.tolerance=1e400", "1e400 is out of the range of a double"},
    {"solver.tolerance=1e-400", "1e-400 is out of the range of a double"},
    {"solver.max_iterations=99999999999999999999",
     "99999999999999999999 is out of the range of 64-bit whole numbers"},
    {"solver.max_iterations=2.5",
     "solver.max_iterations wants a whole number, at least 0, not 2.5"},
    {"problem.n=0x10000000000000000",
     "0x10000000000000000 is out of the range of 64-bit whole numbers"},
    {"problem.n=(1, 2)", "problem.n wants one for all, or a list of 3, each a whole number, "
                         "1..2147483647, not a list of 2"},
    {"problem.n=(1, 2, 1e999)", "1e999 is out of the range of a double"},
    {"problem.n=(1, 2", "the bracket is never closed: ')' is missing"},
    {"problem.n=20000", "problem.n: the product of the sizes passes 1099511627776 rows"},
    {"problem.type=posson3d",
     "problem.type wants \"poisson3d\", \"fe_sheet\", \"fe_cube\", "
     "\"elasticity3d\", \"network\", \"feature_graph\", \"tied\", \"layers\", \"fe_brick\", "
     "\"lattice4d\", "
     "\"grid2d\", \"power_law\", "
     "\"chains\", \"stand_in\", \"convection3d\" or \"mtx\", not \"posson3d\"; did you mean "
     "'poisson3d'?"},
    {"problem={type=\"fe_sheet\"; n=(1, 2, 3);}",
     "problem.n wants one for all, or a list of 2, each a whole number, 1..2147483647, not a list "
     "of 3"},
    {"problem.unknowns=4",
     "problem.unknowns is for type \"fe_sheet\", \"fe_cube\" or \"fe_brick\", not \"poisson3d\""},
    {"problem.path=x", "problem.path is for type \"mtx\", not \"poisson3d\""},
    {"problem={type=\"mtx\";}", "problem.path is missing for type \"mtx\": it wants a string"},
    {"problem={type=\"mtx\"; type=\"mtx\";}", "the key 'type' is given twice"},
    {"problem={type=mtx;}", "syntax error at 'mtx': a string must stand in quotes, \"mtx\""},
    {"problem={}; repeats = 3", "more than one value"},
    {"problem=5", "problem wants a group { ... }, not 5"},
    {"rhs.type=file", "rhs.path is missing for type \"file\": it wants a string"},
    {"repeats.x=3", "'repeats' is not a group: it can only be set as a whole"},
    {"kernels.name=cpu_csr", "'kernels' is not a group: it can only be set as a whole"},
    {"kernels=cpu_csr", "kernels wants a list ( \"NAME\", ... ), not the string \"cpu_csr\""},
    {"kernels=()", "kernels is an empty list: name at least one"},
    {"kernels=(\"cpu_smy\")", "unknown kernel \"cpu_smy\"; did you mean 'cpu_sym'?"},
    {"kernels=(\"cpu_sym\", \"cpu_sym\")",
     "two kernels are labelled 'cpu_sym': give each its own label"},
    {"output.directory=true", "output.directory wants a string, not true"},
    {"output.directory=2024", "output.directory wants a string, not 2024"},
    {"output.directory=\"x",
     "the text has no closing quote on its line (\\n stands for a newline)"},
    {"output.directory=\"\"", "output.directory is empty"},
    {"output.directory=\"a\nb\"",
     "the text has no closing quote on its line (\\n stands for a newline)"},
    {"threads=4 # comment",
     "threads wants a whole number, 0..4096, not the string \"4 # comment\""},
    {"true=1", "unknown key 'true'"},
};

START_TEST(faults_name_the_override)
{
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        struct settings settings;
        struct error error = {""};
        char wanted[512];
        snprintf(wanted, sizeof wanted, "--set %s: %s", faults[k].override, faults[k].message);
        enum status status = try_read(PROBLEM KERNELS "repeats = 2;",
                                      (const char *const[]){"threads=1", faults[k].override, NULL},
                                      &settings, &error);
        expect_error(status, STATUS_CONFIG, &error, NULL);
        for (char *at = wanted; *at; at++)
            *at = *at == '\n' ? '?' : *at;
        ck_assert_str_eq(error.text, wanted);
        ck_assert(!settings.study.kernels && !settings.output.directory);
        ck_assert_int_eq(memory_live(), 0);
    }
}
END_TEST

/* As a command calls it that makes overrides of its options. */
START_TEST(a_place_stands_for_it)
{
    struct settings settings;
    struct error error;
    const struct settings_override override = {"solver.tolerance=2", "--tolerance"};
    expect_error(settings_read(temporary_file("run.cfg", PROBLEM KERNELS, -1), &override, 1,
                               &settings, &error),
                 STATUS_CONFIG, &error, "wants a real in [0, 1), not 2", NULL);
    ck_assert_ptr_eq(strstr(error.text, "--tolerance: solver.tolerance wants "), error.text);
}
END_TEST

/* A fault in the file is still the file's when there are overrides. */
START_TEST(faults_of_the_file_remain)
{
    struct settings settings;
    struct error error = {""};
    enum status status = try_read(PROBLEM KERNELS "\nrepeats = 2.5;",
                                  (const char *const[]){"threads=1", NULL}, &settings, &error);
    expect_error(status, STATUS_CONFIG, &error,
                 "run.cfg:4: repeats wants a whole number, 1..1000000000, not 2.5", NULL);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {overrides_replace,         bare_words,
                                  faults_name_the_override,  a_place_stands_for_it,
                                  faults_of_the_file_remain, NULL};
    return suite_of("program/config/override", tests);
}
